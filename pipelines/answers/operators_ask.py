"""What operators ask after an incident, and where each question is answered: docs/questions.md is written from this."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from viz.phrases import counted


class Asked(NamedTuple):
    """A question: the section of the page that answers it, the commands that do, and what does in a notebook."""

    question: str
    page: str
    commands: str
    notebook: str


QUESTIONS = (
    Asked(
        "How many messages did the unclean election cost us?",
        "Losses: range, verdict and premise of each partition",
        "`partition DIR orders-0`, `explain DIR F16`",
        '`replay.losses`; "How many records were lost, and is it proven?" (offsets, not messages)',
    ),
    Asked(
        "Was it unclean? From which leader to which?",
        "Elections, ISRs, controllers: elections",
        "`partition DIR orders-0`",
        '`replay.elections` (`elected_from`); "Was an election unclean?"',
    ),
    Asked(
        "Piece together the series of events.",
        "Timeline; Why",
        "`lines DIR --topic orders`, `partition DIR orders-0 --lines`",
        '`replay.partition("orders-0")`',
    ),
    Asked(
        "We lost data with unclean=false: do new writes vanish during a preferred election?",
        "Losses: class `acked_possible`, scenario S7",
        "`partition DIR orders-0`, `explain S7`",
        '`replay.truncations`, `replay.losses`; "Which logs were cut, and below the high watermark?"',
    ),
    Asked(
        "ISRs keep shrinking: which broker is to blame?",
        "Elections, ISRs, controllers: ISR drops",
        "`explain DIR F13`, `explain DIR F05`",
        '`replay.isr_drops`; "ISRs keep shrinking: which broker is it?"',
    ),
    Asked(
        '"Cached zkVersion not equal": why does it never recover?',
        "Findings (F22); deposed leaders",
        "`explain DIR F22`, `catalogue --explain '…'`",
        '`replay.deposed_leaders`; "Two leaders?"',
    ),
    Asked(
        "Who was controller when, and why does it keep moving?",
        "Elections, ISRs, controllers: controllers; Findings (F08, F09)",
        "`at DIR --time …`, `explain DIR F09`",
        '`replay.controllers`; "Who was controller …?"',
    ),
    Asked(
        "How long did the controller failover take?",
        "controllers: start and ready",
        "`explain DIR F08`",
        '`replay.controllers` (`ready_ts`); "Who was controller …?"',
    ),
    Asked(
        "Why was the broker fenced: session timeout or metadata lag?",
        "Findings (F01, F04, F06, F12, F32) with rivals",
        "`explain DIR F12`",
        '`replay.broker_sessions` (`ended_by`); "Why did each broker leave: …?"',
    ),
    Asked(
        "Endless stale broker epoch: what loop are we in?",
        "Findings (F29); broker sessions",
        "`lines DIR --broker 2 --level warn`, `explain DIR F29`",
        "`replay.broker_sessions` (`broker_epoch`)",
    ),
    Asked(
        "No leader: which replica's data can I trust?",
        "Elections, ISRs, controllers: replicas",
        "`at DIR --time …`, `partition DIR orders-0`",
        '`replay.replicas` (`trust`); "A partition has no leader"',
    ),
    Asked(
        "Was the follower already out of the ISR before the leader died?",
        "Timeline: in-sync replicas",
        "`partition DIR orders-0`, `at DIR --time …`",
        '`replay.isr_spans`; "Was an election unclean? Was the new leader in sync …?"',
    ),
    Asked(
        '"Exiting because log truncation is not allowed": where do the logs part?',
        "Losses; Findings",
        "`partition DIR orders-0`, `catalogue --explain '…'`",
        "`replay.leader_epoch_caches`, `replay.truncations` (`expected_offset`)",
    ),
    Asked(
        "How far did followers truncate, below the high watermark?",
        "Elections, ISRs, controllers: truncations",
        "`partition DIR orders-0`",
        '`replay.truncations`; "Which logs were cut …?"',
    ),
    Asked(
        "Consumers stuck on UNKNOWN_LEADER_EPOCH after an election?",
        "Findings (F32)",
        "`explain DIR F32`",
        '`replay.epochs_learnt()`; "How late did each broker learn of its leaders?"',
    ),
    Asked(
        "How long were we without a leader, or under min ISR?",
        "the tiles of What happened; Timeline",
        "`at DIR --time …`, `compare DIR1 DIR2`",
        '`replay.available("orders")`, `replay.incidents`; "How long was each topic without a leader …?"',
    ),
    Asked(
        "Why won't this follower rejoin the ISR?",
        "Findings (F13, F14, F25, F27)",
        "`lines DIR --broker 3 --level warn`, `explain DIR F25`",
        '"A follower does not come back into the ISR"',
    ),
    Asked(
        "Was it ZooKeeper's session expiry or garbage collection?",
        "Findings (F04, F07) with what would decide",
        "`explain DIR F07`, `explain DIR F04`",
        '`replay.explain("F07")`; "Why did each broker leave: …?"',
    ),
    Asked(
        "Two leaders? Was the isolated one still taking writes?",
        "deposed leaders; Losses (S7); Replication: what producers were told",
        "`acks DIR orders-0`, `partition DIR orders-0`",
        '`replay.deposed_leaders`, `replay.acks_told("orders-0")`; "Two leaders?"',
    ),
    Asked(
        "Which log directory failed, and which partitions went with it?",
        "Findings (F14)",
        "`explain DIR F14`",
        '`replay.explain("F14")`',
    ),
    Asked(
        "What blocks the rolling restart?",
        "Timeline: in-sync replicas",
        "`at DIR --time …` (State: under min ISR)",
        '"What blocks the rolling restart: …?"',
    ),
    Asked(
        "Was the shutdown clean, and how long did recovery take?",
        "broker sessions; Findings (F02, F24)",
        "`explain DIR F24`, `lines DIR --broker 1`",
        '`replay.log_loads()`; "Was each broker\'s stop clean …?"',
    ),
    Asked(
        "The quorum has no leader, or elects again and again.",
        "Findings (F10, F11); controllers",
        "`explain DIR F11`, `lines DIR --level info --kind raft_voted`",
        "`replay.controllers`, `replay.events` (kinds `raft_…`)",
    ),
    Asked(
        "At which metadata offset did the controller die?",
        "Findings with their lines",
        "`lines DIR --level error` (the record that the fatal line names)",
        "`replay.events.where(\"level = 'FATAL' or kind like 'fault_%'\")`",
    ),
    Asked(
        "Is the migration to KRaft stuck, and on whom?",
        "Findings (F28)",
        "`explain DIR F28`, `lines DIR --broker 1 --kind migration_state`",
        "`replay.events.where(\"kind like 'migration_%'\")`",
    ),
    Asked(
        "The controlled shutdown failed: for which partitions?",
        "Findings (F02)",
        "`explain DIR F02`",
        '"An ordered stop took long or failed"',
    ),
    Asked(
        "After losing N brokers, what cannot be had back?",
        "Losses (`recoverable_from`); replicas",
        "`partition DIR orders-0`",
        '`replay.replicas`, `replay.losses`; "Which ranges … who still holds them?"',
    ),
    Asked(
        "Is this log noise normal?",
        "Coverage and limits",
        "`catalogue --explain -` (what a line means)",
        '"Is this log noise normal?"',
    ),
    Asked(
        "What can today's logs not tell, and what would have to be logged?",
        "Coverage and limits: blind spots",
        "`explain DIR FINDING` (What is missing to be sure)",
        '`replay.blind_spots`; "What can these logs not tell?"',
    ),
    Asked(
        "Which changed first, with clocks that differ?",
        "Coverage and limits: clocks",
        "`lines DIR` (corrected, in order), `diff DIR --from … --to …`",
        '`replay.clock_offsets`; "Which came first?"',
    ),
)


def told(findings: pd.DataFrame) -> Iterator[str]:
    """Every question with the commands that answer it, and which of the codes that these name a result has findings of."""
    count = Counter(findings.code.dropna()) if len(findings) else Counter[str]()
    for number, asked in enumerate(QUESTIONS, 1):
        named = dict.fromkeys(re.findall(r"\bF\d+\b", f"{asked.page} {asked.commands}"))
        here = ", ".join(f"{code}: {counted(count[code], 'finding')}" for code in named if count[code])
        yield f"{number}. {asked.question}  {asked.commands.replace('`', '')}" + (f"  [{here}]" if here else "")
