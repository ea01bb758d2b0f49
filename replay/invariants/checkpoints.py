"""Compares leader-epoch-checkpoint files with each other and with the lines of the leaders: I15-I17."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from replay.facts.order import nulls_first
from replay.facts.times import known
from replay.invariants.shape import broken, number
from replay.offsets.epoch_lines import checkpoint_files
from replay.tables.invariants import Violation
from replay.tables.offsets import EpochLine

_LINE = "leader_start"


@dataclass
class _Epoch:
    """A leader epoch: its start offset in the files, in its leader's line and in the later ones with which a leader led
    on, and the entries with the same start as the entry before them.
    """

    files: dict[tuple[int | None, int, str], EpochLine] = field(default_factory=dict)
    led: list[EpochLine] = field(default_factory=list)
    led_on: list[EpochLine] = field(default_factory=list)
    flat: list[tuple[EpochLine, EpochLine]] = field(default_factory=list)


def lineages_disagree(epoch_lines: Iterable[EpochLine]) -> Iterator[Violation]:
    """I15, I16, I17: leader-epoch-checkpoint files compared with each other and with the lines of the leaders.
    `epoch_lines`: the rows of that table of one partition. Kafka clips a file's first entry to the log start, so that
    entry does not show where its leader epoch began (facts §1.4).
    """
    for leader_epoch, epoch in _by_leader_epoch(epoch_lines).items():
        files = [epoch.files[at] for at in sorted(epoch.files, key=lambda at: nulls_first(*at))]
        led = min(epoch.led, key=_report_order, default=None)
        yield from _two_epochs_from_one_offset(leader_epoch, epoch.flat)
        yield from _starts_differ(leader_epoch, files, led)
        yield from _file_contradicts_its_leader(leader_epoch, files, led, epoch.led_on)


def _report_order(line: EpochLine) -> tuple[tuple[bool, object], ...]:
    return nulls_first(line.ts, line.epoch_start_offset, line.node_id, line.event_id)


def _by_leader_epoch(epoch_lines: Iterable[EpochLine]) -> dict[int | None, _Epoch]:
    epochs: dict[int | None, _Epoch] = defaultdict(_Epoch)
    lines = list(epoch_lines)
    for line in lines:
        if line.kind == _LINE:
            epoch = epochs[line.leader_epoch]
            (epoch.led if _is_new(line) else epoch.led_on).append(line)
    for entries in checkpoint_files(lines):
        for earlier, entry in pairwise(entries):
            epoch = epochs[entry.leader_epoch]
            epoch.files[entry.epoch_start_offset, entry.node_id, entry.event_id] = entry
            if earlier.epoch_start_offset is not None and earlier.epoch_start_offset == entry.epoch_start_offset:
                epoch.flat.append((earlier, entry))
    return epochs


def _is_new(line: EpochLine) -> bool:
    """Whether a leader takes on a leader epoch that it did not have."""
    previous = line.previous_leader_epoch
    return line.leader_epoch is not None and (
        line.leader_epoch == 0 or (previous is not None and 0 <= previous < line.leader_epoch)
    )


def _two_epochs_from_one_offset(
    leader_epoch: int | None, flat: list[tuple[EpochLine, EpochLine]]
) -> Iterator[Violation]:
    if flat:
        earlier, entry = min(
            flat, key=lambda pair: nulls_first(pair[0].leader_epoch, pair[0].event_id, pair[1].node_id)
        )
        detail = (
            f"broker {entry.node_id}: leader epochs {number(earlier.leader_epoch)} and {number(leader_epoch)} both start "
            f"at offset {entry.epoch_start_offset}"
        )
        yield broken("I15", detail, earlier.event_id, entry.event_id, verdict="unknown")


def _starts_differ(leader_epoch: int | None, files: list[EpochLine], led: EpochLine | None) -> Iterator[Violation]:
    """A file with the offset of the leader's own line is right. A file with a later offset may have been copied late."""
    if len(files) < 2 or files[0].epoch_start_offset == files[-1].epoch_start_offset:
        return
    first, last = files[0], files[-1]
    earliest = min(known(file.epoch_start_offset for file in files), default=None)
    copied_late = led is None or (earliest is not None and earliest == led.epoch_start_offset)
    detail = (
        f"leader epoch {number(leader_epoch)} starts at {number(first.epoch_start_offset)} on broker {first.node_id} and at "
        f"{number(last.epoch_start_offset)} on broker {last.node_id}"
    )
    yield broken("I16", detail, first.event_id, last.event_id, verdict="unknown" if copied_late else "violated")


def _file_contradicts_its_leader(
    leader_epoch: int | None, files: list[EpochLine], led: EpochLine | None, led_on: list[EpochLine]
) -> Iterator[Violation]:
    if led is None or led.epoch_start_offset is None:
        return
    for file in files:
        offset = file.epoch_start_offset
        if file.node_id == led.node_id and offset is not None and offset != led.epoch_start_offset:
            detail = (
                f"broker {led.node_id} said leader epoch {number(leader_epoch)} starts at {led.epoch_start_offset}; its "
                f"leader-epoch-checkpoint says {offset}"
            )
            reopened = [line for line in led_on if (line.node_id, line.epoch_start_offset) == (led.node_id, offset)]
            if reopened and offset < led.epoch_start_offset:
                detail += ", where its log ended when it continued to lead in this leader epoch after a restart"
            yield broken("I17", detail, led.event_id, file.event_id, *[line.event_id for line in reopened[:1]])
            return
