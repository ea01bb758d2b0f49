"""Faults of disks (F14, F15): log directories that failed or came back empty, corrupt records in them, and
directories that were not reported to the controllers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from replay.facts.evidence import of_rows
from replay.facts.groups import by_key
from replay.facts.lines import detail
from replay.facts.order import at_most
from replay.facts.reads import reads
from replay.facts.times import first_known, greatest, known, least, millis, plus_millis
from replay.facts.timings import Timings
from replay.faults.shape import begin_of, bursts_of, count_of, end_of, fault, fault_of, proof_of, sortable
from replay.sentences.statement import Statement, statement
from replay.tables.brokers import NodeTimings, ProcessLife
from replay.tables.faults import DamagedPartition, EmptiedLogDir, Fault
from replay.tables.reading import Fact

WRITE_MS = 1_000  # writing a checkpoint takes at most this long
ASSIGNED_MS = 60_000  # a new controller accepts an assignment within this time
_ASSIGNING = ("assign_dirs_failed", "assign_dirs_event")
FAILURE_LINES = ("log_dir_failed", "log_dir_failure_begin", "log_dir_failure_fatal", "log_dir_failure_partitions")
NAMES_PARTITIONS = "log_dir_failure_partitions"
_NAME = r"(?<![A-Za-z0-9._-])[A-Za-z0-9._-]+-\d++"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed directory in one process of its broker, and in the following processes that also found it failed at
    startup.
    """

    lines: list[Fact]
    first: ProcessLife | None
    last: ProcessLife | None
    again_ts: datetime | None = None

    @property
    def node_id(self) -> int | None:
        return self.lines[0].node_id

    @property
    def dirs(self) -> set[str]:
        return set(known(first_known(detail(line, "dir"), detail(line, "log_dir")) for line in self.lines))

    def is_continued_by(self, later: Failure, started: Iterable[Fact]) -> bool:
        """Whether the next process found a directory of this failure failed before it had started, so that the
        directory had not returned in between.
        """
        before, after, failed_ts = self.last, later.first, begin_of(later.lines)
        if before is None or after is None or after.start_ts is None:
            return False
        is_next = self.node_id == later.node_id and after.life == before.life + 1
        had_started = any(at_most(after.start_ts, line.ts) and at_most(line.ts, failed_ts) for line in started)
        return is_next and bool(self.dirs & later.dirs) and not had_started

    def continued_by(self, later: Failure) -> Failure:
        again_ts = None if later.last is None else later.last.start_ts
        return Failure([*self.lines, *later.lines], self.first, later.last, again_ts)


@reads(*FAILURE_LINES, "broker_started")
def log_dirs_failed(
    facts: Iterable[Fact], processes: Iterable[ProcessLife], timings: Iterable[NodeTimings]
) -> list[Fault]:
    """F14, or F15 if the exception reports a full disk: a log directory that its broker took offline or could not
    write to.

    Its partitions are those that the broker names when it stops serving them. The broker writes to each directory
    with every high watermark checkpoint, so the failure began within one checkpoint interval of the first error. A
    directory that still fails after a restart is the same failure. Only a new process serves the directory again: the failure
    ended between the order to stop, or the last line, of the process that found it and the first line of the next.
    """
    waits, facts, started = Timings(timings), list(facts), defaultdict(list)
    for fact in facts:
        if fact.kind == "broker_started":
            started[fact.node_id].append(fact)
    failures: list[Failure] = []
    for failure in _of_processes((fact for fact in facts if fact.kind in FAILURE_LINES), processes):
        if failures and failures[-1].is_continued_by(failure, started[failure.node_id]):
            failures[-1] = failures[-1].continued_by(failure)
        else:
            failures.append(failure)
    return [_log_dir_failed(failure, waits) for failure in failures]


def stopped_partitions(line: Fact) -> list[str]:
    """The partitions that a broker has stopped, by its line about a failed directory."""
    named: list[str] = re.findall(_NAME, detail(line, "offline_partitions") or "")
    return named


@reads(NAMES_PARTITIONS)
def offline_since(facts: Iterable[Fact]) -> dict[tuple[int, str], list[datetime]]:
    """By broker and partition: when the broker had stopped a replica because its directory had failed. The replica takes
    no more writes in that process.
    """
    stopped: dict[tuple[int, str], list[datetime]] = defaultdict(list)
    for line in facts:
        if line.kind == NAMES_PARTITIONS and line.ts is not None and line.node_id is not None:
            for name in stopped_partitions(line):
                stopped[line.node_id, name].append(line.ts)
    return {replica: sorted(times) for replica, times in stopped.items()}


def _of_processes(lines: Iterable[Fact], processes: Iterable[ProcessLife]) -> list[Failure]:
    """The failures of each process of each broker, in the order of the processes."""
    of_process: dict[tuple[int | None, int | None], Failure] = {}
    for line, process in _while_running(lines, processes):
        key = line.node_id, process.life if process is not None else None
        of_process.setdefault(key, Failure([], process, process)).lines.append(line)
    failed = [one for one in of_process.values() if _is_full(one.lines) or _is_given_up(one.lines)]
    return sorted(failed, key=lambda one: sortable((one.node_id, one.first and one.first.life)))


def _while_running(
    lines: Iterable[Fact], processes: Iterable[ProcessLife]
) -> Iterator[tuple[Fact, ProcessLife | None]]:
    """The lines about failed directories, each with its process. Omits errors of a process that is shutting down."""
    lives = by_key(processes, lambda process: process.node_id)
    for line in lines:
        own = lives.get(line.node_id)
        if own is None:
            yield line, None
            continue
        for process in own:
            if _runs_at(process, line):
                yield line, process


