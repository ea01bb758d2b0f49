"""The meaning of pasted lines, of files, or of the records of a run: for `explain -`, `explain FILE`,
`explain_lines`, and a part of each analysis.
"""

from __future__ import annotations

import errno
import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import filterfalse, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, BinaryIO

from pipelines.answers.explain_text import screen_of, whole_text_of
from pipelines.terminal import short_path
from replay.catalogue.kinds import KINDS
from replay.errors import InputError
from replay.knowledge.answer import Answer
from replay.knowledge.choosing import depends_on_digits, quiet_signs
from replay.knowledge.correlations import case_of
from replay.knowledge.explaining import explained
from replay.reading.container_names import node_of_name
from replay.reading.printed_line import NO_LEVEL, Line, matched_line
from replay.reading.secrets import hidden_text
from replay.reading.texts import lines_of, notes_on_stamps, plain_text

if TYPE_CHECKING:
    import pyarrow as pa

    from pipelines.found_files import Source
    from pipelines.memory_store import MemoryStore
    from pipelines.store import Store
    from replay.causes.explained_lines import Found
    from replay.reading.chosen_records import RecordChoice


LARGEST = 32 * 2**20  # bytes; larger files are for `analyze`
PASTED = "text"
_ALL = 8_000  # records of a run that are read line by line; if there are more, only warnings, errors and lines with a meaning
_PASTE = 64 * 2**10  # up to this many bytes, a run's texts are read like a paste
_OF_ONE_WORDING = 200  # in one file
_FIRST_OF_A_FILE = 200  # its start, its release, its node
_MEANS_WITH_OTHERS = re.compile(  # messages that mean something only together with others
    r"Kafka version|due to signal|Fencing broker|no-op registration change|Completed transition to (?:Leader|Follower)|deleted brokers: \d|failure callback|recovery for all logs|session|[Aa]uthentication"
    r"|Stabilized group|rebalance group|heartbeat expiration|shut ?down completed|KafkaConfig values|has an older epoch|elected as"
    r"|Become candidate due|Election has timed out|Unable to (?:send a heartbeat|register broker)|rejected the request with"
    r"|due to timeout|Cluster ID|Created log for partition|Successfully registered broker|broker startup callback|Newly added brokers|[Ss]tarting$|Starting (?:controller|broker|SharedServer)"
    r"|\[ReplicaFetcher [^\]]{1,200}\] (?:Shutting down|Stopped)|\[ReplicaFetcherManager [^\]]{1,200}\] shutting down|from Leader|Vote request|Cancelled in-flight|Socket error occurred"
)
_STATED_ID = re.compile(r"(?i)\b(?:node|broker|controller)[._]id[`'\"]?(?:\s{0,3}[=:]\s{0,3}| )[`'\"]?(\d{1,9})\b")
_DESCRIBED = re.compile(r"\bReplicas: [\d,]+\s+Isr: ")  # a row of kafka-topics --describe


def of_text(text: str) -> Answer:
    """The meaning of a text: one line, or thousands, in any layout."""
    return of_texts({PASTED: text})


def of_stream(stream: BinaryIO) -> Answer:
    """The meaning of a text that a pipe sends. Raises InputError if it is too large."""
    raw = stream.read(LARGEST + 1)
    if len(raw) > LARGEST:
        raise _too_large()
    return of_text(_decoded(raw))


def of_texts(texts: Mapping[str, str]) -> Answer:
    """The joint meaning of the texts of some files."""
    texts = {"/".join(_parts(name)) or str(number): text for number, (name, text) in enumerate(texts.items())}
    lines = [line for name, text in texts.items() for line in lines_of(text, name)]
    notes = [note for name, text in texts.items() for note in notes_on_stamps(text, name)]
    answer = _with_history(texts, lines) if _is_history(lines) else explained(lines)
    return _with_case(_noted(answer, notes), texts.values())


