"""`kafka-replay index`: results of several weeks on one page, what cannot be counted named."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pipelines.cli import main
from pipelines.commands.index import index, seen_again
from pipelines.findings_json import SCHEMA_VERSION
from replay.errors import InputError, OutputError
from tests.answers.small_result import TABLES, frame, write
from tests.browser import CHROMIUM, DRIVER, browser
from viz.index_page import Fault, Listed, index_page

NAMES = {"F01": "Crash or kill", "F02": "Clean shutdown", "F05": "Cut off from peers", "F13": "Slow follower"}


def ts(text: str) -> pd.Timestamp:
    return pd.Timestamp(f"2026-{text}")


def fault(code: str, broker: int | None, at: str, severity: str = "medium", routine: bool = False) -> Fault:
    return Fault(f"{code}/{broker}/{at}", code, broker, ts(at), severity, routine)


def listed(name: str, began: str, ended: str, *faults: Fault, **more: Any) -> Listed:
    told: dict[str, Any] = {
        "link": f"{name}/report.html", "cluster": "Nim6oc", "is_redacted": False, "told": f"What befell {name}",
        "severity": "high", "incidents": 1, "lost": "none found", "version": "0.1.0",
    }  # fmt: skip
    return Listed(name=name, began=ts(began), ended=ts(ended), faults=faults, **(told | more))


NIGHT = fault("F01", 2, "11-04 03:00", "critical")
WEEKS = (
    listed("one", "11-03 00:00", "11-03 06:00", fault("F13", 1, "11-03 01:00")),
    listed("two", "11-04 00:00", "11-04 06:00", NIGHT, fault("F02", 3, "11-04 04:00", routine=True)),
    listed("two again", "11-04 02:00", "11-04 08:00", NIGHT),
    listed("four", "11-17 00:00", "11-17 12:00", fault("F05", 1, "11-17 01:00"), fault("F05", 1, "11-17 02:00"), fault("F01", None, "11-17 03:00")),
)  # fmt: skip


def page(*results: Listed, **options: Any) -> str:
    return index_page(results, [], names=NAMES, version="0", **options)


def matrix(html: str) -> list[list[str]]:
    """The rows of the first matrix as text: a label, a cell a period, the sum; `void` where no logs are of that time."""
    (body,) = re.findall(r'class="scroll matrix".*?<table>(.*?)</table>', html, re.DOTALL)[:1]
    return [
        ["void" if 'class="void"' in tags else re.sub(r"<[^>]+>", "", text) for tags, text in re.findall(r"<t[hd]([^>]*)>(.*?)</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", body, re.DOTALL)
    ]  # fmt: skip


def test_a_fault_that_a_broker_had_before_is_named_with_its_days():
    weeks = [
        *WEEKS,
        listed("five", "11-25 00:00", "11-25 06:00", fault("F05", 1, "11-25 01:00"), fault("F02", 3, "11-25 02:00", routine=True)),
        listed("another cluster", "11-25 00:00", "11-25 06:00", fault("F01", 2, "11-25 01:00"), cluster="zz"),
    ]  # fmt: skip
    assert list(seen_again(weeks, NAMES)) == [
        "Seen before: F05 Cut off from peers, broker 1: 2 days: 2026-11-17 (four) and 2026-11-25 (five)"
    ]
    assert list(seen_again(WEEKS, NAMES)) == []


def test_faults_by_kind_and_broker_week_by_week():
    assert matrix(page(*WEEKS, by="week")) == [
        ["Week from Monday (UTC)", "2 Nov 2026", "9 Nov", "16 Nov", "all"],
        ["Faults", "2", "void", "3", "5"],
        ["Hours of logs", "14.0", "–", "12.0", ""],  # 6 + 6 + the 2 that only "two again" has
        ["By kind", ""],
        ["F01 Crash or kill", "1", "void", "1", "2"],  # the night is in two results and counts once
        ["F05 Cut off from peers", "", "void", "2", "2"],
        ["F13 Slow follower", "1", "void", "", "1"],
        ["By broker", ""],
        ["node 1", "1", "void", "2", "3"],
        ["no single node", "", "void", "1", "1"],
        ["node 2", "1", "void", "", "1"],
        ["Routine", ""],
        ["F02 Clean shutdown", "1", "void", "", "1"],
    ]


def test_what_is_said_of_the_last_week_and_of_logs_that_overlap():
    html = page(*WEEKS, by="week")
    assert "In the week of 16 Nov 2026: 3 faults in 12 h 00 min of logs. Before that, in the week of 2 Nov 2026: 2 faults in 14 h 00 min of logs." in html  # fmt: skip
    assert "1 fault in several results whose logs overlap: it is counted once." in html
    assert html.count("overlaps in time with two again") == 1 and html.count("overlaps in time with two<") == 1


def test_the_worst_result_stands_first_then_the_latest():
    severities = {"old and worst": "critical", "older": "low", "newer": "low", "calm": None}
    listing = [listed(name, f"11-0{n} 00:00", f"11-0{n} 06:00", severity=severity) for n, (name, severity) in enumerate(severities.items(), 2)]  # fmt: skip
    shown = re.findall(r"What befell ([a-z ]+)<", page(*listing))
    assert shown == ["old and worst", "newer", "older", "calm"]


def test_clusters_stand_apart_and_unknown_ones_are_not_taken_for_one():
    twice = [listed(name, "11-04 02:00", "11-04 08:00", NIGHT, cluster=None) for name in ("a", "b")]
    html = page(WEEKS[0], *twice)
    assert "3 results of 1 cluster and clusters that no line names" in html
    assert "No line of these logs names the cluster: these may be different clusters" in html
    assert matrix(page(*twice))[1] == ["Faults", "2", "2"]
    assert "Names are replaced in these results" in page(*(listed(n, "11-04 02:00", "11-04 08:00", is_redacted=True) for n in "ab"))  # fmt: skip


@pytest.mark.parametrize(
    ("last", "head"),
    [
        ("11-09 00:00", "Day (UTC)"),
        ("12-20 00:00", "Week from Monday (UTC)"),
    ],
)
def test_columns_are_as_wide_as_the_time_is_long(last, head):
    assert matrix(page(listed("a", "11-03 00:00", last)))[0][0] == head


def test_the_page_is_the_same_in_any_order_and_runs_nothing():
    html = page(*WEEKS)
    assert html == page(*reversed(WEEKS))
    hostile = page(
        listed("<script>alert(1)</script>", "11-03 00:00", "11-03 01:00", told="<img src=x onerror=a>", cluster="<b>")
    )
    assert (
        "<script" not in hostile
        and "<img" not in hostile
        and "<b>" not in hostile.replace("<b>0</b>", "").replace("<b></b>", "")
    )
    assert "default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;" in html and "script-src" not in html


@pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="no Chromium or no chromedriver on this machine")
@pytest.mark.parametrize("width", [1300, 420])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_a_browser_the_latest_period_is_in_sight_and_nothing_is_wider_than_the_window(tmp_path, width, scheme):
    year = [listed(f"week {n}", "01-05 00:00", "01-05 06:00") for n in range(45)]
    weeks = [
        replace(one, began=one.began + pd.Timedelta(weeks=n), ended=one.ended + pd.Timedelta(weeks=n))
        for n, one in enumerate(year)
    ]
    file = tmp_path / "index.html"
    file.write_text(page(*weeks, *WEEKS), encoding="utf-8")
    with browser(tmp_path) as window:
        window.requests()
        window.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        window.size(width, 900)
        window.open(file)
        right = "const th = document.querySelector('.matrix thead th:nth-last-child(2)'); return th.getBoundingClientRect().right"
        assert 0 < window.run(right) <= width and window.run("return document.documentElement.scrollWidth") <= width
        assert window.run("return document.querySelector('.matrix tbody th').getBoundingClientRect().left") >= 0
        assert window.console() == []


FAULT = {"fault_id": "killed/1/x", "kind": "killed", "code": "F01", "broker_id": 1, "ts": "07:32:00"}
SAID: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "product": {"version": "0.1.0"}, "cluster": {"cluster_ids": ["Nim6oc"]}, "notes": [], "lines": None}  # fmt: skip


def result(folder: Path, said: dict[str, Any] = SAID, **more: list[dict[str, object]]) -> Path:
    write(folder, faults=[FAULT], **more)
    (folder / "findings.json").write_text(json.dumps(said))
    (folder / "report.html").write_text("")
    return folder


def test_results_are_read_and_what_cannot_be_is_named(tmp_path):
    result(tmp_path / "weeks" / "week 1")
    result(tmp_path / "weeks" / "week 2", SAID | {"product": {"version": "0.2.0"}})
    result(tmp_path / "weeks" / "old", SAID | {"schema_version": 2, "product": {"version": "0.0.1"}})
    result(tmp_path / "weeks" / ".being-written")
    broken = result(tmp_path / "weeks" / "broken")
    (broken / "findings.json").write_text("{")
    (result(tmp_path / "weeks" / "torn") / "tables" / "faults" / "part-0.parquet").write_bytes(b"PAR1")
    out = tmp_path / "pages" / "index.html"
    out.parent.mkdir()
    told = list(index([tmp_path / "weeks", tmp_path / "weeks" / "week 1", tmp_path / "gone", out.parent], out))
    assert told[0] == f"{out}: 2 results of 1 cluster"
    assert [line.split(": ")[1].removeprefix(f"{tmp_path}/") for line in told[1:]] == ["weeks/broken", "weeks/old", "weeks/torn", "gone", "pages"]  # fmt: skip
    html = out.read_text(encoding="utf-8")
    assert '<a href="../weeks/week%201/report.html">Broker 1 crashed</a>' in html and str(tmp_path) not in html
    assert matrix(html)[1:3] == [["Faults", "1", "1"], ["Hours of logs", "0.7", ""]]
    assert "kafka-replay 0.2.0; another version than most, which may find more or less" in html
    assert (
        f"<code>../weeks/old</code>: made by kafka-replay 0.0.1, with another schema version (2, not {SCHEMA_VERSION})"
        in html
    )
    assert (
        "<code>../gone</code>: no such folder" in html
        and "weeks/torn</code>: made by kafka-replay 0.1.0, its tables cannot be read" in html
    )


def test_how_bad_a_fault_was_its_finding_says(tmp_path):
    faults = [FAULT, FAULT | {"fault_id": "stopped/2/y", "kind": "stopped", "code": "F02", "broker_id": 2}]
    folder = result(tmp_path / "r")
    frame("faults", faults).to_parquet(folder / "tables" / "faults" / "part-0.parquet")
    list(index([folder], tmp_path / "index.html"))
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert TABLES["findings"][0]["finding_id"] == FAULT["fault_id"] and TABLES["findings"][0]["severity"] == "critical"
    assert 'aria-label="1 critical"' in html
    assert matrix(html)[-2:] == [["Routine", ""], ["F02 Shutdown", "1", "1"]]


def test_no_file_of_another_is_written_over_and_a_page_of_ours_is(tmp_path, monkeypatch, capsys):
    folder, out = result(tmp_path / "r"), tmp_path / "index.html"
    out.write_text("mine")
    with pytest.raises(OutputError, match="is no page of `kafka-replay index`"):
        list(index([folder], out))
    assert out.read_text() == "mine" and not list(tmp_path.glob(".index*"))
    out.unlink()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OutputError, match="is no page of `kafka-replay index`"):
        list(index([folder], Path(".")))
    for _ in range(2):
        assert len(list(index([folder], out))) == 1
    with pytest.raises(InputError, match="no result that can be read"):
        list(index([tmp_path / "gone"], out))
    monkeypatch.setattr(sys, "argv", ["kafka-replay", "index", str(tmp_path / "gone")])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2 and "gone: no such folder" in capsys.readouterr().err
