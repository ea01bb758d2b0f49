"""`--since`, `--until`: what of the files is left to read. Small logs in, the lines that are left out."""

from __future__ import annotations

import gzip
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pipelines import window
from pipelines.answers.times import moment
from pipelines.append import append
from pipelines.found_files import Inputs, Source
from pipelines.incident import Zones, parsed_here, replayed_here
from pipelines.inputs import gather
from pipelines.main_job import analyze
from pipelines.memory_store import MemoryStore
from pipelines.window import Asked, Log, cut, in_window
from replay.errors import InputError
from replay.facts.window import TimeWindow
from tests.golden import TRACES
from tests.test_append import result_of as kept_result
from tests.test_inputs import laid

DAY = "2026-11-21"


def line(time: str, said: str = "Said something (kafka.server.KafkaServer)", level: str = "INFO") -> str:
    return f"[{DAY} {time},000] {level} {said}\n"


START = (
    line(
        "05:00:00", "Registered signal handlers for TERM, INT, HUP (org.apache.kafka.common.utils.LoggingSignalHandler)"
    )
    + line("05:00:01", "KafkaConfig values: ")
    + "\tbroker.id = 1\n\tmin.insync.replicas = 2\n"
    + line("05:00:02", "Kafka version: 2.8.2 (org.apache.kafka.common.utils.AppInfoParser)")
    + line("05:00:05", "[KafkaServer id=1] started (kafka.server.KafkaServer)")
)
LEADER = "[Broker id=1] Leader orders-0 starts at leader epoch {0} from offset 7 with high watermark 7 ISR 1,2,3 addingReplicas  removingReplicas . Previous leader epoch was 2. (state.change.logger)"
SERVER = (
    START
    + line("06:00:00")
    + line("07:24:59", "Last before")
    + line("07:25:00", "First")
    + line("07:40:00", "Failed", "ERROR")
)
SERVER += (
    "java.io.IOException: gone\n\tat kafka.Kafka.main(Kafka.scala)\n" + line("08:10:00", "Next") + line("09:00:00")
)
STATES = line("05:10:00", LEADER.format(3)) + line("06:10:00", LEADER.format(4)) + line("07:30:00", LEADER.format(5))


@pytest.fixture
def windowed(tmp_path):
    """What is left of files, read from and to a time."""
    turns = iter(range(100))

    def run(files: dict[str, str | bytes], since: str | None, until: str | None, **options) -> Inputs:
        number = next(turns)
        folder = laid(tmp_path / f"in-{number}" / "in", files)
        read = in_window(gather, Asked(since, until, options.get("tz")), options.get("zones", Zones()))
        return read([folder], {}, tmp_path / f"work-{number}")

    return run


def left(inputs: Inputs) -> list[str]:
    """The lines that are left, each with file and number, and how it ends."""
    return [
        f"{source.source_file}:{number} {text[12:20] if text.startswith('[') else text.strip()[:8]}"
        for source in sorted(inputs.sources, key=lambda source: (source.source_file, source.first_line))
        for number, text in enumerate(source.path.read_text().split("\n"), source.first_line)
        if text
    ]


def test_the_window_is_left_with_what_it_needs_of_before_and_the_next_line_after(windowed):
    found = windowed({"node-1/server.log": SERVER, "node-1/state-change.log": STATES}, "07:25", "08:10")
    assert left(found) == [
        "node-1/server.log:1 05:00:00",
        "node-1/server.log:2 05:00:01",
        "node-1/server.log:3 broker.i",
        "node-1/server.log:4 min.insy",
        "node-1/server.log:5 05:00:02",
        "node-1/server.log:6 05:00:05",
        "node-1/server.log:7 06:00:00",
        "node-1/server.log:8 07:24:59",
        "node-1/server.log:9 07:25:00",
        "node-1/server.log:10 07:40:00",
        "node-1/server.log:11 java.io.",
        "node-1/server.log:12 at kafka",
        "node-1/server.log:13 08:10:00",
        "node-1/state-change.log:2 06:10:00",
        "node-1/state-change.log:3 07:30:00",
    ]
    assert found.remarks[0] == (
        "The window",
        "from 2026-11-21 07:15:00 to 08:10:00 UTC was read of the logs, 10 minutes more than requested, because what "
        "happens in a window may have begun before it, and of the time before it the last start of 1 process, with its "
        "settings and the last state of 1 partition",
    )
    assert found.window == TimeWindow(
        datetime(2026, 11, 21, 7, 15, tzinfo=UTC), datetime(2026, 11, 21, 8, 10, tzinfo=UTC)
    )


