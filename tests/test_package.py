"""Workers of a cluster are handed the package as an archive from which Python can import."""

from __future__ import annotations

import subprocess
import sys

from pipelines.package import root, zipped


def test_the_archive_holds_all_that_reads_files(tmp_path):
    archive = zipped(tmp_path)
    asked = (
        "import sys; sys.path.insert(0, sys.argv[1]); sys.path[:] = [p for p in sys.path if p != sys.argv[2]]; "
        "from replay.reading.records import records_of; import replay.reading.shell as shell; "
        "print(shell.__file__); print([r.level for r in records_of(sys.argv[3], source_file='f', layout='default')])"
    )
    line = "[2026-11-21 05:34:41,986] INFO said (kafka.log.Log)\n"
    done = subprocess.run(
        [sys.executable, "-c", asked, str(archive), str(root()), line], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{archive}/replay/reading/shell.pyc", "['INFO']"]


def test_the_archive_holds_the_data_source_and_what_explains_a_line(tmp_path):
    archive = zipped(tmp_path)
    asked = (
        "import sys; sys.path.insert(0, sys.argv[1]); sys.path[:] = [p for p in sys.path if p != sys.argv[2]]; "
        "import pipelines.kafka_log as log, pipelines.kafka_explain as explain; print(log.__file__, explain.__file__); "
        "print(*next(explain.KafkaExplain().eval(sys.argv[3])), sep=', ')"
    )
    line = "[2026-11-21 05:34:41,986] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)"
    done = subprocess.run(
        [sys.executable, "-c", asked, str(archive), str(root()), line], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"{archive}/pipelines/kafka_log.pyc {archive}/pipelines/kafka_explain.pyc",
        "SRV-048, broker_started, Broker 1 has started.",
    ]
