"""Assigns records with an unknown node to a node, and takes records from a node whose id another process only tried to
use.

Both scan all records once, batch by batch, and then change the node of some.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc

from replay.facts.lives import DUPLICATE_ID, REFUSED
from replay.facts.times import least, plus_millis
from replay.reading.settings import DIRECTORIES
from replay.tables.arrow import from_arrow, with_column
from replay.tables.reading import PRINTED, PrintedRecord


def _with_nodes(batch: pa.RecordBatch, nodes: pa.Array) -> pa.RecordBatch:
    """The batch with the nodes of some records changed."""
    return with_column(batch, "node_id", nodes.cast(batch.schema.field("node_id").type))


class Owners:
    """Finds the node of records that do not name it, by something that only one node of their file has. A log in a
    directory belongs to the node of that file whose settings name the directory; a ZooKeeper session belongs to
    the node that owns its znode.
    """

    COLUMNS = ("source_file", "node_id", "kind", "message", "settings")  # of the records that are scanned
    _ZNODE = "Stat of the created znode at /brokers/ids/"
    # The eighth number of a znode's state is the session that owns it.
    _OWN_ZNODE = re.compile(rf"{_ZNODE}[0-9]+ is: (?:[0-9]+,){{7}}([0-9]+),")
    _SESSION = re.compile(r"0x([0-9a-f]+)")

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._of_dir: dict[tuple[str, str], set[int]] = {}
        self._of_session: dict[tuple[str, str], int] = {}
        for batch in batches:
            holds_one = pc.or_kleene(
                pc.equal(batch.column("kind"), "config_dump"), pc.starts_with(batch.column("message"), self._ZNODE)
            )
            of_node = pc.and_kleene(batch.column("node_id").is_valid(), holds_one)
            for record in from_arrow(PRINTED, batch.filter(pc.fill_null(of_node, False))):
                self._see(record)

    def _see(self, record: PrintedRecord) -> None:
        for setting in (record.settings or ()) if record.kind == "config_dump" else ():
            if setting["name"] in DIRECTORIES and setting["value"] is not None:
                for directory in map(str.strip, setting["value"].split(",")):
                    self._of_dir.setdefault((record.source_file, directory), set()).add(record.node_id)
        own = self._OWN_ZNODE.match(record.message or "")
        if own is not None and int(own[1]) < 2**63:
            session = record.source_file, f"{int(own[1]):x}"
            self._of_session[session] = min(self._of_session.get(session, record.node_id), record.node_id)

    def owner(self, record: PrintedRecord) -> int | None:
        """The node of a record; None if unknown."""
        details = record.details or {}
        owners = self._of_dir.get((record.source_file, details.get("dir", "")), set())
        if record.node_id is not None or len(owners) == 1:
            return record.node_id if record.node_id is not None else next(iter(owners))
        session = self._SESSION.fullmatch((details.get("session_id") or "").lower())
        return None if session is None else self._of_session.get((record.source_file, session[1]))

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Batches of `PRINTED` with the nodes of their records."""
        for batch in batches:
            if batch.column("node_id").null_count == 0:
                yield batch
                continue
            records = from_arrow(PRINTED, batch.select(["source_file", "node_id", "details"]))
            yield _with_nodes(batch, pa.array([self.owner(record) for record in records], pa.int32()))


@dataclass
class _Folder:
    """A folder of logs of one process: its first and last line, the first refusal of its registration, and whether it
    registered; all times as printed.
    """

    first: datetime
    last: datetime
    refused: datetime | None = None
    registered: bool = False


class SecondProcesses:
    """Finds records of a process that tried to register the id of a live node and never succeeded: their node is
    unknown (facts §5, F29).

    A folder of logs belongs to such a process if its registration was refused and never accepted. Another folder of the
    same node must have lines from before its first line to after the refusal: after a quick restart the old process
    writes no more. Timestamps of the two folders are compared as printed.
    """

    COLUMNS = ("source_file", "node_id", "kind", "level", "raw_ts", "message")  # of the records that are scanned
    _REGISTERED = ("broker_registered", "broker_registered_zk")
    _CONFLICT = "zk_ephemeral_conflict"
    _LIVES_ON_MS = 5_000

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._folders: dict[int, dict[str, _Folder]] = {}
        for batch in batches:
            self._see(batch)
        self._second = [
            (node, name)
            for node, folders in sorted(self._folders.items())
            for name, folder in sorted(folders.items())
            if self._is_second(name, folder, folders)
        ]

    def _see(self, batch: pa.RecordBatch) -> None:
        there = pc.and_(batch.column("node_id").is_valid(), batch.column("level").is_valid())
        logs = batch.filter(pc.and_(there, batch.column("raw_ts").is_valid()))
        folders = pc.replace_substring_regex(logs.column("source_file"), "[^/]*$", "")
        table = pa.table({"node": logs.column("node_id"), "folder": folders, "ts": logs.column("raw_ts")})
        times = table.group_by(["node", "folder"]).aggregate([("ts", "min"), ("ts", "max")])
        for row in times.to_pylist():
            of_node = self._folders.setdefault(row["node"], {})
            folder = of_node.setdefault(row["folder"], _Folder(row["ts_min"], row["ts_max"]))
            folder.first, folder.last = min(folder.first, row["ts_min"]), max(folder.last, row["ts_max"])
        kinds = pa.array([*REFUSED, self._CONFLICT, *self._REGISTERED])
        decisive = (
            pa.Table.from_batches([logs]).append_column("folder", folders).filter(pc.is_in(logs.column("kind"), kinds))
        )
        for row in decisive.select(["node_id", "folder", "kind", "raw_ts", "message"]).to_pylist():
            folder = self._folders[row["node_id"]][row["folder"]]
            if row["kind"] in self._REGISTERED:
                folder.registered = True
            elif self._is_refusal(row["kind"], row["message"] or ""):
                folder.refused = least(folder.refused, row["raw_ts"])

    def _is_refusal(self, kind: str, message: str) -> bool:
        """Whether KRaft's controllers refused because the id is already registered, or ZooKeeper because the znode of
        the id belongs to another session.
        """
        return (DUPLICATE_ID if kind in REFUSED else "/brokers/ids/") in message

    def _is_second(self, name: str, folder: _Folder, folders: dict[str, _Folder]) -> bool:
        """Whether its process was refused while the process of another folder lived on."""
        after = plus_millis(folder.refused, self._LIVES_ON_MS)
        if after is None or folder.registered:
            return False
        others = [other for its_name, other in folders.items() if not its_name.startswith(name)]
        return any(other.first < folder.first and other.last > after for other in others)

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Batches of `PRINTED` with these records' node removed."""
        for batch in batches:
            nodes = batch.column("node_id")
            for node, folder in self._second:
                is_second = pc.and_kleene(pc.equal(nodes, node), pc.starts_with(batch.column("source_file"), folder))
                nodes = pc.if_else(pc.fill_null(is_second, False), pa.scalar(None, nodes.type), nodes)
            yield _with_nodes(batch, nodes)
