"""The meaning of log lines in SQL, for logs that are in a table: `kafka_explain(line)` as a table function, and
`kafka_meaning(line)` as a function of a column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from pyspark.sql import SparkSession
from pyspark.sql.functions import udf, udtf
from pyspark.sql.udtf import UserDefinedTableFunction

from pipelines.pack_texts import library_of, texts_of
from pipelines.package import hand_to_workers
from replay.catalogue.kinds import phrase_of
from replay.knowledge.explaining import explained
from replay.knowledge.library import with_library
from replay.reading.printed_line import Line
from replay.reading.texts import lines_of

NAME = "kafka_explain"
COLUMN = "kafka_meaning"  # SQL has one name for one function: a session knows a table function or a function by it
_SOURCE = "this line"  # as a meaning names the text: "the broker of this line"

_EXPLAINED = "template_id string, kind string, meaning string"
Explained = tuple[str | None, str | None, str | None]


def register(spark: SparkSession, packs: Sequence[Path] = ()) -> None:
    """Register the table function `kafka_explain` and the function `kafka_meaning` in a session; `packs`: files that add
    to what lines mean. Raises InputError for a pack with an error.
    """
    hand_to_workers(spark)
    texts = texts_of(packs)
    library_of(texts)  # checks them before a worker reads them

    class KafkaExplainWithPacks(KafkaExplain):
        """Its rows, with the packs of this session."""

        def eval(self, line: str | None) -> Iterator[Explained]:
            """The template, the kind and the meaning of each record by itself; null if unknown."""
            with with_library(library_of(texts)):
                rows = list(super().eval(line))
            yield from rows

    def first_with_packs(line: str | None) -> Explained | None:
        with with_library(library_of(texts)):
            return first_explained(line)

    function = udtf(KafkaExplainWithPacks if packs else KafkaExplain, returnType=_EXPLAINED)
    spark.udtf.register(NAME, cast(UserDefinedTableFunction, function))
    column = first_with_packs if packs else first_explained
    spark.udf.register(COLUMN, udf(column, returnType=_EXPLAINED, useArrow=False))


def first_explained(line: str | None) -> Explained | None:
    """The template, the kind and the meaning of the first record in a text; None for a text without a record."""
    record = next(iter(lines_of(line or "", _SOURCE)), None)
    return None if record is None else _explained(record)


class KafkaExplain:
    """A row for each record in a text: a line, with its stack trace if there is one. A text without a record has one
    row of nulls, so that a lateral join keeps it.
    """

    def eval(self, line: str | None) -> Iterator[Explained]:
        """The template, the kind and the meaning of each record by itself; null if unknown."""
        records = list(lines_of(line or "", _SOURCE))
        yield from map(_explained, records) if records else [(None, None, None)]


def _explained(record: Line) -> Explained:
    answer = explained([record])
    sentences = [*(one.says for one in (*answer.told, *answer.harmless)), *(event.says for event in answer.events)]
    meaning = sentences[0] if sentences else phrase_of(record.kind) if record.kind else None
    return record.template, record.kind, meaning
