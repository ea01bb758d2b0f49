"""Simulates one partition on three brokers in plain Python: what happens to it, what its brokers print, and what is
true.

A slow, obviously correct model of a cluster: leaders append records, followers fetch them, the controller elects;
brokers are killed, lose power, are cut off or stopped. It knows what no log shows: which offset was committed when,
and which records a change of leader lost. Rules: facts §1.3, §1.5, §1.7. Times are milliseconds; every line has its
own.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

LAG_MS = 10_000  # replica.lag.time.max.ms
DETECTED_MS = (6_000, 9_000)  # the session timeout of a silent broker
SAVED_MS = 5_000  # replica.high.watermark.checkpoint.interval.ms


@dataclass(frozen=True)
class Release:
    """The behavior and the messages of a release."""

    version: str
    zookeeper: bool  # the controller prints its decisions; a new leader epoch for every dead follower
    cuts_to_high_watermark: bool  # message format of before 0.11
    waits_for_min_isr: bool  # the high watermark stands still below min.insync.replicas


OLD_FORMAT = Release("2.3.1", zookeeper=True, cuts_to_high_watermark=True, waits_for_min_isr=False)
ZOOKEEPER = Release("2.8.2", zookeeper=True, cuts_to_high_watermark=False, waits_for_min_isr=False)
KRAFT = Release("3.9.1", zookeeper=False, cuts_to_high_watermark=False, waits_for_min_isr=True)

Record = tuple[int, int, str]  # leader epoch, serial number, acks


@dataclass
class Broker:
    """A replica and its broker's view of the partition."""

    id: int
    log: list[Record] = field(default_factory=list)
    high_watermark: int = 0
    saved: int = 0  # in replication-offset-checkpoint
    flushed: int = 0  # what remains after a power failure
    up: bool = True
    clean: bool = True
    loaded: bool = True
    role: str | None = None
    leader: int = -1
    epoch: int = -1
    partition_epoch: int = -1
    isr: list[int] = field(default_factory=list)
    epoch_start: int = 0
    reached: dict[int, int] = field(default_factory=dict)  # followers' log ends, as their fetches told
    caught_up: dict[int, int] = field(default_factory=dict)
    pending: bool = False  # an ISR change without a response
    to_cut: bool = False

    @property
    def end(self) -> int:
        return len(self.log)


@dataclass
class Change:
    """A change of leader, or the return of the last replica, and the content of the old log."""

    epoch: int
    ts: int
    new: int
    old: int
    new_log: list[Record]
    committed: int
    unclean: bool
    ever: list[Record]  # all that was committed, by whichever leader, and not yet given up
    old_log: list[Record] | None = None  # None while the old leader still believes that it leads

    @property
    def parted(self) -> int:
        return common(self.new_log, self.old_log or [])

    @property
    def lost(self) -> tuple[int, int]:
        """The committed offsets that the new leader does not have: [from, to)."""
        return self.parted, max(self.parted, self.committed, common(self.old_log or [], self.ever))

    @property
    def discarded(self) -> tuple[int, int]:
        """All offsets of the old log that the new leader does not have."""
        return self.parted, max(self.parted, len(self.old_log or []))


