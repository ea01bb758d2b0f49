"""Reference pages made from the declarations in the code.

`kafka-replay docs` prints them; `python -m pipelines.docs` writes docs/ and the notebooks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from pipelines.answers import explain_json
from pipelines.answers.operators_ask import QUESTIONS
from pipelines.findings_schema import schema
from pipelines.glossary import glossary
from pipelines.incident import stages
from pipelines.stages import KEPT
from replay.causes.rules import RULES, From, Rule
from replay.faults.kinds import KINDS, Stops
from replay.invariants.rules import INVARIANTS, Invariant
from replay.knowledge.known_issues import KNOWN_ISSUES
from replay.sentences.causes import BECAUSE
from replay.tables import DECLARED, TABLES, WHAT_IFS, Table
from replay.tables.answers import ANSWERS
from replay.tables.results import STORED_RESULTS

_ALL_TABLES = (*TABLES, WHAT_IFS, STORED_RESULTS, *ANSWERS)
_HEAD = """\
# Tables

`kafka-replay analyze INPUT... --out DIR` writes each of these as Parquet to `DIR/tables/<table>/`. Timestamps are UTC instants in microseconds,
corrected for zone and clock skew. Spans are half-open, `[start_ts, end_ts)`, with `end_ts` null while open. A leader of −1 means no leader.
`node_id` is the node that wrote a line, `broker_id` the broker that the line concerns. `evidence` holds `event_id`s of the form file:line.
Null means that the input does not show the value.
"""


_INVARIANTS_HEAD = """\
# Invariants

The invariants of every cluster history. If the rebuilt history violates one, the table `violations` has a row with the observation and the
expectation. If the evidence has gaps, the row says `unknown`, or there is no row.

| invariant | severity | it states | a violation means | what to do |
|---|---|---|---|---|
"""


_CODES_HEAD = """\
# Codes

What the codes of findings (F), of causes and effects (R), of losses (S) and of invariants (I) mean, and for a fault what to look at
next. On a terminal: `kafka-replay explain F01`.

| code | name | what it is | look next at |
|---|---|---|---|
"""


_FAULTS_HEAD = """\
# Faults

Every kind of fault that is looked for: what proves it, what it is easily taken for, and what its node cannot do while it lasts, from
which follows what it may be the cause of (`kafka-replay docs rules`). The codes are explained in `kafka-replay docs codes`.

| code | kind | what is said of its node | what proves it | what it could be as well | while it lasts its node does not | seen in |
|---|---|---|---|---|---|---|
"""


_RULES_HEAD = """\
# Rules of causality

What may follow from what. Cause and effect share a key, and the effect lies in the window of the cause; of several causes of one aspect the
likeliest is taken, the others stay beside it as rivals. A confidence is the rule's own; causes that are as good share it.

| rule | cause | effect | they share | window | confidence | because |
|---|---|---|---|---|---|---|
"""


_RULES_ELSEWHERE = """
## Rules that join lines, not happenings

The other rules of [Kafka facts](kafka-facts.md), section 6, make no edge of their own:

| rules | where they are at work |
|---|---|
| R5, R6, R7, R8, R9 | A decision, its request or record, and the starts of leader and followers are one leader epoch: its row in `leader_epochs` has them as evidence. Those of two nodes bound the difference of their clocks (`clock_offsets`). |
| R11, R12 | A high watermark that falls is a mark of its replica, and no proof of a loss by itself (`truncations`, `losses`). |
| R14 | A change of an ISR counts as committed with the leader's own word, the controller's record or the znode (`isr_spans`). |
| R16, R20 | Changes that one event of the controller makes are put down to what that event is about, by R4 and R18. |
| R19 | A request of an older controller is refused: the tenures of `controllers` are in the order of their epochs, whatever the clocks say. |
| R24 | An election by the balancer is one with the trigger `preferred` (`elections`). |
| R25 | What clients must have met is in `availability`; of their own logs only warnings are listed. |
| R27 | What ends or begins without a majority of voters is put down to that time by R26. |

## How often a cause is right

Held against what was done to 30 recorded clusters (both modes, 1.1 to 4.1, four of them twenty minutes with six or seven faults): each cause of
a shrunk ISR, an election or a partition without leader that falls into the time of one fault. `python -m benchmarks.calibration` prints it.

| confidence of the best cause | right | of |
|---|---|---|
| 0.7 and less | 1.00 | 7 |
| to 0.8 | 0.94 | 156 |
| to 0.9 | 1.00 | 631 |
| to 0.95 | 1.00 | 228 |
| to 1 | 1.00 | 46 |

