"""The frames that figures take, normalized: one time zone, one kind of null, one order.

Frames come from Spark or from Parquet files, so a column of whole numbers may arrive as floats, a list as a NumPy
array, a time with or without its zone, and rows in any order. Figures do not depend on any of this.
"""

from __future__ import annotations

from collections import defaultdict, namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import pandas as pd

from replay.tables import DECLARED

_KINDS = {
    "string": "str",
    "int": "int",
    "bigint": "int",
    "double": "float",
    "boolean": "bool",
    "timestamp": "time",
    "array": "list",
}
_TIDY = "tidy"  # the attribute of a page's frame that names its table, whole or in part, as `tidy` sets it
_OWN: Mapping[str, str] = {
    "totals": "table:str shown:int rows:int partitions_shown:int partitions:int",
    "node_facts": "node_id:int name:str value:str event_id:str",
    "settings": "name:str value:str node_id:int event_id:str",
    "topic_settings": "topic:str name:str value:str event_id:str",
    "glossary": "code:str name:str means:str look_next:str settings:list stops_process:bool",
    "context": "run:int line_number:int source_file:str is_named:bool ts:time level:str message:str",
    "evidence": "event_id:str ts:time node_id:int source_file:str line_number:int level:str logger:str message:str tells:str",
}  # frames that exist only on the page
_ADDED: Mapping[str, str] = {"violations": "states:str means:str act:str"}  # columns that the page adds to a table
SORTED_BY: Mapping[str, str] = {
    "all_clear": "verdict",
    "availability": "topic partition acks start_ts",
    "blind_spots": "kind node_id start_ts",
    "broker_sessions": "start_ts broker_id",
    "clock_offsets": "node_id start_ts",
    "commit_bands": "topic partition start_ts",
    "controllers": "start_ts mode",
    "coverage": "source_file node_id",
    "coverage_spans": "node_id log start_ts",
    "deposed_leaders": "topic partition broker_id",
    "described_partitions": "topic partition ts",
    "edges": "src dst relation",
    "elections": "ts topic partition leader_epoch",
    "eligible_leaders": "start_ts topic partition",
    "epoch_files": "topic partition node_id start_ts",
    "failovers": "topic partition leader_epoch ts broker_id",
    "feature_levels": "start_ts feature node_id",
    "findings": "start_ts finding_id",
    "follower_positions": "topic partition ts node_id",
    "high_watermark_curves": "topic partition node_id leader_epoch start_ts",
    "high_watermarks": "topic partition ts node_id source",
    "incidents": "start_ts incident_id",
    "isr_drops": "broker_id leader_id",
    "isr_spans": "topic partition topic_id start_ts leader_epoch partition_epoch",
    "leader_epoch_caches": "topic partition node_id leader_epoch start_ts",
    "limits": "kind start_ts",
    "measures": "ts node_id measure device",
    "metric_statements": "incident_id statement_id",
    "leader_epochs": "topic partition topic_id leader_epoch start_ts",
    "log_directories": "topic partition start_ts node_id",
    "log_starts": "topic partition ts node_id",
    "losses": "ts topic partition leader_epoch loss_class from_offset",
    "remote_logs": "topic partition ts node_id",
    "replicas": "topic partition trust node_id",
    "second_witness": "ts topic partition leader_epoch partition_epoch",
    "told_offsets": "topic partition ts tool what",
    "truncations": "ts topic partition node_id",
    "unmatched": "count normalized logger",
    "vertices": "ts id",
    "violations": "invariant topic partition",
    "voter_sets": "start_ts node_id",
}  # the tables that the page reads, and the order of their rows; further columns break ties


def _declared(table: str, first: str) -> Mapping[str, str]:
    """The columns of a table of the result by its declaration, its sort columns first, each with its kind. Map columns
    are left out: they are for programs.
    """
    kinds = {c.name: _KINDS.get(c.type.simpleString().partition("<")[0]) for c in DECLARED[table].columns}
    order = [*first.split(), *(name for name in kinds if name not in first.split())]
    return {name: kind for name in order if (kind := kinds[name]) is not None} | _words(_ADDED.get(table, ""))


def _words(columns: str) -> dict[str, str]:
    return dict(word.split(":") for word in columns.split())


COLUMNS: Mapping[str, Mapping[str, str]] = {name: _declared(name, first) for name, first in SORTED_BY.items()} | {
    name: _words(columns) for name, columns in _OWN.items()
}
"""The columns that figures and page read, by table, each with its kind; rows are sorted by the columns in their order."""


