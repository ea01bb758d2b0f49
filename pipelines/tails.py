"""Finds the saved tails of replicas' logs in folders and archives, and reads their record batches."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from pipelines.archives import kind_of, unpack
from pipelines.evidence_files import node_id_of
from replay.errors import InputError, SetupError
from replay.record_batches.batches import MOST_BATCH_BYTES, Checksum, RecordBatch, SegmentEnd, batches
from replay.record_batches.dumped import STARTS, DumpedBatch, dumped_batches
from replay.rescue.overview import Tail

_SEGMENT = re.compile(r"\d{20}\.log$")
_PARTITION = re.compile(r"(?P<topic>[A-Za-z0-9._-]{1,249})-(?P<partition>\d{1,9})$")
_NODE = re.compile(r"(?:node|broker|kafka)-(\d{1,9})(?=/|$)")
_DUMPED = re.compile(r"Dumping (?:.*/)?(?P<folder>[A-Za-z0-9._-]+-\d{1,9})/\d{20}\.log")
_MOST_LINE = MOST_BATCH_BYTES  # characters of a dump; a longer line is read in parts, and refused
_MOST_TEXT = 16 << 20  # of a checkpoint file or meta.properties


@dataclass
class SavedPartition:
    """One replica's saved log of one partition. `end`: where its records end, known after `read`."""

    name: str
    node_id: int
    topic: str
    partition: int
    segments: Sequence[Path]
    topic_id: str | None = None
    cluster_id: str | None = None
    is_compacted: bool = False
    dump: Path | None = None  # the text of kafka-dump-log instead of segments
    end: SegmentEnd | None = field(default=None, compare=False)
    inexact: str | None = field(default=None, compare=False)  # why its records cannot be produced again

    @property
    def folder(self) -> str:
        return f"{self.topic}-{self.partition}"

    @property
    def tail(self) -> Tail:
        return Tail(self.node_id, self.read)

    def read(self) -> Iterator[RecordBatch | SegmentEnd]:
        """The batches of all segments in order, and their end: the first damaged batch ends them, as Kafka's recovery
        does.
        """
        self.end = None
        expected, epoch = int(self.segments[0].stem) if self.segments else None, -1
        for one in self._dumped() if self.dump is not None else self._of_segments():
            reason = one.reason if isinstance(one, SegmentEnd) else self._out_of_order(one, expected, epoch)
            if isinstance(one, SegmentEnd) or reason is not None:
                self.end = SegmentEnd(one.position, expected, reason)
                yield self.end
                return
            expected, epoch = one.last_offset + 1, one.leader_epoch
            yield one

    def _out_of_order(self, batch: RecordBatch, expected: int | None, epoch: int) -> str | None:
        """Why a batch cannot follow at the expected offset. A compacted log has holes."""
        if batch.leader_epoch < epoch:
            return f"leader epoch {batch.leader_epoch} follows {epoch}"
        if expected is None or batch.base_offset == expected:
            return None
        if batch.base_offset < expected:
            return f"offset {batch.base_offset} follows {expected - 1}"
        missing = f"offsets {expected} to {batch.base_offset - 1} are missing"
        return None if self.is_compacted else f"{missing} (of a compacted topic? name it with --compacted)"

    def _of_segments(self) -> Iterator[RecordBatch | SegmentEnd]:
        """The batches of the segments, and their end."""
        checksum, end = checksum_of_kafka(), SegmentEnd(0, None, None)
        for segment in self.segments:
            try:
                with segment.open("rb") as stream:
                    for one in batches(stream, checksum):
                        if isinstance(one, SegmentEnd):
                            end = one
                        else:
                            yield one
            except OSError as error:  # the disk of a dead broker can be damaged
                end = SegmentEnd(0, None, f"{segment.name} cannot be read ({error.strerror})")
            if end.reason is not None:
                break
        yield end

    def _dumped(self) -> Iterator[RecordBatch | SegmentEnd]:
        assert self.dump is not None
        with self.dump.open(encoding="utf-8", errors="replace", newline="\n") as text:
            for one in dumped_batches(self._lines(text)):
                if isinstance(one, DumpedBatch) and one.inexact is not None:
                    self.inexact = one.inexact
                yield one

    def _lines(self, text: IO[str]) -> Iterator[str]:
        """The lines of a dump of this partition. Raises ValueError if it has another one too."""
        while line := text.readline(_MOST_LINE):
            if (
                line.startswith(STARTS)
                and (other := _DUMPED.match(line)) is not None
                and other["folder"] != self.folder
            ):
                raise ValueError(f"the dump has {other['folder']} too: give one file for each partition")
            yield line


def checksum_of_kafka() -> Checksum:
    """CRC-32C. Raises SetupError if its package is missing."""
    try:
        import google_crc32c
    except ImportError:
        raise SetupError(
            "reading log segments needs the package google-crc32c: pip install 'kafka-incident-replay[rescue]'"
        ) from None
    return google_crc32c.value  # type: ignore[no-any-return]


