"""Brokers that started but could not join a KRaft cluster: no controller answered their registration (F06), or they
registered but stayed fenced (F39). Also brokers that are fenced later because the controllers refuse their
heartbeats (F39).

A broker registers, waits until it has read its registration from the metadata log, opens its logs, and asks to be
unfenced. Only in the state RECOVERY does it log at INFO that it is still fenced; before that it logs heartbeats at
DEBUG. Source: BrokerServer, BrokerLifecycleManager, BrokerHeartbeatManager, MetadataLoader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.groups import grouped
from replay.facts.lines import detail, number_in
from replay.facts.lives import STARTED
from replay.facts.order import at_most
from replay.facts.reads import reads, reads_each
from replay.facts.times import first_known, greatest, known, millis
from replay.faults.shape import begin_of, bursts_of, count_of, end_of, fault, fault_of, proof_of, unexplained
from replay.sentences.statement import statement
from replay.tables.brokers import ProcessLife
from replay.tables.faults import Fault
from replay.tables.reading import Fact

UNREACHED_MS = 30_000  # a running controller responds within this time; the broker exits after 60 s
FENCED_MS = 60_000  # a broker that only has to read the metadata log or open a few logs is unfenced by then
_STARTING, _REGISTERED, _CAUGHT_UP = "broker_incarnation", "broker_registered", "broker_recovery"
_FENCED, _UNFENCED, _GRANTED = "broker_waiting_unfence", "broker_unfenced", "kraft_broker_unfence_granted"
REFUSED_MS, LEAST_REFUSED = 4_000, 3  # a start may cause one or two refusals
AGAIN_MS = 30_000  # a broker whose heartbeats are refused retries every few seconds
_NOT_REGISTERED, _GAVE_UP = "broker_registration_failed", "broker_registration_timeout"
_HEARTBEAT, _BEHIND, _LOADER = "broker_heartbeat_failed", "kraft_broker_unfence_waiting", "metadata_loader_catch_up"
_WAITS, _WAITED = "wait_begin", "wait_done"
_OPENS_LOGS, _OPENED_LOGS = "log_manager_load_begin", "log_manager_load_done"
_ONCE = (_STARTING, _REGISTERED, _CAUGHT_UP, _UNFENCED, _GAVE_UP, _WAITS, _WAITED, _OPENS_LOGS, _OPENED_LOGS)
_AGAIN = (_FENCED, _NOT_REGISTERED, _HEARTBEAT, _LOADER, *STARTED)
_FOR_CATCH_UP, _FOR_UNFENCING = "the controller to acknowledge that we are caught up", "the broker to be unfenced"
_UNANSWERED = re.compile(r"RPC got timed out before it could be sent|Unable to register broker \S+\.$")
_ERROR = re.compile(r"(?:returned|received) error (\w+)")
_EVENT_FAILED = "kraft_event_failed"
_STALE = re.compile(r"Expected broker epoch (\d+), but got broker epoch (\d+)")


@dataclass(frozen=True)
class Start:
    """A start of a broker: its own lines until its process ends, in time order, and the lines in which controllers
    unfence it or report that they cannot yet.
    """

    process: ProcessLife
    lines: list[Fact]
    of_controllers: list[Fact]

    @property
    def broker(self) -> int:
        node: int = self.process.node_id
        return node

    @property
    def ts(self) -> datetime:
        ts: datetime = self.lines[0].ts
        return ts

    @property
    def end_ts(self) -> datetime | None:
        """The end of the process, or of its lines."""
        return first_known(self.process.stop_ts, self.process.fatal_ts, self.process.last_ts)

    @property
    def over_ts(self) -> datetime | None:
        """The end of the process; None if it may still run."""
        has_ended = self.process.ended is not None or self.process.next_start_ts is not None
        return self.end_ts if has_ended or self.process.stop_ts or self.process.fatal_ts else None

    def all(self, *kinds: str) -> list[Fact]:
        """The lines of these kinds."""
        return [line for line in self.lines if line.kind in kinds]

    def first(self, kind: str, action: str | None = None) -> Fact | None:
        """The first line of a kind; with `action`, the first one that names this action."""
        return next((line for line in self.all(kind) if action is None or detail(line, "action") == action), None)

    def unfenced(self, since: datetime) -> Fact | None:
        """The first line that shows the broker unfenced."""
        granted = (line for line in self.of_controllers if line.kind == _GRANTED and line.ts >= since)
        return first_known(self.first(_UNFENCED), next(granted, None))


def not_admitted(facts: Sequence[Fact], processes: Iterable[ProcessLife]) -> list[Fault]:
    """F06, F39: brokers that could not register when they started, and brokers that registered but stayed fenced."""
    found = []
    for start in _starts(facts, processes):
        registered = start.first(_REGISTERED)
        found += [
            *_unreached(start, registered),
            *(_kept_fenced(start, registered) if registered is not None else ()),
        ]
    return found


@reads(*_AGAIN, _BEHIND)
@reads_each(*_ONCE, _GRANTED)
def _starts(facts: Iterable[Fact], processes: Iterable[ProcessLife]) -> Iterator[Start]:
    """The starts of brokers that have a logged first line. Omits ZooKeeper brokers that register for a migration."""
    dated = sorted((fact for fact in facts if fact.ts is not None), key=lambda fact: (fact.ts, fact.event_id))
    own = grouped((fact for fact in dated if fact.kind in (*_ONCE, *_AGAIN)), lambda fact: fact.node_id)
    others = grouped((fact for fact in dated if fact.kind in (_GRANTED, _BEHIND)), lambda fact: fact.broker_id)
    for process in processes:
        in_life = [line for line in own.get(process.node_id, ()) if _is_of(process, line)]
        begin = next((at for at, line in enumerate(in_life) if line.kind == _STARTING), None)
        if begin is None or process.start_ts is None or "isZkBroker=true" in (in_life[begin].message or ""):
            continue
        lines = in_life[begin:]
        about = [line for line in others.get(process.node_id, ()) if lines[0].ts <= line.ts and _is_of(process, line)]
        yield Start(process, lines, about)


def _is_of(process: ProcessLife, line: Fact) -> bool:
    return at_most(process.first_ts, line.ts) and at_most(line.ts, first_known(process.next_start_ts, process.last_ts))


def _unreached(start: Start, registered: Fact | None) -> Iterator[Fault]:
    """F06: repeated registration attempts without a response."""
    failed = [line for line in start.all(_NOT_REGISTERED) if _UNANSWERED.search(line.message or "")]
    gave_up = start.first(_GAVE_UP)
    until = greatest(*(first_known(line.last_ts, line.ts) for line in failed), gave_up.ts if gave_up else None)
    if not failed or (gave_up is None and not at_most(UNREACHED_MS, millis(until, start.ts))):
        return
    yield fault(
        "controllers_unreached",
        statement(
            "could_not_register",
            broker=start.broker,
            count=count_of(failed),
            at_from=start.ts,
            at_to=until,
            at_registered=registered.ts if registered else None,
            gave_up=gave_up is not None,
        ),
        broker_id=start.broker,
        ts=start.ts,
        began_low=start.ts,
        end_ts=registered.ts if registered else start.process.next_start_ts,
        ended_low=until,
        confidence=0.85,
        evidence=proof_of([*failed[:3], *([gave_up] if gave_up else [])]),
    )


def _kept_fenced(start: Start, registered: Fact) -> Iterator[Fault]:
    """F39: a broker that registered but was not unfenced. The time in which it opens its logs does not count."""
    caught_up, asked = start.first(_CAUGHT_UP), start.first(_WAITS, _FOR_UNFENCING)
    unfenced, opened = start.unfenced(registered.ts), start.first(_OPENED_LOGS)
    if caught_up is not None and asked is None and start.first(_OPENS_LOGS) and not opened:
        return
    since = registered.ts
    if caught_up is not None:
        since = first_known(asked.ts if asked else None, greatest(caught_up.ts, opened.ts if opened else None))
    shown = [line for line in start.all(_FENCED, _HEARTBEAT, _LOADER) if line.ts >= since and not _has_caught_up(line)]
    until = unfenced.ts if unfenced else greatest(_fenced_until(since, shown), _waited_until(start, caught_up))
    was_seen_up = unfenced is None and start.all(*STARTED)  # the line about its unfencing is missing
    if was_seen_up or not at_most(FENCED_MS, millis(until, since)):
        return
    failed = [line for line in shown if line.kind == _HEARTBEAT]
    errors = [found[1] for line in failed if (found := _ERROR.search(line.message or ""))]
    loader = [line for line in shown if line.kind == _LOADER]
    behind = [line for line in start.of_controllers if line.kind == _BEHIND and line.ts >= since]
    yield fault(
        "kept_fenced",
        statement(
            "was_kept_fenced",
            broker=start.broker,
            at_from=registered.ts,
            at_to=until,
            closed=unfenced is not None,
            never=unfenced is None,
            reading=caught_up is None,
            opening=caught_up is not None and asked is None and bool(start.all(_WAITS)),
            asking=asked is not None,
            **_how_far_read(loader, behind),
            failed=count_of(failed) or None,
            error=errors[-1] if errors else None,
        ),
        broker_id=start.broker,
        ts=registered.ts,
        began_low=registered.ts,
        end_ts=unfenced.ts if unfenced else start.over_ts,
        ended_low=until,
        confidence=0.9 if shown else 0.7,
        unknowns=[] if failed or loader or behind else ["why_it_stayed_fenced"],
        evidence=proof_of(known([registered, caught_up, asked, *failed[:2], *loader[-1:], *behind[-1:], unfenced])),
    )


def _has_caught_up(line: Fact) -> bool:
    return line.kind == _LOADER and "still catching up" not in (line.message or "")


def _fenced_until(since: datetime, shown: Iterable[Fact]) -> datetime:
    """The end of the unbroken run of lines that show the broker fenced.

    Heartbeats that fail long after this run may belong to a running broker.
    """
    until = since
    for line in shown:
        if not at_most(millis(line.ts, until), FENCED_MS):
            break
        until = greatest(until, first_known(line.last_ts, line.ts)) or until
    return until


def _waited_until(start: Start, caught_up: Fact | None) -> datetime | None:
    """The end of a process that was still waiting for the controller to confirm that it had caught up; None
    otherwise.
    """
    waits = start.first(_WAITS, _FOR_CATCH_UP) and not start.first(_WAITED, _FOR_CATCH_UP)
    return start.end_ts if waits and caught_up is None else None


def _how_far_read(loader: Sequence[Fact], behind: Sequence[Fact]) -> dict[str, object]:
    """How far a broker had read the metadata log, by its loader and by the controller's refusals to unfence it."""
    return {
        "offset": number_in(loader[-1].message, r"loaded up to offset (-?\d+)") if loader else None,
        "high": number_in(loader[-1].message, r"high water ?mark is (\d+)") if loader else None,
        "blind": bool(loader) and "don't know the high water" in (loader[-1].message or ""),
        "needed": number_in(behind[-1].message, r"record (\d+)") if behind else None,
        "still": number_in(behind[-1].message, r"still at offset (-?\d+)") if behind else None,
    }


