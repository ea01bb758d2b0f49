"""Files that grow, rotate, are cut, packed or replaced while they are followed, and pipes: nothing is lost, nothing is
handed on twice, half a line waits.
"""

from __future__ import annotations

import errno
import gzip
import os
import random
import shutil
import threading
import time
from pathlib import Path

import pytest

from pipelines.append import together
from pipelines.followed_files import SETTLED_SECONDS, Followed, News
from pipelines.inputs import gather, taken
from pipelines.kept_records import kept
from replay.errors import InputError
from tests.test_append import result_of, short
from tests.test_inputs import EPOCHS, laid


class Follow:
    """A folder that is followed, at a time that the test sets."""

    def __init__(self, tmp_path: Path, *paths: Path | str) -> None:
        self.seconds, self.put_back = time.time(), 0
        (tmp_path / "copies").mkdir()
        self.files = Followed(
            paths,
            tmp_path / "copies",
            tmp_path / "result",
            clock=lambda: self.seconds - self.put_back,
            ticks=lambda: self.seconds,
        )

    def new(self, *, last: bool = False) -> dict[str, str]:
        """What is handed on, by name, and taken."""
        news = self.files.news(last=last)
        if news is None:
            return {}
        news.taken()
        return texts(news)


def texts(news: News) -> dict[str, str]:
    return {
        seen.relative: "".join(unpacked(seen.copy.read_bytes()[: seen.size]))
        for some in news.texts.values()
        for seen in some
    }


def more(file: Path, text: str) -> None:
    with file.open("a") as out:
        out.write(text)


ONE, TWO, THREE, FOUR = (short(1, second) for second in (44, 45, 46, 47))


@pytest.fixture
def logs(tmp_path) -> Path:
    return laid(tmp_path / "logs", {"server.log": ONE})


@pytest.fixture
def follow(tmp_path, logs) -> Follow:
    return Follow(tmp_path, logs)


def test_a_log_that_grows_is_handed_on_whole_again_and_only_then(follow, logs):
    assert follow.new() == {"server.log": ONE}
    assert follow.new() == {}
    more(logs / "server.log", TWO)
    assert follow.new() == {"server.log": ONE + TWO}


def test_what_was_not_taken_is_handed_on_again(follow, logs):
    first = follow.files.news()
    assert first is not None and texts(first) == {"server.log": ONE} and first.size == len(ONE)
    assert follow.new() == {"server.log": ONE}


def test_half_a_line_waits_for_its_other_half(follow, logs):
    more(logs / "server.log", TWO[:30])
    assert follow.new() == {"server.log": ONE}
    more(logs / "server.log", TWO[30:])
    assert follow.new() == {"server.log": ONE + TWO}


def test_half_a_line_that_stands_long_is_taken_as_it_is_and_at_the_end_at_once(follow, logs):
    more(logs / "server.log", TWO[:30])
    assert follow.new() == {"server.log": ONE}
    follow.seconds += SETTLED_SECONDS + 1
    assert follow.new() == {"server.log": ONE + TWO[:30]}
    follow.seconds = time.time()
    more(logs / "server.log", TWO[30:40])
    assert follow.new() == {}
    assert follow.new(last=True) == {"server.log": ONE + TWO[:40]}


def test_a_clock_that_is_put_back_by_a_day_holds_nothing_back(follow, logs):
    more(logs / "server.log", TWO[:30])
    follow.put_back = 86_400
    assert follow.new() == {"server.log": ONE}
    (logs / "server.log.1.gz").write_bytes(gzip.compress(short(1, 3).encode()))
    assert follow.new() == {}
    follow.seconds += SETTLED_SECONDS + 1
    assert follow.new() == {"server.log": ONE + TWO[:30], "server.log.1.gz": short(1, 3)}
    more(logs / "server.log", TWO[30:] + THREE)
    assert follow.new() == {"server.log": ONE + TWO + THREE}


