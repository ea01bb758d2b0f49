"""Reads the log of Strimzi's cluster operator: which pod it rolled, why, in which reconciliation, and whether it
postponed that.

Sources: `KafkaRoller`, `KafkaAvailability` and `PodOperator` of Strimzi 0.15 to 1.2; public samples. The operator's
image logs in UTC unless configured otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from replay.reading.container_names import is_beside_kafka, node_of_name
from replay.reading.matching import integer
from replay.reading.parsed_witness import ParsedWitness, known_details
from replay.reading.stamps import micros_of

LINE = r"^(?:\S+ )?(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?P<level>[A-Z]+) +(?P<logger>\w+):\d+ - (?P<message>.*)$"
MARK = r"(?m)" + LINE.replace("(?P<message>.*)$", "(?:Reconciliation #\\d+\\(|Rolling update of |Triggering )")
_LINE = re.compile(LINE)
_RECONCILIATION = re.compile(r"^Reconciliation #(\d+)\((\w+)\) (\w+)\(([^)]*)\): ")
# `{my-cluster-kafka-0}`, `my-cluster-kafka-0/0` (the pod and its node's id), `my-cluster-kafka-0`, `0`
_POD = r"\{?(?P<pod>[\w.-]+?)(?:/(?P<id>\d+))?\}?"
_LAST_NUMBER = re.compile(r"-(\d+)$")
_SAYINGS = (
    ("operator_rolled_pod", re.compile(rf"^Rolling [Pp]od {_POD} due to (?P<why>.*)$")),
    (
        "operator_rolled_pod",
        re.compile(rf"^Rolling update of (?P<of>\S+): Rolling pod {_POD}(?: due to (?P<why>.*))?$"),
    ),
    ("operator_rolled_pod", re.compile(rf"^Rolling pod {_POD}$")),
    (
        "operator_decided_roll",
        re.compile(
            rf"^Pod {_POD} needs to be restarted(?:, because (?P<because>.*)|\. Reason: (?P<why>.*)|, (?P<said>dynamic update cannot be done)\.)$"
        ),
    ),
    ("operator_decided_roll", re.compile(rf"^Pod {_POD} will be force-rolled(?:, due to (?P<why>.*))?$")),
    (
        "operator_put_off_roll",
        re.compile(rf"^Will temporarily skip verifying pod {_POD} is up-to-date due to (?P<why>.*)$"),
    ),
    ("operator_put_off_roll", re.compile(rf"^Could not roll pod {_POD} due to (?P<why>.*)$")),
    (
        "operator_saw_few_in_sync",
        re.compile(r"^(?P<why>\S+ will be under-?replicated .*) if broker (?P<id>(?P<pod>\d+)) is restarted\.$"),
    ),
    (
        "operator_saw_few_in_sync",
        re.compile(
            r"^(?P<why>\S+ is already under-?replicated [^;]*+); broker (?P<id>(?P<pod>\d+)) has a replica, so should not be restarted right now.*$"
        ),
    ),
    (
        "operator_gave_up_roll",
        re.compile(rf"^Could not (?:roll|restart|verify) pod {_POD}(?: is up-to-date)?, giving up after (?P<why>.*)$"),
    ),
    (
        "operator_gave_up_roll",
        re.compile(rf"^Could not reconcile {_POD}, giving up without retrying because (?P<why>.*)$"),
    ),
)


def operator_statements(text: str, first_line: int) -> Iterator[tuple[int, ParsedWitness]]:
    """What the operator did to Kafka's pods, or postponed. A line on a roll that names only the pod has its reason in
    an earlier line.
    """
    reasons: dict[tuple[int | None, str | None], str] = {}  # by node and reconciliation
    for number, line in enumerate(text.split("\n"), first_line):
        found = _LINE.match(line)
        statement = _statement(found, line) if found else None
        if statement is None:
            continue
        details = dict(statement.details or {})
        key = statement.node_id, details.get("reconciliation")
        if statement.kind == "operator_rolled_pod" and "why" not in details and key in reasons:
            statement = statement._replace(details={**details, "why": reasons[key]})
        elif statement.kind in ("operator_rolled_pod", "operator_decided_roll") and details.get("why"):
            reasons[key] = str(details["why"])
        yield number, statement


def _statement(found: re.Match[str], line: str) -> ParsedWitness | None:
    message = found["message"]
    reconciliation = _RECONCILIATION.match(message)
    message = message[reconciliation.end() :] if reconciliation else message
    for kind, form in _SAYINGS:
        match = form.match(message)
        if match is None:
            continue
        fields = match.groupdict()
        node = _node(fields, reconciliation[3] if reconciliation else None)
        if node is None:
            return None
        details = known_details(
            pod=fields["pod"],
            why=fields.get("why") or fields.get("because") or fields.get("said"),
            reconciliation=reconciliation[1] if reconciliation else None,
            trigger=reconciliation[2] if reconciliation else None,
            precise_ms="1000",
        )
        return ParsedWitness(
            kind, {}, details, True, micros_of(found["time"]), line.rstrip(), node_id=node, zone_known=False
        )
    return None


def _node(fields: dict[str, str | None], reconciled: str | None) -> int | None:
    """The node of a pod: Strimzi numbers Kafka pods by node id, in every pool."""
    if fields.get("id"):
        return integer(str(fields["id"]))
    pod = str(fields["pod"])
    if pod.isdecimal():
        return integer(pod)
    number = _LAST_NUMBER.search(pod)
    if reconciled == "Kafka" and number is not None and not is_beside_kafka(pod):
        return integer(number[1])
    return node_of_name(pod)
