"""What a user hands over -> the files to read: which node wrote each, how it is laid out, at what time it stood so.

Folders, files, archives and Spark's URLs are taken. Every file is held as it is found and copied as it stood then, so
that what is read is what was gathered. Everything ends up in one work folder under plain names, so that Spark lists
one folder whatever the names outside are. What is not read, and what had to be guessed or changed, is told in one
line each.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TypeGuard

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from pipelines.archives import Limits, foreign_kind_of, kind_of, unpack
from pipelines.held_files import Handles, Held, Watch
from pipelines.room import Room, is_full, no_room, own_writes
from pipelines.text_files import RUNTIMES, Changes, Part, Sample, by_label, lay_down, sample
from replay.errors import InputError
from replay.reading.layouts import (
    DEFAULT,
    HEADERS,
    JOINED,
    JOINED_JSON,
    JSON,
    PLAIN,
    Header,
    JsonHeader,
    Layout,
    detect,
    layout_named,
)
from replay.reading.proposals import Proposal, proposed
from replay.reading.witnesses import STATE_WITNESSES, WITNESS_LAYOUTS, witness_fault, witness_layout
from replay.reading.writers import names_a_node, node_named

_NODE_IN_PATH = re.compile(r"(?:^|[^A-Za-z0-9])(?:node|broker|kafka)-(\d+)(?=$|[^A-Za-z0-9])(?!\.\d)")
_NODE_IN_LABEL = re.compile(r"(?:^|[^A-Za-z0-9])(?:node|broker|kafka|controller)[-_]?(\d+)(?=$|[^A-Za-z0-9])(?!\.\d)")
_AS_OF = re.compile(r"(?:^|/)(\d{8}T\d{6}Z)(?=/|$)")
_NODE_IN_PROPERTIES = re.compile(r"^\s*(?:broker|node)\.id\s*[=:]\s*(\d+)\s*$", re.MULTILINE)
_CLUSTER_ID = re.compile(r"^cluster\.id=(\S+)\s*$", re.MULTILINE)
_CLUSTER_ID_PRINTED = re.compile(r"\bCluster ID = ([A-Za-z0-9_-]{22})(?![A-Za-z0-9_-])")
_SEGMENT = re.compile(
    r"^\d{20}(?:-\d{10})?\.(?:log|index|timeindex|txnindex|snapshot|checkpoint)(?:\.deleted|\.swap|\.cleaned)?$"
)
_DOCUMENT = re.compile(r"\.(?:md|ya?ml|json|xml|html?|sh|py|java|sql|svg)$", re.IGNORECASE)
_NAMED_LIKE_A_LOG = re.compile(
    r"(?:^|[._-])(?:log|logs|out|err|stdout|stderr|txt|trace|gc)(?:$|[._-]\S*$)|\.\d+$", re.IGNORECASE
)
_JOINED_WRAPPER = layout_named("joined+plain").wrappers
_URL = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:/")
_JOINED = re.compile(JOINED)
_JOINED_JSON = re.compile(JOINED_JSON)
_ROLLED = re.compile(r"^(?:server|controller|state-change|log-cleaner)\.log(?:[.-].*)?$")
_LARGEST_FETCH = 256 << 20


@dataclass(frozen=True)
class Source:
    """One file to read, or one part of one."""

    name: str
    path: Path
    source_file: str
    layout: str
    node_id: int | None = None
    as_of: datetime | None = None
    first_line: int = 1


@dataclass
class Inputs:
    """The files to read; what was set aside and why; what to know about files that are read. Each is a name and one
    line.

    `contested`: nodes that logs in more than one folder say they are of. `watch`: the files as they were found.
    `shared`: files into which several nodes wrote without a label, and those nodes.
    """

    sources: list[Source] = field(default_factory=list)
    set_aside: list[tuple[str, str]] = field(default_factory=list)
    remarks: list[tuple[str, str]] = field(default_factory=list)
    contested: set[int] = field(default_factory=set)
    shared: dict[str, set[int]] = field(default_factory=dict)
    watch: Watch = field(default_factory=Watch)

    def files(self) -> list[dict[str, str | int | None]]:
        """Every file that was found, read or set aside, once for each node that it is of."""
        read = {(s.source_file, s.node_id): s.layout for s in self.sources}
        aside = {(name, None): "set aside" for name, _ in self.set_aside}
        return [
            {"source_file": name, "node_id": node, "layout": layout} for (name, node), layout in (aside | read).items()
        ]


_LIMITS = Limits()


def gather(
    paths: Sequence[str | Path],
    nodes: Mapping[int, Path],
    work: Path,
    *,
    layout: str | None = None,
    limits: Limits = _LIMITS,
    spark: SparkSession | None = None,
    mixed: bool = False,
) -> Inputs:
    """The files under `paths` as they stand now, laid into `work`; `nodes` names the writer of what lies under a path.

    A path may be a URL that Spark reads (`s3a://`, `hdfs://`, `dbfs:/`, `file:///`); it is fetched by `spark`, or by
    the active session. `layout` is a log4j pattern tried before those that are known. Raises InputError if a path is
    not there or not readable, if the pattern cannot be read, or if no file holds anything to analyse; OutputError if
    `work` has no room for it.
    """
    own = Layout.from_log4j_pattern(layout).headers if layout is not None else ()
    gathering = _Gathering(work, (*own, *HEADERS), limits)
    several = len({_place(p) for p in [*paths, *nodes.values()]}) > 1
    given = [*((p, n) for n, p in nodes.items()), *((p, None) for p in paths)]
    try:
        for path, node in given:
            if not is_url(path):
                gathering.walk(Path(path), node, several)
        gathering.take_held()
        for path, node in given:
            if is_url(path):
                gathering.fetch(path, node, several, spark)
    except OSError as error:
        if is_full(error):
            raise no_room(work, error) from error
        raise
    found = gathering.found
    names = ", ".join(map(str, [*paths, *nodes.values()]))
    if not mixed:
        _refuse_two_clusters(gathering.members, names)
    _tell_duplicates(found)
    _share_folders(found)
    _settle_nodes(found, gathering.others)
    _tell_nodes(found, gathering.printed)
    if not found.sources:
        reasons = "; ".join(f"{name}: {why}" for name, why in found.set_aside[:3])
        raise InputError(f"{names}: nothing to analyse there" + (f" ({reasons})" if reasons else ": no files"))
    plain = [s for s in found.sources if s.layout not in WITNESS_LAYOUTS and layout_named(s.layout).is_plain]
    if len(plain) == len(found.sources):
        raise InputError(
            f"{names}: no line looks like a Kafka log ({len(plain)} text files read); "
            "give the folders with server.log, controller.log and state-change.log, or --layout with the log4j pattern they are written in"
            + (f": try --layout '{gathering.proposals[0]}'" if gathering.proposals else "")
        )
    return found


def is_url(path: str | Path) -> TypeGuard[str]:
    """Whether `path` is one that Spark reads, not a path of this machine."""
    return isinstance(path, str) and _URL.match(path) is not None


def _place(path: str | Path) -> str:
    return path if is_url(path) else str(Path(path).resolve())


@dataclass(frozen=True)
class _Found:
    """A file that is held, under which name it is told of, and what is known of it."""

    held: Held
    name: str
    node: int | None
    whole_path: str
    given: bool


class _Gathering:
    """Files as they come, each to where it belongs."""

    def __init__(self, work: Path, headers: Sequence[Header | JsonHeader], limits: Limits) -> None:
        self.found = Inputs()
        self.printed: dict[str, int] = {}  # source file -> the node its lines name
        self.others: set[str] = set()  # sources out of merged files that no node wrote
        self.proposals: list[str] = []  # patterns in which files of no known layout may be written
        self._headers, self._limits, self._work = headers, limits, work
        self._folder = work / "files"
        self._folder.mkdir(parents=True)
        self._laid = 0
        self._archives = 0
        self._room = Room(work, limits.spare_bytes)
        self._handles = Handles()
        self._held: list[_Found] = []
        self._seen: set[tuple[int, int]] = set()
        self._clusters: dict[str, str] = {}  # cluster id -> the first file that names it
        self.members: dict[int, dict[str, set[str]]] = defaultdict(
            lambda: defaultdict(set)
        )  # node -> cluster id -> the folders of its files

    def walk(self, path: Path, node: int | None, several: bool) -> None:
        """Hold every file under a path of this machine as it stands now; `-` and pipes are read once, to their end."""
        path = Path("/dev/stdin") if str(path) == "-" else path
        if not path.exists():
            raise InputError(f"{path}: no such file or folder; give the folder, file or archive that holds the logs")
        if not (path.is_file() or path.is_dir()):
            name = f"pipe-{path.name}" if path.name.isdecimal() else path.name  # `/dev/fd/63`, of `<(…)`
            held = self._handles.hold(self._spooled(path))
            self._held.append(_Found(held, name, node, str(path), given=True))
            return
        prefix = f"{path.name}/" if several and path.is_dir() and path.name else ""
        if path.is_dir():
            self.found.watch.folders.append((path, prefix))
        for file in self._files(path):
            name = prefix + str(file.relative_to(path if path.is_dir() else path.parent))
            self.found.watch.known.add(str(file))
            try:
                held = self._handles.hold(file)
            except OSError as error:
                gone = isinstance(error, FileNotFoundError)
                self._set_aside(name, "was removed before it could be read" if gone else _unread(error))
                continue
            if held.identity in self._seen:
                self.found.remarks.append((name, "was given twice: read once"))
                continue
            self._seen.add(held.identity)
            self.found.watch.files.append((name, held))
            self._held.append(_Found(held, name, node, str(file.absolute()), given=not path.is_dir()))

    def take_held(self) -> None:
        """Take each file that is held, from a copy of what it held when it was found."""
        folder = self._work / "copies"
        folder.mkdir()
        for number, found in enumerate(self._held):
            file = folder / f"{number:06d}"
            try:
                copied = self._handles.copy(found.held, file, self._room)
            except OSError as error:
                if is_full(error):
                    raise
                self._set_aside(found.name, _unread(error))
                continue
            if copied.remark is not None:
                self.found.remarks.append((found.name, copied.remark))
            self._take(file, found.name, found.node, found.whole_path, found.given)

    def fetch(self, url: str, node: int | None, several: bool, spark: SparkSession | None) -> None:
        """Take every file under a URL, read by Spark."""
        session = spark or SparkSession.getActiveSession()
        if session is None:
            raise InputError(f"{url}: a URL is read through Spark, and no session is active")
        reader = session.read.format("binaryFile").option("recursiveFileLookup", "true")
        try:
            listed = sorted(
                (row.path, row.length) for row in reader.load(url).select("path", "length").toLocalIterator()
            )
        except PySparkException as error:
            raise InputError(f"{url}: cannot be listed by Spark: {str(error).strip().splitlines()[0]}") from error
        root = url.rstrip("/").rsplit("/", 1)[-1]
        fetched = self._work / "fetched"
        fetched.mkdir(exist_ok=True)
        folder = fetched / f"{len(os.listdir(fetched)):03d}"
        folder.mkdir()
        for number, (path, length) in enumerate(listed):
            _, _, relative = path.partition(f"/{root}/")
            name = f"{root}/{relative}" if relative and several else relative or path.rsplit("/", 1)[-1]
            file = folder / f"{number:06d}"
            self._room.take(length)
            try:
                if length <= _LARGEST_FETCH:
                    content = reader.load(path).select("content").first()
                    if content is None:  # of files that are gone, Spark can be set to say nothing
                        self._set_aside(name, "was removed before it could be read")
                        continue
                    file.write_bytes(bytes(content[0]))
                else:
                    with file.open("w", encoding="utf-8", newline="\n") as out:
                        out.writelines(row.value + "\n" for row in session.read.text(path).toLocalIterator())
            except PySparkException as error:
                self.found.set_aside.append((name, f"cannot be read by Spark: {str(error).strip().splitlines()[0]}"))
                continue
            self._take(file, name, node, path, given=not relative)

    def _spooled(self, path: Path) -> Path:
        """What a pipe held, as a file: layouts are told by reading it twice."""
        if not path.is_fifo():
            raise InputError(
                f"{path}: neither a file, a folder nor a pipe; give the folder, file or archive that holds the logs"
            )
        file = self._work / "piped" / path.name
        file.parent.mkdir(exist_ok=True)
        with path.open("rb") as stream, own_writes(file.parent), file.open("wb") as out:
            while chunk := stream.read(1 << 20):
                self._room.take(len(chunk))
                out.write(chunk)
        return file

    def _files(self, path: Path) -> Iterator[Path]:
        """Every regular file under `path`, in order of name; a loop of links is walked once."""
        if path.is_file():
            yield path
            return
        seen: set[tuple[int, int]] = set()
        for folder, folders, names in os.walk(path, followlinks=True, onerror=self._tell_unlisted):
            status = os.stat(folder)
            if (status.st_dev, status.st_ino) in seen:
                folders.clear()
                continue
            seen.add((status.st_dev, status.st_ino))
            folders.sort()
            for name in sorted(names):
                file = Path(folder, name)
                if file.is_file():
                    yield file
                else:
                    self.found.set_aside.append(
                        (str(file), "not a regular file" if file.exists() else "a link that leads nowhere")
                    )

    def _tell_unlisted(self, error: OSError) -> None:
        self.found.set_aside.append((str(error.filename), f"cannot be listed: {error.strerror}"))

    def _take(self, file: Path, name: str, node: int | None, whole_path: str, given: bool) -> None:
        """One file of the work folder: an archive, a witness, a log, or something to set aside. Nothing stays of it
        but what is to be read.
        """
        try:
            self._take_as_it_is(file, name, node, whole_path, given)
        finally:
            file.unlink(missing_ok=True)

    def _take_as_it_is(self, file: Path, name: str, node: int | None, whole_path: str, given: bool) -> None:
        base = PurePosixPath(name).name
        try:
            with file.open("rb") as stream:
                head = stream.read(512)
            if kind_of(head, base):
                self._take_archive(file, name, node, whole_path)
                return
            look = sample(file)
        except OSError as error:
            self._set_aside(name, _unread(error))
            return
        if packed := foreign_kind_of(head):
            self._set_aside(name, f"packed with {packed}: not read; unpack it first")
        elif _SEGMENT.match(base):
            self._set_aside(name, "a segment of a log: not text; give what kafka-dump-log prints of it")
        elif not look.head.strip("\0 \t\r\n\ufeff"):
            self._set_aside(name, "empty")
        elif not look.is_text and detect(look.lines[:4_000], self._headers) is None:
            self._set_aside(name, "binary")
        elif (witness := witness_layout(_unpacked_name(base), look.head)) is not None:
            self._take_witness(file, name, node, whole_path, look, witness)
        else:
            self._take_log(file, name, node, whole_path, look, given)

    def _set_aside(self, name: str, why: str) -> None:
        self.found.set_aside.append((name, why))

    def _take_archive(self, file: Path, name: str, node: int | None, whole_path: str) -> None:
        self._archives += 1
        folder = self._work / "unpacked" / f"{self._archives:06d}"
        unpacked = unpack(file, name, folder, self._limits, self._room)
        self.found.set_aside += unpacked.set_aside
        self.found.remarks += unpacked.remarks
        for member in unpacked.members:
            self._take(
                member.path, member.name, node, whole_path + member.name.removeprefix(name), given=member.name == name
            )

    def _take_witness(
        self, file: Path, name: str, node: int | None, whole_path: str, look: Sample, witness: str
    ) -> None:
        text = (
            look.head
            if witness in (*STATE_WITNESSES, "quorum-describe", "gc-log")
            else file.read_text("utf-8", "replace")
        )
        fault = witness_fault(witness, name, text)
        if fault is not None:
            self._set_aside(name, fault)
            return
        said = None
        if witness in ("meta.properties", "server.properties"):
            found = _NODE_IN_PROPERTIES.search(look.head)
            said = int(found.group(1)) if found else None
        node = node if node is not None else said if said is not None else _node_in_path(whole_path)
        if witness == "meta.properties" and (cluster := _CLUSTER_ID.search(look.head)):
            self._note_cluster(name, cluster.group(1), node)
        parts, changes = lay_down(file, look.encoding, self._new_path, lambda line: True)
        self._add(parts, changes, name, witness, node, whole_path)

    def _take_log(self, file: Path, name: str, node: int | None, whole_path: str, look: Sample, given: bool) -> None:
        lines = look.lines[:4_000]
        layout = detect(lines, self._headers) or _joined_json(lines, self._headers)
        if layout is None:
            if _DOCUMENT.search(name) or not (
                given or _NAMED_LIKE_A_LOG.search(PurePosixPath(name).name) or any(map(names_a_node, lines))
            ):
                self._set_aside(name, "neither a log nor a file that testifies: not read")
                return
            layout = self._proposed(name, proposed(lines))
        if layout.label is not None:
            self._take_merged(file, name, node, whole_path, look, layout)
            return
        if layout.headers == (DEFAULT,) and (first := _first_joined_line(file, look, layout)) is not None:
            layout = replace(layout, wrappers=(*layout.wrappers, *_JOINED_WRAPPER))
            self.found.remarks.append(
                (name, f"holds more than one record on a line, first in line {first:,}: told apart")
            )
        runtime = next((wrapper.name for wrapper in layout.wrappers[:1] if wrapper.name in RUNTIMES), None)
        if node is None:  # before the file is laid down, which moves it
            node = self._node_of(name, whole_path, _printed_nodes(look.lines, layout, file))
        parts, changes = lay_down(file, look.encoding, self._new_path, layout.begins, layout.peeled, runtime)
        if cluster := _CLUSTER_ID_PRINTED.search(look.head):
            self._note_cluster(name, cluster.group(1), node)
        self._add(parts, changes, name, layout.name, node, whole_path)

    def _proposed(self, name: str, proposal: Proposal | None) -> Layout:
        """The layout for a file in none that is known: what its lines propose where that is plain."""
        if proposal is None:
            told = "is in no known layout: its lines have no time; give the log4j pattern it is written in (--layout)"
        elif proposal.is_plain:
            self.found.remarks.append(
                (name, f"is in no known layout: read by what its lines show, as with --layout '{proposal.pattern}'")
            )
            return Layout.from_log4j_pattern(proposal.pattern)
        else:
            self.proposals.append(proposal.pattern)
            told = f"is in no known layout: its lines have no time; try --layout '{proposal.pattern}'"
        self.found.remarks.append((name, told))
        return Layout((PLAIN,))

    def _note_cluster(self, name: str, cluster: str, node: int | None) -> None:
        first = self._clusters.setdefault(cluster, name)
        if first == name and len(self._clusters) > 1:
            other, file_of_other = next(iter(self._clusters.items()))
            self.found.remarks.append(
                (name, f"is of cluster {cluster}, {file_of_other} of cluster {other}: files of two clusters are mixed")
            )
        if node is not None:
            self.members[node][cluster].add(str(PurePosixPath(name).parent))

    def _take_merged(
        self, file: Path, name: str, node: int | None, whole_path: str, look: Sample, layout: Layout
    ) -> None:
        """A file whose lines tell who printed them: as many sources as there are writers."""
        label_of = _label_of(layout)
        by_writer, changes = by_label(file, look.encoding, self._new_path, label_of, layout.begins, layout.peeled)
        self.found.remarks += [(name, told) for told in changes.told()]
        writers: dict[int, list[str]] = defaultdict(list)
        unlabelled = by_writer.pop(None, None)
        for label, (parts, lines) in by_writer.items():
            own = detect(lines, self._headers) or Layout((PLAIN,), layout.wrappers)
            printed = _printed_nodes(lines, own)
            writer = node if node is not None else _only(printed)
            if len(printed) > 1 and node is None:
                self._share(name, printed)
                self.others |= {part.path.name for part in parts}
            elif writer is None:
                named = _NODE_IN_LABEL.findall(label or "")
                writer = int(named[-1]) if named else _node_in_path(whole_path) if len(by_writer) == 1 else None
            if writer is not None:
                writers[writer].append(label or "")
            else:
                self.others |= {part.path.name for part in parts}
            self._add(parts, Changes(), name, own.name, writer, whole_path)
        if unlabelled is not None:
            parts, lines = unlabelled
            own = detect(lines, self._headers) or Layout((PLAIN,))
            writer = node if node is not None else _only(_printed_nodes(lines, own))
            self._add(parts, Changes(), name, own.name, writer, whole_path)
        if len(by_writer) > 1:
            told = (
                "; ".join(f"{', '.join(labels)} is node {writer}" for writer, labels in sorted(writers.items()))
                or "no node is known of any"
            )
            self.found.remarks.append((name, f"holds the lines of {len(by_writer)} writers: {told}"))

    def _node_of(self, name: str, whole_path: str, printed: Mapping[int, int]) -> int | None:
        """The writer: the id that its lines print of themselves, else the id in the path (contract, command line);
        nobody where they print several.
        """
        in_path = _node_in_path(whole_path)
        if not printed:
            return in_path
        if len(printed) > 1:
            self._share(name, printed)
            return None
        (node,) = printed
        self.printed[name] = node
        if in_path is not None and in_path != node:
            self.found.remarks.append(
                (name, f"its path names node {in_path}, its lines node {node}: read as node {node}'s")
            )
        return node

    def _share(self, name: str, printed: Mapping[int, int]) -> None:
        """A file into which several nodes wrote: each record is of the node that it names (`replay.reading.writers`)."""
        self.found.shared.setdefault(name, set()).update(printed)
        nodes = [f"node {node}" for node in sorted(printed)]
        told = f"{', '.join(nodes[:-1])} and {nodes[-1]}"
        self.found.remarks.append(
            (
                name,
                f"holds lines of {told}: each line is read as of the node that it names, and of none where it names none",
            )
        )

    def _new_path(self) -> Path:
        path = self._folder / f"{self._laid:06d}"
        self._laid += 1
        return path

    def _add(
        self, parts: Sequence[Part], changes: Changes, name: str, layout: str, node: int | None, whole_path: str
    ) -> None:
        self.found.remarks += [(name, told) for told in changes.told()]
        as_of = _AS_OF.search(whole_path)
        stood = datetime.strptime(as_of.group(1), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC) if as_of else None
        self.found.sources += [
            Source(part.path.name, part.path, name, layout, node, stood, part.first_line) for part in parts
        ]


def _label_of(layout: Layout) -> Callable[[str], str | None]:
    """A function from a line as it stands in the file to who printed it."""
    before = layout.wrappers[: layout.wrappers.index(layout.label)] if layout.label else ()

    def label(line: str) -> str | None:
        for wrapper in before:
            line = wrapper.peeled(line)
        return layout.label.label(line) if layout.label else None

    return label


def _first_joined_line(file: Path, look: Sample, layout: Layout) -> int | None:
    """The number of the first line that holds more than one record; None if there is none. Wrapped lines are looked
    at in the head only.
    """
    if look.encoding != "utf-8" or layout.wrappers:
        return next(
            (
                number
                for number, line in enumerate(look.head.split("\n"), start=1)
                if _JOINED.search(layout.peeled(line))
            ),
            None,
        )
    stamps = rb"[^\s*>]\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] (?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) "
    line_number = 1
    with file.open("rb") as stream:
        while chunk := stream.read(8 << 20):
            chunk = chunk.replace(b"\0", b"")
            if chunk.count(b"[20") != chunk.count(b"\n[20") + chunk.startswith(b"[20") and (
                found := re.search(stamps, chunk)
            ):
                return line_number + chunk.count(b"\n", 0, found.start())
            line_number += chunk.count(b"\n")
    return None


def _unread(error: OSError) -> str:
    return f"cannot be read: {error.strerror}" if error.errno else str(error.strerror)


def _unpacked_name(base: str) -> str:
    return re.sub(r"\.(?:gz|bz2|xz)$", "", base)


# What every broker and controller prints of itself, from 1.0 on, when it starts and stops: looked for in all of a
# file, not in a sample of it.
_OF_EVERY_NODE = (b"Server id=", b"FetcherManager on broker ")


def _printed_nodes(lines: Sequence[str], layout: Layout, file: Path | None = None) -> Counter[int]:
    """The nodes that lines say they were written by, and how many say so of each; where they name one, others are
    looked for in all of `file`.
    """
    printed: Counter[int] = Counter()
    for line in [piece for joined in lines for piece in _JOINED_JSON.split(joined)] if layout.is_joined else lines:
        said = layout.read(line)
        node = None if said is None else node_named(said.message, said.thread)
        if node is not None:
            printed[node] += 1
    node = _only(printed)
    if file is None or node is None:
        return printed
    own = [prefix + str(node).encode() + b"]" for prefix in _OF_EVERY_NODE]
    with file.open("rb") as stream:
        while chunk := stream.read(8 << 20):
            for prefix, of_node in zip(_OF_EVERY_NODE, own):
                if chunk.count(prefix) > chunk.count(of_node):
                    printed.update(map(int, re.findall(re.escape(prefix) + rb"(\d+)\]", chunk)))
    return printed


def _only(printed: Mapping[int, int]) -> int | None:
    return next(iter(printed)) if len(printed) == 1 else None


def _joined_json(lines: Sequence[str], headers: Sequence[Header | JsonHeader]) -> Layout | None:
    """The layout of lines that hold several JSON objects each."""
    found = detect([piece for line in lines for piece in _JOINED_JSON.split(line)], headers)
    if found is None or JSON not in found.headers:
        return None
    return replace(found, wrappers=(*found.wrappers, *_JOINED_WRAPPER))


def _share_folders(found: Inputs) -> None:
    """Where several nodes wrote into one file of a `logs` folder, they share its other files too: who of them wrote
    those is told by single lines only.
    """
    for source_file, nodes in list(found.shared.items()):
        folder, base = PurePosixPath(source_file).parent, PurePosixPath(source_file).name
        for i, source in enumerate(found.sources):
            at = PurePosixPath(source.source_file)
            same = at.parent == folder and bool(_ROLLED.match(base)) and bool(_ROLLED.match(at.name))
            if same and source.node_id in nodes:
                found.sources[i] = replace(source, node_id=None)
                found.shared.setdefault(source.source_file, set()).update(nodes)


def _node_in_path(path: str) -> int | None:
    found = _NODE_IN_PATH.findall(path)
    return int(found[-1]) if found else None


def _tell_duplicates(found: Inputs) -> None:
    """A log whose text another one has too, of the same node, is read once."""
    by_size: dict[int, list[Source]] = defaultdict(list)
    for source in found.sources:
        if source.layout not in WITNESS_LAYOUTS:
            by_size[source.path.stat().st_size].append(source)
    first: dict[tuple[bytes, int | None, int], Source] = {}
    doubles: set[str] = set()
    for sources in by_size.values():
        for source in sources if len(sources) > 1 else ():
            with source.path.open("rb") as stream:
                key = (hashlib.file_digest(stream, "blake2b").digest(), source.node_id, source.first_line)
            same = first.setdefault(key, source)
            if same is not source and same.source_file != source.source_file:
                doubles.add(source.name)
                source.path.unlink()
                found.set_aside.append((source.source_file, f"the same text as {same.source_file}: read once"))
    found.sources = [source for source in found.sources if source.name not in doubles]


def _settle_nodes(found: Inputs, others: set[str]) -> None:
    """A file that says nothing of its writer belongs to the node of its folder, if the folder's other files agree on
    one; not so `others`.
    """
    by_folder: dict[PurePosixPath, set[int]] = defaultdict(set)
    for source in found.sources:
        if source.node_id is not None:
            for parent in PurePosixPath(source.source_file).parents:
                by_folder[parent].add(source.node_id)
    for source_file, nodes in found.shared.items():
        for parent in PurePosixPath(source_file).parents:
            by_folder[parent] |= nodes
    for i, source in enumerate(found.sources):
        if source.node_id is None and source.name not in others and source.source_file not in found.shared:
            for parent in PurePosixPath(source.source_file).parents:
                nodes = by_folder.get(parent, set())
                if len(nodes) == 1 and str(parent) != ".":
                    found.sources[i] = replace(source, node_id=next(iter(nodes)))
                    break
                if nodes:
                    break


def _refuse_two_clusters(members: Mapping[int, Mapping[str, set[str]]], names: str) -> None:
    """Raises InputError where files of two clusters that share node ids lie in folders of their own: as one they
    would tell of deaths and losses that never were.

    One folder may hold the logs of two clusters, one after the other, and one node may have been given another
    cluster's disk: those are histories of their own.
    """
    shared = [
        (node, (one, folders), (other, others))
        for node, clusters in sorted(members.items())
        for (one, folders), (other, others) in itertools.combinations(clusters.items(), 2)
        if not folders & others
    ]
    if len(shared) > 1:
        node, (one, folders), (other, others) = shared[0]
        raise InputError(
            f"{names}: the files of two clusters are mixed: node {node} is of cluster {one} under {min(folders)}, and of cluster {other} under {min(others)}; analyse one cluster at a time"
        )


def _tell_nodes(found: Inputs, printed: dict[str, int]) -> None:
    """Two logs of one name in two folders that say they are of one node: two machines with one id, or one machine's
    files twice.
    """
    claims: dict[tuple[int, str], list[str]] = defaultdict(list)
    for source_file, node in printed.items():
        claims[node, PurePosixPath(source_file).name].append(source_file)
    for (node, _), files in sorted(claims.items()):
        if len(files) > 1:
            found.contested.add(node)
            found.remarks.append(
                (
                    files[1],
                    f"says it is of node {node}, and so does {files[0]}: two machines with one id, or one machine's files twice",
                )
            )
