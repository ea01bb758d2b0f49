"""From records to the answer: each message once, consequences under their causes, harmless ones separately."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple, Protocol

from replay.catalogue.recorded import recorded_in
from replay.facts.groups import by_key
from replay.knowledge.answer import Answer, ExplainedMessage, LooksLike, Unknown, sentence
from replay.knowledge.choosing import (
    WARN,
    Read,
    cause_of,
    is_foreign,
    is_understood,
    wording_of,
)
from replay.knowledge.correlations import Correlated, Story, correlated
from replay.knowledge.events import events_of, in_order
from replay.knowledge.giving_up import with_those_that_gave_up
from replay.knowledge.library import library
from replay.knowledge.limits_of_lines import missing, notes_on
from replay.knowledge.line_values import (
    asked_there,
    read_line,
    with_retention_times,
    with_socket_errors,
    with_the_log_end,
)
from replay.knowledge.matching_issues import MOST_TEXTS, Match, matches, release_of, unsearched_texts
from replay.knowledge.meaning import (
    ENDED,
    HARMLESS,
    PASSING,
    READ_ON,
    RECORDED,
    STOPPED,
    TROUBLE,
    UNSEEN,
    WEIGHTS,
    WORDED,
    Meaning,
    filled,
    places_in,
)
from replay.knowledge.naming import (
    Subjects,
    is_nameless,
    is_no_broker,
    nodes_named,
    rows_about_others,
    subjects,
)
from replay.knowledge.reasons import reasons_among
from replay.knowledge.refuted import without_the_refuted
from replay.knowledge.several_clients import several_clients
from replay.lists import listed, some
from replay.reading.printed_line import NO_LEVEL, OTHERS, SETTING, TYPED, UNKNOWN, Line

_LISTED = (
    "tp",
    "leader",
    "peer",
    "dir",
    "group_id",
    "member",
    "topic",
    "file",
    "host",
    "error",
    "me",
    "gone",
    "stopping",
    "fenced",
    "epoch",
    "pod",
    "what",
    "unheard",
)
_ADDRESSES = (
    "clients",
    "client_address",
    "address",
    "peer",
    "me",
    "follower",
    "Follower",
    "removed_are",
    "connection_id",
)
_MOST_PARTS = 8
_AT_MOST = 3
STARTS = (
    "process_start_line",
    "process_signal_registered",
    "controller_process_starting",
    "broker_starting",
)  # as in replay.facts.lives, which loads Spark
_GOES_ON = timedelta(seconds=5)  # a restarted node has found what it missed
_STARTS_WITHIN = timedelta(seconds=60)
_BEFORE = "Before the first finding"
_SHOW_WHICH_END = (
    "connection-refused",
    "connection-timed-out",
    "connection-not-permitted",
    "connection-rejected-here",
    "no-route",
)
TAIL = "The end of a stack trace, whose exception stands above these lines"
_FRAMES_ALONE = (
    "These are only the frames of a stack trace: the lines above them, with the name of the exception, are missing."
)
# The part of Kafka that a stack frame belongs to.
_PARTS = (
    ("LogCleaner", "the log cleaner was at work: "),
    ("ReplicaFetcherThread", "a replica fetcher was at work: "),
    ("LogLoader", "a log was being loaded: "),
    ("LogManager.loadLog", "logs were being loaded: "),
    ("KafkaRequestHandler", "a request was being handled: "),
    ("kafka.network.Processor", "a connection was being served: "),
    ("SnappyLoader", "the native library of snappy was being loaded: "),
    ("com.github.luben.zstd.util.Native", "the native library of zstd was being loaded: "),
)
_OF_ANY_PROGRAM = (
    "host-unknown",
    "zookeeper-host-unknown",
    "own-host-name",
    "connection-refused",
    "connection-timed-out",
    "no-route",
    "tls-certificate-expired",
    "tls-name-differs",
    "tls-not-trusted",
    "zk-tls-not-set-up",
)
_EITHER_FIRST = timedelta(seconds=2)  # if two lines of a client are this close, either can be the cause
_MOST_OF_A_SENTENCE = 480  # characters
_QUOTED = 200  # characters of a message that the summary quotes
_PREFIX = re.compile(r"^(?:\[[^\]\n]{1,300}\]:? ?){1,3}")
_QUANTITY = re.compile(r"(?:offset|epoch|ms|seconds|bytes|size|count)$|^(?:number|count)_", re.IGNORECASE)
_DOES_NOT_HEAL = re.compile(r"no\b(?! need)")


class Summary(NamedTuple):
    """A sentence or two, and whether they find no fault."""

    text: str
    is_calm: bool = False


class Found(Protocol):
    """A finding of an analysis that explains lines."""

    @property
    def code(self) -> str: ...
    @property
    def asked(self) -> bool: ...
    @property
    def since(self) -> datetime: ...
    def lasts_at(self, ts: datetime | None) -> bool: ...
    @property
    def description(self) -> str: ...


class Findings(Protocol):
    """The findings of an analysis (`replay.causes.explained_lines`)."""

    @property
    def all(self) -> Sequence[Found]: ...
    @property
    def begin(self) -> datetime | None: ...
    def explaining(self, one: Read) -> Found | None: ...
    def after_losses(self, read: Sequence[Read]) -> list[Read]: ...
    def among(self, read: Iterable[Read]) -> Findings: ...


class NoFindings:
    """No analysis."""

    all: Sequence[Found] = ()
    begin: datetime | None = None

    def explaining(self, one: Read) -> Found | None:
        """None: nothing is known that explains a line."""
        return None

    def after_losses(self, read: Sequence[Read]) -> list[Read]:
        """The lines as they are."""
        return list(read)

    def among(self, read: Iterable[Read]) -> Findings:
        """Nothing is known, whatever the lines are."""
        return self


def explained(
    lines: Sequence[Line],
    releases: Mapping[str, str] | None = None,
    nodes: Mapping[str, int] | None = None,
    findings: Findings | None = None,
    *,
    proofs: Collection[str] = (),
    is_complete: bool = True,
) -> Answer:
    """What `lines` mean, whether from one node or several. `releases` and `nodes` give the release and the node of a
    file, if known from elsewhere. `findings`: those of an analysis, which explain many lines, except their
    `proofs`, which say why. `is_complete`:
    include quiet lines and all that several lines mean together.
    """
    if nodes is not None:
        lines = [line if line.node is not None else replace(line, node=nodes.get(line.source)) for line in lines]
    everything, elsewhere = lines, rows_about_others(lines)
    remarks = [line for line in lines if line.kind == TYPED or _is_remark(line)]
    lines = with_socket_errors([line for line in lines if line.kind not in (TYPED, SETTING) and not _is_remark(line)])
    kafkas = _to_explain(lines)
    brokers = [line for line in kafkas if not line.is_clients]
    names = subjects(kafkas, nodes, elsewhere)
    of_nodes = _releases(kafkas, names, releases or {})
    read = _read(kafkas, names, of_nodes)
    findings = (findings or NoFindings()).among(read)
    joint, known, in_stories = _judged(read, findings, proofs, is_complete)
    alone, is_ordered = [one for one, why in known if why is None], all(one.asked for one in findings.all)
    if is_complete:
        unread = [line for line in everything if line.where not in in_stories]
        reasons = reasons_among(unread, read, is_found=not is_ordered or _is_fault(alone, joint.stories))
        read, alone = _with_each(read, reasons), [*alone, *(_beside(one, findings) for one in reasons)]
    messages = _messages(joint.stories, alone, lines, findings.begin)
    by_findings = {one.line.where for one, why in known if why is not None}
    bugs, situations = _issues(brokers, names, releases or {}, by_findings | in_stories)
    apart = [one for one in read if one.line.where not in in_stories]
    serious, harmless = _by_harm(without_the_refuted(messages, everything) if is_complete else messages)
    ours = {one.line.where for one in read}
    aside = sum(line.kind is None and line.severity >= WARN and line.where not in ours for line in lines)
    answer = Answer(
        summary="",
        together=(*map(sentence, joint.sentences), *situations),
        told=serious,
        looks_like=bugs,
        harmless=harmless,
        consequences=tuple(_following(known, findings.all)),
        unknown=_unknown_lines(one.line for one in apart if not one.is_known and one.line.severity >= WARN),
        events=tuple(events_of(read, in_stories)) if is_complete else (),
        not_recognized=tuple(_not_recognized(lines, apart)) if is_complete else (),
        notes=(*notes_on(lines, kafkas, brokers, read), *_not_searched(kafkas, names)),
        missing=tuple(missing(serious, harmless, kafkas, names.here)),
        records=len(lines),
        foreign=len(lines) - len(kafkas),
        releases=of_nodes,
    )
    strange = next(filter(None, (_failing_row(line) for line in lines if line.where not in ours)), None)
    calm = {one.line.where for one in apart if one.wording is not None and one.wording.weight == HARMLESS}
    summary = _summary(answer, kafkas, aside, strange, calm, situations, is_ordered=is_ordered)
    return replace(answer, summary=_unless_a_complaint(summary, harmless, remarks))


def _read(lines: Iterable[Line], names: Subjects, releases: Mapping[str, str]) -> list[Read]:
    """The lines with their meanings and values; `releases`: those of the nodes."""
    read = with_retention_times(asked_there([read_line(line, names) for line in lines]))
    return with_the_log_end(read, lambda line: releases.get(names.files.get(line.source, "")))


def _by_harm(messages: Sequence[ExplainedMessage]) -> tuple[tuple[ExplainedMessage, ...], tuple[ExplainedMessage, ...]]:
    """The serious and the harmless messages."""
    serious = tuple(one for one in messages if not one.is_harmless)
    return serious, tuple(one for one in messages if one.is_harmless)


def _unless_a_complaint(summary: Summary, harmless: Sequence[ExplainedMessage], remarks: Iterable[Line]) -> str:
    """The text of the summary, or that of a person's complaint about lines that report no fault at all."""
    complaint = _complaint(remarks) if summary.is_calm and not harmless else None
    return complaint or summary.text