def common(one: list[Record], other: list[Record]) -> int:
    """The length of the common prefix of two logs."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


class History:
    """The history of a partition: `rows` of the `events` table, and the truth (`commits`, `changes`)."""

    def __init__(
        self, number: int, seed: int, release: Release, *, unclean: bool = False, power: bool = False, min_isr: int = 1
    ) -> None:
        self.random = random.Random(f"{seed}/{number}")
        self.number, self.release, self.unclean_allowed, self.power, self.min_isr = (
            number,
            release,
            unclean,
            power,
            min_isr,
        )
        self.topic = f"t{number:05d}"
        self.now = 1_000
        self.rows: list[dict] = []
        self.lines: dict[int, int] = {}
        self.brokers = {id_: Broker(id_) for id_ in range(number * 10 + 1, number * 10 + 4)}
        self.replicas = list(self.brokers)
        self.controller = number * 10 + 9
        self.leader, self.epoch, self.partition_epoch, self.isr = self.replicas[0], 0, 0, list(self.replicas)
        self.gone: set[int] = set()  # brokers whose session timed out
        self.cut_off: set[int] = set()
        self.todo: list[tuple[int, Callable[[], None]]] = []
        self.serial = 0
        self.committed = 0
        self.ever: list[Record] = []
        self.commits: list[tuple[int, int]] = []  # (ts, commit point from then on)
        self.changes: list[Change] = []
        self.reigns: list[
            tuple[int, int, list[Record], int]
        ] = []  # (broker, its last leader epoch, its log and high watermark when it lost its role)
        self.last_leader, self.elected_in, self.fallen = self.leader, 0, False
        self.kept: set[Record] = set()  # what the last leader holds at the end
        for broker in self.brokers.values():
            self._say(broker.id, "process_start_line", topic=None)
            self._say(
                broker.id,
                "process_version",
                topic=None,
                template_id="SRV-213",
                details={"kafka_version": release.version},
            )
        self._decide("partition_state_online_with_leader")
        self._announce()

    # Printing

    def _say(self, node: int, kind: str, **columns: object) -> None:
        self.now += self.random.randint(1, 5)
        number = self.lines[node] = self.lines.get(node, 0) + 1
        self.rows.append(
            {
                "ts": self.now,
                "node_id": node,
                "kind": kind,
                "source_file": f"{node}/log",
                "line_number": number,
                "event_id": f"{node}/log:{number}",
                "logger": "kafka",
                "topic": self.topic,
                "partition": 0,
            }
            | columns
        )

    def _decide(self, kind: str) -> None:
        if self.release.zookeeper:
            self._say(
                self.controller,
                kind,
                leader_id=self.leader,
                leader_epoch=self.epoch,
                isr=list(self.isr),
                partition_epoch=self.partition_epoch,
            )

    # Records

    def produce(self, broker: Broker) -> None:
        """Clients write to any broker that considers itself the leader."""
        if not (broker.up and broker.role == "leader"):
            return
        acks = self.random.choice(("1", "all"))
        if acks == "all" and len(broker.isr) < self.min_isr:
            return
        for _ in range(self.random.randint(1, 5)):
            self.serial += 1
            broker.log.append((broker.epoch, self.serial, acks))
        self._advance(broker)

    def _advance(self, leader: Broker) -> None:
        """Advance the high watermark to the log end of the slowest ISR member."""
        if self.release.waits_for_min_isr and len(leader.isr) < min(self.min_isr, len(self.replicas)):
            return
        reached = min([leader.end, *[leader.reached.get(r, -1) for r in leader.isr if r != leader.id]])
        if reached > leader.high_watermark:
            leader.high_watermark = reached
            alone = self.leader == -1 and self.isr == [leader.id]  # its session timed out, but no other broker leads
            if (self.leader, self.epoch) == (leader.id, leader.epoch) or alone:
                self._commit(leader, max(self.committed, reached))

    def _commit(self, leader: Broker, offset: int) -> None:
        """Advance the commit point of a leader. Records that an earlier leader had committed stay committed as long
        as this one has them.
        """
        self.ever = leader.log[: max(offset, common(leader.log, self.ever))]
        self.committed = offset
        self.commits.append((self.now, offset))

    def _hear(self, one: int, other: int) -> bool:
        return self.brokers[one].up and self.brokers[other].up and not {one, other} & self.cut_off

    def fetch(self, follower: Broker) -> None:
        """A follower's fetch reports its log end to the leader; the response brings records and the high watermark."""
        if (
            follower.role != "follower"
            or follower.leader not in self.brokers
            or not self._hear(follower.id, follower.leader)
        ):
            return
        leader = self.brokers[follower.leader]
        if leader.role != "leader" or leader.epoch != follower.epoch:
            return
        if follower.to_cut:
            follower.to_cut = False
            self._cut(follower, common(follower.log, leader.log))
        if follower.end > leader.end:  # old format: ahead of its leader
            self._cut(follower, leader.end)
        if leader.reached.get(follower.id, -1) == leader.end or follower.end == leader.end:
            leader.caught_up[follower.id] = self.now
        leader.reached[follower.id] = follower.end
        eligible = (
            follower.id not in self.gone
            and leader.id not in self.cut_off
            and (leader.id, leader.epoch) == (self.leader, self.epoch)
        )
        if (
            follower.id not in leader.isr
            and eligible
            and not leader.pending
            and follower.end >= max(leader.high_watermark, leader.epoch_start)
        ):
            if self.release.version == "2.3.1":
                self._say(leader.id, "isr_expand", isr=sorted([*leader.isr, follower.id]))
            leader.caught_up[follower.id] = self.now
            self._change_isr(leader, sorted([*leader.isr, follower.id], key=self.replicas.index))
        self._advance(leader)
        follower.log += leader.log[follower.end : follower.end + self.random.choice((1, 3, 50))]
        follower.high_watermark = min(leader.high_watermark, follower.end)

    def _cut(self, broker: Broker, offset: int) -> None:
        if offset < broker.end:
            self._say(broker.id, "log_truncated_to", truncation_offset=offset)
            broker.log = broker.log[:offset]
            broker.high_watermark = min(broker.high_watermark, offset)
            broker.flushed = min(broker.flushed, offset)

    # ISR

    def shrink(self, leader: Broker) -> None:
        """A leader removes followers that lag too long from the ISR."""
        if not (leader.up and leader.role == "leader") or leader.pending:
            return
        slow = [
            r
            for r in leader.isr
            if r != leader.id
            and leader.reached.get(r, -1) != leader.end
            and self.now - leader.caught_up.get(r, 0) > LAG_MS
        ]
        if not slow:
            return
        rest = [r for r in leader.isr if r not in slow]
        replicas = " ".join(f"(brokerId: {r}, endOffset: {leader.reached.get(r, -1)})" for r in slow)
        self._say(
            leader.id,
            "isr_shrink",
            isr=rest,
            high_watermark=leader.high_watermark,
            log_end_offset=leader.end,
            details={"old_isr": ",".join(map(str, leader.isr)), "out_of_sync_replicas": replicas},
        )
        if leader.id in self.cut_off or (leader.id, leader.epoch, leader.partition_epoch) != (
            self.leader,
            self.epoch,
            self.partition_epoch,
        ):
            leader.pending = not self.release.cuts_to_high_watermark
            if self.release.cuts_to_high_watermark:
                self._say(leader.id, "isr_update_zk_version_conflict")
            return
        self._change_isr(leader, rest)

    def _change_isr(self, leader: Broker, isr: list[int]) -> None:
        self.isr, self.partition_epoch = list(isr), self.partition_epoch + 1
        leader.isr, leader.partition_epoch = list(isr), self.partition_epoch
        if self.release.version != "2.3.1":  # told at TRACE there
            self._say(leader.id, "isr_updated", isr=list(isr), partition_epoch=self.partition_epoch)
        if not self.release.zookeeper:
            self._skipped(leader)
        self._advance(leader)

    def _skipped(self, leader: Broker) -> None:
        self._say(
            leader.id,
            "leader_transition_skipped",
            leader_id=leader.id,
            leader_epoch=leader.epoch,
            partition_epoch=leader.partition_epoch,
            isr=list(leader.isr),
            replicas=self.replicas,
            high_watermark=leader.high_watermark,
        )

    # The controller

    def give_up(self, id_: int) -> None:
        """The controller's session with a broker times out."""
        if id_ in self.gone or (self.brokers[id_].up and id_ not in self.cut_off):
            return
        self.gone.add(id_)
        self._without(id_)

    def _without(self, id_: int) -> None:
        if self.leader == id_:
            self.elect()
        elif id_ in self.isr and len(self.isr) > 1:
            self.isr = [r for r in self.isr if r != id_]
            self.partition_epoch += 1
            self.epoch += self.release.zookeeper
            self._decide("replica_removed_from_isr")
            self._announce()

    def elect(self, among: Callable[[int], bool] = lambda _: True) -> None:
        """Elect a live ISR member, else, if unclean election is allowed, any live replica, else nobody."""
        live = [
            r for r in self.replicas if r not in self.gone | self.cut_off and self.brokers[r].up and among(r)
        ]  # the new leader learns of it
        clean = [r for r in live if r in self.isr]
        if not clean and not (live and self.unclean_allowed) and self.leader == -1:
            return
        before = {
            "previous_leader": self.leader,
            "previous_isr": ", ".join(map(str, self.isr)),
            "previous_leader_epoch": self.epoch,
            "previous_partition_epoch": self.partition_epoch,
        }
        if clean:
            self.leader, self.isr = clean[0], [r for r in self.isr if r in live]
        elif live and self.unclean_allowed:
            self.leader, self.isr = live[0], [live[0]]
        else:
            self.leader = -1
        self.epoch, self.partition_epoch = self.epoch + 1, self.partition_epoch + 1
        if self.leader >= 0:
            self._account(unclean=not clean)
        self._decide("partition_state_online_with_leader" if self.leader >= 0 else "replica_removed_from_isr")
        if self.leader >= 0 and not clean and not self.release.zookeeper:
            self._say(
                self.controller,
                "kraft_partition_changed_unclean",
                leader_id=self.leader,
                leader_epoch=self.epoch,
                isr=list(self.isr),
                partition_epoch=self.partition_epoch,
                message="UNCLEAN partition change: isr: [...] -> [...]",
                details={name: str(value) for name, value in before.items()},
            )
        self._announce()

    def _account(self, unclean: bool) -> None:
        """Record what the change lost. The old leader's log is final only when it stops acting as leader."""
        new = self.brokers[self.leader]
        for earlier in self.changes:
            if earlier.old == new.id and earlier.old_log is None:  # it never learned that it was no longer the leader
                self._settle(earlier, new.log, new.high_watermark)
        change = Change(
            self.epoch, self.now, self.leader, self.last_leader, list(new.log), self.committed, unclean, self.ever
        )
        self.changes.append(change)
        if change.old == change.new and new.role == "leader":  # it returned after a timeout, as the only one
            self._settle(change, new.log, new.high_watermark)
        elif self.brokers[change.old].role != "leader":
            old = self.brokers[change.old]
            never_told = (
                change.old,
                self.elected_in,
                old.log,
                old.high_watermark,
            )  # elected, but it did not learn of it
            reign = next(
                (reign for reign in reversed(self.reigns) if reign[0] == change.old and reign[1] >= self.elected_in),
                never_told,
            )
            self._settle(change, *reign[2:])
        self.elected_in = self.epoch
        self.last_leader = self.leader
        self.fallen = unclean or new.end < self.committed

    def _announce(self) -> None:
        for id_ in self.random.sample(self.replicas, len(self.replicas)):
            if self.brokers[id_].up and id_ not in self.cut_off and id_ not in self.gone:
                self._take_role(self.brokers[id_])

    def _take_role(self, broker: Broker) -> None:
        """A broker learns the state of the partition and takes its role."""
        if (broker.epoch, broker.partition_epoch) == (self.epoch, self.partition_epoch) and broker.role is not None:
            return
        self.now += self.random.randint(0, 120)
        if not broker.loaded:
            broker.loaded = True
            if self.release.zookeeper or self.leader >= 0:
                self._say(
                    broker.id,
                    "partition_log_loaded",
                    high_watermark=broker.high_watermark,
                    template_id="PRT-109" if self.release.version == "2.3.1" else "PRT-094",
                )
        previous, known = broker.epoch, broker.role is not None
        if self.leader == broker.id:
            self._lead(broker, previous if known else -1)
        else:
            self._follow(broker, previous if known else -1)

    def _lead(self, broker: Broker, previous: int) -> None:
        if broker.role == "leader" and broker.epoch == self.epoch:
            broker.isr, broker.partition_epoch, broker.pending = list(self.isr), self.partition_epoch, False
            self._skipped(broker)
            self._advance(broker)
            return
        if broker.role != "leader":
            broker.reached, broker.caught_up = {}, dict.fromkeys(self.isr, self.now)
        broker.role, broker.leader, broker.epoch, broker.partition_epoch = (
            "leader",
            broker.id,
            self.epoch,
            self.partition_epoch,
        )
        broker.isr, broker.epoch_start, broker.pending, broker.to_cut = list(self.isr), broker.end, False, False
        details = {"previous_leader_epoch": str(previous)}
        if self.release.cuts_to_high_watermark:
            self._request(broker)
            self._say(
                broker.id,
                "leader_start",
                leader_id=broker.id,
                leader_epoch=broker.epoch,
                epoch_start_offset=broker.end,
                details=details,
            )
        else:
            told = {} if self.release.zookeeper else {"partition_epoch": broker.partition_epoch}
            self._say(
                broker.id,
                "leader_start",
                leader_id=broker.id,
                leader_epoch=broker.epoch,
                epoch_start_offset=broker.end,
                high_watermark=broker.high_watermark,
                isr=list(broker.isr),
                details=details,
                **told,
            )
        if self.fallen:  # a new history: it begins with what this leader knows
            self.fallen = False
            self._commit(broker, min(broker.high_watermark, broker.end))
        self._advance(broker)

    def _request(self, broker: Broker) -> None:
        self._say(
            broker.id,
            "broker_leader_and_isr_received",
            broker_id=broker.id,
            leader_id=self.leader,
            leader_epoch=self.epoch,
            partition_epoch=self.partition_epoch,
            isr=list(self.isr),
            replicas=self.replicas,
        )

    def _follow(self, broker: Broker, previous: int) -> None:
        self._end_reign(broker)
        same = broker.role == "follower" and broker.leader == self.leader
        if broker.role == "follower" and broker.epoch == self.epoch:
            broker.partition_epoch = self.partition_epoch
            return
        broker.role, broker.leader, broker.epoch, broker.partition_epoch = (
            "follower",
            self.leader,
            self.epoch,
            self.partition_epoch,
        )
        if self.release.cuts_to_high_watermark:
            self._request(broker)
            if not same and self.leader >= 0:
                self._say(broker.id, "truncation_to_hw", leader_id=self.leader, high_watermark=broker.high_watermark)
                self._cut(broker, broker.high_watermark)
            return
        told = {"leader_id": self.leader, "partition_epoch": self.partition_epoch} if not self.release.zookeeper else {}
        if self.leader >= 0 or not self.release.zookeeper:
            self._say(
                broker.id,
                "follower_start",
                leader_epoch=self.epoch,
                log_end_offset=broker.end,
                high_watermark=broker.high_watermark,
                details={"previous_leader_epoch": str(previous if self.release.zookeeper else self.epoch)},
                **told,
            )  # 3.6-4.1 print the new one
        broker.to_cut = self.leader >= 0

    def _end_reign(self, broker: Broker) -> None:
        if broker.role == "leader":
            self.reigns.append((broker.id, broker.epoch, list(broker.log), broker.high_watermark))
            for change in self.changes:
                if change.old == broker.id and change.old_log is None:
                    self._settle(change, broker.log, broker.high_watermark)

    def _settle(self, change: Change, log: list[Record], high_watermark: int) -> None:
        change.old_log, change.committed = list(log), max(change.committed, high_watermark)

    # Faults

    def crash(self, broker: Broker) -> None:
        """Kill a broker: the page cache survives. If it also loses power, unflushed records are lost."""
        if not broker.up:
            return
        self._end_reign(broker)
        broker.up, broker.clean, broker.role = False, False, None
        if self.power:
            broker.log = broker.log[: self.random.randint(min(broker.flushed, broker.end), broker.end)]
        self.todo.append((self.now + self.random.randint(*DETECTED_MS), lambda: self.give_up(broker.id)))

    def stop(self, broker: Broker) -> None:
        """A controlled shutdown: leadership moves first."""
        if not broker.up or broker.id in self.cut_off or broker.id in self.gone:
            return
        self._say(broker.id, "broker_shutdown_begin", topic=None)
        if self.leader == broker.id and any(
            r in self.isr and r not in self.gone and r != broker.id for r in self.replicas
        ):
            self.elect(lambda r: r != broker.id)
        elif self.leader != broker.id:
            self._without(broker.id)
        self._end_reign(broker)
        self._say(broker.id, "broker_shutdown_done", topic=None)
        broker.saved, broker.flushed = broker.high_watermark, broker.end
        broker.up, broker.clean, broker.role = False, True, None
        self.give_up(broker.id)

    def start(self, broker: Broker) -> None:
        if broker.up:
            return
        self.give_up(broker.id)
        self.now += self.random.randint(1_000, 3_000)
        self._say(broker.id, "process_start_line", topic=None)
        if not broker.clean:
            self._say(broker.id, "log_dir_unclean_shutdown", topic=None)
        self._say(broker.id, "log_load_completed", log_end_offset=broker.end, log_start_offset=0)
        self._say(
            broker.id,
            "process_version",
            topic=None,
            template_id="SRV-213",
            details={"kafka_version": self.release.version},
        )
        broker.up, broker.loaded, broker.epoch, broker.partition_epoch = True, False, -1, -1
        broker.high_watermark, broker.flushed = min(broker.saved, broker.end), broker.end
        self._return(broker)

    def cut(self, broker: Broker) -> None:
        """Cut a broker off: it is alive and keeps its view of the partition."""
        if broker.up and not self.cut_off:
            self.cut_off.add(broker.id)
            self.todo.append((self.now + self.random.randint(*DETECTED_MS), lambda: self.give_up(broker.id)))

    def heal(self, broker: Broker) -> None:
        if broker.id in self.cut_off:
            self.cut_off.discard(broker.id)
            self._return(broker)

    def _return(self, broker: Broker) -> None:
        self.gone.discard(broker.id)
        if self.leader == -1:
            self.elect()
        self._take_role(broker)

    def prefer(self) -> None:
        first = self.replicas[0]
        if (
            first in self.isr
            and first not in self.gone | self.cut_off
            and self.brokers[first].up
            and self.leader not in (first, -1)
            and self.brokers[self.leader].up
            and self.leader not in self.cut_off
        ):
            self.leader, self.epoch, self.partition_epoch = first, self.epoch + 1, self.partition_epoch + 1
            self._account(unclean=False)
            self._decide("partition_state_online_with_leader")
            self._announce()

    # Time

    def play(self, steps: int) -> History:
        """Let `steps` things happen; at the end all brokers are back, and nothing more is written."""
        for _ in range(steps):
            self._pass(self.random.choice((20, 60, 200, 500)))
            broker = self.random.choice(list(self.brokers.values()))
            act = self.random.random()
            if act < 0.02:
                self.crash(broker)
            elif act < 0.03:
                self.stop(broker)
            elif act < 0.045:
                self.cut(broker)
            elif act < 0.06:
                self.prefer()
            elif act < 0.10:
                self.start(broker)
                self.heal(broker)
            elif act < 0.13:
                self._pass(self.random.randint(2_000, 12_000))
            elif act < 0.16:
                broker.flushed = broker.end
            elif act < 0.45:
                for one in self.brokers.values():
                    self.produce(one)
            else:
                self.fetch(broker)
            for one in self.brokers.values():
                self.shrink(one)
        self._pass(DETECTED_MS[1] + 1_000)
        for broker in self.brokers.values():
            self.start(broker)
            self.heal(broker)
        for _ in range(12):
            self._pass(400)
            for broker in self.brokers.values():
                self.fetch(broker)
        for broker in self.brokers.values():
            for change in self.changes:
                if change.old == broker.id and change.old_log is None:
                    self._settle(change, broker.log, broker.high_watermark)
        self.kept = set(self.brokers[self.leader].log) if self.leader >= 0 else set()
        return self

    def _pass(self, ms: int) -> None:
        end = self.now + ms
        for due, act in sorted(self.todo, key=lambda one: one[0]):
            if due <= end:
                self.todo = [one for one in self.todo if one[1] is not act]
                self.now = max(self.now, due)
                act()
        self.now = max(self.now, end)
        for broker in self.brokers.values():
            if broker.up and broker.role and self.now // SAVED_MS != (self.now - ms) // SAVED_MS:
                broker.saved = broker.high_watermark
