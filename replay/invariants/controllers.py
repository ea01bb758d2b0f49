"""Controller epochs and broker epochs: I9, I27."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from replay.facts.lines import detail_number
from replay.facts.order import less, nulls_first
from replay.facts.reads import reads
from replay.facts.times import first_known
from replay.invariants.shape import broken, first, shown
from replay.tables.brokers import BrokerSession
from replay.tables.invariants import Violation
from replay.tables.reading import Fact

_BY_ZOOKEEPER, _BY_QUORUM = ("controller_elected", "controller_failover_complete"), "kraft_controller_activated"
_REGISTERED = "broker_registered_zk"

_Claimed = tuple[int, int, Fact]  # a controller, the controller epoch it claims, and its line


@reads(*_BY_ZOOKEEPER, _BY_QUORUM)
def controllers_disagree(facts: Iterable[Fact]) -> Iterator[Violation]:
    """I9: one controller per controller epoch, and each controller's epochs in the order of its own clock. Checks
    ZooKeeper and the quorum separately.
    """
    facts = list(facts)
    of_zookeeper = list(_claims(fact for fact in facts if fact.kind in _BY_ZOOKEEPER))
    yield from _two_controllers_of_one_epoch(of_zookeeper)
    yield from _two_controllers_of_one_epoch(_claims(fact for fact in facts if fact.kind == _BY_QUORUM))
    yield from _controller_epoch_went_back(of_zookeeper)


def _claims(facts: Iterable[Fact]) -> Iterator[_Claimed]:
    for fact in facts:
        controller = first_known(fact.controller_id, fact.node_id)
        epoch = first_known(fact.controller_epoch, detail_number(fact, "new_epoch"))
        if controller is not None and epoch is not None:
            yield controller, epoch, fact


def _two_controllers_of_one_epoch(claims: Iterable[_Claimed]) -> Iterator[Violation]:
    by_epoch: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for controller, epoch, fact in claims:
        by_epoch[epoch].append((controller, fact.event_id))
    for epoch, sides in by_epoch.items():
        controllers = sorted({controller for controller, _ in sides})
        if len(controllers) > 1:
            detail = f"controller epoch {epoch} has the controllers {shown(controllers)}"
            yield broken("I9", detail, min(sides)[1], max(sides)[1])


def _controller_epoch_went_back(claims: Iterable[_Claimed]) -> Iterator[Violation]:
    highest: dict[int, tuple[int, str]] = {}
    fell: dict[int, tuple[int, str, tuple[int, str]]] = {}
    for controller, epoch, fact in sorted(claims, key=lambda claim: nulls_first(claim[2].ts, claim[2].line_number)):
        was = highest.get(controller)
        if was is not None and was[0] > epoch:
            one = (controller, fact.event_id, was)
            fell[epoch] = min(one, fell.get(epoch, one))
        highest[controller] = max((epoch, fact.event_id), was or (epoch, fact.event_id))
    for epoch, (controller, event_id, (earlier, earlier_event)) in fell.items():
        detail = f"broker {controller} became controller in epoch {epoch} after epoch {earlier}"
        yield broken("I9", detail, earlier_event, event_id)


@reads(_REGISTERED)
def broker_epochs_fall(sessions: Sequence[BrokerSession], facts: Iterable[Fact]) -> Iterator[Violation]:
    """I27: a broker's epochs grow over its sessions. Checks epochs from ZooKeeper and from the metadata log
    separately.
    """
    by_zookeeper = {
        (first_known(fact.node_id, fact.broker_id), fact.broker_epoch) for fact in facts if fact.kind == _REGISTERED
    }
    of_broker: dict[tuple[int | None, bool], list[BrokerSession]] = defaultdict(list)
    for session in sessions:
        if session.broker_epoch is not None:
            of_broker[session.broker_id, (session.broker_id, session.broker_epoch) in by_zookeeper].append(session)
    for (broker, _), own in of_broker.items():
        own.sort(key=lambda session: nulls_first(first_known(session.start_ts, session.end_ts)))
        for earlier, session in pairwise(own):
            if less(session.broker_epoch, earlier.broker_epoch):
                detail_ = (
                    f"broker {broker} registered with broker epoch {session.broker_epoch}, after {earlier.broker_epoch}"
                )
                yield broken("I27", detail_, first(earlier.evidence), first(session.evidence))
