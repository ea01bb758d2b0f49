"""Saves the ends of replicas' logs before a restart truncates them: `collect … --tails`.

For each partition, the segments that can hold records which a later leader discards: those from a lost offset on, if a
result names one; else those written lately, and in any case those from the high watermark checkpoint or the last
leader epoch on, whichever is lower. The checkpoint files are in the archive already. Offset and time indexes are left
out: a broker preallocates 10 MB for each, and builds them anew from the segments.
"""

from __future__ import annotations

import io
import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import IO, Any

from pipelines.evidence_files import Archive, checkpoint_place, folder_names
from pipelines.tools import asked

_PARTITION = re.compile(r"(?P<topic>[A-Za-z0-9._-]{1,249})-(?P<partition>\d{1,9})")
_SEGMENT = re.compile(r"(?P<base>\d{20})\.(?:log|txnindex|snapshot)")
_TRUNCATED = re.compile(
    r"(?:Log partition=(?P<log>\S{1,260}?), dir=[^\]]{0,400}\] Truncating to offset|Truncating log (?P<old>\S{1,260}) to offset) "
    r"(?P<offset>\d{1,19})"
)
_WHEN = re.compile(r"\[?(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)")
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

    @property
    def truncated_hours(self) -> float:
        """In how many last hours a truncation makes it too late."""
        return max(self.hours, HOURS)

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


@dataclass(frozen=True)
class Truncated:
    """The lowest offset that a broker lately truncated a log to, and when, by its own clock."""

    offset: int
    when: datetime | None


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
    truncated: Mapping[str, Truncated] = field(default_factory=dict)


def save(archive: Archive, place: str, when: str, data: Sequence[DataDirectory], wanted: Wanted) -> Iterator[str]:
    """Add the tails of a node's data directories to the archive. Yields what it does, first how much there is.

    Nothing is taken beyond the limit; the archive has a note instead.
    """
    chosen = [(one, list(chosen_files(one, wanted))) for one in data]
    named = (_PARTITION.fullmatch(file.folder) for one in data for file in one.files)
    for topic in sorted(set(wanted.topics) - {found["topic"] for found in named if found is not None}):
        archive.miss(f"the tails of {place}: no partition of {topic}")
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
        if note := _too_late(one, {file.folder for file in files}):
            archive.miss(note)
        one.store({file: checkpoint_place(place, when, one.short, f"{file.folder}/{file.name}") for file in files})


def _too_late(data: DataDirectory, folders: Collection[str]) -> str | None:
    """What the broker had truncated before its tails could be saved; None for nothing."""
    late = sorted(set(folders) & set(data.truncated))
    if not late:
        return None
    cuts = [(folder, data.truncated[folder]) for folder in late[:8]]
    shown = [f"{name} to offset {cut.offset}{'' if cut.when is None else f' at {cut.when}'}" for name, cut in cuts]
    more = f" and {len(late) - 8} more" if len(late) > 8 else ""
    others = len(folders) - len(late)
    rest = f"; not for the other {others:,} of {len(folders):,} partitions" if others else ""
    return f"{data.shown}: too late for what the broker truncated: {', '.join(shown)}{more}{rest}"


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


def of_host(archive: Archive, folder: str, short: str, truncated: Mapping[str, Truncated]) -> DataDirectory:
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

    return DataDirectory(folder, short, files, text, store, truncated)


Streamed = Callable[[Callable[[str], bool]], Iterator[tuple[str, Any]]]
"""The wanted files of a container's folder: each path, and what has `stream`, `size` and `written`."""


def _is_of_a_log(path: str) -> bool:
    return bool(_SEGMENT.fullmatch(PurePosixPath(path).name))


def of_container(
    archive: Archive,
    shown: str,
    short: str,
    streamed: Streamed,
    checkpoints: Mapping[str, str],
    truncated: Mapping[str, Truncated],
) -> DataDirectory:
    """A data directory of a container, read as one stream each time: for its list, then for the chosen files.
    `checkpoints`: the texts of its checkpoint files, which the archive has already.
    """
    files = [TailFile(path.removeprefix("./"), member.size, member.written) for path, member in streamed(_is_of_a_log)]

    def store(chosen: Mapping[TailFile, str]) -> None:
        by_path = {file.path: name for file, name in chosen.items()}
        for path, member in streamed(lambda path: path.removeprefix("./") in by_path):
            archive.add_stream(by_path[path.removeprefix("./")], member.stream, member.size, f"{shown}/{path}")

    return DataDirectory(shown, short, files, lambda path: checkpoints.get(path, ""), store, truncated)


# Small images have no tar and no `stat`. Prints path, size, and the path again if the file was written lately.
_LIST = """find {folders} \\( -name '*.log' -o -name '*.txnindex' -o -name '*.snapshot' \\) -type f 2>/dev/null |
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
    archive: Archive,
    name: str,
    shell: Sequence[str],
    folders: str,
    hours: float,
    checkpoints: Mapping[str, str],
    truncated: Mapping[str, Truncated],
) -> list[DataDirectory]:
    """The data directories of a running pod. `shell`: the command that runs a script in it; `folders`: quoted, where
    they are; `checkpoints`: the texts of its checkpoint files, by path.
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

    def texts(folder: str) -> Mapping[str, str]:
        return {path.removeprefix(f"{folder}/"): text for path, text in checkpoints.items()}

    return [
        of_container(archive, f"{name}:{folder}", short, streamed(folder), texts(folder), truncated)
        for folder, short in folder_names(files)
    ]


def truncated_in_files(logs: Iterable[Path], hours: float) -> dict[str, Truncated]:
    """What a broker truncated in the last hours, by its server.log."""
    since = time.time() - hours * 3600
    found: list[str] = []
    for log in logs:
        try:
            if log.name.startswith("server.log") and log.stat().st_mtime >= since:
                with log.open(errors="replace") as lines:
                    found += _about_truncations(lines)
        except OSError:
            continue
    return truncated_in(found, hours)


def truncated_in(lines: Iterable[str], hours: float) -> dict[str, Truncated]:
    """The partitions whose logs a broker truncated in the last hours of its own log, at its start or when it followed
    another leader.
    """
    cuts: dict[str, list[Truncated]] = defaultdict(list)
    last: datetime | None = None
    for line in _about_truncations(lines):
        when = _time_of(line)
        last = when if last is None or (when is not None and when > last) else last
        if (named := _TRUNCATED.search(line)) is not None:
            cuts[named["log"] or named["old"]].append(Truncated(int(named["offset"]), when))
    since = None if last is None else last - timedelta(hours=hours)
    recent = {
        name: [one for one in some if since is None or one.when is None or one.when >= since]
        for name, some in cuts.items()
    }
    return {name: min(some, key=lambda one: one.offset) for name, some in recent.items() if some}


def _about_truncations(lines: Iterable[str]) -> Iterator[str]:
    """The lines about truncations, and the last line with a time."""
    last = ""
    for line in lines:
        if "runcating" in line:
            yield line
        elif _WHEN.match(line):
            last = line
    if last:
        yield last


def _time_of(line: str) -> datetime | None:
    found = _WHEN.search(line)
    try:
        return None if found is None else datetime.fromisoformat(f"{found[1]} {found[2]}")
    except ValueError:
        return None
