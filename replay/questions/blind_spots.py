"""What these logs cannot show, and which files or settings would show it: nodes without files, times without lines,
messages that no logger wrote.

Blind spots are found before conclusions. A finding or a verdict that touches one names it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime

from replay.coverage.spans import was_away
from replay.facts import times
from replay.facts.evidence import once_each
from replay.facts.groups import by_key
from replay.facts.order import at_most, less, nulls_first
from replay.facts.times import first_known, greatest, least
from replay.facts.window import ALL_TIME, TimeWindow
from replay.faults.kinds import CRASHES
from replay.questions.condensed import condensed
from replay.reading.wrappers import WRAPPERS
from replay.sentences.wording import whole
from replay.tables.brokers import Controller, MissingLine, ProcessLife
from replay.tables.causes import Finding
from replay.tables.coverage import RotationGap
from replay.tables.faults import Fault, Silence
from replay.tables.losses import Loss
from replay.tables.questions import BlindSpot, EpochCounts, NamedNode, NodeSubjects, QuietTime
from replay.tables.reading import Fact, FileCoverage

_AT_ONCE_MS = 60_000  # an operator copies files within this time
MISSING_LINES = ("no_file", "gap", "level_too_high", "shared_file")  # blind spots of single nodes
_LABELLED = re.compile(r"(?:^|\+)(?:" + "|".join(wrapper.name for wrapper in WRAPPERS if wrapper.has_label) + r")\+")

_STATE_CHANGE = "log4j.logger.state.change.logger=INFO, up to 2.5 TRACE (state-change.log)"
_CONTROLLER = "log4j.logger.kafka.controller=TRACE with ZooKeeper, log4j.logger.org.apache.kafka.controller=INFO with KRaft (controller.log)"


def blind_spots(
    kafka_files: Sequence[FileCoverage],
    processes: Sequence[ProcessLife],
    controllers: Sequence[Controller],
    faults: Sequence[Fault],
    missing_lines: Sequence[MissingLine],
    node_subjects: Sequence[NodeSubjects],
    nodes_named: Sequence[NamedNode],
    epoch_counts: Sequence[EpochCounts],
    quiet_times: Sequence[QuietTime],
    rotation_gaps: Sequence[RotationGap],
    facts: Sequence[Fact] = (),
    silences: Sequence[Silence] = (),
    window: TimeWindow = ALL_TIME,
) -> list[BlindSpot]:
    """All blind spots of the input.

    If a node led or was the active controller at a time that its files do not cover, lines are missing.
    """
    return [
        *_outside(window, kafka_files),
        *_nodes_without_files(nodes_named, kafka_files, window),
        *_shared_files(kafka_files),
        *_gaps(quiet_times, node_subjects, faults, kafka_files),
        *_fallen_silent(faults, kafka_files),
        *_holes(missing_lines),
        *_rotated_away(rotation_gaps),
        *_files_begin_late(node_subjects, processes, window),
        *_missing_roles(node_subjects, epoch_counts),
        *_missing_isrs(node_subjects, epoch_counts),
        *(_missing_controllers(node_subjects, kafka_files, controllers) if window.is_open else ()),
        *_no_metadata_log(node_subjects),
        *_died_without_a_copy(node_subjects, epoch_counts, faults),
        *condensed(facts, silences),
    ]


def _clock(ts: datetime) -> str:
    return f"{ts:%Y-%m-%d %H:%M:%S}"


def _counted(number: int, one: str, many: str | None = None) -> str:
    return f"{whole(number)} {one if number == 1 else many or f'{one}s'}"


def _outside(window: TimeWindow, files: Iterable[FileCoverage]) -> Iterator[BlindSpot]:
    """The time outside the window, from which only some lines were read. The logs of nodes with files of their own contain
    the last line before the window, if there is one: without it, nothing was left out before.
    """
    first_ts = least(*(file.first_ts for file in files))
    begin_inside = window.has_borders and at_most(window.since, first_ts)
    if window.since is not None and not begin_inside:
        yield BlindSpot(
            kind="outside_window",
            end_ts=window.since,
            what=f"Of the lines before {_clock(window.since)} only lines that show the state at that time were read (--since)",
            questions=["what went wrong before", "when the states at that time had begun"],
            would_tell="an analysis that begins earlier",
        )
    if window.until is not None:
        yield BlindSpot(
            kind="outside_window",
            start_ts=window.until,
            what=f"The lines from {_clock(window.until)} on were not read (--until)",
            questions=["how states that were still open then ended", "what went wrong later"],
            would_tell="an analysis that ends later",
        )


def _nodes_without_files(
    nodes_named: Iterable[NamedNode], coverage: Iterable[FileCoverage], window: TimeWindow
) -> Iterator[BlindSpot]:
    """Nodes in replica sets, ISRs and leaderships, and controllers, that have no file with a record."""
    have = {file.node_id for file in coverage if less(0, file.log_records) or not window.is_open}
    for named in nodes_named:
        if named.node_id not in have:
            node = named.node_id
            yield BlindSpot(
                kind="no_file",
                node_id=node,
                what=f"Node {node} is named by {_counted(named.lines, 'line')} of others, but none of its files is among the input",
                questions=[
                    "when it started, stopped or froze",
                    "where its logs ended, and whether it truncated them",
                    "what it could not reach",
                ],
                would_tell=f"server.log, state-change.log and controller.log of node {node}",
                evidence=named.evidence,
            )


def _files_of_several(coverage: Iterable[FileCoverage]) -> dict[str, list[FileCoverage]]:
    """The unlabelled files into which several nodes wrote, or one known node and unknown ones."""
    unlabelled = defaultdict(list)
    for row in coverage:
        if row.layout is not None and not _LABELLED.search(row.layout):
            unlabelled[row.source_file].append(row)
    return {name: rows for name, rows in unlabelled.items() if _is_of_several(rows)}


def _is_of_several(rows: Sequence[FileCoverage]) -> bool:
    nodes = {row.node_id for row in rows} - {None}
    return len(nodes) > 1 or (len(nodes) == 1 and _nobodys(rows) > 0)


def _nobodys(rows: Iterable[FileCoverage]) -> int:
    """The number of records that name no node."""
    return sum(row.log_records or 0 for row in rows if row.node_id is None)


def _shared_files(coverage: Iterable[FileCoverage]) -> Iterator[BlindSpot]:
    """Files of several nodes, in which a line that names no node cannot be assigned to one."""
    for name, rows in _files_of_several(coverage).items():
        every = sum(row.log_records or 0 for row in rows)
        for node in sorted({row.node_id for row in rows} - {None}):
            yield BlindSpot(
                kind="shared_file",
                node_id=node,
                what=f"Node {node} shares {name} with other nodes: {_nobodys(rows)} of its {every} records name no node",
                questions=[
                    "when it started and stopped, where its own lines do not show it",
                    "whether it was silent",
                    "which node logged the errors that name no node",
                ],
                would_tell="a folder of logs for each process (LOG_DIR, or -Dkafka.logs.dir)",
            )


def _gaps(
    quiet_times: Iterable[QuietTime],
    node_subjects: Iterable[NodeSubjects],
    faults: Sequence[Fault],
    coverage: Sequence[FileCoverage],
) -> Iterator[BlindSpot]:
    """Times in which all files of a broker are silent although it took on roles or leaders changed elsewhere. Omits
    brokers that never log roles.
    """
    shared = {row.node_id for rows in _files_of_several(coverage).values() for row in rows}
    brokers = {
        node.node_id for node in node_subjects if node.takes_roles
    } - shared  # lines that name no node may be theirs
    for quiet in quiet_times:
        if quiet.node_id in brokers and not was_away(quiet, faults):
            yield _gap(
                "gap" if quiet.without_line else "quiet",
                quiet,
                f"No file of node {quiet.node_id} has a line from {_clock(quiet.start_ts)} to {_clock(quiet.end_ts)}, "
                + (
                    f"though it took part in {_counted(quiet.without_line, 'leader epoch')} that began in that time: lines are missing"
                    if quiet.without_line
                    else "while leaders changed elsewhere: it had nothing to print, or lines are missing"
                ),
            )


def _gap(kind: str, quiet: QuietTime | BlindSpot, what: str) -> BlindSpot:
    """A time without a line of a node: a row with its `node_id`, `start_ts`, `end_ts` and `evidence`."""
    return BlindSpot(
        kind=kind,
        node_id=quiet.node_id,
        start_ts=quiet.start_ts,
        end_ts=quiet.end_ts,
        what=what,
        questions=[
            "whether it stopped, froze or was cut off in that time",
            "where the leader epochs that it began start",
            "which ISR changes it made",
        ],
        would_tell=f"the rest of the files of node {quiet.node_id}: rotated or compressed ones, those of its earlier container",
        evidence=quiet.evidence,
    )


def _fallen_silent(faults: Iterable[Fault], coverage: Iterable[FileCoverage]) -> Iterator[BlindSpot]:
    """Nodes with files that fell silent while others continued."""
    have = {file.node_id for file in coverage}
    for fault in faults:
        if fault.kind == "silent" and fault.began_low is not None and fault.broker_id in have:
            node, last = fault.broker_id, _clock(fault.began_low)
            silent = BlindSpot(node_id=node, start_ts=fault.began_low, end_ts=fault.end_ts, evidence=fault.evidence)
            time = f"after {last}" if fault.end_ts is None else f"from {last} to {_clock(fault.end_ts)}"
            went_on = "others went on without it: it froze, was cut off, or lines are missing"
            yield _gap("gap", silent, f"No file of node {node} has a line {time}, and {went_on}")


def _holes(missing_lines: Iterable[MissingLine]) -> Iterator[BlindSpot]:
    """Times without a line in one log of a node, although the node's other logs show changes that this log prints at
    all other times.
    """
    for hole in missing_lines:
        changes = _counted(hole.told, "change of roles", "changes of roles")
        yield BlindSpot(
            kind="gap",
            node_id=hole.node_id,
            start_ts=hole.start_ts,
            end_ts=hole.end_ts,
            what=f"{hole.series} of node {hole.node_id} has no line from {_clock(hole.start_ts)} to {_clock(hole.end_ts)}, "
            f"though the node's other files show {changes} in that time: lines are missing",
            questions=[
                "whether it stopped, froze or was cut off in that time",
                "which nodes it could not reach, and which ISR changes it made",
            ],
            would_tell=f"the rest of {hole.series}: rotated or compressed files",
            evidence=hole.evidence,
        )


def _rotated_away(rotation_gaps: Iterable[RotationGap]) -> Iterator[BlindSpot]:
    """Rotated files that are missing between two others."""
    for gap in rotation_gaps:
        is_known = "though files rotated before and after it are"
        if gap.other is not None:
            is_known = f"though {gap.other} of that hour is: it was not copied, or had no line in that hour"
        yield BlindSpot(
            kind="gap",
            node_id=gap.node_id,
            start_ts=gap.start_ts,
            end_ts=gap.end_ts,
            what=f"{gap.missing} is not here, {is_known}",
            questions=["what the node printed in that time"],
            would_tell=gap.missing if gap.other is not None else f"the missing files of {gap.series}",
        )


def _files_begin_late(
    node_subjects: Iterable[NodeSubjects], processes: Iterable[ProcessLife], window: TimeWindow
) -> Iterator[BlindSpot]:
    """Kafka nodes whose files begin while the process already runs: the earlier files were rotated away or not
    copied.

    Ignores nodes whose earlier lines were not read because of the window.
    """
    lives = by_key(processes, lambda process: process.node_id)
    for node in sorted(node.node_id for node in node_subjects if node.is_kafka and node.node_id in lives):
        begin = least(*(process.first_ts for process in lives[node]))
        if (
            min(lives[node], key=lambda process: process.life).start_ts is None
            and begin is not None
            and _is_begin(begin, window)
        ):
            yield BlindSpot(
                kind="begins_late",
                node_id=node,
                end_ts=begin,
                what=f"The files of node {node} begin at {_clock(begin)} while it already ran",
                questions=[
                    "since when its states at that time had lasted",
                    "its settings, unless other lines print them",
                ],
                would_tell=f"the older files of node {node}, back to its start",
            )


def _is_begin(first_ts: datetime, window: TimeWindow) -> bool:
    """Whether the first line of a node that was read is the first line of its files."""
    return window.since is None or (window.has_borders and window.since < first_ts)


def _missing_roles(node_subjects: Iterable[NodeSubjects], epoch_counts: Iterable[EpochCounts]) -> Iterator[BlindSpot]:
    """Nodes that led but never log that they took on a role: the logger is off, or its file was not copied."""
    speaks = {node.node_id for node in node_subjects if node.takes_roles}
    for counts in epoch_counts:
        if counts.without_line and counts.node_id not in speaks:
            yield BlindSpot(
                kind="level_too_high",
                node_id=counts.node_id,
                start_ts=counts.without_line_ts,
                what=f"Node {counts.node_id} began at least {_counted(counts.without_line, 'leader epoch')}, and its files lack the lines in which a broker becomes leader: state-change.log is missing, or its logger is off",
                questions=[
                    "where leader epochs start, and so which range of offsets a change of leader dropped",
                    "when brokers became leaders and followers",
                ],
                would_tell=_STATE_CHANGE,
            )


def _missing_isrs(node_subjects: Iterable[NodeSubjects], epoch_counts: Iterable[EpochCounts]) -> Iterator[BlindSpot]:
    """Nodes that log their roles but no ISR for most of the leader epochs that they began: up to 2.5, the ISR is
    logged at TRACE.
    """
    speaks = {node.node_id for node in node_subjects if node.takes_roles}
    for counts in epoch_counts:
        if counts.node_id in speaks and counts.begun and 2 * counts.without_isr > counts.begun:
            yield BlindSpot(
                kind="level_too_high",
                node_id=counts.node_id,
                start_ts=counts.begun_ts,
                what=f"No line tells the ISR of {counts.without_isr} of the {counts.begun} leader epochs that node {counts.node_id} began",
                questions=[
                    "which replicas were in sync as the leader changed, and so whether an election was clean",
                    "whether a replica that was out of sync held all that was committed",
                ],
                would_tell=_STATE_CHANGE,
            )


def _missing_controllers(
    node_subjects: Iterable[NodeSubjects], coverage: Iterable[FileCoverage], controllers: Iterable[Controller]
) -> Iterator[BlindSpot]:
    """Active controllers whose files have no line of the controller's own logger."""
    speaks = {node.node_id for node in node_subjects if node.controls}
    mute = {file.node_id for file in coverage if file.first_ts is not None} - speaks - {None}
    tenures = defaultdict(list)
    for tenure in controllers:
        if tenure.controller_id in mute:
            tenures[tenure.controller_id].append(tenure)
    for node, own in tenures.items():
        yield BlindSpot(
            kind="level_too_high",
            node_id=node,
            start_ts=least(*(tenure.start_ts for tenure in own)),
            end_ts=greatest(*(tenure.end_ts for tenure in own)),
            what=f"Node {node} was the active controller and its files hold no line of the controller's logger",
            questions=[
                "why leaders were elected, and from which ISR",
                "when the controller learned of a broker's end",
            ],
            would_tell=_CONTROLLER,
            evidence=min(own, key=lambda tenure: nulls_first(tenure.start_ts)).evidence,
        )


