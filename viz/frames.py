"""The frames that figures take, made even: one time zone, one kind of null, one order.

Frames come from Spark or from Parquet files, so a column of whole numbers may arrive as floats, a list as a NumPy
array, a time with or without its zone, and rows in any order. What a figure sees here does not depend on any of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

COLUMNS: Mapping[str, Mapping[str, str]] = {
    table: dict(word.split(":") for word in words.split())
    for table, words in {
        "coverage": "source_file:str node_id:int layout:str log_records:int matched:int unmatched:int foreign:int first_ts:time last_ts:time",
        "unmatched": "count:int normalized:str logger:str level:str foreign:bool first_ts:time last_ts:time example:str",
        "leader_epochs": "topic:str partition:int topic_id:str leader_epoch:int start_ts:time end_ts:time leader_id:int epoch_start_offset:int elected_from:str "
        "reason:str confidence:str evidence:list",
        "isr_spans": "topic:str partition:int topic_id:str start_ts:time leader_epoch:int partition_epoch:int end_ts:time leader_id:int isr:list replicas:list "
        "min_isr:int confidence:str evidence:list",
        "elections": "ts:time topic:str partition:int leader_epoch:int old_leader_id:int new_leader_id:int elected_from:str trigger:str leaderless_ms:int "
        "evidence:list",
        "high_watermarks": "topic:str partition:int ts:time node_id:int source:str leader_epoch:int role:str high_watermark:int log_end_offset:int "
        "log_start_offset:int leader_high_watermark:int previous_high_watermark:int evidence:list",
        "follower_positions": "topic:str partition:int ts:time node_id:int leader_id:int log_end_offset:int leader_log_end_offset:int source:str evidence:list",
        "epoch_files": "topic:str partition:int node_id:int start_ts:time end_ts:time notation:str told_by:list evidence:list",
        "leader_epoch_caches": "topic:str partition:int node_id:int leader_epoch:int start_ts:time epoch_start_offset:int end_ts:time clipped:bool told_by:list evidence:list",
        "failovers": "topic:str partition:int leader_epoch:int ts:time broker_id:int place:int in_isr:bool is_alive:bool was_taken:bool reason:str learnt_ts:time "
        "lag_ms:int log_end_offset:int truncation_offset:int evidence:list",
        "log_starts": "topic:str partition:int ts:time node_id:int change:str log_start_offset:int from_offset:int to_offset:int evidence:list",
        "log_directories": "topic:str partition:int start_ts:time node_id:int log_dir:str end_ts:time before:str change:str evidence:list",
        "remote_logs": "topic:str partition:int ts:time node_id:int change:str segment_base_offset:int log_start_offset:int local_log_start_offset:int "
        "remote_end_offset:int leader_epoch:int evidence:list",
        "told_offsets": "topic:str partition:int ts:time tool:str what:str value:int group:str node_id:int set_aside:str evidence:list",
        "described_partitions": "topic:str partition:int ts:time leader_id:int preferred_id:int replicas:list isr:list out_of_isr:list set_aside:str evidence:list",
        "commit_bands": "topic:str partition:int start_ts:time end_ts:time committed_low:int committed_high:int low_evidence:list high_evidence:list",
        "truncations": "ts:time topic:str partition:int node_id:int leader_epoch:int log_end_offset:int truncation_offset:int high_watermark:int by_recovery:bool leader_id:int "
        "rule:str expected_offset:int evidence:list",
        "losses": "ts:time topic:str partition:int leader_epoch:int loss_class:str from_offset:int to_offset_low:int to_offset_high:int verdict:str scenario:str "
        "old_leader_id:int new_leader_id:int recoverable_from:list premise:str incident_id:str evidence:list",
        "broker_sessions": "start_ts:time broker_id:int end_ts:time broker_epoch:int ended_by:str silent_ts:time evidence:list",
        "controllers": "start_ts:time mode:str controller_epoch:int controller_id:int ready_ts:time end_ts:time evidence:list",
        "voter_sets": "start_ts:time node_id:int end_ts:time voters:list directory_ids:list dynamic:bool metadata_offset:int added:list removed:list "
        "evidence:list",
        "eligible_leaders": "start_ts:time topic:str partition:int leader_epoch:int leader_id:int isr:list elr:list last_known_elr:list end_ts:time evidence:list",
        "feature_levels": "start_ts:time feature:str node_id:int level:str end_ts:time changed:bool evidence:list",
        "isr_drops": "broker_id:int leader_id:int drops:int as_session_ended:int partition_count:int suspect_id:int first_ts:time last_ts:time evidence:list",
        "deposed_leaders": "topic:str partition:int broker_id:int leader_epoch:int deposed_ts:time last_led_ts:time learnt_ts:time believed_ms:int evidence:list",
        "replicas": "topic:str partition:int trust:int node_id:int leader_id:int in_isr:bool is_up:bool log_end_offset:int told_ts:time high_watermark:int "
        "evidence:list",
        "findings": "start_ts:time finding_id:str incident_id:str code:str role:str severity:str title:str summary:str end_ts:time broker_ids:list "
        "partitions:list confidence:float blind_spots:list evidence:list began_low:time began_high:time ended_low:time "
        "ended_high:time",
        "incidents": "start_ts:time incident_id:str end_ts:time title:str told:str severity:str root_finding_id:str broker_ids:list contributed_ids:list "
        "t0_low:time t0_high:time lasted_low_ms:int lasted_high_ms:int is_over:bool still:list detected_low_ms:int detected_high_ms:int "
        "elections:int leaders_untold:int unclean_elections:int preferred_elections:int leader_epoch_bumps:int leaderless_ms:int unserved_min_ms:int "
        "unserved_max_ms:int under_replicated_ms:int under_min_isr_ms:int single_copy_ms:int blocked_all_min_ms:int blocked_all_max_ms:int "
        "blocked_one_min_ms:int blocked_one_max_ms:int is_open:bool down:list no_controller_low_ms:int no_controller_high_ms:int "
        "partitions_affected:int partitions_blocked:int partitions_known:int lost_offsets_min:int lost_offsets_max:int acked_possible_min:int acked_possible_max:int "
        "undetermined:int lost_committed:str lost_uncommitted:str leaders_low_ms:int leaders_high_ms:int isr_full_low_ms:int isr_full_high_ms:int "
        "next_steps:list proof:list",
        "vertices": "ts:time id:str kind:str node_id:int topic:str partition:int leader_epoch:int label:str incident_id:str evidence:list",
        "edges": "src:str dst:str relation:str because:str confidence:float delay_ms:int",
        "clock_offsets": "node_id:int start_ts:time end_ts:time zone:str offset_low_ms:float offset_high_ms:float correction_ms:float reference_node_id:int",
        "second_witness": "ts:time topic:str partition:int leader_epoch:int partition_epoch:int leader_id:int isr:list verdict:str told:str log_evidence:list "
        "record_evidence:list",
        "blind_spots": "kind:str node_id:int start_ts:time end_ts:time what:str questions:list would_tell:str evidence:list",
        "violations": "invariant:str topic:str partition:int severity:str verdict:str detail:str states:str means:str act:str evidence:list",
        "availability": "topic:str partition:int acks:str start_ts:time end_ts:time state:str reason:str evidence:list",
        "totals": "table:str shown:int rows:int partitions_shown:int partitions:int",
        "node_facts": "node_id:int name:str value:str event_id:str",
        "settings": "name:str value:str node_id:int",
        "topic_settings": "topic:str name:str value:str event_id:str",
        "glossary": "code:str name:str means:str",
        "evidence": "event_id:str ts:time node_id:int source_file:str line_number:int level:str logger:str message:str "
        "tells:str",
    }.items()
}
"""The columns that figures and page read, by table, each with its kind; rows are put in the order of the columns."""


def tidy(frame: pd.DataFrame | None, table: str) -> pd.DataFrame:
    """`frame` with exactly the columns of `COLUMNS[table]`: times naive in UTC, whole numbers nullable, lists tuples,
    rows in one order.

    A column that is not there is all null. A time without a zone is taken as UTC.
    """
    columns = COLUMNS[table]
    given = pd.DataFrame() if frame is None else frame.reset_index(drop=True)
    even = pd.DataFrame(
        {
            name: _COERCE[kind](given[name] if name in given else pd.Series(None, index=given.index, dtype=object))
            for name, kind in columns.items()
        }
    )
    if table == "glossary":
        return even  # in the order given
    order = (
        even.assign(**{name: even[name].map(str) for name, kind in columns.items() if kind == "list"})
        .sort_values(list(columns), kind="mergesort")
        .index
    )
    return even.loc[order].reset_index(drop=True)


class Tables(dict[str, pd.DataFrame]):
    """The frames of a page, none of which changes any more: what is worked out of them is kept. `concluded` holds what is
    concluded from all rows of a table, also where a frame was cut since.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame]) -> None:
        super().__init__(tables)
        self.kept: dict[str, Any] = {}
        self.concluded: dict[str, Any] = {}


