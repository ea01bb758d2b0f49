"""What is handed over, whatever it is, ends up as files that Spark can read; what is not read, and what was changed, is told."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import json
import lzma
import os
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

from pipelines import text_files as texts
from pipelines.archives import Limits
from pipelines.found_files import Inputs
from pipelines.held_files import Handles
from pipelines.inputs import gather
from pipelines.room import Room
from replay.errors import InputError, OutputError
from tests.written import FIRST_LINES, SAID, text_of

LOG = text_of(FIRST_LINES["default"])
SHORT = "[2026-11-21 05:34:44,000] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)\n"
EPOCHS = "0\n2\n0 0\n1 17\n"


def laid(root: Path, files: dict[str, str | bytes]) -> Path:
    """A folder with these files."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


@pytest.fixture
def found(tmp_path):
    """Gathers paths into a work folder of its own each time."""
    turns = iter(range(100))

    def run(*paths: Path | str, nodes: dict[int, Path] | None = None, **options) -> Inputs:
        return gather(list(paths), nodes or {}, tmp_path / f"work-{next(turns)}", **options)

    return run


def sources(inputs: Inputs) -> dict[str, tuple[int | None, str]]:
    return {source.source_file: (source.node_id, source.layout) for source in inputs.sources}


def read(inputs: Inputs, name: str) -> str:
    """The text of a source as Spark will read it, parts put together."""
    return "".join(source.path.read_text("utf-8") for source in inputs.sources if source.source_file == name)


def remarks_on(pairs: list[tuple[str, str]], name: str) -> list[str]:
    return [line for file, line in pairs if file == name]


def tar_of(files: dict[str, str | bytes], mode: str = "w:gz") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as tar:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


