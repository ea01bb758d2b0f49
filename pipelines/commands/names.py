"""Names of a result for shell completion: topics, partitions, brokers, codes, kinds of records."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click


def topics(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """The topics of the result that the command line names."""
    return _beginning(typed, _column(context, "leader_epochs", ("topic",)))


def partitions(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """The partitions of the result that the command line names, as `orders-0`."""
    return _beginning(typed, _column(context, "leader_epochs", ("topic", "partition")))


def brokers(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """The brokers of the result that the command line names."""
    return _beginning(typed, _column(context, "broker_sessions", ("broker_id",)))


def settings(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """The settings that `what-if` considers, with the value where only one can be asked for."""
    from pipelines.answers.what_if import assignments

    return _beginning(typed, assignments())


def kinds(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """The kinds of records."""
    from replay.catalogue.kinds import KINDS

    return _beginning(typed, KINDS)


def codes(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Codes and known bugs that `explain` describes."""
    from pipelines.glossary import glossary
    from replay.knowledge.known_issues import KNOWN_ISSUES

    return _beginning(typed, [*glossary().code, *(issue.key for issue in KNOWN_ISSUES)]) if typed else []


def _column(context: click.Context, table: str, columns: tuple[str, ...]) -> list[str]:
    """The distinct values of some columns of the result, joined by a dash; empty without a result that has
    them.
    """
    from pipelines.result import Result
    from pipelines.result_folders import is_result
    from replay.errors import InputError

    folder = _result_of(context)
    if folder is None or not is_result(folder):
        return []
    try:
        rows = Result(folder).table(table, list(columns)).dropna().drop_duplicates()
    except InputError:
        return []
    return ["-".join(map(str, row)) for row in rows.itertuples(index=False)]


def _result_of(context: click.Context) -> Path | None:
    """The result that the command line names. Click leaves arguments unread if the last option has no value yet."""
    params: dict[str, Any] = context.params
    named = params.get("result") or next(iter((*(params.get("inputs") or ()), *context.args)), None)
    return None if named is None else Path(named)


def _beginning(typed: str, names: Iterable[str]) -> list[str]:
    """The names that complete the text after the last comma."""
    before, comma, last = typed.rpartition(",")
    return sorted(f"{before}{comma}{name}" for name in set(names) if name.startswith(last))