def even(tables: Mapping[str, pd.DataFrame]) -> Tables:
    """The frames of a page, each as `tidy` has it; those that are not given are empty."""
    made = Tables({name: tidy(tables.get(name), name) for name in COLUMNS})
    if isinstance(tables, Tables):
        made.concluded |= tables.concluded
    return made


def once(tables: Mapping[str, pd.DataFrame], name: str, made: Callable[[], Any]) -> Any:
    """What `made` gives, worked out once for the frames of a page."""
    if not isinstance(tables, Tables):
        return made()
    if name not in tables.kept:
        tables.kept[name] = made()
    return tables.kept[name]


def conclusion(tables: Mapping[str, pd.DataFrame], name: str, made: Callable[[], Any]) -> Any:
    """What `made` concludes from all rows of the tables, worked out once; `viz.conclusions` lists them."""
    if not isinstance(tables, Tables):
        return made()
    if name not in tables.concluded:
        tables.concluded[name] = made()
    return tables.concluded[name]


def table(tables: Mapping[str, pd.DataFrame], name: str) -> list[Any]:
    """The rows of a table, as `rows` gives them."""
    told: list[Any] = once(tables, f"rows of {name}", lambda: rows(tables[name]))
    return told


def rows(frame: pd.DataFrame) -> list[Any]:
    """The frame's rows as named tuples, every null as None."""
    return list(frame.astype(object).where(frame.notna(), None).itertuples(index=False, name="Row"))