def _no_metadata_log(node_subjects: Sequence[NodeSubjects]) -> Iterator[BlindSpot]:
    """A KRaft cluster whose metadata log was not dumped: controllers do not log changes of leaders or ISRs (facts
    §1.8).
    """
    if any(node.has_kraft for node in node_subjects) and not any(node.has_dump for node in node_subjects):
        elections = "" if any(node.dates_preferred for node in node_subjects) else "preferred elections, and "
        yield BlindSpot(
            kind="no_metadata_log",
            what="The metadata log of this KRaft cluster is missing",
            questions=[
                f"when the controllers wrote {elections}changes that leaders asked for: brokers print these when they apply "
                "them, up to seconds later",
                "states of partitions that no surviving broker printed, with their partition epochs",
            ],
            would_tell="kafka-dump-log.sh --cluster-metadata-decoder --files <metadata.log.dir>/__cluster_metadata-0/*.log, as text among the input",
        )


def _died_without_a_copy(
    node_subjects: Sequence[NodeSubjects], epoch_counts: Sequence[EpochCounts], faults: Sequence[Fault]
) -> Iterator[BlindSpot]:
    """Brokers that crashed and returned, without a copy of their checkpoint files from before the restart.

    A node without roles in partitions, such as a dedicated controller, has no such files, and a start that its
    directory refused changed none. A broker that was never alone in an ISR and crashed alone is omitted, because
    other members of its ISRs kept their files.
    """
    copied = {node.node_id: node.checkpoints_copied for node in node_subjects}
    holding = {node.node_id for node in node_subjects if node.takes_roles or node.checkpoints_copied}
    holding |= {led.node_id for led in epoch_counts if led.begun}
    for fault in faults:
        if fault.kind not in CRASHES or fault.end_ts is None or fault.broker_id not in holding:
            continue
        if any(_is_of_a_refused_start(fault, other) for other in faults) or _left_others(fault, epoch_counts, faults):
            continue
        died, back = first_known(fault.began_low, fault.ts), times.plus_millis(fault.end_ts, _AT_ONCE_MS)
        if not any(at_most(died, copy) and at_most(copy, back) for copy in copied.get(fault.broker_id, ())):
            yield BlindSpot(
                kind="no_copy_of_checkpoints",
                node_id=fault.broker_id,
                start_ts=died,
                end_ts=fault.end_ts,
                what=f"Broker {fault.broker_id} crashed and restarted, and its checkpoint files from before the restart are missing",
                questions=[
                    "its high watermarks at the crash, where it was alone in an ISR or the other members crashed too"
                ],
                would_tell="a copy of replication-offset-checkpoint and leader-epoch-checkpoint from before the restart of a dead broker",
                evidence=fault.evidence,
            )


