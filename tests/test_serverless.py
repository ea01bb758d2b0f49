"""A whole analysis on what stands for serverless compute (`tests.serverless`)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql.connect.proto import base_pb2

from pipelines import delta
from pipelines.inputs import gather
from pipelines.reading import records_here
from replay.tables import TABLES
from tests.golden import TRACES, inputs_of
from tests.serverless import LOCAL_BYTES, Gate, Serverless, serverless
from tests.test_connect import rows_of

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(900)]

TRACE = TRACES / "kip101-without-epochs-zk-2.3.1"
SMALL_TRACE = TRACES / "leader-epochs-by-hand"
SCRIPT = """
import os, sys
os.umask(0)  # a volume has no owners and no modes
from pyspark.sql import SparkSession
from kafka_replay import Replay
from pipelines import reading, stages

reading.SMALL_BYTES = stages.SMALL_ROWS = -1  # in Spark's workers, like a large input
spark = SparkSession.builder.remote(os.environ["SPARK_REMOTE"]).getOrCreate()
replay = Replay.analyze(spark, sys.argv[1], sys.argv[2])
print(replay.incidents.count(), replay.findings().count(), len(replay.figures()))
"""


@pytest.fixture(scope="module")
def volume() -> Iterator[Path]:
    """A volume of a schema of a catalog, mounted for client and server."""
    try:
        Path("/Volumes").mkdir(exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix="kafka-replay-test-", dir="/Volumes"))
    except OSError as error:
        pytest.skip(f"/Volumes cannot be made here: {error.strerror}")
    for folder in (made, made / "logs", made / "logs" / "kafka"):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)
    yield folder
    shutil.rmtree(made)
    if not any(Path("/Volumes").iterdir()):
        Path("/Volumes").rmdir()


@pytest.fixture(scope="module")
def compute() -> Iterator[Serverless]:
    """The server; its folder is not among the temporary files, which are hidden from it."""
    own = tempfile.TemporaryDirectory(prefix="serverless-", dir="/var/tmp", ignore_cleanup_errors=True)
    with own as folder, serverless(Path(folder), _delta_jars()) as running:
        yield running


def _delta_jars() -> list[Path]:
    """Delta's classes as Spark fetches them; none if no repository answers."""
    fetch = "from pipelines.session import session; session(writes_delta=True).stop()"
    subprocess.run([sys.executable, "-c", fetch], cwd=Path(__file__).parent.parent, capture_output=True, timeout=300)
    group, name, release = delta.classes().split(":")
    folder = next((jar.parent for jar in Path.home().glob(f".ivy2*/jars/{group}_{name}-{release}.jar")), None)
    return sorted([*folder.glob("io.delta_*.jar"), *folder.glob("io.unitycatalog_*.jar")]) if folder else []


