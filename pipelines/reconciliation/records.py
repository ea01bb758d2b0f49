"""Records as applications and tools keep them: files that are recognized by themselves, as columns."""

from __future__ import annotations

import codecs
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet as pq

from pipelines import delta
from replay.errors import InputError
from replay.reconcile.logs import UNBOUNDED
from replay.reconcile.record_lines import COLUMNS, KeptRecord, form_of, of_console, of_dump, of_json

NO_TIME = -UNBOUNDED
_YEAR_10000 = 253_402_300_800_000_000  # microseconds since 1970: no later number is a time
_HEAD = 1 << 16  # bytes that show the form of a file
VERDICT_COLUMNS = ("verdict", "epoch_low", "epoch_high", "reason", "evidence")
_ALIASES = {
    "topic": ("topic", "kafka_topic", "topic_name", "_kafka_topic", "__topic"),
    "partition": ("partition", "kafka_partition", "partition_id", "_kafka_partition", "__partition"),
    "offset": ("offset", "kafka_offset", "record_offset", "_kafka_offset", "__offset", "base_offset"),
    "time": ("time", "timestamp", "ts", "ack_time", "acked_at", "millis", "timestamp_ms", "__timestamp"),
    "leader_epoch": ("leader_epoch", "epoch", "partition_leader_epoch"),
    "acks": ("acks",),
    "client": ("client", "client_id", "application"),
    "producer_id": ("producer_id",),
    "producer_epoch": ("producer_epoch",),
    "sequence": ("sequence", "base_sequence", "seq_no"),
    "key": ("key",),
}
FIELDS = tuple(_ALIASES)
_CONSUMED = ("kafka-console-consumer", "kafka-verifiable", "kcat -J")
_OF_DEBEZIUM = re.compile(r'\["[^"\n]+",\s*\{[^\n]*\}\]\s')  # a key of connect-offsets, as a console consumer prints it
_WHOLE_NUMBER = r"^\+?(?P<digits>[0-9]{1,18})(?:\.0*)?$"
_NEEDED = ("topic", "partition", "offset")


@dataclass
class Records:
    """Records of one file or table: its own rows, and what the verdicts read of them."""

    rows: pa.Table
    frame: pd.DataFrame  # topic, partition, offset, ts, leader_epoch, client, acks_all, is_readable
    form: str
    time_is: str | None

    @property
    def is_consumed(self) -> bool:
        """Whether the rows are in the order in which a consumer read them."""
        return self.form in _CONSUMED


def read_records(
    path: Path,
    columns: Mapping[str, str],
    topic: str | None = None,
    time_is: str | None = None,
    acks: str | None = None,
) -> Records:
    """The records in a file or a Delta folder. Raises InputError, with one line, for what cannot be used."""
    if not path.exists():
        raise InputError(
            f"{path}: no such file; give a file with records (CSV, JSON lines, Parquet, the output of a Kafka tool)"
        )
    try:
        rows, form, kind = _rows(path)
        if not rows.num_rows:
            raise InputError(f"{path}: holds no record")
        return records_of(rows, str(path), form, columns, topic, time_is or kind, acks)
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        raise InputError(f"{path}: cannot be read as records ({str(error).splitlines()[0][:160]})") from error


def records_of(
    rows: pa.Table,
    name: str,
    form: str,
    columns: Mapping[str, str],
    topic: str | None,
    time_is: str | None,
    acks: str | None,
) -> Records:
    """The records in rows whose columns have the usual names, or those of `columns`."""
    used = columns_of(rows.column_names, columns, name, has_topic=topic is not None)
    frame = pd.DataFrame(
        {
            "topic": _categories(rows, used.get("topic"), topic),
            "partition": _whole(rows, used.get("partition")),
            "offset": _whole(rows, used.get("offset")),
            "ts": _micros(rows, used.get("time")),
            "leader_epoch": _whole(rows, used.get("leader_epoch")),
        },
        index=range(rows.num_rows),
    )
    frame["client"] = _categories(rows, used.get("client"), "", as_text=True)
    frame["acks_all"] = _acks_all(rows, used.get("acks"), acks)
    frame["is_readable"] = (
        frame.topic.isin([text for text in frame.topic.cat.categories if isinstance(text, str) and text])
        & (frame.partition >= 0)
        & (frame.offset >= 0)
    )
    for column in ("producer_id", "producer_epoch", "sequence"):
        if column in used:
            frame[column] = _whole(rows, used[column])
    if "key" in used:
        frame["key"] = rows.column(used["key"]).to_pandas()
    if not frame.is_readable.any():
        raise InputError(
            f"{name}: no row has a topic, a partition and an offset that can be read; name the columns with --columns topic=T,partition=P,offset=O"
        )
    return Records(rows, frame, form, time_is if (frame.ts != NO_TIME).any() else None)


