"""Turns the user's paths into files to read: the node that wrote each, its layout, the time of its state.

Takes folders, files, archives and Spark's URLs. Holds every file when it is found and copies it in that state. All
files end up in one work folder under plain names, so that Spark lists one folder whatever the original names are.
One line reports each file that is not read, and each guess or change.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import TypeGuard

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from pipelines.archives import Limits, foreign_kind_of, kind_of, unpack
from pipelines.followed_files import News
from pipelines.found_files import Inputs, Source, Taken, Text, checked, is_segment
from pipelines.held_files import Handles, Held, files_under
from pipelines.room import Room, is_full, no_room, own_writes
from pipelines.text_files import RUNTIMES, Changes, Part, Sample, by_label, lay_down, sample
from replay.catalogue import explain
from replay.catalogue.template import simple_name
from replay.errors import InputError, OutputError
from replay.lists import listed
from replay.metrics.formats import BY_LINE, IOSTAT, JMXTOOL, OPENMETRICS, SADF, UNTIMED, format_of
from replay.reading.heads import head_of
from replay.reading.host_logs import is_host_line
from replay.reading.layouts import (
    ANY,
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
from replay.reading.matching import integer
from replay.reading.proposals import Proposal, loggers, proposed
from replay.reading.set_aside import reason
from replay.reading.stamps import datetime_of
from replay.reading.witnesses import (
    HOST_LOG,
    HOST_WITNESSES,
    OF_CLUSTER,
    STATE_WITNESSES,
    witness_fault,
    witness_layout,
)
from replay.reading.wrappers import IN_ITS_CALENDAR
from replay.reading.writers import names_a_node, node_named

_NODE_IN_PATH = re.compile(r"(?:^|[^A-Za-z0-9])(?:node|broker|kafka)-(\d+)(?=$|[^A-Za-z0-9])(?!\.\d)")
_NODE_IN_LABEL = re.compile(r"(?:^|[^A-Za-z0-9])(?:node|broker|kafka|controller)[-_]?(\d+)(?=$|[^A-Za-z0-9])(?!\.\d)")
_AS_OF = re.compile(r"(?:^|/)(\d{8}T\d{6}Z)(?=/|$)")
_NODE_IN_PROPERTIES = re.compile(r"^[ \t]*+(?:broker|node)\.id[ \t]*+[=:][ \t]*+(\d++)[ \t\r]*+$", re.MULTILINE)
_CLUSTER_ID = re.compile(r"^cluster\.id=(\S+)\s*$", re.MULTILINE)
_CLUSTER_ID_PRINTED = re.compile(r"\bCluster ID = ([A-Za-z0-9_-]{22})(?![A-Za-z0-9_-])")
_DOCUMENT = re.compile(r"\.(?:md|ya?ml|json|xml|html?|sh|py|java|sql|svg)$", re.IGNORECASE)
_NAMED_LIKE_A_LOG = re.compile(
    r"(?:^|[._-])(?:log|logs|out|err|stdout|stderr|txt|trace|gc)(?:$|[._-]\S{0,255}$)|\.\d{1,20}$", re.IGNORECASE
)
_JOINED_WRAPPER = layout_named("joined+plain").wrappers
_LIKE_SYSLOG = re.compile(
    r"(?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:|\d{4}-\d\d-\d\dT\S+ \S+ [\w./@-]+\[\d+\]: |\{.*__REALTIME_TIMESTAMP)"
)
_URL = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:/")
_JOINED = re.compile(JOINED)
_JOINED_JSON = re.compile(JOINED_JSON)
_LARGEST_FETCH = 256 << 20
_LARGEST_SAMPLES = 512 << 20  # a document is read whole
_OF_ONE_NODE = (JMXTOOL, SADF, IOSTAT, OPENMETRICS)  # files that a program on the node's host wrote


_LIMITS = Limits()
Needless = Callable[[Sequence[Source]], Collection[str]]


def gather(
    paths: Sequence[str | Path],
    nodes: Mapping[int, Path],
    work: Path,
    *,
    layout: str | None = None,
    limits: Limits = _LIMITS,
    spark: SparkSession | None = None,
    mixed: bool = False,
    news: News | None = None,
    needless: Needless | None = None,
) -> Inputs:
    """The files under `paths` in their current state, or as they were seen (`news`, as in `taken`), copied into
    `work`; `nodes` names the writer of the files under a path. `needless` is as in `taken`.

    A path may be a URL that Spark reads (`s3a://`, `hdfs://`, `dbfs:/`, `file:///`); `spark`, or the active session,
    downloads it. `layout` is a log4j pattern that is tried before the known layouts. Raises InputError if a path does
    not exist or is not readable, if the pattern is invalid, or if no file can be analyzed; OutputError if `work` has
    too little space.
    """
    found = checked(
        taken(paths, nodes, work, layout=layout, limits=limits, spark=spark, news=news, needless=needless),
        names_of(paths, nodes),
        mixed=mixed,
    )
    found.unlay(found.taken.sources)
    return found


def names_of(paths: Sequence[str | Path], nodes: Mapping[int, Path]) -> str:
    """The given paths, as error messages name them."""
    return ", ".join(map(str, [*paths, *nodes.values()]))


def taken(
    paths: Sequence[str | Path],
    nodes: Mapping[int, Path],
    work: Path,
    *,
    layout: str | None = None,
    limits: Limits = _LIMITS,
    spark: SparkSession | None = None,
    earlier: Taken | None = None,
    news: News | None = None,
    needless: Needless | None = None,
) -> Taken:
    """The facts about each file alone, and those of `earlier`, which were found before. With `news`, only what was
    seen while the paths were followed is read. `needless` is called with the logs that can be inspected in place
    and returns the names of sources not to read.

    Raises InputError and OutputError as `gather` does.
    """
    own = Layout.from_log4j_pattern(layout).headers if layout is not None else ()
    before = earlier or Taken()
    places = list(dict.fromkeys(digest_of_path(p) for p in [*paths, *nodes.values()]))
    gathering = _Gathering(work, (*own, *HEADERS), limits, {text.size for text in before.texts})
    gathering.taken.places = places
    several = len({*places, *before.places}) > 1
    given = [*((p, n) for n, p in nodes.items()), *((p, None) for p in paths)]
    try:
        for path, node in given:
            if news is not None:
                gathering.hold_seen(news, path, node, several)
            elif not is_url(path):
                gathering.walk(Path(path), node, several)
        if needless is not None:
            gathering.leave_out(needless)
        gathering.take_held()
        for path, node in given:
            if is_url(path) and news is None:
                gathering.fetch(path, node, several, spark)
        gathering.date_host_logs()
    except OSError as error:
        if is_full(error):
            raise no_room(work, error) from error
        raise
    return gathering.taken


def printable(name: str) -> str:
    r"""The name of a file as text: bytes that are not UTF-8 are shown as `\xe9`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def is_url(path: str | Path) -> TypeGuard[str]:
    """Whether `path` is a URL that Spark reads, instead of a path of this machine."""
    return isinstance(path, str) and _URL.match(path) is not None


