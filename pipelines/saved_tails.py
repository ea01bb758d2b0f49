"""Saves the ends of replicas' logs before a restart truncates them: `collect … --tails`.

For each partition, the segments that can hold records which a later leader discards: those from a lost offset on, if a
result names one; else those written lately, and in any case those from the high watermark checkpoint or the last
leader epoch on, whichever is lower. The indexes beside them belong to them;
the checkpoint files are in the archive already.
"""

from __future__ import annotations

import io
import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from pipelines.evidence_files import Archive, checkpoint_place, folder_names, is_checkpoint
from pipelines.tools import asked

_PARTITION = re.compile(r"(?P<topic>[A-Za-z0-9._-]{1,249})-(?P<partition>\d{1,9})")
_SEGMENT = re.compile(r"(?P<base>\d{20})\.(?:log|index|timeindex|txnindex|snapshot)")
_TRUNCATED = re.compile(
    r"Log partition=(\S{1,260}?), dir=[^\]]{0,400}\] Truncating to offset|Truncating log \S{1,260} to offset"
)
_STARTS = re.compile(r"INFO (?:\[Kafka(?:Raft)?Server id=\d+\] |.{0,40})starting \(kafka\.server\.Kafka")
HOURS = 6.0  # segments written within the last hours are saved, unless a result names the lost offsets
LIMIT_BYTES = 2 << 30
_MOST_TEXT = 16 << 20


@dataclass(frozen=True)
class Wanted:
    """What to save: the topics (none: all), the lost offsets of a result by partition, the last hours, and the limit."""

    topics: Collection[str] = ()
    lost_from: Mapping[str, int] | None = None
    hours: float = HOURS
    limit: int = LIMIT_BYTES

    def takes(self, topic: str) -> bool:
        return not self.topics or topic in self.topics


@dataclass(frozen=True)
class TailFile:
    """A file of a partition folder: its path below the data directory, size, and when it was last written (None:
    unknown).
    """

    path: str
    size: int
    written: float | None

    @property
    def folder(self) -> str:
        return PurePosixPath(self.path).parent.name

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def base(self) -> int | None:
        found = _SEGMENT.fullmatch(self.name)
        return None if found is None else int(found["base"])


@dataclass
class DataDirectory:
    """A data directory and how its files are read. `text`: of a checkpoint file, empty if there is none; `store`: adds
    files to the archive, each under its name.
    """

    shown: str
    short: str
    files: Sequence[TailFile]
    text: Callable[[str], str]
    store: Callable[[Mapping[TailFile, str]], None]
    truncated: Collection[str] = field(default=())


def save(archive: Archive, place: str, when: str, data: Sequence[DataDirectory], wanted: Wanted) -> Iterator[str]:
    """Add the tails of a node's data directories to the archive. Yields what it does, first how much there is.

    Nothing is taken beyond the limit; the archive has a note instead.
    """
    chosen = [(one, list(chosen_files(one, wanted))) for one in data]
    size = sum(file.size for _, files in chosen for file in files)
    partitions = len({(one.shown, file.folder) for one, files in chosen for file in files})
    yield f"Tails of {place.replace('-', ' ')}: {partitions:,} partition{'' if partitions == 1 else 's'}, {size / 1e6:,.1f} MB"
    if size > wanted.limit:
        archive.miss(
            f"the tails of {place}: {size / 1e6:,.0f} MB, above the limit of {wanted.limit / 1e6:,.0f} MB: name topics with "
            "--topic, or raise --tails-limit"
        )
        return
    for one, files in chosen:
        late = sorted({file.folder for file in files} & set(one.truncated))
        if late:
            archive.miss(
                f"{one.shown}: {', '.join(late[:8])}{f' and {len(late) - 8} more' if len(late) > 8 else ''}: the broker runs "
                "again and truncated these logs: too late for them"
            )
        one.store({file: checkpoint_place(place, when, one.short, f"{file.folder}/{file.name}") for file in files})


