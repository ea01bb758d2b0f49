"""The statements about an incident, from its record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from replay.availability.harm import OF_LEADERS
from replay.availability.outages import SESSION_LOST
from replay.causes.alike_waits import alike_waits
from replay.causes.crash_loops import crash_loops
from replay.causes.incident import FELT_MS, PROVEN, SEVERITIES, UNDETERMINED, Incident, Loss, Root, within_a_sentence
from replay.causes.loss_conclusions import by_election
from replay.facts.groups import by_key, grouped
from replay.facts.times import first_known, greatest, in_whole_seconds, known, least, millis, plus_millis
from replay.faults.kinds import CRASHES, CUTS, ORDERED_STOPS
from replay.faults.shape import peers_of
from replay.reading.names import INTERNAL_TOPICS
from replay.sentences import Statement, statement
from replay.sentences.incidents import AFTERWARDS, CONTRIBUTED, INCIDENT_SENTENCES, LOST, STILL, UNANSWERED, WHY_LOST
from replay.sentences.spans import altogether, duration, rounded_down, rounded_up, span
from replay.sentences.statement import LIST_SEPARATOR
from replay.sentences.wording import enumerated, whole
from replay.tables.availability import TopicDowntime
from replay.tables.causes import OpenLoss, UnansweredWrites
from replay.tables.faults import Fault
from replay.tables.losses import OPEN_VERDICTS

ONE_MOMENT_MS = 3_000  # two begins within this time are "at the same time"
SAME_TIME_MS = 1_000  # a begin that is known to the second reads as one moment


def title(incident: Incident) -> Statement:
    """The first root; other nodes with the same fault, at the same time or later; what else went wrong."""
    root = incident.root
    if root is None:
        return statement("no_known_root")
    more = _titles_of_others(incident, root)
    return statement(
        "began_with",
        first=root.title,
        more=more[0] if more else None,
        others=len(more) - 1 if len(more) > 1 else None,
        quorum=incident.lost_its_quorum,
        missing=incident.missing_voters,
        ordered=incident.lost_by_order,
        **_others_at_once(incident, root),
    )


def _titles_of_others(incident: Incident, root: Root) -> list[str]:
    """The titles of the root causes of other kinds that are not routine work, each once, the worst first, as they read
    within a sentence.
    """
    others = [one for one in incident.causes if one.what != root.what and not one.is_routine]
    others.sort(key=lambda one: SEVERITIES.index(one.finding.severity))
    return list(dict.fromkeys(within_a_sentence(one.title) for one in others))


def _alike(incident: Incident, root: Root) -> list[Root]:
    """The root causes of the same kind with the same witness, including itself; for a cut link, those of the same link.
    Empty for requested work.
    """
    if root.broker_id is None or root.is_asked_for:
        return []
    return [one for one in incident.causes if one.what == root.what]


def _others_at_once(incident: Incident, root: Root) -> dict[str, Any]:
    """The nodes with the same fault: at the same time or later if the bounds prove it, otherwise in an unknown order.
    The order of two faults is unknown if their bounds overlap.
    """
    alike = _alike(incident, root)
    others = [one for one in alike if one.broker_id not in (None, root.broker_id)]
    until = plus_millis(root.finding.start_ts, ONE_MOMENT_MS)
    near = [
        one
        for one in others
        if one.is_open_downwards or one.finding.start_ts <= until or one.began_low <= root.began_high
    ]
    at_once = [one for one in near if _are_at_once(root, one)]
    return {
        **_named("all_{}_at_once", at_once),
        **_named("all_{}_too", [one for one in near if one not in at_once]),
        **_named("all_{}_then", [one for one in others if one not in near]),
        **_how_often(alike),
    }


def _are_at_once(one: Root, other: Root) -> bool:
    """Whether they are at the same time for all possible begins within their bounds."""
    if one.is_open_downwards or other.is_open_downwards:
        return False
    earliest, latest = min(one.began_low, other.began_low), max(one.began_high, other.began_high)
    return (millis(latest, earliest) or 0) <= ONE_MOMENT_MS


def _how_often(alike: Sequence[Root]) -> dict[str, Any]:
    """How many times it happened, if one broker had it more than once; within what time the broker died, if it died
    in a loop.
    """
    loops = crash_loops(known(one.fault for one in alike))
    return {
        "often": len(alike) if len(alike) > len({one.broker_id for one in alike}) else None,
        "loop": how_long_a_loop(max(loops, key=len)) if loops else None,
    }


def how_long_a_loop(deaths: Sequence[Fault]) -> str:
    """The longest possible time from the first death of a crash loop to the last."""
    first_ts, last_ts = (
        first_known(deaths[0].began_low, deaths[0].ts),
        first_known(deaths[-1].began_high, deaths[-1].ts),
    )
    return rounded_up(millis(last_ts, first_ts) or 0)


def brokers_of(roots: Iterable[Root]) -> list[int | None] | None:
    """The nodes at fault, each once; None if there are none."""
    return list(dict.fromkeys(root.broker_id for root in roots)) or None


def by_role(roots: Iterable[Root]) -> list[dict[str, Any]]:
    """The nodes at fault: the brokers, the nodes that are only controllers, and those of an unknown role."""
    return [{name: nodes} for name, nodes in sorted(_named("all_{}", roots).items())]


def _named(name: str, roots: Iterable[Root]) -> dict[str, list[int | None] | None]:
    """The nodes at fault by role, as arguments named `name` with the role."""
    return {name.format(role): brokers_of(own) for role, own in grouped(list(roots), lambda root: root.role).items()}


def _in_words(roots: Iterable[Root]) -> str:
    """The nodes at fault, each with its role: `controllers 101 and 102 and broker 1`."""
    return " and ".join(
        enumerated([str(node) for node in nodes or ()], role.removesuffix("s"), role)
        for role, nodes in _named("{}", sorted(roots, key=lambda root: root.began_high)).items()
    )


def what_happened(incident: Incident) -> str:
    """What happened: lost records, the first fault, and the effects on producers."""
    absent = incident.without_controller
    for_time = span(absent.low_ms, absent.high_ms) if absent.high_ms else None
    lost = statement(
        "quorum_lost", missing=incident.missing_voters, for_time=for_time, all_brokers=incident.fenced_late or None
    )
    quorum = [lost] if incident.lost_its_quorum else []
    stale = [statement("two_leaders", **_who_led_on(incident))] if incident.stale else []
    statements = [
        *_loss_first(incident),
        *_beginning(incident),
        *_made_worse(incident),
        *(statement("fewer_replicas", **fault.arguments) for fault in incident.lowered),
        *quorum,
        *_who_deposed(incident),
        *_late_isr_changes(incident),
        *stale,
        *_what_writers_felt(incident),
        *_waited_in_a_row(incident),
    ]
    return INCIDENT_SENTENCES.sentences((one.reason, one.arguments) for one in incident.closed(statements))


def _who_deposed(incident: Incident) -> Iterator[Statement]:
    """Which voters deposed active controllers, and how long none was active because of it."""
    deposed = incident.deposed
    if deposed:
        yield statement(
            "deposed",
            all_candidates=sorted({one.candidate for one in deposed if one.candidate is not None}),
            all_old=sorted({one.old.controller_id for one in deposed if one.old.controller_id is not None}),
            n=True,
            often=len(deposed) if len(deposed) > 1 else None,
            for_time=_without_controller(incident) or duration(sum(one.absent_ms for one in deposed)),
        )


def _without_controller(incident: Incident) -> str | None:
    """How long no controller was active, if all of that time is due to the depositions."""
    absent = incident.without_controller
    is_all = len(incident.absences) == len(incident.deposed)
    return span(absent.low_ms, absent.high_ms) if is_all and absent.high_ms else None


def _late_isr_changes(incident: Incident) -> Iterator[Statement]:
    """The leader whose ISR changes were confirmed late, and how late. Uses the leader with the most ISRs."""
    for late in incident.late_isr_changes[:1]:
        yield statement(
            "isr_changes_late",
            broker=late["broker"],
            all_removed=late["all_removed"],
            removed=late["removed"],
            count=late["count"],
            at_from=late["at_from"],
            zookeeper="zookeeper" in late,
            controller=late.get("controller"),
            waited=late["waited"],
        )


def _who_led_on(incident: Incident) -> dict[str, Any]:
    """Which broker considered itself leader after others were elected, of how many partitions, and for how long at
    most. A broker that was frozen for most of that time counts only afterwards.
    """
    brokers = [row.broker_id for row in incident.stale]
    partitions = {name for row in incident.stale for name in row.partitions}
    internal = [topic for topic in (name.rpartition("-")[0] for name in partitions) if topic in INTERNAL_TOPICS]
    lasting = any(row.lasts for row in incident.stale)
    longest_ms = max((row.longest_ms for row in incident.stale if bool(row.lasts) is lasting), default=0)
    woke = set(brokers) <= {root.broker_id for root in incident.roots if root.kind == "paused"}
    return {
        "all_brokers": brokers,
        "n": len(brokers),
        "count": len(partitions),
        **_acted(len({name for row in incident.stale for name in row.acted_in}), len(partitions)),
        "internal": len(internal) or None,
        "internal_topics": incident.in_order(internal) or None,
        "for_time": None if woke or lasting else rounded_up(longest_ms),
        "lasting": rounded_down(longest_ms) if lasting and not woke else None,
        "woke": woke,
    }


def _acted(acted: int, partitions: int) -> dict[str, int]:
    """In how many of its partitions lines show that a stale leader acted as one: some of them, or all."""
    return {"acted_all" if acted == partitions else "acted": acted} if acted else {}


def _loss_first(incident: Incident) -> list[Statement]:
    committed = incident.committed
    if committed.is_none and not committed.with_verdict(UNDETERMINED):
        return []
    if _how_much(committed) == "unknown":
        return [statement("committed_unknown", all_topics=incident.in_order(committed.topics))]
    reason = "committed_gone" if committed.with_verdict(PROVEN) else "committed_may_be_gone"
    return [statement(reason, what=lost_committed(incident))]


def _beginning(incident: Incident) -> list[Statement]:
    root = incident.root
    if root is None:
        return []
    more = _first_of_each_kind(incident, root)
    back = {} if len(_alike(incident, root)) > 1 else _back_from_stop(root)
    stop = incident.stopped_before
    before = {} if stop is None else {"at_stopped": stop.began_high}
    at_fault = _node_at_fault(incident, root)
    lasted = None if len(_alike(incident, root)) > 1 else _how_long_cut(root)
    statements = [statement("began", first=root.title, lasted=lasted, **_when(root), **before, **back, **at_fault)]
    if more:
        others = len(more) - 1 if len(more) > 1 else None
        also = statement(
            "also", also=more[0].title, others=others, **_when(more[0]), **_node_at_fault(incident, more[0])
        )
        statements.append(also)
    return statements


def _made_worse(incident: Incident) -> Iterator[Statement]:
    """The faults without which the ISRs would have had more members when writes were rejected."""
    for root in incident.contributing:
        refused = [one for one in incident.of_kind("writes_refused") if root.finding.finding_id in one.root_ids]
        count = len({name for one in refused for name in one.partitions or ()})
        if count:
            yield statement("made_worse", first=root.title, count=count, **_when(root))


def _how_long_cut(root: Root) -> str | None:
    """How long a cut lasted, between its bounds; None if no line shows its end."""
    fault = root.fault
    if fault is None or fault.kind not in CUTS or fault.ended_high is None:
        return None
    low, high = millis(fault.ended_low, root.began_high), millis(fault.ended_high, root.began_low)
    return span(None if low is None else max(low, 0), high) or None


def _back_from_stop(root: Root) -> dict[str, Any]:
    """The time by which a node was started again after an ordered stop: its process is older than its first line."""
    fault = root.fault
    if fault is None or fault.kind not in ORDERED_STOPS or fault.kind == "stop_begun":
        return {}
    is_back = "at_start" in (fault.arguments or {})
    return {"at_again": in_whole_seconds(fault.end_ts) if is_back else None, "away": not is_back}


def _node_at_fault(incident: Incident, root: Root) -> dict[str, Any]:
    """The other nodes with the same fault, within what time, and how often."""
    alike = _alike(incident, root)
    others = [one for one in alike if one.broker_id not in (None, root.broker_id)]
    within_ms = millis(max((one.began_high for one in alike), default=root.began_high), root.began_low)
    return {
        "alike": _in_words(others) or None,
        "within": rounded_up(within_ms or 0) if others and not any(one.is_open_downwards for one in alike) else None,
        **_how_often(alike),
    }


def _first_of_each_kind(incident: Incident, root: Root) -> list[Root]:
    """The first root cause of each other kind, or with another witness, that is not routine work."""
    firsts: dict[tuple[str | None, str | None], Root] = {}
    for one in incident.causes:
        if one.what != root.what and not one.is_routine:
            firsts.setdefault(one.what, one)
    return list(firsts.values())


def _when(root: Root) -> dict[str, Any]:
    """When it began: one time, or its bounds; nothing if the title states it."""
    if root.is_dated_by_witness:
        return {}
    if root.is_open_downwards:
        return {"at_latest": in_whole_seconds(root.began_high)}
    if (millis(root.began_high, root.began_low) or 0) <= SAME_TIME_MS:
        return {"at_begin": root.began_high}
    return {"at_low": root.began_low, "at_high": in_whole_seconds(root.began_high)}


def _waited_in_a_row(incident: Incident) -> Iterator[Statement]:
    """The waits that it shares with other incidents, from start to end."""
    for incident_ids, waits in by_key(incident.in_a_row, lambda wait: tuple(wait.incident_ids)).items():
        at = incident_ids.index(incident.incident_id)
        low_ms, high_ms = min(wait.low_ms for wait in waits), max(wait.high_ms for wait in waits)
        is_open = any(wait.is_open for wait in waits)
        yield statement(
            "waited_in_a_row",
            count=len({name for wait in waits for name in wait.partitions}),
            all_topics=incident.in_order(wait.topic for wait in waits),
            for_time=span(low_ms, None if is_open else high_ms),
            lasts=is_open,
            all_before=[f"“{incident.others.get(one, one)}”" for one in incident_ids[:at]] or None,
            all_after=[f"“{incident.others.get(one, one)}”" for one in incident_ids[at + 1 :]] or None,
        )


def _what_writers_felt(incident: Incident) -> Iterator[Statement]:
    """How long writers waited, and how long writers to Kafka's own topics would have waited: no line shows whether
    there were any.
    """
    waited = _by_the_clock(incident, "acks_all")
    of_leaders = {row.topic: row for row in incident.down if row.what == OF_LEADERS}
    longer = [row for row in waited if row.topic in of_leaders and row.high_ms > of_leaders[row.topic].high_ms]
    asked = [row for row in longer if row.topic not in INTERNAL_TOPICS]
    waited = [row for row in (of_leaders.get(row.topic, row) for row in waited) if row.high_ms]
    internal = [row for row in waited if row.topic in INTERNAL_TOPICS and row.low_ms]
    others = [row for row in waited if row not in internal]
    if others or not internal:
        yield from _writers_waited(incident, others)
    for rows in _by_end([row for row in internal if row.high_ms >= FELT_MS or row.is_open]):
        yield _would_have_waited(incident, rows)
    topics = incident.in_order(row.topic for row in asked)
    deposed = [one for one in incident.stale if {name.rpartition("-")[0] for name in one.partitions} & {*topics}]
    if deposed:
        for_time = rounded_up(max(row.high_ms for row in asked))
        lasts = any(one.lasts for one in deposed)  # only the deposed leaders count here, not the new ones
        yield statement(
            "asked_the_deposed",
            all_brokers=[one.broker_id for one in deposed],
            all_topics=topics,
            for_time=for_time,
            lasts=lasts,
            longer=not lasts,
        )


def _writers_waited(incident: Incident, waited: Sequence[TopicDowntime]) -> Iterator[Statement]:
    """How long writers waited: one statement for each kind of end."""
    sure = [row for row in waited if row.low_ms]
    longest_ms = max((row.high_ms for row in waited), default=0)
    if longest_ms < FELT_MS and not any(row.is_open or row.may_last for row in waited):
        yield _barely_waited([*waited, *(row for what in _OF_ELECTIONS for row in _by_the_clock(incident, what))])
    elif sure:
        for rows in _by_end(sure):
            yield _waited(incident, rows)
    else:
        if any(row.may_last for row in waited):
            yield statement("writers_may_still_wait", all_topics=incident.in_order(row.topic for row in waited))
        else:
            yield statement("writers_may_have_waited", **_of_topics(incident, waited, _length))


_FEW_FIGURES = 3  # waits of topics that a sentence gives one by one


def _of_topics(
    incident: Incident, rows: Sequence[TopicDowntime], length: Callable[[TopicDowntime], str]
) -> dict[str, Any]:
    """The topics with the length of their wait, each figure with the topics that it is of. If there are many, the longest
    wait with its topic.
    """
    longest_first = sorted(rows, key=lambda row: (-(row.low_ms or 0), -(row.high_ms or 0), row.topic))
    by_length = by_key(longest_first, length)
    worst, *others = by_length.items()
    if len(by_length) > _FEW_FIGURES:
        topics = incident.in_order(row.topic for row in rows)
        partitions = {name for row in rows for name in row.partitions or ()}
        return {
            "all_topics": topics,
            "partitions": len(partitions),
            "for_time": worst[0],
            "worst": longest_first[0].topic,
        }
    first = incident.in_order(row.topic for row in worst[1])
    return {
        "all_topics": first,
        "partitions": len({name for row in worst[1] for name in row.partitions or ()}),
        "for_time": worst[0],
        "others": ", ".join(_of_other_topics(incident, some, text) for text, some in others) or None,
    }


def _of_other_topics(incident: Incident, rows: Sequence[TopicDowntime], text: str) -> str:
    partitions = len({name for row in rows for name in row.partitions or ()})
    counted = f"{whole(partitions)} partition{'' if partitions == 1 else 's'} of " if partitions else ""
    return f"those to {counted}{_topics(incident.in_order(row.topic for row in rows))} for {text}"


def _topics(names: Sequence[str]) -> str:
    return enumerated(names, kind="topic")


def _length(row: TopicDowntime) -> str:
    """How long one topic waited, between its bounds."""
    return altogether(span(row.low_ms, row.high_ms), row.times, row.sure_times)


def _length_so_far(row: TopicDowntime) -> str:
    """How long one topic waited, without an upper bound if no line shows the end."""
    return altogether(
        span(row.low_ms, None if row.low_ms and _may_be_longer(row) else row.high_ms), row.times, row.sure_times
    )


def _least_length(row: TopicDowntime) -> str:
    return altogether(rounded_down(row.low_ms), row.times, row.sure_times)


_OF_ELECTIONS = ("acks_all_routinely", "acks_all_by_return")  # any new leader epoch may keep writers waiting


def _barely_waited(waited: Sequence[TopicDowntime]) -> Statement:
    """Writers waited at most as long as a change of leader takes, or not at all."""
    users = [row for row in waited if row.topic not in INTERNAL_TOPICS]
    if not users:
        return statement("nobody_waited")
    longest = rounded_up(max(row.high_ms for row in users))
    return statement(
        "barely_waited" if any(row.low_ms for row in users) else "may_have_barely_waited", for_time=longest
    )


def _may_be_longer(row: TopicDowntime) -> bool:
    """Whether no line shows its end, or none its begin."""
    return bool(row.may_last or row.begun_before)


def _by_end(rows: Sequence[TopicDowntime]) -> list[list[TopicDowntime]]:
    """Three groups of topics: those that still waited at the end of the logs, those without a line about the end,
    and the others.
    """
    lasting = [row for row in rows if row.is_open]
    unknown = [row for row in rows if _may_be_longer(row) and not row.is_open]
    ended = [row for row in rows if not row.is_open and not _may_be_longer(row)]
    return [alike for alike in (lasting, unknown, ended) if alike]


def _waited(incident: Incident, rows: Sequence[TopicDowntime]) -> Statement:
    """How long each topic waited, as in the table of topics, for topics with the same kind of end."""
    partitions = {name for row in rows for name in row.partitions}
    given = {"more": any(set(row.may_partitions or ()) - partitions for row in rows)}
    if rows[0].is_open:
        return statement("writers_still_wait", **given, **_of_topics(incident, rows, _length))
    if _may_be_longer(rows[0]):
        return statement("writers_waited_at_least", **given, **_of_topics(incident, rows, _least_length))
    return statement("writers_waited", **given, **_of_topics(incident, rows, _length), **_of_partitions(rows))


def _of_partitions(rows: Sequence[TopicDowntime]) -> dict[str, Any]:
    """How long single partitions of these topics waited, if that is less than their topics: in a few groups, or at least."""
    groups = alike_waits(rows)
    if not groups:
        return {}
    if len(groups) > _FEW_FIGURES:
        return {"each": rounded_down(groups[-1].low_ms)}
    return {"groups": ", ".join(f"{whole(one.partitions)} for {span(one.low_ms, one.high_ms)}" for one in groups)}


def _would_have_waited(incident: Incident, rows: Sequence[TopicDowntime]) -> Statement:
    given = _of_topics(incident, rows, _least_length if _may_be_longer(rows[0]) else _length)
    for_time = given.pop("for_time")
    return statement(
        "internal_would_wait",
        **given,
        for_time=None if _may_be_longer(rows[0]) else for_time,
        lasts=rows[0].is_open,
        at_least=for_time if _may_be_longer(rows[0]) else None,
    )


def lost_committed(incident: Incident) -> str:
    """The losses of records that all in-sync replicas held."""
    return _lost(incident, incident.committed)


def lost_uncommitted(incident: Incident) -> str:
    """The losses of records that not all in-sync replicas held: only producers that did not wait for all of them are
    affected. If it lost none itself and contributed to losses of other incidents, those.
    """
    if incident.contributed and incident.uncommitted.is_none and not incident.is_inseparable:
        return LOST.render("none_of_its_own", _all_contributed(incident).arguments) or ""
    loss, led_on = incident.uncommitted, [row.broker_id for row in incident.stale]
    if incident.is_inseparable:
        topics = incident.in_order(incident.committed.may_hold_others.topics)
        return LOST.render("inseparable", statement("inseparable", all_topics=topics).arguments) or ""
    of_stale = [one for one in loss.with_verdict(*OPEN_VERDICTS) if one.old_leader_id in led_on]
    split = by_election(loss.with_verdict(*OPEN_VERDICTS))
    why = (
        [statement("split_by_election", n=len(loss.ranges), **split)]
        if split and (of_stale or "unknown" not in split)
        else []
    )
    if of_stale:
        why.append(statement("led_on", **_who_led_on(incident), **_since_the_cut(incident, of_stale)))
    texts = [WHY_LOST.render(one.reason, one.arguments) or "" for one in why]
    return _lost(incident, loss, f": {'; '.join(texts)}" if why else None)


def contributed_to(incident: Incident) -> list[str]:
    """Sentences about the losses of other incidents to which its faults contributed: one for each fault that completed
    some.
    """
    made = [(one.reason, one.arguments) for one in incident.closed(_contributions(incident))]
    return [CONTRIBUTED.sentences([one]) for one in made]


def _contributions(incident: Incident) -> Iterator[Statement]:
    for title, own in by_key(incident.contributed, lambda one: one.completed_by).items():
        losses = Loss(tuple(one.loss for one in own))
        names = sorted({f"{one.topic}-{one.partition}" for one in losses.ranges})
        yield statement(
            "contributed",
            offsets=losses.high,
            unknown=losses.high is None,
            all_names=names,
            n=len(names),
            by=None if title is None else within_a_sentence(title),
        )


def _all_contributed(incident: Incident) -> Statement:
    losses = Loss(tuple(one.loss for one in incident.contributed))
    return statement(
        "none_of_its_own", offsets=losses.high, unknown=losses.high is None, all_topics=incident.in_order(losses.topics)
    )


def _since_the_cut(incident: Incident, losses: Sequence[OpenLoss]) -> dict[str, Any]:
    """The time range in which leaders that were cut off from their followers took records that the followers do not
    have: from the cut on, not from the elections on. Empty unless all of them were cut off, and lines show until when
    each led.
    """
    brokers = {loss.old_leader_id for loss in losses}
    cuts = [root for root in incident.roots if root.broker_id in brokers and _is_cut_from_followers(root)]
    ends = [loss.written_high for loss in losses]
    if brokers != {root.broker_id for root in cuts} or None in ends:
        return {}
    began = least(*(root.began_low for root in cuts))
    lows = [loss.written_low for loss in losses]
    return {
        "cut_from": began if None in lows else greatest(began, least(*lows)),
        "written_by": in_whole_seconds(greatest(*ends)),
    }


def _is_cut_from_followers(root: Root) -> bool:
    has_peers = root.fault is not None and bool(peers_of(root.fault))
    return root.kind == "cut_from_peers" or (root.kind in SESSION_LOST and has_peers)


def unanswered(incident: Incident) -> str:
    """What leaders stored while writers with acks=all had no answer, by topic. Producers with acks=1 had theirs at once, and
    only rejected writes show that a topic has producers with acks=all.
    """
    if incident.unanswered_offsets == 0:
        return UNANSWERED.render("none", {}) or ""
    rows = {row.topic: row for row in incident.unanswered}
    topics = incident.topics_unanswered
    rejected = {name.rpartition("-")[0] for one in incident.of_kind("writes_refused") for name in one.partitions or ()}
    proven = incident.in_order(rejected & {*topics})
    drawn = statement(
        "if_acks_all",
        unproven=not proven,
        all_unproven=[topic for topic in topics if topic not in proven] or None,
        all_proven=proven or None,
        all_counts=list(_stored_by_topic(topics, rows)),
    )
    (counts,) = incident.closed([drawn])
    return UNANSWERED.render(counts.reason, counts.arguments) or ""


def _stored_by_topic(topics: Sequence[str], rows: Mapping[str, UnansweredWrites]) -> Iterator[str]:
    """How many offsets of each topic; the topics of which nothing is known last, together."""
    bounds = {topic: _bounds_of(rows.get(topic)) for topic in topics}
    unknown = [topic for topic, known_ones in bounds.items() if known_ones == (None, None)]
    for topic, (offsets, most) in bounds.items():
        if topic not in unknown and most != 0:
            reason = _how_many_stored(offsets, most)
            yield UNANSWERED.render(reason, statement(reason, offsets=offsets, most=most, topic=topic).arguments) or ""
    if unknown:
        yield UNANSWERED.render("unknown", statement("unknown", all_topics=unknown).arguments) or ""


def _bounds_of(row: UnansweredWrites | None) -> tuple[int | None, int | None]:
    """At least and at most; null if unknown."""
    return (None, None) if row is None else (row.offsets or None, row.offsets_high)


def _how_many_stored(offsets: int | None, most: int | None) -> str:
    if most is None:
        return "at_least"
    if offsets is None:
        return "at_most"
    return "exactly" if offsets == most else "between"


def _lost(incident: Incident, loss: Loss, why: str | None = None) -> str:
    reason = _how_much(loss, may_hide=incident.may_hide_losses)
    counted = loss.proven_in_part() if reason == "at_least" else loss
    loss_statement = statement(
        reason,
        low=loss.low,
        high=loss.high,
        is_open=counted.high is None,
        offsets=loss.discarded if loss.discarded > loss.low else None,
        all_topics=incident.in_order(counted.topics),
        all_others=incident.in_order(set(loss.topics).difference(counted.topics)) or None,
        why=why or _why(counted, incident.lost_by_order),
    )
    return LOST.render(loss_statement.reason, loss_statement.arguments) or ""


def _how_much(loss: Loss, *, may_hide: bool = False) -> str:
    is_open = bool(loss.with_verdict(UNDETERMINED))
    if loss.low:
        return "at_least" if loss.high is None else "exactly" if loss.low == loss.high and not is_open else "between"
    if loss.is_none:
        return "unknown" if is_open else "none_shown" if may_hide else "none"
    if loss.high is None:
        return "unknown" if len(loss.with_verdict(UNDETERMINED)) == len(loss.ranges) else "any_number"
    return "at_most"


def _why(loss: Loss, is_ordered: bool) -> str | None:
    """How most of it was lost, from the scenario of its ranges."""
    gone = [one for one in loss.ranges if one.verdict != UNDETERMINED and one.scenario in WHY_LOST.parts]
    if not gone or loss.ranges[0].loss_class != "committed":
        return None
    ranges = Counter(one.scenario for one in gone)
    scenario = max(ranges, key=lambda name: (ranges[name], name))
    of_scenario = [one for one in gone if one.scenario == scenario]
    leaders = sorted({one.new_leader_id for one in of_scenario if one.new_leader_id is not None})
    is_sure = any(one.verdict == PROVEN for one in of_scenario)
    arguments = {"all_brokers": LIST_SEPARATOR.join(map(str, leaders)), "n": str(len(leaders))}
    arguments["sure" if is_sure else "perhaps"] = "true"
    if is_ordered:
        arguments["ordered"] = "true"
    return f": {WHY_LOST.render(scenario, arguments)}"


def still(incident: Incident) -> list[str]:
    """The symptoms that remained at the end of these logs."""
    topics, lasting = incident.blocked_at_last, incident.lasting
    refused = {one.broker_id for one in incident.refused_at_last}
    dead = [root for root in lasting if root.kind in CRASHES]
    others = [root for root in lasting if root not in dead]
    gone = [root for root in dead if root.broker_id not in refused]
    statements = [
        *(
            statement("start_refused", broker=one.broker_id, at_start=one.began_high)
            for one in incident.refused_at_last
        ),
        statement("leaderless", count=incident.leaderless_at_last) if incident.leaderless_at_last else None,
        statement("blocked", all_topics=topics) if topics else None,
        _stuck(incident),
        statement("short", count=incident.short_at_last) if incident.short_at_last else None,
        *(statement("not_back", **named) for named in by_role(gone)),
        *(statement("clock_off", node=root.broker_id, **root.clock_at_last) for root in incident.clocks_off),
        *(statement("lasts", title=root.title) for root in others),
    ]
    made = incident.closed(one for one in statements if one is not None)
    texts = (STILL.render(one.reason, one.arguments) for one in made)
    return [text for text in texts if text]


def _stuck(incident: Incident) -> Statement | None:
    """Partitions in which idempotent producers could not continue after lost batches."""
    gaps = incident.stuck_at_last
    if not gaps:
        return None
    partitions = sorted({f"{gap.topic}-{gap.partition}" for gap in gaps})
    return statement("stuck", count=len(partitions), all_partitions=partitions)


def afterwards(incident: Incident) -> list[str]:
    """What no line shows about the end, and events after it: leadership that returned or did not, and writers that
    waited.
    """
    topics, regained_ts = incident.unknown_at_last, incident.isrs_regained_ts
    unknown = [statement("unknown_at_last", all_topics=topics, at_regained=regained_ts)] if topics else []
    statements = [*unknown, *_returned(incident), *_waited_later(incident), *_not_returned(incident)]
    return [AFTERWARDS.sentences([(one.reason, one.arguments)]) for one in incident.closed(statements)]


def _returned(incident: Incident) -> Iterator[Statement]:
    moved = [effect for effect in incident.of_kind("election") if effect.by == "preferred"]
    if moved:
        waited = _by_the_clock(incident, "acks_all_by_return")
        first_ts, last_ts = min(effect.ts for effect in moved), max(effect.last_ts for effect in moved)
        at_once = (millis(last_ts, first_ts) or 0) <= SAME_TIME_MS
        is_return = all(effect.is_return for effect in moved)
        surely = any(row.low_ms for row in waited)
        given = _of_topics(incident, waited, _length_so_far) if waited else {}
        for_time = given.pop("for_time", None)
        yield statement(
            "returned",
            back=is_return,
            moved=not is_return,
            count=incident.preferred_elections,
            at=first_ts if at_once else None,
            first_at=None if at_once else first_ts,
            last_at=None if at_once else last_ts,
            for_time=for_time if surely else None,
            possible_time=None if surely else for_time,
            **given,
        )


def _waited_later(incident: Incident) -> Iterator[Statement]:
    waited = _by_the_clock(incident, "acks_all_later")
    if waited:
        yield statement("waited_later", **_of_topics(incident, waited, _length_so_far))


def _by_the_clock(incident: Incident, what: str) -> list[TopicDowntime]:
    return [row for row in incident.down if row.what == what and row.high_ms]


def _not_returned(incident: Incident) -> Iterator[Statement]:
    """Partitions without their preferred leader, and their actual leaders; a broker that leads all is named as such."""
    if not incident.led_away:
        return
    total = sum(row.led for row in incident.all_led)
    yield statement(
        "not_returned",
        count=incident.led_away,
        all_topics=incident.topics_led_away,
        all_brokers=sorted({row.leader_id for row in incident.led}),
        n=len({row.leader_id for row in incident.led}),
        all_on=next((row.leader_id for row in incident.all_led if row.led == total > 1), None),
        total=total,
    )
