"""A fault is told with its trace; the same one writes one file."""

import errno
import gzip
import io
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pandas as pd
import pytest

from pipelines import cli
from pipelines.answers.lines import as_text, of_files, of_stream
from pipelines.answers.times import Clock, moment, zone
from pipelines.failures import failure
from pipelines.held_files import NOT_FOLLOWED, files_under
from pipelines.java_process import _utf_8
from pipelines.result_folders import is_result
from pipelines.session import _reason
from pipelines.store import result_folder
from replay.errors import InputError, OutputError
from tests.each import for_each
from tests.test_inputs import SHORT


def _fault():
    try:
        raise IndexError("out of range")
    except IndexError as error:
        return failure(error)


def test_the_same_fault_writes_one_file(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    told = {_fault() for _ in range(2)}
    assert (len(told), len(list(tmp_path.iterdir()))) == (1, 1)


def test_a_folder_that_this_user_may_not_enter_is_named_in_one_line():
    told = failure(PermissionError(errno.EACCES, "Permission denied", "/logs/node-1"))
    assert told == ("/logs/node-1: cannot be used: Permission denied", 2)


def test_a_name_that_is_too_long_for_a_file_is_told_in_one_short_line():
    with pytest.raises(OSError) as raised:
        Path("x" * 5_000).exists()
    assert failure(raised.value) == (f"{'x' * 300}…: cannot be used: File name too long", 2)


def test_a_folder_that_this_user_may_not_enter_is_no_result(monkeypatch):
    def refused(path, **_):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "stat", refused)
    assert not is_result(Path("/logs/node-1"))


def test_explain_names_a_folder_that_this_user_may_not_list(monkeypatch, tmp_path):
    def refused(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(InputError, match=f"{tmp_path}: cannot be listed: Permission denied"):
        of_files([tmp_path])


def test_explain_names_a_file_of_a_folder_that_this_user_may_not_read(monkeypatch, tmp_path):
    for node in (1, 2):
        (tmp_path / f"node-{node}").mkdir()
        (tmp_path / f"node-{node}" / "server.log").write_text(SHORT)
    closed = tmp_path / "node-2" / "server.log"
    may, opens = os.access, Path.open
    monkeypatch.setattr(os, "access", lambda file, mode: file != closed and may(file, mode))
    monkeypatch.setattr(Path, "open", lambda file, *mode: {}["closed"] if file == closed else opens(file, *mode))
    assert of_files([tmp_path]).notes[0] == f"{closed}: cannot be read: Permission denied."


def test_explain_leaves_out_a_folder_whose_path_is_too_long_and_says_so(tmp_path):
    (tmp_path / "server.log").write_text("[2026-11-21 05:34:44,123] ERROR given (kafka.X)")
    deep = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=deep)
        below = os.open("d" * 250, os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = below
    os.close(deep)
    answer = of_files([tmp_path])
    assert answer.records == 1
    assert [len(note) < 400 and note.endswith("cannot be listed: File name too long.") for note in answer.notes] == [
        True
    ]


def test_a_file_whose_path_is_too_long_is_set_aside(tmp_path):
    (tmp_path / "logs").mkdir()
    here = os.open(tmp_path / "logs", os.O_RDONLY)
    while len(os.readlink(f"/proc/self/fd/{here}")) < 3_800:
        os.mkdir("d" * 200, dir_fd=here)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("f" * 255, os.O_WRONLY | os.O_CREAT, dir_fd=here))
    os.close(os.open("server.log", os.O_WRONLY | os.O_CREAT, dir_fd=here))
    os.close(here)
    left_out: list[str] = []
    found = list(files_under(tmp_path, lambda name, why: left_out.append(why), lambda error: None))
    assert [file.name for file in found] == ["server.log"] and left_out == ["cannot be read: File name too long"]


