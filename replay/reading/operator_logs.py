"""The log of Strimzi's cluster operator: which pod it rolled, why, in which reconciliation, and whether it put that off.

Sources: `KafkaRoller` and `PodOperator` of Strimzi 0.19 to 0.47; public samples. The operator's image prints UTC, unless it was told otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from replay.reading.container_names import node_of_name
from replay.reading.stamps import micros_of
from replay.reading.told import Told

LINE = r"^(?:\S+ )?(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?P<level>[A-Z]+) +(?P<logger>\w+):\d+ - (?P<message>.*)$"
MARK = r"(?m)" + LINE.replace("(?P<message>.*)$", "(?:Reconciliation #\\d+\\(|Rolling update of |Triggering )")
_LINE = re.compile(LINE)
_RECONCILIATION = re.compile(r"^Reconciliation #(\d+)\((\w+)\) (\w+)\(([^)]*)\): ")
# `{my-cluster-kafka-0}`, `my-cluster-kafka-0/0` (the pod and its node's id), `my-cluster-kafka-0`, `0`
_POD = r"\{?(?P<pod>[\w.-]+?)(?:/(?P<id>\d+))?\}?"
_SAYINGS = (
    ("operator_rolled_pod", re.compile(rf"^Rolling [Pp]od {_POD} due to (?P<why>.*)$")),
    ("operator_rolled_pod", re.compile(rf"^Rolling update of (?P<of>\S+): Rolling pod {_POD}(?: due to (?P<why>.*))?$")),
    ("operator_decided_roll", re.compile(rf"^Pod {_POD} needs to be restarted(?:, because (?P<because>.*)|\. Reason: (?P<why>.*))$")),
    ("operator_decided_roll", re.compile(rf"^Pod {_POD} will be force-rolled(?:, due to (?P<why>.*))?$")),
    ("operator_put_off_roll", re.compile(rf"^Will temporarily skip verifying pod {_POD} is up-to-date due to (?P<why>.*)$")),
    ("operator_put_off_roll", re.compile(rf"^Could not roll pod {_POD} due to (?P<why>.*)$")),
    ("operator_put_off_roll", re.compile(r"^(?P<why>\S+ will be under-replicated .*) if broker (?P<id>(?P<pod>\d+)) is restarted\.$")),
    ("operator_gave_up_roll", re.compile(rf"^Could not (?:roll|verify) pod {_POD}(?: is up-to-date)?, giving up after (?P<why>.*)$")),
)  # fmt: skip


def operator_testimonies(text: str, first_line: int) -> Iterator[tuple[int, Told]]:
    """What the operator did to pods of Kafka, or put off."""
    for number, line in enumerate(text.split("\n"), first_line):
        found = _LINE.match(line)
        told = _told(found, line) if found else None
        if told is not None:
            yield number, told


def _told(found: re.Match[str], line: str) -> Told | None:
    said = found["message"]
    reconciliation = _RECONCILIATION.match(said)
    said = said[reconciliation.end() :] if reconciliation else said
    for kind, form in _SAYINGS:
        match = form.match(said)
        if match is None:
            continue
        fields = match.groupdict()
        node = _node(fields)
        if node is None:
            return None
        why = fields.get("why") or fields.get("because")
        told = {
            "pod": fields["pod"],
            "why": why,
            "reconciliation": reconciliation[1] if reconciliation else None,
            "trigger": reconciliation[2] if reconciliation else None,
            "precise_ms": "1000",
        }
        return Told(
            kind,
            {},
            {name: value for name, value in told.items() if value},
            True,
            micros_of(found["time"]),
            line.rstrip(),
            node_id=node,
            zone_known=False,
        )
    return None


def _node(fields: dict[str, str | None]) -> int | None:
    if fields.get("id"):
        return int(str(fields["id"]))
    pod = str(fields["pod"])
    return int(pod) if pod.isdigit() else node_of_name(pod)