def _beside(one: Read, findings: Findings) -> Read:
    """A line whose reason can be that a node was down, with the node that was down then."""
    ts = one.line.ts
    if one.wording is None or not one.wording.explained_by or ts is None:
        return one
    down = next((found for found in findings.all if found.since <= ts and found.lasts_at(ts)), None)
    if down is None:
        return one
    return replace(one, values={**one.values, "beside": f"In the same text, {down.description}: see that first. "})


def _with_each(read: Sequence[Read], others: Iterable[Read]) -> list[Read]:
    """The lines, with the others instead of those of the same places, or after them."""
    by_place = {one.line.where: one for one in others}
    return [*(by_place.pop(one.line.where, one) for one in read), *by_place.values()]


def _is_fault(read: Iterable[Read], stories: Iterable[Story]) -> bool:
    """Whether a line, or several together, report a fault that does not pass."""
    meanings = [meaning for one in read for meaning in (one.wording, one.cause)] + [story.meaning for story in stories]
    return any(one is not None and one.weight in (ENDED, STOPPED, TROUBLE) and one.next != READ_ON for one in meanings)


def _messages(
    stories: Iterable[Story], unexplained: Iterable[Read], lines: Iterable[Line], begin: datetime | None
) -> list[ExplainedMessage]:
    """The messages in order: what several lines mean together, and what the others mean that no finding explains."""
    single = (_unless_fatal(_message_of(group)) for group in _groups_by_phase(unexplained, begin))
    messages = with_those_that_gave_up(_with_consequences([*map(_message_of_story, stories), *single]))
    return sorted(_with_phases(messages, lines, begin), key=_order)


def _complaint(remarks: Iterable[Line]) -> str | None:
    """A sentence about the first remark of a person that something does not work, for lines that report no fault."""
    one = next((line for line in remarks if _COMPLAINS.search(line.message)), None)
    if one is None:
        return None
    return f"The lines here report no fault, but their text does: '{_quoted(one.message)}' ({one.where}). The lines that were recognized do not show the reason."


def _judged(
    read: Sequence[Read], findings: Findings, proofs: Collection[str], is_complete: bool
) -> tuple[Correlated, list[tuple[Read, Found | None]], set[str]]:
    """What the lines mean together; the other known lines, each with the finding that explains it; and the locations of
    the lines that others stand for.
    """
    joint = correlated(
        in_order(findings.after_losses(read)),
        lambda one: findings.explaining(one) is not None,
        is_complete=is_complete,
    )
    in_stories = {where for story in joint.stories for where in story.instead_of}
    places = {one.line.where: place for place, one in enumerate(read)}
    known = [
        (one, None if one.line.where in proofs else findings.explaining(one))
        for one in sorted(joint.read, key=lambda one: places[one.line.where])
        if one.is_known and one.line.where not in in_stories
    ]
    return joint, known, in_stories


