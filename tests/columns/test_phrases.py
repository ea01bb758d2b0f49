"""Numbers with their nouns and lists as one says them."""

from __future__ import annotations

from pyspark.sql import functions as F

from replay.columns import phrases as words
from tests.tables import same, table


def test_a_number_has_the_noun_it_asks_for(spark):
    numbers = table(
        spark,
        "n bigint",
        """
        n
        0
        1
        2
        3 """,
    )
    same(
        numbers.select(
            "n",
            words.counted("n", "offset").alias("offsets"),
            words.counted(F.col("n"), "change of leader", "changes of leader").alias("changes"),
            words.times("n").alias("times"),
        ),
        "n bigint, offsets string, changes string, times string",
        """
        n | offsets   | changes             | times
        0 | 0 offsets | 0 changes of leader | 0 times
        1 | 1 offset  | 1 change of leader  | once
        2 | 2 offsets | 2 changes of leader | twice
        3 | 3 offsets | 3 changes of leader | 3 times """,
    )


def test_a_list_ends_in_and(spark):
    ids = table(
        spark,
        "ids array<int>",
        """
        ids
        7
        1,2
        1,2,3
        1,2,3,4 """,
    )
    told = ids.select(words.named("ids", "broker"), words.enumerated("ids"), words.some("ids", 3), words.listed("ids"))
    assert [tuple(row) for row in told.collect()] == [
        ("broker 7", "7", "7", "7"),
        ("brokers 1 and 2", "1 and 2", "1 and 2", "1, 2"),
        ("brokers 1, 2 and 3", "1, 2 and 3", "1, 2 and 3", "1, 2, 3"),
        ("brokers 1, 2, 3 and 4", "1, 2, 3 and 4", "1, 2, 3 and 1 more", "1, 2, 3, 4"),
    ]


def test_no_item_is_no_text(spark):
    assert table(spark, "ids array<int>", "ids\n[]").select(words.enumerated("ids")).first()[0] == ""


def test_the_first_letter_fits_the_place_in_the_sentence(spark):
    row = (
        table(spark, "n int", "n\n1")
        .select(
            words.capital(F.lit("brokers 1 and 2")),
            words.small(F.lit("Broker 2 ran out of memory")),
            words.capital(F.lit("")),
        )
        .first()
    )
    assert tuple(row) == ("Brokers 1 and 2", "broker 2 ran out of memory", "")
