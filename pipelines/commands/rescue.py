"""`kafka-replay rescue`: which lost records the saved tails of dead replicas hold, and files to produce them again."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipelines.answers.frames import rows
from pipelines.answers.times import Clock, zone
from pipelines.reconciliation.partition_logs import partition_logs
from pipelines.result import Result
from pipelines.scratch import work_folder
from pipelines.store import write_json
from pipelines.tails import SavedPartition, by_partition, saved_partitions
from replay.errors import InputError, OutputError
from replay.reconcile.logs import PartitionLog
from replay.record_batches.batches import Record
from replay.rescue.overview import overview
from replay.rescue.surviving_log import SurvivingLog
from replay.rescue.verdicts import MEANING, PRODUCED_AGAIN, Judged, Verdict, current_tail, judged
from viz.phrases import counted, listed

_INTERNAL = ("__consumer_offsets", "__transaction_state", "__cluster_metadata", "__share_group_state")
MANIFEST, PRODUCER, STORED = "manifest.json", "produce.py", "stored.txt"
_YEAR_1, _YEAR_10000 = -62_135_596_800_000, 253_402_300_800_000  # in milliseconds since 1970


@dataclass
class _Rescued:
    """What the tails of one partition hold."""

    topic: str
    partition: int
    replicas: Sequence[SavedPartition]
    counts: Counter[Verdict] = field(default_factory=Counter)
    nodes: set[int] = field(default_factory=set)
    offsets: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    premises: dict[str, None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    refused: str | None = None
    file: str | None = None
    sha256: str | None = None

    @property
    def name(self) -> str:
        return f"{self.topic}-{self.partition}"

    @property
    def produced_again(self) -> int:
        return sum(self.counts[verdict] for verdict in PRODUCED_AGAIN)

    def count(self, one: Judged) -> None:
        self.counts[one.verdict] += one.count
        if one.verdict in PRODUCED_AGAIN and one.record is not None:
            self.nodes.add(one.node_id)
            offset, time = one.record.offset, one.record.timestamp
            self.offsets = [min([*self.offsets[:1], offset]), max([*self.offsets[1:], offset])]
            self.times = [min([*self.times[:1], time]), max([*self.times[1:], time])]
            if one.loss is not None:
                self.premises[f"{one.loss.verdict}: {one.loss.premise}"] = None


def rescue(
    result: Path,
    inputs: Sequence[Path],
    out: Path | None = None,
    *,
    topics: Sequence[str] = (),
    compacted: Sequence[str] = (),
    tz: str | None = None,
    overwrite: bool = False,
) -> Iterator[str]:
    """For each partition with saved tails, how many lost records they hold and why they are lost; with `out`, files
    to produce them again and a manifest.

    Raises InputError for inputs that cannot be used, OutputError for a folder that cannot be written. Nothing is ever
    produced.
    """
    source = Result(result)
    clock = Clock(zone(tz))
    if out is not None:
        _check_place(out, overwrite)
    with work_folder() as work:
        saved = [one for one in saved_partitions(inputs, work) if not topics or one.topic in topics]
        if missing := sorted(set(topics) - {one.topic for one in saved}):
            raise InputError(f"{missing[0]}: no log segment of this topic in the given tails")
        for one in saved:
            one.is_compacted |= one.topic in compacted
        _check_cluster(saved, source)
        logs = partition_logs(source, {one.topic for one in saved})
        with _new_folder(out) as folder:
            found = [
                _of_partition(replicas, source, logs.get(key), folder) for key, replicas in by_partition(saved).items()
            ]
            if folder is not None:
                _write_manifest(folder, found, source)
    yield from _report(found, out, clock)


def _check_cluster(saved: Iterable[SavedPartition], source: Result) -> None:
    known = source.cluster_ids()
    for one in saved:
        if known and one.cluster_id is not None and one.cluster_id not in known:
            raise InputError(
                f"{one.name}: is of cluster {one.cluster_id}, the result of {', '.join(known)}; give the tails of that cluster"
            )


def _of_partition(
    replicas: Sequence[SavedPartition],
    source: Result,
    known: PartitionLog | None,
    folder: Path | None,
) -> _Rescued:
    topic, partition = replicas[0].topic, replicas[0].partition
    made = _Rescued(topic, partition, replicas)
    losses = rows(source.of_partition(("losses",), topic, partition)["losses"])
    is_compacted = any(one.is_compacted for one in replicas) or (known is not None and known.compacted_to > 0)
    for one in replicas:
        one.is_compacted = is_compacted
    log = None if known is None else SurvivingLog(known, losses)
    made.refused = _refusal(replicas, log, source)
    if log is not None and made.refused is None:
        try:
            made.refused = _judge(made, log, is_compacted, folder) or _refusal_after(made)
        except ValueError as error:
            made.refused = f"a record batch cannot be read: {error}"
    inexact = next((one.inexact for one in replicas if one.inexact is not None), None)
    if made.refused is None and folder is not None and inexact is not None:
        made.refused = (
            f"{counted(made.produced_again, 'lost record')}, and {inexact}: give the log segments to produce them again"
        )
    if made.refused is not None and made.file is not None and folder is not None:
        (folder / made.file).unlink()
        made.file = None
    return made


def _judge(made: _Rescued, log: SurvivingLog, is_compacted: bool, folder: Path | None) -> str | None:
    """Counts the records of a partition, and writes those to produce again. Returns why it did not."""
    tails = [one.tail for one in made.replicas]
    overviews = [overview(tail) for tail in tails]
    current = current_tail(overviews, log)
    if is_compacted and (current is None or not _reaches_below(made.replicas[current], log.first_lost or 0)):
        begins = "" if current is None else f" that begins at or below offset {log.first_lost or 0:,}"
        return f"a compacted topic: give the tail of its current leader{begins} too, so that no older value replaces a newer one"
    _take(judged(tails, overviews, log, current, is_compacted=is_compacted), made, folder)
    if current is None and made.produced_again:
        made.notes.append(
            f"no tail of the leader of epoch {log.last_leader_epoch}: records that it got again from their producers are "
            "listed too"
        )
    if any(one.has_broker_times for one in overviews) and made.produced_again:
        made.notes.append(
            "the broker set the timestamps (LogAppendTime): a copy is recognized only by an idempotent producer's sequence"
        )
    return None


def _reaches_below(saved: SavedPartition, offset: int) -> bool:
    return not saved.segments or int(saved.segments[0].stem) <= offset


def _refusal(replicas: Sequence[SavedPartition], log: SurvivingLog | None, source: Result) -> str | None:
    """Why nothing of these tails can be produced again; None if it can."""
    topic, partition = replicas[0].topic, replicas[0].partition
    if topic in _INTERNAL:
        return "Kafka's own topic: its records must not be produced again"
    if log is None:
        return "the result knows no leader epoch of this partition"
    last = rows(source.of_partition(("leader_epochs",), topic, partition)["leader_epochs"].sort_values("life"))
    ids = {row.topic_id for row in last if row.topic_id and row.life == last[-1].life}
    for one in replicas:
        if one.topic_id is not None and ids and one.topic_id not in ids:
            return f"node {one.node_id} saved the topic with the id {one.topic_id}, the result knows {', '.join(sorted(ids))}"
    if log.first_lost is None:
        return "the result shows no loss in this partition"
    return None


def _refusal_after(made: _Rescued) -> str | None:
    if made.produced_again or any(made.counts[v] for v in (Verdict.UNFINISHED, Verdict.UNKNOWN)):
        return None
    last = max((one.end for one in made.replicas if one.end is not None), key=lambda end: end.next_offset or 0)
    why = "" if last.reason is None else f": {last.reason}"
    return f"no record of these tails is lost; the tails end at offset {last.next_offset or 0:,}{why}"


def _take(records: Iterable[Judged], made: _Rescued, folder: Path | None) -> None:
    """Counts the records, and writes those to produce again."""
    if folder is None:
        for one in records:
            made.count(one)
        return
    made.file, digest = f"{made.name}.jsonl", hashlib.sha256()
    with os.fdopen(os.open(folder / made.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        for one in records:
            made.count(one)
            if one.verdict in PRODUCED_AGAIN and one.record is not None:
                line = _line(made, one, one.record)
                digest.update(line)
                stream.write(line)
    made.sha256 = digest.hexdigest()
    if not made.produced_again:
        (folder / made.file).unlink()
        made.file = made.sha256 = None


def _line(made: _Rescued, one: Judged, record: Record) -> bytes:
    return (
        json.dumps(
            {
                "topic": made.topic,
                "partition": made.partition,
                "offset": record.offset,
                "leader_epoch": one.leader_epoch,
                "timestamp": record.timestamp,
                "key": _base64(record.key),
                "value": _base64(record.value),
                "headers": [[name, _base64(value)] for name, value in record.headers],
                "verdict": one.verdict.value,
            }
        ).encode()
        + b"\n"
    )


def _base64(value: bytes | None) -> str | None:
    return None if value is None else base64.b64encode(value).decode()


def _check_place(out: Path, overwrite: bool) -> None:
    """Raises OutputError if `out` is there and is no earlier rescue to replace."""
    if not out.exists():
        return
    if not overwrite:
        raise OutputError(f"{out} exists; give another --out, or --overwrite")
    others = [
        name
        for name in sorted(os.listdir(out))
        if name not in (MANIFEST, PRODUCER, STORED) and not name.endswith(".jsonl")
    ]
    if others:
        raise OutputError(f"{out / others[0]}: not written by `rescue`; give another --out")


@contextmanager
def _new_folder(out: Path | None) -> Iterator[Path | None]:
    """A folder beside `out` that becomes `out` in one step when the block ends; removed after an error."""
    if out is None:
        yield None
        return
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))  # only its owner can read it
    except OSError as error:
        raise OutputError(f"{out.parent}: cannot be written ({error.strerror})") from error
    try:
        yield folder
        if out.exists():
            shutil.rmtree(out)
        folder.rename(out)
    except OSError as error:
        raise OutputError(f"{out}: cannot be written ({error.strerror})") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_manifest(folder: Path, found: Sequence[_Rescued], source: Result) -> None:
    """The manifest and the producer, readable by their owner only."""
    files = [
        {
            "file": one.file,
            "topic": one.topic,
            "partition": one.partition,
            "records": one.produced_again,
            "first_offset": one.offsets[0],
            "last_offset": one.offsets[1],
            "first_timestamp": one.times[0],
            "last_timestamp": one.times[1],
            "nodes": sorted(one.nodes),
            "sha256": one.sha256,
        }
        for one in found
        if one.file is not None
    ]
    left_out = {
        one.name: {verdict.value: one.counts[verdict] for verdict in Verdict if one.counts[verdict]} for one in found
    }
    refused = {one.name: one.refused for one in found if one.refused is not None}
    own = {"result": str(source.folder), "cluster_ids": source.cluster_ids(), "files": files}
    write_json(folder / MANIFEST, own | {"records_by_verdict": left_out, "refused": refused})
    (folder / PRODUCER).write_text(_PRODUCE, encoding="utf-8")
    for name in (MANIFEST, PRODUCER):
        (folder / name).chmod(0o600)


def _report(found: Sequence[_Rescued], out: Path | None, clock: Clock) -> Iterator[str]:
    refused: dict[str, list[str]] = defaultdict(list)
    for one in found:
        if one.refused is not None:
            refused[one.refused].append(one.name)
            continue
        yield _text(one, clock)
        yield from (f"    {text}" for text in (*one.premises, *one.notes))
        yield from _ends(one)
    for reason, names in refused.items():
        yield f"{listed(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''}  {reason}"
    total = sum(one.produced_again for one in found if one.refused is None)
    kinds: Counter[Verdict] = sum((one.counts for one in found), Counter())
    yield ""
    for verdict in Verdict:
        if kinds[verdict]:
            yield f"{kinds[verdict]:>10,}  {verdict.value}: {MEANING[verdict]}"
    yield ""
    if not total:
        yield "Nothing can be produced again from these tails."
    elif out is None:
        yield f"{counted(total, 'record', 'records')} can be produced again. Write them with --out DIR; nothing was written."
    else:
        yield f"{counted(total, 'record', 'records')} in {out}. Nothing was produced. In this order:"
        yield f"  1. Check {out / MANIFEST}, and with the application's owners that no consumer is harmed by late records."
        yield f"  2. python {out / PRODUCER} --bootstrap-servers HOST:9092 --dry-run"
        yield f"  3. python {out / PRODUCER} --bootstrap-servers HOST:9092"


def _text(one: _Rescued, clock: Clock) -> str:
    if not one.produced_again:
        left = listed([f"{one.counts[verdict]:,} {verdict.value}" for verdict in Verdict if one.counts[verdict]])
        return f"{one.name}  no record can be produced again: {left or 'no record'}"
    nodes = listed([f"node {node}" for node in sorted(one.nodes)])
    first, last = (clock.iso(_moment(time)) for time in one.times)
    return (
        f"{one.name}  {counted(one.produced_again, 'lost record', 'lost records')} on {nodes}: offsets {one.offsets[0]} to "
        f"{one.offsets[1]}, written {first} to {last}"
    )


def _moment(milliseconds: int) -> Any:
    """The time; none outside the years 1 to 9999, which a producer may set."""
    import pandas as pd

    return pd.Timestamp(milliseconds, unit="ms") if _YEAR_1 <= milliseconds < _YEAR_10000 else pd.NaT


def _ends(one: _Rescued) -> Iterator[str]:
    for replica in one.replicas:
        if replica.end is not None and replica.end.reason is not None:
            yield (
                f"    node {replica.node_id}: readable up to offset {replica.end.next_offset}: {replica.end.reason} "
                f"({replica.name})"
            )


_PRODUCE = '''"""Produces the records of this folder again, in order, with key, headers and timestamp (needs confluent-kafka)."""

import argparse, base64, hashlib, json, pathlib, sys

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--bootstrap-servers", required=True)
options.add_argument("--property", action="append", default=[], metavar="NAME=VALUE", help="a client setting, such as security.protocol=SSL")
options.add_argument("--dry-run", action="store_true", help="check the files and send nothing")
given = options.parse_args()
folder = pathlib.Path(__file__).parent
stored = folder / "stored.txt"  # the files of an earlier run
files = json.loads((folder / "manifest.json").read_text())["files"]
for one in files:
    if hashlib.sha256((folder / one["file"]).read_bytes()).hexdigest() != one["sha256"]:
        sys.exit(f"{one['file']}: changed since it was written; make it again")
earlier = stored.read_text().split() if stored.exists() else []
files = [one for one in files if one["file"] not in earlier]
print(f"{sum(one['records'] for one in files):,} records in {len(files)} files" + (f"; {len(earlier)} files are stored already" if earlier else ""))
if given.dry_run:
    sys.exit()
from confluent_kafka import Producer

settings = dict(setting.split("=", 1) for setting in given.property)
producer = Producer({"bootstrap.servers": given.bootstrap_servers, "enable.idempotence": True, **settings})
failed = []


def bytes_of(text):
    return None if text is None else base64.b64decode(text)


def done(error, message):
    if error is not None:
        failed.append(f"{message.topic()}-{message.partition()}: {error}")


for one in files:
    with open(folder / one["file"]) as lines:
        for line in lines:
            record = json.loads(line)
            headers = [(name, bytes_of(value)) for name, value in record["headers"]]
            while True:
                try:
                    producer.produce(record["topic"], bytes_of(record["value"]), bytes_of(record["key"]), record["partition"],
                                     timestamp=record["timestamp"], headers=headers, on_delivery=done)
                    break
                except BufferError:
                    producer.poll(1)
            producer.poll(0)
    producer.flush()
    if failed:
        sys.exit(f"{len(failed)} records of {one['file']} were not stored, first {failed[0]}; nothing after this file was sent")
    with open(stored, "a") as names:
        names.write(f"{one['file']}\\n")
    print(f"{one['file']}: {one['records']:,} records stored")
'''