def test_an_output_that_takes_nothing_more_is_named(monkeypatch):
    with open("/dev/full", "w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(OutputError, match=r"^standard output cannot be written: No space left on device$"):
            cli._print(["x" * 100_000])


def test_explain_follows_no_link_out_of_its_folder_and_says_so(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "mine.log").write_text("[2026-11-21 05:34:44,123] ERROR not given (kafka.X)")
    (tmp_path / "logs" / "server.log").write_text("[2026-11-21 05:34:44,123] ERROR given (kafka.X)")
    (tmp_path / "logs" / "controller.log").symlink_to(tmp_path / "mine.log")
    (tmp_path / "logs" / "pipe").symlink_to(tmp_path / "nowhere")
    told = " ".join(" ".join(as_text(of_files([tmp_path / "logs"]))).split())
    assert ("not given" in told, "'given'" in told) == (False, True)
    for name, why in (("controller.log", NOT_FOLLOWED), ("pipe", "a link that leads nowhere")):
        assert f"{tmp_path / 'logs' / name}: {why}." in told


def test_explain_reads_a_log_once_that_has_several_names(tmp_path):
    log = tmp_path / "node-1" / "server.log"
    log.parent.mkdir()
    log.write_text("[2026-11-21 05:34:44,123] ERROR given (kafka.X)")
    (tmp_path / "node-1" / "now.log").symlink_to("server.log")
    os.link(log, tmp_path / "node-1" / "hard.log")
    answer = of_files([tmp_path, log])
    assert answer.records == 1
    first = tmp_path / "node-1" / "hard.log"
    assert set(answer.notes) == {
        f"{one}: the same file as {first}, read once." for one in (log, log.with_name("now.log"))
    }


def test_explain_unpacks_no_more_than_it_reads(tmp_path, monkeypatch):
    monkeypatch.setattr("pipelines.answers.lines.LARGEST", 5_000)
    for number in (1, 2):
        (tmp_path / f"server.log.{number}.gz").write_bytes(gzip.compress(b"x\n" * 2_000))
    assert of_files([tmp_path / "server.log.1.gz"]).records
    with pytest.raises(InputError, match="kafka-replay analyze reads logs of any size"):
        of_files([tmp_path])
    with pytest.raises(InputError, match="kafka-replay analyze reads logs of any size"):
        of_stream(io.BytesIO(b"x\n" * 3_000))


def test_explain_names_a_damaged_file(tmp_path):
    packed = bytearray(gzip.compress(bytes(range(256)) * 50))
    packed[20:24] = b"\xff" * 4
    (tmp_path / "server.log.gz").write_bytes(packed)
    with pytest.raises(InputError, match="cannot be read"):
        of_files([tmp_path])


def test_explain_names_a_pipe_in_one_line(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=f"{tmp_path}/pipe: not a file or a folder"):
        of_files([tmp_path / "pipe"])


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_the_folder_of_a_result_has_the_rights_that_the_user_gives(tmp_path, mask):
    earlier = os.umask(mask)
    try:
        with result_folder(tmp_path / "out", overwrite=False) as folder:
            (folder / "tables").mkdir()
    finally:
        os.umask(earlier)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o777 & ~mask


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00", "9999-12-31T23:59:59"])
@pytest.mark.parametrize("name", ["+14:00", "-12:00"])
def test_a_moment_at_the_end_of_the_calendar_is_one_or_is_refused(text, name):
    try:
        assert moment(text, zone(name), None).year in (1, 9999)
    except InputError as error:
        assert "no moment of the years" in str(error)


def test_a_moment_that_has_no_name_in_the_zone_is_reported_in_utc():
    assert Clock(ZoneInfo("America/New_York")).stamp(pd.Timestamp("1700-01-01")).startswith("1699-12-31")


@pytest.mark.parametrize(
    ("lang", "told"), [("C", {"LC_ALL": "C.UTF-8"}), ("", {"LC_ALL": "C.UTF-8"}), ("de_DE.UTF-8", {})]
)
def test_java_gets_a_locale_that_can_write_every_path(lang, told, monkeypatch):
    monkeypatch.setenv("LC_ALL", lang)
    monkeypatch.delenv("LC_CTYPE", raising=False)
    monkeypatch.delenv("LANG", raising=False)
    assert _utf_8() == told


def test_an_option_that_java_refuses_is_named():
    said = "Unrecognized VM option 'Foo'\nError: Could not create the Java Virtual Machine.\n"
    assert "Java refuses an option: Unrecognized VM option 'Foo'" in _reason("g", said, RuntimeError("ended"))


@for_each(
    "said",
    [
        "Invalid maximum heap size: -Xmxfoo\nError: Could not create the Java Virtual Machine.",
        "Error occurred during initialization of VM\nInitial heap size set to a larger value than the maximum heap size",
        "Error opening zip file or JAR manifest missing : /x.jar\nError occurred during initialization of VM",
        "Error occurred during initialization of VM\nCould not find agent library nope on the library path",
        "Error occurred during initialization of VM\nMultiple garbage collectors selected",
        "Error occurred during initialization of VM\nToo small maximum heap",
    ],
)
def test_what_java_does_not_take_is_no_want_of_memory(said):
    reason = _reason("g", said, RuntimeError("ended"))
    named = next(
        line for line in said.split("\n") if not line.startswith("Error occurred") and "Could not create" not in line
    )
    assert reason.startswith(f"Spark could not start: Java refuses an option: {named.removeprefix('Error: ')}")


def test_an_error_of_java_beside_a_full_disk_names_the_disk(monkeypatch):
    class Py4JJavaError(Exception):
        """As that of Py4J is named."""

    error = Py4JJavaError("An error occurred while calling o817.parquet.")
    assert failure(error)[1] == 3
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=5 << 20))
    said, code = failure(error)
    assert (said.split(" ", 5)[:4], code) == (["5", "MB", "are", "free"], 2)
    assert failure(IndexError("out of range"))[1] == 3


def test_a_home_in_which_classes_cannot_be_stored_is_named():
    printed = 'Exception in thread "main" java.io.FileNotFoundException: /var/www/.ivy2.5.2/cache/resolved.xml (No such file or directory)'
    assert _reason("a:b:1", printed, OSError("x")).startswith(
        "Spark could not start: /var/www/.ivy2.5.2, where it keeps"
    )
