"""Hands a rebuilt history to the model checker TLC, as a behaviour of KafkaReplication.tla that it must find."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.formal.acceptor import Verdict, action, from_outside_isr, is_first, ran
from tests.formal.history import Committed, Control, Cut, History, Start, Step

_MODULES = Path(__file__).parent
_NAME = "History"
_CONFIGURATION = """SPECIFICATION HistorySpec
CONSTANTS
  Replicas = {replicas}
  None <- NoLeader
  MaxEpoch = {epochs}
  MaxLog = {offsets}
  AllowUnclean = {unclean}
  AllowLostTail = {lost}
  Steps <- ShownSteps
CONSTRAINT Furthest
INVARIANTS NotAccepted OneLeaderPerEpoch EpochsRiseInLogs SameEpochSamePrefix HighWatermarkWithinLog CommittedInIsr CommittedInLeader
POSTCONDITION Report
CHECK_DEADLOCK FALSE
"""
_FIRST_IN_DEPTH = "-Dtlc2.tool.queue.IStateQueue=StateDeque"


def outside(history: History) -> str | None:
    """Why the module does not describe a history at all."""
    if any(isinstance(step, Cut) and step.by_high_watermark for step in history.steps):
        return "a replica truncates to its high watermark, which the module does not describe"
    if sum(isinstance(step, Control) and is_first(step) for step in history.steps) > 1:
        return "the topic is created again"
    return None


def in_order(steps: Iterable[Step]) -> list[Step]:
    """The steps with each start of a leader right after the state that elected it."""
    starts = {(step.epoch, step.leader): step for step in steps if isinstance(step, Start)}
    elected = {(step.epoch, step.leader) for step in steps if isinstance(step, Control)}
    ordered: list[Step] = []
    for step in steps:
        if not isinstance(step, Start) or (step.epoch, step.leader) not in elected:
            ordered.append(step)
        if isinstance(step, Control) and (start := starts.pop((step.epoch, step.leader), None)):
            ordered.append(start)
    return ordered


def module(history: History) -> tuple[str, str]:
    """The module History with the steps of a history, and the configuration of TLC."""
    steps = in_order(history.steps)
    states = [step for step in steps if isinstance(step, Control)]
    base = 1 if is_first(states[0]) else 2  # epoch 1 stands for all before the logs begin
    first = states[0].epoch - base
    ranks = {offset: rank for rank, offset in enumerate(sorted({0, *_offsets(steps)}))}
    records = [
        {
            **bounds,
            "most": max(bounds["most"] - first, 0),
            "highest": ranks[bounds["highest"]],
            **_fields(step, first, ranks),
        }
        for step, bounds in zip(steps, _bounds(history, steps))
    ]
    lines = [f"  [{', '.join(f'{name} |-> {_tla(value)}' for name, value in one.items())}]" for one in records]
    text = f"---- MODULE {_NAME} ----\nEXTENDS KafkaHistory\nShownSteps == <<\n" + ",\n".join(lines) + ">>\n====\n"
    return text, _CONFIGURATION.format(
        replicas=_tla(history.replicas),
        epochs=max(step.epoch for step in states) - first,
        offsets=max(len(ranks) - 1, 1),
        unclean=_tla(any(map(from_outside_isr, history.elected_from.values()))),
        lost=_tla(bool(history.lost_in)),
    )


def _offsets(steps: Iterable[Step]) -> set[int]:
    found: set[int] = set()
    for step in steps:
        if isinstance(step, Cut) and step.log_end is not None:
            found.add(step.log_end)
        if not isinstance(step, Control):
            found.add(step.low if isinstance(step, Committed) else step.offset)
    return found


def _bounds(history: History, steps: list[Step]) -> Iterator[dict[str, Any]]:
    """What bounds the silent actions before each step: which replicas did not run (`down`) and which may stop (`stops`),
    whether states are missing before the next shown one (`hidden`) and its epoch (`most`), the `highest` offset that is committed.
    """
    before: Control | None = None
    for index, step in enumerate(steps):
        earlier = steps[max(index - 1, 0)].ts
        down = {r for r in history.replicas if not ran(history, r, min(earlier, step.ts), max(earlier, step.ts))}
        after = next((one for one in steps[index:] if isinstance(one, Control)), None)
        hidden = _is_gap(before, after)
        any_may = hidden or history.lost_in or after is None or after.isr is None or after.leader < 0
        unclean = after is not None and from_outside_isr(history.elected_from.get(after.epoch))
        yield {
            "down": down,
            "stops": history.replicas if any_may or unclean else down | (history.replicas - after.isr),
            "hidden": hidden,
            "most": after.epoch if after else 0,
            "highest": max((one.low for one in steps[index:] if isinstance(one, Committed)), default=0),
        }
        before = step if isinstance(step, Control) else before


def _is_gap(before: Control | None, after: Control | None) -> bool:
    """Whether states are missing between two; the first state of a new topic has none before it."""
    if before is None or after is None:
        return after is not None and not is_first(after)
    if before.partition_epoch is None or after.partition_epoch is None:
        return True
    changed = (before.isr or frozenset()) ^ (after.isr or frozenset())
    several = before.epoch == after.epoch and len(changed) > 1  # one record of the controller, several actions
    return several or after.partition_epoch > before.partition_epoch + 1


def _fields(step: Step, first: int, offsets: Mapping[int, int]) -> dict[str, object]:
    if isinstance(step, Control):
        return {"kind": "state", "epoch": step.epoch - first, "leader": step.leader, "isr": step.isr or frozenset()}
    if isinstance(step, Start):
        return {"kind": "start", "epoch": step.epoch - first, "leader": step.leader, "offset": offsets[step.offset]}
    if isinstance(step, Cut):
        end = -1 if step.log_end is None else offsets[step.log_end]
        return {
            "kind": "cut",
            "replica": step.replica,
            "end": end,
            "offset": offsets[step.offset],
            "recovery": step.by_recovery,
        }
    return {"kind": "committed", "offset": offsets[step.low]}


def _tla(value: object) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(map(str, sorted(value))) + "}"
    return str(value)


def check(classpath: str, history: History, seconds: float) -> Verdict:
    """The verdict of TLC on a history."""
    if reason := outside(history):
        return Verdict(0, undecided=reason)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("KafkaReplication.tla", "KafkaHistory.tla"):
            shutil.copy(_MODULES / name, folder)
        text, configuration = module(history)
        (Path(folder) / f"{_NAME}.tla").write_text(text)
        (Path(folder) / f"{_NAME}.cfg").write_text(configuration)
        command = ["java", "-XX:+UseParallelGC", _FIRST_IN_DEPTH, "-cp", classpath, "tlc2.TLC", "-workers", "1", _NAME]
        try:
            printed = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds).stdout
        except subprocess.TimeoutExpired:
            return Verdict(0, undecided=f"TLC did not end within {seconds:.0f} s")
    return verdict(printed, in_order(history.steps))


def verdict(printed: str, steps: list[Step]) -> Verdict:
    """What TLC printed: a behaviour with all steps, or the furthest step that it reached."""
    if "Invariant NotAccepted is violated" in printed:
        return Verdict(len(steps))
    furthest = re.search(r'<<"furthest", (\d+)>>', printed)
    if furthest is None or "No error has been found" not in printed:
        return Verdict(0, undecided="TLC stopped: " + " ".join(printed.split())[-300:])
    reached = int(furthest[1]) - 1
    return Verdict(reached, f"{action(steps[reached])} at {steps[reached].ts:%H:%M:%S.%f}", steps[reached].line or None)