def _to_explain(lines: Sequence[Line]) -> list[Line]:
    """The lines of Kafka and its users; if there are none, lines of other programs whose exception means the same in
    any program.
    """
    with_logger = {line.source for line in lines if line.template is not None and line.logger is not None}
    kafkas = [line for line in lines if not is_foreign(line, line.source in with_logger)]
    return kafkas or [line for line in lines if _fails_like_any_program(line)]


def _fails_like_any_program(line: Line) -> bool:
    """Whether a line of another program prints an exception that means the same in any program."""
    cause = cause_of(line) if line.severity >= WARN and not line.writer else None
    return cause is not None and cause[0].key in _OF_ANY_PROGRAM


def _not_recognized(lines: Sequence[Line], read: Sequence[Read]) -> list[Unknown]:
    """The unrecognized lines below WARN and the lines without a layout, each text once."""
    quiet = [one.line for one in read if not is_understood(one) and one.line.severity < WARN]
    known = {one.line.where for one in read if one.is_known}
    strange = [line for line in lines if line.kind == UNKNOWN or (line.kind == OTHERS and line.severity >= WARN)]
    strange = [line for line in strange if line.where not in known]
    return list(_unknown_lines(line for line in (*strange, *quiet) if line.message.strip()))


def _following(known: Sequence[tuple[Read, Found | None]], found: Sequence[Found]) -> Iterator[ExplainedMessage]:
    """The consequences of each finding, in the order in which the findings began."""
    following: dict[int, list[Read]] = {}
    for one, why in known:
        following.setdefault(id(why), []).append(one)
    for what in sorted(found, key=lambda what: (what.since, what.code)):
        groups = _groups(following.get(id(what), ()))
        messages = [replace(_with_reason(_message_of(group)), follows=what.description) for group in groups]
        yield from sorted(messages, key=lambda one: (-_when(one.first), one.key))


def _with_reason(one: ExplainedMessage) -> ExplainedMessage:
    """The message of a failed connection, with the end that refused it if its exception shows that."""
    return replace(one, says=f"{one.says} {one.because}") if one.cause in _SHOW_WHICH_END and one.because else one


def _groups(read: Iterable[Read]) -> list[list[Read]]:
    """Groups of records with the same meaning from the same process."""
    groups: dict[tuple[object, ...], list[Read]] = defaultdict(list)
    for one in read:
        cause = one.cause.key if one.cause else None
        wording = one.wording.key if one.wording is not None and not _includes(one.cause, one.wording) else None
        groups[(one.values["me"], wording, cause)].append(one)
    parts = [part for group in groups.values() for part in _apart(group)]
    return _without_cut(parts)


def _without_cut(parts: list[list[Read]]) -> list[list[Read]]:
    """`parts` with each truncated record merged into the complete records of the same meaning: the last record of a
    paste may lack its exception, the first one its message.
    """
    for part in [part for part in parts if len(part) == 1]:
        one = part[0]
        lacks_end = one.wording is not None and one.cause is None and not one.line.trace
        lacks_begin = one.wording is None and one.line.number == 1 and one.line.ts is None and one.line.logger is None
        same = [
            other
            for other in parts
            if other is not part
            and other[0].wording is not None
            and other[0].cause is not None
            and all(_is_whole(whole, one) for whole in other)
            and ((lacks_end and other[0].wording is one.wording) or (lacks_begin and other[0].cause is one.cause))
        ]
        if len(same) == 1:
            same[0].append(one)
            parts = [other for other in parts if other is not part]
    return parts


def _is_whole(whole: Read, cut: Read) -> bool:
    """Whether `cut` can be a truncated record like `whole`: same file, same partition, and after `whole` or on the
    first row.
    """
    if whole.line.source != cut.line.source:
        return False
    same = {whole.values.get("tp"), cut.values.get("tp")} - {None}
    return len(same) < 2 and (cut.line.number > whole.line.number or cut.line.number == 1)


def _apart(group: list[Read]) -> list[list[Read]]:
    """Records of one meaning, split by what they name: operation, resource or reason. Numbers, addresses and
    partitions do not split them but are listed. If there are too many parts, they stay one group.
    """
    if all(one.line.ts is None and one.line.logger is None for one in group):
        return [group]  # a few bare lines of one failure
    parts: dict[tuple[str, ...], list[Read]] = defaultdict(list)
    names = _named_in(group[0])
    for one in group:
        parts[tuple(_kind_of(one.values.get(name, "")) for name in names)].append(one)
    return list(parts.values()) if len(parts) <= _MOST_PARTS else [group]


def _named_in(one: Read) -> list[str]:
    """The names of the values that distinguish records of one meaning: those in its sentences, except the listed
    ones.
    """
    texts = [meaning.says for meaning in (one.wording, one.cause) if meaning is not None and not meaning.is_a_reason]
    return [
        name for name in dict.fromkeys(places_in(" ".join(texts))) if name not in _LISTED and name not in _ADDRESSES
    ]


def _kind_of(value: str) -> str:
    """A value without its numbers: values that differ only in numbers stay together."""
    return re.sub(r"\d+", "#", value)


def _includes(cause: Meaning | None, wording: Meaning | None) -> bool:
    """Whether the exception's meaning covers the wording's; not if only the wording reports the end of a process."""
    return cause is not None and (
        wording is None or (cause.alone and (cause.weight == ENDED or wording.weight != ENDED))
    )


def _values(group: Sequence[Read]) -> dict[str, str]:
    """The values of the first record; values that differ between records are listed."""
    values = dict(group[0].values)
    for name in _LISTED:
        different = list(dict.fromkeys(one.values[name] for one in group if one.values.get(name)))
        if len(different) > 1:
            values[name] = _listed(different)
    in_order = _by_partition(group)
    for name in _named_in(group[0]):
        different = list(dict.fromkeys(one.values[name] for one in group if one.values.get(name)))
        if len(different) > 1 and len({_kind_of(value) for value in different}) == 1:
            values[name] = _range_of(name, different) or in_order.get(name) or _listed(different)
    if len(group) > 1:  # they apply to one line
        values.pop("stood", None)
        values.pop("alone_is", None)
    removed = sorted({int(node) for one in group for node in one.values.get("removed", "").split(",") if node})
    if removed:
        values["removed_are"] = ("broker " if len(removed) == 1 else "brokers ") + _listed(
            [str(node) for node in removed], 5
        )
    values["clients"] = (
        _listed(
            [
                address.rsplit(":", 1)[0]
                for address in dict.fromkeys(
                    one.values["client_address"] for one in group if "client_address" in one.values
                )
            ],
            most=2,
        )
        or "address not logged"
    )
    return values