def of_files(paths: Sequence[Path]) -> Answer:
    """The joint meaning of some files, or the files of folders. Raises InputError for unreadable files."""
    files, notes = _files_under(paths)
    if sum(file.stat().st_size for file in files) > LARGEST:
        raise _too_large()
    if sum(file.stat().st_size for file in files) > _PASTE:
        from pipelines.answers.in_process import run_here

        with run_here(paths) as run:
            if run is not None:
                answer = replace(of_run(run.store, run.found), incidents=run.incidents)
                return _noted(answer, [*notes, *run.notes])
    texts = dict(zip((file.name if len(files) == 1 else str(file) for file in files), _read_all(files)))
    return _noted(of_texts(texts), notes)


def _parts(name: str) -> list[str]:
    """The parts of a path that a copy of the file keeps: they can name its node."""
    return [part for part in Path(name).parts if part not in ("/", "..", ".")]


def _with_case(answer: Answer, texts: Iterable[str]) -> Answer:
    """The answer with the case that the texts make together, if they make one, and without asking for what they hold."""
    text = hidden_text("\n".join(texts))
    if _DESCRIBED.search(text):
        answer = replace(answer, missing=tuple(one for one in answer.missing if "--describe" not in one))
    case = case_of(text)
    return answer if case is None else replace(answer, case=case, summary=case.says)


def _noted(answer: Answer, notes: Sequence[str]) -> Answer:
    return replace(answer, notes=(*notes, *answer.notes))


def _is_history(lines: Sequence[Line]) -> bool:
    """Whether an analysis of all lines can conclude more than each line says: at least two lines of brokers or
    controllers have a time and a meaning.
    """
    own = (line for line in lines if line.ts is not None and line.kind in KINDS and not line.is_clients)
    return len(list(islice(own, 2))) == 2


def _with_history(texts: Mapping[str, str], lines: Sequence[Line]) -> Answer:
    """The meaning of lines, with what an analysis of the texts in this process finds."""
    from pipelines.answers.in_process import run_here
    from replay.causes.explained_lines import Findings

    with TemporaryDirectory(prefix="kafka-replay-text-") as folder:
        for name, text in texts.items():
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(plain_text(text), encoding="utf-8", newline="")
        with run_here([Path(folder)], is_part=True, named=_nodes_named(texts, lines)) as run:
            if run is None:
                return explained(lines)
            doubtful = run.doubtful
            kept = [line for line in lines if (line.number, line.message.split("\n")[0]) not in doubtful]
            answer = replace(explained(kept, findings=Findings(run.found), proofs=run.proofs), incidents=run.incidents)
            return _noted(answer, run.notes)


def _nodes_named(texts: Mapping[str, str], lines: Iterable[Line]) -> set[int]:
    """The nodes that lines name as their own in their prefix, in a setting, or in the name of their file."""
    own = (int(who[1]) for line in lines if (who := line.own) is not None)
    stated = (int(found[1]) for text in texts.values() for found in _STATED_ID.finditer(text))
    filed = (node for name in texts for part in Path(name).parts if (node := node_of_name(part)) is not None)
    return {*own, *stated, *filed}


def _files_under(paths: Sequence[Path]) -> tuple[list[Path], list[str]]:
    """The files at the paths, and a note on each entry of a folder that is not read. Raises InputError for a given
    folder that cannot be listed, or for a path that is neither a file nor a folder.
    """
    from pipelines.held_files import files_under

    notes: list[str] = []

    def refuse(error: OSError) -> None:
        if Path(error.filename) in paths:
            raise InputError(f"{error.filename}: cannot be listed: {error.strerror}")
        note(error.filename, f"cannot be listed: {error.strerror}")

    def note(name: str, why: str) -> None:
        notes.append(f"{short_path(name)}: {why}.")

    for path in paths:
        if not path.is_file() and not path.is_dir():
            raise InputError(f"{path}: not a file or a folder; send the text of a pipe to `kafka-replay explain -`")
    files = _each_once([file for path in paths for file in files_under(path, note, refuse)], note)
    return [file for file in files if file in paths or _may_be_read(file, note)], notes


