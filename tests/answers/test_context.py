"""The records before and after a line of evidence: in the terminal and for the page."""

import json
from random import Random

import pandas as pd
import pytest
from click.testing import CliRunner

from pipelines import result as results
from pipelines.answers.context import runs
from pipelines.cli import main_group
from pipelines.result import Result
from replay.errors import InputError
from tests.answers.small_result import write
from tests.each import for_each
from viz.frames import tidy
from viz.markup import context

OTHER_FILE, LAST = "node-2/server.log", 40


def _event(file: str, line: int) -> dict[str, object]:
    stamp = f"07:31:{line:02}"
    return {
        "event_id": f"{file}:{line}",
        "ts": stamp,
        "raw_ts": stamp,
        "source_file": file,
        "line_number": line,
        "node_id": 1,
        "level": "INFO",
        "message": f"says {line}",
    }


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """Every second line of a file was recognized: 2, 4, …, 40; of another file one."""
    events = [_event("node-1/server.log", line) for line in range(2, LAST + 1, 2)]
    return write(tmp_path_factory.mktemp("context") / "result", events=[*events, _event(OTHER_FILE, 5)])


def _runs(result, places, count):
    found = runs(Result(result).read, [f"node-1/server.log:{line}" for line in places], count)
    return [[int(event.rpartition(":")[2]) for event in run] for run in found]


@for_each(
    ("places", "count", "expected"),
    [
        ([10], 2, [[6, 8, 10, 12, 14]]),
        ([10], 0, [[10]]),
        ([2, 40], 1, [[2, 4], [38, 40]]),  # no neighbors beyond the ends of the file
        ([10, 12], 1, [[8, 10, 12, 14]]),  # runs that overlap
        ([10, 16], 1, [[8, 10, 12, 14, 16, 18]]),  # runs that touch
        ([], 3, []),
        ([11], 3, []),  # not recognized
    ],
)
def test_a_run_has_the_recognized_neighbors_in_the_same_file(result, places, count, expected):
    assert _runs(result, places, count) == expected


def test_a_run_is_the_same_however_few_rows_are_read_at_once(tmp_path, monkeypatch):
    """The rows of each file stand anywhere among those of the others, as Spark's workers write them."""
    random = Random(72)
    places = [(file, line) for file in ("a.log", "b.log", "c.log") for line in random.sample(range(1, 200), 60)]
    random.shuffle(places)
    folder = Result(
        write(tmp_path / "result", events=[_event(file, line % 60) | _at(file, line) for file, line in places])
    )
    for _ in range(30):
        wanted = random.sample(places, random.randint(1, 9))
        count, rows = random.randint(0, 4), random.choice([1, 2, 7, 50, 1_000])
        monkeypatch.setattr(results, "_ROWS_AT_ONCE", rows)
        found = runs(folder.read, [f"{file}:{line}" for file, line in wanted], count)
        assert found == _plain_runs(places, wanted, count), (wanted, count, rows)


def _at(file: str, line: int) -> dict[str, object]:
    return {"event_id": f"{file}:{line}", "line_number": line}


def _plain_runs(places, wanted, count) -> list[list[str]]:
    """The runs, from a look at all records of each file."""
    found = []
    for file in sorted({file for file, _ in wanted}):
        lines = sorted(line for name, line in places if name == file)
        own = [lines.index(line) for name, line in wanted if name == file]
        near = [any(abs(number - place) <= count for place in own) for number in range(len(lines))]
        for number, line in enumerate(lines):
            if near[number]:
                if not (number and near[number - 1]):
                    found.append([])
                found[-1].append(f"{file}:{line}")
    return found


def test_no_more_rows_than_are_read_at_once_are_in_memory_before_they_are_reduced(result, monkeypatch):
    monkeypatch.setattr(results, "_ROWS_AT_ONCE", 4)
    sizes = []

    def first_of(some):
        sizes.append(some.num_rows)
        return some.slice(0, 1)

    files = [("source_file", "in", ["node-1/server.log", OTHER_FILE])]
    kept = Result(result).read("events", ["line_number"], files, first_of)
    assert max(sizes) <= 4
    assert (sum(sizes), kept.num_rows, kept.column_names) == (LAST // 2 + 1, len(sizes), ["line_number"])


def _lines(*arguments):
    done = CliRunner().invoke(main_group, ["lines", *map(str, arguments)])
    return done.exception, done.output.splitlines()


def test_the_terminal_marks_the_line_between_its_neighbors(result):
    error, told = _lines(result, "--line", f"node-1/server.log:10,{OTHER_FILE}:5", "--context", 1)
    assert error is None
    assert [line if line == "--" else (line[0], line.rpartition(" ")[2]) for line in told] == [
        (">", f"{OTHER_FILE}:5"),
        "--",
        (" ", "node-1/server.log:8"),
        (">", "node-1/server.log:10"),
        (" ", "node-1/server.log:12"),
    ]


def test_json_has_the_same_records_one_an_object(result):
    _, told = _lines(result, "--line", "node-1/server.log:10", "--context", 1, "--json")
    assert [json.loads(line)["line_number"] for line in told] == [8, 10, 12]


def test_a_line_without_a_record_and_logs_without_a_result_are_refused(result, tmp_path):
    error, _ = _lines(result, "--line", "node-1/server.log:11")
    assert isinstance(error, InputError)
    assert "node-1/server.log:11" in str(error)
    (tmp_path / "server.log").write_text("[2026-11-21 07:31:00,000] INFO started (kafka.server.KafkaServer)\n")
    error, _ = _lines(tmp_path / "server.log", "--context", 2)
    assert isinstance(error, InputError)
    assert "need a result" in str(error)


def test_the_page_has_the_place_of_each_line_in_its_run():
    rows = [
        (run, file, line, line == 10, pd.Timestamp("2026-11-21 07:31:00"), "INFO", f"says {line}")
        for run, file, line in [(1, "b.log", 10), (0, "a.log", 8), (0, "a.log", 10), (0, "a.log", 12)]
    ]
    columns = ["run", "source_file", "line_number", "is_named", "ts", "level", "message"]
    assert context(tidy(pd.DataFrame(rows, columns=columns), "context")) == {
        "runs": [
            [[8, "07:31:00.000 INFO says 8"], [10, "07:31:00.000 INFO says 10"], [12, "07:31:00.000 INFO says 12"]],
            [[10, "07:31:00.000 INFO says 10"]],
        ],
        "places": {"a.log:10": [0, 1], "b.log:10": [1, 0]},
    }
