"""A verdict is a row: when it holds, and all that it says. Of several the first that holds counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F


@dataclass(frozen=True)
class Judgement:
    """One verdict with its scenario (facts §3.3), the premise that carries it, and the offsets until which records
    are lost at least and at most (null: nobody knows).
    """

    when: Column
    verdict: str
    scenario: Column
    premise: Column
    at_least: Column
    at_most: Column


def first_that_holds(judgements: Sequence[Judgement]) -> Column:
    """The verdict, scenario, premise, at_least and at_most of the first judgement that holds, as one struct; the last
    holds always.
    """
    first, *others, last = judgements
    judged = F.when(first.when, _said(first))
    for judgement in others:
        judged = judged.when(judgement.when, _said(judgement))
    return judged.otherwise(_said(last))


def _said(judgement: Judgement) -> Column:
    return F.struct(
        F.lit(judgement.verdict).alias("verdict"),
        judgement.scenario.cast("string").alias("scenario"),
        judgement.premise.alias("premise"),
        judgement.at_least.cast("bigint").alias("at_least"),
        judgement.at_most.cast("bigint").alias("at_most"),
    )