def _client(compute: Serverless, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    own = tmp_path / "client"
    own.mkdir(mode=0o700, exist_ok=True)
    return subprocess.run(
        [sys.executable, "-c", *arguments],
        env=os.environ | {"SPARK_REMOTE": compute.remote, "TMPDIR": str(own)},
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=1_700,
    )


def _failure(done: subprocess.CompletedProcess[str], compute: Serverless) -> str:
    """The client's errors without Java's frames, the gate, and the end of the server's log."""
    errors = [line for line in done.stderr.splitlines() if not line.startswith("\tat ")]
    return "\n".join([*errors[-40:], str(compute.gate), compute.log.read_text()[-3_000:]])


def test_an_analysis_in_a_volume_comes_to_the_same_tables(compute, volume, tmp_path, result_of):
    shutil.copytree(inputs_of(TRACE), volume / "logs")
    out = volume / "incidents" / "last-night"
    done = _client(compute, tmp_path, SCRIPT, str(volume / "logs"), str(out))
    assert done.returncode == 0, _failure(done, compute)
    incidents, findings, figures = map(int, done.stdout.split())
    assert incidents > 0 and findings > 0 and figures > 0
    for table in TABLES:
        assert rows_of(out, table.name) == rows_of(result_of(TRACE), table.name), table.name
    assert [entry.name for entry in out.parent.iterdir()] == [out.name], "something of the work in between stayed"
    refused = " ".join(compute.gate.refused)
    assert "spark.sql.codegen.wholeStage" in refused and "archives of Python code" in refused
    assert "file:" not in refused and compute.gate.largest_local < 1 << 20
    print(f"\n{compute.gate.passed}\n{sum(compute.gate.refused.values())} requests refused")


CATALOG = """
import json, os, sys
os.umask(0)
from pyspark.sql import SparkSession
from kafka_replay import Replay

spark = SparkSession.builder.remote(os.environ["SPARK_REMOTE"]).getOrCreate()
logs, work = sys.argv[1:]
Replay.analyze(spark, logs, catalog_schema="incidents", incident="last night", shared=work)
again = Replay.of(spark, "incidents", incident="last night")
counts = {name: frame.count() for name, frame in again.tables.items()}
listed = [row.incident for row in Replay.incidents_in(spark, "incidents").collect()]
print(json.dumps([counts, listed, len(again.report())]))
"""


@pytest.mark.timeout(1_800)
def test_an_analysis_on_serverless_compute_writes_delta_tables(compute, volume, tmp_path, result_of):
    if not compute.has_delta:
        pytest.skip("Delta's classes cannot be had here")
    logs = volume / "logs-for-tables"
    shutil.copytree(inputs_of(SMALL_TRACE), logs)
    done = _client(compute, tmp_path, CATALOG, str(logs), str(volume / "work"))
    assert done.returncode == 0, _failure(done, compute)
    counts, listed, page = json.loads(done.stdout)
    assert counts == {table.name: len(rows_of(result_of(SMALL_TRACE), table.name)) for table in TABLES}
    assert listed and set(listed) == {"last night"} and page > 100_000


READS = """
import json, os, sys
from pyspark.sql import SparkSession
from kafka_replay import register

spark = SparkSession.builder.remote(os.environ["SPARK_REMOTE"]).getOrCreate()
register(spark, shared=sys.argv[2])
read = spark.read.format("kafka_log").load(sys.argv[1])
kinds = {row.kind or "": row["count"] for row in read.groupBy("kind").count().collect()}
read.createOrReplaceTempView("printed")
asked = "SELECT told.meaning FROM printed, LATERAL kafka_explain(message) AS told WHERE printed.kind = 'broker_started'"
line = "SELECT kafka_meaning('WARN [ReplicaManager broker=1] Stopping serving replicas in dir /data') AS told"
print(json.dumps([kinds, spark.sql(asked).count(), spark.sql(line).first().told is not None]))
"""


def test_sql_on_serverless_compute_reads_logs_and_explains_lines(compute, volume, tmp_path):
    logs = volume / "logs-to-read"
    shutil.copytree(inputs_of(TRACE), logs)
    done = _client(compute, tmp_path, READS, str(logs), str(volume / "read"))
    assert done.returncode == 0, _failure(done, compute)
    kinds, started, is_explained = json.loads(done.stdout)
    here = Counter(record.kind or "" for record in records_here(gather([logs], {}, tmp_path / "work")))
    assert kinds == here and started == here["broker_started"] > 0 and is_explained


REFUSED = [
    ("spark.conf.set('spark.sql.parquet.outputTimestampType', 'INT96')", "does not let spark.sql.parquet"),
    ("spark.read.text('file:///etc/hostname').count()", "opens no file of its machine"),
    ("spark.range(3).persist()", "persists no frames"),
    ("spark.sparkContext", "JVM_ATTRIBUTE_NOT_SUPPORTED"),
    ("spark.range(3).rdd", "rdd"),
    ("spark._jvm", "JVM_ATTRIBUTE_NOT_SUPPORTED"),
    ("Replay.analyze(spark, '/Volumes')", "Spark's workers do not see the files of this process in"),
]
ASKS = """
import json, os, sys
from pyspark.sql import SparkSession
from kafka_replay import Replay

spark = SparkSession.builder.remote(os.environ["SPARK_REMOTE"]).getOrCreate()
for code in json.loads(sys.argv[1]):
    try:
        print(json.dumps(repr(eval(code))))
    except Exception as error:
        print(json.dumps(str(error)))
"""


def test_it_refuses_what_serverless_compute_refuses(compute, tmp_path):
    done = _client(compute, tmp_path, ASKS, json.dumps([code for code, _ in REFUSED]))
    assert done.returncode == 0, done.stderr[-2_000:]
    for (code, reason), answer in zip(REFUSED, done.stdout.splitlines(), strict=True):
        assert reason in answer, (code, answer)


def test_it_refuses_local_rows_of_more_than_128_mb():
    plan = base_pb2.ExecutePlanRequest()
    rows = plan.plan.root.project.input.local_relation
    rows.data = bytes(LOCAL_BYTES)
    assert Gate().reason(plan) is None
    rows.data += b"1"
    assert Gate().reason(plan) == "takes no local relation of more than 128 MB"


def test_the_server_sees_none_of_the_clients_files(compute, tmp_path):
    if not compute.is_apart:
        pytest.skip("this process may not hide files from another")
    own = tmp_path / "log.txt"
    own.write_text("a line")
    done = _client(compute, tmp_path, ASKS, json.dumps([f"spark.read.text({str(own)!r}).count()"]))
    assert done.returncode == 0 and "PATH_NOT_FOUND" in done.stdout, done.stdout
