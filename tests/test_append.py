"""Later files into a finished result: the same as one run over all files, or a refusal; never something else."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.append import _options, append, together
from pipelines.cli import main
from pipelines.found_files import Earlier, Inputs
from pipelines.held_files import Handles
from pipelines.incident import Zones
from pipelines.inputs import gather, taken
from pipelines.kept_records import keep, keep_none, kept
from pipelines.main_job import analyze
from pipelines.reading import with_earlier
from pipelines.store import RECORDS
from replay.errors import InputError, OutputError
from replay.tables import TABLES
from tests.golden import TRACES
from tests.tables import table
from tests.test_inputs import LOG, SHORT, laid

TRACE = TRACES / "leader-epochs-by-hand"
SILENT = SHORT.replace("[KafkaServer id=1] ", "")


def short(node: int, second: int = 44) -> str:
    return SHORT.replace("id=1", f"id={node}").replace("34:44", f"34:{second}")


CLUSTER: dict[str, str | bytes] = {
    "node-1/server.log": LOG,
    "node-1/log-cleaner.log": SILENT,
    "node-1/data/meta.properties": "node.id=1\ncluster.id=aaa\n",
    "a/server.log": short(2),
    "a/log-cleaner.log": SILENT.replace("34:44", "34:45"),
    "a/gc/silent.log": SILENT.replace("34:44", "34:46"),
    "b/server.log": short(3),
    "b/controller.log": SILENT.replace("34:44", "34:47"),
    "c/server.log": short(3, 50),
    "logs/server.log": short(5) + short(6),
    "logs/controller.log": short(5, 48),
    "logs/state-change.log": SILENT.replace("34:44", "34:49"),
    "compose.log": f"kafka-7  | {SILENT}kafka-8  | {SILENT}zoo      | 2026-11-21 05:34:44,001 [myid:1] - INFO  [main:QuorumPeerConfig@136] - Reading configuration\n",
    "notes.md": "what we saw\n",
    "empty.log": "",
}


def result_of(inputs: Inputs, out: Path) -> Path:
    """A result as an analysis of `inputs` leaves it, but for its tables."""
    shutil.rmtree(out, ignore_errors=True)
    for folder in ("tables/events", "tables/findings", f"{RECORDS}/printed"):
        (out / folder).mkdir(parents=True)
        pq.write_table(pa.table({"source_file": pa.array([], pa.string())}), out / folder / "part.parquet")
    keep(out, inputs, ["given"], None, Zones())
    return out


@pytest.fixture
def added(tmp_path) -> Callable[..., Inputs]:
    """What all files show after some are added to `before`, and the result `out` that is left of them."""
    turns = iter(range(10_000))

    def run(before: Inputs | Path, *paths: Path, **options) -> Inputs:
        out = before if isinstance(before, Path) else result_of(before, tmp_path / "out")
        had = kept(out)
        found = taken(list(paths), {}, tmp_path / f"added-{next(turns)}", earlier=had.taken, **options)
        return together(had, found, "new")

    return run


def shown(inputs: Inputs) -> dict[str, object]:
    """All that is made of the files together, without the order in which they came."""
    return {
        "sources": {(s.source_file, s.node_id, s.layout, s.first_line, s.digest, s.is_nobodys) for s in inputs.sources},
        "files": {tuple(row.values()) for row in inputs.files()},
        "set aside": sorted(inputs.set_aside),
        "contested": inputs.contested,
        "shared": inputs.shared,
    }


def parts_of(chance: random.Random, files: dict[str, str | bytes]) -> list[dict[str, str | bytes]]:
    """Some files first, the others in one or two later turns."""
    many = chance.choice((2, 3))
    turns = {name: chance.randrange(many) for name in files}
    turns[chance.choice([name for name in files if name.endswith("server.log")])] = 0
    parts = [{name: text for name, text in files.items() if turns[name] == turn} for turn in range(many)]
    return [part for part in parts if part]


def read_as_now(inputs: Inputs, before: Inputs) -> None:
    """The kept records are of the nodes that their files are of now."""
    earlier = inputs.earlier
    assert earlier is not None
    names = {new: old for old, new in earlier.renamed.items()}
    was = {(source.source_file, source.first_line, source.layout): source.node_id for source in before.sources}
    for source in inputs.sources:
        if source.is_earlier:
            name = names.get(source.source_file, source.source_file)
            node = earlier.nodes.get(name, was[name, source.first_line, source.layout])
            assert node == source.node_id


@pytest.mark.parametrize("seed", range(40))
def test_a_folder_that_grew_in_turns_is_found_as_at_once_or_refused(tmp_path, added, seed):
    parts = parts_of(random.Random(seed), CLUSTER)
    folder = laid(tmp_path / "in", parts[0])
    now = gather([folder], {}, tmp_path / "first")
    for turn, part in enumerate(parts[1:]):
        laid(folder, part)
        try:
            before, now = now, added(now, folder)
        except InputError as error:
            assert str(error).endswith("analyze all files together")
            assert any(name.startswith("logs/") for name in part)
            return
        read_as_now(now, before)
        assert shown(now) == shown(gather([folder], {}, tmp_path / f"whole-{turn}"))


@pytest.mark.parametrize("seed", range(40))
def test_folders_that_come_in_turns_are_found_as_at_once_or_refused(tmp_path, added, seed):
    """Copies are among them, and the first folder has another name for its files as soon as there are two."""
    copies = {"copy/server.log": short(2), "node-9/server.log": LOG}
    parts = parts_of(random.Random(seed), CLUSTER | copies)
    folders = [laid(tmp_path / f"day-{day}", part) for day, part in enumerate(parts)]
    now = gather([folders[0]], {}, tmp_path / "first")
    for turn in range(1, len(folders)):
        try:
            before, now = now, added(now, folders[turn])
        except InputError as error:
            assert str(error).endswith("analyze all files together")
            return
        read_as_now(now, before)
        whole = gather(folders[: turn + 1], {}, tmp_path / f"whole-{turn}")
        assert shown(now) == shown(whole)
        assert set(now.remarks) == set(whole.remarks)


def test_no_split_is_refused_unless_several_nodes_wrote_into_one_file(tmp_path, added):
    for seed in range(20):
        parts = parts_of(random.Random(seed), {name: text for name, text in CLUSTER.items() if "logs/" not in name})
        folders = [laid(tmp_path / str(seed) / f"day-{day}", part) for day, part in enumerate(parts)]
        now = gather([folders[0]], {}, tmp_path / f"first-{seed}")
        for folder in folders[1:]:
            now = added(now, folder)
        assert len({source.source_file for source in now.sources}) == 10


# One file again


def test_a_file_that_is_there_already_is_not_counted_twice(tmp_path, added):
    folder = laid(tmp_path / "in", {"node-1/server.log": LOG, "node-1/data/meta.properties": "node.id=1\n"})
    before = gather([folder], {}, tmp_path / "work")
    for path in (folder, folder / "node-1" / "server.log"):
        now = added(before, path)
        assert len(now.sources) == 2 and not now.to_read()
        assert {what for _, what in now.remarks} == {"is in the result already: read once"}


def test_a_log_that_has_grown_stands_for_what_it_was(tmp_path, added):
    folder = laid(tmp_path / "in", {"node-1/server.log": LOG, "node-1/controller.log": short(1, 10)})
    before = gather([folder], {}, tmp_path / "work")
    laid(folder, {"node-1/server.log": LOG + short(1, 55)})
    now = added(before, folder)
    assert shown(now) == shown(gather([folder], {}, tmp_path / "whole"))
    assert now.earlier.dropped == {"node-1/server.log"}
    assert (
        "node-1/server.log",
        "has changed since the earlier result: read again, replacing its earlier version",
    ) in now.remarks
    assert [s.source_file for s in now.to_read()] == ["node-1/server.log"]


def test_a_log_that_was_rotated_stands_for_what_it_was(tmp_path, added):
    """As log4j does it: the last lines into the old file, its name to the next."""
    folder = laid(tmp_path / "in", {"node-1/server.log": LOG, "node-1/server.log.1": short(1, 10)})
    before = gather([folder], {}, tmp_path / "work")
    (folder / "node-1/server.log.1").rename(folder / "node-1/server.log.2")
    (folder / "node-1/server.log").rename(folder / "node-1/server.log.1")
    laid(folder, {"node-1/server.log.1": LOG + short(1, 55), "node-1/server.log": short(1, 56)})
    now = added(before, folder)
    assert shown(now) == shown(gather([folder], {}, tmp_path / "whole"))
    with pytest.raises(InputError, match=r"^in/node-1/server\.log\.1: .* another text with this name"):  # it is in .2
        added(before, folder / "node-1" / "server.log.1", folder / "node-1" / "server.log")


def test_a_rotated_log_alone_stands_for_the_one_that_it_was(tmp_path, added):
    folder = laid(tmp_path / "in", {"node-1/server.log": LOG})
    before = gather([folder], {}, tmp_path / "work")
    (folder / "node-1/server.log").rename(folder / "node-1/server.log.2026-11-21-05")
    laid(folder, {"node-1/server.log.2026-11-21-05": LOG + short(1, 55)})
    assert shown(added(before, folder)) == shown(gather([folder], {}, tmp_path / "whole"))


def test_a_log_of_another_name_that_begins_alike_is_another_log(tmp_path, added):
    """As of a console's copy of server.log."""
    folder = laid(tmp_path / "in", {"node-1/server.log": LOG})
    before = gather([folder], {}, tmp_path / "work")
    laid(folder, {"node-1/kafkaServer.out": LOG + short(1, 55)})
    now = added(before, folder)
    assert shown(now) == shown(gather([folder], {}, tmp_path / "whole"))
    assert len(now.sources) == 2


