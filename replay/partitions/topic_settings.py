"""The settings of topics on which verdicts depend.

The last line counts. A line without a time describes the state at the end; a properties file the state before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from replay.catalogue.fields import TOPIC
from replay.facts.groups import merged
from replay.facts.lines import kafka_lines
from replay.facts.order import nulls_first
from replay.facts.times import first_known, greatest
from replay.facts.window import TimeWindow
from replay.tables.brokers import Setting
from replay.tables.partitions import NamedTopic, TopicSetting
from replay.tables.reading import Event

_NAMES_SETTINGS = ("log_created", "kraft_config_set", "kraft_create_topics_result", "topic_created", "described_topic")
_ALL_SETTINGS = (
    "broker_config_changed",
    "config_override_processed",
)  # all settings of a topic, or of all brokers, as they are from then on
_KINDS = frozenset((*_NAMES_SETTINGS, *_ALL_SETTINGS))
_SET_TO = r"(?:=| -> | to |', value=')"
_TOPIC = re.compile(rf"(?:name='|Updating topic |entityPath: topics/|entityType: topics, entity: )({TOPIC})")
_MIN_ISR = re.compile(rf"min\.insync\.replicas{_SET_TO}(\d+)", re.ASCII)
_UNCLEAN = re.compile(rf"unclean\.leader\.election\.enable{_SET_TO}(true|false)")
_OF_CLUSTER = re.compile(r"Updating cluster configuration |entityPath: brokers/<default> ")
_GREATEST_INT = 2**31 - 1


@dataclass(frozen=True)
class _SettingLine:
    """The settings of a topic in one line."""

    line: Event
    min_isr: int | None
    unclean: bool | None

    @property
    def is_whole(self) -> bool:
        """Whether the line has all settings: one that it does not name has its default again."""
        return self.line.kind in _ALL_SETTINGS

    @property
    def shows_off(self) -> bool:
        """Whether the line shows, directly or because it has all settings, that unclean elections are not allowed."""
        if self.unclean is not None:
            return not self.unclean
        return self.is_whole or self.line.kind == "log_created"


def _parsed(line: Event) -> _SettingLine:
    message = line.message or ""
    min_isr, unclean = _MIN_ISR.search(message), _UNCLEAN.search(message)
    number = int(min_isr[1]) if min_isr else None
    return _SettingLine(
        line,
        number if number is not None and number <= _GREATEST_INT else None,
        unclean[1] == "true" if unclean else None,
    )


def topics_named(node_events: Sequence[Event], window: TimeWindow) -> list[NamedTopic]:
    """The topics that the node's lines name, with their last settings."""
    by_topic: dict[str | None, list[_SettingLine]] = {}
    for line in kafka_lines(window.events_by_end(node_events)):
        if line.topic is not None and line.topic not in by_topic:
            by_topic[line.topic] = []
        if line.kind in _KINDS:
            topic = line.topic or _topic_in(line.message or "")
            if topic is not None:
                by_topic.setdefault(topic, []).append(_parsed(line))
            if _OF_CLUSTER.search(line.message or ""):
                by_topic.setdefault(None, []).append(_parsed(line))
    return [_named(topic, of_topic) for topic, of_topic in by_topic.items()]


def _topic_in(message: str) -> str | None:
    found = _TOPIC.search(message)
    return found[1] if found else None


def _named(topic: str | None, lines: Sequence[_SettingLine]) -> NamedTopic:
    """The last settings of a topic in one node's lines. Lines without a time, which come first, count as the last."""
    in_order = [one for one in lines if one.line.ts is not None] + [one for one in lines if one.line.ts is None]
    min_isr = _last([one for one in in_order if one.min_isr is not None or one.is_whole])
    unclean = _last([one for one in in_order if one.unclean is not None or one.is_whole])
    setting = _last([one for one in in_order if one.min_isr is not None or one.unclean is not None])
    off_ts = greatest(*[one.line.ts for one in lines if one.shows_off])
    turned_on = [one.line for one in lines if one.unclean and one.line.ts is not None]
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


def _last(lines: Sequence[_SettingLine]) -> _SettingLine | None:
    return lines[-1] if lines else None


def all_topics_named(topics_named: Iterable[NamedTopic]) -> list[NamedTopic]:
    """The topics that the lines of all nodes name, with the last settings of any node."""
    return merged(topics_named, lambda row: row.topic, _later)


def _later(one: NamedTopic, other: NamedTopic) -> NamedTopic:
    """The settings of one topic from two nodes. Of two lines with the same time, the one with the greater event id
    counts.
    """
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
    """The order of lines: no line first, then by time, and lines without a time last."""
    return event is not None, ts is None, *nulls_first(ts, event)


def topic_settings(topics_named: Iterable[NamedTopic], settings: Iterable[Setting]) -> list[TopicSetting]:
    """The settings of every topic that an event names: its own settings, else the cluster's, else the defaults of the
    brokers; null if nothing shows one.

    `unclean_set_ts`: a controller that starts logs old settings again, so it is the first line that allows unclean
    elections after one that shows that they are not allowed.
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


def min_isr_of(topic_settings: Iterable[TopicSetting]) -> dict[str, int | None]:
    """`min.insync.replicas` of every topic that an event names; None if no line states it."""
    return {row.topic: row.min_isr for row in topic_settings}


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
    """The value of a setting that a broker last printed; a properties file counts as earlier."""
    own = [one for one in settings if one.name == name]
    last = max(own, key=lambda one: nulls_first(one.ts, one.node_id, one.event_id), default=None)
    return last.value if last else None