def _by_partition(group: Sequence[Read]) -> dict[str, str]:
    """The values that only the partition's records have, in the order in which the partitions are listed; none if a record
    names no partition.
    """
    first: dict[str | None, Read] = {}
    for one in group:
        first.setdefault(one.values.get("tp"), one)
    rows = list(first.values())
    if len(rows) < 2 or any(not one.values.get("tp") for one in rows):
        return {}
    named = [name for name in _named_in(group[0]) if all(one.values.get(name) for one in rows)]
    return {name: _cut([one.values[name] for one in rows], _AT_MOST) for name in named}


def _range_of(name: str, different: Sequence[str]) -> str | None:
    """Many quantities as a range; None for few or for other values."""
    if len(different) > 2 and _QUANTITY.search(name) and all(value.isdecimal() for value in different):
        return f"{min(different, key=int)} to {max(different, key=int)}"
    return None


_NODE = re.compile(r"(?P<kind>broker|controller|leader|node|voter) (?P<id>\d{1,10})")
_NODES = 5


def _listed(different: Sequence[str], most: int = _AT_MOST) -> str:
    by_kind: dict[str, list[str]] = {}  # nodes of the same role share its name: `controllers 101 and 102 and broker 3`
    for node in map(_NODE.fullmatch, different):
        if node is None:
            return some(different, most)
        by_kind.setdefault(node["kind"], []).append(node["id"])
    return listed([f"{kind}{'s' if len(ids) > 1 else ''} {some(ids, _NODES)}" for kind, ids in by_kind.items()])


def _cut(names: Sequence[str], most: int) -> str:
    """The first names, also repeated ones, and how many more there are."""
    return ", ".join(names[:most]) + f" and {len(names) - most} more" if len(names) > most else listed(names)


def _message_of(group: Sequence[Read]) -> ExplainedMessage:
    """One message for a group of records with the same meaning."""
    first, wording, cause = group[0], group[0].wording, group[0].cause
    main = cause if _includes(cause, wording) else wording
    assert main is not None
    other = cause if main is not cause else None
    ended = main.weight == ENDED and other is not None and other.weight != ENDED
    is_left_out = ended or main.weight == HARMLESS  # the exception does not have its usual effect here
    values = _values(group)
    is_final = main.weight in (ENDED, STOPPED) and other is not None and other.weight in (PASSING, HARMLESS)
    rules = other if other is not None and not other.is_general and not is_final else main
    second = main if rules is other else other

    shared, who_shares = several_clients(group) if "network" in rules.whose else ("", "")

    def stated(name: str) -> str:
        text = getattr(rules, name) or (getattr(second, name) if second is not None else "")
        return sentence(filled(text, values))

    return ExplainedMessage(
        key=main.key,
        subject=values["me"],
        says=sentence(filled(main.says, values)),
        whose=who_shares or _fit(filled(rules.whose, values), values),
        weight=_weight(main, other),
        effect=_joined_sentences(
            sentence(filled(main.effect, values)),
            sentence(filled(other.effect, values)) if other is not None and not is_left_out else "",
        ),
        data=stated("data"),
        heals=_fit(filled(_heals(main, main if ended else rules), values), values),
        next=f"{shared} {_next(main, other, values, stated('next'), is_final=is_final, is_cut=_is_cut(first, other))}".strip(),
        never=stated("never"),
        because=_because(main, other, values),
        cause=cause.key if cause is not None else "",
        **_shown_by(group),
    )


def _next(
    main: Meaning, other: Meaning | None, values: Mapping[str, str], stated: str, *, is_final: bool, is_cut: bool
) -> str:
    """What to do: what the exception says, if the message only points to other lines."""
    is_the_others = other is not None and _POINTS_ON.match(main.next) and not is_final and not is_cut
    return sentence(filled(other.next, values)) if other is not None and is_the_others else _fit(stated, values)


def _shown_by(lines: Sequence[Read]) -> dict[str, Any]:
    """What lines of one meaning show together: how many they are, from when to when, of which nodes."""
    first = lines[0].line
    times = sorted(one.line.ts for one in lines if one.line.ts is not None)
    return {
        "count": len(lines),
        "first": times[0] if times else None,
        "last": times[-1] if times else None,
        "level": max((one.line for one in lines), key=lambda line: line.severity).level,
        "line": first.message[:500],
        "where": first.where,
        "nodes": tuple(sorted({node for one in lines for node in nodes_named(one.line, one.values)})),
        "maturity": _maturity(lines[0]),
        "is_least": any(one.line.has_more for one in lines),
    }


def _heals(main: Meaning, rules: Meaning) -> str:
    """Whether the problem recovers: what needs an action still needs it after its cause has passed."""
    stays = _DOES_NOT_HEAL.match(main.heals) is not None and _DOES_NOT_HEAL.match(rules.heals) is None
    return main.heals if stays else rules.heals or main.heals


def _is_cut(first: Read, other: Meaning | None) -> bool:
    """Whether the record shows only a wrapper exception without a known meaning: its cause was truncated."""
    return (
        other is not None
        and other.key == "other-exception"
        and "Caused by: " not in first.line.trace
        and _WRAPS.search(first.line.text) is not None
        and not ("frame" in first.values and _NAMES_NO_CAUSE.match(first.values.get("reason", "")) is None)
    )


_NAMES_NO_CAUSE = re.compile(r"$|(?:[Ff]ail|[Uu]nable|[Cc]ould not|[Cc]annot|[Ee]rror|[Ee]xception|[\w.]+Exception)")
# Advice that only points to other lines; the exception beside it says more.
_POINTS_ON = re.compile(
    r"(?:See|Read|Get|Fetch) the (?:first |last )?(?:errors?|lines?|exception|cause) (?:that |just )?(?:before|above|below|follow)"
)
_WRAPS = re.compile(r"(?:Initialization|Connect|Streams|Runtime|Execution|Completion|Kafka)Exception: ")


