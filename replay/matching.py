"""The catalogue as Spark columns: a message in, its template and typed fields out, in one regular expression a message.

The two words a message starts with (`Template.heads`) pick a group of templates; the group is one alternative expression. The
whole catalogue is a few literal arrays, looked up by a group's number, so a plan is as small for thousands of templates as for
ten, and the cost of a message hardly grows with the catalogue. No Python runs on the rows, and no join or shuffle is made.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.catalogue import by_heads
from replay.catalogue.fields import COLUMNS
from replay.catalogue.template import MARK, UNUSED, Template

# Control characters that no log prints: the start of a match, the border between its values, before a mark, between literals.
_MATCHED, _BORDER, _NEXT, _ENTRY = "\x01", "\x02", "\x03", "\x04"
_GROUP, _MARKS, _FIRST_VALUE = 1, 2, 3  # where the values of a match stand
_NONE = -1


@dataclass
class _Groups:
    """Every group of templates, by number: its expression, and what the parts of its replacement are."""

    patterns: list[str] = field(default_factory=list)
    replacements: list[str] = field(default_factory=list)
    places: list[list[int]] = field(default_factory=list)  # of each column among the values, and of the first detail
    first_template: list[int] = field(default_factory=list)
    templates: list[Template] = field(default_factory=list)
    detail_names: list[list[str]] = field(default_factory=list)

    def add(self, group: Iterable[Template]) -> int:
        """The number of `group`, now one expression; its replacement lists number, branch and the fields that the branch filled."""
        branches: list[str] = []
        marks: list[int] = []
        filled: dict[str, list[int]] = defaultdict(list)
        details: list[list[int]] = []
        captures = 0
        self.first_template.append(len(self.templates))
        for template in group:
            pattern = template.pattern_from(captures)
            names: list[str] = []
            for offset, name in enumerate(pattern.fields, start=captures + 1):
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
            self.templates.append(template)
            self.detail_names.append(names)
            captures += len(pattern.fields)
        which = "" if len(branches) == 1 else _NEXT.join(f"${mark}" for mark in marks)
        columns = [name for name in COLUMNS if name in filled]
        values = ["".join(f"${n}" for n in numbers) for numbers in [*(filled[name] for name in columns), *details]]
        self.patterns.append("^(?:" + "|".join(branches) + ")")
        self.replacements.append(_BORDER.join([_MATCHED, str(len(self.replacements)), which, *values]))
        self.places.append([_FIRST_VALUE + columns.index(c) if c in filled else _NONE for c in COLUMNS] + [_FIRST_VALUE + len(columns)])
        return len(self.patterns) - 1

    def add_whole(self, template: Template) -> int:
        """The number of a template that is known without an expression, the message being all it tells."""
        number = self.add([template])
        self.detail_names[-1] = []
        return number


@dataclass(frozen=True)
class _Slots:
    """Which group a checksum leads to. Words that share a slot share a group: a message still fits only its own templates."""

    group_of: tuple[int, ...]

    def of(self, words: Column) -> Column:
        return F.get(_ints(self.group_of), (F.crc32(words.cast("binary")) % len(self.group_of)).cast("int"))


def _slots(by_words: dict[str, tuple[Template, ...]], groups: _Groups) -> _Slots:
    size = 1 << max(3, (8 * len(by_words)).bit_length())
    shared: dict[int, list[Template]] = defaultdict(list)
    for words, templates in by_words.items():
        shared[zlib.crc32(words.encode()) % size].extend(templates)
    numbers = {slot: groups.add(templates) for slot, templates in shared.items()}
    return _Slots(tuple(numbers.get(slot, _NONE) for slot in range(size)))


@dataclass(frozen=True)
class _Catalogue:
    """Where to look for a message, in this order: by both words, by the second, by the first, anywhere; and by its logger."""

    groups: _Groups
    by_both: _Slots
    by_word: _Slots
    by_prefix: _Slots
    anywhere: int
    by_logger: dict[str, int]


@lru_cache(maxsize=4)
def _catalogue(templates: tuple[Template, ...]) -> _Catalogue:
    groups = _Groups()
    by_words = by_heads(tuple(t for t in templates if not t.needs_logger))
    anything = by_words.pop((None, None), ())
    return _Catalogue(
        by_both=_slots({f"{p}|{w}": group for (p, w), group in by_words.items() if p is not None and w is not None}, groups),
        by_word=_slots({w: group for (p, w), group in by_words.items() if p is None and w is not None}, groups),
        by_prefix=_slots({p: group for (p, w), group in by_words.items() if p is not None and w is None}, groups),
        anywhere=groups.add(anything) if anything else _NONE,
        by_logger={name: number for t in templates if t.needs_logger for number in [groups.add_whole(t)] for name in t.logger.split("|")},
        groups=groups,
    )


def with_template(records: DataFrame, templates: tuple[Template, ...]) -> DataFrame:
    """`records` with `kind`, `template_id`, the columns of `replay.catalogue.fields.COLUMNS` and `details`, null where no template fits.

    Needs the columns `message` and `logger`. Of several templates that fit, the one with the longest fixed text is taken
    (kafka-log-formats §1). The rows of a partition come back in another order.
    """
    catalogue = _catalogue(templates)
    groups = catalogue.groups
    heads = F.regexp_replace("message", r"(?s)^(?:\[([A-Za-z]*)[^\]]*+\][:,]* ?)?([A-Za-z]*).*$", "$1|$2")
    by_both, by_word, by_prefix = F.nullif("_by_both", F.lit(_NONE)), F.nullif("_by_word", F.lit(_NONE)), F.nullif("_by_prefix", F.lit(_NONE))
    looked_up = records.withColumn("_heads", heads).withColumns(
        {
            "_by_both": catalogue.by_both.of(F.col("_heads")),
            "_by_word": catalogue.by_word.of(F.substring_index("_heads", "|", -1)),
            "_by_prefix": catalogue.by_prefix.of(F.substring_index("_heads", "|", 1)),
        }
    )
    to_try = looked_up.withColumns(
        {
            "_first": F.coalesce(by_both, by_word),
            "_second": F.when(by_both.isNotNull(), by_word),
            "_third": F.coalesce(by_prefix, F.lit(catalogue.anywhere)),
        }
    )
    # Rows of one group in a row: an expression is compiled once a group, not once a row. The number of the partition keeps
    # the optimiser from dropping the sort before a join or an aggregation, where the order of the result does not matter.
    ordered = to_try.sortWithinPartitions("_first", "_third").withColumn("_first", F.when(F.spark_partition_id() >= 0, F.col("_first")))
    found = ordered.withColumn("_match", _match("_first", groups))
    for later in (_match("_second", groups), _match("_third", groups), _by_logger(catalogue)):
        found = found.withColumn("_match", F.when(_is_match(), F.col("_match")).otherwise(later))
    values = found.withColumn("_values", F.when(_is_match(), F.split("_match", _BORDER)))
    numbered = values.withColumn("_group", F.get("_values", F.lit(_GROUP)).cast("int")).withColumn("_template", _template(groups))
    return numbered.withColumns(
        {
            "kind": F.get(_texts([t.kind for t in groups.templates]), F.col("_template")),
            "template_id": F.get(_texts([t.id for t in groups.templates]), F.col("_template")),
            **{name: _typed(_value(i, groups), type_) for i, (name, type_) in enumerate(COLUMNS.items())},
            "details": _details(groups),
        }
    ).drop("_heads", "_by_both", "_by_word", "_by_prefix", "_first", "_second", "_third", "_match", "_values", "_group", "_template")


def _match(group: str, groups: _Groups) -> Column:
    """The message as the replacement of `group`; the message itself if none of its templates fits, null if there is no group."""
    return F.regexp_replace("message", F.get(_texts(groups.patterns), F.col(group)), F.get(_texts(groups.replacements), F.col(group)))


def _is_match() -> Column:
    return F.startswith(F.col("_match"), F.lit(_MATCHED))


def _by_logger(catalogue: _Catalogue) -> Column:
    """Templates with hardly any fixed text are known by the logger alone."""
    logger = F.substring_index(F.rtrim(F.col("logger"), F.lit("$")), ".", -1)
    chosen = F.lit(None).cast("string")
    for name, group in catalogue.by_logger.items():
        chosen = F.when(logger == name, F.lit(_BORDER.join([_MATCHED, str(group), ""]))).otherwise(chosen)
    return chosen


def _template(groups: _Groups) -> Column:
    """The number of the template: the group's first, plus the marks that stand before the branch that matched."""
    marks = F.get("_values", F.lit(_MARKS))
    return F.get(_ints(groups.first_template), F.col("_group")) + F.length(marks) - F.length(F.ltrim(marks, F.lit(_NEXT)))


