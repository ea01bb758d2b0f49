"""First facts: what the first megabytes of each log state directly, printed while Java starts. The analysis confirms
or corrects them.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from pipelines.answers.lines import is_as_short_as_a_paste, lines_of_a_paste
from replay.knowledge.answer import Answer, ExplainedMessage
from replay.knowledge.explaining import explained
from replay.knowledge.meaning import ENDED, STOPPED
from replay.reading import shell
from replay.reading.printed_line import Line, line_of

if TYPE_CHECKING:
    from pipelines.found_files import Source

SECONDS = 1.5  # the time limit: a first fact must appear within three seconds
BYTES_OF_A_FILE = 4 * 2**20
MOST = 5
_LOUD = re.compile(
    r"\b(?:ERROR|FATAL|SEVERE)\b|OutOfMemoryError|No space left|Terminating due to|unclean|Renounc|quorum"
)
_LINES_UNDER = 40  # of its stack trace


def first_facts(sources: Iterable[Source], seconds: float = SECONDS) -> tuple[ExplainedMessage, ...]:
    """The most serious facts in the logs about processes that ended or cannot continue, at most `MOST`, each with
    its `file:line`. Files that would take longer than `seconds` are skipped.
    """
    until = monotonic() + seconds
    lines: list[Line] = []
    logs = [one for one in sources if not (one.is_witness or one.is_earlier or one.is_nobodys)]
    nodes = {log.source_file: log.node_id for log in logs if log.node_id is not None}
    if is_as_short_as_a_paste(logs):
        return tuple(one for one in explained(lines_of_a_paste(logs)).told if one.weight in (ENDED, STOPPED))[:MOST]
    for log in logs:
        for line in _lines_with_facts(log):
            lines.append(line)
            if monotonic() > until:
                break
        if monotonic() > until:
            break
    return tuple(fact for fact in explained(lines, nodes=nodes).told if fact.weight in (ENDED, STOPPED))[:MOST]


def _lines_with_facts(source: Source) -> Iterator[Line]:
    """The warnings and errors in the first megabytes of a log, read as in the analysis."""
    with source.path.open(encoding="utf-8", errors="replace") as file:
        text = file.read(BYTES_OF_A_FILE)
    quiet = _without_quiet_lines(text.split("\n"))
    if quiet is None:
        return
    read = shell.File(source.source_file, source.node_id, source.layout, source.first_line, source.as_of)
    for record in shell.read_text(quiet, read):
        yield line_of(record)


def _without_quiet_lines(lines: Sequence[str]) -> str | None:
    """The text with irrelevant lines emptied, so that lines keep their numbers; None if nothing is left."""
    kept: set[int] = set()
    for number, line in enumerate(lines):
        if _LOUD.search(line):
            kept.update(range(number, number + _LINES_UNDER))
    return "\n".join(line if number in kept else "" for number, line in enumerate(lines)) if kept else None


def as_lines(facts: Sequence[ExplainedMessage]) -> Iterator[str]:
    """First facts as text, one line each."""
    for fact in facts:
        yield f"First fact: {fact.says}{f' {fact.because}' if fact.because else ''} ({fact.where})"


def confirmed(facts: Sequence[ExplainedMessage], answer: Answer, evidence: Container[str]) -> Iterator[str]:
    """Which first facts the analysis of all lines confirmed or corrected. `evidence`: the lines that prove the
    findings.
    """
    downgraded = [fact for fact in facts if _is_repeated(fact, answer.harmless)]
    proving = [fact for fact in facts if fact not in downgraded and fact.where in evidence]
    following = [
        fact for fact in facts if fact not in (*downgraded, *proving) and _is_repeated(fact, answer.consequences)
    ]
    parts = [
        f"{len(proving)} {'is' if len(proving) == 1 else 'are'} among the findings" if proving else "",
        f"{len(following)} follow{'s' if len(following) == 1 else ''} from them" if following else "",
    ]
    if any(parts):
        yield f"Of {len(facts)} first fact{'s' if len(facts) > 1 else ''} {' and '.join(filter(None, parts))}."
    for fact in downgraded:
        yield f"Corrected: seen with all lines this is harmless: {fact.says} ({fact.where})"


def _is_repeated(fact: ExplainedMessage, others: Iterable[ExplainedMessage]) -> bool:
    return any((one.key, one.subject) == (fact.key, fact.subject) for one in others)
