"""The catalogue as Spark columns: a message in, its template and typed fields out, in one regular expression a message.

The two words a message starts with (`Template.heads`) pick a group of templates; the group is one alternative
expression. The whole catalogue is a few literal arrays, looked up by a group's number, so a plan is as small for
thousands of templates as for ten, and the cost of a message hardly grows with the catalogue. No Python runs on the
rows, and no join or shuffle is made.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.catalogue import by_heads
from replay.catalogue.fields import COLUMNS
from replay.catalogue.template import Template, one_regex

# Control characters that no log prints: the start of a match, the border between its values, before a mark, between
# literals.
_MATCHED, _BORDER, _NEXT, _ENTRY = "\x01", "\x02", "\x03", "\x04"
_GROUP, _MARKS, _FIRST_VALUE = 1, 2, 3  # where the values of a match stand
_NONE = -1


@dataclass
class _Groups:
    """Every group of templates, by number: its expression, what its replacement lists, and where a field stands in
    that.
    """

    patterns: list[str] = field(default_factory=list)
    replacements: list[str] = field(default_factory=list)
    columns: list[list[str]] = field(default_factory=list)
    first_template: list[int] = field(default_factory=list)
    templates: list[Template] = field(default_factory=list)
    detail_names: list[list[str]] = field(default_factory=list)

    def add(self, group: Iterable[Template]) -> int:
        """The number of `group`, now one expression; its replacement lists number, branch and the fields that the
        branch filled.
        """
        runs = [
            list(run) for _, run in groupby(group, key=lambda template: template.heads)
        ]  # in their order: the first that fits is taken
        regexes: list[str] = []
        marks: list[int | None] = []
        filled: dict[str, list[int]] = defaultdict(list)
        details: list[list[int]] = []
        captures = 0
        self.first_template.append(len(self.templates))
        for templates in runs:
            regex, branches, more = one_regex(templates, captures, alone=len(runs) == 1)
            regexes.append(regex)
            captures += more
            for branch in branches:
                names: list[str] = []
                for capture, name in branch.captures:
                    if name not in COLUMNS and name not in names:
                        names.append(name)
                    places = filled[name] if name in COLUMNS else _at(details, names.index(name))
                    if capture not in places:
                        places.append(capture)
                marks.append(branch.mark)
                self.templates.append(branch.template)
                self.detail_names.append(names)
        which = _NEXT.join(f"${mark}" for mark in marks if mark is not None)
        values = ["".join(f"${n}" for n in numbers) for numbers in [*filled.values(), *details]]
        self.patterns.append("^(?:" + "|".join(regexes) + ")")
        self.replacements.append(_BORDER.join([_MATCHED, str(len(self.replacements)), which, *values]))
        self.columns.append(list(filled))
        return len(self.patterns) - 1

    def add_whole(self, template: Template) -> int:
        """The number of a template that is known without an expression, the message being all it tells."""
        number = self.add([template])
        self.detail_names[-1] = []
        return number

    def place(self, column: str) -> list[int]:
        """Where the column's value stands in the match of each group."""
        return [_FIRST_VALUE + columns.index(column) if column in columns else _NONE for columns in self.columns]


def _at(several: list[list[int]], index: int) -> list[int]:
    """The list at `index`, which is at most the next one."""
    if index == len(several):
        several.append([])
    return several[index]


@dataclass(frozen=True)
class _Level:
    """One way to find a message's group: the checksum of `words` names a slot, the slot a group from `first` to `end`.

    Words that share a slot share a group: a message fits only templates that start as it does.
    """

    slots: tuple[int, ...]
    groups: _Groups
    first: int
    end: int

    def group(self, words: Column) -> Column:
        """The number of the group, counted from `first`; null if there is none."""
        number = F.get(_ints(self.slots), (F.crc32(words.cast("binary")) % len(self.slots)).cast("int"))
        return F.nullif(number, F.lit(_NONE))

    def match(self, group: str) -> Column:
        """The message as the replacement of `group`; the message itself if no template fits, null if there is no
        group.
        """
        patterns, replacements = (
            self.groups.patterns[self.first : self.end],
            self.groups.replacements[self.first : self.end],
        )
        return F.regexp_replace(
            "message", F.get(_texts(patterns), F.col(group)), F.get(_texts(replacements), F.col(group))
        )


