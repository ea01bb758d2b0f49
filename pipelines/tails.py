"""Finds the saved tails of replicas' logs in folders and archives, and reads their record batches."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pipelines.archives import kind_of, unpack
from pipelines.evidence_files import node_id_of
from replay.errors import InputError, SetupError
from replay.record_batches.batches import Checksum, RecordBatch, SegmentEnd, batches
from replay.record_batches.dumped import DumpedBatch, dumped_batches
from replay.rescue.verdicts import Tail

_SEGMENT = re.compile(r"\d{20}\.log$")
_PARTITION = re.compile(r"(?P<topic>[A-Za-z0-9._-]{1,249})-(?P<partition>\d{1,9})$")
_NODE = re.compile(r"(?:node|broker|kafka)-(\d{1,9})(?=/|$)")
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
    def tail(self) -> Tail:
        return Tail(self.node_id, self.read)

    def read(self) -> Iterator[RecordBatch | SegmentEnd]:
        """The batches of all segments in order, and their end: the first damaged batch ends them, as Kafka's recovery
        does.
        """
        if self.dump is not None:
            yield from self._dumped(self.dump)
            return
        self.end, expected = None, int(self.segments[0].stem)
        checksum = checksum_of_kafka()
        for segment in self.segments:
            if int(segment.stem) != expected and not self.is_compacted:
                self.end = SegmentEnd(0, expected, f"the segment with offset {expected} is missing")
                break
            with segment.open("rb") as stream:
                for one in batches(stream, checksum):
                    if isinstance(one, SegmentEnd):
                        self.end = SegmentEnd(one.position, one.next_offset or expected, one.reason)
                        break
                    if one.base_offset != expected and (one.base_offset < expected or not self.is_compacted):
                        reason = f"offset {one.base_offset} stands where {expected} should"
                        self.end = SegmentEnd(one.position, expected, reason)
                        break
                    yield one
                    expected = one.last_offset + 1
            if self.end is not None and self.end.reason is not None:
                break
        if self.end is not None:
            yield self.end

    def _dumped(self, dump: Path) -> Iterator[RecordBatch | SegmentEnd]:
        with dump.open(encoding="utf-8", errors="replace", newline="\n") as lines:
            for one in dumped_batches(lines):
                if isinstance(one, SegmentEnd):
                    self.end = one
                elif isinstance(one, DumpedBatch) and one.inexact is not None:
                    self.inexact = one.inexact
                yield one


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
    try:
        with given.open("rb") as stream:
            kind = kind_of(stream.read(512), given.name)
    except OSError as error:
        raise InputError(f"{given}: cannot be read ({error.strerror})") from error
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
    topic_id = re.search(r"(?m)^topic_id: (\S+)$", _text(files.get(f"{folder}/partition.metadata")))
    cluster_id = re.search(r"(?m)^cluster\.id=(\S+)$", meta)
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


_DUMPED = re.compile(r"Dumping (?:.*/)?(?P<folder>[A-Za-z0-9._-]+-\d{1,9})/\d{20}\.log")


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
