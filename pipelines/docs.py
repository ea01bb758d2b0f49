"""The reference pages in docs/, written from the declarations in the code: `python -m pipelines.docs`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pipelines.answers.next_steps import NEXT_OF_FAULT
from pipelines.findings_json import schema
from pipelines.glossary import glossary
from replay.invariants.rules import INVARIANTS, Invariant
from replay.tables import TABLES, WHAT_IFS, Table

_HEAD = """\
# Tables

<!-- Written by `python -m pipelines.docs` from replay/tables; edit there. -->

`kafka-replay analyze INPUT... --out DIR` leaves each of these as Parquet in `DIR/tables/<table>/`. Timestamps are UTC instants in microseconds,
corrected for zone and clock skew. Spans are half-open, `[start_ts, end_ts)`, with `end_ts` null while open. A leader of −1 is no leader. `node_id`
wrote a line, `broker_id` is whom it is about. `evidence` holds events by `event_id`, which reads file:line. A null is never a guess: nothing
in the input tells.
"""


_INVARIANTS_HEAD = """\
# Invariants

<!-- Written by `python -m pipelines.docs` from replay/invariants/rules.py; edit there. -->

What must hold in every history of a cluster. Where the rebuilt history breaks one, the table [violations](tables.md#violations) has a row with both sides; where the
evidence has gaps, the row says `unknown`, or there is none.

| invariant | severity | it states | broken, it means | what to do |
|---|---|---|---|---|
"""


_CODES_HEAD = """\
# Codes

<!-- Written by `python -m pipelines.docs` from pipelines/glossary.py and pipelines/answers/next_steps.py; edit there. -->

What the codes of findings (F), of causes and effects (R), of losses (S) and of invariants (I) mean, and for a fault what to look at
next. On a terminal: `kafka-replay explain F01`.

| code | name | what it is | look next at |
|---|---|---|---|
"""


def pages() -> dict[str, str]:
    """Every generated page: its file name in docs/ and its text."""
    return {
        "tables.md": tables_page((*TABLES, WHAT_IFS)),
        "invariants.md": invariants_page(INVARIANTS),
        "codes.md": codes_page(),
        "findings.schema.json": json.dumps(schema(), indent=1, ensure_ascii=False) + "\n",
    }


def codes_page() -> str:
    """The glossary: every code of the page, of `explain` and of the tables."""
    rows = [
        (f"`{code.code}`", code.name, code.means, NEXT_OF_FAULT.get(code.code, ""))
        for code in glossary().itertuples(index=False)
    ]
    return _CODES_HEAD + "".join("| " + " | ".join(map(_cell, row)) + " |\n" for row in rows)


def invariants_page(invariants: tuple[Invariant, ...]) -> str:
    """The page that explains the invariants, a row each; one that no input can show broken says why."""
    rows = [
        (
            f"`{i.id}` {i.name}",
            i.severity,
            i.states,
            i.means if i.never is None else f"{i.means} Not checked: {i.never}.",
            i.act,
        )
        for i in invariants
    ]
    return _INVARIANTS_HEAD + "".join("| " + " | ".join(map(_cell, row)) + " |\n" for row in rows)


def tables_page(tables: tuple[Table, ...]) -> str:
    """The page that explains tables: an index, then one section a table with its row, key and columns."""
    index = "\n".join(f"| [{table.name}](#{table.name}) | {table.row} |" for table in tables)
    return "\n".join([_HEAD, "| table | one row is |", "|---|---|", index, "", *(_section(table) for table in tables)])


def _section(table: Table) -> str:
    columns = "\n".join(f"| `{c.name}` | {c.type.simpleString()} | {_cell(c.meaning)} |" for c in table.columns)
    key = ", ".join(f"`{name}`" for name in table.key)
    return f"## {table.name}\n\n{table.row} Key: {key}.\n\n| column | type | meaning |\n|---|---|---|\n{columns}\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def notebook_page(source: str) -> str:
    """A notebook in Databricks' source format as an .ipynb, without outputs, the same bytes for the same source."""
    cells = []
    for number, cell in enumerate(
        source.removeprefix("# Databricks notebook source\n").split("# COMMAND ----------\n")
    ):
        lines = cell.strip("\n").split("\n")
        is_text = lines[0] == "# MAGIC %md"
        if is_text:
            lines = [line.removeprefix("# MAGIC").removeprefix(" ") for line in lines[1:]]
        text = [f"{line}\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]
        kind: dict[str, object] = (
            {"cell_type": "markdown"} if is_text else {"cell_type": "code", "execution_count": None, "outputs": []}
        )
        cells.append({**kind, "id": f"cell-{number}", "metadata": {}, "source": text})
    told = {"cells": cells, "metadata": _KERNEL, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(told, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


_KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def main(folder: Path) -> None:
    """Write every page into `folder`, and the notebook beside it anew from its source."""
    source = folder.parent / "notebooks" / "after_an_incident.py"
    if source.is_file():
        source.with_suffix(".ipynb").write_text(notebook_page(source.read_text(encoding="utf-8")), encoding="utf-8")
        print(source.with_suffix(".ipynb"))
    folder.mkdir(exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")
        print(folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "docs")