def digest_of_path(path: str | Path) -> str:
    """The digest that identifies a path, with links resolved; the path cannot be recovered from it."""
    place = path if is_url(path) else os.path.realpath(path)
    return hashlib.blake2b(os.fsencode(place), digest_size=16).hexdigest()


@dataclass(frozen=True)
class _Found:
    """A held file, its displayed name, and the known facts about it."""

    held: Held
    name: str
    node: int | None
    whole_path: str
    given: bool


class _Gathering:
    """Sorts files into their kinds as they come."""

    def __init__(
        self, work: Path, headers: Sequence[Header | JsonHeader], limits: Limits, sizes: Collection[int]
    ) -> None:
        self.taken = Taken()
        self._headers, self._limits, self._work = headers, limits, work
        self._sizes = sorted(sizes)  # of earlier texts that one of these may begin with
        self._folder = work / "files"
        self._folder.mkdir(parents=True)
        self._laid = 0
        self._archives = 0
        self._room = Room(work, limits.spare_bytes)
        self._handles = Handles()
        self._held: list[_Found] = []
        self._seen: set[tuple[int, int]] = set()
        self._last_stamp: datetime | None = None  # of the logs seen so far

    def walk(self, path: Path, node: int | None, several: bool) -> None:
        """Hold every file under a local path in its current state; `-` and pipes are read once, to their end."""
        path = Path("/dev/stdin") if str(path) == "-" else path
        if not path.exists():
            raise InputError(f"{path}: no such file or folder; give the folder, file or archive that holds the logs")
        if not (path.is_file() or path.is_dir()):
            name = f"pipe-{path.name}" if path.name.isdecimal() else path.name  # `/dev/fd/63`, of `<(…)`
            held = self._handles.hold(self._spooled(path))
            self._held.append(_Found(held, name, node, str(path), given=True))
            return
        prefix = self._prefix(path, path.is_dir(), several)
        if path.is_dir():
            self.taken.watch.folders.append((path, prefix))
        for file in self._files(path):
            name = prefix + printable(str(file.relative_to(path if path.is_dir() else path.parent)))
            self.taken.watch.known.add(str(file))
            try:
                held = self._handles.hold(file)
            except OSError as error:
                gone = isinstance(error, FileNotFoundError)
                self._set_aside(name, "was removed before it could be read" if gone else _unread(error))
                continue
            if held.identity in self._seen:
                self.taken.remarks.append((name, "was given twice: read once"))
                continue
            self._seen.add(held.identity)
            self.taken.watch.files.append((name, held))
            self._held.append(_Found(held, name, node, str(file.absolute()), given=not path.is_dir()))

    def _prefix(self, path: Path, is_folder: bool, several: bool) -> str:
        """The prefix of the displayed names under a path: its own name, if there are several paths."""
        folder_name = f"{printable(path.name)}/" if is_folder and path.name else ""
        self.taken.prefix = "" if several else folder_name
        return folder_name if several else ""

    def hold_seen(self, news: News, path: str | Path, node: int | None, several: bool) -> None:
        """Hold the files that were seen under a path while it was followed."""
        is_folder = str(path) in news.folders
        prefix = self._prefix(Path(path), is_folder, several)
        for seen in news.texts.get(str(path), ()):
            held = replace(self._handles.hold(seen.copy), size=seen.size)
            self._held.append(_Found(held, prefix + printable(seen.relative), node, seen.place, given=not is_folder))
        self.taken.gone |= {prefix + name for given, name in news.gone if given == str(path)}

    def leave_out(self, needless: Needless) -> None:
        """Release the `needless` files without reading them."""
        sources = (self._as_it_lies(str(number), found) for number, found in enumerate(self._held))
        left_out = [self._held[int(name)] for name in needless([source for source in sources if source is not None])]
        for found in left_out:
            self._handles.let_go(found.held)
            self._held.remove(found)
            self._set_aside(found.name, "lies outside the window: not read")

    def _as_it_lies(self, name: str, found: _Found) -> Source | None:
        """A log of one writer, identified in place from samples. None for any other file, and for one in which a
        record may begin in the middle of a line.
        """
        path = found.held.path
        try:
            look, status = sample(path), path.stat()
        except OSError:
            return None
        lines = look.lines[:4_000]
        layout = detect(lines, self._headers)
        is_another = (status.st_dev, status.st_ino) != found.held.identity
        is_witness = witness_layout(path.name, look.head) is not None or any(map(is_host_line, lines))
        if is_another or is_witness or look.encoding != "utf-8" or layout is None or layout.label is not None:
            return None
        if any(_JOINED.search(layout.peeled(line)) for line in look.lines):
            return None
        in_path = found.node if found.node is not None else _node_in_path(found.whole_path)
        node = in_path if in_path is not None else _only(_printed_nodes(lines, layout))
        return Source(name, path, found.name, layout.name, node)

    def take_held(self) -> None:
        """Read each held file from a copy of its content at the time it was found."""
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
                self.taken.remarks.append((found.name, copied.remark))
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
        if not several and any(f"/{root}/" in path for path, _ in listed):
            self.taken.prefix = f"{root}/"
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
                    if content is None:  # Spark can be configured to ignore missing files
                        self._set_aside(name, "was removed before it could be read")
                        continue
                    file.write_bytes(bytes(content[0]))
                else:
                    with file.open("w", encoding="utf-8", newline="\n") as out:
                        out.writelines(row.value + "\n" for row in session.read.text(path).toLocalIterator())
            except PySparkException as error:
                self.taken.set_aside.append((name, f"cannot be read by Spark: {str(error).strip().splitlines()[0]}"))
                continue
            self._take(file, name, node, path, given=not relative)

    def _spooled(self, path: Path) -> Path:
        """The data of a pipe, as a file: layout detection reads it twice."""
        if not path.is_fifo():
            raise InputError(f"{path}: not a file, a folder or a pipe; give the folder, file or archive of the logs")
        file = self._work / "piped" / path.name
        file.parent.mkdir(exist_ok=True)
        with path.open("rb") as stream, own_writes(file.parent), file.open("wb") as out:
            while chunk := stream.read(1 << 20):
                self._room.take(len(chunk))
                out.write(chunk)
        return file

    def _files(self, path: Path) -> Iterator[Path]:
        """Every regular file under `path`; what else is there is set aside."""
        return files_under(
            path, lambda name, why: self.taken.set_aside.append((printable(name), why)), self._note_unlisted
        )

    def _note_unlisted(self, error: OSError) -> None:
        self.taken.set_aside.append((printable(str(error.filename)), f"cannot be listed: {error.strerror}"))

    def _take(self, file: Path, name: str, node: int | None, whole_path: str, given: bool) -> None:
        """One file of the work folder: an archive, an evidence file, a log, or a file to set aside. Only files to
        read stay.
        """
        before = len(self.taken.sources)
        try:
            self._take_as_it_is(file, name, node, whole_path, given)
        except (InputError, OutputError, MemoryError):
            raise
        except Exception as error:  # a faulty file must not stop the reading of others
            if isinstance(error, OSError) and is_full(error):
                raise
            del self.taken.sources[before:]
            self._set_aside(name, f"could not be read ({reason(error)})")
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
        elif is_segment(base):
            metadata = "__cluster_metadata-0/" in name
            use = "give the output of kafka-dump-log for it" if metadata else "kafka-replay rescue reads it"
            self._set_aside(name, f"a segment of a log, not text; {use}")
        elif not look.head.strip("\0 \t\r\n\ufeff"):
            self._set_aside(name, "empty")
        elif not look.is_text and detect(look.lines[:4_000], self._headers) is None:
            self._set_aside(name, "binary")
        elif (samples := format_of(look.head)) is not None:
            self._take_samples(file, name, node, whole_path, look, samples)
        elif (witness := witness_layout(re.sub(r"\.(?:gz|bz2|xz)$", "", base), look.head)) is not None:
            self._take_witness(file, name, node, whole_path, look, witness)
        else:
            self._take_lines(file, name, node, whole_path, look, given)

    def _take_lines(self, file: Path, name: str, node: int | None, whole_path: str, look: Sample, given: bool) -> None:
        """A log of Kafka, a host's log, or both: `journalctl -u kafka` has Kafka's lines and systemd's lines about
        it.
        """
        if not any(map(is_host_line, look.lines[:4_000])) and not _names_host(file, look):
            self._take_log(file, name, node, whole_path, look, given)
            return
        if detect(look.lines[:4_000], self._headers) is None and _joined_json(look.lines, self._headers) is None:
            self._take_witness(file, name, node, whole_path, look, HOST_LOG)
            return
        beside = file.with_name(f"{file.name}-host")
        self._room.take(file.stat().st_size)
        with own_writes(file.parent):
            shutil.copyfile(file, beside)
        try:
            before = len(self.taken.sources)
            self._take_log(file, name, node, whole_path, look, given)
            writers = {source.node_id for source in self.taken.sources[before:]}
            self._take_witness(beside, name, writers.pop() if len(writers) == 1 else node, whole_path, look, HOST_LOG)
            self.taken.texts.pop()  # the same text, noted twice
        finally:
            beside.unlink(missing_ok=True)

    def _take_samples(
        self, file: Path, name: str, node: int | None, whole_path: str, look: Sample, layout: str
    ) -> None:
        """A file with samples of metrics: laid down beside the logs, because its lines are no records."""
        if layout == UNTIMED:
            self._set_aside(
                name, "samples of metrics without times: ask Prometheus for them, or give a text with timestamps"
            )
            return
        if layout not in BY_LINE and file.stat().st_size > _LARGEST_SAMPLES:
            self._set_aside(name, "more than 512 MB of samples in one document: not read; give it in parts")
            return
        self._note_text(file, name, whole_path)
        if node is None and layout in _OF_ONE_NODE:
            node = _node_in_path(whole_path)
        if layout in BY_LINE:
            parts, changes = lay_down(file, look.encoding, self._new_samples, lambda line: True)
        else:
            parts, changes = [Part(self._new_samples(), 1)], Changes()
            file.rename(parts[0].path)
        own = self.taken.sources
        self.taken.sources = []
        self._add(parts, changes, name, layout, node, whole_path)
        self.taken.samples, self.taken.sources = [*self.taken.samples, *self.taken.sources], own

    def _new_samples(self) -> Path:
        folder = self._work / "samples"
        folder.mkdir(exist_ok=True)
        self._laid += 1
        return folder / f"{self._laid:06d}"

    def _set_aside(self, name: str, why: str) -> None:
        self.taken.set_aside.append((name, why))

    def _take_archive(self, file: Path, name: str, node: int | None, whole_path: str) -> None:
        self._archives += 1
        folder = self._work / "unpacked" / f"{self._archives:06d}"
        unpacked = unpack(file, name, folder, self._limits, self._room)
        self.taken.set_aside += unpacked.set_aside
        self.taken.remarks += unpacked.remarks
        for member in unpacked.members:
            self._take(
                member.path, member.name, node, whole_path + member.name.removeprefix(name), given=member.name == name
            )

    def _take_witness(
        self, file: Path, name: str, node: int | None, whole_path: str, look: Sample, witness: str
    ) -> None:
        text = (
            look.head
            if witness in (*STATE_WITNESSES, *HOST_WITNESSES, "quorum-describe", "gc-log")
            else file.read_text("utf-8", "replace")
        )
        fault = witness_fault(witness, name, text)
        if fault is not None:
            self._set_aside(name, fault)
            return
        self._note_text(file, name, whole_path)
        broker_id = None
        if witness in ("meta.properties", "server.properties"):
            found = _NODE_IN_PROPERTIES.search(look.head)
            broker_id = integer(found.group(1)) if found else None
        if node is None:
            node = broker_id if broker_id is not None or witness in OF_CLUSTER else _node_in_path(whole_path)
        if witness == "meta.properties" and (cluster := _CLUSTER_ID.search(look.head)):
            self.taken.clusters.append((name, cluster.group(1), node))
        parts, changes = lay_down(file, look.encoding, self._new_path, lambda line: True)
        is_nobodys = witness in OF_CLUSTER and node is None
        self._add(parts, changes, name, witness, node, whole_path, is_nobodys)

    def _take_log(self, file: Path, name: str, node: int | None, whole_path: str, look: Sample, given: bool) -> None:
        lines = look.lines[:4_000]
        layout = detect(lines, self._headers) or _joined_json(lines, self._headers)
        if layout is None:
            if _DOCUMENT.search(name) or not (
                given or _NAMED_LIKE_A_LOG.search(PurePosixPath(name).name) or any(map(names_a_node, lines))
            ):
                self._set_aside(name, "not a log or known evidence file: not read")
                return
            layout = self._proposed(name, proposed(lines), lines)
        self._note_text(file, name, whole_path)
        if layout.calendar is not None:
            self.taken.remarks.append((name, IN_ITS_CALENDAR))
        if layout.label is not None:
            self._take_merged(file, name, node, whole_path, look, layout)
            return
        if layout.headers == (DEFAULT,) and (first := _first_joined_line(file, look, layout)) is not None:
            layout = replace(layout, wrappers=(*layout.wrappers, *_JOINED_WRAPPER))
            self.taken.remarks.append((name, f"holds more than one record on a line, first in line {first:,}: split"))
        self._note_date(look, layout)
        runtime = next((wrapper.name for wrapper in layout.wrappers[:1] if wrapper.name in RUNTIMES), None)
        if node is None:  # before the file is moved
            node = self._node_of(name, whole_path, _printed_nodes(look.lines, layout, file))
        parts, changes = lay_down(file, look.encoding, self._new_path, layout.begins, layout.peeled, runtime)
        if cluster := _CLUSTER_ID_PRINTED.search(look.head):
            self.taken.clusters.append((name, cluster.group(1), node))
        self._add(parts, changes, name, layout.name, node, whole_path)

    def _proposed(self, name: str, proposal: Proposal | None, lines: Sequence[str]) -> Layout:
        """The layout for a file that matches no known one: the pattern derived from its lines if that is clear, else
        their levels, else plain lines.
        """
        is_plain = proposal is not None and proposal.is_plain
        if not is_plain and (_hold_levels(lines) or any(map(_BARE_NODE.search, lines))):
            problem = "matches no known layout: read by the level in its lines, in the order of the file"
            is_timed = proposal is not None and re.search("%[dc]", proposal.pattern) is not None
            more = f"; --layout '{proposal.pattern}' may find more" if proposal is not None and is_timed else ""
            self.taken.remarks.append((name, problem + more))
            return Layout((ANY,))
        if proposal is None and _are_of_java(lines):
            return Layout((PLAIN,))
        if proposal is None:
            problem = (
                "is in no known layout: its lines have no time; give the log4j pattern it is written in (--layout)"
            )
        elif proposal.is_plain:
            self.taken.remarks.append(
                (name, f"matches no known layout: read by the pattern of its lines, like --layout '{proposal.pattern}'")
            )
            return Layout.from_log4j_pattern(proposal.pattern)
        else:
            self.taken.proposals.append(proposal.pattern)
            problem = f"is in no known layout: its lines have no time; try --layout '{proposal.pattern}'"
        self.taken.remarks.append((name, problem))
        return Layout((PLAIN,))

    def _take_merged(
        self, file: Path, name: str, node: int | None, whole_path: str, look: Sample, layout: Layout
    ) -> None:
        """A file whose lines name their writer: one source per writer."""
        label_of = _label_of(layout)
        by_writer, changes = by_label(file, look.encoding, self._new_path, label_of, layout.begins, layout.peeled)
        self.taken.remarks += [(name, remark) for remark in changes.remarks()]
        writers: dict[int, list[str]] = defaultdict(list)
        unlabelled = by_writer.pop(None, None)
        for label, (parts, lines) in by_writer.items():
            own = detect(lines, self._headers) or Layout((PLAIN,), layout.wrappers)
            printed = _printed_nodes(lines, own)
            writer = node if node is not None else _only(printed)
            several = len(printed) > 1 and node is None
            if several:
                self._share(name, printed)
            elif writer is None:
                named = _NODE_IN_LABEL.findall(label or "")
                writer = integer(named[-1]) if named else _node_in_path(whole_path) if len(by_writer) == 1 else None
            if writer is not None:
                writers[writer].append(label or "")
            is_nobodys = several or writer is None
            self._add(parts, Changes(), name, own.name, writer, whole_path, is_nobodys)
        if unlabelled is not None:
            parts, lines = unlabelled
            own = detect(lines, self._headers) or Layout((PLAIN,))
            writer = node if node is not None else _only(_printed_nodes(lines, own))
            self._add(parts, Changes(), name, own.name, writer, whole_path)
        if len(by_writer) > 1:
            remark = (
                "; ".join(f"{', '.join(labels)} is node {writer}" for writer, labels in sorted(writers.items()))
                or "none of them with a known node"
            )
            self.taken.remarks.append((name, f"holds the lines of {len(by_writer)} writers: {remark}"))

    def _node_of(self, name: str, whole_path: str, printed: Mapping[int, int]) -> int | None:
        """The writer: the id that its lines print, else the id in the path (contract, command line). None if the
        lines print several.
        """
        in_path = _node_in_path(whole_path)
        if not printed:
            return in_path
        if len(printed) > 1:
            self._share(name, printed)
            return None
        (node,) = printed
        self.taken.printed[name] = node
        if in_path is not None and in_path != node:
            self.taken.remarks.append(
                (name, f"its path names node {in_path}, its lines node {node}: read as node {node}'s")
            )
        return node

    def _share(self, name: str, printed: Mapping[int, int]) -> None:
        """Records a file that several nodes wrote: each record belongs to the node that it names
        (`replay.reading.writers`).
        """
        self.taken.shared.setdefault(name, set()).update(printed)
        names = listed([f"node {node}" for node in sorted(printed)])
        self.taken.remarks.append(
            (
                name,
                f"holds lines of {names}: each line counts for the node that it names, and for none if it names none",
            )
        )

    def _new_path(self) -> Path:
        path = self._folder / f"{self._laid:06d}"
        self._laid += 1
        return path

    def _add(
        self,
        parts: Sequence[Part],
        changes: Changes,
        name: str,
        layout: str,
        node: int | None,
        whole_path: str,
        is_nobodys: bool = False,
    ) -> None:
        self.taken.remarks += [(name, remark) for remark in changes.remarks()]
        as_of = _AS_OF.search(whole_path)
        stood = datetime.strptime(as_of.group(1), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC) if as_of else None
        for part in parts:
            size, digest, _ = _digests(part.path)
            self.taken.sources.append(
                Source(part.path.name, part.path, name, layout, node, stood, part.first_line, size, digest, is_nobodys)
            )

    def _note_date(self, look: Sample, layout: Layout) -> None:
        """Records the last timestamp in a sample of a log."""
        heads = (head_of(layout, line) for line in reversed(look.lines[-200:]))
        stamp = next((datetime_of(head.micros) for head in heads if head is not None and head.micros), None)
        if stamp is not None and (self._last_stamp is None or stamp > self._last_stamp):
            self._last_stamp = stamp

    def date_host_logs(self) -> None:
        """Dates host logs without a year: their timestamps are within half a year of the last timestamp of Kafka's
        logs.
        """
        until = datetime.now(UTC) if self._last_stamp is None else self._last_stamp + timedelta(days=182)
        self.taken.sources = [
            replace(source, as_of=until) if source.layout == HOST_LOG and source.as_of is None else source
            for source in self.taken.sources
        ]

    def _note_text(self, file: Path, name: str, whole_path: str) -> None:
        size, digest, beginnings = _digests(file, self._sizes)
        self.taken.texts.append(Text(name, digest_of_path(whole_path), size, digest, beginnings))


