"""What single lines say beside their columns."""

from __future__ import annotations

from replay.facts.lines import whole_number
from tests.each import for_each


@for_each(
    ("text", "number"),
    [
        ("42", 42),
        (" -1 ", -1),
        ("0", 0),
        ("00000000000000000000", 0),  # segments are named by their base offset, in twenty digits
        ("00000000000000000300", 300),
        ("9" * 40, None),
        ("12a", None),
        ("", None),
        (None, None),
    ],
)
def test_a_text_is_a_number_where_all_of_it_is(text, number):
    assert whole_number(text) == number
