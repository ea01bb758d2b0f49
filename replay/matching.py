"""The catalogue as Spark columns: a message in, its template and typed fields out, in one regular expression a message.

The two words a message starts with (`Template.heads`) pick a group of templates by their checksum; the group is one
alternative expression whose branches fill the same slots, so the cost of a message hardly grows with the catalogue. No
Python runs on the rows, and no join is made.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.catalogue import Heads, by_heads
from replay.catalogue.fields import COLUMNS
from replay.catalogue.template import MARK, UNUSED, Template

# Control characters that no log prints: the start of a match, and the border between its values.
_MATCHED, _BORDER, _NEXT = "\x01", "\x02", "\x03"
_FANOUT = 32  # groups are looked up in two steps of about this many comparisons
_FIRST_COLUMN = 2
_FIRST_DETAIL = _FIRST_COLUMN + len(COLUMNS)


@dataclass
class _Slots:
    """One slot for each place that a template has in a group: what the match says by number, in words."""

    templates: list[Template] = field(default_factory=list)
    detail_names: list[list[str]] = field(default_factory=list)

    def add(self, template: Template, detail_names: list[str]) -> None:
        self.templates.append(template)
        self.detail_names.append(detail_names)


def with_template(records: DataFrame, templates: tuple[Template, ...]) -> DataFrame:
    """`records` with `kind`, `template_id`, the columns of `replay.catalogue.fields.COLUMNS` and `details`, null where no template fits.

    Needs the columns `message` and `logger`. Of several templates that fit, the one with the longest fixed text is taken
    (kafka-log-formats §1).
    """
    slots = _Slots()
    groups = by_heads(tuple(t for t in templates if not t.needs_logger))
    exact = {heads: group for heads, group in groups.items() if None not in heads}
    any_prefix = {heads: group for heads, group in groups.items() if heads[0] is None and heads[1] is not None}
    any_word = {heads: group for heads, group in groups.items() if heads[0] is not None and heads[1] is None}
    anything = groups.get((None, None), ())
    by_logger = [t for t in templates if t.needs_logger]

    heads = F.regexp_replace("message", r"(?s)^(?:\[([A-Za-z]*)[^\]]*\][:,]* ?)?([A-Za-z]*).*$", "$1|$2")
    keyed = records.withColumn("_heads", heads).withColumns(
        {
            "_key": _crc32(F.col("_heads")),
            "_prefix_key": _crc32(F.substring_index("_heads", "|", 1)),
            "_word_key": _crc32(F.substring_index("_heads", "|", -1)),
        }
    )
    first = keyed.withColumn("_match", _choose("_key", {_key(f"{p}|{w}"): g for (p, w), g in exact.items()}, slots))
    second = first.withColumn(
        "_match",
        F.when(_is_match(), F.col("_match")).otherwise(_choose("_word_key", {_key(w or ""): g for (_, w), g in any_prefix.items()}, slots)),
    )
    third = second.withColumn(
        "_match",
        F.when(_is_match(), F.col("_match")).otherwise(
            F.coalesce(
                _choose("_prefix_key", {_key(p or ""): g for (p, _), g in any_word.items()}, slots),
                _alternatives(anything, slots) if anything else F.lit(None),
            )
        ),
    )
    fourth = third.withColumn("_match", F.when(_is_match(), F.col("_match")).otherwise(_by_logger(by_logger, slots)))
    values = fourth.withColumn("_values", F.when(_is_match(), F.split(F.substr("_match", F.lit(2)), _BORDER)))
    numbered = values.withColumn("_slot", _slot())
    return numbered.withColumns(
        {
            "kind": _lookup([t.kind for t in slots.templates]),
            "template_id": _lookup([t.id for t in slots.templates]),
            **{name: _typed(_value(_FIRST_COLUMN + i), type_) for i, (name, type_) in enumerate(COLUMNS.items())},
            "details": _details(slots),
        }
    ).drop("_heads", "_key", "_prefix_key", "_word_key", "_match", "_values", "_slot")


def _crc32(text: Column) -> Column:
    return F.crc32(text.cast("binary"))


def _key(words: str) -> int:
    return zlib.crc32(words.encode())


def _is_match() -> Column:
    return F.startswith(F.col("_match"), F.lit(_MATCHED))


def _choose(key: str, groups: dict[int, tuple[Template, ...]], slots: _Slots) -> Column:
    """The match of the group that `key` names, looked up in two steps."""
    buckets: dict[int, list[int]] = defaultdict(list)
    for checksum in groups:
        buckets[checksum % _FANOUT].append(checksum)
    if not buckets:
        return F.lit(None).cast("string")
    whens = " ".join(
        f"WHEN {bucket} THEN CASE {key} "
        + " ".join(f"WHEN {checksum} THEN {_alternatives_sql(groups[checksum], slots)}" for checksum in checksums)
        + " END"
        for bucket, checksums in sorted(buckets.items())
    )
    return F.expr(f"CASE {key} % {_FANOUT} {whens} END")


def _alternatives(group: tuple[Template, ...], slots: _Slots) -> Column:
    return F.expr(_alternatives_sql(group, slots))


def _alternatives_sql(group: tuple[Template, ...], slots: _Slots) -> str:
    """One regular expression for a group; its replacement lists slot, branch, columns and details of the branch that matched."""
    branches: list[str] = []
    marks: list[int] = []
    filled: dict[str, list[int]] = defaultdict(list)
    details: list[list[int]] = []
    base = len(slots.templates)
    groups = 0
    for template in group:
        pattern = template.pattern_from(groups)
        names: list[str] = []
        for offset, name in enumerate(pattern.fields, start=groups + 1):
            if name == MARK:
                marks.append(offset)
            elif name == UNUSED:
                continue
            elif name in COLUMNS:
                filled[name].append(offset)
            else:
                if name not in names:
                    names.append(name)
                    if len(details) < len(names):
                        details.append([])
                details[names.index(name)].append(offset)
        branches.append(pattern.regex)
        slots.add(template, names)
        groups += len(pattern.fields)
    which = "" if len(group) == 1 else _NEXT.join(f"${mark}" for mark in marks)
    values = [str(base), which, *("".join(f"${g}" for g in filled[name]) for name in COLUMNS)]
    values += ["".join(f"${g}" for g in numbers) for numbers in details]
    return f"regexp_replace(message, {_sql('^(?:' + '|'.join(branches) + ')')}, {_sql(_MATCHED + _BORDER.join(values))})"


def _by_logger(templates: list[Template], slots: _Slots) -> Column:
    """Templates with hardly any fixed text are known by the logger alone."""
    if not templates:
        return F.lit(None).cast("string")
    logger = F.substring_index(F.rtrim(F.col("logger"), F.lit("$")), ".", -1)
    chosen = F.lit(None).cast("string")
    for template in templates:
        slot = len(slots.templates)
        slots.add(template, [])
        chosen = F.when(logger.isin(template.logger.split("|")), F.lit(_MATCHED + _BORDER.join([str(slot), *[""] * (1 + len(COLUMNS))]))).otherwise(
            chosen
        )
    return chosen


def _slot() -> Column:
    """The number of the slot: the group's first, plus the marks that stand before the branch that matched."""
    marks = F.get("_values", F.lit(1))
    return F.get("_values", F.lit(0)).cast("int") + F.length(marks) - F.length(F.ltrim(marks, F.lit(_NEXT)))


