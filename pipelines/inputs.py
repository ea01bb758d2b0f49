"""What a user hands over -> the files to read: which node wrote each, how it is laid out, at what time it stood so.

Files are linked into one work folder under plain names, so that Spark lists one folder whatever the names outside are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from replay.errors import InputError
from replay.layouts import PLAIN, detect
from replay.witnesses import witness_layout

_HEAD_BYTES = 256 * 1024
_NODE_IN_PATH = re.compile(r"(?:^|[^A-Za-z0-9])(?:node|broker|kafka)-(\d+)(?=$|[^A-Za-z0-9])")
_AS_OF = re.compile(r"(?:^|/)(\d{8}T\d{6}Z)(?=/|$)")
_NODE_IN_LINE = re.compile(
    r"\[(?:Broker|KafkaServer|BrokerServer|ControllerServer|RaftManager|QuorumController|BrokerLifecycleManager|Controller) (?:node)?[iI]d=(\d+)"
    r"|\[(?:ReplicaManager|GroupMetadataManager) broker(?:Id)?=(\d+)|\[Partition \S+ broker=(\d+)\]|Manager on [bB]roker (\d+)\]"
    r"|\[Kafka Server (\d+)\]|\[Controller (\d+)\]"
)
_NODE_IN_PROPERTIES = re.compile(r"^(?:broker|node)\.id=(\d+)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Source:
    """One file to read."""

    name: str
    path: Path
    source_file: str
    layout: str
    node_id: int | None = None
    as_of: datetime | None = None
    first_line: int = 1


@dataclass
class Inputs:
    """The files to read, and what was set aside and why (one line each)."""

    sources: list[Source] = field(default_factory=list)
    set_aside: list[tuple[str, str]] = field(default_factory=list)


def gather(paths: list[Path], nodes: dict[int, Path], work: Path) -> Inputs:
    """The files under `paths`, linked into `work`; `nodes` names the writer of what lies under a path.

    Raises InputError if a path is not there or not readable, or if no file holds anything to analyse.
    """
    found = Inputs()
    folder = work / "files"
    folder.mkdir(parents=True)
    several = len({p.resolve() for p in [*paths, *nodes.values()]}) > 1
    for path, node in [*((p, None) for p in paths), *((p, n) for n, p in nodes.items())]:
        if not path.exists():
            raise InputError(f"{path}: no such file or folder; give the folder, file or archive that holds the logs")
        for file in _files(path, found):
            relative = str(file.relative_to(path if path.is_dir() else path.parent))
            _add(file, f"{path.name}/{relative}" if several and path.is_dir() else relative, node, folder, found)
    _settle_nodes(found)
    if not found.sources:
        reasons = "; ".join(f"{name}: {why}" for name, why in found.set_aside[:3])
        raise InputError(f"{', '.join(map(str, paths))}: nothing to analyse there" + (f" ({reasons})" if reasons else ": no files"))
    if all(witness_layout(Path(s.source_file).name, "") or s.layout == PLAIN.name for s in found.sources):
        if all(s.layout == PLAIN.name for s in found.sources):
            raise InputError(
                f"{', '.join(map(str, paths))}: no line looks like a Kafka log ({len(found.sources)} text files read); "
                "give the folders with server.log, controller.log and state-change.log"
            )
    return found


def _files(path: Path, found: Inputs) -> Iterator[Path]:
    """Every regular file under `path`, in order of name; a loop of links is walked once."""
    if path.is_file():
        yield path
        return
    seen: set[tuple[int, int]] = set()
    for folder, folders, names in os.walk(path, followlinks=True, onerror=lambda e: found.set_aside.append((str(e.filename), "cannot be listed"))):
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
                found.set_aside.append((str(file), "not a regular file"))


def _add(file: Path, source_file: str, node: int | None, folder: Path, found: Inputs) -> None:
    try:
        with file.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
    except OSError as error:
        found.set_aside.append((source_file, f"cannot be read: {error.strerror}"))
        return
    if not head.strip():
        found.set_aside.append((source_file, "empty"))
        return
    if b"\0" in head:
        found.set_aside.append((source_file, "binary"))
        return
    text = head.decode("utf-8", "replace")
    layout = witness_layout(Path(source_file).name, text)
    if layout is None:
        detected = detect(text.splitlines()[:2000])
        layout = (detected or PLAIN).name
    if layout == PLAIN.name and not _readable(text):
        found.set_aside.append((source_file, "binary"))
        return
    name = f"{len(found.sources):06d}"
    os.symlink(file.resolve(), folder / name)
    as_of = _AS_OF.search(str(file))
    found.sources.append(
        Source(
            name=name,
            path=folder / name,
            source_file=source_file,
            layout=layout,
            node_id=node if node is not None else _node_of(file, source_file, text),
            as_of=datetime.strptime(as_of.group(1), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC) if as_of else None,
        )
    )


def _readable(text: str) -> bool:
    strange = sum(1 for c in text[:4096] if c == "\ufffd" or (ord(c) < 32 and c not in "\t\n\r\f\x1b"))
    return strange * 20 <= len(text[:4096])


def _node_of(file: Path, source_file: str, text: str) -> int | None:
    """The writer: the id that most lines print of themselves, else the id in the path (contract, command line)."""
    if file.name == "meta.properties":
        said = _NODE_IN_PROPERTIES.search(text)
        if said:
            return int(said.group(1))
    printed: dict[int, int] = {}
    for match in _NODE_IN_LINE.finditer(text):
        node = int(next(group for group in match.groups() if group))
        printed[node] = printed.get(node, 0) + 1
    if printed:
        return max(printed, key=lambda node: printed[node])
    in_path = _NODE_IN_PATH.findall(str(file))
    return int(in_path[-1]) if in_path else None


def _settle_nodes(found: Inputs) -> None:
    """A file that says nothing of its writer belongs to the node of its folder, if the folder's other files agree on one."""
    by_folder: dict[Path, set[int]] = {}
    for source in found.sources:
        if source.node_id is not None:
            for parent in Path(source.source_file).parents:
                by_folder.setdefault(parent, set()).add(source.node_id)
    for i, source in enumerate(found.sources):
        if source.node_id is None:
            for parent in Path(source.source_file).parents:
                nodes = by_folder.get(parent, set())
                if len(nodes) == 1 and str(parent) != ".":
                    found.sources[i] = replace(source, node_id=next(iter(nodes)))
                    break
                if nodes:
                    break
