"""The settings of topics that verdicts rest on, as lines tell them.

The last that was said counts. A line without time is a description of how things stand in the end; a properties file,
of before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from replay.catalogue.fields import TOPIC
from replay.facts.lines import kafka_lines
from replay.facts.order import nulls_first
from replay.facts.times import first_known, greatest
from replay.facts.window import TimeWindow
from replay.tables.brokers import Setting
from replay.tables.partitions import NamedTopic, TopicSetting
from replay.tables.reading import Event

_SETTINGS_TOLD = ("log_created", "kraft_config_set", "kraft_create_topics_result", "topic_created", "described_topic")
_WHOLE_TOLD = (
    "broker_config_changed",
    "config_override_processed",
)  # all settings of a topic, or of all brokers, as they are from then on
_TOLD = frozenset((*_SETTINGS_TOLD, *_WHOLE_TOLD))
_SET_TO = r"(?:=| -> | to |', value=')"
_TOPIC = re.compile(rf"(?:name='|Updating topic |entityPath: topics/|entityType: topics, entity: )({TOPIC})")
_MIN_ISR = re.compile(rf"min\.insync\.replicas{_SET_TO}(\d+)", re.ASCII)
_UNCLEAN = re.compile(rf"unclean\.leader\.election\.enable{_SET_TO}(true|false)")
_OF_CLUSTER = re.compile(r"Updating cluster configuration |entityPath: brokers/<default> ")
_GREATEST_INT = 2**31 - 1


@dataclass(frozen=True)
class _Said:
    """What one line says of the settings of a topic."""

    line: Event
    min_isr: int | None
    unclean: bool | None

    @property
    def is_whole(self) -> bool:
        """It tells all settings: one that it does not name is back at its default."""
        return self.line.kind in _WHOLE_TOLD

    @property
    def shows_off(self) -> bool:
        """It says, or shows by all settings, that unclean elections are not allowed."""
        if self.unclean is not None:
            return not self.unclean
        return self.is_whole or self.line.kind == "log_created"


def _said(line: Event) -> _Said:
    message = line.message or ""
    min_isr, unclean = _MIN_ISR.search(message), _UNCLEAN.search(message)
    number = int(min_isr[1]) if min_isr else None
    return _Said(
        line,
        number if number is not None and number <= _GREATEST_INT else None,
        unclean[1] == "true" if unclean else None,
    )


def topics_named(node_events: Sequence[Event], window: TimeWindow) -> list[NamedTopic]:
    """The topics that the node's lines name, with what they last say of their settings. Returns `TOPICS_NAMED`."""
    said: dict[str | None, list[_Said]] = {}
    for line in kafka_lines(window.events_by_end(node_events)):
        if line.topic is not None and line.topic not in said:
            said[line.topic] = []
        if line.kind in _TOLD:
            topic = line.topic or _topic_in(line.message or "")
            if topic is not None:
                said.setdefault(topic, []).append(_said(line))
            if _OF_CLUSTER.search(line.message or ""):
                said.setdefault(None, []).append(_said(line))
    return [_named(topic, of_topic) for topic, of_topic in said.items()]


def _topic_in(message: str) -> str | None:
    found = _TOPIC.search(message)
    return found[1] if found else None


def _named(topic: str | None, said: Sequence[_Said]) -> NamedTopic:
    """The last that one node says of a topic: lines without a time, which are the first of `said`, are the last word."""
    in_order = [one for one in said if one.line.ts is not None] + [one for one in said if one.line.ts is None]
    min_isr = _last([one for one in in_order if one.min_isr is not None or one.is_whole])
    unclean = _last([one for one in in_order if one.unclean is not None or one.is_whole])
    setting = _last([one for one in in_order if one.min_isr is not None or one.unclean is not None])
    off_ts = greatest(*[one.line.ts for one in said if one.shows_off])
    turned_on = [one.line for one in said if one.unclean and one.line.ts is not None]
    sets = [line for line in turned_on if off_ts is None or line.ts > off_ts]
    return NamedTopic(
        topic=topic,
        min_isr=min_isr and min_isr.min_isr,
        min_isr_ts=min_isr and min_isr.line.ts,
        min_isr_event=min_isr and min_isr.line.event_id,
        unclean_allowed=unclean and unclean.unclean,
        unclean_ts=unclean and unclean.line.ts,
        unclean_event=unclean and unclean.line.event_id,
        setting_ts=setting and setting.line.ts,
        setting_event=setting and setting.line.event_id,
        off_ts=off_ts,
        set_ts=[line.ts for line in sets],
        set_events=[line.event_id for line in sets],
    )


