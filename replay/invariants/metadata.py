"""The metadata log: I8, I29. Example: the controller fences broker 3 at offset 12, so an ISR written at
offset 14 must not contain it (I8). Two dumps that differ at one offset within one Raft epoch contradict each other
(I29).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from replay.facts.groups import by_key
from replay.facts.reads import reads
from replay.invariants.shape import broken, once, shown
from replay.tables.brokers import MetadataRecord
from replay.tables.invariants import Violation
from replay.tables.reading import Fact

_REGRESSED, _NOT_MONOTONIC = (
    "raft_hw_regressed",
    "raft_fetch_offset_non_monotonic",
)  # what voters print of lost metadata
_VOTERS_MAY_CHANGE = "when voter set membership changes"  # a larger or smaller majority may be behind it (KIP-853)
_ISR = re.compile(r'"isr":\[([\d,]{1,10000})\]')
_BROKER = re.compile(r'"(?:brokerId|id)":(\d{1,10})(?!\d)')
_TOPIC_ID = re.compile(r'"topicId":"([^"]{1,100})"')
_NAME = re.compile(r'"name":"([^"]{1,249})"')
_PARTITION = re.compile(r'"partitionId":(\d{1,10})(?!\d)')
_WRITES_ISR = ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD")
# Metadata versions before 3.3 have records of their own for fencing, which do not count here.
_BEFORE_3_3 = ("FENCE_BROKER_RECORD", "UNFENCE_BROKER_RECORD", "UNREGISTER_BROKER_RECORD")


@reads(_REGRESSED, _NOT_MONOTONIC)
def violations_of_metadata(metadata_records: Sequence[MetadataRecord], facts: Sequence[Fact]) -> list[Violation]:
    """I8 and I29 from dumps of the metadata log, and I29 from voters' lines about lost metadata."""
    of_offset = by_key(metadata_records, lambda record: record.metadata_offset)
    found = [*_absent_brokers_in_isrs(of_offset), *_two_contents_of_one_offset(of_offset)]
    found += [breach for fact in facts for breach in _lost_metadata(fact)]
    of_partition = by_key(found, lambda breach: (breach.topic, breach.partition))
    return [one for (topic, number), own in of_partition.items() for one in once(own, topic, number)]


def _absent_brokers_in_isrs(of_offset: Mapping[int, Sequence[MetadataRecord]]) -> Iterator[Violation]:
    """I8: an ISR names a broker that an earlier record fenced or let shut down."""
    log = [records[-1] for _, records in sorted(of_offset.items())]
    names = _names(log)
    away: dict[int, tuple[int, str] | None] = {}
    for record in log:
        goes_away = _goes_away(record)
        if goes_away is not None:
            for broker in map(int, _BROKER.findall(record.message)[:1]):
                away[broker] = (record.metadata_offset, record.last_event) if goes_away else None
            continue
        isr = _written_isr(record)
        for broker in isr if len(isr) > 1 else ():
            gone = away.get(broker)
            if gone is not None:
                detail = (
                    f"ISR {shown(isr)} written at metadata offset {record.metadata_offset} has broker {broker}, "
                    f"which is fenced or shutting down since offset {gone[0]}"
                )
                yield _about(broken("I8", detail, gone[1], record.last_event), record, names)


def _goes_away(record: MetadataRecord) -> bool | None:
    """Whether a record fences a broker or shuts it down (true), or reverses that (false); None for others."""
    if record.type == "BROKER_REGISTRATION_CHANGE_RECORD":
        if '"fenced":1' in record.message or '"inControlledShutdown":1' in record.message:
            return True
        return False if '"fenced":-1' in record.message else None
    if record.type == "REGISTER_BROKER_RECORD":
        return '"fenced":false' not in record.message
    return False if record.type in _BEFORE_3_3 else None


def _written_isr(record: MetadataRecord) -> list[int]:
    found = _ISR.search(record.message) if record.type in _WRITES_ISR else None
    return [int(broker) for broker in found[1].split(",") if broker] if found else []


def _names(log: Iterable[MetadataRecord]) -> dict[str, str]:
    """Topics by topic id."""
    names = {}
    for record in log:
        topic_id = _TOPIC_ID.search(record.message) if record.type == "TOPIC_RECORD" else None
        name = _NAME.search(record.message) if topic_id else None
        if topic_id and name:
            names[topic_id[1]] = name[1]
    return names


def _about(breach: Violation, record: MetadataRecord, names: Mapping[str, str]) -> Violation:
    """The violation with the partition of the record."""
    topic_id, number = _TOPIC_ID.search(record.message), _PARTITION.search(record.message)
    return breach.but(topic=names.get(topic_id[1]) if topic_id else None, partition=int(number[1]) if number else None)


def _two_contents_of_one_offset(of_offset: Mapping[int, Sequence[MetadataRecord]]) -> Iterator[Violation]:
    """I29: two dumps differ at one offset within one Raft epoch."""
    names = _names(records[-1] for _, records in sorted(of_offset.items()))
    for offset, records in sorted(of_offset.items()):
        if len(records) > 1:
            detail = f"the metadata log has two contents at offset {offset} in Raft epoch {records[-1].raft_epoch}"
            yield _about(broken("I29", detail, records[0].first_event, records[-1].last_event), records[-1], names)


def _lost_metadata(fact: Fact) -> Iterator[Violation]:
    """I29: a voter prints that the high watermark, or the offset that a follower had fetched, moved back."""
    if fact.kind in (_REGRESSED, _NOT_MONOTONIC):
        sure = fact.kind == _REGRESSED and _VOTERS_MAY_CHANGE not in (fact.message or "")
        yield broken("I29", fact.message or "", fact.event_id, verdict="violated" if sure else "unknown")
