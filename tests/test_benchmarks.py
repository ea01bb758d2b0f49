"""What the programs of `benchmarks` measure over, and how they tell what they measure."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.lines_to_events import TRACES, multiplied
from benchmarks.memory import many_files, one_partition
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


def test_the_soak_tells_a_whole_result_from_one_that_is_not(tmp_path):
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
