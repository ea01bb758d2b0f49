"""JSON with samples in which any part is of another kind: the samples that are left are read, and nothing fails."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from replay.metrics.formats import CLOUDWATCH, PROMETHEUS, SADF, counts_of, samples_of
from replay.metrics.raw import MetricFile
from replay.tables.arrow import to_arrow
from replay.tables.metrics import SAMPLE_COUNTS, SAMPLES_READ

AT = 1_795_239_480
DOCUMENTS: dict[str, tuple[str, Any]] = {
    "an answer of Prometheus": (PROMETHEUS, {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {"__name__": "up", "instance": "kafka-1:7071", "broker_id": "1"}, "values": [[AT, "1"], [AT + 5, "2"]]}]}}),
    "data of CloudWatch": (CLOUDWATCH, {"MetricDataResults": [{"Id": "m1", "Label": "CpuUser Broker 1", "Timestamps": ["2026-11-21T05:38:00Z"], "Values": [1.5]}]}),
    "statistics of CloudWatch": (CLOUDWATCH, {"Label": "CpuUser", "Datapoints": [{"Timestamp": "2026-11-21T05:38:00Z", "Average": 1.5}]}),
    "sadf": (SADF, {"sysstat": {"hosts": [{"nodename": "kafka-1", "timezone": "UTC", "statistics": [{"timestamp": {"date": "2026-11-21", "time": "05:38:00", "interval": 5}, "disk": [{"disk-device": "sda", "await": 1.5}], "network": {"net-dev": [{"iface": "eth0", "rxkB": 1}]}}]}]}}),
}  # fmt: skip
JUNK = (None, True, 5, -5, 1e300, float("inf"), float("nan"), 2**70, "", "x", "\ud800", [], {}, [None], [[]], {"\udfff": "\ud800"})  # fmt: skip


def damaged(document: Any, at: Any = None) -> Iterator[Any]:
    """The document with each of its parts replaced by each kind of junk."""
    here = document if at is None else at
    for key in list(here) if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else ():
        before = here[key]
        for junk in JUNK:
            here[key] = junk
            yield document
        here[key] = before
        yield from damaged(document, before)


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_part_of_another_kind_ends_nothing(kind):
    layout, document = DOCUMENTS[kind]
    file = MetricFile("node-1/metrics.json", layout, 1)
    assert list(samples_of(json.dumps(document), file))
    for changed in damaged(copy.deepcopy(document)):
        text = json.dumps(changed)
        to_arrow(SAMPLES_READ, list(samples_of(text, file)))
        to_arrow(SAMPLE_COUNTS, counts_of(text, file))