def tidy(frame: pd.DataFrame | None, table: str) -> pd.DataFrame:
    """`frame` with exactly the columns of `COLUMNS[table]`: times naive in UTC, whole numbers nullable, lists tuples,
    rows in one order.

    Without rows it has all columns. A time without a zone counts as UTC. Raises KeyError for rows that lack a column.
    """
    if frame is None or frame.empty:
        return _without_rows(table).copy()
    if frame.attrs.get(_TIDY) == table:
        return frame.reset_index(drop=True)
    columns, given = COLUMNS[table], frame.reset_index(drop=True)
    missing = [name for name in columns if name not in given]
    if missing:
        raise KeyError(f"{table}: no column {', '.join(missing)}")
    even = pd.DataFrame({name: _COERCE[kind](given[name]) for name, kind in columns.items()})
    if table == "glossary" or len(even) == 1:
        return even  # in the order given
    first = SORTED_BY.get(table, "").split()
    if first and not even.duplicated(first).any():  # no ties: further columns would not matter
        return even.sort_values(first, kind="mergesort").reset_index(drop=True)
    order = (
        even.assign(**{name: even[name].map(str) for name, kind in columns.items() if kind == "list"})
        .sort_values(list(columns), kind="mergesort")
        .index
    )
    return even.loc[order].reset_index(drop=True)


@cache
def _without_rows(table: str) -> pd.DataFrame:
    nothing = pd.Series(dtype=object)
    return pd.DataFrame({name: _COERCE[kind](nothing) for name, kind in COLUMNS[table].items()})


class Tables(dict[str, pd.DataFrame]):
    """The immutable frames of a page, with a cache of what is computed from them. `concluded` holds what is computed
    from all rows of a table, even if a frame was cut since.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame]) -> None:
        super().__init__(tables)
        self.kept: dict[str, Any] = {}
        self.concluded: dict[str, Any] = {}


class OnDemand(Tables):
    """The frames of a page, each loaded and normalized by `tidy` when something reads it."""

    def __init__(self, load: Callable[[str], pd.DataFrame | None]) -> None:
        super().__init__({})
        self._load = load

    def __missing__(self, name: str) -> pd.DataFrame:
        frame = self[name] = tidy(self._load(name), name)
        frame.attrs[_TIDY] = name
        return frame

    def __contains__(self, name: object) -> bool:
        return name in COLUMNS

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in COLUMNS else default


def even(tables: Mapping[str, pd.DataFrame]) -> Tables:
    """The frames of a page, each normalized by `tidy`; missing ones are empty."""
    made = Tables({name: tidy(tables.get(name), name) for name in COLUMNS})
    for name, frame in made.items():
        frame.attrs[_TIDY] = name
    if isinstance(tables, Tables):
        made.concluded |= tables.concluded
    return made


def once(tables: Mapping[str, pd.DataFrame], name: str, made: Callable[[], Any]) -> Any:
    """The result of `made`, computed once for the frames of a page."""
    if not isinstance(tables, Tables):
        return made()
    if name not in tables.kept:
        tables.kept[name] = made()
    return tables.kept[name]


def conclusion(tables: Mapping[str, pd.DataFrame], name: str, made: Callable[[], Any]) -> Any:
    """What `made` concludes from all rows of the tables, computed once; `viz.conclusions` lists them."""
    if not isinstance(tables, Tables):
        return made()
    if name not in tables.concluded:
        tables.concluded[name] = made()
    return tables.concluded[name]


def table(tables: Mapping[str, pd.DataFrame], name: str) -> list[Any]:
    """The rows of a table, as `rows` returns them."""
    found: list[Any] = once(tables, f"rows of {name}", lambda: rows(tables[name]))
    return found


def rows(frame: pd.DataFrame) -> list[Any]:
    """The frame's rows as named tuples, every null as None."""
    if frame.empty:
        return []
    row = namedtuple("Row", list(frame), rename=True)  # type: ignore[misc]
    return list(map(row._make, zip(*(_values(frame[name]) for name in frame), strict=True)))