def _level(by_words: dict[str, tuple[Template, ...]], groups: _Groups) -> _Level:
    size = 1 << max(3, (4 * len(by_words)).bit_length())
    shared: dict[int, list[Template]] = defaultdict(list)
    for words, templates in by_words.items():
        shared[zlib.crc32(words.encode()) % size].extend(templates)
    first = len(groups.patterns)
    numbers = {slot: groups.add(templates) - first for slot, templates in shared.items()}
    return _Level(tuple(numbers.get(slot, _NONE) for slot in range(size)), groups, first, len(groups.patterns))


@dataclass(frozen=True)
class _Catalogue:
    """Where to look for a message, in this order: by both words, by the second, by the first, anywhere; and by its
    logger.

    Templates that can start with anything are few and slow to try: `any_prefix` has them beside those of `prefix`,
    and is asked only about a message that holds one of `anywhere_texts`. Likewise `prefix` about one without a
    prefix, and `bare_texts`.
    """

    groups: _Groups
    both: _Level
    word: _Level
    prefix: _Level
    any_prefix: _Level
    anywhere: int
    bare_texts: tuple[str, ...]
    anywhere_texts: tuple[str, ...]
    by_logger: dict[str, int]


@lru_cache(maxsize=4)
def _catalogue(templates: tuple[Template, ...]) -> _Catalogue:
    groups = _Groups()
    by_words = by_heads(tuple(t for t in templates if not t.needs_logger))
    anything = by_words.pop((None, None), ())
    by_prefix = {p: group for (p, w), group in by_words.items() if p is not None and w is None}
    own = {p: tuple(t for t in group if t not in anything) for p, group in by_prefix.items()}
    both = _level({f"{p}|{w}": group for (p, w), group in by_words.items() if p is not None and w is not None}, groups)
    word = _level({w: group for (p, w), group in by_words.items() if p is None and w is not None}, groups)
    prefix = _level(own, groups)
    any_prefix = _level(by_prefix, groups)  # of the same words as `prefix`: the same slots
    anywhere = groups.add(anything) if anything else _NONE
    by_logger = {
        name: number
        for t in templates
        if t.needs_logger
        for number in [groups.add_whole(t)]
        for name in t.logger.split("|")
    }
    return _Catalogue(
        groups, both, word, prefix, any_prefix, anywhere, _texts_of(own.get("", ())), _texts_of(anything), by_logger
    )


def _texts_of(templates: Iterable[Template]) -> tuple[str, ...]:
    """What a message must hold one of, to fit one of `templates`."""
    return tuple(dict.fromkeys(template.longest_text for template in templates))


def with_template(records: DataFrame, templates: tuple[Template, ...]) -> DataFrame:
    """`records` with `kind`, `template_id`, the columns of `replay.catalogue.fields.COLUMNS` and `details`, null
    where no template fits.

    Needs the columns `message` and `logger`. Of several templates that fit, the one with the longest fixed text is
    taken (kafka-log-formats §1). The rows of a partition come back in another order.
    """
    catalogue = _catalogue(templates)
    groups, both, word = catalogue.groups, catalogue.both, catalogue.word
    heads = F.regexp_replace("message", r"(?s)^(?:\[([A-Za-z]*)[^\]]*+\][:,]* ?)?([A-Za-z]*).*$", "$1|$2")
    found = records.withColumn("_groups", _once(heads, lambda words: _groups_of(words, catalogue)))
    # Rows of one group stand in a row: an expression is compiled once a group, not once a row.
    one_by_one = F.coalesce("_groups.both", F.col("_groups.word") + both.end, F.col("_groups.prefix") + word.end)
    ordered = found.sortWithinPartitions(one_by_one)
    ways = (both.match("_groups.both"), word.match("_groups.word"), _open(catalogue), _by_logger(catalogue))
    split = _once(_first_match(ways), lambda match: F.when(_is_match(match), F.split(match, _BORDER)))
    # The number of the partition is always there, and no optimiser looks behind it: it would drop the sort before a
    # join or an aggregation, where order does not matter, and match each message again inside a filter on what was
    # found.
    values = ordered.withColumn("_values", F.when(F.spark_partition_id() >= 0, split))
    group = F.get("_values", F.lit(_GROUP)).cast("int")
    numbered = values.withColumns({"_group": group, "_template": _template(group, groups)})
    return numbered.withColumns(
        {
            "kind": F.get(_texts([t.kind for t in groups.templates]), F.col("_template")),
            "template_id": F.get(_texts([t.id for t in groups.templates]), F.col("_template")),
            **{name: _typed(_value(name, groups), type_) for name, type_ in COLUMNS.items()},
            "details": _details(groups),
        }
    ).drop("_groups", "_values", "_group", "_template")


