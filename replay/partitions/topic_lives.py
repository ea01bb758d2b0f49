"""The lives of a topic's name: several topics may have had it, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from replay.facts.groups import by_key
from replay.facts.lines import kafka_lines
from replay.facts.order import nulls_first
from replay.facts.times import greatest, plus_millis
from replay.facts.window import TimeWindow
from replay.tables.partitions import SeenTopicId, TopicLife, TopicRemoval
from replay.tables.reading import Event

_REMOVED = ("kraft_topic_removed", "topic_deletion_completed")
_LOGGED_WITHIN_MS = 1_000  # several nodes log one creation or deletion within this


def topic_ids(node_events: Sequence[Event], window: TimeWindow) -> list[SeenTopicId]:
    """The ids with which the node's lines name topics, with the times of the first and the last line. Returns
    `TOPIC_IDS`.
    """
    seen: dict[tuple[str, str], tuple[datetime, datetime]] = {}
    for line in kafka_lines(window.events_by_end(node_events)):
        if line.topic_id is not None and line.topic is not None and line.ts is not None:
            name = line.topic, line.topic_id
            seen[name] = seen[name][0] if name in seen else line.ts, line.ts
    return [SeenTopicId(*name, *times) for name, times in seen.items()]


def all_topic_ids(topic_ids: Iterable[SeenTopicId]) -> list[SeenTopicId]:
    """The ids with which the lines of all nodes name topics."""
    seen: dict[tuple[str, str], SeenTopicId] = {}
    for row in topic_ids:
        other = seen.setdefault((row.topic, row.topic_id), row)
        first, last = min(row.first_ts, other.first_ts), max(row.last_ts, other.last_ts)
        seen[row.topic, row.topic_id] = row.but(first_ts=first, last_ts=last)
    return list(seen.values())


def topic_removals(node_events: Sequence[Event], window: TimeWindow) -> list[TopicRemoval]:
    """The deletions of topics in the node's lines."""
    return all_topic_removals(
        TopicRemoval(topic=line.topic, topic_id=line.topic_id, removed_ts=line.ts)
        for line in kafka_lines(window.events_by_end(node_events))
        if line.kind in _REMOVED and line.topic is not None
    )


def all_topic_removals(topic_removals: Iterable[TopicRemoval]) -> list[TopicRemoval]:
    """The deletions, each once."""
    return list(dict.fromkeys(topic_removals))


def topic_lives(topic_ids: Iterable[SeenTopicId], topic_removals: Iterable[TopicRemoval]) -> list[TopicLife]:
    """For a name that several topics had: when each successor began and when each topic ended.

    By topic id if lines print one, else by the deletions between them. A topic that gets its id late, as in an upgrade
    of a ZooKeeper-mode cluster past 2.8, is the same topic with and without it, unless a deletion lies between. A topic
    ended when it was deleted or, if no line shows that, when its successor began. A name with one topic that was never
    deleted has no row.
    """
    ids = by_key(topic_ids, lambda row: row.topic)
    removals: dict[str, list[TopicRemoval]] = {}
    for removal in topic_removals:
        if removal.removed_ts is not None:
            removals.setdefault(removal.topic, []).append(removal)
    lives = (_lives(topic, ids.get(topic, ()), removals.get(topic, ())) for topic in sorted({*ids, *removals}))
    return [one for one in lives if one is not None]


def _lives(topic: str, ids: Sequence[SeenTopicId], removals: Sequence[TopicRemoval]) -> TopicLife | None:
    topics = list(_one_after_the_other(ids))
    removed = sorted(removals, key=lambda one: (one.removed_ts, *nulls_first(one.topic_id)))
    # A successor's first line may come from another node, a moment before the line that prints the new id.
    by_id = sorted({plus_millis(one.first_ts, -_LOGGED_WITHIN_MS) for one in topics[1:]})
    without_id = sorted({one.removed_ts for one in removed if not by_id or _is_before_ids(one, topics)})
    boundaries = sorted(without_id + by_id)
    if not boundaries:
        return None
    ends = []
    for life in range(len(boundaries) + 1):
        first, last = boundaries[life - 1] if life else None, boundaries[life] if life < len(boundaries) else None
        own = topics[life - len(without_id)].topic_id if by_id and life >= len(without_id) else None
        removals_of_life = (one.removed_ts for one in removed if _is_end(one, first, last, own))
        ends.append(next(removals_of_life, last))
    return TopicLife(topic=topic, boundaries=boundaries, ends=ends)


def _is_before_ids(removal: TopicRemoval, topics: Sequence[SeenTopicId]) -> bool:
    """Whether a deletion is that of a topic without an id, before the first topic with one."""
    return removal.topic_id is None and removal.removed_ts < topics[0].first_ts


def _one_after_the_other(ids: Iterable[SeenTopicId]) -> Iterator[SeenTopicId]:
    """The topics of one name in order. A controller that starts logs its whole metadata log, and with it a deleted
    topic in the middle of its successor's time. Such a topic is not a new one.
    """
    last_ts: datetime | None = None
    for one in sorted(ids, key=lambda one: (one.first_ts, one.last_ts, one.topic_id)):
        if last_ts is None or one.last_ts >= last_ts:
            yield one
        last_ts = greatest(last_ts, one.last_ts)


def _is_end(removal: TopicRemoval, first: datetime | None, last: datetime | None, topic_id: str | None) -> bool:
    """Whether a deletion belongs to the time of a topic, and is not another's."""
    latest = plus_millis(last, _LOGGED_WITHIN_MS)
    return (
        (first is None or removal.removed_ts > first)
        and (latest is None or removal.removed_ts <= latest)
        and (topic_id is None or removal.topic_id in (None, topic_id))
    )
