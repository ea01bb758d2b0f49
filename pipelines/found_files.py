"""The facts about each file alone, and the facts about all files together: duplicates, the node of a file that names
none, files of two clusters, two machines with one id.

A result keeps the facts about each file, so that `append` can compute the others again (`pipelines.append`).
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from pipelines.held_files import Watch
from replay.errors import InputError
from replay.facts.window import ALL_TIME, TimeWindow
from replay.reading.layouts import layout_named
from replay.reading.witnesses import WITNESS_LAYOUTS

_SEGMENT = re.compile(
    r"^\d{20}(?:-\d{10})?\.(?:log|index|timeindex|txnindex|snapshot|checkpoint)(?:\.deleted|\.swap|\.cleaned)?$"
)
_ROLLED = re.compile(r"^(?:server|controller|state-change|log-cleaner)\.log(?:[.-].*)?$")


@dataclass(frozen=True)
class Source:
    """One file to read, or one part of one; `size` and `digest` are those of its text as read.

    `is_nobodys`: the lines of a merged file that belong to no known node. `is_earlier`: its records are in an
    earlier result, and its text is not available.
    """

    name: str
    path: Path
    source_file: str
    layout: str
    node_id: int | None = None
    as_of: datetime | None = None
    first_line: int = 1
    size: int = 0
    digest: str = ""
    is_nobodys: bool = False
    is_earlier: bool = False

    @property
    def is_witness(self) -> bool:
        """Whether it is evidence from a host, container or operator instead of a log."""
        return self.layout in WITNESS_LAYOUTS


@dataclass(frozen=True)
class Text:
    """A file in its state when it was found: its name, the digest of its path, its size and digest.

    `beginnings`: the digest of its first bytes, for the requested sizes.
    """

    name: str
    place: str = field(compare=False)
    size: int
    digest: str
    beginnings: Mapping[int, str] = field(default_factory=dict, compare=False)


@dataclass
class Taken:
    """The facts about each file alone.

    `printed`: the node that a file's lines name. `shared`: files that several nodes wrote without a label, and those
    nodes. `clusters`: file, cluster id, node. `samples`: files with samples of metrics. `proposals`: probable log4j patterns of files without a known layout.
    `places`: digests of the given paths. `prefix`: the prefix of file names if there were several paths. `gone`:
    names that no longer have a file, because its text was found under another name.
    """

    sources: list[Source] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    set_aside: list[tuple[str, str]] = field(default_factory=list)
    remarks: list[tuple[str, str]] = field(default_factory=list)
    printed: dict[str, int] = field(default_factory=dict)
    shared: dict[str, set[int]] = field(default_factory=dict)
    clusters: list[tuple[str, str, int | None]] = field(default_factory=list)
    samples: list[Source] = field(default_factory=list)
    proposals: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    prefix: str = ""
    gone: set[str] = field(default_factory=set)
    watch: Watch = field(default_factory=Watch)


@dataclass(frozen=True)
class Earlier:
    """Records of an earlier result, in `folder`, and what has changed about its files: those to omit, new names, and
    nodes that are now known. With `is_read_again`, the templates of this release match the lines again.
    """

    folder: Path
    dropped: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = field(default_factory=dict)
    nodes: Mapping[str, int] = field(default_factory=dict)
    is_read_again: bool = False


@dataclass
class Inputs:
    """The files to read; the files that were set aside and why; notes about files that are read. Each is a name and
    one line.

    `contested`: nodes that logs in more than one folder claim. `watch`: the files as they were found. `shared`:
    files that several nodes wrote without a label, and those nodes. `taken`: the facts about each file alone.
    `earlier`: the records of sources without text. `window`: the time range to read. `samples`: files with samples of
    metrics.
    """

    sources: list[Source] = field(default_factory=list)
    set_aside: list[tuple[str, str]] = field(default_factory=list)
    remarks: list[tuple[str, str]] = field(default_factory=list)
    contested: set[int] = field(default_factory=set)
    shared: dict[str, set[int]] = field(default_factory=dict)
    watch: Watch = field(default_factory=Watch)
    taken: Taken = field(default_factory=Taken)
    earlier: Earlier | None = None
    window: TimeWindow = ALL_TIME
    samples: list[Source] = field(default_factory=list)

    def files(self) -> list[dict[str, str | int | None]]:
        """Every file that was found, read or set aside, once per node."""
        read = {(s.source_file, s.node_id): s.layout for s in [*self.sources, *self.samples]}
        aside = {(name, None): "set aside" for name, _ in self.set_aside}
        return [
            {"source_file": name, "node_id": node, "layout": layout} for (name, node), layout in (aside | read).items()
        ]

    def unlay(self, laid: Iterable[Source]) -> None:
        """Remove the text of the `laid` sources that must not be read."""
        read = {source.name for source in self.sources}
        for source in laid:
            if source.name not in read:
                source.path.unlink()

    def to_read(self) -> list[Source]:
        """The sources whose text is available."""
        return [source for source in self.sources if not source.is_earlier]


def has_borders(sources: Iterable[Source]) -> bool:
    """Whether every log has a known node, so that each node's last record before a window and its first one after it
    are known.
    """
    return all(source.node_id is not None for source in sources if not source.is_witness)


def is_segment(name: str) -> bool:
    """Whether the name is that of a log segment or its index, which are not text."""
    return _SEGMENT.match(name) is not None


def log_of(name: str) -> tuple[str, str]:
    """The common name of a log and its rotated files: `server.log`, `server.log.1`, `server-2026-11-21.log`."""
    path = PurePosixPath(name)
    return str(path.parent), re.split(r"[._-]\d|\.", path.name)[0]


def checked(taken: Taken, names: str, *, mixed: bool = False) -> Inputs:
    """The facts about all files together; `names` are the given paths. Raises InputError if no file can be analyzed,
    and, unless `mixed`, if the files are of two clusters.
    """
    found = Inputs(
        list(taken.sources),
        list(taken.set_aside),
        list(taken.remarks),
        shared={name: set(nodes) for name, nodes in taken.shared.items()},
        watch=taken.watch,
        taken=taken,
        samples=list(taken.samples),
    )
    if not mixed:
        _refuse_two_clusters(taken, names)
    _note_clusters(found)
    _note_duplicates(found)
    _share_folders(found)
    _settle_nodes(found)
    _note_nodes(found)
    if not found.sources:
        reasons = "; ".join(f"{name}: {why}" for name, why in found.set_aside[:3])
        raise InputError(f"{names}: nothing to analyze there" + (f" ({reasons})" if reasons else ": no files"))
    plain = [s for s in found.sources if not s.is_witness and layout_named(s.layout).is_plain]
    if len(plain) == len(found.sources):
        raise InputError(
            f"{names}: no line looks like a Kafka log ({len(plain)} text files read); "
            "give the folders with server.log, controller.log and state-change.log, or --layout with the log4j pattern they are written in"
            + (f": try --layout '{taken.proposals[0]}'" if taken.proposals else "")
        )
    return found


def _refuse_two_clusters(taken: Taken, names: str) -> None:
    """Raises InputError if files of two clusters with the same node ids are in separate folders: read as one cluster,
    they would show crashes and losses that never happened.

    One folder may hold the logs of two clusters, one after the other, and a node may have received another cluster's
    disk: those are valid histories.
    """
    members: dict[int, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))  # node -> cluster -> folders
    for name, cluster, node in taken.clusters:
        if node is not None:
            members[node][cluster].add(str(PurePosixPath(name).parent))
    shared = [
        (node, (one, folders), (other, others))
        for node, clusters in sorted(members.items())
        for (one, folders), (other, others) in itertools.combinations(clusters.items(), 2)
        if not folders & others
    ]
    if len(shared) > 1:
        node, (one, folders), (other, others) = shared[0]
        raise InputError(
            f"{names}: the files of two clusters are mixed: node {node} is of cluster {one} under {min(folders)}, and of cluster {other} under {min(others)}; analyze one cluster at a time"
        )


def _note_clusters(found: Inputs) -> None:
    """Notes the first file of each additional cluster."""
    first: dict[str, str] = {}
    for name, cluster, _ in found.taken.clusters:
        if cluster not in first and first:
            other, file_of_other = next(iter(first.items()))
            found.remarks.append(
                (name, f"is of cluster {cluster}, {file_of_other} of cluster {other}: files of two clusters are mixed")
            )
        first.setdefault(cluster, name)


def _note_duplicates(found: Inputs) -> None:
    """Notes each log whose text duplicates another log of the same node: it is read once."""
    first: dict[tuple[int, str, int | None, int], Source] = {}
    doubles: set[str] = set()
    for source in found.sources:
        if not source.is_witness:
            same = first.setdefault((source.size, source.digest, source.node_id, source.first_line), source)
            if same is not source and same.source_file != source.source_file:
                doubles.add(source.name)
                found.set_aside.append((source.source_file, f"the same text as {same.source_file}: read once"))
    found.sources = [source for source in found.sources if source.name not in doubles]


def _share_folders(found: Inputs) -> None:
    """If several nodes wrote to one file of a `logs` folder, they share its other files too; only single lines name
    their writer.
    """
    for source_file, nodes in list(found.shared.items()):
        folder, base = PurePosixPath(source_file).parent, PurePosixPath(source_file).name
        for i, source in enumerate(found.sources):
            at = PurePosixPath(source.source_file)
            same = at.parent == folder and bool(_ROLLED.match(base)) and bool(_ROLLED.match(at.name))
            if same and source.node_id in nodes:
                found.sources[i] = replace(source, node_id=None)
                found.shared.setdefault(source.source_file, set()).update(nodes)


def _settle_nodes(found: Inputs) -> None:
    """Assigns a file without a known writer to the node of its folder if the folder's other files agree on one.
    Excludes the unattributed part of a merged file.
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
        if source.node_id is None and not source.is_nobodys and source.source_file not in found.shared:
            for parent in PurePosixPath(source.source_file).parents:
                nodes = by_folder.get(parent, set())
                if len(nodes) == 1 and str(parent) != ".":
                    found.sources[i] = replace(source, node_id=next(iter(nodes)))
                    break
                if nodes:
                    break


def _note_nodes(found: Inputs) -> None:
    """Notes two logs of one node with the same name in two folders: two machines with one id, or one machine's files
    twice.
    """
    claims: dict[tuple[int, str], list[str]] = defaultdict(list)
    for source_file, node in found.taken.printed.items():
        claims[node, PurePosixPath(source_file).name].append(source_file)
    for (node, _), files in sorted(claims.items()):
        if len(files) > 1:
            found.contested.add(node)
            found.remarks.append(
                (
                    files[1],
                    f"names node {node}, and so does {files[0]}: two machines have one id, or one machine's files were given twice",
                )
            )