def _may_be_read(file: Path, note: Callable[[str, str], None]) -> bool:
    """Whether this user may read a file of a folder; one that may not be read gets a note."""
    if os.access(file, os.R_OK):
        return True
    note(str(file), f"cannot be read: {os.strerror(errno.EACCES)}")
    return False


def _each_once(files: Sequence[Path], note: Callable[[str, str], None]) -> list[Path]:
    """The files without a second name of the same file, such as a link to it; each such name gets a note."""
    first: dict[tuple[int, int], Path] = {}
    for file in files:
        status = file.stat()
        same = first.setdefault((status.st_dev, status.st_ino), file)
        if same is not file:
            note(str(file), f"the same file as {same}, read once")
    return list(first.values())


def of_run(store: Store | MemoryStore, found: Sequence[Found] = ()) -> Answer:
    """The meaning of a run's records (redacted if the run is), given what the run `found`.

    Quiet lines are included if all messages are no longer than a paste. If there are many records, only warnings, errors and lines with a
    meaning are read, and only the first of each wording in a file.
    """
    from replay.causes.explained_lines import Findings

    records, left_out, total = _to_explain(store)
    in_order = records.sort_by([("source_file", "ascending"), ("line_number", "ascending")])
    lines = [matched_line(_line(row)) for row in in_order.to_pylist()]
    writers: dict[str, set[int | None]] = {}
    for line in lines:
        writers.setdefault(line.source, set()).add(line.node)
    nodes = {file: node for file, of in writers.items() if len(of) == 1 and (node := next(iter(of))) is not None}
    is_short = not left_out and sum(len(line.text) for line in lines) <= _PASTE
    answer = explained(lines, nodes=nodes, findings=Findings(found), is_complete=is_short)
    if not left_out:
        return replace(answer, records=total)
    note = f"{left_out:,} more lines at WARN or above say the same as {_OF_ONE_WORDING} before them in their file: the counts of those are minimums"
    return replace(answer, records=total, notes=(*answer.notes, note + "."))


def of_small_run(sources: Iterable[Source], found: Sequence[Found]) -> Answer | None:
    """The meaning of a run's texts if they are no longer than a paste, read as `explain` reads them: with wrapped
    records joined and quiet lines included.

    None if they are longer, or if the text of an earlier run's records is not available.
    """
    from replay.causes.explained_lines import Findings

    sources = list(sources)
    if any(one.is_earlier for one in sources):
        return None
    logs = [one for one in sources if not one.is_nobodys]
    if not is_as_short_as_a_paste(logs):
        return None
    return _with_case(
        explained(lines_of_a_paste(logs), findings=Findings(found)), [_read(log.path) for log in _once_each(logs)]
    )


def is_as_short_as_a_paste(logs: Sequence[Source]) -> bool:
    """Whether the texts are complete, and together no longer than a paste."""
    is_whole = bool(logs) and all(log.first_line == 1 for log in logs)
    return is_whole and sum(log.path.stat().st_size for log in _once_each(logs)) <= _PASTE


def lines_of_a_paste(logs: Sequence[Source]) -> list[Line]:
    """The records of short texts, read as `explain` reads them, each with its node."""
    texts = [(log, lines_of(hidden_text(_read(log.path)), log.source_file)) for log in _once_each(logs)]
    return [replace(line, node=log.node_id) if line.node is None else line for log, lines in texts for line in lines]


def _once_each(logs: Sequence[Source]) -> Iterable[Source]:
    """The logs without duplicates: a file with several layouts occurs once for each layout."""
    return {log.source_file: log for log in logs}.values()


