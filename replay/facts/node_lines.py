"""The processes and logs of one node, from its lines.

Each function sees the events of one node in the order of time, those without a time first.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache

from replay.facts.lines import is_own_line, kafka_lines
from replay.facts.lives import BOUNDS
from replay.facts.missing_lines import FETCHERS, ROLES
from replay.facts.times import plus_millis
from replay.facts.window import TimeWindow
from replay.tables.brokers import LineRun, NodeWordings, RoleChange, SilenceAround, UnansweredRoleChange
from replay.tables.reading import Event, FileCoverage

# What the shipped configuration writes to files of its own: it goes on as it was, or is silent, whatever becomes of
# the process (kafka-log-formats §2).
IN_OTHER_FILES = re.compile(
    r"kafka\.controller\.|org\.apache\.kafka\.controller\.|state\.change\.logger|kafka\.request\.logger"
    r"|kafka\.authorizer\.logger|(?:kafka\.log|org\.apache\.kafka\.storage\.internals\.log)\.LogCleaner"
)
# Lines of a ZooKeeper that writes into the broker's file, and of a client that asks for ZooKeeper before the broker
# is started, as container images do.
_OF_ZOOKEEPER = "zookeeper_"
OF_ANY_CLIENT = re.compile(r"(?:zookeeper|zk|process|gc|jvm|housekeeping)_|config_(?:dump|deprecated|warning)")
ROLE_LINES = ("leader_start", "follower_start")
FETCHER_LINES = ("fetcher_partitions_removed", "fetcher_partitions_added")
_SORT_OF = {**dict.fromkeys(ROLE_LINES, ROLES), **dict.fromkeys(FETCHER_LINES, FETCHERS)}
_DIRECTORY_FAILS, _DIRECTORY_FAILED = "log_dir_failure_begin", "log_dir_failure_done"
_DIRECTORY_TAKES_MS = 5_000  # from the begin on, if the line about its end is missing
_REQUEST = re.compile(r"(?i)\bcontroller (\d+)\b(?: epoch \d+)? with correlation ?id (\d+)")
_REQUEST_BEGINS = re.compile(r"(?i)\bcorrelation ?id (\d+) from controller (\d+)\b")
_ROLLED = re.compile(r"(?:\.\d{4}-\d\d-\d\d(?:-\d\d)?|\.\d{1,3})?(?:\.(?:gz|bz2|xz|zip))?$", re.ASCII)
_METADATA_TOPIC = "__cluster_metadata"


def wordings(node_events: Sequence[Event], window: TimeWindow) -> list[NodeWordings]:
    """The templates of the node's lines."""
    known = kafka_lines(window.events_by_end(node_events))
    names = {line.template_id for line in known if line.template_id is not None and line.node_id is not None}
    return [NodeWordings(node_id=known[0].node_id, template_ids=sorted(names))] if names else []


def line_runs(node_events: Sequence[Event]) -> list[LineRun]:
    """The lines of the node's process, in runs between the lines with which a life may begin or end."""
    bounds, found, own = frozenset(BOUNDS), [], list[Event]()
    number = 0
    for line in kafka_lines(node_events):
        if not is_own_line(line) or line.kind.startswith(_OF_ZOOKEEPER):
            continue
        if line.kind in bounds:
            if own:
                found.append(_line_run(number, own))
            number, own = number + 1, []
        own.append(line)
    return [*found, _line_run(number, own)] if own else found


def _line_run(number: int, lines: Sequence[Event]) -> LineRun:
    first = lines[0]
    last = max((line for line in _at_the_end(lines)), key=lambda line: (line.line_number, line.event_id))
    recovery = [
        line.event_id for line in lines if line.kind == "log_segment_recovery" and line.topic != _METADATA_TOPIC
    ]
    return LineRun(
        node_id=first.node_id,
        number=number,
        first_ts=first.ts,
        first_event=first.event_id,
        last_ts=last.ts,
        last_line=last.line_number,
        last_event=last.event_id,
        of_server_log=any(_is_of_server_log(logger) for logger in {line.logger for line in lines}),
        of_kafka=any(_is_of_kafka(kind) for kind in {line.kind for line in lines}),
        recovery_event=max(recovery, default=None),
    )