def chosen_files(data: DataDirectory, wanted: Wanted, now: float | None = None) -> Iterator[TailFile]:
    """The files to save, by partition: segments from the first needed offset on, with what belongs to them."""
    by_folder: dict[str, list[TailFile]] = defaultdict(list)
    for file in data.files:
        named = _PARTITION.fullmatch(file.folder)
        if named is not None and wanted.takes(named["topic"]) and not named["topic"].startswith("__"):
            by_folder[file.folder].append(file)
    watermarks = _offsets(data.text("replication-offset-checkpoint"))
    for folder, files in sorted(by_folder.items()):
        starts = _offsets(data.text(f"{folder}/leader-epoch-checkpoint"))
        first = _first(folder, files, watermarks.get(folder), max(starts.values(), default=None), wanted, now)
        for file in sorted(files, key=lambda one: one.name):
            if file.base is not None and first is not None and file.base >= first:
                yield file


def _first(
    folder: str,
    files: Sequence[TailFile],
    watermark: int | None,
    epoch_start: int | None,
    wanted: Wanted,
    now: float | None,
) -> int | None:
    """The base offset of the first segment to save; None if no segment is needed."""
    segments = [file for file in files if file.base is not None and file.name.endswith(".log")]
    if wanted.lost_from is not None:
        lost = wanted.lost_from.get(folder)
        return None if lost is None else _segment_of(segments, lost)
    known = [offset for offset in (watermark, epoch_start) if offset is not None]
    bases = [_segment_of(segments, min(known, default=0))]
    since = (time.time() if now is None else now) - wanted.hours * 3600
    bases += [file.base for file in segments if file.written is not None and file.written >= since]
    return min((base for base in bases if base is not None), default=None)


def _segment_of(segments: Iterable[TailFile], offset: int) -> int | None:
    """The base offset of the segment that holds the offset, else of the first one."""
    bases = sorted(file.base for file in segments if file.base is not None)
    return max((base for base in bases if base <= offset), default=bases[0] if bases else None)


def _offsets(checkpoint: str) -> dict[str, int]:
    """The offset of each `topic-partition` in an offset checkpoint, of each epoch in a leader-epoch checkpoint."""
    found = {}
    for line in checkpoint.splitlines()[2:]:
        *name, offset = line.split()
        if name and offset.isdecimal():
            found["-".join(name)] = int(offset)
    return found


def lost_from(result: Path) -> dict[str, int]:
    """The first lost offset of each partition in a result. Raises InputError for a folder that is none."""
    from pipelines.result import Result  # late: a broker's host needs the memory for its broker
    from replay.tables.losses import OPEN_VERDICTS

    table = Result(result).table(
        "losses", ["topic", "partition", "from_offset"], [("verdict", "in", list(OPEN_VERDICTS))]
    )
    found: dict[str, int] = {}
    for topic, partition, offset in table.itertuples(index=False):
        name = f"{topic}-{partition}"
        found[name] = min(int(offset), found.get(name, int(offset)))
    return found


def of_host(archive: Archive, folder: str, short: str, logs: Sequence[Path]) -> DataDirectory:
    """A data directory of this host. Links are not followed."""
    root = Path(folder)
    files = []
    try:
        for partition in sorted(one for one in root.iterdir() if one.is_dir() and not one.is_symlink()):
            for file in sorted(partition.iterdir()):
                if file.is_file() and not file.is_symlink() and _SEGMENT.fullmatch(file.name):
                    status = file.stat()
                    files.append(TailFile(str(file.relative_to(root)), status.st_size, status.st_mtime))
    except OSError as error:
        archive.miss(f"{folder}: {error.strerror or error}")

    def text(path: str) -> str:
        try:
            return (root / path).read_text(errors="replace")
        except OSError:
            return ""

    def store(chosen: Mapping[TailFile, str]) -> None:
        for file, name in chosen.items():
            archive.add_file(name, root / file.path)

    return DataDirectory(folder, short, files, text, store, truncated_since_start(logs))


Streamed = Callable[[Callable[[str], bool]], Iterator[tuple[str, Any]]]
"""The wanted files of a container's folder: each path, and what has `stream`, `size` and `written`."""