def test_files_outside_are_not_read_but_for_what_is_needed(windowed):
    rolled = {
        "node-1/server.log.2026-11-21-04": line("04:00:00"),
        "node-1/server.log.2026-11-21-05": START + line("05:30:00"),
        "node-1/server.log.2026-11-21-06": line("06:00:00") + line("06:59:59"),
        "node-1/server.log.2026-11-21-07": line("07:00:00") + line("07:30:00"),
        "node-1/server.log.2026-11-21-08": line("08:00:00") + line("08:30:00"),
        "node-1/server.log": line("09:00:00") + line("09:30:00"),
    }
    found = windowed(rolled, "07:00", "08:00")
    assert found.set_aside == [
        ("node-1/server.log", "lies outside the window: not read"),
        ("node-1/server.log.2026-11-21-04", "lies outside the window: not read"),
    ]
    assert [text.name for text in found.taken.texts] == [
        f"node-1/server.log.2026-11-21-0{hour}" for hour in (5, 6, 7, 8)
    ]
    assert [text for text in left(found) if "-05:" not in text] == [
        "node-1/server.log.2026-11-21-06:1 06:00:00",
        "node-1/server.log.2026-11-21-06:2 06:59:59",
        "node-1/server.log.2026-11-21-07:1 07:00:00",
        "node-1/server.log.2026-11-21-07:2 07:30:00",
        "node-1/server.log.2026-11-21-08:1 08:00:00",
    ]
    assert len([text for text in left(found) if "-05:" in text]) == 6
    assert len(found.files()) == 6


def test_a_file_of_nobody_known_is_read_to_be_judged_and_a_day_is_reported_by_all_files(windowed):
    """Whose it is may be told by another file; and the next line of its node may be its only one."""
    files = {"server.log.1": line("05:00:00"), "server.log.2": line("09:00:00"), "server.log.3": line("10:00:00")}
    found = windowed({**files, "server.log": line("07:30:00")}, "07:00", "08:00")
    assert found.set_aside == []
    yesterday = {"node-1/server.log.1": line("05:00:00").replace(DAY, "2026-11-20")}
    with pytest.raises(InputError, match="07:00: the logs span several days"):
        windowed({**yesterday, "node-1/server.log": line("09:00:00")}, "07:00", None)


@pytest.mark.parametrize(
    ("since", "until", "numbers"),
    [("08:00", None, [13, 14]), (None, "05:00:02", [1, 2, 3, 4])],
)
def test_a_window_may_be_open_at_one_end(windowed, since, until, numbers):
    """No line names a node, so nothing is taken of the time around."""
    found = windowed({"server.log": SERVER.replace("KafkaServer id=1", "KafkaServer")}, since, until)
    assert [int(text.split(":")[1].split()[0]) for text in left(found)] == numbers
    assert not found.window.has_borders


def test_compressed_logs_are_cut_as_others(windowed):
    plain = windowed({"node-1/server.log": SERVER}, "07:25", "08:10")
    packed = windowed({"node-1/server.log.gz": gzip.compress(SERVER.encode())}, "07:25", "08:10")
    assert [text.partition(":")[2] for text in left(packed)] == [text.partition(":")[2] for text in left(plain)]


