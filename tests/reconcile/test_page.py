"""The section "Your records": its content, how a browser shows it, and the report around it."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from pipelines.cli import main_group
from pipelines.reconciliation.summary import as_text, summed
from replay.errors import OutputError
from replay.reconcile.cells import Clock
from tests.browser import CHROMIUM, DRIVER, browser
from tests.recordings import TRACES
from tests.test_report import NASTY, Page, page, unclean_election

CUT = "Written in leader epoch 1; the log was truncated to offset 293 or below when leader epoch 2 began."
LINE = "node-1/state-change.log:7"
TOLD = pd.DataFrame(
    [
        ("orders", 0, 292, "kept", 1, 1, "", ""),
        ("orders", 0, 293, "rewritten", 1, 1, CUT, LINE),
        ("orders", 0, 300, "rewritten", 1, 1, CUT, LINE),
        ("orders", 0, 2869, "gone", 1, 1, CUT, LINE),
        (NASTY, 0, 5, "undecided", None, None, NASTY, ""),
    ],
    columns=["topic", "partition", "offset", "verdict", "epoch_low", "epoch_high", "reason", "evidence"],
)
SKIPPED = {
    "effect": "skipped",
    "who": "billing",
    "topic": "orders",
    "partition": 0,
    "from_offset": 293,
    "to_offset": 400,
    "count": 107,
    "leader_epoch": None,
    "since": pd.Timestamp("2024-05-01 10:02"),
    "until": None,
    "reason": "The group went on from its old position in the new log.",
    "evidence": "",
    "meaning": "The consumer did not read these offsets of the surviving log.",
}
RECORDS = summed(TOLD, {"": Clock(-1_000_000, 2_000_000)}, "2024-05-01 10:10:00 UTC") | {"clients": [SKIPPED]}


def test_ranges_are_the_records_with_one_verdict_and_one_reason():
    found = [
        (row["verdict"], row["records"], row["first_offset"], row["last_offset"], row["evidence"])
        for row in RECORDS["ranges"]
    ]
    assert found == [("gone", 1, 2869, 2869, [LINE]), ("rewritten", 2, 293, 300, [LINE]), ("undecided", 1, 5, 5, [])]


def test_a_name_that_no_topic_can_have_takes_one_line_of_a_terminal():
    told = list(as_text(summed(TOLD.assign(topic="t" * 100_000), {}, None)))
    assert f"  {'t' * 124}…{'t' * 124}: " in told[-2] and max(map(len, told)) < 1_000


def test_the_section_follows_the_first_and_says_what_is_gone():
    made = Page(page(unclean_election(), records=RECORDS))
    assert list(made.sections)[:3] == ["summary", "records", "timeline"]
    text = made.sections["records"]
    for words in (
        "3 of 5 records gone.",
        "At the offsets of 2 of them another record exists now",
        CUT,
        "billing",
        "107",
    ):
        assert words in text, words
    assert "2024-05-01 10:10:00 UTC, the last line of these logs" in text
    assert "records" not in Page(page(unclean_election())).sections


def test_files_without_a_row_are_said_to_have_none():
    nothing = summed(pd.DataFrame(columns=["topic", "verdict", "reason"]), {}, None) | {"clients": []}
    text = Page(page(unclean_election(), records=nothing)).sections["records"]
    assert "No record and no effect on a client in these files." in text


@pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="no Chromium or no chromedriver on this machine")
def test_a_browser_shows_it_under_the_policy_of_the_page(tmp_path):
    file = tmp_path / "page.html"
    file.write_text(page(unclean_election(), records=RECORDS), encoding="utf-8")
    with browser(tmp_path) as window:
        window.size(1280, 800)
        window.requests()
        window.open(file, "#records")
        window.until("return document.querySelector('#records table').getBoundingClientRect().height > 0")
        assert "3 of 5 records gone." in window.run("return document.getElementById('records').innerText")
        assert window.run("return document.querySelectorAll('#records script, #records img').length") == 0
        assert window.run("return document.title") == "unclean election"
        window.run("document.querySelector('#records a.ev').click()")
        assert LINE in window.until("const p = document.getElementById('evidence'); return !p.hidden && p.textContent")
        window.size(400, 800)
        assert window.run("return document.documentElement.scrollWidth") <= 400
        assert window.console() == []
        assert not window.requests()


def test_the_page_is_the_report_with_the_section_and_the_result_stays_as_it_is(result_of, tmp_path):
    result = result_of(TRACES / "zombie-leader-by-hand")
    before = (result / "report.html").read_text()
    acked = tmp_path / "acked.csv"
    topic, partition = pd.read_parquet(result / "tables" / "leader_epochs", columns=["topic", "partition"]).iloc[0]
    acked.write_text(f"topic,partition,offset\n{topic},{partition},0\n")
    out, made = tmp_path / "verdicts.csv", tmp_path / "page.html"
    call = ["reconcile", str(result), str(acked), "--out", str(out), "--page", str(made)]
    answer = CliRunner().invoke(main_group, [*call, "--json"], catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.output)["records"] == 1
    told = made.read_text()
    begin = told.index('<section class="section" id="records"')
    end = told.index("</section>", begin) + len("</section>\n")
    assert told[:begin].replace('<li><a href="#records">Your records</a></li>\n', "") + told[end:] == before
    assert (result / "report.html").read_text() == before
    again = CliRunner().invoke(main_group, call)
    assert isinstance(again.exception, OutputError) and "exists; give --overwrite" in str(again.exception)


@pytest.mark.parametrize(
    ("name", "problem"), [("page.csv", "end its name in .html"), ("nowhere/page.html", "its folder does not exist")]
)
def test_a_page_that_cannot_be_written_leaves_no_verdicts(result_of, tmp_path, name, problem):
    acked = tmp_path / "acked.csv"
    acked.write_text("topic,partition,offset\norders,0,0\n")
    result, out = result_of(TRACES / "zombie-leader-by-hand"), tmp_path / "verdicts.csv"
    call = ["reconcile", str(result), str(acked), "--out", str(out), "--page", str(tmp_path / name)]
    answer = CliRunner().invoke(main_group, call)
    assert isinstance(answer.exception, OutputError) and problem in str(answer.exception)
    assert not Path(out).exists()