def _rows(path: Path) -> tuple[pa.Table, str, str | None]:
    if path.is_dir():
        return (delta.rows(path), "delta", None) if delta.is_delta(path) else (pq.read_table(path), "parquet", None)
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(b"PAR1"):
        return pq.read_table(path), "parquet", None
    if not head.strip():
        raise InputError(f"{path}: is empty")
    if b"\0" in head:
        raise InputError(f"{path}: is binary; give CSV, JSON lines, Parquet, or the text that a Kafka tool prints")
    if _OF_DEBEZIUM.match(head.decode("utf-8", "replace").lstrip()):
        raise InputError(
            f"{path}: holds positions in a source database (Debezium), which name no offset of Kafka; give what consumers of its topics keep, or kafka-dump-log of their segments"
        )
    first = next((line for line in head.decode("utf-8", "replace").splitlines() if line.strip()), "").strip()
    form = form_of(first)
    if form is None and len(head) == _HEAD and b"\n" not in head.strip():
        raise InputError(
            f"{path}: its first line has more than {_HEAD // 1024} KB; give only the columns that name records"
        )
    if form in ("jsonl", None):
        return (*(_json(path) if form else _csv(path, first)), None)
    if form == "connect-offsets":
        raise InputError(
            f"{path}: holds positions of a connector, not records; sink positions are those of its group: give kafka-consumer-groups --describe"
        )
    with path.open(encoding="utf-8", errors="replace") as lines:
        found = list(_PARSERS.get(form, _each(of_json))(lines))
    times = {one.time_is for one in found if one.time_is}
    return _table(found), form, times.pop() if len(times) == 1 else None


def _each(parse: Callable[[str], KeptRecord | None]) -> Callable[[Iterator[str]], Iterator[KeptRecord]]:
    return lambda lines: (one for one in map(parse, lines) if one is not None)


_PARSERS: Mapping[str, Callable[[Iterator[str]], Iterator[KeptRecord]]] = {
    "kafka-dump-log": of_dump,
    "kafka-console-consumer": _each(of_console),
}


def _table(found: Sequence[KeptRecord]) -> pa.Table:
    """The records as a table, without the columns that none of them has."""
    every = {column: [getattr(one, column) for one in found] for column in COLUMNS}
    return pa.table({column: values for column, values in every.items() if any(value is not None for value in values)})