def _to_explain(store: Store | MemoryStore) -> tuple[pa.Table, int, int]:
    """The records to explain, how many warnings and errors are left out because enough earlier ones have the same
    wording, and how many records there are. Of few, every record; of many, Spark's workers choose.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from replay.reading.chosen_records import COLUMNS, first_of_each_wording

    choice = _choice()
    if store.count("records") > _ALL:
        chosen = _chosen(store, choice)
        total = pc.sum(chosen["seen"]).as_py() or 0
        if total > _ALL:
            return *first_of_each_wording(chosen, _OF_ONE_WORDING), total
    batches = [pa.Table.from_batches([batch.select(COLUMNS)]) for batch in store.batches("records", COLUMNS)]
    every = pa.concat_tables(batches) if batches else pa.table({name: pa.array([], pa.string()) for name in COLUMNS})
    records = every.filter(pc.invert(pc.is_in(every["layout"], pa.array(choice.witness_layouts))))
    return records, 0, records.num_rows


def _choice() -> RecordChoice:
    """How records are chosen from many."""
    from replay.reading.chosen_records import RecordChoice
    from replay.reading.witnesses import WITNESS_LAYOUTS

    patterns = [_MEANS_WITH_OTHERS.pattern, *quiet_signs()]
    of_digits, others = [*filter(depends_on_digits, patterns)], [*filterfalse(depends_on_digits, patterns)]
    return RecordChoice(others, of_digits, _OF_ONE_WORDING, _FIRST_OF_A_FILE, [*WITNESS_LAYOUTS])


def _chosen(store: Store | MemoryStore, choice: RecordChoice) -> pa.Table:
    """The chosen records."""
    from pipelines.stages import is_large
    from pipelines.store import Store
    from replay.reading.chosen_records import CHOSEN, COLUMNS

    if not (isinstance(store, Store) and is_large(store, "records")):
        return choice.of_records(store.batches("records", COLUMNS))
    records = store.frame("records").select(*COLUMNS)
    store.set_down("lines_to_explain", records.mapInArrow(choice.batches, CHOSEN))
    return choice.chosen(choice.as_chosen(store.batches("lines_to_explain")))


def _line(row: Mapping[str, Any]) -> Line:
    """A record of a run. Spark writes times without a zone, in UTC."""
    ts: datetime | None = row["ts"]
    return Line(
        row["source_file"],
        row["line_number"],
        ts if ts is None else ts.replace(tzinfo=UTC),
        row["level"] or NO_LEVEL,
        row["logger"],
        row["message"].rstrip(),
        row["below"] or "",
        node=row["node_id"],
        has_more=row.get("has_more", False),
    )


def _read_all(files: Iterable[Path]) -> Iterator[str]:
    """The texts of the files. Raises InputError if they are too large once they are unpacked."""
    left = LARGEST
    for file in files:
        raw = _unpacked(file, left)
        left -= len(raw)
        yield _decoded(raw)


def _read(file: Path) -> str:
    return _decoded(_unpacked(file, LARGEST))


def _unpacked(file: Path, most: int) -> bytes:
    """The content of a file, without gzip. Raises InputError if it is larger than `most` or damaged."""
    try:
        with file.open("rb") as stream:
            is_packed = stream.read(2) == b"\x1f\x8b"
        with gzip.open(file) if is_packed else file.open("rb") as stream:
            raw = stream.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(raw) > most:
        raise _too_large()
    return raw


def _too_large() -> InputError:
    return InputError(f"more than {LARGEST // 2**20} MB: kafka-replay analyze reads logs of any size")


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace")


def as_text(answer: Answer, *, as_json: bool = False, is_whole: bool = False) -> Iterator[str]:
    """The answer as lines for people, on one screen or whole, or as JSON."""
    if as_json:
        from pipelines.answers.explain_json import of_lines

        yield of_lines(answer)
    else:
        yield from whole_text_of(answer) if is_whole else screen_of(answer)