def _because(main: Meaning, other: Meaning | None, values: Mapping[str, str]) -> str:
    """What the exception means, unless the message already says it."""
    if other is None:
        return ""
    is_in_reason = other.key == "other-exception" and values.get("reason") and "{reason" in main.says
    return "" if is_in_reason else sentence(filled(other.says, values))


def _fit(text: str, values: Mapping[str, str]) -> str:
    """`text` with the name of the process that wrote the line, if no line shows that it is a broker."""
    if not is_no_broker(values["me"]):
        return text
    process = values.get("process", "client" if "client" in values["me"] else "process")
    return re.sub(
        r"\b([Rr])estart the broker\b", rf"\1estart the {process}", text.replace("this broker", f"this {process}")
    )


def _maturity(one: Read) -> str:
    """The maturity of the wording, or that of the exception if it covers the wording."""
    if _includes(one.cause, one.wording):
        return one.cause.maturity if one.cause is not None else UNSEEN
    if one.wording is None:
        return RECORDED if one.line.template in recorded_in() else UNSEEN
    is_of_template = one.line.template in one.wording.ids or one.line.kind in one.wording.kinds  # not of a text in it
    return RECORDED if is_of_template and one.line.template in recorded_in() else one.wording.maturity


def _message_of_story(story: Story) -> ExplainedMessage:
    """What several lines mean together, as one message."""
    meaning, values = story.meaning, story.values

    def filled_sentence(text: str) -> str:
        return sentence(filled(text, values))

    return ExplainedMessage(
        key=meaning.key,
        subject=values["me"] if "me" in values else story.lines[0].values["me"],
        says=filled_sentence(meaning.says),
        whose=filled(meaning.whose, values),
        weight=meaning.weight,
        effect=filled_sentence(meaning.effect),
        data=filled_sentence(meaning.data),
        heals=filled(meaning.heals, values),
        next=filled_sentence(meaning.next),
        never=filled_sentence(meaning.never),
        because="",
        cause="",
        lines=tuple(dict.fromkeys(one.line.where for one in story.lines)),
        **_shown_by(story.lines),
    )


def _joined_sentences(effect: str, more: str) -> str:
    """Both sentences, or only the one that includes the other."""
    if set(re.findall(r"\w+", more)) <= set(re.findall(r"\w+", effect)):
        return effect
    return more if more.startswith(effect.rstrip(".")) else effect if more in effect else f"{effect} {more}"


def _weight(main: Meaning, other: Meaning | None) -> str:
    """The heavier weight of the two. A harmless wording stays harmless only with a light exception; a reason why a
    start failed does not end a running process.
    """
    if other is None or main.weight == ENDED:
        return main.weight
    if other.weight == ENDED:
        return TROUBLE if main.weight != STOPPED else STOPPED
    if main.weight == HARMLESS and other.weight in (ENDED, STOPPED):
        return TROUBLE
    if other.key == "other-exception":
        return main.weight
    if other.weight in (HARMLESS, PASSING):
        return main.weight if other.weight == PASSING and main.key != "kraft-not-controller" else other.weight
    return min(main.weight, other.weight, key=WEIGHTS.index)


_SEEN_FROM_OUTSIDE = ("service-ended", "container-ended")  # the process itself says why it ended


def _order(one: ExplainedMessage) -> tuple[bool, bool, int, bool, float, str]:
    """A sort key: causes before consequences, then problems that do not recover by themselves, then what came before the
    first finding after what came with it, then lines that an entry knows before others, then by time.
    """
    is_outside, weight = one.key in _SEEN_FROM_OUTSIDE, max(1, WEIGHTS.index(one.weight))
    is_before = weight > 1 and one.says.startswith(_BEFORE)
    is_general = one.maturity == WORDED
    return bool(one.follows) or is_outside, is_before, weight, is_general, -_when(one.first), one.key


def _groups_by_phase(read: Iterable[Read], begin: datetime | None) -> list[list[Read]]:
    """The groups of records; what came before the first finding of an analysis is apart from what came with it."""
    parts: tuple[list[Read], list[Read]] = ([], [])
    for one in read:
        parts[begin is None or one.line.ts is None or one.line.ts >= begin].append(one)
    return [group for part in parts for group in _groups(part)]


def _unless_fatal(one: ExplainedMessage) -> ExplainedMessage:
    """The message; if its line calls the error fatal, it neither passes nor recovers by itself."""
    if one.weight != PASSING or not (one.level == "FATAL" or _IS_FATAL.search(one.line)):
        return one
    return replace(one, weight=TROUBLE, heals="no: the line calls the error fatal" if one.heals else "")


def _with_phases(
    messages: Iterable[ExplainedMessage], lines: Iterable[Line], begin: datetime | None
) -> list[ExplainedMessage]:
    """The messages; what came before the first finding of an analysis says so, and whether its nodes were starting then."""
    if begin is None:
        return list(messages)
    starts: dict[int | None, list[datetime]] = defaultdict(list)
    for line in lines:
        if line.kind in STARTS and line.ts is not None:
            starts[line.node].append(line.ts)
    every = [ts for own in starts.values() for ts in own]
    labeled = []
    for one in messages:
        is_its_reason = one.weight == ENDED and one.last is not None and one.last + _GOES_ON >= begin
        if (
            one.first is not None
            and one.last is not None
            and one.last < begin
            and not (one.is_harmless or is_its_reason)
        ):
            own = [ts for node in one.nodes for ts in starts.get(node, ())] if one.nodes else every
            started = any(ts - _GOES_ON <= one.first and one.last <= ts + _STARTS_WITHIN for ts in own)
            one = replace(one, says=f"{_BEFORE}{', at startup' if started else ''}: {one.says}")
        labeled.append(one)
    return labeled


def _when(ts: datetime | None) -> float:
    return -ts.timestamp() if ts is not None else 0.0


def _with_consequences(messages: Sequence[ExplainedMessage]) -> list[ExplainedMessage]:
    """The messages, each with its cause if the same log has the cause and not later."""
    meanings = library().meanings
    follows = {meaning.key: meaning.follows for meaning in meanings}
    ends = {meaning.key for meaning in meanings if meaning.reason_before}
    out: list[ExplainedMessage] = []
    for one in messages:
        wanted = {*follows.get(one.key, ()), *follows.get(one.cause, ())} - {one.key, one.cause}
        cause = next(
            (
                c
                for c in messages
                if c is not one and (c.key in wanted or c.cause in wanted) and _same(c, one) and _not_after(c, one)
            ),
            None,
        )
        if cause is None and one.key in ends and not one.cause:
            earlier = [
                c
                for c in messages
                if c is not one
                and c.key not in ends
                and c.weight in (ENDED, STOPPED)
                and _same(c, one)
                and _not_after(c, one)
            ]
            cause = max(earlier, key=lambda c: -_when(c.first), default=None)
        if cause is None and one.key in _ENDS_OF_STREAMS and not one.cause:
            cause = next((c for c in messages if c.key not in _ENDS_OF_STREAMS and _UNCAUGHT.match(c.line)), None)
        if cause is not None:
            one = replace(one, follows=cause.says, next="" if one.next == READ_ON else one.next)
        out.append(one)
    return out