def test_times_are_in_the_zones_of_the_question_and_of_the_stamps(windowed):
    files = {"node-1/server.log": SERVER}
    wanted = left(windowed(files, "07:25", "08:10"))
    assert left(windowed(files, "08:25", "09:10", tz="+01:00")) == wanted
    assert left(windowed(files, "06:25", "07:10", zones=Zones("+01:00"))) == wanted
    assert left(windowed(files, "2026-11-21T02:25-05:00", f"{DAY} 08:10")) == wanted


@pytest.mark.parametrize(
    ("since", "until", "why"),
    [
        ("08:10", "07:25", "--since 08:10 is not before --until 07:25"),
        ("07:25", "07:25", "--since 07:25 is not before --until 07:25"),
        ("soon", None, "soon: not a time; give one like 07:32"),
        (
            "10:00",
            None,
            "--since 10:00: no line lies in that time; the files span 2026-11-21 05:00:00.000 to 09:00:00.000 UTC",
        ),
        (f"{DAY}T08:20", f"{DAY}T08:30", f"--since {DAY}T08:20 --until {DAY}T08:30: no line lies in that time"),
    ],
)
def test_a_window_that_is_none_is_refused_in_one_line(windowed, since, until, why):
    with pytest.raises(InputError, match=f"^{why}"):
        windowed({"node-1/server.log": SERVER}, since, until)


def test_a_zone_that_is_none_is_refused_before_anything_is_read():
    with pytest.raises(InputError, match="no such time zone"):
        Asked("07:25", None, "Middle/Earth")


def test_a_node_that_shares_a_file_has_no_border(windowed):
    shared = line("06:00:00", "[KafkaServer id=5] started (kafka.server.KafkaServer)")
    shared += line("06:00:01", "[KafkaServer id=6] started (kafka.server.KafkaServer)") + line("07:30:00")
    found = windowed({"logs/server.log": shared}, "07:00", None)
    assert left(found) == ["logs/server.log:3 07:30:00"]
    assert not found.window.has_borders


def rotated(chance: random.Random) -> dict[str, str]:
    """The logs of two nodes, rotated at random, with starts and states among their lines."""
    files: dict[str, str] = {}
    for node in (1, 2):
        for log in ("server.log", "state-change.log"):
            times = sorted(chance.sample(range(86_400), 60))
            cuts = sorted(chance.sample(range(1, 60), 7))
            for number, (begin, end) in enumerate(zip([0, *cuts], [*cuts, 60], strict=True)):
                name = f"node-{node}/{log}" + (f".{7 - number}" if number < 7 else "")
                files[name] = "".join(
                    line(
                        f"{time // 3600:02d}:{time // 60 % 60:02d}:{time % 60:02d}",
                        LEADER.format(time).replace("id=1", f"id={node}")
                        if log != "server.log"
                        else f"[KafkaServer id={node}] starting (kafka.server.KafkaServer)"
                        if chance.random() < 0.1
                        else "Said something (kafka.server.KafkaServer)",
                    )
                    for time in times[begin:end]
                )
    return files


def test_what_is_left_out_unread_is_what_reading_all_would_leave_out(tmp_path):
    unread = 0
    for seed in range(15):
        chance = random.Random(seed)
        folder = laid(tmp_path / f"in-{seed}" / "in", rotated(chance))
        begin = chance.randrange(22)
        asked = Asked(f"{DAY}T{begin:02d}:10", f"{DAY}T{begin + 1:02d}:30")
        whole = cut(gather([folder], {}, tmp_path / f"whole-{seed}"), asked, Zones())
        read = in_window(gather, asked, Zones())([folder], {}, tmp_path / f"read-{seed}")
        assert (left(read), read.window, read.remarks) == (left(whole), whole.window, whole.remarks), seed
        unread += len(read.set_aside)
    assert unread > 100