def _place(index: int, groups: _Groups) -> Column:
    width = len(COLUMNS) + 1
    return F.get(_ints([place for places in groups.places for place in places]), F.col("_group") * width + index)


def _value(column: int, groups: _Groups) -> Column:
    return F.nullif(F.get("_values", _place(column, groups)), F.lit(""))


def _typed(value: Column, type_: str) -> Column:
    """A field's text as the type of its column; a list of brokers also from `BrokerState(brokerId=1, ...)`."""
    if type_ == "string":
        return value
    if type_ != "array<int>":
        return value.try_cast(type_)
    numbers = F.when(F.contains(value, F.lit("brokerId=")), F.array_join(F.regexp_extract_all(value, F.lit(r"brokerId=(\d+)")), ",")).otherwise(value)
    return F.when(value.isNotNull(), F.split(F.replace(numbers, F.lit(" ")), ",").try_cast("array<int>"))


def _details(groups: _Groups) -> Column:
    names = F.split(F.get(_texts([",".join(names) for names in groups.detail_names]), F.col("_template")), ",")
    first = _place(len(COLUMNS), groups) + 1
    return F.when(F.get(names, F.lit(0)) != "", F.map_from_arrays(names, F.slice("_values", first, F.size(names))))


def _texts(texts: Iterable[str]) -> Column:
    """An array of texts, one literal: the optimiser splits it once."""
    return F.split(F.lit(_ENTRY.join(texts)), _ENTRY)


def _ints(numbers: Iterable[int]) -> Column:
    return _texts(map(str, numbers)).cast("array<int>")


__all__ = ["with_template"]
