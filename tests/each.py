"""A test over the records of a table as one item of pytest: it looks at all records, then names those that fail."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

PARAM = type(pytest.param())
SHOWN = 20  # failures in full; of the others only the names


def for_each(
    argnames: str | Sequence[str], records: Iterable[Any], ids: Callable[[Any], str] | Sequence[str] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator like `pytest.mark.parametrize` for a check of many records: one item that calls the test for each
    record, and reports every record that fails. Other parameters of the test are fixtures, which all records share.
    """
    names = [name.strip() for name in argnames.split(",")] if isinstance(argnames, str) else list(argnames)
    all_records = list(records)

    def of(test: Callable[..., None]) -> Callable[..., None]:
        def over_all(**fixtures: Any) -> None:
            failed = []
            for number, record in enumerate(all_records):
                values = _values(names, record)
                try:
                    test(**dict(zip(names, values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    failed.append((_name(ids, number, record, values), f"{type(error).__name__}: {error}"))
            assert all_records, "there are no records to look at"
            if failed:
                shown = [f"{name}: {error}" for name, error in failed[:SHOWN]]
                others = [name for name, _ in failed[SHOWN:]]
                raise AssertionError(
                    f"{len(failed)} of {len(all_records)} records fail\n" + "\n".join([*shown, ", ".join(others)])
                )

        signature = inspect.signature(test)
        own = [one for one in signature.parameters.values() if one.name not in names]
        over_all.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
        )
        over_all.__name__, over_all.__doc__, over_all.__module__ = test.__name__, test.__doc__, test.__module__
        return over_all

    return of


def _values(names: Sequence[str], record: Any) -> list[Any]:
    if isinstance(record, PARAM):
        return [*record.values]
    return [record] if len(names) == 1 else [*record]


def _name(ids: Callable[[Any], str] | Sequence[str] | None, number: int, record: Any, values: Sequence[Any]) -> str:
    if isinstance(record, PARAM) and record.id is not None:
        return str(record.id)
    if ids is None:
        return ", ".join(map(repr, values))[:200]
    return "-".join(str(ids(value)) for value in values) if callable(ids) else str(ids[number])
