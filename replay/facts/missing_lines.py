"""Times with missing lines in a node's files, proven by its other files. A broker that takes on a role logs both the
role (state-change.log from 2.6 on) and its fetchers' actions (server.log). If one file shows the change, and the other
one shows all other changes but not this one, that file has a gap: it was truncated, or a rolled file was not copied.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby

from replay.facts.groups import by_key
from replay.facts.order import at_most
from replay.facts.times import millis, plus_millis
from replay.tables.brokers import MissingLine, RoleChange, SilenceAround, UnansweredRoleChange

ROLES, FETCHERS = "roles", "fetchers"  # each is answered by the other
_ANSWER = {ROLES: FETCHERS, FETCHERS: ROLES}
_SILENT_MS = 3_000  # a file that prints less than this apart has no hole there
_AT_ONCE_MS = 1_000  # the lines of one change of roles are within this time
_OFTEN_ENOUGH = 3  # changes of roles that a file answers, before its silence at another one says something
_AS_A_RULE = 0.9


def unanswered(role_changes: Iterable[RoleChange]) -> list[UnansweredRoleChange]:
    """The role changes that one log of a node shows and another, which shows some, does not."""
    of_node = by_key(role_changes, lambda change: change.node_id)
    return [
        row
        for changes in of_node.values()
        for log in sorted({change.series for change in changes})
        for sort in (ROLES, FETCHERS)
        for row in _unanswered_by(log, sort, changes)
    ]


def _unanswered_by(log: str, sort: str, changes: Iterable[RoleChange]) -> Iterator[UnansweredRoleChange]:
    """The changes of one sort in a node's other logs that have no line of the other sort in this log."""
    answers = sorted(
        (change for change in changes if change.series == log and change.sort == _ANSWER[sort]),
        key=lambda change: change.ts,
    )
    asked = [change for change in changes if change.series != log and change.sort == sort]
    alone = [change for change in asked if not _is_answered(change, answers)]
    answered = len(asked) - len(alone)
    if answered >= _OFTEN_ENOUGH:
        for change in alone:
            yield UnansweredRoleChange(change.node_id, log, sort, change.ts, change.event_id, answered)


def _is_answered(change: RoleChange, answers: Sequence[RoleChange]) -> bool:
    """Whether a line of `answers`, which are in order of time, is close to the change."""
    earliest, latest = plus_millis(change.ts, -_AT_ONCE_MS), plus_millis(change.ts, 2 * _AT_ONCE_MS)
    at = bisect_left(answers, earliest, key=lambda answer: answer.last_ts)
    return at < len(answers) and at_most(answers[at].ts, latest)


def missing_lines(
    unanswered: Iterable[UnansweredRoleChange], silences_around: Iterable[SilenceAround]
) -> list[MissingLine]:
    """Gaps in one of a node's logs.
    `silences_around`: for each unanswered role change the time between the lines around it in the log that lacks it.
    """
    around = {
        (silence.node_id, silence.series, silence.ts): silence for silence in silences_around if _is_within(silence)
    }
    holes: dict[tuple[int, str, datetime], list[MissingLine]] = {}
    for (node, log, _), own in groupby(sorted(unanswered, key=_asked), key=_asked):
        changes = list(own)
        in_silence = [change for change in changes if (node, log, change.ts) in around]
        if _is_a_rule(changes[0].answered, len(changes) - len(in_silence)):
            for hole in _shown([(change, around[node, log, change.ts]) for change in in_silence]):
                holes.setdefault((node, log, hole.start_ts), []).append(hole)
    return [_one_gap(found) for found in holes.values()]


def _asked(change: UnansweredRoleChange) -> tuple[int, str, str]:
    return change.node_id, change.series, change.sort


def _is_within(silence: SilenceAround) -> bool:
    """Whether a role change lies within a silence, with the duration of its lines subtracted at both ends, and lines may
    be missing there.
    """
    if silence.is_whole:
        return False
    is_silent = (millis(silence.end_ts, silence.start_ts) or 0) >= _SILENT_MS
    begun = at_most(plus_millis(silence.start_ts, _AT_ONCE_MS), silence.ts)
    return is_silent and begun and at_most(silence.ts, plus_millis(silence.end_ts, -_AT_ONCE_MS))


def _is_a_rule(answered: int, unanswered: int) -> bool:
    """Whether a log answers nearly all changes outside its silences."""
    return answered >= (answered + unanswered) * _AS_A_RULE


def _shown(placed: Iterable[tuple[UnansweredRoleChange, SilenceAround]]) -> Iterator[MissingLine]:
    """The gaps that changes of one sort show, each from the silence around it."""
    in_order = sorted(placed, key=lambda pair: pair[0].ts)
    for _, own in groupby(in_order, key=lambda pair: pair[1].start_ts):
        pairs = list(own)
        yield _hole(pairs[0][1], [change for change, _ in pairs])


def _hole(silence: SilenceAround, changes: Sequence[UnansweredRoleChange]) -> MissingLine:
    """The gap of a silence, shown by changes of one sort."""
    return MissingLine(
        node_id=silence.node_id,
        series=silence.series,
        start_ts=silence.start_ts,
        end_ts=silence.end_ts,
        told=len({change.ts for change in changes}),
        evidence=[silence.start_event, min(change.event_id for change in changes), silence.end_event],
    )


def _one_gap(holes: Sequence[MissingLine]) -> MissingLine:
    """One gap that changes of both sorts may show."""
    first = min(holes, key=lambda hole: hole.evidence[1])
    return first.but(told=max(hole.told for hole in holes))
