"""What a killed process left is cleared by the next run; what a living one works in is not."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.scratch import Owned, is_own_file, kept_folder, left_behind, shared_folder, work_folder
from replay.errors import OutputError

_HOLD = "import sys, time, pathlib; from pipelines.scratch import Owned; o = Owned('p-', pathlib.Path(sys.argv[1])); (o.path / 'x').write_text('x'); print(o.path, flush=True); time.sleep(60)"


def test_a_folder_is_left_behind_when_its_process_is_killed_and_not_before(tmp_path):
    with subprocess.Popen([sys.executable, "-c", _HOLD, tmp_path], stdout=subprocess.PIPE, text=True) as process:
        held = Path(process.stdout.readline().strip())
        assert list(left_behind("p-", tmp_path)) == []
        process.kill()
    assert list(left_behind("p-", tmp_path)) == [held]


def test_only_folders_with_a_made_name_are_looked_at(tmp_path):
    for name in ("p-backup-of-mine", "p-note.txt", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "p-abcdefg1").symlink_to(tmp_path / "other")
    assert [path.name for path in left_behind("p-", tmp_path)] == []


def test_an_owned_folder_goes_with_its_content(tmp_path):
    owned = Owned("p-", tmp_path)
    (owned.path / "file").write_text("x")
    owned.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_request_to_end_does_not_leave_half_a_folder(tmp_path, monkeypatch):
    """It comes as the folder is being removed: the removal is ended, then the process."""
    owned, rmtree, turns = Owned("p-", tmp_path), shutil.rmtree, iter([KeyboardInterrupt])
    (owned.path / "file").write_text("x")

    def interrupted_once(path, **options):
        for stop in turns:
            raise stop
        rmtree(path, **options)

    monkeypatch.setattr("shutil.rmtree", interrupted_once)
    with pytest.raises(KeyboardInterrupt):
        owned.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_shared_folder_that_is_not_there_is_made(tmp_path):
    shared = tmp_path / "incidents" / "work"
    with work_folder(shared) as folder:
        assert folder.parent == shared
    kept = kept_folder("kept-", shared)
    assert list(shared.iterdir()) == [kept]


def test_a_shared_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"file/work: cannot be written .* name another folder with shared="):
        kept_folder("kept-", tmp_path / "file" / "work")


def test_a_folder_in_one_that_others_may_write_gets_no_more_rights_and_keeps_its_files(tmp_path):
    for given, made in ((0o1777, 0o1777), (0o777, 0o1777), (0o770, 0o1770), (0o755, 0o755), (0o700, 0o700)):
        (tmp_path / oct(given)).mkdir()
        (tmp_path / oct(given)).chmod(given)
        with work_folder(tmp_path / oct(given)) as folder:
            assert stat.S_IMODE(folder.stat().st_mode) == made
        assert stat.S_IMODE(shared_folder(tmp_path / oct(given)).stat().st_mode) == made & 0o755


def test_a_file_that_others_may_change_is_not_ones_own(tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    for mode, is_own in ((0o644, True), (0o600, True), (0o664, False), (0o646, False)):
        file.chmod(mode)
        assert is_own_file(file.stat()) == is_own
    assert not is_own_file(tmp_path.stat())