The confidences are low rather than high: they allow for clusters that were not recorded. The 11 that are not right by that count: 7 ISRs that
a later stop of the broker shrank while its failed directory had not been mended, and 4 elections that gave leadership back to a broker after
its own fault, by chance within the time of another one. Of 725 rivals, 98 in 100 lead to the same fault by another way.

## What no log can show

- That one write was acknowledged: `kafka-replay acks` tells when a leader stores, refuses or does not answer, not what a single producer got.
- What a node did while it was silent: a freeze is told only by an elapsed time, a kill by its peers and its next start.
- A change of an ISR that the leader gave up for an old partition epoch (F23): that is printed at DEBUG. One that the controller's own decision overtook looks the same.
- Whether a broker was slow for its disk, its network or its load (F13): its metrics would tell.
"""


_KNOWN_ISSUES_HEAD = """\
# Known bugs and situations

What the lines of a log are held against: bugs of certain releases of Kafka, and situations that have a name. `kafka-replay explain KAFKA-6292`
tells all of one, `kafka-replay known-issues --release 3.6.0` lists the bugs of a release. *Its lines* tells whether the bug's lines were recorded, are quoted by somebody, or are unseen: known from Kafka's source alone, and never told as sure. A bug is told only for a release that has it (where
the release is known), and not where its lines are printed by every healthy cluster too.

| key | what | where | affected | fixed in | what it does | its lines |
|---|---|---|---|---|---|---|
"""


_QUESTIONS_HEAD = """\
# What operators ask, and where it is answered

Asked in public issue threads and write-ups after incidents. *Page* names a section of `report.html`. *Command* is a command of `kafka-replay`
on a result `DIR`. *Notebook* is `replay = Replay.load(spark, path)`, or the heading of a cell of `notebooks/after_an_incident.py`.

| # | question | page | command | notebook |
|---|---|---|---|---|
"""


_STAGES_HEAD = """\
# Stages

Every table that is made on the way from lines to conclusions, in order: what makes it, and what this reads. Tables in bold are those of the
result (`kafka-replay docs tables`). `events`, `settings`, `clock_steps`, `clock_offsets` and `coverage` come of reading; `line_counts` are how many events of each kind each node has, `kinds` the kinds that there are.
A pass hands each node its lines (`node_events`), or each partition (`partition_events`). Where only a `window` in time was read, `kafka_events` says which of the events
count: those up to its end, without what hosts, containers and operators say.

| table | one row is | made by | reads |
|---|---|---|---|
"""


def pages() -> dict[str, str]:
    """Every generated file in docs/: its name and its text."""
    return {
        "findings.schema.json": json.dumps(schema(), indent=1, ensure_ascii=False) + "\n",
        "explain.schema.json": json.dumps(explain_json.schema(), indent=1, ensure_ascii=False) + "\n",
    }


def questions_page() -> str:
    """What operators ask, a row per question."""
    return _with_rows(_QUESTIONS_HEAD, ((str(n), *asked) for n, asked in enumerate(QUESTIONS, 1)))


def codes_page() -> str:
    """The glossary: every code of the page, of `explain` and of the tables."""
    rows = [(f"`{code.code}`", code.name, code.means, code.look_next) for code in glossary().itertuples(index=False)]
    return _with_rows(_CODES_HEAD, rows)


def known_issues_page() -> str:
    """Every known bug and situation, a row each."""
    rows = [
        (
            issue.key,
            issue.title,
            issue.roles,
            issue.affected_text,
            issue.fixed_text,
            issue.consequence,
            issue.maturity,
        )
        for issue in sorted(KNOWN_ISSUES, key=lambda issue: (not issue.is_bug, issue.key))
    ]
    return _with_rows(_KNOWN_ISSUES_HEAD, rows)


def faults_page() -> str:
    """Every kind of fault, a row each."""
    rows = [
        (
            kind.code,
            f"`{kind.name}`",
            kind.predicate or kind.title,
            kind.proof,
            kind.rival,
            ", ".join(stop.name.lower() for stop in Stops if stop in kind.stops and stop.name),
            ", ".join(f"[{name}](../traces/{name})" for name in kind.seen_in),
        )
        for kind in sorted(KINDS, key=lambda kind: kind.code)
    ]
    return _with_rows(_FAULTS_HEAD, rows)


def rules_page() -> str:
    """Every rule of causality, a row each."""
    rows = [
        (
            rule.number,
            ", ".join(f"`{kind}`" for kind in rule.causes),
            ", ".join(f"`{kind}`" for kind in rule.effects) + _made_by(rule),
            rule.key.value.replace("_", " "),
            _window(rule),
            f"{rule.confidence:g}",
            BECAUSE.texts[rule.reason],
        )
        for rule in RULES
    ]
    return _with_rows(_RULES_HEAD, rows) + _RULES_ELSEWHERE


def _made_by(rule: Rule) -> str:
    wanted = f" by {', '.join(rule.by)}" if rule.by else ""
    return wanted + (f", not by {', '.join(rule.not_by)}" if rule.not_by else "")


def _window(rule: Rule) -> str:
    """The time range in which an effect may follow, in seconds and in the cluster's own timings."""
    names = {From.BEGIN: "begin", From.OVER: "end", From.FULL: "the ISR is full again"}
    more = (
        [f"{rule.until.ms / 1000:g} s"]
        if rule.until.ms or not (rule.until.sessions or rule.until.imbalance_checks)
        else []
    )
    more += [f"{rule.until.sessions:g} session timeouts"] if rule.until.sessions else []
    more += [f"{rule.until.imbalance_checks:g} leader checks"] if rule.until.imbalance_checks else []
    begin = f"{names[rule.since]} {rule.since_ms / 1000:+g} s" if rule.since_ms else names[rule.since]
    return f"{begin} to {names[rule.until.base]} + {' + '.join(more)}"