def test_a_log_whose_file_system_was_away_is_opened_again(follow, logs, monkeypatch):
    assert follow.new() == {"server.log": ONE}
    real_open, real_read, opened = os.open, os.read, set()

    def open_(*arguments, **options):
        handle = real_open(*arguments, **options)
        opened.add(handle)
        return handle

    def read(handle, size):
        if handle not in opened and os.readlink(f"/proc/self/fd/{handle}").endswith("server.log"):
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        return real_read(handle, size)

    more(logs / "server.log", TWO)
    monkeypatch.setattr(os, "open", open_)
    monkeypatch.setattr(os, "read", read)
    assert follow.new() == {}
    assert list(follow.files.unread.values()) == ["Stale file handle"]
    assert follow.new() == {"server.log": ONE + TWO}


def test_files_that_come_later_are_found_in_new_folders_too(follow, logs):
    follow.new()
    laid(logs, {"node-2/server.log": TWO})
    assert follow.new() == {"node-2/server.log": TWO}


def test_a_log_rotated_by_rename_is_read_to_its_end_under_its_new_name(follow, logs):
    follow.new()
    more(logs / "server.log", TWO)
    (logs / "server.log").rename(logs / "server.log.1")
    laid(logs, {"server.log": THREE})
    assert follow.new() == {"server.log.1": ONE + TWO, "server.log": THREE}


def test_a_chain_of_rotations_hands_names_on_together(follow, logs):
    follow.new()
    for text in (TWO, THREE):
        for old, new in (("server.log.1", "server.log.2"), ("server.log", "server.log.1")):
            if (logs / old).exists():
                (logs / old).rename(logs / new)
        laid(logs, {"server.log": text})
        follow.files.look()
    assert follow.new() == {"server.log.2": ONE, "server.log.1": TWO, "server.log": THREE}


def test_a_rotation_without_a_line_costs_no_round(follow, logs):
    follow.new()
    (logs / "server.log").rename(logs / "server.log.1")
    laid(logs, {"server.log": ""})
    assert follow.new() == {}
    more(logs / "server.log", TWO[:20])
    assert follow.new() == {}
    more(logs / "server.log", TWO[20:])
    assert follow.new() == {"server.log.1": ONE, "server.log": TWO}


def test_a_log_cut_after_it_was_copied_goes_on_in_the_copy(follow, logs):
    follow.new()
    more(logs / "server.log", TWO)
    shutil.copy(logs / "server.log", logs / "server.log.1")
    os.truncate(logs / "server.log", 0)
    more(logs / "server.log", THREE)
    assert follow.new() == {"server.log.1": ONE + TWO, "server.log": THREE}


def test_a_copy_in_the_making_is_no_text_of_its_own(follow, logs):
    """`copytruncate` copies first; lines come meanwhile."""
    follow.new()
    more(logs / "server.log", TWO)
    (logs / "server.log.1").write_text(ONE + TWO[:7])
    assert follow.new() == {"server.log": ONE + TWO}
    (logs / "server.log.1").write_text(ONE + TWO)
    more(logs / "server.log", THREE)
    assert follow.new() == {"server.log": ONE + TWO + THREE}
    os.truncate(logs / "server.log", 0)
    more(logs / "server.log", FOUR)
    assert follow.new() == {"server.log.1": ONE + TWO + THREE, "server.log": FOUR}  # one line more than the copy has


def test_a_log_cut_without_a_copy_keeps_what_was_seen(follow, logs):
    follow.new()
    more(logs / "server.log", TWO)
    follow.files.look()
    os.truncate(logs / "server.log", 0)
    more(logs / "server.log", THREE)
    assert follow.new() == {"server.log.1-rotated": ONE + TWO, "server.log": THREE}


def test_a_log_cut_and_longer_again_between_two_looks_is_another_text(follow, logs):
    follow.new()
    os.truncate(logs / "server.log", 0)
    more(logs / "server.log", TWO + THREE)
    assert follow.new() == {"server.log.1-rotated": ONE, "server.log": TWO + THREE}


def test_the_last_lines_of_a_log_that_was_removed_are_there(follow, logs):
    follow.new()
    more(logs / "server.log", TWO)
    (logs / "server.log").unlink()
    laid(logs, {"server.log": THREE})
    assert follow.new() == {"server.log.1-rotated": ONE + TWO, "server.log": THREE}