def _last(said: Sequence[_Said]) -> _Said | None:
    return said[-1] if said else None


def all_topics_named(topics_named: Iterable[NamedTopic]) -> list[NamedTopic]:
    """The topics that the lines of all nodes name, with the last that any of them says."""
    found: dict[str | None, NamedTopic] = {}
    for row in topics_named:
        other = found.get(row.topic)
        found[row.topic] = row if other is None else _later(other, row)
    return list(found.values())


def _later(one: NamedTopic, other: NamedTopic) -> NamedTopic:
    """What two nodes say of one topic. Of lines of one time, that with the greater event id counts."""
    min_isr = max(one, other, key=lambda row: _place(row.min_isr_event, row.min_isr_ts))
    unclean = max(one, other, key=lambda row: _place(row.unclean_event, row.unclean_ts))
    setting = max(one, other, key=lambda row: _place(row.setting_event, row.setting_ts))
    off_ts = greatest(one.off_ts, other.off_ts)
    sets = sorted(
        (ts, event)
        for row in (one, other)
        for ts, event in zip(row.set_ts, row.set_events, strict=True)
        if off_ts is None or ts > off_ts
    )
    return NamedTopic(
        topic=one.topic,
        min_isr=min_isr.min_isr,
        min_isr_ts=min_isr.min_isr_ts,
        min_isr_event=min_isr.min_isr_event,
        unclean_allowed=unclean.unclean_allowed,
        unclean_ts=unclean.unclean_ts,
        unclean_event=unclean.unclean_event,
        setting_ts=setting.setting_ts,
        setting_event=setting.setting_event,
        off_ts=off_ts,
        set_ts=[ts for ts, _ in sets],
        set_events=[event for _, event in sets],
    )


def _place(event: str | None, ts: datetime | None) -> tuple[Any, ...]:
    """The order in which things are said: nothing first, then by time, and what has no time last."""
    return event is not None, ts is None, *nulls_first(ts, event)


def topic_settings(topics_named: Iterable[NamedTopic], settings: Iterable[Setting]) -> list[TopicSetting]:
    """The settings of every topic that an event names: what its own settings say, else the cluster's, else its brokers'
    defaults; null if nothing does. Returns `TOPIC_SETTINGS`.

    `unclean_set_ts`: a controller that starts prints old settings anew, so it is the first line that says that unclean
    elections are allowed after one that says, or shows by all settings, that they are not.
    """
    named = {row.topic: row for row in topics_named}
    of_all = named.pop(None, NamedTopic())
    dumped = list(settings)
    min_isr = _default(dumped, "min.insync.replicas")
    unclean = _default(dumped, "unclean.leader.election.enable")
    default_isr = int(min_isr) if min_isr is not None and re.fullmatch(r"[0-9]{1,9}", min_isr.strip()) else None
    default_unclean = {"true": True, "false": False}.get((unclean or "").strip().lower())
    return [
        _settings(
            row,
            first_known(row.min_isr, of_all.min_isr, default_isr),
            first_known(row.unclean_allowed, of_all.unclean_allowed, default_unclean),
        )
        for row in named.values()
    ]


def _settings(row: NamedTopic, min_isr: int | None, unclean_allowed: bool | None) -> TopicSetting:
    was_set = bool(row.set_ts) and row.off_ts is not None
    return TopicSetting(
        topic=row.topic,
        min_isr=min_isr,
        unclean_allowed=unclean_allowed,
        setting_event=row.setting_event,
        unclean_set_ts=row.set_ts[0] if was_set else None,
        unclean_set_event=row.set_events[0] if was_set else None,
    )


def _default(settings: Iterable[Setting], name: str) -> str | None:
    """The value of a setting that a broker last printed; one of a properties file was read before."""
    own = [one for one in settings if one.name == name]
    last = max(own, key=lambda one: nulls_first(one.ts, one.node_id, one.event_id), default=None)
    return last.value if last else None
