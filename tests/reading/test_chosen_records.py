"""The choice of records that are looked at line by line, against one that holds all records at the same time."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from replay.reading.chosen_records import LOUD, RecordChoice, first_of_each_wording
from replay.tables.arrow import arrow_schema
from replay.tables.reading import PRINTED

WITNESS = "checkpoint"
CHOICE = RecordChoice(["session", "Fencing broker"], [r"exit 3\d"], 2, 3, [WITNESS])
TEXTS = ("said {n}", "session {n}", "Fencing broker {n}", "exit {n}", "slow {n}")

records = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.sampled_from(["INFO", "WARN", "ERROR", None]),
        st.sampled_from([None, "T1", "T2"]),
        st.sampled_from(TEXTS),
        st.sampled_from(["default", "default", WITNESS]),
    ),
    max_size=60,
)


@given(records, st.integers(1, 9), st.integers(1, 4))
def test_the_choice_from_parts_is_the_choice_from_all_records(some, size, tasks):
    rows = rows_of(some)
    batches = [batch_of(rows[at : at + size]) for at in range(0, len(rows), size)]
    parts = [pa.Table.from_batches([*CHOICE.batches(batches[task::tasks])], SCHEMA) for task in range(tasks)]
    chosen = CHOICE.chosen(parts)
    kept, left_out = first_of_each_wording(chosen, CHOICE.of_one_wording)
    wanted, wanted_left_out = expected(rows)
    got = sorted(zip(kept["source_file"].to_pylist(), kept["line_number"].to_pylist(), kept["has_more"].to_pylist()))
    assert got == wanted
    assert left_out == wanted_left_out
    assert sum(chosen["seen"].to_pylist()) == sum(row["layout"] != WITNESS for row in rows)
    assert CHOICE.of_records(batches).num_rows <= len(rows)


def rows_of(some: Sequence[tuple]) -> list[dict]:
    names = ("source_file", "level", "template_id", "message", "layout")
    rows = [dict(zip(names, one)) | {"line_number": number} for number, one in enumerate(some, 1)]
    return [row | {"message": row["message"].format(n=row["line_number"])} for row in rows]


SCHEMA = next(CHOICE.batches([pa.RecordBatch.from_pylist([{"line_number": 1}], arrow_schema(PRINTED.schema))])).schema


def batch_of(rows: Sequence[dict]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(list(rows), arrow_schema(PRINTED.schema))


def expected(rows: Sequence[dict]) -> tuple[list[tuple], int]:
    """The files, lines and `has_more` of the rows to explain, and how many warnings and errors are left out."""
    own = [row for row in rows if row["layout"] != WITNESS]
    of_file, of_wording = defaultdict(list), defaultdict(list)
    for row in own:
        of_file[row["source_file"]].append(row)
    for file in of_file.values():
        for place, row in enumerate(file):
            matches = re.search(r"session|Fencing broker|exit 3\d", row["message"])
            if row["level"] in LOUD or matches or place < CHOICE.first_of_a_file:
                wording = row["template_id"] or re.sub(r"\d+", "#", row["message"])
                of_wording[row["source_file"], wording].append(row)
    kept, left_out = [], 0
    for same in of_wording.values():
        has_more = len(same) > CHOICE.of_one_wording
        kept += [(row["source_file"], row["line_number"], has_more) for row in same[: CHOICE.of_one_wording]]
        left_out += sum(row["level"] in LOUD for row in same[CHOICE.of_one_wording :])
    return sorted(kept), left_out


def test_a_quiet_record_is_matched_to_its_end_and_with_what_stands_below_it():
    choice = RecordChoice([r"closed\.$", "IllegalState"], [r"exit 3\d"], 2, 0, [WITNESS])
    records = [
        ("closed.", None),
        ("closed. Again", None),
        ("failed", "java.lang.IllegalStateException"),
        ("failed", ""),
    ]
    columns = ("line_number", "level", "message", "below")
    rows = [dict(zip(columns, (number, "INFO", *record))) for number, record in enumerate(records, 1)]
    assert choice.of_records([batch_of(rows)])["line_number"].to_pylist() == [1, 3]
