"""Registrations and fencing in dumps of the KRaft metadata log."""

from __future__ import annotations

from collections.abc import Iterable

from replay.facts.metadata_log import Committed
from replay.tables.brokers import RecordedMembership

_REGISTERED = "REGISTER_BROKER_RECORD"
_CHANGED = "BROKER_REGISTRATION_CHANGE_RECORD"
_CHANGES = {"FENCE_BROKER_RECORD": "lost", "UNFENCE_BROKER_RECORD": "back", _REGISTERED: "registered", _CHANGED: None}
_FENCED = {"1": "lost", "-1": "back"}  # in a record that changes a registration


def recorded_membership(metadata_log: Iterable[Committed]) -> list[RecordedMembership]:
    """The brokers that joined and left."""
    return [
        RecordedMembership(
            broker_id=broker,
            ts=record.ts,
            change=change,
            broker_epoch=record.number("brokerEpoch", "epoch"),
            event_id=record.event_id,
        )
        for record in metadata_log
        if record.type in _CHANGES
        for broker in [record.number("brokerId", "id")]
        for change in [_FENCED.get(str(record.data.get("fenced")), _CHANGES[record.type])]
        if broker is not None and change is not None
    ]