def test_another_text_under_the_name_of_one_is_refused(tmp_path, added):
    folder = laid(tmp_path / "in", {"node-1/server.log": LOG})
    before = gather([folder], {}, tmp_path / "work")
    laid(folder, {"node-1/server.log": short(1, 56)})
    with pytest.raises(
        InputError, match=r"^node-1/server.log: .* has another text with this name, which no given file"
    ):
        added(before, folder)


def test_a_checkpoint_that_was_written_again_stands_for_the_one_before(tmp_path, added):
    name = "node-1/data/replication-offset-checkpoint"
    folder = laid(tmp_path / "in", {"node-1/server.log": LOG, name: "0\n1\norders 0 17\n"})
    before = gather([folder], {}, tmp_path / "work")
    laid(folder, {name: "0\n1\norders 0 19\n"})
    now = added(before, folder)
    assert shown(now) == shown(gather([folder], {}, tmp_path / "whole"))
    with pytest.raises(InputError, match="another text with this name"):  # another machine's, for all that is known
        added(before, laid(tmp_path / "other" / "in", {name: "0\n1\norders 0 18\n"}), folder)


def test_an_old_log_that_the_new_files_show_to_be_of_two_nodes_is_refused(tmp_path, added):
    folder = laid(tmp_path / "in", {"logs/controller.log": short(5)})
    before = gather([folder], {}, tmp_path / "work")
    laid(folder, {"logs/server.log": short(5, 50) + short(6, 51)})
    why = "with the new files it is of several nodes, or an unknown one, and was read as of node 5"
    with pytest.raises(InputError, match=f"^logs/controller.log: {why}; analyze all files together$"):
        added(before, folder)