def partitions(tables: Mapping[str, pd.DataFrame], table: str) -> tuple[int, int]:
    """How many partitions the frame of `table` holds, and how many there are in all, which `totals` tells of a frame
    that was cut short.
    """
    held = len(tables[table][["topic", "partition"]].drop_duplicates())
    told = tables["totals"]
    return held, max([held, *told[told.table == table].partitions.dropna()])


def counted(tables: Mapping[str, pd.DataFrame], table: str) -> int:
    """How many rows a table has, those that its frame does not hold too."""
    told = tables["totals"]
    held = len(tables[table]) if table in tables else 0
    return int(max([held, *told[told.table == table].rows.dropna()]))


def recorded(tables: Mapping[str, pd.DataFrame]) -> tuple[pd.Timestamp, pd.Timestamp] | None:
    """From the first to the last time that the files, or else the tables, tell of; None without any."""
    covered = _bounds([tables["coverage"].first_ts, tables["coverage"].last_ts]) if "coverage" in tables else None
    return covered or _bounds(
        frame[name]
        for table, frame in sorted(tables.items())
        for name, kind in COLUMNS.get(table, {}).items()
        if kind == "time" and table != "coverage"
    )


def _bounds(series: Iterable[pd.Series]) -> tuple[pd.Timestamp, pd.Timestamp] | None:
    known = pd.concat([*series, pd.Series(dtype="datetime64[ns]")]).dropna()
    return None if known.empty else (known.min(), known.max())


def _times(series: pd.Series) -> pd.Series:
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
    return (
        series.astype(object)
        .where(series.notna(), None)
        .map(lambda value: value if value is None else str(value))
        .astype(object)
    )


def _flag(series: pd.Series) -> pd.Series:
    return series.astype(object).where(series.notna(), None).astype("boolean")


def _list(series: pd.Series) -> pd.Series:
    return series.map(
        lambda value: (
            tuple(_item(item) for item in value) if hasattr(value, "__iter__") and not isinstance(value, str) else ()
        )
    ).astype(object)


def _item(value: object) -> object:
    return value.item() if hasattr(value, "item") else value


def _holds_text(series: pd.Series) -> bool:
    return series.dtype == object and any(isinstance(value, str) for value in series)


_COERCE = {"time": _times, "int": _whole, "float": _real, "str": _text, "bool": _flag, "list": _list}