def _left_others(death: Fault, epoch_counts: Sequence[EpochCounts], faults: Sequence[Fault]) -> bool:
    """Whether each ISR of a crashed broker had another member that was not down at the same time."""
    led = [counts for counts in epoch_counts if counts.begun]
    if not led or any(counts.without_isr != 0 for counts in led):
        return False
    was_alone = any(counts.was_alone for counts in epoch_counts if counts.node_id == death.broker_id)
    return not was_alone and not any(_died_together(death, other) for other in faults)


def _died_together(death: Fault, other: Fault) -> bool:
    is_another = other.kind in (*CRASHES, "silent") and other.broker_id != death.broker_id
    began, end = first_known(other.began_low, other.ts), first_known(other.end_ts, death.end_ts)
    return is_another and at_most(began, death.end_ts) and at_most(first_known(death.began_low, death.ts), end)


def _is_of_a_refused_start(death: Fault, other: Fault) -> bool:
    is_refused = other.kind == "disk_refused" and other.broker_id == death.broker_id
    return is_refused and at_most(other.ts, death.ts) and at_most(death.ts, other.end_ts)


def with_blind_spots(findings: Iterable[Finding], spots: Iterable[BlindSpot]) -> list[Finding]:
    """The findings, with the missing files of their brokers added to `blind_spots`."""
    missing = MissingFiles(spots)
    return [
        finding.but(
            blind_spots=once_each(
                [*finding.blind_spots, *missing.of(finding.broker_ids, finding.start_ts, finding.end_ts)]
            )
        )
        for finding in findings
    ]