def saved_partitions(inputs: Sequence[Path], work: Path) -> list[SavedPartition]:
    """The replicas' logs in folders and archives, in the order of topic, partition and node.

    Archives are unpacked into `work`. Raises InputError for inputs without log segments, and for segments whose node
    is unknown.
    """
    try:
        return _saved_partitions(inputs, work)
    except OSError as error:
        raise InputError(f"{error.filename or inputs[0]}: cannot be read ({error.strerror})") from error


def _saved_partitions(inputs: Sequence[Path], work: Path) -> list[SavedPartition]:
    files: dict[str, Path] = {}
    for n, given in enumerate(inputs):
        files |= _files(given, work / str(n))
    folders: dict[str, list[Path]] = defaultdict(list)
    for name, path in files.items():
        if _SEGMENT.search(name):
            folders[str(PurePosixPath(name).parent)].append(path)
    found = [one for folder in folders if (one := _saved(folder, files)) is not None]
    found += [one for name, path in files.items() if (one := _dump(name, path)) is not None]
    if not found:
        raise InputError(
            f"{', '.join(map(str, inputs))}: no log segment (orders-0/00000000000000000000.log); save them with "
            "`kafka-replay collect … --tails`, or copy the partition folders of the data directory"
        )
    return sorted(found, key=lambda one: (one.topic, one.partition, one.node_id, one.name))


def _files(given: Path, work: Path) -> dict[str, Path]:
    """Each file by its name in the input. Links are not followed."""
    if given.is_dir():
        walked = (path for path in sorted(given.rglob("*")) if path.is_file() and not path.is_symlink())
        return {str(path): path for path in walked}
    if given.exists() and not given.is_file():
        raise InputError(f"{given}: neither a folder nor a file")
    with given.open("rb") as stream:
        kind = kind_of(stream.read(512), given.name)
    if kind is None:
        raise InputError(f"{given}: neither a folder nor an archive of saved log segments")
    unpacked = unpack(given, given.name, work)
    if unpacked.set_aside and not unpacked.members:
        raise InputError(": ".join(unpacked.set_aside[0]))
    return {member.name: _named(member.path, member.name) for member in unpacked.members}


def _named(path: Path, name: str) -> Path:
    """A member under its own file name: a segment's name is its first offset."""
    own = PurePosixPath(name).name
    if not _SEGMENT.fullmatch(own):
        return path
    folder = path.with_name(f"{path.name}-segment")
    folder.mkdir()
    return path.rename(folder / own)


def _saved(folder: str, files: dict[str, Path]) -> SavedPartition | None:
    named = _PARTITION.fullmatch(PurePosixPath(folder).name)
    if named is None:
        return None  # a folder of another kind: a deleted or future log
    topic, partition = named["topic"], int(named["partition"])
    data = str(PurePosixPath(folder).parent)
    meta = _text(files.get(f"{data}/meta.properties"))
    node = node_id_of(meta) if meta else None
    in_path = _NODE.findall(folder)
    if node is None and not in_path:
        raise InputError(f"{folder}: which node's log is it? Put it into a folder node-<id>, or add meta.properties")
    segments = [p for name, p in files.items() if _SEGMENT.search(name) and str(PurePosixPath(name).parent) == folder]
    topic_id = re.search(r"(?m)^topic_id: ([\x21-\x7e]{1,64})$", _text(files.get(f"{folder}/partition.metadata")))
    cluster_id = re.search(r"(?m)^cluster\.id=([\x21-\x7e]{1,64})$", meta)
    cleaned = f"\n{topic} {partition} " in _text(files.get(f"{data}/cleaner-offset-checkpoint"))
    return SavedPartition(
        folder,
        node if node is not None else int(in_path[-1]),
        topic,
        partition,
        sorted(segments, key=lambda path: int(path.stem)),
        topic_id[1] if topic_id else None,
        cluster_id[1] if cluster_id else None,
        cleaned,
    )


def _dump(name: str, path: Path) -> SavedPartition | None:
    """The partition whose segments the text of kafka-dump-log prints; None for any other file."""
    if _SEGMENT.search(name):
        return None
    with path.open("rb") as stream:
        head = _DUMPED.match(stream.read(4096).decode(errors="replace"))
    named = None if head is None else _PARTITION.fullmatch(head["folder"])
    if named is None:
        return None
    node = _NODE.findall(name) or re.findall(r"(?:node|broker|kafka)-(\d{1,9})(?=[/._-])", name)
    if not node:
        raise InputError(f"{name}: which node's log is it? Put it into a folder node-<id>")
    return SavedPartition(name, int(node[-1]), named["topic"], int(named["partition"]), (), dump=path)


def _text(path: Path | None) -> str:
    if path is None:
        return ""
    with path.open("rb") as stream:
        return stream.read(_MOST_TEXT).decode(errors="replace")


def by_partition(saved: Iterable[SavedPartition]) -> dict[tuple[str, int], list[SavedPartition]]:
    """The replicas of each partition."""
    grouped: dict[tuple[str, int], list[SavedPartition]] = defaultdict(list)
    for one in saved:
        grouped[one.topic, one.partition].append(one)
    return grouped