def _groups_of(words: Column, catalogue: _Catalogue) -> Column:
    """Which groups to try for a message that starts with `words`, `prefix|word`."""
    return F.struct(
        catalogue.both.group(words).alias("both"),
        catalogue.word.group(F.substring_index(words, "|", -1)).alias("word"),
        catalogue.prefix.group(F.substring_index(words, "|", 1)).alias("prefix"),
        (~F.startswith(words, F.lit("|"))).alias("has_prefix"),
    )


def _once(value: Column, use: Callable[[Column], Column]) -> Column:
    """`use(value)`, with `value` evaluated once however often it is used; a column of its own would copy the row once
    more.
    """
    return F.get(F.transform(F.array(value), use), F.lit(0))


def _first_match(ways: Sequence[Column]) -> Column:
    """The first of `ways` that is a match; those after it are not tried."""
    first, *later = ways
    return (
        _once(first, lambda match: F.when(_is_match(match), match).otherwise(_first_match(later))) if later else first
    )


def _is_match(match: Column) -> Column:
    return F.startswith(match, F.lit(_MATCHED))


def _open(catalogue: _Catalogue) -> Column:
    """The match of a template whose second word, or whose every word, is open.

    An expression with an open start is tried at every character: to look first for the fixed texts of those few
    templates costs far less.
    """
    match = F.when(
        _holds_one_of(catalogue.bare_texts, or_else=F.col("_groups.has_prefix")),
        catalogue.prefix.match("_groups.prefix"),
    )
    if catalogue.anywhere < 0:
        return match
    groups = catalogue.groups
    anywhere = F.regexp_replace("message", groups.patterns[catalogue.anywhere], groups.replacements[catalogue.anywhere])
    return F.when(
        _holds_one_of(catalogue.anywhere_texts, or_else=F.lit(False)),
        F.coalesce(catalogue.any_prefix.match("_groups.prefix"), anywhere),
    ).otherwise(match)


def _holds_one_of(texts: Iterable[str], or_else: Column) -> Column:
    """The message holds one of `texts`, or `or_else` is true.

    One flat CASE: a chain of ORs is as deep as it is long, and Spark Connect takes no plan a hundred levels deep.
    """
    holds = F.when(or_else, True)
    for text in texts:
        holds = holds.when(F.contains(F.col("message"), F.lit(text)), True)
    return holds.otherwise(False)


def _by_logger(catalogue: _Catalogue) -> Column:
    """Templates with hardly any fixed text are known by the logger alone."""
    logger = F.substring_index(F.rtrim(F.col("logger"), F.lit("$")), ".", -1)
    chosen = F.lit(None).cast("string")
    for name, group in catalogue.by_logger.items():
        chosen = F.when(logger == name, F.lit(_BORDER.join([_MATCHED, str(group), ""]))).otherwise(chosen)
    return chosen


def _template(group: Column, groups: _Groups) -> Column:
    """The number of the template: the group's first, plus the marks that stand before the branch that matched."""
    marks = F.get("_values", F.lit(_MARKS))
    return F.get(_ints(groups.first_template), group) + F.length(marks) - F.length(F.ltrim(marks, F.lit(_NEXT)))


def _value(column: str, groups: _Groups) -> Column:
    return F.nullif(F.get("_values", F.get(_ints(groups.place(column)), F.col("_group"))), F.lit(""))


def _typed(value: Column, type_: str) -> Column:
    """A field's text as the type of its column; a list of brokers also from `BrokerState(brokerId=1, ...)`."""
    if type_ == "string":
        return value
    if type_ != "array<int>":
        return value.try_cast(type_)
    numbers = F.when(
        F.contains(value, F.lit("brokerId=")), F.array_join(F.regexp_extract_all(value, F.lit(r"brokerId=(\d+)")), ",")
    ).otherwise(value)
    return F.when(value.isNotNull(), F.split(F.replace(numbers, F.lit(" ")), ",").try_cast("array<int>"))


def _details(groups: _Groups) -> Column:
    names = F.split(F.get(_texts([",".join(names) for names in groups.detail_names]), F.col("_template")), ",")
    first = F.get(_ints([_FIRST_VALUE + len(columns) + 1 for columns in groups.columns]), F.col("_group"))
    return F.when(F.get(names, F.lit(0)) != "", F.map_from_arrays(names, F.slice("_values", first, F.size(names))))


def _texts(texts: Iterable[str]) -> Column:
    """An array of texts, one literal: the optimiser splits it once."""
    return F.split(F.lit(_ENTRY.join(texts)), _ENTRY)


def _ints(numbers: Iterable[int]) -> Column:
    return _texts(map(str, numbers)).cast("array<int>")


__all__ = ["with_template"]