def test_later_files_go_into_the_window_of_a_result(tmp_path, monkeypatch):
    """A log that has grown stands for what it was; of a new one what lies in the window counts, and what that needs."""
    turns = iter(range(9))
    monkeypatch.setattr(
        "pipelines.append.made",
        lambda job, *, gather, **_: gather(job.inputs, {}, tmp_path / f"work-{next(turns)}"),
    )
    folder = laid(tmp_path / "in", {"node-1/server.log": START + line("06:00:00") + line("07:30:00")})
    first = in_window(gather, Asked("07:25", "08:10"), Zones())([folder], {}, tmp_path / "first")
    out = kept_result(first, tmp_path / "out")
    second = {"node-2/server.log": SERVER.replace("id=1", "id=2").replace("broker.id = 1", "broker.id = 2")}
    laid(folder, {**second, "node-2/server.log.9": line("10:00:00"), "node-2/state-change.log.1": line("04:00:00")})
    with (folder / "node-1" / "server.log").open("a") as log:
        log.write(line("08:00:00") + line("08:20:00") + line("08:30:00"))
    added = append(out, [str(folder)])
    whole = in_window(gather, Asked("07:25", "08:10"), Zones())([folder], {}, tmp_path / "whole")
    assert (left(added), added.window) == (left(whole), first.window)
    assert ("The window", "from 2026-11-21 07:15:00 to 08:10:00 UTC holds for the new files too") in added.remarks
    assert set(added.set_aside) == {
        (name, "lies outside the window: not read") for name in ("node-2/server.log.9", "node-2/state-change.log.1")
    }
    (after := tmp_path / "after").mkdir()
    (after / "controller.log").write_text(line("09:00:00", "[KafkaServer id=3] started (kafka.server.KafkaServer)"))
    with pytest.raises(
        InputError,
        match=r"^the result covers only the time from 2026-11-21 07:15:00 to 08:10:00 UTC, and the new files have no "
        r"line in it; they span 2026-11-21 09:00:00.000 to 09:00:00.000 UTC$",
    ):
        append(out, [str(after)])


SPANS = {
    "leader_epochs": ["leader_epoch", "leader_id", "epoch_start_offset"],
    "isr_spans": ["leader_epoch", "partition_epoch", "leader_id", "isr"],
}


def reaching_into(result: Path, name: str, since: pd.Timestamp) -> list[str]:
    """The rows of a table that were not over before a time, each with its end, and its begin if that is not before."""
    frame = pd.read_parquet(result / "tables" / name)
    begin, end = (pd.to_datetime(frame[column], utc=True) for column in ("start_ts", "end_ts"))
    told = frame[SPANS[name]].assign(begin=begin.where(begin >= since), end=end)[end.isna() | (end > since)]
    return sorted(" ".join(str(list(v) if hasattr(v, "tolist") else v) for v in row) for row in told.to_numpy())


def test_a_window_has_the_results_of_a_run_over_all_logs_for_its_time(spark, result_of, tmp_path):
    """Where a leader epoch is cut by it, its leader is told by what is taken of the time before; when it began may have been
    told by a process that was started anew since.
    """
    trace = TRACES / "leader-epochs-by-hand"
    whole, out, since = result_of(trace), tmp_path / "out", pd.Timestamp("2018-08-01T10:00:41.2Z")
    analyze([str(trace / "input")], out, since="10:00:41.200")
    for name in SPANS:
        told = reaching_into(out, name, since)
        assert told == reaching_into(whole, name, since) and told, name


LOSS = ("topic", "partition", "ts", "verdict", "from_offset", "to_offset_low", "to_offset_high")
ELECTION = ("topic", "partition", "ts", "leader_epoch", "old_leader_id", "new_leader_id", "elected_from", "trigger")
SERVED = ("topic", "partition", "acks", "state", "reason", "start_ts", "end_ts")
SIZE = ("before_low", "before_high", "after_low", "after_high")


def told_here(folder: Path, work: Path, since: datetime | None = None) -> dict[str, list[dict[str, Any]]]:
    """The losses, elections and availability of a run in this process."""
    read = gather if since is None else in_window(gather, Asked(f"{since:%Y-%m-%dT%H:%M:%S}"), Zones())
    work.mkdir()
    store = MemoryStore()
    replayed_here(parsed_here(read([folder], {}, work), store, Zones()), store)
    return {name: store.columns(name).to_pylist() for name in ("losses", "elections", "availability")}