def test_the_copy_of_a_log_that_has_grown_is_refused_for_it_was_not_read(tmp_path, added):
    folder = laid(tmp_path / "in", {"node-1/server.log": LOG, "saved/server.log": LOG})
    before = gather([folder], {}, tmp_path / "work")
    laid(folder, {"node-1/server.log": LOG + short(1, 55)})
    with pytest.raises(InputError, match=r"^saved/server.log: .* keeps no records of it, for it was a copy"):
        added(before, folder)


def test_files_of_a_second_cluster_are_refused_as_in_one_run(tmp_path, added):
    def of_cluster(cluster: str) -> dict[str, str | bytes]:
        return {f"node-{node}/meta.properties": f"node.id={node}\ncluster.id={cluster}\n" for node in (1, 2)}

    first = laid(tmp_path / "one", of_cluster("aaa") | {"node-1/server.log": LOG})
    before = gather([first], {}, tmp_path / "work")
    with pytest.raises(InputError, match="two clusters are mixed: node 1 is of cluster aaa under one/node-1"):
        added(before, laid(tmp_path / "two", of_cluster("bbb")))


def test_a_partitions_folder_that_was_given_alone_is_refused_beside_others(tmp_path, added):
    first = laid(tmp_path / "orders-0", {"leader-epoch-checkpoint": "0\n1\n0 0\n", "server.log": LOG})
    before = gather([first], {}, tmp_path / "work")
    with pytest.raises(InputError, match="leader-epoch-checkpoint is only distinguished by the name of its folder"):
        added(before, laid(tmp_path / "more", {"server.log": short(2)}))