def losses(placed_losses: Iterable[Loss], blind_spots: Iterable[BlindSpot]) -> Iterator[Loss]:
    """The loss ledger. The premise of an unproven verdict names the missing files of the two leaders."""
    missing = MissingFiles(blind_spots)
    for loss in placed_losses:
        premise = loss.premise
        if loss.verdict != "PROVEN_LOSS":
            blind = missing.of((loss.old_leader_id, loss.new_leader_id), loss.ts, loss.ts)
            premise = f"{premise}. Blind spot: {'; '.join(blind)}" if blind else premise
        yield loss.but(premise=premise)


class MissingFiles:
    """The blind spots that are missing files, or times without lines in files."""

    def __init__(self, spots: Iterable[BlindSpot]) -> None:
        self._spots = sorted(
            (spot for spot in spots if spot.kind in MISSING_LINES and spot.node_id is not None),
            key=lambda spot: (spot.node_id, times.unix_micros(spot.start_ts) if spot.start_ts else -1, spot.what),
        )

    def of(self, brokers: Collection[int | None], start_ts: datetime | None, end_ts: datetime | None) -> list[str]:
        """The missing parts of these brokers' files in a time, and shortly before and after it. Without an end, only
        its start counts.
        """
        begin = times.plus_millis(start_ts, -_AT_ONCE_MS)
        end = times.plus_millis(end_ts or start_ts, _AT_ONCE_MS)
        return once_each(
            spot.what
            for spot in self._spots
            if spot.node_id in brokers and not less(end, spot.start_ts) and not less(spot.end_ts, begin)
        )
