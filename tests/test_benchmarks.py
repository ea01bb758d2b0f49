"""What the programs of `benchmarks` measure over, and how they tell what they measure."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from datetime import timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks import scaling
from benchmarks.lines_to_events import TRACES, multiplied
from benchmarks.memory import many_files, one_partition
from benchmarks.playback import Player, shift
from benchmarks.soak import Broken, round_of
from pipelines.incident import Zones
from pipelines.inputs import gather
from pipelines.kept_records import keep
from replay.catalogue import TEMPLATES
from replay.tables import TABLES
from tests.test_inputs import LOG, SHORT, laid


def test_the_logs_of_many_clusters_are_one_corpus(tmp_path):
    logs = [log for log in sorted(TRACES.glob("*/input/**/*.log*")) if log.stat().st_size]
    size = sum(log.stat().st_size for log in logs)
    corpus = multiplied(logs, TRACES, tmp_path / "corpus", 2 * size)
    copies = [file for file in corpus.rglob("*") if file.is_file()]
    assert len(copies) == len(logs) and 2 * size <= sum(file.stat().st_size for file in copies) <= 2 * size + 2 * len(
        logs
    )
    found = gather([corpus], {}, tmp_path / "work")
    assert len(found.sources) == len(logs) and all(source.node_id is not None for source in found.sources)


def test_the_soak_shows_a_whole_result_from_one_that_is_not(tmp_path):
    result = tmp_path / "result"
    for table in TABLES:
        (result / "tables" / table.name).mkdir(parents=True)
        rows = {"source_file": ["node-1/server.log.7", "node-1/controller.log"]} if table.name == "coverage" else {}
        pq.write_table(pa.table(rows), result / "tables" / table.name / "part-0.parquet")
    (result / "findings.json").write_text('{"coverage": {"files": 2}}')
    (result / "report.html").write_text("<html>node-1/server.log.7</html>\n")
    log, short = laid(tmp_path / "in", {"node-1/server.log.7": LOG, "node-1/controller.log": SHORT}), tmp_path / "short"
    short.mkdir()
    for name in ("printed",):
        (result / "records" / name).mkdir(parents=True)
        pq.write_table(pa.table({}), result / "records" / name / "part-0.parquet")
    keep(result, gather([log], {}, tmp_path / "work"), [], None, Zones())
    keep(short, gather([log / "node-1" / "controller.log"], {}, tmp_path / "less"), [], None, Zones())
    assert round_of(result) == 7
    for spoilt, content in {
        "records/files.json": (short / "records" / "files.json").read_text(),
        "records/printed/part-0.parquet": "cut",
        "report.html": "<html>node-1/server.log.7",
        "findings.json": '{"coverage": ',
        "tables/events/part-0.parquet": "cut",
        "notes.txt": "",
    }.items():
        there = (result / spoilt).read_bytes() if (result / spoilt).exists() else None
        (result / spoilt).write_text(content)
        with pytest.raises(Broken):
            round_of(result)
        (result / spoilt).write_bytes(there) if there is not None else (result / spoilt).unlink()
    assert round_of(result) == 7


def test_memory_is_measured_over_lines_that_are_known_and_files_that_are_read(tmp_path):
    lines = one_partition(tmp_path / "lines", 80)
    log = (lines / "node-1" / "server.log").read_text().splitlines()
    said = [line.split("] ", 1)[1].split(" ", 1)[1].rsplit(" (", 1)[0] for line in log]
    known = [{t.kind for t in TEMPLATES if t.literal_length > 15 and t.fields_of(message)} for message in said]
    assert len(log) == 80
    assert [sum(kind in kinds for kinds in known) for kind in ("isr_shrink", "isr_expand", "isr_updated")] == [2, 2, 4]
    found = gather([many_files(tmp_path / "files", 7)], {}, tmp_path / "work")
    assert (len(found.sources), found.set_aside) == (7, [])


def test_a_shift_is_the_same_incident_again_with_topics_of_its_own():
    once, twice = (shift(hours, timedelta(minutes=15)) for hours in (0.25, 0.5))
    begin = once[0].at
    assert twice[: len(once)] == once
    later = twice[len(once) :]
    assert later[0].at == begin + timedelta(minutes=15)
    assert any("orders1-0" in record.text for record in later)
    assert not any("orders-0" in record.text or "__consumer_offsets" in record.text for record in later)
    assert [record.at for record in twice] == sorted(record.at for record in twice)


def test_a_player_writes_every_line_once_whatever_is_rotated_meanwhile(tmp_path):
    records = shift(2.1, timedelta(minutes=60))
    player = Player(records, tmp_path / "given", speed=100_000)
    player.play(threading.Event())
    written: dict[str, str] = {}
    for file in sorted((tmp_path / "given").rglob("*.log*"), key=lambda file: (file.suffix == ".log", file.name)):
        name = str(file.relative_to(tmp_path / "given")).partition(".log")[0] + ".log"
        written[name] = written.get(name, "") + file.read_text()
    for name in {record.file for record in records}:
        assert written[name] == "".join(record.text for record in records if record.file == name), name
    assert (tmp_path / "given" / "node-1" / "server.log.2026-11-21-06").exists()


def test_the_growth_of_a_step_is_the_slope_over_inputs_that_double():
    measured = [{"read": 4.0, "judge": 3.0, "begin": 0.1}, {"read": 8.0, "judge": 12.0, "begin": 0.1}]
    assert scaling.exponents(measured) == {"read": 1.0, "judge": 2.0, "all steps": pytest.approx(1.501, abs=1e-3)}


def test_each_dimension_doubles_what_its_name_says(tmp_path):
    def count(folder, pattern):
        text = "".join(file.read_text() for file in folder.rglob("*.log*"))
        return len({*re.findall(pattern, text)})

    assert count(scaling.partitions(tmp_path / "p", 4), r"orders\d*-\d\b") == 4 * count(scaling.TRACE, r"orders-\d\b")
    assert count(scaling.quiet(tmp_path / "t", 900, 1, 300), r"WARN (\w+) was") == 100
    assert len([*scaling.quiet(tmp_path / "n", 10, 7).iterdir()]) == 7


@pytest.mark.long
@pytest.mark.timeout(7_200)
def test_no_step_grows_faster_than_its_input(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scaling", "--folder", str(tmp_path)], capture_output=True, text=True
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-2_000:]
