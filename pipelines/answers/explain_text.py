"""The answer as text for a terminal or a notebook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from textwrap import wrap

from replay.knowledge.answer import Answer, Case, ExplainedMessage, Incident, LooksLike, Unknown
from replay.knowledge.meaning import ENDED, PASSING, RECORDED, STOPPED, TROUBLE, UNSEEN, WORDED
from replay.lists import listed

_WEIGHTS = {
    ENDED: "process ended",
    STOPPED: "does not recover alone",
    TROUBLE: "trouble",
    PASSING: "transient, or needs more lines",
}
_WIDTH = 110
_SCREEN = 48  # lines
_MOST_INCIDENTS = 5
_NOTHING_LOST = ("", "none found", "none found, but these logs do not rule it out")
_MOST_UNKNOWN = 4
_MOST_PROOFS = 2
_MOST_FOLLOWING = 6
_MOST_EVENTS = 40

# What is known of a line like the message's.
_EVIDENCE = {
    RECORDED: "; a line like this was recorded",
    UNSEEN: "; known from source code only",
    WORDED: "; known only by its words",
}


def screen_of(answer: Answer) -> Iterator[str]:
    """The answer on one screen: what an analysis of all lines found, or the most serious messages; what is left out says
    so.
    """
    if answer.case is not None:
        yield from _case(answer.case)
        yield from _unread(answer)
        yield "What each line says: --all"
        return
    has_advice = any(one.next for one in _proofs(answer))
    incidents = [*_incidents(answer.incidents, with_steps=not has_advice)]
    if reasons := _reasons(answer):
        lines = [*_messages(reasons), "", *incidents, *_beside_incidents(answer)]
    else:
        lines = [*_ends(answer), *incidents, *_beside_incidents(answer)] if incidents else [*text_of(answer)]
    yield from lines[:_SCREEN]
    if len(lines) > _SCREEN or answer.incidents:
        yield "More: --all"


def _case(case: Case) -> Iterator[str]:
    """What the whole paste shows."""
    yield from _wrapped(case.says, "")
    yield ""
    yield from _wrapped(f"Do: {case.do}", "", "   ")
    yield from _wrapped(case.calm, "") if case.calm else ()


def _unread(answer: Answer) -> Iterator[str]:
    """An error line that no entry knows, beside a case that does not use it."""
    case = answer.case
    loud = (
        one
        for one in answer.unknown
        if one.level in ("ERROR", "FATAL")
        and case
        and not any(one.line[:40] in text for text in (case.says, *case.rows))
    )
    for one in islice(loud, 1):
        yield from _wrapped(f"I do not know this line: '{one.line}' ({one.where})", "", "   ")


def whole_text_of(answer: Answer) -> Iterator[str]:
    """The whole answer."""
    incidents = [*_incidents(answer.incidents)]
    yield from incidents
    if incidents:
        yield from ("", "What the lines say")
    yield from text_of(answer, len(answer.told) or 1)


def _incidents(incidents: Sequence[Incident], *, with_steps: bool = True) -> Iterator[str]:
    """The incidents as the terminal shows those of `analyze`: losses, one line each, the worst in full; `with_steps`:
    also what to do next.
    """
    for one in incidents[:_MOST_INCIDENTS]:
        which = f" ({one.headline[:19]})" if len(incidents) > 1 else ""
        if one.lost_committed not in _NOTHING_LOST:
            yield from _wrapped(f"Lost, committed{which}: {one.lost_committed}", "", "   ")
        if one.lost_uncommitted not in _NOTHING_LOST:
            yield from _wrapped(f"Lost, uncommitted (acks=1 or 0 only){which}: {one.lost_uncommitted}", "", "   ")
    for one in incidents[:_MOST_INCIDENTS]:
        yield from _wrapped(one.headline, "", "   ")
    if len(incidents) > _MOST_INCIDENTS:
        yield f"… and {len(incidents) - _MOST_INCIDENTS} more incidents"
    for worst in incidents[:1]:
        yield ""
        yield from _wrapped(worst.happened, "")
        yield from _wrapped(f"Not over: {listed(worst.still)}", "", "   ") if worst.still else ()
        for number, step in enumerate(worst.next_steps if with_steps else (), 1):
            yield from _wrapped(f"{number}. {step}", "", "   ")


def _proofs(answer: Answer) -> list[ExplainedMessage]:
    """The first messages whose lines prove a root cause: they say why it happened and what to do."""
    evidence = {place for one in answer.incidents for place in one.evidence}
    proofs = (one for one in answer.told if not one.follows and not evidence.isdisjoint((one.where, *one.lines)))
    return list(islice(proofs, _MOST_PROOFS))


def _reasons(answer: Answer) -> list[ExplainedMessage]:
    """The messages that say why the process of the only incident ended, unless records were lost: they go first."""
    is_only = len(answer.incidents) == 1 and {
        answer.incidents[0].lost_committed,
        answer.incidents[0].lost_uncommitted,
    } <= {*_NOTHING_LOST}
    return [one for one in _proofs(answer) if one.weight == ENDED and (one.because or one.next)] if is_only else []


def _ends(answer: Answer) -> Iterator[str]:
    """That a node stopped itself because its only log directories failed, unless records were lost: it goes first."""
    lost = {loss for one in answer.incidents for loss in (one.lost_committed, one.lost_uncommitted)}
    ends = [one for one in answer.told if one.key == "log-dirs-all-failed"] if lost <= {*_NOTHING_LOST} else []
    for one in ends[:_MOST_PROOFS]:
        yield from _wrapped(f"{one.says} {one.effect} ({one.where})", "", "   ")
    yield from [""] if ends else ()


def _messages(messages: Sequence[ExplainedMessage]) -> Iterator[str]:
    printed: set[tuple[str, str]] = set()
    for number, one in enumerate(messages, 1):
        yield from _message(number, one, printed)


def _beside_incidents(answer: Answer) -> Iterator[str]:
    """What the lines say beside the incidents: each message in a sentence, and how many lines follow from what."""
    for bug in answer.looks_like:
        yield from ("", *_wrapped(bug.says, "", "   "))
    proofs, reasons = _proofs(answer), _reasons(answer)
    printed: set[tuple[str, str]] = set()
    for number, one in enumerate(proofs, 1):
        if one not in reasons:
            yield ""
            yield from _message(number, one, printed)
    others = [one for one in answer.told if one not in proofs]
    if others:
        yield from ("", "The lines also say:")
        for one in others[:_MOST_FOLLOWING]:
            yield from _wrapped(f"{one.says} {one.because}".rstrip() + f" ({one.where})", "  ", "    ")
        if len(others) > _MOST_FOLLOWING:
            yield f"  … and {len(others) - _MOST_FOLLOWING} more messages"
    yield from _not_recognized(answer.unknown, _MOST_UNKNOWN)
    following = Counter[str]()
    for one in answer.consequences:
        following[one.follows] += one.count
    if following:
        yield from ("", "Warnings and errors that follow:")
        for cause, count in following.most_common(_MOST_FOLLOWING):
            yield from _wrapped(f"{count:,} from: {cause}", "  ", "    ")


def text_of(answer: Answer, most: int = 12) -> Iterator[str]:
    """The meaning of the lines as text, the most serious messages first; at most `most` messages in full."""
    yield from _wrapped(answer.summary, "") if answer.case is None else _case(answer.case)
    for sentence in answer.together:
        if sentence != answer.summary:
            yield from _wrapped(sentence, "  ")
    for note in answer.notes:
        yield from _wrapped(f"Note: {note}", "  ")
    likely = [bug for bug in answer.looks_like if bug.maturity != UNSEEN]
    for bug in likely:
        yield ""
        yield from _bug(bug)
    printed: set[tuple[str, str]] = set()  # a text that applies to several messages is printed once
    of_bugs = {line for bug in likely for line in bug.lines}
    for number, message in enumerate(answer.told[:most], start=1):
        yield ""
        yield from _message(number, replace(message, heals="") if message.where in of_bugs else message, printed)
    if len(answer.told) > most:
        yield f"… and {len(answer.told) - most} more messages"
    places = {message.where for message in answer.told}
    for bug in answer.looks_like:
        if bug not in likely:  # of a line with a meaning it says only what it may be
            yield ""
            yield from _bug(bug if places.isdisjoint(bug.lines) else replace(bug, heals="", advice=""))
    if answer.consequences:
        yield ""
        yield "Consequences:"
        yield from _consequences(answer.consequences)
    yield from _events(answer)
    yield from _not_recognized((*answer.unknown, *answer.not_recognized), most)
    harmless = [one for one in answer.harmless if one.says[1:] not in answer.summary]
    if harmless:
        yield ""
        yield "Harmless:"
        for says, count in list(_counted(harmless).items())[:most]:
            yield from _wrapped(f"{count}x {says}" if count > 1 else says, "  ")
    if answer.missing:
        yield ""
        yield "To decide what these messages leave open, get:"
        for command in answer.missing:
            yield f"  {command}"


def _events(answer: Answer) -> Iterator[str]:
    """The events in order, if they add to what is printed above them."""
    single = {one.where for one in (*answer.told, *answer.harmless) if one.count == 1 and not one.lines}
    if len(answer.events) < 2 or all(event.where in single for event in answer.events):
        events = [event for event in answer.events if event.where not in single]
    else:
        events = list(answer.events)
    if not events:
        return
    yield ""
    yield "What happened, in order:"
    several = len({event.ts.date() for event in events if event.ts is not None}) > 1
    for event in events[:_MOST_EVENTS]:
        when = (
            f"{event.ts:%Y-%m-%d %H:%M:%S}"
            if event.ts and several
            else f"{event.ts:%H:%M:%S}"
            if event.ts
            else event.clock or "no time "
        )
        often = f" ({event.count} lines)" if event.count > 1 else ""
        yield from _wrapped(f"{when}  {event.says}{often}", "  ", "            ")
    if len(events) > _MOST_EVENTS:
        yield f"  … and {len(events) - _MOST_EVENTS} more events"


def _not_recognized(unknown: Sequence[Unknown], most: int) -> Iterator[str]:
    if not unknown:
        return
    count = sum(one.count for one in unknown)
    yield ""
    yield f"{'1 line was' if count == 1 else f'{count:,} lines were'} not recognized:"
    for one in unknown[:most]:
        level = f"{one.level} " if one.level != "?" else ""
        often = f"{one.count}x " if one.count > 1 else ""
        yield from _wrapped(f"{often}{level}{one.line} ({one.where})", "  ")
    if len(unknown) > most:
        yield f"  … and {len(unknown) - most} more"


def _message(number: int, message: ExplainedMessage, printed: set[tuple[str, str]]) -> Iterator[str]:
    yield from _wrapped(f"{number}. {message.says}", "", "   ")
    evidence = _EVIDENCE.get(message.maturity, "")
    yield f"   [{_WEIGHTS[message.weight]}; {_times(message)}{message.where}{evidence}]"
    for name, text in (
        ("Follows from", message.follows),
        ("Cause", message.because),
        ("Impact", message.effect),
        ("Data", message.data),
        ("Recovers", message.heals),
        ("Do", message.next),
        ("Don't", message.never),
        ("Owner", "" if message.follows else message.whose),
    ):
        if text and (name, text) not in printed:
            if name != "Follows from":
                printed.add((name, text))
            yield from _wrapped(f"{name}: {text}", "   ", "     ")


def _consequences(messages: Sequence[ExplainedMessage]) -> Iterator[str]:
    """The consequences of each cause, the most frequent first."""
    by_cause: dict[str, list[ExplainedMessage]] = {}
    for one in messages:
        by_cause.setdefault(one.follows, []).append(one)
    for cause, theirs in by_cause.items():
        yield from _wrapped(f"Caused by: {cause}", "  ")
        counts = _counted(theirs)
        for says, count in counts.most_common(_MOST_FOLLOWING):
            yield from _wrapped(f"{count}x {says}", "    ", "      ")
        if len(counts) > _MOST_FOLLOWING:
            yield f"    … and {len(counts) - _MOST_FOLLOWING} more messages"


def _counted(messages: Sequence[ExplainedMessage]) -> Counter[str]:
    """How often each message occurs."""
    counts: Counter[str] = Counter()
    for one in messages:
        counts[f"{one.says} {one.because}" if one.is_harmless and one.because else one.says] += one.count
    return counts


def _bug(bug: LooksLike) -> Iterator[str]:
    yield from _wrapped(bug.says, "", "   ")
    sure = bug.confidence == "sure"
    how = (
        "possible: these lines are known from Kafka's source, not from a recording"
        if bug.maturity == UNSEEN
        else "likely, not certain"
        if not sure
        else "the lines match, unless an alternative below applies"
        if bug.look_alike
        else "nothing else prints these lines"
    )
    for name, text in (
        ("Recovers", bug.heals),
        ("Do", bug.advice),
        ("Confidence", f"{how} ({', '.join(bug.lines)})"),
        ("Looks the same", bug.look_alike),
    ):
        if text:
            yield from _wrapped(f"{name}: {text}", "   ", "     ")


def _times(message: ExplainedMessage) -> str:
    if message.count == 1:
        return f"{message.first:%Y-%m-%d %H:%M:%S}, " if message.first else ""
    span = (
        f" from {message.first:%Y-%m-%d %H:%M:%S} to {message.last:%H:%M:%S}" if message.first and message.last else ""
    )
    return f"{'at least ' if message.is_least else ''}{message.count} lines{span}{' or later' if span and message.is_least else ''}, "


def _wrapped(text: str, first: str, rest: str | None = None) -> list[str]:
    return wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
