"""Lists as text."""

from __future__ import annotations

from replay.columns.phrases import listed
from tests.tables import table


def test_the_items_of_an_array_are_listed(spark):
    told = table(spark, "ids array<int>", "ids\n[]\n7\n1,2").select(listed("ids")).collect()
    assert [row[0] for row in told] == ["", "7", "1, 2"]