def zip_of(files: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return out.getvalue()


# Folders and files


def test_a_folder_is_walked_and_every_file_is_read_from_a_copy(tmp_path, found):
    root = laid(
        tmp_path / "in",
        {
            "node-1/server.log": LOG,
            "node-1/server.log.2026-11-21-04": SHORT,
            "node-2/data/meta.properties": "node.id=2\n",
        },
    )
    inputs = found(root)
    assert sources(inputs) == {
        "node-1/server.log": (1, "default"),
        "node-1/server.log.2026-11-21-04": (1, "default"),
        "node-2/data/meta.properties": (2, "meta.properties"),
    }
    assert not any(source.path.is_symlink() for source in inputs.sources)
    assert (inputs.set_aside, inputs.remarks) == ([], [])


def test_a_missing_path_an_empty_folder_and_text_of_another_kind_are_errors(tmp_path, found):
    with pytest.raises(InputError, match="no such file or folder"):
        found(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="nothing to analyze there: no files"):
        found(tmp_path / "empty")
    with pytest.raises(InputError, match=r"no line looks like a Kafka log \(1 text files read\)"):
        found(laid(tmp_path / "poem", {"poem.log": "shall I compare thee\n"}))
    with pytest.raises(InputError, match=r"nothing to analyze there \(data: binary\)"):
        found(laid(tmp_path / "bits", {"data": bytes(range(256)) * 64}))


def test_a_stack_trace_of_kafkas_without_the_line_above_it_is_read_and_what_java_says_of_a_start(tmp_path, found):
    trace = "java.util.concurrent.CompletionException: odd\n\tat org.apache.kafka.controller.QuorumController.run(Q.java:1)\n"
    assert sources(found(laid(tmp_path / "pasted", {"pasted.txt": trace}))) == {"pasted.txt": (None, "any")}
    java = "Error: Could not find or load main class kafka.Kafka\n"
    assert sources(found(laid(tmp_path / "java", {"java.txt": java}))) == {"java.txt": (None, "any")}
    with pytest.raises(InputError, match="no line looks like a Kafka log"):
        found(laid(tmp_path / "others", {"others.txt": trace.replace("org.apache.kafka", "com.acme")}))


def test_a_pipe_is_read_to_its_end_and_a_device_is_refused(tmp_path, found):
    """As of `kubectl logs kafka-1 | kafka-replay lines -` and `kafka-replay analyze <(ssh broker-1 zcat server.log.gz)`."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(LOG,))
    writer.start()
    inputs = found(pipe)
    writer.join()
    assert sources(inputs) == {"pipe": (1, "default")}
    assert inputs.sources[0].path.read_text() == LOG
    with pytest.raises(InputError, match="/dev/zero: not a file, a folder or a pipe"):
        found(Path("/dev/zero"))


def test_loops_of_links_are_walked_once_and_dead_links_are_reported(tmp_path, found):
    root = laid(tmp_path / "in", {"node-1/server.log": LOG})
    (root / "node-1/again").symlink_to(root, target_is_directory=True)
    (root / "loop").symlink_to(root / "loop")
    inputs = found(root)
    assert list(sources(inputs)) == ["node-1/server.log"]
    assert remarks_on(inputs.set_aside, str(root / "loop")) == ["a link that leads nowhere"]


def test_a_file_given_twice_and_the_same_text_twice_are_read_once(tmp_path, found):
    root = laid(
        tmp_path / "in",
        {
            "node-1/server.log": LOG,
            "node-1/copy/server.log": LOG,
            "node-2/log-cleaner.log": SHORT.replace("id=1", "id=2"),
        },
    )
    inputs = found(root, root / "node-1")
    assert len(inputs.sources) == 2
    assert remarks_on(inputs.set_aside, "in/node-1/copy/server.log") == [
        "the same text as in/node-1/server.log: read once"
    ]
    assert "was given twice: read once" in remarks_on(inputs.remarks, "node-1/server.log")


def test_a_log_that_is_rotated_after_it_was_found_is_read_as_it_stood(tmp_path, found):
    root = laid(tmp_path / "in", {"node-1/server.log": LOG, "node-2/server.log": SHORT})
    inputs = found(root)
    (root / "node-1/server.log").rename(root / "node-1/server.log.1")
    laid(root, {"node-1/server.log": SHORT, "node-1/controller.log": SHORT})
    assert read(inputs, "node-1/server.log") == LOG
    assert inputs.watch.changes() == [
        ("node-1/server.log", "was rotated or replaced after it was found: read in its state at that time"),
        ("node-1/controller.log", "appeared after the files were found: not read"),
    ]


def test_what_a_log_grows_by_cut_or_removed_after_it_was_found_does_not_matter(tmp_path, found):
    root = laid(tmp_path / "in", {f"node-{n}/server.log": LOG for n in (1, 2, 3, 4)})
    inputs = found(root, nodes={4: root / "node-4"})
    with open(root / "node-1/server.log", "a") as file:
        file.write(SHORT)
    (root / "node-2/server.log").write_text("")
    (root / "node-3/server.log").unlink()
    assert read(inputs, "in/node-1/server.log") == LOG
    assert dict(inputs.watch.changes()) == {
        "in/node-1/server.log": "has grown since it was found: read up to its size at that time",
        "in/node-2/server.log": "was truncated after it was found: read in its state at that time",
        "in/node-3/server.log": "was removed or renamed after it was found: read in its state at that time",
    }


@pytest.mark.parametrize("handles", [100, 0])
def test_files_that_move_between_being_found_and_being_read_are_read(tmp_path, found, monkeypatch, handles):
    """A broker rotates while the first of many files is being copied, on a machine that lets many files be open or none."""
    root = laid(tmp_path / "in", {"a/server.log": LOG + SHORT, "node-1/server.log": LOG, "node-2/server.log": SHORT})
    monkeypatch.setattr("pipelines.held_files.handles_left", lambda: handles)
    copy = Handles.copy

    def rotated_meanwhile(self, held, to, room):
        if held.path == root / "a/server.log":
            (root / "node-1/server.log").rename(root / "node-1/server.log.1")
            laid(root, {"node-1/server.log": SHORT})
            (root / "node-2/server.log").unlink()
        return copy(self, held, to, room)

    monkeypatch.setattr(Handles, "copy", rotated_meanwhile)
    inputs = found(root)
    assert read(inputs, "node-1/server.log") == LOG
    if handles:
        assert read(inputs, "node-2/server.log") == SHORT
    else:
        assert remarks_on(inputs.set_aside, "node-2/server.log") == ["was removed or replaced before it could be read"]


def test_many_changed_files_are_one_line(tmp_path, found):
    root = laid(tmp_path / "in", {f"node-1/server.log.{n}": LOG[: len(LOG) - n] for n in range(20)})
    inputs = found(root)
    for file in (root / "node-1").iterdir():
        file.unlink()
    assert inputs.watch.changes() == [
        (
            "20 files",
            "such as node-1/server.log.0: each was removed or renamed after it was found: read in its state at that time",
        )
    ]


def test_a_full_disk_ends_the_gathering(tmp_path, found, monkeypatch):
    root = laid(tmp_path / "in", {"node-1/server.log": LOG, "node-1/controller.log.gz": gzip.compress(LOG.encode())})
    monkeypatch.setattr("pipelines.text_files._is_fit", lambda *_: _raise(OSError(28, "No space left on device")))
    with pytest.raises(OutputError, match="No space left on device"):
        found(root)


def _raise(error: Exception):
    raise error


def test_what_is_no_log_is_set_aside_with_a_word_on_what_to_do(tmp_path, found):
    inputs = found(
        laid(
            tmp_path / "in",
            {
                "node-1/server.log": LOG,
                "node-1/README.md": "# notes\n",
                "node-1/empty.log": " \n",
                "node-1/orders-0/00000000000000000017.log": b"\0\0\0\1payload",
                "node-1/__cluster_metadata-0/00000000000000000017.log": b"\0\0\0\1payload",
                "node-1/lib/kafka.jar": zip_of({"a.class": b"\xca\xfe"}),
                "node-1/a.zst": b"\x28\xb5\x2f\xfd\0\0",
                "node-1/a.bin": bytes(range(256)) * 64,
            },
        )
    )
    assert list(sources(inputs)) == ["node-1/server.log"]
    assert dict(inputs.set_aside) == {
        "node-1/README.md": "not a log or known evidence file: not read",
        "node-1/empty.log": "empty",
        "node-1/orders-0/00000000000000000017.log": "a segment of a log, not text; kafka-replay rescue reads it",
        "node-1/__cluster_metadata-0/00000000000000000017.log": "a segment of a log, not text; give the output of kafka-dump-log for it",
        "node-1/lib/kafka.jar": "binary",
        "node-1/a.zst": "packed with zstd: not read; unpack it first",
        "node-1/a.bin": "binary",
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_reported(tmp_path, found):
    root = laid(tmp_path / "in", {"node-1/server.log": LOG, "node-1/secret.log": LOG})
    (root / "node-1/secret.log").chmod(0)
    assert remarks_on(found(root).set_aside, "node-1/secret.log") == ["cannot be read: Permission denied"]


@pytest.mark.parametrize(("kept", "which"), [(0, "set_aside"), (4 << 20, "remarks")])
def test_a_file_system_that_fails_is_named_and_its_file_is_not_empty(tmp_path, found, monkeypatch, kept, which):
    root = laid(tmp_path / "in", {"node-1/server.log": SHORT * 60_000, "node-2/server.log": LOG})
    real, left = os.read, {}

    def read(handle, size):
        if os.readlink(f"/proc/self/fd/{handle}").endswith("node-1/server.log"):
            if left.setdefault(handle, kept) <= 0:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            left[handle] -= size
        return real(handle, size)

    monkeypatch.setattr(os, "read", read)
    said = dict(getattr(found(root), which))
    assert "Input/output error" in said["node-1/server.log"]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file here fails when it is read")
def test_a_file_that_fails_at_once_is_not_empty(found):
    with pytest.raises(InputError, match=r"mem: cannot be read: Input/output error"):
        found("/proc/self/mem")


def test_ten_thousand_tiny_files_are_gathered(tmp_path, found):
    root = tmp_path / "in"
    for node in range(10):
        laid(
            root,
            {
                f"node-{node}/server.log.{n:04d}": f"[2026-11-21 05:34:44,{n % 1000:03d}] INFO {n} [KafkaServer id={node}] started (k.K)\n"
                for n in range(1_000)
            },
        )
    assert len(found(root).sources) == 10_000


# Who wrote a file


def test_the_node_is_what_is_given_then_what_lines_print_then_what_the_path_says(tmp_path, found):
    silent = SHORT.replace("[KafkaServer id=1] ", "")
    root = laid(
        tmp_path / "in",
        {
            "node-3/server.log": SHORT,
            "broker-4/controller.log": silent,
            "kafka-3.7.2/x.log": silent.replace("44", "45"),
            "mine/x.log": LOG,
        },
    )
    inputs = found(root, nodes={9: root / "mine"})
    assert sources(inputs) == {
        "mine/x.log": (9, "default"),
        "in/node-3/server.log": (1, "default"),
        "in/broker-4/controller.log": (4, "default"),
        "in/kafka-3.7.2/x.log": (None, "default"),
    }
    assert remarks_on(inputs.remarks, "in/node-3/server.log") == [
        "its path names node 3, its lines node 1: read as node 1's"
    ]


def test_a_file_that_says_nothing_belongs_to_the_node_of_its_folder(tmp_path, found):
    inputs = found(
        laid(tmp_path / "in", {"a/server.log": LOG, "a/gc/log-cleaner.log": SHORT.replace("[KafkaServer id=1] ", "")})
    )
    assert {node for node, _ in sources(inputs).values()} == {1}


def test_two_nodes_in_one_file_and_one_node_in_two_places_are_reported(tmp_path, found):
    other = "".join(SHORT.replace("id=1", "id=2").replace("44,000", f"44,{n:03d}") for n in range(9))
    inputs = found(laid(tmp_path / "in", {"a/server.log": SHORT * 20 + other, "b/server.log": LOG}))
    assert remarks_on(inputs.remarks, "a/server.log") == [
        "holds lines of node 1 and node 2: each line counts for the node that it names, and for none if it names none"
    ]
    assert sources(inputs) == {"a/server.log": (None, "default"), "b/server.log": (1, "default")}


def test_the_other_files_of_a_folder_that_nodes_share_are_theirs_too(tmp_path, found):
    other = SHORT.replace("id=1", "id=2")
    files = {"logs/server.log.2026-11-21-05": SHORT + other, "logs/server.log": LOG, "logs/log-cleaner.log": "" + SHORT}
    inputs = found(laid(tmp_path / "in", {**files, "node-4/server.log": SHORT.replace("id=1", "id=4")}))
    assert {name: node for name, (node, _) in sources(inputs).items()} == {
        "logs/server.log.2026-11-21-05": None,
        "logs/server.log": None,
        "logs/log-cleaner.log": None,
        "node-4/server.log": 4,
    }
    assert inputs.shared["logs/server.log"] == {1, 2}


def test_a_merged_file_is_distinguished_by_its_prefix_and_lines_keep_their_numbers(tmp_path, found):
    lines = [
        "Attaching to kafka-1, kafka-2, zoo",
        "kafka-1  | " + SHORT.strip(),
        "kafka-2  | " + SHORT.strip().replace("id=1", "id=1002"),
        "zoo      | 2026-11-21 05:34:44,001 [myid:1] - INFO  [main:QuorumPeerConfig@136] - Reading configuration",
        "kafka-1  | \tat a.B.c(B.java:1)",
    ]
    inputs = found(laid(tmp_path / "in", {"compose.log": "\n".join(lines)}))
    assert {(s.node_id, s.layout, s.first_line) for s in inputs.sources} == {
        (1, "compose+default", 2),
        (1002, "compose+default", 3),
        (None, "compose+zookeeper", 4),
        (None, "plain", 1),
    }
    (first,) = [s for s in inputs.sources if s.node_id == 1]
    assert first.path.read_text() == f"{lines[1]}\n\n\n{lines[4]}\n"
    assert remarks_on(inputs.remarks, "compose.log") == [
        "holds the lines of 3 writers: kafka-1 is node 1; kafka-2 is node 1002"
    ]


def test_a_label_without_printed_ids_names_the_node(tmp_path, found):
    silent = SHORT.replace("[KafkaServer id=1] ", "")
    text = "".join(f"[pod/my-cluster-kafka-{n}/kafka] {silent}" for n in (0, 2))
    assert sorted(s.node_id for s in found(laid(tmp_path / "in", {"pods.txt": text})).sources) == [0, 2]


def test_a_folder_of_a_moment_shows_when_its_files_stood_so(tmp_path, found):
    inputs = found(laid(tmp_path / "in", {"node-2/20261121T070252Z/data/orders-0/leader-epoch-checkpoint": EPOCHS}))
    assert [s.as_of.isoformat() for s in inputs.sources] == ["2026-11-21T07:02:52+00:00"]


# Layouts


def test_a_site_names_its_own_layout(tmp_path, found):
    root = laid(tmp_path / "in", {"node-1/app.log": "21.11.2026 05:34:44.000|INFO|kafka.server.KafkaServer|started\n"})
    (remark,) = found(root).remarks
    assert remark[0] == "node-1/app.log" and "read by the pattern of its lines, like --layout" in remark[1]
    assert sources(found(root, layout="%d{dd.MM.yyyy HH:mm:ss.SSS}|%p|%c|%m%n")) == {
        "node-1/app.log": (1, "log4j:%d{dd.MM.yyyy HH:mm:ss.SSS}|%p|%c|%m%n"),
    }
    with pytest.raises(InputError, match="it prints no message"):
        found(root, layout="%d %p%n")


# Archives


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("logs.tar.gz", tar_of),
        ("logs.tgz", tar_of),
        ("logs.tar", lambda files: tar_of(files, "w")),
        ("logs.tar.bz2", lambda files: tar_of(files, "w:bz2")),
        ("logs.tar.xz", lambda files: tar_of(files, "w:xz")),
        ("logs.zip", zip_of),
    ],
)
def test_an_archive_is_read_like_a_folder(tmp_path, found, name, pack):
    inputs = found(
        laid(
            tmp_path / "in",
            {name: pack({"node-1/server.log": LOG, "node-1/data/orders-0/leader-epoch-checkpoint": EPOCHS})},
        )
    )
    assert sources(inputs) == {
        f"{name}/node-1/server.log": (1, "default"),
        f"{name}/node-1/data/orders-0/leader-epoch-checkpoint": (1, "leader-epoch-checkpoint"),
    }
    assert read(inputs, f"{name}/node-1/server.log") == LOG


@pytest.mark.parametrize(
    ("name", "pack"),
    [("server.log.1.gz", gzip.compress), ("server.log.1.bz2", bz2.compress), ("server.log.1.xz", lzma.compress)],
)
def test_a_packed_file_is_read_under_its_own_name(tmp_path, found, name, pack):
    inputs = found(laid(tmp_path / "in", {f"node-1/{name}": pack(LOG.encode())}))
    assert sources(inputs) == {f"node-1/{name}": (1, "default")}
    assert read(inputs, f"node-1/{name}") == LOG


def test_packed_files_in_archives_in_archives_are_read(tmp_path, found):
    inner = tar_of({"logs/server.log.2026-11-21-04.gz": gzip.compress(LOG.encode())})
    inputs = found(
        laid(
            tmp_path / "in",
            {
                "support.zip": zip_of(
                    {
                        "reports/podlogs/kafka-1.tgz": inner,
                        "reports/podlogs/kafka-0.log.0": SHORT.replace("id=1", "id=0"),
                    }
                )
            },
        )
    )
    assert sources(inputs) == {
        "support.zip/reports/podlogs/kafka-1.tgz/logs/server.log.2026-11-21-04.gz": (1, "default"),
        "support.zip/reports/podlogs/kafka-0.log.0": (0, "default"),
    }


def test_an_archive_too_deep_in_others_is_set_aside(tmp_path, found):
    deep = SHORT.encode()
    for level in range(5):
        deep = zip_of({f"{level}.zip" if level else "server.log": deep})
    inputs = found(laid(tmp_path / "in", {"node-1/server.log": LOG, "deep.zip": deep}))
    assert inputs.set_aside == [("deep.zip/4.zip/3.zip/2.zip", "an archive within 3 others: not read; unpack it first")]


def test_a_gzip_that_was_cut_short_gives_what_is_there(tmp_path, found):
    text = "".join(SHORT.replace("44,000", f"{n // 1000 % 60:02d},{n % 1000:03d}") for n in range(40_000))
    packed = gzip.compress(text.encode())
    inputs = found(laid(tmp_path / "in", {"node-1/server.log.gz": packed[: len(packed) // 2]}))
    kept = read(inputs, "node-1/server.log.gz")
    assert text.startswith(kept.rstrip("\n")) and len(kept) > len(text) // 4
    (remark,) = remarks_on(inputs.remarks, "node-1/server.log.gz")
    assert (
        remark.startswith("is cut short or damaged") and f"read up to the damage, {len(kept.rstrip()):,}"[:30] in remark
    )


def test_a_tar_that_was_cut_short_gives_the_files_before(tmp_path, found):
    packed = tar_of({"node-1/server.log": LOG, "node-1/controller.log": SHORT * 5_000}, "w")
    inputs = found(laid(tmp_path / "in", {"logs.tar": packed[:100_000]}))
    assert sources(inputs) == {
        "logs.tar/node-1/server.log": (1, "default"),
        "logs.tar/node-1/controller.log": (1, "default"),
    }
    assert any("is cut short or damaged" in line for _, line in inputs.remarks)


def test_an_encrypted_zip_is_set_aside(tmp_path, found):
    packed = bytearray(zip_of({"server.log": LOG}))
    packed[6] |= 1  # the flag in the file's own header, and in the directory's
    packed[packed.rindex(b"PK\x01\x02") + 8] |= 1
    inputs = found(laid(tmp_path / "in", {"node-1/server.log": LOG, "locked.zip": bytes(packed)}))
    assert remarks_on(inputs.set_aside, "locked.zip/server.log") == ["encrypted: not read; unpack it first"]


def test_a_zip_without_its_end_is_set_aside(tmp_path, found):
    inputs = found(laid(tmp_path / "in", {"node-1/server.log": LOG, "cut.zip": zip_of({"server.log": LOG})[:-30]}))
    assert remarks_on(inputs.set_aside, "cut.zip") == ["cannot be unpacked: File is not a zip file"]


def test_a_bomb_is_set_aside_whole_and_leaves_nothing(tmp_path, found):
    root = laid(
        tmp_path / "in", {"node-1/server.log": LOG, "bomb.zip": zip_of({"a.log": b"\n" * 4_000_000, "b.log": LOG})}
    )
    inputs = found(root, limits=Limits(ratio=100, ratio_from=1_000_000))
    assert inputs.set_aside == [
        ("bomb.zip", "it unpacks to more than 100 times its size: not read; unpack it yourself and give the folder")
    ]
    assert not list((tmp_path / "work-0/unpacked").rglob("0*/0*"))
    inputs = found(root, limits=Limits(total_bytes=1_000_000))
    assert inputs.set_aside == [
        ("bomb.zip", "it unpacks to more than 0 MB: not read; unpack it yourself and give the folder")
    ]
    inputs = found(root, limits=Limits(members=1))
    assert inputs.set_aside == [
        ("bomb.zip", "it holds more than 1 files: not read; unpack it yourself and give the folder")
    ]


@pytest.mark.parametrize("name", ["../server.log", "/etc/server.log", "a/../../server.log", "C:\\server.log"])
def test_a_name_that_leads_out_of_its_archive_is_refused(tmp_path, found, name):
    for archive, pack in (("a.tar", lambda files: tar_of(files, "w")), ("a.zip", zip_of)):
        inputs = found(
            laid(
                tmp_path / f"in-{archive}",
                {"node-1/server.log": LOG, archive: pack({name: SHORT, "node-2/x.log": SHORT.replace("id=1", "id=2")})},
            )
        )
        assert remarks_on(inputs.set_aside, f"{archive}/{name}") == ["its name leads out of the archive: refused"]
        assert f"{archive}/node-2/x.log" in sources(inputs)
    assert not list(tmp_path.parent.glob("server.log"))


def test_links_in_archives_are_refused(tmp_path, found):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for kind, target in ((tarfile.SYMTYPE, "/etc/passwd"), (tarfile.LNKTYPE, "other")):
            member = tarfile.TarInfo(f"link-{kind.decode()}")
            member.type, member.linkname = kind, target
            tar.addfile(member)
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr(link, "/etc/passwd")
    inputs = found(
        laid(tmp_path / "in", {"node-1/server.log": LOG, "a.tar": out.getvalue(), "a.zip": packed.getvalue()})
    )
    refused = "a link or a device, which no archive of logs needs: refused"
    assert sorted(inputs.set_aside) == [("a.tar/link-1", refused), ("a.tar/link-2", refused), ("a.zip/link", refused)]


# Text that is not as it should be


def test_utf_16_is_read_with_a_byte_order_mark_and_without(tmp_path, found):
    inputs = found(
        laid(
            tmp_path / "in",
            {
                "node-1/a.log": LOG.encode("utf-16"),
                "node-1/b.log": SHORT.encode("utf-16-be"),
                "c.log": b"\xef\xbb\xbf" + (LOG * 2).encode(),
            },
        )
    )
    assert (
        read(inputs, "node-1/a.log") == LOG
        and read(inputs, "node-1/b.log") == SHORT
        and read(inputs, "c.log") == LOG * 2
    )
    assert inputs.remarks == [
        ("node-1/a.log", "is UTF-16: read as UTF-8"),
        ("node-1/b.log", "is UTF-16-BE: read as UTF-8"),
    ]


def test_nul_bytes_are_left_out_and_counted(tmp_path, found):
    torn = LOG.encode().replace(b"Shrinking", b"Shr\0\0inking") + bytes(5) + SHORT.encode()
    inputs = found(
        laid(tmp_path / "in", {"node-1/server.log": torn, "node-1/sparse.log": bytes(700_000) + SHORT.encode() * 5_000})
    )
    assert read(inputs, "node-1/server.log") == LOG + SHORT
    assert inputs.remarks[0] == ("node-1/server.log", "holds 7 NUL or other control bytes: left out")
    assert read(inputs, "node-1/sparse.log") == SHORT * 5_000


def test_a_log_is_no_binary_file_however_much_of_it_is_damaged(tmp_path, found):
    inputs = found(
        laid(
            tmp_path / "in",
            {"node-1/server.log": bytes(range(128, 192)) + b"\n" + SHORT.encode() + bytes(range(128, 192)) * 9},
        )
    )
    assert sources(inputs) == {"node-1/server.log": (1, "default")}
    assert inputs.remarks == [("node-1/server.log", "holds 640 bytes that are not UTF-8: replaced")]


def test_bytes_that_are_not_utf_8_are_replaced_and_counted(tmp_path, found):
    inputs = found(
        laid(
            tmp_path / "in", {"node-1/server.log": LOG.encode().replace(b"Shrinking", b"Sch\xfcr\xfeumpf \xef\xbf\xbd")}
        )
    )
    assert "Sch\ufffdr\ufffdumpf \ufffd ISR" in read(inputs, "node-1/server.log")
    assert inputs.remarks == [("node-1/server.log", "holds 2 bytes that are not UTF-8: replaced")]


def test_line_ends_of_every_kind_are_read(tmp_path, found):
    inputs = found(
        laid(
            tmp_path / "in",
            {"node-1/dos.log": LOG.replace("\n", "\r\n"), "node-1/mac.log": SHORT.replace("\n", "\r") * 2},
        )
    )
    assert read(inputs, "node-1/dos.log") == LOG and read(inputs, "node-1/mac.log") == SHORT * 2


def test_a_line_of_100_mb_is_cut_and_told(tmp_path, found):
    size = 100 << 20
    inputs = found(
        laid(
            tmp_path / "in",
            {"node-1/server.log": SHORT.encode() + b"x" * size + b"\n" + SHORT.encode().replace(b"44", b"45")},
        )
    )
    lines = read(inputs, "node-1/server.log").split("\n")
    assert [len(line) for line in lines] == [len(SHORT) - 1, texts.LINE_BYTES, len(SHORT) - 1, 0]
    assert inputs.remarks == [
        ("node-1/server.log", f"line 2 is {size:,} bytes long: its first {texts.LINE_BYTES:,} are read")
    ]


def test_a_file_cut_in_mid_line_keeps_its_last_line(tmp_path, found):
    inputs = found(laid(tmp_path / "in", {"node-1/server.log": LOG.rstrip()[:-20].replace("\n", "\r\n")}))
    assert read(inputs, "node-1/server.log") == LOG.rstrip()[:-20] + "\n"


def test_blank_lines_at_the_head_are_skipped_and_counted_in_line_numbers(tmp_path, found):
    inputs = found(laid(tmp_path / "in", {"node-1/server.log": "\n \n\n" + SHORT}))
    assert [(s.first_line, s.path.read_text()) for s in inputs.sources] == [(4, SHORT)]


def test_two_records_on_a_line_get_a_remark_and_are_split_by_the_parser(tmp_path, found):
    inputs = found(laid(tmp_path / "in", {"node-1/server.log": LOG + SHORT.strip() + SHORT}))
    assert sources(inputs) == {"node-1/server.log": (1, "joined+default")}
    assert remarks_on(inputs.remarks, "node-1/server.log") == [
        "holds more than one record on a line, first in line 12: split"
    ]


@pytest.mark.parametrize("runtime", ["cri", "docker-json"])
def test_a_line_that_the_container_runtime_cut_is_put_together(tmp_path, found, runtime):
    def piece(text: str, last: bool) -> str:
        if runtime == "cri":
            return f"2026-11-21T05:34:45.123456789Z stdout {'F' if last else 'P'} {text}"
        return json.dumps(
            {"log": text + ("\n" if last else ""), "stream": "stdout", "time": "2026-11-21T05:34:45.123456789Z"},
            separators=(",", ":"),
        )

    whole = [piece(line, True) for line in LOG.splitlines()]
    cut = [piece(SHORT[:20], False), piece(SHORT[20:40], False), piece(SHORT[40:].strip(), True)]
    inputs = found(laid(tmp_path / "in", {"node-1/0.log": "\n".join([*whole, *cut, *whole]) + "\n"}))
    assert sources(inputs) == {"node-1/0.log": (1, f"{runtime}+default")}
    assert read(inputs, "node-1/0.log").split("\n") == [*whole, piece(SHORT.strip(), True), "", "", *whole, ""]
    assert remarks_on(inputs.remarks, "node-1/0.log") == [
        "holds 1 lines that the container runtime had cut into pieces: put together"
    ]


def test_a_large_file_is_cut_into_parts_where_records_begin(tmp_path, found, monkeypatch):
    monkeypatch.setattr(texts, "PART_BYTES", 20_000)
    monkeypatch.setattr(texts, "_CHUNK", 5_000)
    text = "".join(text_of(FIRST_LINES["default"], (record,)) for _ in range(60) for record in SAID)
    inputs = found(laid(tmp_path / "in", {"node-1/server.log": text}))
    assert len(inputs.sources) > 2
    line_number = 1
    for source in inputs.sources:
        part = source.path.read_text()
        assert part.startswith("[2026-") and source.first_line == line_number
        line_number += part.count("\n")
    assert read(inputs, "node-1/server.log") == text


def test_any_mix_of_chunks_gives_the_same_text(tmp_path, found, monkeypatch):
    raw = LOG.replace("\n", "\r\n").encode() + b"\r\n\xff\0" + SHORT.encode()
    expected = None
    for chunk in (1, 2, 7, 64, 10_000):
        monkeypatch.setattr(texts, "_CHUNK", chunk)
        inputs = found(laid(tmp_path / "in", {"node-1/server.log": raw}))
        got = (read(inputs, "node-1/server.log"), inputs.remarks)
        expected = expected or got
        assert got == expected
    assert expected[0] == LOG + "\n\ufffd" + SHORT


# Witness files


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        (
            "data/orders-0/leader-epoch-checkpoint",
            "0\n3\n0 0\n1 17\n",
            "says 3 entries and holds 2: cut short or mixed up, not believed",
        ),
        (
            "data/leader-epoch-checkpoint",
            EPOCHS,
            "stands in no folder of a partition (topic-0): whose leader epochs it holds is not known",
        ),
        (
            "data/orders-0/leader-epoch-checkpoint",
            "0\n2\n1 17\n0 0\n",
            "its leader epochs or their start offsets do not grow: damaged, not believed",
        ),
        ("data/replication-offset-checkpoint", "0\n1\norders 0\n", "line 3 is no entry: damaged, not believed"),
        (
            "data/replication-offset-checkpoint",
            "0\n2\norders 0 5\norders 0 6\n",
            "holds a partition twice: damaged, not believed",
        ),
        ("data/quorum-state", '{"leaderId":1,"leader', "is not whole: cut short, not believed"),
        ("data/meta.properties", "#\n#Mon\nversion=1\n", "names neither node nor cluster: cut short, not believed"),
        (
            "data/orders-0/partition.metadata",
            "version: 0\ntopic_id: abc",
            "has no whole topic id, or stands in no folder of a partition: not believed",
        ),
    ],
)
def test_a_witness_that_cannot_be_believed_is_set_aside(tmp_path, found, name, text, why):
    inputs = found(laid(tmp_path / "in", {"node-1/server.log": LOG, f"node-1/{name}": text}))
    assert remarks_on(inputs.set_aside, f"node-1/{name}") == [why]


def test_files_of_two_clusters_are_reported(tmp_path, found):
    inputs = found(
        laid(
            tmp_path / "in",
            {
                "node-1/meta.properties": "node.id=1\ncluster.id=aaa\n",
                "node-2/meta.properties": "node.id=2\ncluster.id=bbb\n",
            },
        )
    )
    assert inputs.remarks == [
        (
            "node-2/meta.properties",
            "is of cluster bbb, node-1/meta.properties of cluster aaa: files of two clusters are mixed",
        )
    ]


CLUSTER = "[2026-11-21 05:37:30,000] INFO Cluster ID = {}{} (kafka.server.KafkaServer)\n" + SHORT.replace(
    "[KafkaServer id=1] ", ""
)


def _of_clusters(*folders: str) -> dict[str, str]:
    """Logs of nodes 1 and 2 in each of the folders, each of a cluster of its own."""
    return {
        f"{folder}node-{node}/{file}": CLUSTER.format("x" * 21, number)
        for number, (folder, file) in enumerate(f.split(":") for f in folders)
        for node in (1, 2)
    }


def test_files_of_two_clusters_with_the_same_node_ids_are_refused(tmp_path, found):
    with pytest.raises(
        InputError,
        match=r"mixed: node 1 is of cluster x+0 under a/node-1, and of cluster x+1 under b/node-1; analyze one cluster at a time",
    ):
        found(laid(tmp_path / "in", _of_clusters("a/:server.log", "b/:server.log")))
    assert len(found(tmp_path / "in", mixed=True).sources) == 4  # `catalogue --unmatched` asks about single lines


def test_a_cluster_that_was_made_again_in_the_same_place_is_reported_and_read(tmp_path, found):
    inputs = found(laid(tmp_path / "in", _of_clusters(":server.log.1", ":server.log")))
    assert len(inputs.sources) == 4
    assert [why for _, why in inputs.remarks if "two clusters" in why]


def test_a_log_in_no_known_layout_is_reported(tmp_path, found):
    strange = "".join(
        f"Sat 2026-11-21 05:37:{second:02d} UTC host1 kafka[812]: started (kafka.server.KafkaServer)\n"
        for second in range(30)
    )
    inputs = found(laid(tmp_path / "in", {"node-1/server.log": LOG, "node-2/server.log": strange}))
    assert remarks_on(inputs.remarks, "node-2/server.log") == [
        "is in no known layout: its lines have no time; give the log4j pattern it is written in (--layout)"
    ]


@pytest.mark.parametrize(
    ("more", "remarks"),
    [
        ("Dumping heap to java_pid76.hprof ...\n", 0),
        pytest.param("somebody printed this\n", 1, id="an unknown line"),
    ],
)
def test_the_known_output_of_java_needs_no_layout(tmp_path, found, more, remarks):
    text = "Terminating due to java.lang.OutOfMemoryError: Java heap space\n" + more
    inputs = found(laid(tmp_path / "in", {"node-1/server.log": LOG, "node-1/kafkaServer.out": text}))
    assert len(remarks_on(inputs.remarks, "node-1/kafkaServer.out")) == remarks
    assert "node-1/kafkaServer.out" in sources(inputs)


def test_a_log_of_which_only_the_levels_are_known_is_read_by_them(tmp_path, found):
    bare = "ERROR started (kafka.server.KafkaServer)\n\tat kafka.Kafka.main(Kafka.scala)\nWARN stopped\n"
    inputs = found(laid(tmp_path / "in", {"node-1/server.log": LOG, "node-2/server.log": bare}))
    assert remarks_on(inputs.remarks, "node-2/server.log") == [
        "matches no known layout: read by the level in its lines, in the order of the file"
    ]
    assert sources(inputs)["node-2/server.log"] == (2, "any")


@pytest.mark.parametrize(
    "line",
    [
        "WARN [Controller 1] createTopics: failed with unknown server exception X at epoch 14 in 193 us.  Renouncing leadership and reverting to the last committed offset 28. (org.apache.kafka.controller.QuorumController)",
        "ERROR [main] BrokerServer - [BrokerServer id=XXXXX] Fatal error during broker startup. Prepare to shutdown",
    ],
)
def test_one_line_that_says_what_kafka_says_is_enough(tmp_path, found, line):
    text = line + "\n" + "".join(f"    at org.apache.kafka.X.m{n}(X.java:{n})\n" for n in range(8))
    inputs = found(laid(tmp_path / "in", {"node-1/server.log": LOG, "node-2/server.log": text}))
    assert sources(inputs)["node-2/server.log"][1] == "any"


def test_stamps_of_another_calendar_are_reported(tmp_path, found):
    inputs = found(laid(tmp_path / "in", {"node-1/server.log": LOG.replace("[2026-", "[2569-")}))
    assert sources(inputs)["node-1/server.log"] == (1, "buddhist+default")
    assert remarks_on(inputs.remarks, "node-1/server.log") == [
        "has stamps of the Buddhist calendar: 543 years were taken off each (2565 is 2022)"
    ]


def test_a_brokers_settings_show_its_node(tmp_path, found):
    inputs = found(
        laid(
            tmp_path / "in",
            {
                "x/server.properties": "broker.id=7\nlog.dirs=/d\nlisteners=PLAINTEXT://:9092\n",
                "x/server.log": SHORT.replace("[KafkaServer id=1] ", ""),
            },
        )
    )
    assert sources(inputs) == {"x/server.log": (7, "default"), "x/server.properties": (7, "server.properties")}


# URLs


def test_a_url_is_read_by_spark(spark, tmp_path, found):
    root = laid(tmp_path / "in", {"node-1/server.log": LOG, "node-1/old/server.log.gz": gzip.compress(SHORT.encode())})
    inputs = found(f"file://{root}", spark=spark)
    assert sources(inputs) == {"node-1/server.log": (1, "default"), "node-1/old/server.log.gz": (1, "default")}
    assert read(inputs, "node-1/server.log") == LOG and read(inputs, "node-1/old/server.log.gz") == SHORT
    assert sources(found(f"file://{root}/node-1/server.log", spark=spark)) == {"server.log": (1, "default")}


def test_a_file_under_a_url_that_goes_before_it_is_read_is_set_aside(spark, tmp_path, found, monkeypatch):
    root = laid(tmp_path / "in", {"node-1/server.log": LOG, "node-2/server.log": LOG})

    frame = type(spark.range(1))

    def gone(content, *, first=frame.first):
        if content.inputFiles()[0].endswith("/node-2/server.log"):
            (root / "node-2/server.log").unlink()
        return first(content)

    monkeypatch.setattr(frame, "first", gone)
    before = spark.conf.get("spark.sql.files.ignoreMissingFiles")
    spark.conf.set("spark.sql.files.ignoreMissingFiles", "true")
    try:
        inputs = found(f"file://{root}", spark=spark)
    finally:
        spark.conf.set("spark.sql.files.ignoreMissingFiles", before)
    assert sources(inputs) == {"node-1/server.log": (1, "default")}
    assert inputs.set_aside == [("node-2/server.log", "was removed before it could be read")]


def test_a_url_that_is_not_there_is_an_error(spark, tmp_path, found):
    with pytest.raises(InputError, match="cannot be listed by Spark"):
        found(f"file://{tmp_path}/nowhere", spark=spark)


def test_what_kafkas_tools_printed_is_taken_and_set_aside_where_it_was_cut_short(tmp_path, found):
    described = "Topic: orders\tPartitionCount: 2\tReplicationFactor: 1\n\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
    root = laid(
        tmp_path / "in",
        {
            "20261121T053822Z/groups.txt": "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID\nbilling orders 0 12 15 3 -\n",
            "20261121T053822Z/offsets.txt": "orders:0:15\norders:1:17\n",
            "cut/offsets.txt": "orders:0:15\norders:1",
            "cut/topics.txt": described,
        },
    )
    inputs = found(root)
    assert {s.source_file: (s.layout, str(s.as_of)) for s in inputs.sources} == {
        "20261121T053822Z/groups.txt": ("consumer-groups-describe", "2026-11-21 05:38:22+00:00"),
        "20261121T053822Z/offsets.txt": ("get-offsets", "2026-11-21 05:38:22+00:00"),
    }
    assert dict(inputs.set_aside) == {
        "cut/offsets.txt": "line 2, its last, is no entry: cut short, not believed",
        "cut/topics.txt": "says 2 partitions of orders and lists 1: cut short, not believed",
    }


def test_a_hole_of_a_sparse_file_is_left_out(tmp_path):
    """A copy of the hole would fill the disk."""
    file, line = tmp_path / "server.log", b"[2026-11-21 05:34:43,123] INFO started (kafka.X)\n"
    with file.open("wb") as out:
        out.write(line)
        out.seek(1 << 40)
        out.write(line)
        out.truncate(1 << 41)
    handles, copy = Handles(), tmp_path / "copy"
    copied = handles.copy(handles.hold(file), copy, Room(tmp_path))
    assert copy.stat().st_size < 16 << 20
    assert copy.read_bytes().replace(b"\0", b"") == 2 * line
    assert copied.remark is not None and copied.remark.startswith("has holes of 2,19")


def test_a_link_out_of_a_folder_is_followed_only_if_it_is_named(tmp_path, found):
    root = laid(tmp_path / "in", {"node-1/server.log": LOG})
    laid(tmp_path / "elsewhere", {"controller.log": SHORT})
    (root / "node-1/controller.log").symlink_to(tmp_path / "elsewhere/controller.log")
    (root / "node-2").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (root / "node-1/current.log").symlink_to("server.log")
    inputs = found(root)
    assert list(sources(inputs)) == ["node-1/current.log"]  # one file under two names
    for name in ("node-1/controller.log", "node-2"):
        (told,) = remarks_on(inputs.set_aside, str(root / name))
        assert told.startswith("a link out of the folder that was given: not followed")
    assert "controller.log" in sources(found(root / "node-1/controller.log"))