def _must_be_text(path: Path) -> None:
    """Raises InputError for bytes that are not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        while True:
            read = file.read(1 << 22)
            try:
                decoder.decode(read, final=not read)
            except UnicodeDecodeError:
                raise InputError(f"{path}: is not UTF-8; convert it, for example with iconv") from None
            if not read:
                return


def _csv(path: Path, header: str) -> tuple[pa.Table, str]:
    _must_be_text(path)
    delimiter = max((",", ";", "\t", "|"), key=header.count)
    names = next(
        iter(
            pd.read_csv(io.StringIO(header), sep=delimiter, header=None, dtype=str, quotechar='"').itertuples(
                index=False
            )
        )
    )
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        raise InputError(f"{path}: has two columns {repeated}; rename one")
    bad: list[str] = []

    def invalid(row: pa.csv.InvalidRow) -> str:
        bad.append(
            f"{path}: line {row.number or '?'} has {row.actual_columns} columns, its header {row.expected_columns}; mend it or remove it"
        )
        return "skip"

    table = pa.csv.read_csv(
        path,
        read_options=pa.csv.ReadOptions(block_size=1 << 24, use_threads=False),
        parse_options=pa.csv.ParseOptions(delimiter=delimiter, invalid_row_handler=invalid, newlines_in_values=False),
        convert_options=pa.csv.ConvertOptions(
            column_types={str(name): pa.string() for name in names}, strings_can_be_null=False
        ),
    )
    if bad:
        raise InputError(bad[0])
    return table, "csv"


def _json(path: Path) -> tuple[pa.Table, str]:
    return pa.json.read_json(path, read_options=pa.json.ReadOptions(block_size=1 << 24)), "jsonl"


def columns_of(
    names: Sequence[str],
    columns: Mapping[str, str],
    path: str,
    *,
    has_topic: bool = False,
    keys_are_unique: bool = False,
) -> dict[str, str]:
    """For each field its column, by its usual names or by `columns`. Raises InputError for one that is missing, or that
    verdicts would replace.
    """
    clash = [column for column in VERDICT_COLUMNS if column in names]
    if clash:
        raise InputError(f"{path}: has a column {clash[0]} already; drop it or rename it")
    unknown = [field for field in columns if field not in FIELDS]
    if unknown:
        raise InputError(f"--columns {unknown[0]}=…: no such field; there are {', '.join(FIELDS)}")
    absent = [column for column in columns.values() if column not in names]
    if absent:
        raise InputError(f"{path}: has no column {absent[0]}; it has {', '.join(map(str, names[:12]))}")
    lower = {name.lower(): name for name in names}
    used = {field: lower[alias] for field, aliases in _ALIASES.items() for alias in reversed(aliases) if alias in lower}
    used |= columns
    needed = [*_NEEDED, *(["key"] if keys_are_unique else [])]
    missing = [field for field in needed if field not in used and not (field == "topic" and has_topic)]
    if missing:
        hint = "--topic NAME" if missing == ["topic"] else f"--columns {missing[0]}=COLUMN"
        raise InputError(
            f"{path}: has no column for {missing[0]}; name it with {hint}. Its columns: {', '.join(map(str, names[:12]))}"
        )
    return used


def _categories(rows: pa.Table, column: str | None, otherwise: str | None, *, as_text: bool = False) -> pd.Categorical:
    """A column of names; `otherwise` where there is none."""
    if column is None:
        return pd.Categorical.from_codes(np.zeros(rows.num_rows, dtype=np.int8), [otherwise or ""])
    values = rows.column(column)
    values = values.cast(pa.string()).fill_null("") if as_text else values
    found = values.dictionary_encode().unify_dictionaries().combine_chunks()
    names = pd.Index(found.dictionary.to_pylist(), dtype=object)
    return pd.Categorical.from_codes(np.asarray(found.indices.fill_null(-1)), names)


def _whole(rows: pa.Table, column: str | None) -> np.ndarray:
    """A column of whole numbers; -1 where there is none. `1.2E+05` is none: a spreadsheet has rounded it."""
    if column is None:
        return np.full(rows.num_rows, -1, dtype=np.int64)
    values = rows.column(column)
    if pa.types.is_integer(values.type):
        return np.asarray(values.cast(pa.int64(), safe=False).fill_null(-1))
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        digits = pc.struct_field(pc.extract_regex(pc.utf8_trim_whitespace(values), _WHOLE_NUMBER), "digits")
        return np.asarray(digits.cast(pa.int64()).fill_null(-1))
    numbers = pd.to_numeric(values.to_pandas(), errors="coerce")
    good = numbers.notna() & (numbers >= 0) & (numbers < 2**62) & (numbers == np.floor(numbers))
    if pd.api.types.is_integer_dtype(numbers.dtype):
        return np.where(good, numbers, -1).astype(np.int64)
    return np.where(good, numbers.where(good, -1), -1).astype(np.int64)


def _micros(rows: pa.Table, column: str | None) -> np.ndarray:
    """A column of times in microseconds: numbers since 1970 in any unit, or ISO 8601 in UTC if without a zone."""
    if column is None:
        return np.full(rows.num_rows, NO_TIME, dtype=np.int64)
    values = rows.column(column)
    if pa.types.is_timestamp(values.type) or pa.types.is_date(values.type):
        return _of_stamps(values.to_pandas())
    texts = values.to_pandas()
    numbers = pd.to_numeric(texts, errors="coerce")
    if numbers.notna().sum() * 2 >= len(numbers) - texts.isna().sum() and numbers.notna().any():
        return _of_numbers(numbers)
    return _of_stamps(pd.to_datetime(texts, utc=True, errors="coerce", format="ISO8601"))


def _of_numbers(numbers: pd.Series) -> np.ndarray:
    size = numbers.abs().median()
    factor = next((factor for limit, factor in ((1e11, 1e6), (1e14, 1e3), (1e17, 1.0)) if size < limit), 1e-3)
    good = numbers.notna() & (numbers > 0) & (numbers < _YEAR_10000 / factor)
    numbers = numbers.where(good, 0)
    if pd.api.types.is_integer_dtype(numbers.dtype) and factor >= 1:
        return np.where(good, numbers * int(factor), NO_TIME).astype(np.int64)
    return np.where(good, (numbers * factor).round(), NO_TIME).astype(np.int64)


def _of_stamps(stamps: pd.Series) -> np.ndarray:
    utc = pd.to_datetime(stamps, utc=True)
    micros = utc.dt.tz_localize(None).astype("datetime64[us]")
    return np.where(micros.notna(), micros.astype("int64"), NO_TIME)


def _acks_all(rows: pa.Table, column: str | None, acks: str | None) -> np.ndarray:
    if acks is not None:
        return np.full(rows.num_rows, acks in ("all", "-1"))
    if column is None:
        return np.zeros(rows.num_rows, dtype=bool)
    return np.asarray(rows.column(column).to_pandas().astype(str).str.strip().str.lower().isin(["all", "-1"]))


def columns_given(text: str) -> dict[str, str]:
    """`topic=t,offset=o` as a mapping. Raises InputError for another form."""
    found = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        if not re.fullmatch(r"[^=]+=[^=]+", pair):
            raise InputError(f"--columns {pair}: not of the form topic=t,partition=p,offset=o")
        field, _, column = (part.strip() for part in pair.partition("="))
        if field in found:
            raise InputError(f"--columns {field}=…: given twice")
        found[field] = column
    return found