def _values(series: pd.Series) -> list[Any]:
    """The values of a column, every null as None."""
    if pd.api.types.is_datetime64_any_dtype(series.dtype):
        # pandas needs a microsecond or more to make a time, and many rows have the same
        places, distinct = pd.factorize(series)
        held = [*distinct.astype(object).tolist(), None]  # the place of a null is -1
        return [held[place] for place in places.tolist()]
    if series.dtype != object:
        known: list[Any] = series.to_numpy(object, na_value=None).tolist()
        return known
    values, gone = series.tolist(), series.isna()
    return [None if no else value for value, no in zip(values, gone.tolist(), strict=True)] if gone.any() else values


def second(ts: pd.Timestamp | None) -> pd.Timestamp | None:
    """The second in which a time lies; `floor` of pandas takes fifty times as long."""
    return None if ts is None else ts.replace(microsecond=0, nanosecond=0)


def partitions(tables: Mapping[str, pd.DataFrame], table: str) -> tuple[int, int]:
    """How many partitions the frame of `table` holds, and how many there are in all, which `totals` gives for a frame
    that was cut.
    """
    held = len(tables[table][["topic", "partition"]].drop_duplicates())
    totals = tables["totals"]
    return held, max([held, *totals[totals.table == table].partitions.dropna()])


def counted(tables: Mapping[str, pd.DataFrame], table: str) -> int:
    """How many rows a table has, including those that its frame does not hold."""
    totals = tables["totals"]
    held = len(tables[table]) if table in tables else 0
    return int(max([held, *totals[totals.table == table].rows.dropna()]))


def recorded(tables: Mapping[str, pd.DataFrame]) -> tuple[pd.Timestamp, pd.Timestamp] | None:
    """From the first to the last time in the files, or else in the tables; None without any time."""
    covered = _bounds([tables["coverage"].first_ts, tables["coverage"].last_ts]) if "coverage" in tables else None
    return covered or _bounds(
        frame[name]
        for table, frame in sorted(tables.items())
        for name, kind in COLUMNS.get(table, {}).items()
        if kind == "time" and table != "coverage"
    )


def _bounds(series: Iterable[pd.Series]) -> tuple[pd.Timestamp, pd.Timestamp] | None:
    times = pd.concat([*series, pd.Series(dtype="datetime64[ns]")]).dropna()
    return None if times.empty else (times.min(), times.max())


def _times(series: pd.Series) -> pd.Series:
    if series.dtype == "datetime64[ns]":
        return series
    return (
        pd.to_datetime(series, utc=True, format="ISO8601" if _holds_text(series) else None)
        .dt.tz_localize(None)
        .astype("datetime64[ns]")
    )


def _whole(series: pd.Series) -> pd.Series:
    return pd.to_numeric(series).astype("Int64")


def _real(series: pd.Series) -> pd.Series:
    return pd.to_numeric(series).astype("float64")


def _text(series: pd.Series) -> pd.Series:
    values = series.astype(object).where(series.notna(), None)
    if pd.api.types.infer_dtype(values, skipna=True) in ("string", "empty"):
        return values
    return values.map(lambda value: value if value is None else str(value)).astype(object)


def _flag(series: pd.Series) -> pd.Series:
    return series.astype(object).where(series.notna(), None).astype("boolean")


def _list(series: pd.Series) -> pd.Series:
    return pd.Series([_items(value) for value in series], index=series.index, dtype=object)


def _items(value: Any) -> tuple[object, ...]:
    if type(value) is tuple and not (value and (hasattr(value[0], "item") or isinstance(value[0], dict))):
        return value
    return tuple(_item(item) for item in value) if hasattr(value, "__iter__") and not isinstance(value, str) else ()


def _item(value: Any) -> object:
    """A value as Python has it, with the values of a struct; an array in one is a list."""
    if isinstance(value, dict):
        return {name: _item(own) for name, own in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value


def _holds_text(series: pd.Series) -> bool:
    return series.dtype == object and any(isinstance(value, str) for value in series)


_COERCE = {"time": _times, "int": _whole, "float": _real, "str": _text, "bool": _flag, "list": _list}


def by_key(
    rows: Iterable[Any], key: Callable[[Any], Any], value: Callable[[Any], Any] = lambda row: row
) -> dict[Any, list[Any]]:
    """The rows, or a value of each, by a key; each group in their order. A key without rows has an empty list."""
    groups: defaultdict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(value(row))
    return groups


def place(value: Any, order: Sequence[Any]) -> int:
    """The place of a value in an order; an unknown value comes last."""
    return order.index(value) if value in order else len(order)