def _digests(file: Path, sizes: Sequence[int] = ()) -> tuple[int, str, dict[int, str]]:
    """The size and the digest of a file, and the digests of its first bytes for each of `sizes`, which ascend."""
    whole, beginnings, at = hashlib.blake2b(digest_size=32), {}, 0
    with file.open("rb") as stream:
        for size in sizes:
            while at < size and (chunk := stream.read(min(8 << 20, size - at))):
                whole.update(chunk)
                at += len(chunk)
            if at < size:
                break
            beginnings[size] = whole.hexdigest()
        while chunk := stream.read(8 << 20):
            whole.update(chunk)
            at += len(chunk)
    return at, whole.hexdigest(), beginnings


# The marks of kernel and systemd lines in a journal that also has Kafka's lines.
_OF_A_HOST = (b" systemd[1]: ", b" kernel: ", b'"SYSLOG_IDENTIFIER":"systemd"', b'"_TRANSPORT":"kernel"')


def _names_host(file: Path, look: Sample) -> bool:
    """Whether a journal has lines of the kernel or of systemd. Searches the whole file."""
    if not any(_LIKE_SYSLOG.match(line) for line in look.lines[:20]):
        return False
    with file.open("rb") as stream:
        while chunk := stream.read(8 << 20):
            if any(mark in chunk for mark in _OF_A_HOST):
                return True
    return False


