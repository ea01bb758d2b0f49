"""`for_each` looks at every record, and names each that fails."""

from __future__ import annotations

import pytest

from tests.each import for_each


def test_every_record_that_fails_is_named_and_the_others_are_looked_at():
    seen = []

    @for_each("number", [1, 2, 3, 4], ids=lambda number: f"n{number}")
    def is_odd(number):
        seen.append(number)
        assert number % 2

    with pytest.raises(AssertionError, match=r"2 of 4 records fail\nn2: AssertionError.*\nn4: "):
        is_odd()
    assert seen == [1, 2, 3, 4]


def test_records_of_several_values_and_fixtures():
    @for_each(("text", "length"), [("a", 1), ("ab", 2)])
    def has_length(text, length, unit):
        assert len(text) * unit == length

    has_length(unit=1)
    with pytest.raises(AssertionError, match="'ab', 2"):
        has_length(unit=2)


def test_a_record_with_a_name_of_its_own_and_an_error_that_does_not_come():
    @for_each(("text", "error"), [pytest.param("1", ValueError, id="a number"), ("x", ValueError)])
    def is_no_number(text, error):
        with pytest.raises(error):
            int(text)

    with pytest.raises(AssertionError, match=r"1 of 2 records fail\na number: Failed: DID NOT RAISE"):
        is_no_number()


def test_a_test_of_no_records_fails():
    with pytest.raises(AssertionError, match="no records"):
        for_each("one", [])(lambda one: None)()


@pytest.fixture
def two():
    return 2


@for_each("number", [2, 2])
def test_fixtures_reach_the_test(number, two):
    assert number == two