def test_a_log_that_is_packed_after_its_rotation_is_not_read_twice(follow, logs):
    follow.new()
    (logs / "server.log").rename(logs / "server.log.1")
    laid(logs, {"server.log": TWO})
    assert follow.new() == {"server.log.1": ONE, "server.log": TWO}
    packed = gzip.compress(ONE.encode())
    laid(logs, {"server.log.1.gz": packed[:20]})
    assert follow.new() == {}
    laid(logs, {"server.log.1.gz": packed})
    assert follow.new() == {}
    (logs / "server.log.1").unlink()
    assert follow.new() == {}
    follow.seconds += 10
    more(logs / "server.log", THREE)
    assert follow.new() == {"server.log.1.gz": ONE, "server.log": TWO + THREE}


def test_a_file_that_is_written_again_takes_the_place_of_what_it_was(follow, logs):
    laid(logs, {"data/leader-epoch-checkpoint": EPOCHS})
    follow.new()
    laid(logs, {"data/new": "0\n1\n4 9\n"})
    (logs / "data" / "new").rename(logs / "data" / "leader-epoch-checkpoint")
    assert follow.new() == {"data/leader-epoch-checkpoint": "0\n1\n4 9\n"}


def test_the_result_among_the_logs_is_not_followed(tmp_path):
    logs = laid(tmp_path / "logs", {"server.log": ONE, "result/report.html": "x", ".result-kafka-replay-x/a.log": TWO})
    (tmp_path / "copies").mkdir()
    followed = Followed([logs], tmp_path / "copies", logs / "result")
    news = followed.news()
    assert news is not None and texts(news) == {"server.log": ONE}


def test_one_file_is_followed_by_its_name(tmp_path, logs):
    follow = Follow(tmp_path, logs / "server.log")
    follow.new()
    more(logs / "server.log", TWO)
    (logs / "server.log").rename(logs / "server.log.1")
    laid(logs, {"server.log": THREE})
    assert follow.new() == {"server.log.1-rotated": ONE + TWO, "server.log": THREE}


def test_segments_of_a_log_are_named_and_never_copied(follow, logs):
    follow.new()
    laid(logs, {"orders-0/00000000000000000000.log": b"\0\1\2" * 99})
    more(logs / "server.log", TWO)
    assert follow.new() == {"server.log": ONE + TWO, "orders-0/00000000000000000000.log": ""}
    more(logs / "orders-0" / "00000000000000000000.log", "\0\1\2")
    assert follow.new() == {}


def test_what_comes_through_a_pipe_is_handed_on_line_by_line(tmp_path):
    pipe = tmp_path / "kafka-1.pipe"
    os.mkfifo(pipe)
    follow = Follow(tmp_path, pipe)
    follow.files.start()
    wrote, go_on = threading.Event(), threading.Event()

    def write() -> None:
        with pipe.open("w") as out:
            out.write(ONE + TWO[:10])
            out.flush()
            wrote.set()
            go_on.wait(10)
            out.write(TWO[10:])

    writer = threading.Thread(target=write)
    writer.start()
    wrote.wait(10)
    assert comes(follow) == {"kafka-1.pipe": ONE}
    go_on.set()
    writer.join()
    assert comes(follow) == {"kafka-1.pipe": ONE + TWO}
    follow.files.close()