# A file that changes meanwhile


def test_a_log_that_grows_and_is_rotated_while_it_is_added_is_right_after_a_second_time(tmp_path, added, monkeypatch):
    folder = laid(tmp_path / "in", {"node-1/server.log": LOG})
    before = gather([folder], {}, tmp_path / "work")
    laid(folder, {"node-1/server.log": LOG + short(1, 50)})
    copy = Handles.copy

    def rotated_first(self, held, to, room):
        if not (folder / "node-1/server.log.1").exists():
            with (folder / "node-1/server.log").open("a") as log:
                log.write(short(1, 51))
            (folder / "node-1/server.log").rename(folder / "node-1/server.log.1")
            (folder / "node-1/server.log").write_text(short(1, 52))
        return copy(self, held, to, room)

    monkeypatch.setattr(Handles, "copy", rotated_first)
    now = added(before, folder)
    (source,) = now.sources
    assert source.path.read_text() == LOG + short(1, 50)
    monkeypatch.undo()
    again = added(now, folder)
    assert shown(again) == shown(gather([folder], {}, tmp_path / "whole"))


# What can be added to


@pytest.fixture
def result(tmp_path) -> Path:
    folder = laid(tmp_path / "in", {"node-1/server.log": LOG})
    return result_of(gather([folder], {}, tmp_path / "work"), tmp_path / "result")


def test_what_is_kept_is_read_as_it_was_written(tmp_path, result):
    had = kept(result)
    assert had.zones == Zones() and had.layout is None and list(had.shown) == ["given"]
    assert {s.source_file: had.read_as[s.name] for s in had.taken.sources} == {"node-1/server.log": 1}
    assert str(tmp_path) not in (result / RECORDS / "files.json").read_text()


def _no_result(out: Path) -> None:
    shutil.rmtree(out / "tables")


def _earlier_release(out: Path) -> None:
    shutil.rmtree(out / RECORDS)


def _other_release(out: Path) -> None:
    file = out / RECORDS / "files.json"
    file.write_text(file.read_text().replace('"release": "', '"release": "0.0.'))


def _cut_short(out: Path) -> None:
    file = out / RECORDS / "files.json"
    file.write_text(file.read_text()[:-100])


def _part_is_missing(out: Path) -> None:
    (out / RECORDS / "printed" / "part.parquet").unlink()