def of_time(told: dict[str, list[dict[str, Any]]], since: datetime) -> set[tuple[Any, ...]]:
    """What they say about the time from `since` on."""
    return {
        *(tuple(row[name] for name in (*LOSS, *SIZE)) for row in told["losses"] if row["ts"] and row["ts"] >= since),
        *(tuple(row[name] for name in ELECTION) for row in told["elections"] if row["ts"] >= since),
        *(
            tuple(max(row[name], since) if name == "start_ts" else row[name] for name in SERVED)
            for row in told["availability"]
            if row["end_ts"] is None or row["end_ts"] > since
        ),
    }


@pytest.mark.parametrize("at", ["last election", pytest.param("middle", marks=pytest.mark.nightly)])
def test_what_happens_in_a_window_has_the_verdict_of_the_whole_run(tmp_path, monkeypatch, at):
    """Every trace, cut at its last election or in the middle of what its partitions went through, with a lead-in that is shorter than what went before."""
    monkeypatch.setattr(window, "LEAD_IN", timedelta(seconds=60))
    wrong, cuts = [], 0
    for trace in sorted(path.parent for path in TRACES.glob("*/input")):
        whole = told_here(trace / "input", tmp_path / trace.name)
        elected = sorted(row["ts"] for row in whole["elections"])
        served = sorted(row["start_ts"] for row in whole["availability"])
        for one in elected[-1:] if at == "last election" else served[len(served) // 2 :][:1]:
            moment_ = one.replace(microsecond=0)
            got = of_time(told_here(trace / "input", tmp_path / f"{trace.name}-cut", moment_), moment_)
            expected = of_time(whole, moment_)
            cuts += 1
            if got != expected:
                wrong.append((trace.name, moment_, sorted(map(str, got - expected)), sorted(map(str, expected - got))))
    assert not wrong, wrong[0]
    assert cuts > 15


# The search


def log_of(file: Path, times: list[int], chance: random.Random) -> Log:
    """A log with a record at each of these seconds, some with a stack trace of up to 100 KB under them."""
    texts = []
    for time in times:
        texts.append(line(f"{time // 3600:02d}:{time // 60 % 60:02d}:{time % 60:02d}"))
        if chance.random() < 0.1:
            texts.append("\tat kafka.Kafka.main(Kafka.scala)\n" * chance.choice((1, 30, 900)))
    file.write_text("".join(texts))
    return Log(Source("000000", file, "server.log", "default"))


def test_the_search_finds_what_reading_line_by_line_finds(tmp_path):
    for seed in range(12):
        chance = random.Random(seed)
        times = sorted(chance.choices(range(20_000), k=chance.choice((1, 5, 400))))
        log = log_of(tmp_path / "log", times, chance)
        with log.source.path.open("rb") as file:
            every = list(log.records(file, 0))
            for second in [0, 20_001, *chance.choices(range(20_000), k=5)]:
                wanted = moment(f"{DAY}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}", UTC, None)
                time = wanted.value // 1_000
                first = next((one.at for one in every if one.time >= time), log.size)
                assert log.at(time) == first, (seed, second)
                assert log.before(file, first) == next((one for one in reversed(every) if one.at < first), None)
        assert [log.first, log.last] == [every[0], every[-1]]


def test_a_search_reads_little_of_a_large_file(tmp_path):
    class Counted(Log):
        read = 0

        def records(self, *where):
            for found in super().records(*where):
                Counted.read += 1
                yield found

    file = tmp_path / "log"
    file.write_text("".join(line(f"{n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d}") for n in range(40_000)))
    at = Counted(Source("000000", file, "server.log", "default")).at(moment(f"{DAY}T05:00", UTC, None).value // 1_000)
    assert file.read_bytes()[at:].startswith(b"[2026-11-21 05:00:00,000]")
    assert Counted.read < 2_000
