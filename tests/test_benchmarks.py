"""The benchmark's corpus: the logs of all bundled traces, as large as asked, in a shape that is read as any input is."""

from __future__ import annotations

from benchmarks.lines_to_events import TRACES, multiplied
from pipelines.inputs import gather


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