def _is_of_a_log(path: str) -> bool:
    return bool(_SEGMENT.fullmatch(PurePosixPath(path).name)) or is_checkpoint(path)


def of_container(archive: Archive, shown: str, short: str, streamed: Streamed) -> DataDirectory:
    """A data directory of a container, read as one stream each time: for its list, then for the chosen files."""
    files, texts = [], {}
    for path, member in streamed(_is_of_a_log):
        if is_checkpoint(path):
            texts[path.removeprefix("./")] = member.stream.read(_MOST_TEXT).decode(errors="replace")
        else:
            files.append(TailFile(path.removeprefix("./"), member.size, member.written))

    def store(chosen: Mapping[TailFile, str]) -> None:
        by_path = {file.path: name for file, name in chosen.items()}
        for path, member in streamed(lambda path: path.removeprefix("./") in by_path):
            archive.add_stream(by_path[path.removeprefix("./")], member.stream, member.size, f"{shown}/{path}")

    return DataDirectory(shown, short, files, lambda path: texts.get(path, ""), store)


# Small images have no tar and no `stat`. Prints path, size, and the path again if the file was written lately.
_LIST = """find {folders} \\( -name '*.log' -o -name '*index' -o -name '*.snapshot' -o -name '*-checkpoint' \\) -type f 2>/dev/null |
sort -u | while read -r f; do printf '%s\\n%d\\n%s\\n' "$f" "$(wc -c < "$f")" "$(find "$f" -mmin -{minutes} 2>/dev/null)"; done"""
_SAFE = re.compile(r"/[A-Za-z0-9._/-]+")  # in quotes of a shell in the pod


@dataclass
class _PodFile:
    """A file of a pod; its bytes are read on demand."""

    path: str
    size: int
    written: float | None
    command: Sequence[str]
    archive: Archive

    @property
    def stream(self) -> IO[bytes]:
        printed = asked([*self.command, f"head -c {self.size} '{self.path}'"], self.archive)
        self.size = 0 if printed is None else printed.size
        return io.BytesIO() if printed is None else printed.stream()


def pod_directories(
    archive: Archive, name: str, shell: Sequence[str], folders: str, hours: float
) -> list[DataDirectory]:
    """The data directories of a running pod. `shell`: the command that runs a script in it; `folders`: quoted, where
    they are.
    """
    listed = asked([*shell, _LIST.format(folders=folders, minutes=max(1, round(hours * 60)))], archive)
    lines = iter(() if listed is None else [line.decode(errors="replace").rstrip("\n") for line in listed.lines()])
    files: dict[str, list[_PodFile]] = defaultdict(list)
    for path in lines:
        size, lately = next(lines, ""), next(lines, "")
        if size.isdecimal() and _SAFE.fullmatch(path):
            inner = PurePosixPath(path).parent
            folder = inner.parent if _PARTITION.fullmatch(inner.name) else inner
            written = time.time() if lately else 0.0
            files[str(folder)].append(_PodFile(path, int(size), written, shell, archive))

    def streamed(folder: str) -> Streamed:
        def wanted_files(wanted: Callable[[str], bool]) -> Iterator[tuple[str, Any]]:
            for file in files[folder]:
                below = str(PurePosixPath(file.path).relative_to(folder))
                if wanted(below):
                    yield below, file

        return wanted_files

    shorts = folder_names(files)
    return [of_container(archive, f"{name}:{folder}", short, streamed(folder)) for folder, short in shorts]


def truncated_since_start(logs: Iterable[Path]) -> set[str]:
    """The partitions whose logs the broker truncated after its last start, by its own server.log."""
    found: set[str] = set()
    for log in logs:
        try:
            with log.open(errors="replace") as lines:
                found |= _truncated(lines)
        except OSError:
            continue
    return found


def _truncated(lines: IO[str] | Iterable[str]) -> set[str]:
    found: set[str] = set()
    for line in lines:
        if _STARTS.search(line):
            found.clear()
        elif "runcating" in line and (named := _TRUNCATED.search(line)) is not None:
            found.add(named[1] or line.split("Truncating log ", 1)[1].split(" ", 1)[0])
    return found