def _runs_at(process: ProcessLife, line: Fact) -> bool:
    over_ts = known([process.next_start_ts, process.stop_ts])
    return (
        line.ts is not None
        and process.first_ts is not None
        and process.first_ts <= line.ts
        and all(line.ts < over for over in over_ts)
    )


def _is_full(lines: Iterable[Fact]) -> bool:
    return any("no space left" in (detail(line, "exception") or "").lower() for line in lines)


def _is_given_up(lines: Iterable[Fact]) -> bool:
    return any(line.kind != "log_dir_failed" for line in lines)


def _log_dir_failed(failure: Failure, waits: Timings) -> Fault:
    lines, broker, ts = failure.lines, failure.node_id, begin_of(failure.lines)
    is_full, first, last = _is_full(lines), failure.first, failure.last
    over_ts = last.next_start_ts if last is not None else None
    checkpoint_ms = max(waits.at(line.node_id, line.ts).checkpoint_ms for line in lines)
    return fault(
        "disk_full" if is_full else "log_dir_failed",
        statement(
            "gave_up_log_dir" if _is_given_up(lines) else "had_no_space",
            broker=broker,
            dirs=", ".join(sorted(failure.dirs)) or None,
            error=None if is_full or not _is_given_up(lines) else _first_error(lines),
            full=is_full,
            at_again=failure.again_ts,
        ),
        broker_id=broker,
        ts=ts,
        end_ts=over_ts,
        ended_low=None if over_ts is None or last is None else least(first_known(last.stop_ts, last.last_ts), over_ts),
        began_low=greatest(plus_millis(ts, -checkpoint_ms - WRITE_MS), first.start_ts if first is not None else None),
        partitions=sorted({name for line in lines for name in stopped_partitions(line)}),
        confidence=0.97,
        evidence=proof_of(lines),
    )


def _first_error(lines: Iterable[Fact]) -> str | None:
    """The message of the first exception, without its class."""
    text = next((error for line in lines if (error := detail(line, "exception"))), None)
    return None if text is None else re.sub(r"^[\w.$]+: ", "", text)


def log_dirs_empty(emptied_log_dirs: Iterable[EmptiedLogDir]) -> list[Fault]:
    """F14, facts §3.3 S8: a broker that held partitions, found no logs at startup, and then received some of the
    same partitions again.
    """
    return [
        fault(
            "log_dirs_empty",
            statement("found_no_log", broker=one.node_id, count=len(one.partitions)),
            broker_id=one.node_id,
            ts=one.ts,
            end_ts=one.ts,
            partitions=one.partitions,
            confidence=0.95,
            evidence=[one.event_id, one.held_event, one.again_event],
        )
        for one in emptied_log_dirs
    ]


def records_damaged(damaged_partitions: Iterable[DamagedPartition]) -> list[Fault]:
    """F14: a leader that repeatedly serves corrupt records to its followers (`CorruptRecordException`).

    The followers lag and cannot rejoin the ISR.
    """
    of_leader = by_key(damaged_partitions, lambda partition: (partition.leader_id, partition.burst))
    return [
        fault(
            "records_damaged",
            _damage_statement(leader, partitions),
            broker_id=leader,
            ts=begin_of(partitions),
            end_ts=end_of(partitions),
            partitions=sorted({one.name for one in partitions}),
            confidence=0.9,
            unknowns=["which_records_are_damaged"],
            evidence=of_rows(((one.ts, one.evidence) for one in partitions), each=4),
        )
        for (leader, _), partitions in of_leader.items()
    ]


def _damage_statement(leader: int, partitions: list[DamagedPartition]) -> Statement:
    """The first corruption on the leader, with all its partitions."""
    first = min(partitions, key=lambda one: (one.ts, one.name))
    names = sorted({one.name for one in partitions})
    whole = [replica for replica in first.isr or () if replica not in (leader, *first.followers)]
    return statement(
        "fetched_damaged_records",
        leader=leader,
        all_followers=sorted({follower for one in partitions for follower in one.followers}),
        partition=first.name,
        offset="unknown" if first.fetch_offset is None else first.fetch_offset,
        attempts=first.attempts,
        at_last=end_of(partitions),
        error=first.error,
        all_partitions=names if len(names) > 1 else None,
        all_whole=whole or None,
        nobody=first.isr is not None and not whole,
    )


@reads(*_ASSIGNING)
def directories_not_assigned(facts: Iterable[Fact]) -> list[Fault]:
    """F14: a broker that repeatedly fails to report to the controllers which directories hold its replicas
    (KIP-858).

    It retries forever, at most ten seconds apart (AssignmentsManager). Ignores failures that end within a minute:
    the controller changed.
    """
    failed = [
        fact
        for fact in facts
        if fact.kind in _ASSIGNING and fact.level == "ERROR" and fact.node_id is not None and fact.ts is not None
    ]
    return [
        fault_of(
            "directories_untold",
            statement(
                "could_not_assign_directories",
                broker=burst[0].node_id,
                count=count_of(burst),
                at_from=begin_of(burst),
                at_to=end_of(burst),
                all_partitions=names or None,
                error=next(iter(known(detail(line, "error") for line in burst)), None),
            ),
            burst,
            began_low=begin_of(burst),
            partitions=names,
            confidence=0.9,
        )
        for burst in bursts_of(failed, by=lambda fact: fact.node_id, gap_ms=ASSIGNED_MS)
        if at_most(ASSIGNED_MS, millis(end_of(burst), begin_of(burst)))
        for names in [sorted({f"{line.topic}-{line.partition}" for line in burst if line.topic is not None})]
    ]
