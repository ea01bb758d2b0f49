"""What changed between two looks, and a watch from its first line to its end."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from py4j.protocol import Py4JNetworkError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from pipelines import watch as watching
from pipelines.answers.changes import Change, Fault, Standing, Verdict, changes, standing
from pipelines.cli import main
from pipelines.scratch import held_alone
from pipelines.session import end_session
from pipelines.watch import Ended, Look, Options, watch
from replay.errors import InputError, OutputError
from replay.tables import TABLES
from tests.each import for_each
from tests.golden import TRACES
from tests.test_append import rows_of, short
from tests.test_inputs import laid
from viz.watched import unwatched, watched

TRACE = TRACES / "leader-epochs-by-hand"


def at(clock: str) -> pd.Timestamp:
    return pd.Timestamp(f"2026-11-21 {clock}")


def crash(broker: int, began: str = "07:32:19", ended: str | None = None, **other) -> Fault:
    told = {
        "code": "F01",
        "brokers": (broker,),
        "began": at(began),
        "ended": at(ended) if ended else None,
        "lasts": ended is None,
        "severity": "high",
        "wording": "killed",
        "title": f"Broker {broker} crashed or was killed",
        "finding_id": f"F01-{broker}-{began}",
    }
    return Fault(**{**told, **other})


def orders(*partitions: int) -> frozenset[tuple[str, int]]:
    return frozenset(("orders", number) for number in partitions)


def lost(*verdicts: Verdict | None) -> dict[tuple[str, int, int | None, str], Verdict]:
    """A verdict on each partition of orders, of leader epoch 4."""
    return {
        ("orders", number, 4, "committed"): verdict for number, verdict in enumerate(verdicts) if verdict is not None
    }


FIRST, GONE = Verdict("POSSIBLE_LOSS", 0, 120), Verdict("PROVEN_LOSS", 100, 100)
KEPT = Verdict("NO_LOSS_OBSERVED", 0, 0)


@for_each(
    ("before", "now", "told"),
    [
        (Standing(), Standing(), []),
        (Standing([crash(1)]), Standing([crash(1)]), []),
        (Standing(), Standing([crash(1)]), ["fault: New, high at 07:32:19: Broker 1 crashed or was killed"]),
        (
            Standing(),
            Standing([crash(1, ended="07:33:54")]),
            ["fault: New, high at 07:32:19: Broker 1 crashed or was killed; over at 07:33:54"],
        ),
        (
            Standing([crash(1)]),
            Standing([crash(1, ended="07:33:54")]),
            ["fault_over: Over at 07:33:54: Broker 1 crashed or was killed"],
        ),
        (Standing([crash(1)]), Standing(), ["fault_withdrawn: No longer held: Broker 1 crashed or was killed"]),
        # A better known clock moves a begin; another crash of the same broker is another fault.
        (Standing([crash(1)]), Standing([crash(1, "07:32:18.5", finding_id="other")]), []),
        (
            Standing([crash(1)]),
            Standing([crash(1), crash(1, "08:00")]),
            ["fault: New, high at 08:00:00: Broker 1 crashed or was killed"],
        ),
        # What it was taken for.
        (
            Standing([crash(1, code="F04", wording="silent", title="Broker 1 fell silent", finding_id="x")]),
            Standing([crash(1, "07:32:20")]),
            ["verdict: Broker 1 fell silent: now broker 1 crashed or was killed"],
        ),
        (
            Standing([crash(1)]),
            Standing([crash(1, wording="oom", title="Broker 1 was killed for want of memory")]),
            ["verdict: Broker 1 crashed or was killed: now broker 1 was killed for want of memory"],
        ),
        (
            Standing([crash(1)]),
            Standing([crash(1, severity="critical")]),
            ["verdict: Broker 1 crashed or was killed: was high, is critical"],
        ),
        (Standing(), Standing(short=orders(0, 1)), ["isr_short: ISR not full: 2 partitions (orders-0, orders-1)"]),
        (
            Standing(short=orders(0, 1)),
            Standing(full=orders(0, 1, 2)),
            ["isr_full: ISR full again: 2 partitions (orders-0, orders-1), everywhere"],
        ),
        (
            Standing(short=orders(0, 1)),
            Standing(full=orders(0), short=orders(1)),
            ["isr_full: ISR full again: 1 partition (orders-0); not yet: 1 partition"],
        ),
        # Without a leader there is no ISR: that it was short is no longer told, and not that it is full.
        (Standing(short=orders(0)), Standing(), []),
        (
            Standing(),
            Standing(losses=lost(FIRST, GONE, KEPT)),
            [
                "loss: Records possibly lost: 0 to 120 offsets, 1 partition (orders-0)",
                "loss: Records proven lost: 100 offsets, 1 partition (orders-1)",
            ],
        ),
        (
            Standing(losses=lost(FIRST, FIRST, FIRST, FIRST)),
            Standing(losses=lost(GONE, GONE, KEPT)),
            [
                "verdict: Records possibly lost: now resolved, 1 partition (orders-3)",
                "verdict: Records possibly lost: now no loss observed, 1 partition (orders-2)",
                "verdict: Records possibly lost: now proven lost (200 offsets), 2 partitions (orders-0, orders-1)",
            ],
        ),
        (
            Standing(losses=lost(Verdict("PROVEN_LOSS", 292, 292), Verdict("PROVEN_LOSS", 292, 292))),
            Standing(losses=lost(Verdict("PROVEN_LOSS", 1_723, 1_723), Verdict("PROVEN_LOSS", 292, 292), Verdict("PROVEN_LOSS", 40, 40))),
            [
                "loss: Records proven lost: 40 offsets, 1 partition (orders-2); in all proven lost: 2,055 offsets, 3 partitions",
                "loss: Records proven lost: now 1,723 offsets, were 292 offsets, 1 partition (orders-0); in all proven lost: 2,055 offsets, 3 partitions",
            ],
        ),
        (
            Standing(losses=lost(KEPT)),
            Standing(losses=lost(Verdict("UNDETERMINED"))),
            ["verdict: Records no loss observed: now unknown whether lost (an unknown number of offsets), 1 partition (orders-0)"],
        ),
    ],
)  # fmt: skip
def test_what_changed_is_reported_a_line_each(before, now, told):
    assert [f"{change.kind}: {change.told}" for change in changes(before, now)] == told


def test_a_change_is_json_with_its_time_and_whom_it_concerns():
    (change,) = changes(Standing([crash(1)]), Standing([crash(1, ended="07:33:54")]))
    assert change.as_json() == {
        "kind": "fault_over",
        "told": "Over at 07:33:54: Broker 1 crashed or was killed",
        "ts": "2026-11-21T07:33:54Z",
        "severity": "high",
        "code": "F01",
        "finding_id": "F01-1-07:32:19",
        "broker_ids": [1],
        "partitions": [],
    }


def test_how_things_stand_is_reported_by_the_last_isr_and_the_roots_alone():
    findings = pd.DataFrame(
        [
            ("F01", (1,), at("07:32:19"), at("07:32:19"), None, "high", "killed", "Broker 1 crashed", "a", "root_cause"),
            ("F16", (2,), at("07:33"), None, None, "high", "unclean", "Unclean election", "b", "contributing"),
            ("F08", (3,), at("07:33"), None, None, "low", "failover", "Controller failover", "c", "effect"),
        ],
        columns=["code", "broker_ids", "start_ts", "began_high", "ended_high", "severity", "reason", "title", "finding_id", "role"],
    )  # fmt: skip
    spans = pd.DataFrame(
        [
            ("orders", 0, (1, 2, 3), (1, 2, 3), at("07:32")),
            ("orders", 0, (2, 3), (1, 2, 3), pd.NaT),
            ("orders", 1, (1, 2, 3), (1, 2, 3), pd.NaT),
            ("orders", 2, (1,), None, pd.NaT),
        ],
        columns=["topic", "partition", "isr", "replicas", "end_ts"],
    )
    losses = pd.DataFrame(
        [
            ("orders", 0, 4, "committed", "POSSIBLE_LOSS", 100, 100, 160),
            ("orders", 0, 4, "committed", "PROVEN_LOSS", 200, 240, 240),
            ("orders", 1, 4, "committed", "UNDETERMINED", 7, None, None),
        ],
        columns=["topic", "partition", "leader_epoch", "loss_class", "verdict", "from_offset", "to_offset_low", "to_offset_high"],
    )  # fmt: skip
    stands = standing({"findings": findings, "isr_spans": spans, "losses": losses})
    assert [(fault.title, fault.lasts) for fault in stands.faults] == [
        ("Broker 1 crashed", True),
        ("Unclean election", False),
    ]
    assert (stands.short, stands.full) == (orders(0), orders(1))
    assert stands.losses == lost(Verdict("PROVEN_LOSS", 40, 100), Verdict("UNDETERMINED"))


def test_the_strip_of_a_page_is_replaced_and_taken_off():
    page = "<html>\n<body>\n<p>What happened</p>\n</body>\n"
    first = watched(page, at("07:32").tz_localize("UTC").to_pydatetime(), 60)
    assert 'data-every="60"' in first and "2026-11-21 07:32:00 UTC" in first
    second = watched(first, at("07:33").tz_localize("UTC").to_pydatetime(), 60)
    assert "07:33:00 UTC" in second and "07:32:00" not in second
    assert unwatched(second) == unwatched(page) == page


# --- the loop, without Spark ---------------------------------------------------------------------------------------------


class Judged:
    """Stands for the judging of what came: it notes what that is, and leaves a result that says how things stand."""

    def __init__(self, out: Path) -> None:
        self.out, self.texts, self.fails = out, [], []
        self.stands = Standing()

    def __call__(self, *_: object, news: watching.News, seal: Callable[[Path], None], **__: object) -> str:
        if self.fails:
            raise self.fails.pop(0)
        self.texts.append(
            {one.relative: one.copy.read_bytes()[: one.size].decode() for some in news.texts.values() for one in some}
        )
        laid(self.out, {"report.html": "<html>\n<body>\n</body>\n", "tables/events/x": "", "tables/findings/x": ""})
        seal(self.out)
        return "judged"

    @property
    def page(self) -> str:
        return (self.out / "report.html").read_text()


@pytest.fixture
def judged(tmp_path, monkeypatch) -> Iterator[Judged]:
    judge = Judged(tmp_path / "result")
    monkeypatch.setattr(watching, "append", lambda *given, **options: judge(*given, **options))
    monkeypatch.setattr(
        watching, "made", lambda *given, gather, **options: judge(*given, news=gather.keywords["news"], **options)
    )
    monkeypatch.setattr(watching, "session", lambda *_, **__: object())
    monkeypatch.setattr(watching, "end_session", lambda _: None)
    monkeypatch.setattr(watching, "lent", lambda *_: nullcontext())
    monkeypatch.setattr(watching, "_standing", lambda _: judge.stands)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # another test's command may have left its own
    yield judge
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def logs(tmp_path) -> Path:
    return laid(tmp_path / "logs", {"server.log": short(1)})


def looks_at(logs: Path, judged: Judged, steps: list[Callable[[], object]], **options) -> tuple[list[Look], Ended]:
    """The looks of a watch; after each one of the `steps` is taken, and ctrl-C pressed after the last."""
    looks: list[Look] = []
    left = iter(steps)

    def hear(look: Look) -> None:
        looks.append(look)
        step = next(left, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    ended = watch([str(logs)], judged.out, Options({}), every=0.05, on_look=hear, **options)
    return looks, ended


def more(file: Path, text: str) -> None:
    with file.open("a") as out:
        out.write(text)


def test_each_look_judges_what_came_and_shows_what_changed(logs, judged):
    def crashes() -> None:
        judged.stands = Standing([crash(1)])
        more(logs / "server.log", short(1, 45))

    looks, ended = looks_at(logs, judged, [crashes])
    assert judged.texts == [{"server.log": short(1)}, {"server.log": short(1) + short(1, 45)}]
    assert [[change.told for change in look.changes] for look in looks] == [
        [],
        ["New, high at 07:32:19: Broker 1 crashed or was killed"],
    ]
    assert ended == Ended(looks[-1].as_of, 0)


def test_a_look_without_new_lines_judges_nothing_and_the_page_says_when_it_was(logs, judged):
    marks = []

    def wait() -> None:
        for _ in range(2):
            marks.append(judged.page)
            until = time.monotonic() + 10
            while judged.page == marks[-1] and time.monotonic() < until:
                time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    waiting = threading.Thread(target=wait)
    looks, ended = looks_at(logs, judged, [waiting.start])
    assert len(judged.texts) == len(looks) == 1
    assert marks[0] != marks[1] and all("watched" in mark for mark in marks)
    assert ended.as_of > looks[0].as_of


def test_the_page_of_a_watch_that_has_ended_loads_itself_again_no_more(logs, judged):
    looks_at(logs, judged, [])
    assert "watched" not in judged.page


def test_a_look_that_fails_says_why_and_the_next_one_makes_up_for_it(logs, judged):
    judged.fails = [OutputError("no room"), ValueError("a bug")]
    looks, _ = looks_at(logs, judged, [lambda: None, lambda: None])
    assert looks[0].fault == "no room"
    assert looks[1].fault is not None and looks[1].fault.startswith(
        "a fault of this program: a bug; the whole trace is"
    )
    assert (looks[2].fault, judged.texts) == (None, [{"server.log": short(1)}])


def test_a_java_that_died_is_left_behind_and_the_next_look_starts_another(logs, judged, monkeypatch):
    started, ended = [], []
    java = SimpleNamespace(process=SimpleNamespace(poll=lambda: None if judged.texts else -9))
    monkeypatch.setattr(watching, "session", lambda *_, **__: started.append(object()) or started[-1])
    monkeypatch.setattr(watching, "end_session", ended.append)
    monkeypatch.setattr(watching, "java_process", lambda: java)
    monkeypatch.setattr(watching.SparkSession, "getActiveSession", lambda: None)
    judged.fails = [OutputError("no answer")]
    looks, _ = looks_at(logs, judged, [lambda: None])
    assert [look.fault for look in looks] == ["no answer", None]
    assert len(started) == 2
    assert ended == started  # the second as the watch ends


def test_a_session_whose_java_was_killed_is_ended_whole(monkeypatch):
    """PySpark gives up half way, and would hold the context for one that lives."""
    stops = []

    def fails() -> None:
        stops.append("session")
        raise Py4JNetworkError

    for owner, name in (
        (SparkContext, "_gateway"), (SparkContext, "_jvm"), (SparkSession, "_instantiatedSession"), (SparkSession, "_activeSession")
    ):  # fmt: skip
        monkeypatch.setattr(owner, name, None)
    monkeypatch.setattr("pipelines.session._java", [])
    end_session(SimpleNamespace(stop=fails, sparkContext=SimpleNamespace(stop=lambda: stops.append("context"))))
    assert stops == ["session", "context"]


def test_the_last_look_takes_half_a_line(logs, judged):
    more(logs / "server.log", "half")
    looks: list[Look] = []
    ended = watch([str(logs)], judged.out, Options({}), every=0.2, lasts=0.5, on_look=looks.append)
    assert judged.texts == [{"server.log": short(1)}, {"server.log": short(1) + "half"}]
    assert ended == Ended(looks[-1].as_of, 0)


def test_lines_that_came_after_the_last_look_are_reported_at_the_end(logs, judged):
    def hear(look: Look) -> None:
        more(logs / "server.log", short(1, 45))
        raise KeyboardInterrupt

    ended = watch([str(logs)], judged.out, Options({}), every=1, on_look=hear)
    assert ended.left == len(short(1, 45))


def test_a_watch_of_pipes_ends_with_them(tmp_path, judged, monkeypatch):
    read, write = os.pipe()
    os.write(write, short(1).encode() + b"half")
    os.close(write)
    looks: list[Look] = []
    watch([f"/dev/fd/{read}"], judged.out, Options({}), every=30, on_look=looks.append)
    os.close(read)
    assert judged.texts[-1] == {f"pipe-{read}": short(1) + "half"}


def test_a_result_that_is_there_is_gone_on_with_or_refused(tmp_path, logs, judged):
    laid(judged.out, {"notes.txt": "mine"})
    with pytest.raises(OutputError, match="exists and is not empty"):
        watch([str(logs)], judged.out, Options({}), every=1)
    (judged.out / "notes.txt").unlink()
    laid(judged.out, {"tables/events/x": "", "tables/findings/x": ""})
    with pytest.raises(InputError, match="keeps no records: an earlier release made it, or it was copied without them"):
        watch([str(logs)], judged.out, Options({}), every=1)


def test_a_second_watch_into_the_same_folder_is_refused_and_a_later_one_goes_on(tmp_path, logs, judged):
    out = tmp_path / "out"
    with held_alone(tmp_path / "x" / ".." / "out") as is_held:
        assert is_held
        with pytest.raises(OutputError, match="another watch writes there; give another --out"):
            watch([str(logs)], out, Options({}), every=1, lasts=0)
        with held_alone(tmp_path / "other") as is_held:
            assert is_held
    assert not out.exists()
    assert watch([str(logs)], out, Options({}), every=1, lasts=0).as_of is not None


def test_what_cannot_be_followed_is_refused_at_once(tmp_path, logs):
    for path, why in (("s3a://logs/today", "a URL cannot be followed"), (tmp_path / "none", "no such file or folder")):
        with pytest.raises(InputError, match=why):
            watch([str(path)], tmp_path / "result", Options({}), every=1)
    with pytest.raises(InputError, match="zone"):
        watch([str(logs)], tmp_path / "result", Options({}, timezone="Nowhere"), every=1)


# --- the command ---------------------------------------------------------------------------------------------------------

LOOKED = datetime(2026, 11, 21, 7, 34, tzinfo=UTC)
ENDED = Ended(LOOKED)
OVER = Change(
    "fault_over", "Over at 07:33:54: Broker 1 crashed or was killed", at("07:33:54"), "high", "F01", "x", (1,)
)


@pytest.fixture
def command(monkeypatch, capfd) -> Iterator[Callable[..., tuple[int, str, str]]]:
    """Runs `watch` over looks that are given; its exit status, standard output and standard error."""

    def run(*arguments: str, looks: list[Look], ended: Ended = ENDED) -> tuple[int, str, str]:
        def watch_(*_: object, on_look: Callable[[Look], None], **__: object) -> Ended:
            for look in looks:
                on_look(look)
            return ended

        monkeypatch.setattr(watching, "watch", watch_)
        monkeypatch.setattr(sys, "argv", ["kafka-replay", "watch", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capfd.readouterr()
        return stopped.value.code, said.out, said.err

    yield run


def test_the_command_prints_what_changed_and_how_the_watch_ended(command):
    looks = [Look(LOOKED, 41.2, 3_100_000, [OVER]), Look(LOOKED, 2, fault="no room")]
    assert command("logs", "--out", "result", looks=looks, ended=Ended(LOOKED, 2_400)) == (
        0,
        "2026-11-21 07:34:00  Over at 07:33:54: Broker 1 crashed or was killed\n",
        "2026-11-21 07:34:00: 3.1 MB more, analyzed in 41 s: 1 change\n"
        "Open result/report.html\n"
        "2026-11-21 07:34:00: not analyzed: no room\n"
        "The watch has ended. The result in result is as of 2026-11-21 07:34:00 UTC.\n"
        "2.4 kB of new data are not in it: kafka-replay append result logs\n",
    )


def test_a_change_is_json_on_standard_output_and_for_a_command(command, tmp_path):
    heard = tmp_path / "heard"
    looks = [Look(LOOKED, 41.2, 10, [OVER])]
    _, out, err = command("logs", "--json", "--quiet", "--on-change", f"cat >> {heard}", looks=looks)
    told = {"as_of": "2026-11-21T07:34:00Z", **OVER.as_json()}
    assert json.loads(out) == json.loads(heard.read_text()) == told
    assert err == "The watch has ended. The result in kafka-replay-result is as of 2026-11-21 07:34:00 UTC.\n"


def test_a_command_that_fails_stops_nothing(command):
    looks = [Look(LOOKED, 1, 10, [OVER, OVER])]
    code, out, err = command("logs", "--quiet", "--on-change", "exit 7", looks=looks)
    assert (code, len(out.splitlines())) == (0, 2)
    assert err.count("kafka-replay: --on-change: exit status 7\n") == 2


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "nothing to watch"),
        (("logs", "--every", "soon"), "not a time like"),
        (("logs", "--for", "0"), "not a time"),
    ],
)
def test_wrong_usage_is_reported(command, arguments, why):
    code, _, err = command(*arguments, looks=[])
    assert code == 2 and why in err


# --- with Spark ----------------------------------------------------------------------------------------------------------


def test_a_watch_ends_with_the_tables_of_one_run_over_all_files(spark, result_of, tmp_path, monkeypatch):
    """The classic example of leader epochs comes in two parts: one log is cut in mid-line, and rotated then."""
    given, folder, out = TRACE / "input", tmp_path / "given", tmp_path / "result"
    files = {str(file.relative_to(given)): file.read_text() for file in given.rglob("*") if file.is_file()}
    name = max((name for name in files if name.endswith("server.log")), key=lambda name: len(files[name]))
    half = len(files[name]) // 2
    first = {name: files[name][:half]} | {other: files[other] for other in sorted(files)[:3] if other != name}
    laid(folder, first)
    looks: list[Look] = []
    pages: list[str] = []

    def hear(look: Look) -> None:
        looks.append(look)
        if look.fault is not None:
            return
        pages.append((out / "report.html").read_text())
        if len(pages) == 1:
            (folder / name).rename(folder / f"{name}.1")
            more(folder / f"{name}.1", files[name][half:])
            (folder / f"{name}.1").rename(folder / name)
            laid(folder, {other: text for other, text in files.items() if other not in first})
        elif len(pages) == 2:
            raise KeyboardInterrupt

    real, failed = watching.append, []

    def append_(*given: object, **options: object) -> object:
        if not failed:
            failed.append(True)
            raise OutputError("no room")
        return real(*given, **options)

    monkeypatch.setattr(watching, "append", append_)
    ended = watch([str(folder)], out, Options({}), every=1, on_look=hear)
    assert [look.fault for look in looks] == [None, "no room", None]
    assert ended == Ended(looks[-1].as_of, 0)
    assert all('class="watched"' in page for page in pages)
    assert 'class="watched"' not in (out / "report.html").read_text()
    for table in TABLES:
        assert rows_of(out, table.name) == rows_of(result_of(TRACE), table.name), table.name
