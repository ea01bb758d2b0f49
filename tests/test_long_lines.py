"""One long line takes seconds, whatever it repeats: a quarter of a megabyte, and every night a whole one."""

import base64
import time

import pandas as pd
import pytest

from pipelines.answers.lines import as_text, of_text
from pipelines.notebook import Replay
from replay.reading import witnesses as w
from replay.reading.witness_statements import witness_records_of
from tests.golden import TRACES

_RECORD = "[2026-11-21 05:34:44,123] INFO "
_REPEATED = {
    "spaces": " ",
    "one word": "a",
    "digits": "7",
    "brackets": "[",
    "closed brackets": "[a](b){c}",
    "quotes": "\"'",
    "passwords": "password=hunter2 ",
    "stack frames": "\tat kafka.server.KafkaServer.startup(KafkaServer.scala:1) ",
    "stamps": "2026-11-21T05:34:44.123Z ",
    "nested JSON": '{"a":',
    "base64": base64.b64encode(bytes(range(256))).decode(),
    "partitions": "orders-1,",
    "frames of a table": "│  ",
    "exceptions": "org.apache.kafka.common.errors.TimeoutException: ",
    "keys": "-----BEGIN PRIVATE KEY-----",
    "arrows": "a-1 -> ",
}


def _line(begin: str, repeated: str, length: int) -> str:
    return begin + repeated * (length // len(repeated)) + "!"


each_length = pytest.mark.parametrize(
    ("length", "seconds"),
    [(250_000, 5), pytest.param(1_000_000, 20, marks=pytest.mark.nightly)],
    ids=["quarter", "whole"],
)


@each_length
@pytest.mark.parametrize("repeated", _REPEATED.values(), ids=_REPEATED)
def test_explain_ends_soon(repeated, length, seconds):
    line = _line(_RECORD, repeated, length)
    begun = time.process_time()
    assert list(as_text(of_text(line)))
    assert time.process_time() - begun < seconds


_WITNESSES = {
    "gc-log": "[2026-11-21T05:34:44.123+0000][info][gc] GC(0) Pause Young (Normal) 10M->5M(20M) ",
    w.HOST_LOG: "Nov 21 05:34:44 host1 systemd[1]: kafka.service: ",
    w.CRASH_REPORT: "# Internal Error (",
    w.ZOOKEEPER_TRANSACTIONS: "11/21/26 5:34:44 AM UTC session 0x1 cxid 0x2 zxid 0x3 create ",
    w.ZNODES: '{"leader_epoch":',
    w.DUMP: "| offset: 12 CreateTime: 1763703280000 keySize: -1 ",
    w.KUBERNETES_EVENTS: "LAST SEEN TYPE REASON ",
    w.OPERATOR_LOG: "2026-11-21 05:34:44 INFO KafkaRoller:1 - Rolling pod ",
    "server.properties": "log.dirs = ",
}


@each_length
@pytest.mark.parametrize("layout", _WITNESSES)
def test_the_lines_of_witnesses_end_soon(layout, length, seconds):
    for name in _REPEATED.keys() - {"passwords"}:  # what is hidden of them the test above measures
        begun = time.process_time()
        for _ in witness_records_of(_line(_WITNESSES[layout], _REPEATED[name], length), source_file="x", layout=layout):
            pass
        assert time.process_time() - begun < seconds, name


@pytest.mark.nightly
def test_analyze_reads_a_line_of_a_megabyte_of_each_kind(spark, tmp_path):
    lines = [_line(_RECORD, repeated, 1_000_000) for repeated in _REPEATED.values()]
    trace = next((TRACES / "kill-leader-kraft-4.1.1" / "input").glob("node-1/**/server.log"))
    log = tmp_path / "in" / "node-1" / "server.log"
    log.parent.mkdir(parents=True)
    log.write_text(f"{trace.read_text()}\n" + "\n".join(lines) + "\n")
    begun = time.process_time()
    result = Replay.analyze(spark, tmp_path / "in", tmp_path / "out")
    assert time.process_time() - begun < 60  # Java's time is bounded by the timeout of all tests
    read = result.tables["coverage"].toPandas()
    before = sum(line.startswith("[20") for line in trace.read_text().splitlines())
    assert read.log_records.sum() >= before + len(_REPEATED) - 2  # exceptions may stand below the record before
    assert read.secrets_hidden.sum() > 0
    kept = pd.read_parquet(tmp_path / "out" / "records" / "printed")
    assert "hunter2" not in "".join(map(str, kept.message)) + (tmp_path / "out" / "report.html").read_text()