# A paste without its first line: the class of an exception, or a frame, is Kafka's; or Java's launcher printed it.
_BARE_NODE = re.compile(
    r"\b(?:org\.apache\.kafka|kafka)\.[\w.$]{1,300}(?:Exception|Error)\b|^[ \t]*+at (?:[\w.$@-]++/++)*+(?:org\.apache\.kafka|kafka)\.[\w.$]+\("
    r"|^Error: (?:Could not (?:find or load main class|create the Java Virtual Machine)|Exception thrown by the agent |JMX connector server )"
)


def _hold_levels(lines: Sequence[str]) -> bool:
    """Whether half of the lines begin with a level, or whether one that does has Kafka's wording or names one of its
    loggers.
    """
    heads = [head for line in lines if (head := head_of(Layout((ANY,)), line)) is not None]
    is_half = 0 < sum(map(bool, lines)) <= 2 * len(heads)
    return is_half or any(
        explain(head.message, head.logger) is not None or simple_name(head.logger or "") in loggers() for head in heads
    )


def _are_of_java(lines: Sequence[str]) -> bool:
    """Whether all lines are known output of Java or of the shell that started it, which has no timestamps."""
    found = [explain(line.strip()) for line in lines if line.strip()]
    return bool(found) and all(one is not None and one[0].logger == "stdout" for one in found)


