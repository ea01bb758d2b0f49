"""The answer as text for a terminal or a notebook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import wrap

from replay.knowledge.answer import Answer, LooksLike, Told
from replay.knowledge.meaning import ENDED, PASSING, STOPPED, TROUBLE

_WEIGHTS = {
    ENDED: "process ended",
    STOPPED: "does not come back alone",
    TROUBLE: "trouble",
    PASSING: "passes, or needs more",
}
_WIDTH = 110
_MOST_FOLLOWING = 6


def text_of(answer: Answer, most: int = 12) -> Iterator[str]:
    """What is told, most serious first; at most `most` messages in full."""
    yield from _wrapped(answer.summary, "")
    for sentence in answer.together:
        if sentence != answer.summary:
            yield from _wrapped(sentence, "  ")
    for note in answer.notes:
        yield from _wrapped(f"Note: {note}", "  ")
    for bug in answer.looks_like:
        yield ""
        yield from _bug(bug)
    said: set[tuple[str, str]] = set()  # what holds for several messages is said once
    for number, told in enumerate(answer.told[:most], start=1):
        yield ""
        yield from _told(number, told, said)
    if len(answer.told) > most:
        yield f"… and {len(answer.told) - most} more messages"
    if answer.consequences:
        yield ""
        yield "What the analysis explains:"
        yield from _consequences(answer.consequences)
    if answer.unknown:
        yield ""
        yield "Nothing is known of:"
        for unknown in answer.unknown[:most]:
            yield from _wrapped(f"{unknown.count}x {unknown.level} {unknown.line} ({unknown.where})", "  ")
    if answer.harmless:
        yield ""
        yield "Harmless:"
        for says, count in list(_counted(answer.harmless).items())[:most]:
            yield from _wrapped(f"{count}x {says}" if count > 1 else says, "  ")
    if answer.missing:
        yield ""
        yield "For a verdict, get:"
        for command in answer.missing:
            yield f"  {command}"


def _told(number: int, told: Told, said: set[tuple[str, str]]) -> Iterator[str]:
    yield from _wrapped(f"{number}. {told.says}", "", "   ")
    yield f"   [{_WEIGHTS[told.weight]}; {_times(told)}{told.where}]"
    for name, text in (
        ("Follows from", told.follows),
        ("Cause", told.because),
        ("Impact", told.effect),
        ("Data", told.data),
        ("Recovers", told.heals),
        ("Do", told.next),
        ("Don't", told.never.removeprefix("Do not ").removeprefix("do not ")),
        ("Owner", told.whose),
    ):
        if text and (name, text) not in said:
            if name != "Follows from":
                said.add((name, text))
            yield from _wrapped(f"{name}: {text}", "   ", "     ")


def _consequences(told: Sequence[Told]) -> Iterator[str]:
    """Under each thing that was found what only follows from it, the most frequent first."""
    by_cause: dict[str, list[Told]] = {}
    for one in told:
        by_cause.setdefault(one.follows, []).append(one)
    for cause, theirs in by_cause.items():
        yield from _wrapped(f"From this: {cause}", "  ")
        counts = _counted(theirs)
        for says, count in counts.most_common(_MOST_FOLLOWING):
            yield from _wrapped(f"{count}x {says}", "    ", "      ")
        if len(counts) > _MOST_FOLLOWING:
            yield f"    … and {len(counts) - _MOST_FOLLOWING} more messages"


def _counted(told: Sequence[Told]) -> Counter[str]:
    """How often each thing is said."""
    counts: Counter[str] = Counter()
    for one in told:
        counts[f"{one.says} {one.because}" if one.is_harmless and one.because else one.says] += one.count
    return counts


def _bug(bug: LooksLike) -> Iterator[str]:
    yield from _wrapped(bug.says, "", "   ")
    sure = bug.confidence == "sure"
    how = (
        "likely, not certain"
        if not sure
        else "the lines fit, if what looks the same is ruled out"
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


def _times(told: Told) -> str:
    if told.count == 1:
        return f"{told.first:%Y-%m-%d %H:%M:%S}, " if told.first else ""
    span = f" from {told.first:%Y-%m-%d %H:%M:%S} to {told.last:%H:%M:%S}" if told.first and told.last else ""
    return f"{told.count} lines{span}, "


def _wrapped(text: str, first: str, rest: str | None = None) -> list[str]:
    return wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