_ANY_CLIENT = "this client"
_ENDS_OF_STREAMS = ("streams-application-ended", "streams-thread-died")
_UNCAUGHT = re.compile(r'Exception in thread "[^"\n]{1,300}StreamThread-\d+"')


def _same(one: ExplainedMessage, other: ExplainedMessage) -> bool:
    """Whether both are about the same node: `controller 1` and `broker 1` are one node of a cluster, and a client without a
    name may be any client.
    """
    both = (one.subject, other.subject)
    is_a_client = _ANY_CLIENT in both and all(map(is_no_broker, both))
    source = one.where.rpartition(":")[0]
    is_of_the_text = source == other.where.rpartition(":")[0] and all(map(is_nameless, both))
    if is_of_the_text and any(name.startswith("this ") or name.endswith(source.rpartition("/")[2]) for name in both):
        return True  # a line without the name of its container can be of any
    return is_a_client or one.subject.rsplit(" ", 1)[-1] == other.subject.rsplit(" ", 1)[-1]


def _not_after(cause: ExplainedMessage, one: ExplainedMessage) -> bool:
    if cause.first is None or one.last is None:
        return True
    return cause.first <= one.last + (_EITHER_FIRST if is_no_broker(one.subject) else timedelta())


def _unknown_lines(those: Iterable[Line]) -> tuple[Unknown, ...]:
    counts: dict[str, list[Line]] = defaultdict(list)
    for line in those:
        counts["".join("#" if letter.isdecimal() else letter for letter in line.message)].append(line)
    found = [
        Unknown(
            _shown(lines[0])[:300],
            lines[0].where,
            NO_LEVEL if _is_tail(lines[0]) else lines[0].level,
            len(lines),
            any(line.has_more for line in lines),
        )
        for lines in counts.values()
    ]
    return tuple(sorted(found, key=lambda one: -one.count))


def _is_tail(line: Line) -> bool:
    return line.message.startswith("at ")


def _shown(line: Line) -> str:
    """The message as shown; the end of a stack trace as such, with the part of Kafka that its frames belong to."""
    if not _is_tail(line):
        return line.message
    part = next((text for frames, text in _PARTS if frames in line.text), "")
    return f"{TAIL} ({part}{line.message})"


def _releases(lines: Sequence[Line], names: Subjects, given: Mapping[str, str]) -> dict[str, str]:
    by_source: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        if line.message.startswith("Kafka version"):
            by_source[line.source].append(line)
    found = {names.files[source]: release for source, theirs in by_source.items() if (release := release_of(theirs))}
    return {**{names.files[source]: release for source, release in given.items() if source in names.files}, **found}


def _issues(
    lines: Sequence[Line], names: Subjects, given: Mapping[str, str], explained_lines: Collection[str]
) -> tuple[tuple[LooksLike, ...], tuple[str, ...]]:
    """Known bugs by node, and a sentence for each situation; only bugs that their lines identify, and none whose
    lines an analysis explains completely.
    """
    lines = [line for line in lines if line.kind != "jvm_no_memory"]  # which has its own meaning
    nodes = _by_node(lines, names)
    if len(nodes) > 1 and len(lines) <= 2000 and release_of(lines) is None:
        nodes["these brokers"] = list(lines)
    found: dict[str, LooksLike] = {}
    situations: dict[str, str] = {}
    for theirs in nodes.values():
        release = release_of(theirs) or next((given[line.source] for line in theirs if line.source in given), None)
        for match in matches(theirs, release):
            subject = names.files[match.lines[0].source]
            if all(line.where in explained_lines for line in match.lines):
                continue
            if match.is_reported_as_bug:
                found.setdefault(match.issue.key, _bug(match, subject))
            elif match.issue.is_more_specific:
                situations.setdefault(match.issue.key, _situation(match, subject))
    return tuple(found.values()), tuple(situations.values())


def _by_node(lines: Iterable[Line], names: Subjects) -> dict[str, list[Line]]:
    nodes: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        nodes[names.files[line.source].rsplit(" ", 1)[-1]].append(line)
    return nodes


def _not_searched(lines: Iterable[Line], names: Subjects) -> Iterator[str]:
    """The nodes with too many different texts to be searched for known bugs."""
    for theirs in _by_node(lines, names).values():
        texts = unsearched_texts(theirs)
        if texts is not None:
            subject = names.files[theirs[0].source]
            yield f"The lines of {subject} have {texts:,} different texts. Above {MOST_TEXTS:,}, known bugs are not looked for: give explain the lines of a shorter time."


def _situation(match: Match, subject: str) -> str:
    issue = match.issue
    first = match.lines[0].where
    return sentence(f"{issue.title} ({subject}, {first}). {issue.consequence} {issue.advice}")


def _bug(match: Match, subject: str) -> LooksLike:
    issue = match.issue
    fixed = f"fixed in {issue.fixed_text}" if issue.fixed_in else "no fixed release is known"
    runs = (
        f"; {subject} runs {match.release}"
        if match.release
        else f"; affected {issue.affected_text}, the lines do not show the release"
    )
    return LooksLike(
        key=issue.key,
        title=issue.title,
        says=f"Looks like {issue.key}, a known bug of Kafka ({fixed}{runs}): {issue.title}. {issue.consequence}",
        advice=issue.advice,
        heals=issue.heals,
        look_alike=issue.look_alike,
        confidence="sure" if issue.is_sure else "likely",
        fixed_in=issue.fixed_text,
        subject=subject,
        lines=tuple(line.where for line in match.lines),
        maturity=issue.maturity,
    )