def comes(follow: Follow) -> dict[str, str]:
    """What is handed on as soon as something is."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if new := follow.new():
            return new
        time.sleep(0.02)
    return {}


def test_a_path_that_is_not_there_is_reported(tmp_path):
    with pytest.raises(InputError, match="no such file or folder"):
        Followed([tmp_path / "none"], tmp_path, tmp_path / "result")


STEPS = {
    "grows": lambda logs: more(logs / "server.log", TWO),
    "is rotated by rename": lambda logs: (
        (logs / "server.log").rename(logs / "server.log.1"),
        laid(logs, {"server.log": THREE}),
    ),
    "is rotated and empty yet": lambda logs: (
        (logs / "server.log").rename(logs / "server.log.1"),
        laid(logs, {"server.log": ""}),
    ),
    "is cut after a copy": lambda logs: (
        shutil.copy(logs / "server.log", logs / "server.log.1"),
        os.truncate(logs / "server.log", 0),
        more(logs / "server.log", THREE),
    ),
    "goes on in a new folder": lambda logs: laid(logs, {"node-2/server.log": short(2, 50)}),
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("grown", (False, True))
def test_what_is_added_to_a_result_is_what_one_look_at_all_files_finds(tmp_path, logs, follow, step, grown):
    first = follow.files.news()
    assert first is not None
    found = gather([logs], {}, tmp_path / "first", news=first)
    first.taken()
    out = result_of(found, tmp_path / "out")
    if grown:
        more(logs / "server.log", FOUR)
    STEPS[step](logs)
    before, then = kept(out), follow.files.news(last=True)
    assert then is not None
    inputs = together(before, taken([logs], {}, tmp_path / "then", earlier=before.taken, news=then), "new", False)
    at_once = gather([logs], {}, tmp_path / "at-once")
    assert {(s.source_file, s.node_id, s.layout, s.digest) for s in inputs.sources} == {
        (s.source_file, s.node_id, s.layout, s.digest) for s in at_once.sources
    }
    assert sorted(inputs.set_aside) == sorted(at_once.set_aside)
    assert inputs.remarks == at_once.remarks == []


@pytest.mark.parametrize("seed", range(30))
def test_whatever_is_rotated_between_two_looks_each_line_is_handed_on_once(tmp_path, seed):
    """A log is written to, renamed in a chain, copied and cut, packed, in any order; looks come at any time."""
    chance, logs = random.Random(seed), laid(tmp_path / "logs", {"server.log": ""})
    follow, log = Follow(tmp_path, logs), logs / "server.log"
    written: list[str] = []
    taken_: dict[str, bytes] = {}

    def write() -> None:
        for _ in range(chance.randint(1, 4)):
            written.append(short(1).replace("started", f"started {len(written)}"))
            more(log, written[-1])

    def make_room() -> None:
        """`server.log.1` becomes `.2`, and so on."""
        for number in range(9, 0, -1):
            for end in ("", ".gz"):
                if (old := logs / f"server.log.{number}{end}").exists():
                    old.rename(logs / f"server.log.{number + 1}{end}")

    def rename() -> None:
        make_room()
        log.rename(logs / "server.log.1")
        log.touch()

    def copy_and_cut() -> None:
        make_room()
        shutil.copyfile(log, logs / "server.log.1")
        if chance.random() < 0.3:
            follow.files.look()
        os.truncate(log, 0)

    def pack() -> None:
        if (old := logs / "server.log.1").exists() and old.stat().st_size:
            (logs / "server.log.1.gz").write_bytes(gzip.compress(old.read_bytes()))
            if chance.random() < 0.3:
                follow.files.look()
            old.unlink()
            follow.seconds += 10

    def take(last: bool = False) -> None:
        follow.seconds += 6
        news = follow.files.news(last=last)
        if news is None:
            return
        fresh = {one.relative: one.copy.read_bytes()[: one.size] for some in news.texts.values() for one in some}
        for name, text in list(taken_.items()):  # one that goes on from an old one stands for it, as `append` has it
            if any(unpacked(new)[: len(unpacked(text))] == unpacked(text) for new in fresh.values()):
                del taken_[name]
        assert not taken_.keys() & fresh.keys()
        taken_.update({name: text for name, text in fresh.items() if text})
        news.taken()

    follow.files.look()
    for _ in range(25):
        chance.choice((write, write, write, rename, copy_and_cut, pack, follow.files.look, follow.files.look, take))()
    take(last=True)
    there = {str(file.relative_to(logs)): file.read_bytes() for file in logs.iterdir() if file.stat().st_size}
    lines = [line for text in there.values() for line in unpacked(text)]
    assert sorted(lines) == sorted(written)
    assert {name: unpacked(text) for name, text in taken_.items()} == {
        name: unpacked(text) for name, text in there.items()
    }


def unpacked(text: bytes) -> list[str]:
    return (gzip.decompress(text) if text.startswith(b"\x1f\x8b") else text).decode().splitlines(keepends=True)


def test_two_texts_that_lost_their_file_do_not_share_a_name(follow, logs):
    """A log is cut within a line and written on, twice: each earlier text keeps a name of its own."""
    log = logs / "server.log"
    follow.new()
    had = {"server.log": ONE}
    for text in (TWO, THREE):
        os.truncate(log, len(ONE) // 2)
        more(log, text)
        had = shown(had, follow.new())
    assert had == {
        "server.log": ONE[: len(ONE) // 2] + THREE,
        "server.log.1-rotated": ONE,
        "server.log.2-rotated": ONE[: len(ONE) // 2] + TWO,
    }


def shown(had: dict[str, str], fresh: dict[str, str]) -> dict[str, str]:
    """The texts of a result by name after `append` of `fresh`: one that goes on from an earlier one stands for it."""
    left = {}
    for name, text in had.items():
        goes_on = any(new.startswith(text) and (len(new) > len(text) or other != name) for other, new in fresh.items())
        assert goes_on or fresh.get(name, text) == text, f"{name} is another text, which none continues"
        if not goes_on:
            left[name] = text
    return {**left, **fresh}


DAMAGES = ("grows", "rotates", "is cut within a line", "is a folder", "is a pipe", "is a link", "is whole again")


@pytest.mark.parametrize("seed", range(40))
def test_whatever_takes_the_place_of_a_log_each_look_can_be_added_to_the_result(tmp_path, seed):
    """A log grows, rotates, is cut within a line, is replaced by a folder, a pipe, a link, and is whole again."""
    chance, logs = random.Random(seed), laid(tmp_path / "logs", {"server.log": ONE})
    (tmp_path / "elsewhere").write_text("not given")
    follow, log, whole = Follow(tmp_path, logs), logs / "server.log", ONE
    had = shown({}, follow.new())
    for number in range(25):
        what = chance.choice(DAMAGES)
        is_log = log.is_file() and not log.is_symlink()
        if what == "grows" and is_log:
            more(log, line := short(1).replace("started", f"started {number}"))
            whole += line
        elif what == "rotates" and is_log:
            for old in range(8, 0, -1):
                if (logs / f"server.log.{old}").exists():
                    (logs / f"server.log.{old}").rename(logs / f"server.log.{old + 1}")
            log.rename(logs / "server.log.1")
            log.write_text(whole := short(1).replace("started", f"begun {number}"))
        elif what == "is cut within a line" and is_log:
            os.truncate(log, chance.randint(1, max(1, log.stat().st_size)))
        else:
            shutil.rmtree(log) if log.is_dir() and not log.is_symlink() else log.unlink(missing_ok=True)
            if what == "is a folder":
                log.mkdir()
            elif what == "is a pipe":
                os.mkfifo(log)
            elif what == "is a link":
                log.symlink_to(chance.choice((tmp_path / "elsewhere", logs / "server.log.1")))
            else:
                log.write_text(whole)
        if chance.random() < 0.7:
            follow.seconds += SETTLED_SECONDS * chance.random() * 2
            had = shown(had, follow.new())
    shown(had, follow.new(last=True))


def test_one_followed_file_that_becomes_a_pipe_or_a_folder_holds_nothing_up(tmp_path, logs):
    log = logs / "server.log"
    follow = Follow(tmp_path, log)
    assert follow.new() == {"server.log": ONE}
    for replace in (os.mkfifo, os.mkdir):
        log.unlink()
        replace(log)
        assert follow.new() == {}
        log.rmdir() if log.is_dir() else log.unlink()
        log.write_text(ONE + TWO)
        assert list(follow.new().values()) in ([ONE + TWO], [])


def test_a_hole_of_a_sparse_file_is_not_copied(follow, logs):
    with (logs / "server.log").open("r+b") as out:
        out.seek(1 << 36)
        out.write(TWO.encode())
    (copy,) = [seen.copy for some in follow.files.news().texts.values() for seen in some]
    assert copy.stat().st_blocks * 512 < 64 << 20
    assert copy.stat().st_size == (1 << 36) + len(TWO.encode())
