"""Batches of idempotent producers that a leader refuses because an election lost the batches before them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from replay.knowledge.analyzed import Findings
from replay.knowledge.choosing import Read
from replay.knowledge.meaning import ANYWHERE, LOST_BATCHES, TROUBLE, Meaning

_SEQUENCES = 2**31  # sequence numbers start again at 0 after the greatest integer
_GAP = re.compile(
    r"OutOfOrderSequenceException: Out of order sequence number for producer (?P<producer_id>\d{1,19}) at offset (?P<offset>\d{1,19}) in partition (?P<tp>[\w.-]{1,260}): "
    r"(?P<incoming>\d{1,10}) \(incoming seq\. number\), (?P<current>-?\d{1,10}) \(current end sequence number\)"
)
_REFUSED = ("out-of-order-sequence",)

AFTER_LOST_BATCHES = Meaning(
    "sequence-gap-of-loss",
    "{me} refused a batch of an idempotent producer for {tp|a partition} (OutOfOrderSequenceException): an unclean election lost the batches before it, offsets [{from}, {to}). Such a producer uses acks=all.",
    "the election",
    TROUBLE,
    effect="The batch is not stored. Producers of 2.5 and later can continue with a new epoch (KIP-360); others get the error again and again.",
    data="The batches before it are gone, although the producer had their acknowledgements.",
    heals="depends on the producer",
    next="See whether the producer writes again; restart it if it does not. Send the lost records again (see Losses).",
    explained_by=(LOST_BATCHES,),
    cause_at=ANYWHERE,
)


def after_lost_batches(read: Sequence[Read], findings: Findings) -> list[Read]:
    """`read`, with another meaning for refused batches whose gap is a range that an election lost."""
    return [_after_lost_batches(one, findings) for one in read]


def _after_lost_batches(one: Read, findings: Findings) -> Read:
    if one.cause is None or one.cause.key not in _REFUSED or one.line.is_clients:
        return one
    gap = _GAP.search(one.line.text[:2000])
    if gap is None:
        return one
    missing = (int(gap["incoming"]) - int(gap["current"]) - 1) % _SEQUENCES
    for what in findings.all:
        for tp, begin, end in what.lost:
            if tp == gap["tp"] and end - begin == missing and int(gap["offset"]) >= begin:
                values = {**one.values, "tp": tp, "from": str(begin), "to": str(end)}
                found = replace(one, wording=AFTER_LOST_BATCHES, cause=None, values=values)
                if what.explains(found):
                    return found
    return one