def _summary(
    answer: Answer,
    kafkas: Sequence[Line],
    aside: int,
    strange: tuple[str, str] | None,
    calm: Collection[str],
    situations: Sequence[str],
    *,
    is_ordered: bool,
) -> Summary:
    if not answer.records:
        return Summary("There is nothing to read here.")
    if not kafkas and not answer.events and not answer.told:
        none = "None of these lines was recognized as a line of Kafka or of its clients."
        return Summary(none if strange is None else f"{none} {_probably(*strange)}")
    causes = [one for one in answer.told if not one.follows] or list(answer.told)
    grave = sorted(
        (one for one in causes if one.weight in (ENDED, STOPPED)),
        key=lambda one: (one.key in _SEEN_FROM_OUTSIDE, -_when(one.first)),
    )
    first = grave[0] if grave else causes[0] if causes else None
    if first is not None and first.key in _SEEN_FROM_OUTSIDE and causes[0].weight == TROUBLE:
        first = causes[0]  # what the process itself says comes first
    reason = next((one for one in causes if one.maturity == WORDED), None)
    if first is not None and first.next == READ_ON and reason is not None and not situations:
        return Summary(f"{first.says} {reason.says}")
    unread = _unread_reason(answer)
    if unread is not None and (first is None or first.next == READ_ON) and not situations:
        begin = f"{first.says} " if first is not None else ""
        return Summary(f"{begin}{_probably(unread.line, unread.where)}")
    if first is not None and first.weight != PASSING:
        return Summary(f"{first.says} {first.because}".strip())
    if answer.together and (first is None or not first.lines):
        return Summary(answer.together[0])
    unknown = answer.unknown
    if unknown and all(one.line.startswith(TAIL) for one in unknown):
        return Summary(_FRAMES_ALONE)
    if first is not None and not answer.consequences:
        return Summary(f"{first.says} {first.because}".strip())
    if unknown:
        return Summary(
            f"{_many(sum(one.count for one in unknown), 'line')} at WARN or above {'was' if sum(one.count for one in unknown) == 1 else 'were'} not recognized; nothing else here reports a fault."
        )
    if strange is not None and not answer.consequences:
        return Summary(
            f"The lines of Kafka report no fault. If something is wrong, the reason is probably this line, which I do not know: '{_quoted(strange[0])}' ({strange[1]}).",
            is_calm=True,
        )
    if not aside:
        return _all_clear(answer, kafkas, calm, is_ordered=is_ordered)
    others = f"{_many(aside, 'line')} of other programs at WARN or above {'was' if aside == 1 else 'were'} not read."
    clear = _all_clear(answer, kafkas, calm, is_ordered=is_ordered)
    return clear._replace(text=f"{clear.text} {others}")


def _probably(message: str, where: str) -> str:
    return f"The reason is probably this line, which I do not know: '{_quoted(message)}' ({where})."


def _unread_reason(answer: Answer) -> Unknown | None:
    """The first unrecognized line that can be the reason: an error, or a line that names an exception or a refusal."""
    lines = (*answer.unknown, *answer.not_recognized)
    loud = (one for one in lines if one.level in ("ERROR", "FATAL") or _IS_A_REASON.search(one.line))
    return next((one for one in loud if not one.line.startswith(TAIL)), None)


def _all_clear(answer: Answer, kafkas: Sequence[Line], calm: Collection[str], *, is_ordered: bool) -> Summary:
    """A sentence that no fault was found, and what it is based on; `calm`: the locations of harmless lines; `is_ordered`: the
    analysis found only stops that somebody ordered.
    """
    missed = sum(one.count for one in answer.not_recognized)
    if answer.consequences:
        causes = dict.fromkeys(one.follows for one in answer.consequences)
        why = f"What these lines report follows from this: {'; '.join(islice(causes, _AT_MOST))}."
        passed = next((one.says for one in answer.harmless if one.lines), None) if is_ordered else None
        says = f"No fault found: {passed[:1].lower()}{passed[1:]}" if passed and not missed else why
        return Summary(says, is_calm=says is not why)
    passed = next((one.says for one in answer.harmless if one.lines), None)
    stopping = next((event for event in answer.events if event.kind in _STOPPING), None)
    if stopping is not None and passed is None and not any(event.kind in _AROUND_A_STOP for event in answer.events):
        return Summary(
            f"{stopping.subject[:1].upper()}{stopping.subject[1:]} shuts down in order. The lines do not show who or what stopped it: get the lines before them."
        )
    in_stories = {where for one in answer.harmless for where in one.lines}
    failing = [line for line in kafkas if line.where not in {*calm, *in_stories} and _failure(line)]
    failed = next((one for one in answer.not_recognized if _FAILS_UNREAD.search(one.line)), None)
    which = "It" if missed == 1 else "One of them"
    says = f" {which} says that something failed: '{_quoted(failed.line)}' ({failed.where})." if failed else ""
    is_any_known = answer.events or answer.harmless or missed < answer.records - answer.foreign
    if missed and (missed >= answer.records or not is_any_known) and not failing:
        none = "The line was not" if missed == 1 else f"None of the {missed:,} lines was"
        return Summary(f"{none} recognized: this answer cannot say whether anything is wrong.{says}")
    unread = f"{missed:,} {'line was' if missed == 1 else 'lines were'} not recognized."
    if failing and passed is None:
        return Summary(f"{_failing_below_warn(failing)} {unread if missed else 'Nothing else here reports a fault.'}")
    if failed is not None:
        return Summary(f"{unread}{says} Only the recognized lines report no fault.")
    if missed:
        return Summary(f"No fault in the recognized lines; {unread}", is_calm=True)
    waits = _waiting(kafkas)
    if passed is not None:
        return Summary(f"No fault found. {passed}{waits}", is_calm=True)
    if answer.harmless:
        every = dict.fromkeys(_in_full(one) for one in answer.harmless)
        errors = dict.fromkeys(_in_full(one) for one in answer.harmless if one.level in ("ERROR", "FATAL"))
        why = next((f" {next(iter(distinct))}" for distinct in (every, errors) if len(distinct) == 1), "")
        why = why if len(why) <= _MOST_OF_A_SENTENCE else ""
        return Summary(f"No fault found: these lines are harmless.{why}{waits}", is_calm=True)
    return Summary(
        f"No fault found: {_all_read(answer.records - answer.foreign)}, and none reports trouble.{waits}", is_calm=True
    )


def _in_full(one: ExplainedMessage) -> str:
    return f"{one.says} {one.because}".strip()


