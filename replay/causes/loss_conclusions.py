"""Losses and unclean elections as conclusions: ranges, premises, and what made them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.causes.conclusions import Causes, EffectGroup, conclusion, conclusion_id, effect_groups
from replay.causes.fault_conclusions import HARMFUL_DISCARD
from replay.causes.incidents import Incidents
from replay.causes.predicates import predicate_of
from replay.causes.rules import BEGUN_BEFORE
from replay.facts.evidence import of_rows
from replay.facts.order import at_most, less
from replay.facts.times import first_known, greatest, known, least
from replay.faults.kinds import DOWN
from replay.faults.shape import of_kind
from replay.histories.scenarios import UNKNOWN_WAY
from replay.sentences import Statement, statement
from replay.sentences.wording import whole
from replay.tables.causes import Conclusion, Effect, OpenLoss, RootSpan
from replay.tables.faults import Fault
from replay.tables.losses import Loss, gone_ts, is_found
from replay.tables.partitions import TopicSetting


def conclusions_of_losses(
    open_losses: Iterable[OpenLoss], causes: Causes, root_spans: Iterable[RootSpan]
) -> Iterator[Conclusion]:
    """The ledger in conclusions: one an incident, class, verdict, scenario and cause."""
    first_codes = Incidents(root_spans).first_codes
    alike: dict[tuple[str | None, ...], list[OpenLoss]] = {}
    for loss in open_losses:
        cause = first_known(
            causes.code(loss.root_ids), causes.code(loss.election_root_ids), first_codes.get(loss.incident_id or "")
        )
        alike.setdefault(
            (loss.incident_id, cause, loss.loss_class, loss.verdict, loss.scenario, _dated(loss)), []
        ).append(loss)
    for (incident, cause, *_, _), losses in alike.items():
        yield _as_conclusion(Lost(incident, cause, tuple(losses)), causes)


def _dated(loss: Loss) -> str | None:
    """`begun_before` for a loss that its first line shows; part of its key and of the id of its conclusion."""
    return BEGUN_BEFORE if is_found(loss) else None


@dataclass(frozen=True)
class Lost:
    """Losses of one incident, class, verdict, scenario and cause."""

    incident_id: str | None
    cause: str | None
    losses: tuple[OpenLoss, ...]

    @property
    def is_committed(self) -> bool:
        return bool(self.losses[0].loss_class == "committed")

    @property
    def verdict(self) -> str:
        return str(self.losses[0].verdict)

    @property
    def low(self) -> int | None:
        sizes = [loss.to_offset_low - loss.from_offset for loss in self.losses if loss.to_offset_low is not None]
        return sum(sizes) if sizes else None

    @property
    def high(self) -> int | None:
        """None where one of them is not known."""
        if any(loss.to_offset_high is None for loss in self.losses):
            return None
        return sum(int(loss.to_offset_high - loss.from_offset) for loss in self.losses)

    @property
    def partitions(self) -> list[str]:
        return sorted({f"{loss.topic}-{loss.partition}" for loss in self.losses})

    @property
    def ranges(self) -> list[str]:
        """Each range in words, without the separators of a list."""
        return sorted({_in_words(loss) for loss in self.losses})

    @property
    def severity(self) -> str:
        if self.is_committed:
            return {"PROVEN_LOSS": "critical", "POSSIBLE_LOSS": "high"}.get(self.verdict, "medium")
        return "low" if self.high is not None and self.high < HARMFUL_DISCARD else "medium"


def _in_words(loss: Loss) -> str:
    until = "unknown" if loss.to_offset_high is None else loss.to_offset_high
    begin = "null" if loss.from_offset is None else loss.from_offset
    return f"{loss.topic}-{loss.partition} [{begin},{until})"


def _as_conclusion(lost: Lost, causes: Causes) -> Conclusion:
    losses, is_proven = lost.losses, lost.verdict == "PROVEN_LOSS"
    elected_ts = _found_gone_ts(losses)
    listed_first = min(losses, key=_in_words)
    kind = (losses[0].loss_class, lost.verdict, losses[0].scenario, lost.cause, _dated(losses[0]))
    is_acked = not lost.is_committed and lost.verdict == "POSSIBLE_LOSS"
    return conclusion(
        id=conclusion_id("loss", lost.incident_id, elected_ts, *kind),
        incident_id=lost.incident_id,
        code=losses[0].scenario or UNKNOWN_WAY,
        role="effect",
        severity=lost.severity,
        title=_title(lost),
        statements=[
            statement("lost_ranges", all_ranges=lost.ranges),
            *_when_written(losses),
            *_kept_from_copying(losses, causes),
            statement("records_truncated", **_truncated_between(losses)) if _truncated_between(losses) else None,
            statement("premise", premise=listed_first.premise, several=len(lost.ranges) > 1),
            statement("offsets_are_not_records") if lost.is_committed and is_proven else None,
            statement("acks_not_logged") if is_acked else None,
        ],
        not_logged=[
            statement("premise_missing", premise=listed_first.premise) if lost.verdict == "UNDETERMINED" else None
        ],
        **_when_gone(losses),
        broker_ids=_old_leaders(losses),
        partitions=lost.partitions,
        confidence={"PROVEN_LOSS": 0.99, "POSSIBLE_LOSS": 0.8}.get(lost.verdict, 0.5),
        evidence=of_rows(((loss.ts, loss.evidence) for loss in losses), each=6),
    )


def written_between(losses: Sequence[Loss]) -> dict[str, datetime | None]:
    """Between which times the records of these losses were written, as far as that is known of all; nothing where it is of none."""
    lows, highs = [loss.written_low for loss in losses], [loss.written_high for loss in losses]
    low = None if None in lows else least(*lows)
    high = None if None in highs else greatest(*highs)
    if low is not None and high is not None:
        return {"at_low": low, "at_high": high}
    return {"at_after": low} if low is not None else {"at_before": high} if high is not None else {}


def _when_written(losses: Sequence[Loss]) -> Iterator[Statement]:
    times, split = written_between(losses), by_election(losses)
    if times:
        yield statement("records_written", **times)
    if split:
        yield statement("split_by_election", n=len(losses), **split)


def _kept_from_copying(losses: Sequence[OpenLoss], causes: Causes) -> Iterator[Statement]:
    """The faults that kept the next leaders from copying the records, with the number of partitions."""
    kept = [loss for loss in losses if loss.contributing_ids]
    contributing = dict.fromkeys(root for loss in kept for root in loss.contributing_ids or ())
    descriptions = [
        f"broker {one.broker_id} {predicate_of(one, {}, None)}"
        for one in causes.behind(contributing)
        if one.broker_id is not None
    ]
    if descriptions:
        yield statement(
            "next_leaders_kept",
            all_faults=descriptions,
            count=len(kept),
            some=len(kept) if len(kept) < len(losses) else None,
        )


def by_election(losses: Iterable[Loss]) -> dict[str, object]:
    """How many of the offsets are from before and from after the elections of new leaders; empty for committed records, and
    where the ledger has no bounds for one of them.
    """
    rows = list(losses)
    before_low, after_low = _sum(row.before_low for row in rows), _sum(row.after_low for row in rows)
    if not rows or before_low is None or after_low is None:
        return {}
    before_high, after_high = _sum(row.before_high for row in rows), _sum(row.after_high for row in rows)
    if 0 in (before_high, after_high):
        return {"all_after" if before_high == 0 else "all_before": True}
    if not before_low and not after_low:
        return {"unknown": True}
    return {"before": _how_many(before_low, before_high), "after": _how_many(after_low, after_high)}


def _sum(numbers: Iterable[int | None]) -> int | None:
    """The sum; None if one of them is unknown."""
    every = list(numbers)
    return None if None in every else sum(known(every))


def _how_many(low: int, high: int | None) -> str:
    if high is None:
        return f"at least {whole(low)}" if low else "an unknown number"
    if low == high:
        return whole(low)
    return f"{whole(low)} to {whole(high)}" if low else f"at most {whole(high)}"


def _truncated_between(losses: Sequence[Loss]) -> dict[str, object]:
    """Which brokers truncated them, as far as lines show it, and when; empty unless the time is known for the former
    leader of each.
    """
    if any(loss.cut_ts is None for loss in losses):
        return {}
    first, last = _first_cut_ts(losses), greatest(*(loss.cut_ts for loss in losses))
    times = {"at_once": first} if first == last else {"at_first": first, "at_last": last}
    brokers = sorted({broker for loss in losses for broker in loss.cut_by or ()})
    return {"all_brokers": brokers, "several": len(brokers) > 1, **times}


def _first_cut_ts(losses: Sequence[Loss]) -> datetime | None:
    return least(*(first_known(*(loss.cut_times or ()), loss.cut_ts) for loss in losses))


def _old_leaders(losses: Sequence[Loss]) -> list[int]:
    return sorted(set(known(loss.old_leader_id for loss in losses)))


def _when_gone(losses: Sequence[Loss]) -> dict[str, datetime | None]:
    """When the first truncation began and the last of the losses was complete. If lines do not show this for all of
    them, some time after the election of the new leader; if the new leaders already led in their first lines, by then.
    """
    if all(map(is_found, losses)):
        found_ts = _found_gone_ts(losses)
        cuts = [ts for loss in losses for ts in loss.cut_times or ()]
        return {"start_ts": found_ts, "end_ts": greatest(found_ts, *cuts), "began_high": found_ts}
    gone = [gone_ts(loss) for loss in losses]
    is_dated = all(loss.cut_ts is not None for loss in losses)
    begun = least(_first_cut_ts(losses), *gone) if is_dated else least(*gone)
    return {"start_ts": begun, "end_ts": greatest(*gone), "began_low": None if is_dated else least(*gone)}


def _found_gone_ts(losses: Sequence[Loss]) -> datetime | None:
    """The first line that shows the new leader of one of them."""
    return least(*(loss.ts for loss in losses))


def _title(lost: Lost) -> Statement:
    return statement(_title_reason(lost), low=lost.low, high=lost.high, partitions=len(lost.partitions))


def _title_reason(lost: Lost) -> str:
    is_unknown = lost.high is None
    if lost.verdict == "UNDETERMINED":
        return "loss_unknown"
    if not lost.is_committed and lost.verdict == "POSSIBLE_LOSS":
        return "uncommitted_discarded_unknown" if is_unknown else "uncommitted_discarded"
    if not lost.is_committed:
        return "loss_unknown"
    if lost.verdict == "POSSIBLE_LOSS":
        return "committed_possibly_lost_unknown" if is_unknown else "committed_possibly_lost"
    if lost.high is None:
        return "committed_lost_at_least"
    return "committed_lost_up_to" if lost.low is not None and lost.low < lost.high else "committed_lost"


def unclean_elections(
    effects: Sequence[Effect],
    topic_settings: Iterable[TopicSetting],
    open_losses: Sequence[OpenLoss],
    faults: Sequence[Fault],
) -> Iterator[Conclusion]:
    """F16, and apart from it the partitions that fell back to their last known leader (KIP-966)."""
    back = [effect for effect in effects if effect.elected_from == "last_known_leader"]
    elsewhere = [effect for effect in effects if effect.elected_from != "last_known_leader"]
    settings = list(topic_settings)
    allowed = [setting for setting in settings if setting.unclean_allowed]
    forbidden = {setting.topic for setting in settings if setting.unclean_allowed is False}
    for group in effect_groups(back, "last_known_leaders"):
        yield _fell_back(group)
    for group in effect_groups(elsewhere, "unclean_elections"):
        topics = {name.rsplit("-", 1)[0] for name in group.partitions}
        yield _unclean(
            group,
            [one for one in allowed if one.topic in topics and not less(group.end_ts, one.unclean_set_ts)],
            sorted(topics & forbidden),
            _other_holders_down(group, open_losses, faults),
        )


def likely_unclean_elections(
    open_losses: Iterable[OpenLoss], topic_settings: Iterable[TopicSetting]
) -> Iterator[Conclusion]:
    """F16, likely: leaders that lack committed records, of topics that allow unclean elections, while other replicas that are
    there had them. No line shows the elections.
    """
    allowed = {setting.topic: setting for setting in topic_settings if setting.unclean_allowed}
    of_incidents: dict[str | None, list[OpenLoss]] = {}
    for loss in open_losses:
        is_unseen = loss.scenario is None and loss.verdict == "PROVEN_LOSS" and loss.loss_class == "committed"
        if is_unseen and loss.topic in allowed and loss.new_leader_id is not None and loss.cut_by:
            of_incidents.setdefault(loss.incident_id, []).append(loss)
    for incident_id, losses in of_incidents.items():
        yield _likely_unclean(
            incident_id, losses, [allowed[topic] for topic in sorted({loss.topic for loss in losses})]
        )


def _likely_unclean(incident_id: str | None, losses: Sequence[OpenLoss], allowed: Sequence[TopicSetting]) -> Conclusion:
    start_ts = _found_gone_ts(losses)
    leaders = sorted({loss.new_leader_id for loss in losses})
    names = sorted({f"{loss.topic}-{loss.partition}" for loss in losses})
    return conclusion(
        id=conclusion_id("likely_unclean_elections", incident_id, start_ts),
        incident_id=incident_id,
        code="F16",
        role="contributing",
        severity="high",
        title=statement("likely_unclean_election", partitions=len(names), all_brokers=leaders),
        statements=[
            statement(
                "leads_without_committed",
                all_brokers=leaders,
                all_names=names,
                all_holders=sorted({broker for loss in losses for broker in loss.cut_by or ()} - set(leaders)),
            ),
            statement("unclean_is_allowed", all_topics=[one.topic for one in allowed]),
        ],
        start_ts=start_ts,
        began_high=start_ts,
        broker_ids=leaders,
        partitions=names,
        confidence=0.8,
        not_logged=[statement("whether_unclean")],
        evidence=[
            *of_rows(((loss.ts, loss.evidence) for loss in losses), each=2),
            *known(one.setting_event for one in allowed),
        ],
    )


def _other_holders_down(group: EffectGroup, losses: Iterable[OpenLoss], faults: Iterable[Fault]) -> list[int]:
    """Brokers that held some of the lost records, beside the former leaders, and were down at the election."""
    lost = [loss for loss in losses if loss.scenario == "S4" and loss.incident_id == group.incident_id]
    holders = {broker for loss in lost for broker in loss.cut_by or ()} - set(_old_leaders(lost))
    down = of_kind(faults, *DOWN)
    return sorted(
        holder
        for holder in holders
        if any(
            one.broker_id == holder
            and at_most(first_known(one.began_high, one.ts), group.start_ts)
            and (one.end_ts is None or less(group.end_ts, one.end_ts))
            for one in down
        )
    )


def _fell_back(group: EffectGroup) -> Conclusion:
    return conclusion(
        id=conclusion_id("last_known_leaders", group.incident_id, group.start_ts),
        code="F16",
        role="contributing",
        severity="high",
        title=statement("fell_back_to_last_leader", **_names(group)),
        statements=[statement("given_back_to_last_leader", **_names(group))],
        confidence=0.98,
        **group.what,
    )


def _unclean(
    group: EffectGroup, allowed: Sequence[TopicSetting], forbidden: Sequence[str], holders_down: Sequence[int]
) -> Conclusion:
    """`allowed`: the settings of topics that allowed such elections by then; `forbidden`: the topics that forbid them
    according to lines, so that no controller starts one automatically.
    """
    late = sorted((one for one in allowed if one.unclean_set_ts), key=lambda one: (one.unclean_set_ts, one.topic))
    return conclusion(
        id=conclusion_id("unclean_elections", group.incident_id, group.start_ts),
        code="F16",
        role="contributing",
        severity="critical",
        title=statement("unclean_election", **_names(group)),
        statements=[
            statement("elected_outside_isr", **_names(group)),
            statement("other_holders_were_down", all_brokers=holders_down, brokers=len(holders_down))
            if holders_down
            else None,
            statement("unclean_was_set", at=late[0].unclean_set_ts, all_topics=[one.topic for one in late])
            if late
            else None,
            statement("unclean_was_allowed") if len(late) < len(allowed) else None,
            statement("unclean_was_ordered", all_topics=forbidden) if forbidden else None,
        ],
        confidence=0.98,
        **{**group.what, "evidence": [*group.evidence, *(one.unclean_set_event for one in late)]},
    )


def _names(group: EffectGroup) -> dict[str, object]:
    return {"partitions": len(group.partitions), "all_brokers": group.brokers, "all_names": group.partitions}
