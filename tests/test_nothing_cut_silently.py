"""Whatever shows a part says of how many, and what is concluded is concluded from all: every limit is lowered to ten."""

from __future__ import annotations

import json
import re
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from pipelines import collect
from replay.tables import DECLARED
from replay.tables.arrow import arrow_schema
from tests.test_report import Page, unclean_election
from viz import bounds
from viz.frames import COLUMNS
from viz.report import report

PARTITIONS = 24


def wide() -> dict[str, pd.DataFrame]:
    """The unclean election of `test_report`, of many partitions, no two at the same moment, and how they could be written."""
    tables = unclean_election()
    start, end = pd.Timestamp("2024-05-01 10:00:05"), pd.Timestamp("2024-05-01 10:01:00")
    tables["availability"] = pd.DataFrame(
        [
            ("orders", 0, "all", start, end, "open", None, None, ["n1:5"]),
            ("orders", 0, "all", end, None, "closed", "no_leader", "killed/1", ["n2:45"]),
        ],
        columns=["topic", "partition", "acks", "start_ts", "end_ts", "state", "reason", "fault_id", "evidence"],
    )
    for name, frame in tables.items():
        if "topic" in frame and name in DECLARED and len(frame):
            tables[name] = pd.concat([_later(frame, n) for n in range(PARTITIONS)], ignore_index=True)
    return tables


def _later(frame: pd.DataFrame, n: int) -> pd.DataFrame:
    times = {
        name: frame[name] + pd.Timedelta(milliseconds=7 * n) for name in ("ts", "start_ts", "end_ts") if name in frame
    }
    return frame.assign(partition=n, topic=frame.topic.where(frame.topic.isna(), f"orders{n % 12}"), **times)


def read(tables: dict[str, pd.DataFrame]) -> collect.Read:
    """A result that holds these tables."""

    def of(name: str, columns: Any = None, where: Any = (), reduce: Any = lambda rows: rows) -> pa.Table:
        declared = [c.name for c in DECLARED[name].columns]
        frame = tables.get(name, pd.DataFrame(columns=declared)).reindex(columns=declared)
        for column, _, wanted in where:
            frame = frame[frame[column].isin(list(wanted))]
        if name == "events":
            frame = frame.assign(details=None)
            schema = pa.schema([("details", pa.map_(pa.string(), pa.string()))])
            whole = pa.Table.from_pandas(
                frame.drop(columns="details").astype(object).where(frame.notna(), None), preserve_index=False
            )
            whole = whole.append_column(schema.field(0), pa.nulls(len(frame), schema.field(0).type))
            schema = arrow_schema(DECLARED[name].schema)
            whole = whole.select(schema.names).cast(schema)
        else:
            whole = pa.Table.from_pandas(frame, preserve_index=False)
        return reduce(whole if columns is None else whole.select(list(columns)))

    return of


def page(cap: int | None, monkeypatch: pytest.MonkeyPatch) -> tuple[Page, dict[str, pd.DataFrame]]:
    monkeypatch.setattr(bounds, "CAP", cap)
    small = collect.frames(read(wide()))
    notes = collect.cut_short(small)
    html = report(small, title="wide", inputs=["logs"], notes=notes, incident_id=None, version="0")
    return Page(html), small


@pytest.fixture(scope="module")
def pages() -> tuple[Page, Page, dict[str, pd.DataFrame]]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        whole, _ = page(None, monkeypatch)
        part, small = page(10, monkeypatch)
    return whole, part, small


def test_a_table_that_is_too_large_is_cut_by_partitions_and_each_has_all_of_its_rows(pages):
    _, _, small = pages
    totals = small["totals"].set_index("table")
    assert {"leader_epochs", "isr_spans", "availability", "elections", "losses"} <= set(totals.index)
    for name in ("leader_epochs", "isr_spans"):
        sizes = small[name].groupby(["topic", "partition"]).size()
        assert set(sizes) == {3} and len(small[name]) <= 10, name
        assert (totals.rows[name], totals.partitions[name]) == (3 * PARTITIONS, PARTITIONS), name
    assert not {"incidents", "findings", "coverage"} & set(totals.index)


def test_what_is_concluded_is_the_same_however_little_is_listed(pages):
    whole, part, _ = pages
    assert whole.said("summary") == part.said("summary")
    assert len(_totals(whole)) == 2 and _totals(part) == _totals(whole)
    for name in ("availability", "isr"):
        assert _steps(whole, name) == _steps(part, name), name


def _totals(one: Page) -> set[str]:
    """The rows of the sums of losses."""
    return set(
        re.findall(r"orders\d+ and \d+ topics alike (?:any producer|acks=1 or)[^/]+/ \d+ / \d+", one.said("losses"))
    )


def _steps(one: Page, name: str) -> Any:
    """What a chart draws of all partitions: the counts above the ISRs, and the rows of topics."""
    figure = next(text for a, text in one.scripts if a.get("id") == f"chart-{name}-data")
    return [sorted(map(str, trace["x"])) for trace in json.loads(figure)["data"] if trace.get("meta") == "steps"]


def test_every_table_and_chart_that_shows_a_part_says_of_how_many(pages):
    whole, part, _ = pages
    tables = {name: one for name, one in _tables(part).items() if one[0] > one[1]}
    assert len(tables) >= 5
    for name, (_, shown, said) in tables.items():
        assert shown <= 10 and re.search(r"more not shown, of [\d,]+|[Ff]rom [\d,]+ of the [\d,]+ rows", said), name
    for caption in ("Who led which partition", "How many replicas were in sync"):
        at = part.said("timeline").index(caption)
        assert f"of {PARTITIONS} partitions, those with the most events." in part.said("timeline")[at : at + 600], (
            caption
        )
    assert "Drawn: 10 of 12 topics by acks" in part.said("timeline")
    assert "most events" not in whole.said("coverage") and "page and findings.json list" in part.said("coverage")


def _tables(one: Page) -> dict[str, tuple[int, int, str]]:
    """Of each table: how many rows it stands for, how many it shows, and what stands below it."""
    found = re.findall(
        r"<caption>(.*?)</caption>.*?<tbody>(.*?)</tbody>\s*</table>\s*</div>\s*(<p class=\"more\">.*?</p>)?",
        one.html,
        re.DOTALL,
    )
    told = {}
    for caption, rows, said in found:
        text = re.sub(r"<[^>]+>", "", caption)
        count = re.search(r"\((\d[\d,]*)", text)
        shown = rows.count("<tr")
        if count:
            told[text] = (int(count[1].replace(",", "")) + ("not all shown" in text), shown, said)
    return {name: one for name, one in told.items() if "not all shown" in name}


def test_the_columns_of_totals_are_what_the_page_reads():
    assert list(COLUMNS["totals"]) == ["table", "shown", "rows", "partitions_shown", "partitions"]