def _waiting(kafkas: Sequence[Line]) -> str:
    """A sentence about what the process waits for, if the last line says so."""
    last = max(kafkas, key=lambda line: line.number, default=None)
    if last is None or _WAITS.search(last.message) is None:
        return ""
    return f" The last line waits: '{_quoted(last.message)}' ({last.where}). If nothing follows it in the log, see why that does not come."


_WAITS = re.compile(
    r"(?<![\w.:-])(?<!inished )(?<!Done )(?:[Ww]aiting (?:for|until|on|to)|[Aa]waiting (?!socket connections)|still catching up)\b"
)


def _failure(line: Line) -> str:
    """What a line below WARN, or the exception below it, says that failed, except what a normal start prints; else empty."""
    if line.severity >= WARN or _AT_A_START.search(line.message):
        return ""
    if _FAILS.search(line.message):
        return line.message
    return next((row.strip() for row in line.trace[:2000].split("\n") if _IS_A_REASON.search(row)), "")


def _failing_below_warn(failing: Sequence[Line]) -> str:
    """The first message with its count and location, and the number of other messages."""
    alike = by_key(failing, lambda line: _NUMBER.sub("0", _failure(line)))
    first, *others = alike.values()
    says = "One line below WARN says" if len(first) == 1 else f"{len(first):,} lines below WARN say"
    sentence = f"{says} that something failed: '{_quoted(_failure(first[0]))}' ({first[0].where})."
    if not others:
        return sentence
    who = "another message" if len(others) == 1 else f"{len(others):,} other messages"
    return f"{sentence} So {'does' if len(others) == 1 else 'do'} {who}, first '{_quoted(_failure(others[0][0]))}' ({others[0][0].where})."


_IS_FATAL = re.compile(r"\b[Ff]atal (?:\w{1,30} )?(?:error|exception|fault)\b")
# A sentence of a person: words without the marks of a log, of a setting or of an exception.
_PROSE = re.compile(r"^(?:#{1,6} |[-*] |\d{1,2}[.)] )?[A-Za-z][\w']*(?: [\w'\"`(),/.+-]+){2,80}[.?!:;]?$")
_OF_A_PERSON = re.compile(
    r"\b(?:(?:doesn't|does not|don't|isn't|is not|not|stopped) work(?:ing)?|this (?:happens|fails|doesn't|does not)|my|our|I|we|you|please|thanks)\b|^(?:After|When|While|Then|Now|Here)\b",
    re.IGNORECASE,
)
_COMPLAINS = re.compile(
    r"\b(?:unusable|(?:doesn't|does not|don't|do not|can't|cannot|won't)(?! (?:know|think|understand|see (?:why|how|what)|find (?:out|any)|tell|say|want|need|mean|believe|remember|seem to be (?:a|an|any))\b)|unable|not work(?:ing)?|fail(?:s|ed|ing)?|crash(?:es|ed|ing)?|stuck|hangs?|broken)\b",
    re.IGNORECASE,
)


def _is_remark(line: Line) -> bool:
    """Whether a person wrote the line beside those of programs; an error that a program printed is none."""
    if line.level != NO_LEVEL or line.logger or line.template or line.kind not in (None, UNKNOWN, OTHERS):
        return False
    prose = _PROSE.match(line.message[:600])
    if prose is None or not _OF_A_PERSON.search(line.message) or _failing_row(line) is not None:
        return False
    return wording_of(line) is None and cause_of(line) is None


def _failing_row(line: Line) -> tuple[str, str] | None:
    """The first row of a line of another program that says that something failed, with its location."""
    for row in line.text[:2000].split("\n"):
        is_remark = _PROSE.match(row.strip()) is not None and _OF_A_PERSON.search(row) is not None
        if _FAILS_ANYWHERE.search(row) and not is_remark:
            return row.strip(), line.where
    return None


_FAILS_ANYWHERE = re.compile(
    r"(?<![\w.=-])(?:error|failed|failure|fatal|cannot|denied|refused|unable|could not|unsupported\w{0,20}|no such|not found|not (?:a )?recognized|killed)(?![\w.=-]*[\w-])",
    re.IGNORECASE,
)  # in a line of another program
_IS_A_REASON = re.compile(
    r"(?<![\w.])(?:[a-z]\w*\.)++[A-Z]\w{0,150}?(?:Exception|Error)\b|^Caused by: |^(?:Error|Exception|Traceback|fatal|panic)\b|exited? (?:with )?(?:code|status) [1-9]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,20}")
# Lines of a start until the node knows the metadata version, the broker epoch and the active controller.
_AT_A_START = re.compile(
    r"cannot register yet because the metadata[. ]version is (?:not known yet|still 3\.0-IV1)|Unable to read the broker epoch in |"
    r"registerBroker: (?:event )?failed with NotControllerException"
)
# Words that rule out an all-clear even in a line below WARN; not as parts of a name.
_FAILS = re.compile(
    r"(?<![\w.:-])(?:[Ff]ailed(?! due to MemberIdRequired)|[Ff]ailing|[Tt]imed out|[Cc]annot|[Cc]ould not|[Uu]nable to|[Rr]efused|[Dd]enied|[Cc]orrupt(?:ed)?|[Cc]rashed)(?![\w.:-]*[\w-])"
)
# The same in a line that no entry knows: there these words are enough.
_FAILS_UNREAD = re.compile(
    rf"{_FAILS.pattern}|\b[Ee]rror occurred\b|\b[Nn]o route to host\b|\b(?:[Nn]etwork|[Hh]ost) is (?:unreachable|down)\b|\bexception occurred\b|\b[Gg]iving up\b"
)


def _quoted(message: str) -> str:
    shown = message if len(message) <= _QUOTED else _PREFIX.sub("", message)
    shown = shown if len(shown) <= _QUOTED else f"{shown[:_QUOTED].rpartition(' ')[0]} …"
    return shown.rstrip(".")


_STOPPING = (
    "log_manager_shutdown_begin",
    "log_manager_shutdown_done",
    "broker_shutting_down",
    "broker_shutdown_begin",
    "broker_shutdown_done",
    "replica_manager_shutdown_done",
    "controller_channel_shutdown",
    "socket_server_shutdown",
)
_AROUND_A_STOP = ("process_signal", "process_start_line", "broker_started", "process_started", "broker_starting")


def _all_read(records: int) -> str:
    return "the one line was recognized" if records == 1 else f"all {records:,} lines were recognized"


def _many(count: int, noun: str) -> str:
    return f"One {noun}" if count == 1 else f"{count:,} {noun}s"
