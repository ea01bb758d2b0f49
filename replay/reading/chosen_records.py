"""Which records of many are looked at line by line: the first of each file, warnings and errors, and those that match a
pattern; of one wording in one file only the first.

A choice made from some records and a choice made from the others give the choice from all of them. Spark's workers
therefore choose from their own records, and no other record leaves them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, repeat

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import StructField, StructType

from replay.tables.arrow import arrow_schema
from replay.tables.reading import PRINTED
from replay.tables.table import LONG, STRING

LOUD = ("WARN", "ERROR", "FATAL")
COLUMNS = (
    *("source_file", "line_number", "ts", "node_id", "level", "logger", "template_id", "message", "below", "layout"),
)
_HELD = 20_000  # rows that are held before they are reduced
_WORDING_CHARS = 80
_EARLY = "is_early"  # among the first rows of its file, which stay: of more rows the first are then known
_FILE, _WORDING = ("source_file",), ("source_file", "wording")
# Beside the columns of a record: its wording, empty for a record that only stands first in its file; how many records
# with the same wording were left out after it, how many of those are warnings or errors; and how many were looked at.
CHOSEN = StructType(
    [
        *(field for field in PRINTED.schema.fields if field.name in COLUMNS),
        StructField("wording", STRING),
        *(StructField(name, LONG) for name in ("left_out", "loud_left_out", "seen")),
    ]
)


@dataclass(frozen=True)
class RecordChoice:
    """How records are chosen. `patterns` treat all digits alike; `of_digits` do not."""

    patterns: Sequence[str]
    of_digits: Sequence[str]
    of_one_wording: int
    first_of_a_file: int
    witness_layouts: Sequence[str]

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The choice from batches of records, for Spark's workers."""
        yield from self.chosen(self._with_wordings(batch) for batch in batches).to_batches()

    def of_records(self, batches: Iterable[pa.RecordBatch]) -> pa.Table:
        """The choice from batches of records."""
        return self.chosen(self._with_wordings(batch) for batch in batches)

    def as_chosen(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
        """Batches that `batches` made and Spark wrote, each as a choice."""
        for batch in batches:
            yield pa.Table.from_batches([batch]).select(CHOSEN.names).cast(arrow_schema(CHOSEN))

    def chosen(self, parts: Iterable[pa.Table]) -> pa.Table:
        """The choice from the choices of some parts."""
        held = [arrow_schema(CHOSEN).empty_table()]
        rows = 0
        for part in parts:
            held.append(part)
            rows += part.num_rows
            if rows > _HELD:
                held = [self._reduced(pa.concat_tables(held))]
                rows = held[0].num_rows // 2  # of many wordings, the next rows are not reduced one batch at a time
        return self._reduced(pa.concat_tables(held))

    def _with_wordings(self, batch: pa.RecordBatch) -> pa.Table:
        """The records of logs, with their wordings, without those that do not matter."""
        schema = arrow_schema(CHOSEN)
        read = pa.Table.from_batches([batch.select(COLUMNS)])
        read = read.filter(pc.invert(pc.is_in(read["layout"], pa.array(self.witness_layouts))))
        is_loud = pc.is_in(read["level"], pa.array(LOUD))
        wanted = pc.or_(is_loud, self._match(_with_what_is_below(read, is_loud)))
        shape = pc.utf8_slice_codeunits(pc.replace_substring_regex(read["message"], r"\p{Nd}+", "#"), 0, _WORDING_CHARS)
        wording = pc.if_else(pc.fill_null(wanted, False), pc.coalesce(read["template_id"], shape, pa.scalar("")), None)
        nothing = pa.array(repeat(0, read.num_rows), pa.int64())
        more = {"wording": wording, "left_out": nothing, "loud_left_out": nothing, "seen": pc.add(nothing, 1)}
        for name, values in more.items():
            read = read.append_column(name, values)
        return self._reduced(read.select(schema.names).cast(schema))

    def _reduced(self, rows: pa.Table) -> pa.Table:
        """Of each wording in a file the first rows, and the first rows of each file, whatever their wordings."""
        seen = pc.sum(rows["seen"]).as_py() or 0
        every = _sorted(rows, _FILE)
        every = every.append_column(_EARLY, pc.less(_ranks(every, _FILE), self.first_of_a_file))
        named = self._first_of_each_wording(every.filter(every["wording"].is_valid()))
        others = every.filter(pc.and_(every["wording"].is_null(), every[_EARLY]))
        kept = pa.concat_tables([named, others]).select(rows.column_names)
        total = pa.array([seen, *repeat(0, kept.num_rows - 1)][: kept.num_rows], pa.int64())
        return _with(kept, "seen", total)

    def _first_of_each_wording(self, rows: pa.Table) -> pa.Table:
        ordered = _sorted(rows, _WORDING)
        rank = _ranks(ordered, _WORDING)
        is_kept = pc.or_(pc.less(rank, self.of_one_wording), ordered[_EARLY])
        gone = pc.if_else(is_kept, 0, 1).cast(pa.int64())
        loud = pc.if_else(pc.is_in(ordered["level"], pa.array(LOUD)), gone, 0)
        is_first = pc.equal(rank, 0)
        for name, more in (("left_out", gone), ("loud_left_out", loud)):
            sums = _sums(_with(ordered, name, pc.add(ordered[name], more)), name)
            ordered = _with(ordered, name, pc.if_else(is_first, sums, 0))
        return ordered.filter(is_kept)

    def _match(self, texts: pa.ChunkedArray) -> pa.ChunkedArray:
        """Which texts one of the patterns matches. Texts that differ only in digits are matched once, by the patterns that
        treat all digits alike.
        """
        return pa.chunked_array([self._match_each(chunk) for chunk in texts.chunks], pa.bool_())

    def _match_each(self, texts: pa.Array) -> pa.Array:
        shapes = pc.replace_substring_regex(texts, "[1-9]", "0").dictionary_encode()
        of_shape = [pc.match_substring_regex(shapes.dictionary, pattern) for pattern in self.patterns]
        alike = reduce(pc.or_, of_shape).take(shapes.indices)
        return reduce(pc.or_, [pc.match_substring_regex(texts, pattern) for pattern in self.of_digits], alike)


def _with_what_is_below(read: pa.Table, is_loud: pa.ChunkedArray) -> pa.ChunkedArray:
    """The texts of records; of quiet ones with the lines below them, such as an exception."""
    message, below = read["message"], pc.if_else(is_loud, None, read["below"])
    has_more = pc.and_(pc.is_valid(message), pc.fill_null(pc.not_equal(below, ""), False))
    return pc.if_else(has_more, pc.binary_join_element_wise(message, below, "\n"), message)


def first_of_each_wording(chosen: pa.Table, of_one_wording: int) -> tuple[pa.Table, int]:
    """Of the chosen records the first of each wording in a file, also of those that only stand first in their file; the
    column `has_more` says whether there are others. And how many warnings and errors are left out.
    """
    shape = pc.utf8_slice_codeunits(pc.replace_substring_regex(chosen["message"], r"\p{Nd}+", "#"), 0, _WORDING_CHARS)
    ordered = _sorted(_with(chosen, "wording", pc.coalesce(chosen["template_id"], shape)), _WORDING)
    is_kept = pc.less(_ranks(ordered, _WORDING), of_one_wording)
    count = _sums(_with(ordered, "left_out", pc.add(ordered["left_out"], 1)), "left_out")
    is_loud = pc.and_(pc.is_in(ordered["level"], pa.array(LOUD)), pc.invert(is_kept))
    left_out = (pc.sum(is_loud).as_py() or 0) + (pc.sum(ordered["loud_left_out"]).as_py() or 0)
    return ordered.append_column("has_more", pc.greater(count, of_one_wording)).filter(is_kept), left_out


def _sorted(rows: pa.Table, key: Sequence[str]) -> pa.Table:
    return rows.sort_by([(name, "ascending") for name in (*key, "line_number")])


def _counts(ordered: pa.Table, key: Sequence[str]) -> Sequence[int]:
    """How many rows each key has, in the order of the rows."""
    counts = ordered.select(key).group_by([*key], use_threads=False).aggregate([([], "count_all")])
    numbers: Sequence[int] = counts["count_all"].to_pylist()
    return numbers


def _ranks(ordered: pa.Table, key: Sequence[str]) -> pa.Array:
    """The number of each row among those of its key, from 0."""
    return pa.array(array("q", chain.from_iterable(map(range, _counts(ordered, key)))), pa.int64())


def _sums(ordered: pa.Table, name: str) -> pa.Array:
    """The sum of a column over all rows of the same wording, for each row."""
    sums = ordered.group_by([*_WORDING], use_threads=False).aggregate([(name, "sum"), ([], "count_all")])
    each = map(repeat, sums[f"{name}_sum"].to_pylist(), sums["count_all"].to_pylist())
    return pa.array(array("q", chain.from_iterable(each)), pa.int64())


def _with(rows: pa.Table, name: str, values: pa.Array | pa.ChunkedArray) -> pa.Table:
    return rows.set_column(rows.column_names.index(name), name, values)
