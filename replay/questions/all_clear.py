"""Whether a result may say that no committed record was lost. Every surface draws that statement from here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from replay.coverage.limits import hiding_losses
from replay.facts.evidence import AT_MOST, joined
from replay.histories.cluster import UNCLEAN_ENDS
from replay.reading.names import INTERNAL_TOPICS
from replay.sentences import all_clear as sentences
from replay.tables.brokers import ProcessLife
from replay.tables.coverage import Limit
from replay.tables.faults import Fault
from replay.tables.invariants import Violation
from replay.tables.losses import OPEN_VERDICTS, AllClear, Loss
from replay.tables.offsets import DeletedRecords

COMMITTED = "committed"
TOPIC_DELETED = "topic_deleted"


def all_clear(
    placed_losses: Iterable[Loss],
    limits: Sequence[Limit],
    violations: Iterable[Violation],
    processes: Iterable[ProcessLife],
    faults: Iterable[Fault],
    deleted_records: Iterable[DeletedRecords],
) -> list[AllClear]:
    """One row: what the result says about lost records that no row of `losses` names, and what was deleted by request.

    It needs every replica covered and no violated invariant. That nothing could have been lost also needs that no leader
    changed, no replica truncated its log, and no broker restarted uncleanly.
    """
    losses = list(placed_losses)
    hiding = hiding_losses(limits)
    broken = [one for one in violations if one.verdict == "violated"]
    violated = sorted({(one.invariant, f"{one.topic}-{one.partition}") for one in broken})
    doubts = [*(str(limit.statement) for limit in hiding), *([sentences.violated(violated)] if violated else [])]
    crashed = any(process.ended in UNCLEAN_ENDS for process in processes)
    if any(loss.verdict in OPEN_VERDICTS and loss.loss_class == COMMITTED for loss in losses):
        verdict, text = "open", None
    elif doubts:
        verdict, text = "not_ruled_out", sentences.not_ruled_out(doubts)
    elif losses or crashed:
        verdict, text = "none_found", sentences.NONE_FOUND
    else:
        verdict, text = "none_possible", sentences.NONE_POSSIBLE
    of_limits, of_violations = [one.evidence for one in hiding], [one.evidence for one in broken]
    evidence = joined(*(lines[:2] for lines in (*of_limits, *of_violations) if lines))[:AT_MOST]
    deletions = sentences.not_counted(list(_deletions(faults, deleted_records)))
    return [AllClear(verdict=verdict, statement=text, doubts=doubts, deletions=deletions, evidence=evidence)]


def _deletions(faults: Iterable[Fault], deleted: Iterable[DeletedRecords]) -> Iterator[str]:
    """The topics and records that were deleted by request, each in words."""
    for fault in faults:
        topic = (fault.arguments or {}).get("topic")
        if fault.kind == TOPIC_DELETED and topic is not None:
            yield sentences.topic_deleted(topic, fault.ts)
    for row in deleted:
        if row.topic not in INTERNAL_TOPICS:
            yield sentences.records_deleted(row)