def stages_page() -> str:
    """Every table between log lines and conclusions: its row, the function that makes it, and the tables that this
    function reads.
    """
    rows = []
    for one in (listed for stage in stages() for listed in stage.listed()):
        declared = DECLARED.get(one.name)
        rows.append(
            (
                f"**{one.name}**" if one.name in KEPT else one.name,
                declared.row if declared else _summary(one.made_by.__doc__),
                f"`{one.made_by.__module__}.{one.made_by.__name__}`",
                ", ".join(one.reads),
            )
        )
    return _with_rows(_STAGES_HEAD, rows)


def _summary(docstring: str | None) -> str:
    """The first paragraph, on one line."""
    return " ".join((docstring or "").split("\n\n")[0].split())


def invariants_page(invariants: tuple[Invariant, ...]) -> str:
    """The page that explains the invariants, one row each; if no input can show a violation, the row says why."""
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
    return _with_rows(_INVARIANTS_HEAD, rows)


def tables_page(tables: tuple[Table, ...]) -> str:
    """The page that explains tables: an index, then one section a table with its row, key and columns."""
    index = "\n".join(f"| [{table.name}](#{table.name}) | {table.row} |" for table in tables)
    return "\n".join([_HEAD, "| table | one row is |", "|---|---|", index, "", *(_section(table) for table in tables)])


def _section(table: Table) -> str:
    columns = "\n".join(f"| `{c.name}` | {c.type.simpleString()} | {_cell(c.meaning)} |" for c in table.columns)
    key = ", ".join(f"`{name}`" for name in table.key)
    return f"## {table.name}\n\n{table.row} Key: {key}.\n\n| column | type | meaning |\n|---|---|---|\n{columns}\n"


def _with_rows(head: str, rows: Iterable[tuple[str, ...]]) -> str:
    """A page that ends with a table: `head` and the rows."""
    return head + "".join("| " + " | ".join(map(_cell, row)) + " |\n" for row in rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def notebook_page(source: str) -> str:
    """A notebook in Databricks' source format as an .ipynb without outputs. The same source gives the same bytes."""
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
    page = {"cells": cells, "metadata": _KERNEL, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(page, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


_KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


REFERENCE: Mapping[str, Callable[[], str]] = {
    "codes": codes_page,
    "faults": faults_page,
    "rules": rules_page,
    "invariants": partial(invariants_page, INVARIANTS),
    "known-issues": known_issues_page,
    "questions": questions_page,
    "tables": partial(tables_page, _ALL_TABLES),
    "stages": stages_page,
}
"""The pages that `kafka-replay docs` prints, by name."""


def main(folder: Path) -> None:
    """Writes every page into `folder`, and the notebooks next to their sources."""
    for source in sorted((folder.parent / "notebooks").glob("*.py")):
        source.with_suffix(".ipynb").write_text(notebook_page(source.read_text(encoding="utf-8")), encoding="utf-8")
        print(source.with_suffix(".ipynb"))
    folder.mkdir(exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")
        print(folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "docs")