def _part_is_damaged(out: Path) -> None:
    (out / RECORDS / "printed" / "part.parquet").write_bytes(b"PAR1")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_no_result, r"no result of `kafka-replay analyze` \(it has no tables\)"),
        (_earlier_release, "keeps no records: an earlier release made it"),
        (
            _other_release,
            r"was made by kafka-replay 0\.0\..*; this is .*; make it again with `analyze --rebuild .*`, or analyze all files together$",
        ),
        (keep_none, r"names are replaced in it \(--redact\)"),
        (_cut_short, "the records that it keeps cannot be read"),
        (_part_is_missing, r"the records that it keeps cannot be read \(no printed\); analyze all files together$"),
        (_part_is_damaged, "the records that it keeps cannot be read"),
    ],
)
def test_a_result_to_which_nothing_can_be_added_is_refused(result, change, why):
    change(result)
    with pytest.raises(InputError, match=rf"^{result}: .*{why}|^{result}: {why}"):
        kept(result)


def test_options_hold_and_must_agree(tmp_path, result):
    folder = laid(tmp_path / "in", {})
    keep(result, gather([folder], {}, tmp_path / "again"), ["in"], "%m%n", Zones("+09:00", {1: "UTC"}))
    had = kept(result)
    assert _options(had, None, Zones()) == ("%m%n", Zones("+09:00", {1: "UTC"}))
    assert _options(had, "%m%n", Zones("+09:00", {2: "+01:00"}))[1] == Zones("+09:00", {1: "UTC", 2: "+01:00"})
    for layout, zones, why in (
        ("%p %m%n", Zones(), "analyzed with --layout '%m%n'"),
        (None, Zones("UTC"), r"with --timezone \+09:00, not UTC"),
        (None, Zones(None, {1: "+01:00"}), r"with --node-timezone 1=UTC, not \+01:00"),
    ):
        with pytest.raises(InputError, match=why):
            _options(had, layout, zones)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere", "logs"), "kafka-replay: nowhere: no result of `kafka-replay analyze`"),
        (("nowhere",), "Error: nothing to add: name the folders, files or archives"),
    ],
)
def test_the_command_refuses_in_one_line(monkeypatch, capsys, arguments, said):
    monkeypatch.setattr(sys, "argv", ["kafka-replay", "append", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(said)


# With Spark


def test_kept_records_are_reported_as_they_are_now(spark, tmp_path):
    records = """
        event_id              | source_file         | node_id | line_number | message
        node-1/server.log:1   | node-1/server.log   |         | 1           | grown since
        b/silent.log:7        | b/silent.log        |         | 7           | a node is known now
        a/server.log:3.2      | a/server.log        | 2       | 3           | on one line with another
    """
    new = "event_id | source_file | node_id | line_number | message\nc/server.log:1 | c/server.log | 3 | 1 | new"
    columns = "event_id string, source_file string, node_id int, line_number bigint, message string"
    table(spark, columns, records).write.parquet(str(tmp_path / "printed"))
    inputs = Inputs(
        earlier=Earlier(
            tmp_path,
            frozenset({"node-1/server.log"}),
            {name: f"day-1/{name}" for name in ("node-1/server.log", "b/silent.log", "a/server.log")},
            {"b/silent.log": 3},
        )
    )
    now = with_earlier(spark, inputs, "printed", table(spark, columns, new))
    assert {tuple(row) for row in now.collect()} == {
        ("day-1/b/silent.log:7", "day-1/b/silent.log", 3, 7, "a node is known now"),
        ("day-1/a/server.log:3.2", "day-1/a/server.log", 2, 3, "on one line with another"),
        ("c/server.log:1", "c/server.log", 3, 1, "new"),
    }


@dataclass
class Grown:
    """The folder of a cluster's files as it was at first, those that came later, and what an analysis made of the first."""

    folder: Path
    later: dict[str, bytes]
    first: Path


@pytest.fixture(scope="module")
def grown(spark, tmp_path_factory) -> Grown:
    """The classic example of leader epochs in two random parts; one log of the later part is half written at first."""
    root, chance = tmp_path_factory.mktemp("grown"), random.Random(28)
    given = TRACE / "input"
    files = {str(file.relative_to(given)): file.read_bytes() for file in given.rglob("*") if file.is_file()}
    names = chance.sample(sorted(files), len(files))
    first, later = ({name: files[name] for name in some} for some in (names[:4], names[4:]))
    growing = next(name for name in later if name.endswith(".log"))
    folder = laid(root / "given", first | {growing: files[growing][: len(files[growing]) // 2]})
    analyze([str(folder)], root / "first" / "out")
    return Grown(folder, later, root / "first" / "out")


def bytes_of(result: Path) -> dict[str, bytes]:
    return {str(file.relative_to(result)): file.read_bytes() for file in result.rglob("*") if file.is_file()}


def killed_at(step: int, out: Path, folder: Path, work: Path) -> int:
    """How `append` ended, which was killed when it announced this step."""
    work.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "pipelines", "append", str(out), str(folder)]
    environment = os.environ | {"TMPDIR": str(work), "SPARK_MASTER": "local[1]"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        next(line for line in process.stderr if f"] {step}/8 " in line)
        process.kill()
        return process.wait()


@pytest.mark.parametrize("steps", [(8,), pytest.param((1, 2, 3, 4, 5, 6, 7), marks=pytest.mark.nightly)])
def test_added_files_give_the_rows_of_one_run_whatever_step_was_killed_before(grown, result_of, tmp_path, steps):
    """Only rows are compared: Spark gives the files of a table a new name in each run."""
    out, whole = tmp_path / "at" / "out", result_of(TRACE)
    shutil.copytree(grown.first, out)
    folder = laid(grown.folder, grown.later)
    before = bytes_of(out)
    for step in steps:
        assert (killed_at(step, out, folder, tmp_path / "work"), bytes_of(out) == before) == (-signal.SIGKILL, True)
    append(out, [str(folder)])
    assert os.listdir(out.parent) == ["out"]
    for table_ in TABLES:
        assert rows_of(out, table_.name) == rows_of(whole, table_.name), table_.name
    told, wanted = (json.loads((of / "findings.json").read_text()) for of in (out, whole))
    # The texts of earlier files are not here: short ones are read as a paste only in one run.
    assert {name for name in told if told[name] != wanted[name]} <= {"inputs", "notes", "lines"}


def rows_of(result: Path, name: str) -> list[str]:
    read = pa.concat_tables([pq.read_table(part) for part in sorted((result / "tables" / name).glob("*.parquet"))])
    return sorted(map(str, read.to_pylist()))


def test_records_that_lost_a_file_are_refused(grown, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(grown.first, out)
    printed = out / RECORDS / "printed"
    rows = pa.concat_tables([pq.read_table(part) for part in printed.glob("*.parquet")])
    shutil.rmtree(printed)
    printed.mkdir()
    for at in (0, 1):
        pq.write_table(rows.slice(at, None if at else 1), printed / f"part-{at}.parquet")
    assert kept(out).out == out
    (printed / "part-0.parquet").unlink()
    with pytest.raises(InputError, match="files of records/printed are missing, or are of another result"):
        kept(out)


@pytest.mark.parametrize("place", ["pipelines.held_files.Handles.copy", "pipelines.store.Store.keep_read"])
def test_a_full_disk_leaves_the_result_as_it_was(grown, tmp_path, monkeypatch, place):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    out = tmp_path / "at" / "out"
    shutil.copytree(grown.first, out)
    before = bytes_of(out)
    monkeypatch.setattr(place, full)
    with pytest.raises(OutputError, match="No space left on device"):
        append(out, [str(grown.folder)])
    assert (os.listdir(out.parent), bytes_of(out) == before) == (["out"], True)
