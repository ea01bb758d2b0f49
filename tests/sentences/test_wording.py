"""How a wording draws a text from arguments: the forms of places, parts that stand or fall, and what cannot be parsed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from replay.sentences import Wordings, statement
from replay.sentences.statement import LIST_SEPARATOR
from replay.sentences.wording import LISTED_AT_MOST, Part, Segment, parsed
from tests.each import for_each


def _list(*items) -> str:
    return LIST_SEPARATOR.join(map(str, items))


NAMES = [f"orders-{n}" for n in range(LISTED_AT_MOST + 7)]
# A wording, its arguments, and the text.
DRAWN = [
    ("no place", {}, "no place"),
    ("node {n} and {n} again", {"n": "3"}, "node 3 and 3 again"),
    ("of {b:list broker}", {"b": _list(1)}, "of broker 1"),
    ("of {b:list broker}", {"b": _list(1, 2)}, "of brokers 1 and 2"),
    ("of {b:list broker}", {"b": _list(1, 2, 3)}, "of brokers 1, 2 and 3"),
    ("of {b:list}", {"b": _list("a", "b")}, "of a and b"),
    ("of {b:list}", {"b": _list(*NAMES)}, f"of {', '.join(NAMES[:3])} and 16 more"),
    (
        "of {b:list}",
        {"b": _list(*NAMES[:LISTED_AT_MOST])},
        f"of {', '.join(NAMES[: LISTED_AT_MOST - 1])} and {NAMES[LISTED_AT_MOST - 1]}",
    ),
    ("of {b:topics}", {"b": _list("a", "b")}, "of a and b"),
    ("of {b:topics}", {"b": _list(*NAMES)}, f"of {', '.join(NAMES[:3])} and 16 more topics"),
    ("{n:count offset}", {"n": "1"}, "1 offset"),
    ("{n:count offset}", {"n": "0"}, "0 offsets"),
    ("{n:count offset}", {"n": "8390"}, "8,390 offsets"),
    ("{n:count change of leader/changes of leader}", {"n": "2"}, "2 changes of leader"),
    ("{n:pick has/have}", {"n": "1"}, "has"),
    ("{n:pick has/have}", {"n": "3"}, "have"),
    ("{n:times}", {"n": "1"}, "once"),
    ("{n:times}", {"n": "2"}, "twice"),
    ("{n:times}", {"n": "3000"}, "3,000 times"),
    ("{t:clock}", {"t": "2024-05-01T10:00:07.250Z"}, "10:00:07.250"),
    ("{t:time}", {"t": "2024-05-01T10:00:07.250Z"}, "2024-05-01 10:00:07"),
    ("{n:seconds}", {"n": "26430"}, "26.4 s"),
    ("{n:number}", {"n": "8390"}, "8,390"),
    # A part stands where all that it names is there.
    ("a(? b {n})(?, c)", {"n": "1"}, "a b 1, c"),
    ("a(? b {n})(?, c)", {}, "a, c"),
    ("a(? b {n} {m})", {"n": "1"}, "a"),
    ("a(?{f:if}; b)", {"f": "yes"}, "a; b"),
    ("a(?{f:if}; b)", {}, "a"),
    ("a(? (b {n}))", {"n": "1"}, "a (b 1)"),
    ("(a)(? b)", {}, "(a) b"),
    ("a(? {n})", {"n": ""}, "a"),
    # What is missing outside a part is seen, not guessed; so is a number that is none.
    ("node {n} died", {}, "node ? died"),
    ("{n:count offset}", {"n": "many"}, "?"),
    ("a(? for {n:seconds})", {"n": "long"}, "a"),
    # Braces and marks in an argument are text.
    ("said {x}", {"x": '{n:list} (?a) $1 \\ "'}, 'said {n:list} (?a) $1 \\ "'),
]


@for_each(("wording", "arguments", "text"), DRAWN)
def test_each_form_is_drawn_as_it_is_reported(wording, arguments, text):
    assert Wordings({"w": wording}).render("w", arguments) == text


def test_a_statement_keeps_times_lists_and_numbers_as_text_and_leaves_out_what_is_not_known():
    at = datetime(2024, 5, 1, 10, 0, 7, 250_000, tzinfo=UTC)
    told = statement("why", at_begun=at, brokers=[1, 2], count=8390, gone=None, is_open=False, is_sure=True, name="b")
    assert told.reason == "why"
    assert told.arguments == {
        "at_begun": "2024-05-01T10:00:07.250Z",
        "brokers": _list(1, 2),
        "count": "8390",
        "is_sure": "yes",
        "name": "b",
    }


def test_what_has_nothing_to_say_has_no_text_and_an_unknown_reason_shows_its_name():
    wordings = Wordings({"known": "all is {how}"})
    assert wordings.render(None, {}) is None
    assert wordings.render("untold", {"how": "1"}) == "untold"
    told = [("known", {"how": "well"}), ("known", {"how": "over!"})]
    assert wordings.sentences(told) == "All is well. All is over!"


def test_a_wording_is_parsed_as_it_is_declared():
    assert list(parsed("a {n}(? b)")) == [
        Part(False, (Segment(text="a "), Segment(name="n", form="plain", one="", many=""))),
        Part(True, (Segment(text=" b"),)),
    ]
    assert Wordings({"a": "x"}) | Wordings({"b": "z"}) == Wordings({"a": "x", "b": "z"})
    with pytest.raises(ValueError, match="two wordings of a"):
        Wordings({"a": "x"}) | Wordings({"a": "y", "b": "z"})


@pytest.mark.parametrize(
    ("text", "message"), [("a {n:liste broker}", "no form 'liste'"), ("a (? b {n}", "a part without an end")]
)
def test_a_wording_that_cannot_be_is_refused_where_it_is_declared(text, message):
    with pytest.raises(ValueError, match=message):
        Wordings({"w": text})


@pytest.mark.parametrize(
    ("high", "text"),
    [
        ("2026-11-21 02:30:00.000", " (between 00:00:00 and 02:30:00)"),
        ("2026-11-22 02:30:00.000", " (between 2026-11-21 00:00:00 and 2026-11-22 02:30:00)"),
    ],
)
def test_times_of_several_days_show_their_dates(high, text):
    words = Wordings({"began": "(? (between {low:second} and {high:second}))"})
    assert words.render("began", {"low": "2026-11-21 00:00:00.000", "high": high}) == text


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ("2026-11-21 23:59:59.500", "ended at 23:59:58.000; lost at 23:59:59.500"),
        ("2026-11-22 00:00:01.000", "ended at 2026-11-21 23:59:58.000; lost at 2026-11-22 00:00:01.000"),
        ("", "ended at 23:59:58.000"),
    ],
)
def test_times_in_different_parts_of_a_statement_show_their_dates(error, text):
    words = Wordings({"ended": "ended at {at:clock}(?; lost at {error:clock})"})
    assert words.render("ended", {"at": "2026-11-21 23:59:58.000", "error": error}) == text