@reads(_HEARTBEAT, _EVENT_FAILED)
@reads_each(_REGISTERED)
def heartbeats_refused(facts: Sequence[Fact], kept_fenced: Iterable[Fault]) -> list[Fault]:
    """F39: brokers whose heartbeats the controllers repeatedly refuse because of their registration.

    A running broker does not register again after such a refusal (BrokerLifecycleManager). `kept_fenced`: the brokers
    already reported as fenced since their start.
    """
    refused = [fact for fact in facts if fact.kind == _HEARTBEAT and is_refused(fact) and fact.ts is not None]
    found = []
    for burst in bursts_of(refused, by=lambda fact: fact.node_id, gap_ms=AGAIN_MS):
        lasted_ms = millis(end_of(burst), begin_of(burst))
        if burst[0].node_id is not None and count_of(burst) >= LEAST_REFUSED and at_most(REFUSED_MS, lasted_ms):
            found.append(_refused(burst, facts))
    return unexplained(found, kept_fenced)


def is_refused(heartbeat: Fact) -> bool:
    """Whether the controller refused a heartbeat because of the broker's registration."""
    found = _ERROR.search(heartbeat.message or "")
    return found is not None and found[1] in ("STALE_BROKER_EPOCH", "BROKER_ID_NOT_REGISTERED")


def _refused(burst: list[Fact], facts: Iterable[Fact]) -> Fault:
    broker, ts = burst[0].node_id, begin_of(burst)
    epochs = [
        fact.broker_epoch
        for fact in facts
        if fact.kind == _REGISTERED
        and fact.node_id == broker
        and fact.broker_epoch is not None
        and at_most(fact.ts, ts)
    ]
    stale = [
        epochs_named
        for fact in facts
        if fact.kind == _EVENT_FAILED and at_most(ts, fact.ts) and at_most(fact.ts, end_of(burst))
        for epochs_named in [_STALE.search(detail(fact, "exception_message") or fact.message or "")]
        if epochs_named and epochs and int(epochs_named[2]) == epochs[-1]
    ]
    error = _ERROR.search(burst[0].message or "")
    return fault_of(
        "heartbeats_refused",
        statement(
            "heartbeats_were_refused",
            broker=broker,
            count=count_of(burst),
            at_from=ts,
            at_to=end_of(burst),
            error=error[1] if error else None,
            expected=stale[0][1] if stale else None,
            own=stale[0][2] if stale else None,
        ),
        burst,
        began_low=ts,
        confidence=0.9,
    )