def _value(index: int) -> Column:
    return F.nullif(F.get("_values", F.lit(index)), F.lit(""))


def _typed(value: Column, type_: str) -> Column:
    """A field's text as the type of its column; a list of brokers also from `BrokerState(brokerId=1, ...)`."""
    if type_ == "string":
        return value
    if type_ != "array<int>":
        return value.try_cast(type_)
    numbers = F.when(F.contains(value, F.lit("brokerId=")), F.array_join(F.regexp_extract_all(value, F.lit(r"brokerId=(\d+)")), ",")).otherwise(value)
    return F.when(value.isNotNull(), F.split(F.replace(numbers, F.lit(" ")), ",").try_cast("array<int>"))


def _lookup(texts: list[str]) -> Column:
    return F.expr(f"get(array({', '.join(map(_sql, texts))}), _slot)")


def _details(slots: _Slots) -> Column:
    names = ", ".join("array(" + ", ".join(map(_sql, names)) + ")" if names else "cast(array() as array<string>)" for names in slots.detail_names)
    named = F.expr(f"get(array({names}), _slot)")
    return F.when(F.size(named) > 0, F.map_from_arrays(named, F.slice("_values", F.lit(_FIRST_DETAIL + 1), F.size(named))))


def _sql(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


__all__ = ["Heads", "with_template"]
