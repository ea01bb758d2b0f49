"""The whole command over logs that change while it runs, hold secrets, and whose result is sent to people outside."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from pipelines.cli import main
from pipelines.commands import mcp
from pipelines.commands.index import index
from pipelines.kept_records import kept
from replay.errors import InputError
from tests.golden import COLUMNS, TRACES, golden

TRACE = TRACES / "leader-epochs-by-hand"

# A log of another component beside Kafka's: names that nobody outside should read, and secrets in every form.
NAMED = """\
[2018-08-01 10:00:03,000] INFO Cluster ID = MkU3OEVBNTcwNTJENDM2Qg (kafka.server.KafkaServer)
[2018-08-01 10:00:04,000] INFO [GroupCoordinator 1]: Preparing to rebalance group acme-billing in state PreparingRebalance with old generation 0 (__consumer_offsets-7) (reason: Adding new member) (kafka.coordinator.group.GroupCoordinator)
[2018-08-01 10:00:05,000] INFO Principal = User:alice is Denied Operation = Describe from host = 10.9.8.7 on resource = Topic:LITERAL:payroll (kafka.authorizer.logger)
[2018-08-01 10:00:06,000] WARN Copying payroll-0 and acme-billing to broker-a.acme.example:9092 for clientId=acme-copier (com.example.Copier)
"""
SECRETS = """\
[2018-08-01 10:00:07,000] WARN sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="svc" password="s3cr3t-jaas"; (com.example.Login)
[2018-08-01 10:00:08,000] WARN Schemas at https://svc:s3cr3t-url@registry.internal:8081/ (com.example.Login)
[2018-08-01 10:00:09,000] WARN ScramCredential salt=s3cr3tsalt00, stored_key=s3cr3tstored, server_key=s3cr3tserver (com.example.Login)
[2018-08-01 10:00:10,000] WARN my.pass = s3cr3t-pass (com.example.Login)
[2018-08-01 10:00:11,000] WARN ssl.keystore.passphrase=s3cr3t-phrase (com.example.Login)
[2018-08-01 10:00:12,000] WARN zookeeper.connect=svc:s3cr3t-zk@zk1.internal:2181/kafka (com.example.Login)
[2018-08-01 10:00:13,000] ERROR Cannot log in (com.example.Login)
java.lang.IllegalArgumentException: no module takes password="s3cr3t-stack"
\tat com.example.Login.start(Login.java:12)
"""
HIDDEN = 9
LATER = (
    "[2018-08-01 10:00:55,000] ERROR Written after the files were looked at: s0-late (kafka.server.ReplicaManager)\n"
)
NAMES = (
    "orders",
    "payroll",
    "acme",
    "alice",
    "10.9.8.7",
    "zk1.internal",
    "registry.internal",
    "MkU3OEVBNTcwNTJENDM2Qg",
)


@dataclass
class Shared:
    """What came of the command: its exit status, what it printed, the result, and its tables as text."""

    code: object
    printed: str
    out: Path

    def written(self) -> dict[str, str]:
        """Every file of the result as a person who has it can read it."""
        files = [path for path in self.out.rglob("*") if path.is_file()]
        return {
            str(file.relative_to(self.out)): repr(pq.read_table(file).to_pylist())
            if file.suffix == ".parquet"
            else file.read_bytes().decode("utf-8", "replace")
            for file in files
        }


@pytest.fixture(scope="module")
def shared(spark, tmp_path_factory) -> Shared:
    """`analyze --redact`, once for all; files are rotated, grow and go when Spark starts."""
    folder = tmp_path_factory.mktemp("acme-prod")
    shutil.copytree(TRACE / "input", folder / "given")
    given, out, said = folder / "given", folder / "out", io.StringIO()
    (given / "node-1" / "acme-audit.log").write_text(NAMED)
    (given / "node-2" / "login.log").write_text(SECRETS)

    def started(*args: object, **settings: object):
        log = given / "node-1" / "server.log"
        log.rename(log.with_name("server.log.1"))
        log.write_text(LATER)
        with (given / "node-2" / "server.log").open("a") as grown:
            grown.write(LATER)
        (given / "node-2" / "controller.log").unlink()
        return spark

    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        pytest.raises(SystemExit) as stopped,
    ):
        patch.setattr("pipelines.reading.session", started)
        patch.setattr(sys, "argv", ["kafka-replay", "analyze", str(given), "--out", str(out), "--redact"])
        main()
    assert (given / "node-1" / "server.log.1").exists(), said.getvalue()
    return Shared(stopped.value.code, said.getvalue(), out)


def test_what_was_gathered_is_what_is_read_whatever_happens_to_the_files(shared):
    assert shared.code == 0, shared.printed
    assert not [name for name, text in shared.written().items() if "s0-late" in text]
    records = pd.read_parquet(shared.out / "tables" / "coverage").groupby("source_file").log_records.sum()
    assert records.to_dict() == {
        "node-1/file-1.log": 4,
        "node-1/controller.log": 8,
        "node-1/server.log": 18,
        "node-1/state-change.log": 6,
        "node-1/topic-1-0/leader-epoch-checkpoint": 5,
        "node-2/controller.log": 7,
        "node-2/file-2.log": 7,
        "node-2/server.log": 14,
        "node-2/state-change.log": 3,
        "node-2/topic-1-0/leader-epoch-checkpoint": 3,
    }


def test_no_record_is_kept_to_which_others_could_be_added(shared):
    assert os.listdir(shared.out / "records") == ["files.json"]
    with pytest.raises(InputError, match="names are replaced in it"):
        kept(shared.out)


def test_an_assistant_and_a_page_of_results_get_no_name(shared):
    tools = mcp.Tools(shared.out)
    page = shared.out.parent / "index.html"
    said = [
        *(
            tool.__get__(tools)()
            for tool in (mcp.Tools.incidents, mcp.Tools.explain, mcp.Tools.lines, mcp.Tools.questions)
        ),
        *(tools.lines(skip=skip) for skip in range(0, 49, 7)),
        tools.at("10:00:40"),
        tools.diff("10:00:05", "10:00:50"),
        tools.partition("topic-1-0"),
        tools.offsets("topic-1-0"),
        *index([shared.out], page),
        page.read_text(),
    ]
    told = "\n".join(said).replace(str(shared.out.parent), "")
    told = told.replace("DIR orders-0", "").replace("--topic orders", "")  # how a command is written
    assert "topic-1" in told and "client-1" in told
    assert [name for name in NAMES if name in told] == []
    assert "s3cr3t" not in told
    with pytest.raises(InputError, match=r"orders-0: these logs have no line about it; topics are topic-1$"):
        tools.partition("orders-0")


def test_files_that_changed_meanwhile_are_named(shared):
    notes = json.loads((shared.out / "findings.json").read_text())["notes"]
    told = "\n".join(notes)
    assert "node-1/server.log: was rotated or replaced after it was found: read in its state at that time" in told
    assert "node-2/server.log: has grown since it was found: read up to its size at that time" in told
    assert "node-2/controller.log: was removed or renamed after it was found: read in its state at that time" in told
    page = (shared.out / "report.html").read_text()
    assert "was rotated or replaced after it was found" in page


def test_no_secret_is_in_any_file_and_how_many_were_hidden_is_reported(shared):
    for name, text in shared.written().items():
        assert "s3cr3t" not in text, name
    assert "s3cr3t" not in shared.printed
    coverage = pd.read_parquet(shared.out / "tables" / "coverage")
    assert coverage.secrets_hidden.sum() == HIDDEN
    assert f"{HIDDEN} secrets" in shared.printed
    assert f"{HIDDEN} secrets" in (shared.out / "report.html").read_text()


def test_no_name_is_in_any_file_and_how_many_were_replaced_is_reported(shared):
    for name, text in shared.written().items():
        found = Counter(original for original in NAMES if original in text or original in name)
        assert not found, (name, found)
    assert "2 topics" in shared.printed and "1 cluster id" in shared.printed
    assert "__consumer_offsets" in shared.written()["report.html"] or any(
        "__consumer_offsets" in text for text in shared.written().values()
    ), "Kafka's own topics keep their names"


def test_findings_are_those_of_the_run_that_replaces_nothing(shared):
    told = golden(shared.out)
    for name in COLUMNS:
        expected = (TRACE / "expected" / f"{name}.csv").read_text(encoding="utf-8").replace("orders", "topic-1")
        assert told[name].splitlines() == expected.splitlines(), name
