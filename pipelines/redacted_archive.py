"""An archive of evidence with replaced names and secrets: the same names in the archives of all nodes of a cluster.

The replacement of a name depends on the name and on the cluster's id, which is in every node's `meta.properties` and
unknown to outsiders; without one, on a random key, so that the names match only within one archive.
"""

from __future__ import annotations

import json
import re
import secrets
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from replay.reading.container_environment import hidden_environment
from replay.reading.names import HOST, TOPIC, Names
from replay.reading.redaction import Redacted, keyed
from replay.reading.secrets import MASK, has_open_end, hidden_text

LIST_OF_FILES = "collected.json"
_CLUSTER_ID = re.compile(r"(?m)^cluster\.id=(\S+)\s*$")
_OFFSETS = re.compile(r"(?m)^(\S+) \d+ -?\d+\s*$")  # an entry of a checkpoint: topic, partition, offset
_PARTITION_FOLDER = re.compile(r"(?:^|/)([A-Za-z0-9._-]+)-\d+(?:\.[0-9a-f]{32}-delete|-future|-stray)?/[^/]+$")
_SETTING = re.compile(r"^\s*+([a-z][\w.-]*+)\s*+[=:]\s*+(.*)$")
_CHUNK = 4 << 20
_MOST_LINES, _MOST_OF_A_KEY = 300, 20_000  # lines and letters in which a private key ends
_WHOLE = 64 << 20  # a JSON or YAML file, whose single lines mean little


def redacted_archive(archive: Path, to: Path, hosts: Iterable[str] = ()) -> str:
    """Write `archive` to `to` with each name and each secret in it replaced. Returns which kinds of names were
    replaced and how many secrets were hidden, in words. `hosts`: additional known names.
    """
    names, key, secrets_hidden = Names(), None, 0
    for host in hosts:
        names.add(HOST, host)
    for member, stream in _members(archive):
        for text in _texts(member.name, stream):
            found = _CLUSTER_ID.search(text) if member.name.endswith("meta.properties") else None
            key = found[1].encode() if found is not None and key is None else key
            _learn(names, member.name, text)
    shown = keyed(names, key or secrets.token_bytes(16))
    with tarfile.open(to, "w:gz", compresslevel=3) as out:
        for member, stream in _members(archive):
            with tempfile.TemporaryFile(dir=to.parent) as replaced:
                for text in _texts(member.name, stream):
                    content = _listed(shown, text) if member.name == LIST_OF_FILES else _lines(shown, text)
                    secrets_hidden += content.count(MASK) - text.count(MASK)
                    replaced.write(content.encode())
                member.name, member.size = shown.path(member.name), replaced.tell()
                replaced.seek(0)
                out.addfile(member, replaced)
    content = names.summary() + (
        f"; {secrets_hidden:,} secret{'s' if secrets_hidden > 1 else ''} hidden" if secrets_hidden else ""
    )
    return content if key else f"{content} (no meta.properties has the cluster's id: other archives have other names)"


def _members(archive: Path) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    with tarfile.open(archive) as tar:
        for member in tar:
            stream = tar.extractfile(member)
            if stream is not None:
                yield member, stream


def _texts(name: str, stream: IO[bytes]) -> Iterator[str]:
    """A file in pieces of complete lines, none of which ends within a secret; nothing for a file that is not text."""
    most = _WHOLE if name.endswith((".json", ".yaml", ".yml")) else _CHUNK
    chunk = stream.read(most)
    if b"\0" in chunk[:4096]:
        return
    while chunk:
        text = (chunk + stream.readline(_CHUNK)).decode("utf-8", "replace")
        end = text[-_MOST_OF_A_KEY:]
        rest: list[str] = []
        while len(rest) < _MOST_LINES and has_open_end(end) and (line := stream.readline(_CHUNK)):
            rest.append(line.decode("utf-8", "replace"))
            end += rest[-1]
        yield "".join((text, *rest))
        chunk = stream.read(most)


def _learn(names: Names, name: str, text: str) -> None:
    folder = _PARTITION_FOLDER.search(name)
    if folder is not None:
        names.add(TOPIC, folder[1])
    if PurePosixPath(name).name.endswith("-offset-checkpoint"):
        for topic in _OFFSETS.findall(text):
            names.add(TOPIC, topic)
        return
    is_settings = name.endswith(".properties")
    for line in set(text.splitlines()):
        names.learn(line)
        setting = _SETTING.match(line) if is_settings or line.startswith("\t") else None
        if setting is not None:
            names.learn_field(setting[1].replace("cluster.id", "cluster_id"), setting[2])


def _lines(shown: Redacted, text: str) -> str:
    return "\n".join(map(shown.text, hidden_text(hidden_environment(text)).split("\n")))


def _listed(shown: Redacted, text: str) -> str:
    """The list of collected and missing files, with names replaced."""
    listing = json.loads(text)
    taken = [
        piece | {"name": shown.path(piece["name"]), "from": shown.path(piece["from"])} for piece in listing["taken"]
    ]
    missing = ["/".join(map(shown.path, map(shown.text, what.split("/")))) for what in listing["missing"]]
    return json.dumps({"taken": taken, "missing": missing}, indent=1)