def _label_of(layout: Layout) -> Callable[[str], str | None]:
    """A function that returns the writer of a line of the file."""
    before = layout.wrappers[: layout.wrappers.index(layout.label)] if layout.label else ()

    def label(line: str) -> str | None:
        for wrapper in before:
            line = wrapper.peeled(line)
        return layout.label.label(line) if layout.label else None

    return label


def _first_joined_line(file: Path, look: Sample, layout: Layout) -> int | None:
    """The number of the first line that holds more than one record; None if there is none. Wrapped lines are checked
    only in the head of the file.
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


# What every broker and controller prints about itself, from 1.0 on, when it starts and stops: searched in the whole
# file, not in a sample.
_OF_EVERY_NODE = (b"Server id=", b"FetcherManager on broker ")
_ITS_ID = {prefix: re.compile(re.escape(prefix) + rb"(\d{1,10})\]") for prefix in _OF_EVERY_NODE}


def _printed_nodes(lines: Sequence[str], layout: Layout, file: Path | None = None) -> Counter[int]:
    """The nodes that lines name as their writer, with the number of lines for each. If the sample names a node,
    `file` is searched for others.
    """
    printed: Counter[int] = Counter()
    for line in [piece for joined in lines for piece in _JOINED_JSON.split(joined)] if layout.is_joined else lines:
        head = head_of(layout, line)
        node = None if head is None else node_named(head.message, head.thread)
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
                    printed.update(map(int, _ITS_ID[prefix].findall(chunk)))
    return printed


def _only(printed: Mapping[int, int]) -> int | None:
    return next(iter(printed)) if len(printed) == 1 else None


def _joined_json(lines: Sequence[str], headers: Sequence[Header | JsonHeader]) -> Layout | None:
    """The layout of lines that hold several JSON objects each."""
    found = detect([piece for line in lines for piece in _JOINED_JSON.split(line)], headers)
    if found is None or JSON not in found.headers:
        return None
    return replace(found, wrappers=(*found.wrappers, *_JOINED_WRAPPER))


def _node_in_path(path: str) -> int | None:
    found = _NODE_IN_PATH.findall(path)
    return integer(found[-1]) if found else None