def _at_the_end(lines: Sequence[Event]) -> Iterator[Event]:
    """The lines that have the time of the last one."""
    for line in reversed(lines):
        if line.ts != lines[-1].ts:
            return
        yield line


@cache
def _is_of_server_log(logger: str) -> bool:
    return IN_OTHER_FILES.match(logger) is None


@cache
def _is_of_kafka(kind: str) -> bool:
    return OF_ANY_CLIENT.match(kind) is None


@cache
def series(source_file: str) -> str:
    """The log to which a rolled file belongs: `node-1/server.log.2026-11-21-05.gz` belongs to `node-1/server.log`."""
    return _ROLLED.sub("", source_file, count=1)


def shared_logs(coverage: Iterable[FileCoverage]) -> frozenset[str]:
    """The logs with lines of unknown nodes. It is also unknown which lines of a node are missing from them."""
    return frozenset(
        series(file.source_file) for file in coverage if file.node_id is None and file.log_records and file.first_ts
    )


def role_changes(node_events: Sequence[Event], shared_logs: frozenset[str], window: TimeWindow) -> list[RoleChange]:
    """The role changes in each log of the node except `shared_logs`, one row per second. A broker that takes its failed
    log directory offline stops these fetchers itself, without a change of roles (facts §5, F14).
    """
    seconds: dict[tuple[str, str, datetime], list[Event]] = {}
    fails_since: datetime | None = None
    for line in window.unbroken_events(kafka_lines(node_events)):
        if line.kind in (_DIRECTORY_FAILS, _DIRECTORY_FAILED):
            fails_since = line.ts if line.kind == _DIRECTORY_FAILS else None
        is_of_directory = (
            line.kind == "fetcher_partitions_removed"
            and fails_since is not None
            and line.ts <= plus_millis(fails_since, _DIRECTORY_TAKES_MS)
        )
        sort = None if is_of_directory else _SORT_OF.get(line.kind)
        if sort is not None and is_own_line(line) and series(line.source_file) not in shared_logs:
            key = series(line.source_file), sort, line.ts.replace(microsecond=0)
            seconds.setdefault(key, []).append(line)
    return [
        RoleChange(
            node_id=lines[0].node_id,
            series=log,
            sort=sort,
            ts=lines[0].ts,
            last_ts=lines[-1].ts,
            event_id=min(line.event_id for line in lines),
        )
        for (log, sort, _), lines in seconds.items()
    ]


def silences_around(
    node_events: Sequence[Event], unanswered: Sequence[UnansweredRoleChange], window: TimeWindow
) -> list[SilenceAround]:
    """A log's lines before and after each role change that it does not show."""
    asked = {(change.node_id, change.series, change.ts) for change in unanswered}
    lines: dict[str, list[Event]] = {log: [] for _, log, _ in asked}
    for line in window.unbroken_events(kafka_lines(node_events)) if asked else ():
        if is_own_line(line) and series(line.source_file) in lines:
            lines[series(line.source_file)].append(line)
    for own in lines.values():
        own.sort(key=lambda line: (line.ts, line.line_number, line.event_id))
    return [_around(lines[log], node, log, ts) for node, log, ts in sorted(asked)]


def _around(lines: Sequence[Event], node: int, log: str, ts: datetime) -> SilenceAround:
    at = bisect_left(lines, ts, key=lambda line: line.ts)
    before, after = lines[at - 1] if at else None, lines[at] if at < len(lines) else None
    return SilenceAround(
        node_id=node,
        series=log,
        ts=ts,
        start_ts=before and before.ts,
        start_event=before and before.event_id,
        end_ts=after and after.ts,
        end_event=after and after.event_id,
        is_whole=before is not None and after is not None and _are_consecutive(before, after),
    )


def _are_consecutive(before: Event, after: Event) -> bool:
    """Whether two lines are of one request of a controller, or of two that follow each other: a controller numbers its
    requests to a broker, so none is missing between them.
    """
    first, then = _request(before.message), _request(after.message)
    if first is None or then is None:
        return False
    return first[0] == then[0] and 0 <= then[1] - first[1] <= 1


def _request(message: str | None) -> tuple[int, int] | None:
    """The controller that sent a request to the broker, and its number."""
    if found := _REQUEST.search(message or ""):
        return int(found[1]), int(found[2])
    begins = _REQUEST_BEGINS.search(message or "")
    return (int(begins[2]), int(begins[1])) if begins else None
