"""What Spark gathers of every line of a node, worked out in plain Python (`tests.facts.test_heard` holds the two against
each other), and what rules make of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from replay.facts import heard
from replay.facts.lives import BOUNDS
from replay.facts.missing_lines import FETCHERS, ROLES, missing_lines, unanswered
from replay.facts.processes import processes
from replay.tables.brokers import (
    NodeWordings,
    RoleChange,
    SilenceAround,
    Stretch,
)
from replay.tables.row import Row

SORTS = {ROLES: heard.ROLE_LINES, FETCHERS: heard.FETCHER_LINES}
CLUSTER_METADATA = "__cluster_metadata"


def wordings(told: Iterable[Row]) -> list[Row]:
    found: dict[int, set[str]] = {}
    for line in told:
        if line.node_id is not None and line.template_id is not None:
            found.setdefault(line.node_id, set()).add(line.template_id)
    return [NodeWordings(node, sorted(names)) for node, names in found.items()]


def stretches(told: Iterable[Row]) -> list[Row]:
    found = []
    for node, lines in groupby(sorted(filter(_is_of_process, told), key=_in_files), key=lambda line: line.node_id):
        number, own = 0, {}
        for line in lines:
            number += line.kind in BOUNDS
            own.setdefault(number, []).append(line)
        found += [_stretch(node, number, some) for number, some in own.items()]
    return found


def _is_of_process(line: Row) -> bool:
    is_own = line.node_id is not None and line.ts is not None and line.logger is not None
    return is_own and not line.kind.startswith("zookeeper_")


def _in_files(line: Row) -> tuple:
    return line.node_id, line.ts, line.source_file, line.line_number


def _stretch(node: int, number: int, lines: list[Row]) -> Row:
    last = max(lines, key=lambda line: (line.ts, line.line_number, line.event_id))
    recovery = [
        line.event_id for line in lines if line.kind == "log_segment_recovery" and line.topic != CLUSTER_METADATA
    ]
    return Stretch(
        node_id=node,
        number=number,
        first_ts=lines[0].ts,
        first_event=lines[0].event_id,
        last_ts=last.ts,
        last_line=last.line_number,
        last_event=last.event_id,
        of_server_log=not all(re.search(heard.IN_OTHER_FILES, line.logger) for line in lines),
        of_kafka=not all(re.search(heard.OF_ANY_CLIENT, line.kind) for line in lines),
        recovery_event=max(recovery, default=None),
    )


def role_changes(told: Iterable[Row]) -> list[Row]:
    lines = [line for line in told if line.ts is not None and line.logger is not None]
    shared = {series(line) for line in lines if line.node_id is None}
    seconds: dict[tuple, list[Row]] = {}
    for line in lines:
        sort = next((sort for sort, kinds in SORTS.items() if line.kind in kinds), None)
        if line.node_id is not None and sort is not None and series(line) not in shared:
            second = line.ts.replace(microsecond=0)
            seconds.setdefault((line.node_id, series(line), sort, second), []).append(line)
    return [
        RoleChange(
            *log,
            ts=min(line.ts for line in own),
            last_ts=max(line.ts for line in own),
            event_id=min(line.event_id for line in own),
        )
        for (*log, _), own in seconds.items()
    ]


def silences_around(told: Iterable[Row], unanswered: Iterable[Row]) -> list[Row]:
    lines = sorted(
        (line for line in told if line.ts is not None and line.logger is not None),
        key=lambda line: (line.ts, line.line_number),
    )
    found = []
    for node, log, ts in {(change.node_id, change.series, change.ts) for change in unanswered}:
        own = [line for line in lines if line.node_id == node and series(line) == log]
        last = ([None] + [line for line in own if line.ts < ts])[-1]
        next_ = ([line for line in own if line.ts >= ts] + [None])[0]
        found.append(
            SilenceAround(
                node, log, ts, last and last.ts, last and last.event_id, next_ and next_.ts, next_ and next_.event_id
            )
        )
    return found


def series(line: Row) -> str:
    return re.sub(heard.ROLLED, "", line.source_file)


def processes_of(told: Sequence[Row], missing_lines: Iterable[Row] = ()) -> list[Row]:
    """The lives of processes, by all lines of their nodes."""
    return processes(told, stretches(told), missing_lines)


def missing_lines_of(told: Sequence[Row]) -> list[Row]:
    """The holes in logs, by all lines of their nodes."""
    alone = unanswered(role_changes(told))
    return missing_lines(alone, silences_around(told, alone))
