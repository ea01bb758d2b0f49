"""Operators' questions after an incident, and where each is answered: the source of `kafka-replay docs questions`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from viz.phrases import counted


class Asked(NamedTuple):
    """A question, and the section of the page, the commands and the notebook call that answer it."""

    question: str
    page: str
    commands: str
    notebook: str


QUESTIONS = (
    Asked(
        "How many messages did the unclean election cost us?",
        "Losses: range, verdict and premise of each partition",
        "`partition DIR orders-0`, `explain DIR F16`",
        '`replay.losses()`; "How many records were lost, and is the loss proven?" (offsets, not messages)',
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
        "Losses: class `acked_possible`, scenarios S7 and S10",
        "`partition DIR orders-0`, `explain S10`",
        '`replay.truncations`, `replay.losses()`; "Which logs were truncated …?"',
    ),
    Asked(
        "ISRs keep shrinking: which broker is to blame?",
        "Elections, ISRs, controllers: ISR drops",
        "`explain DIR F13`, `explain DIR F05`",
        '`replay.isr_drops`; "ISRs keep shrinking …?"',
    ),
    Asked(
        '"Cached zkVersion not equal": why does it never recover?',
        "Findings (F22); deposed leaders",
        "`explain DIR F22`, `catalogue --explain '…'`",
        '`replay.deposed_leaders`; "Did a broker continue as leader …?"',
    ),
    Asked(
        "Who was controller when, and why does it keep moving?",
        "Elections, ISRs, controllers: controllers; Findings (F08, F09)",
        "`at DIR --at …`, `explain DIR F09`",
        '`replay.controllers`; "Which broker was the controller …?"',
    ),
    Asked(
        "How long did the controller failover take?",
        "controllers: start and ready",
        "`explain DIR F08`",
        '`replay.controllers` (`ready_ts`); "Which broker was the controller …?"',
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
        "`at DIR --at …`, `partition DIR orders-0`",
        '`replay.replicas` (`trust`); "A partition has no leader"',
    ),
    Asked(
        "Was the follower already out of the ISR before the leader died?",
        "Timeline: in-sync replicas",
        "`partition DIR orders-0`, `at DIR --at …`",
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
        '`replay.truncations`; "Which logs were truncated …?"',
    ),
    Asked(
        "Consumers stuck on UNKNOWN_LEADER_EPOCH after an election?",
        "Findings (F32)",
        "`explain DIR F32`",
        '`replay.epochs_learnt()`; "How late did each broker learn of new leaders?"',
    ),
    Asked(
        "How long were we without a leader, or under min ISR?",
        "the tiles of What happened; Timeline",
        "`at DIR --at …`, `compare DIR1 DIR2`",
        '`replay.available("orders")`, `replay.incidents`; "How long was each topic without a leader …?"',
    ),
    Asked(
        "Why won't this follower rejoin the ISR?",
        "Findings (F13, F14, F25, F27)",
        "`lines DIR --broker 3 --level warn`, `explain DIR F25`",
        '"Which followers have not rejoined the ISR …?"',
    ),
    Asked(
        "Was it ZooKeeper's session expiry or garbage collection?",
        "Findings (F04, F07) with what would decide",
        "`explain DIR F07`, `explain DIR F04`",
        '`replay.explain("F07")`; "Why did each broker leave: …?"',
    ),
    Asked(
        "Two leaders? Was the isolated one still taking writes?",
        "deposed leaders; Losses (S7); Replication: what producers received",
        "`acks DIR orders-0`, `partition DIR orders-0`",
        '`replay.deposed_leaders`, `replay.acks_told("orders-0")`; "Did a broker continue as leader …?"',
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
        "`at DIR --at …` (State: under min ISR)",
        '"What blocks a rolling restart: …?"',
    ),
    Asked(
        "Was the shutdown clean, and how long did recovery take?",
        "broker sessions; Findings (F02, F24)",
        "`explain DIR F24`, `lines DIR --broker 1`",
        '`replay.log_loads()`; "Was each broker\'s shutdown clean …?"',
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
        '"Which controlled shutdowns were slow or failed …?"',
    ),
    Asked(
        "After losing N brokers, what cannot be recovered?",
        "Losses (`recoverable_from`); replicas",
        "`partition DIR orders-0`",
        '`replay.replicas`, `replay.losses()`; "Which ranges were lost … which brokers still hold them?"',
    ),
    Asked(
        "Is this log noise normal?",
        "Coverage and limits",
        "`catalogue --explain -` (what a line means)",
        '"Which messages are unusual?"',
    ),
    Asked(
        "What do today's logs not show, and what would have to be logged?",
        "Coverage and limits: blind spots",
        "`explain DIR FINDING` (What is missing to be sure)",
        '`replay.blind_spots`; "What can these logs not show?"',
    ),
    Asked(
        "Which changed first, with clocks that differ?",
        "Coverage and limits: clocks",
        "`lines DIR` (corrected, in order), `diff DIR --since … --until …`",
        '`replay.clock_offsets`; "How far do the clocks of the nodes differ?"',
    ),
    Asked(
        "Are segments still copied to the remote store, and since when not?",
        "Findings (F35)",
        "`explain DIR F35`, `lines DIR --kind remote_copy_failed --kind remote_copy_done`",
        '`replay.remote_logs`; "Which part of a tiered topic is in remote storage …?"',
    ),
    Asked(
        "Up to which offset does the remote store hold a partition, and where does the local log start?",
        "Changes: tiered storage (only a new leader prints where the remote log ends)",
        "`lines DIR --topic orders --kind remote_log_become_leader --kind local_log_start_offset_incremented`",
        '`replay.remote_logs` (`remote_end_offset`, `local_log_start_offset`); "Which part of a tiered topic is in remote storage …?"',
    ),
    Asked(
        "Consumers of old records get nothing: can the broker read the remote store?",
        "Findings (F35)",
        "`explain DIR F35`, `lines DIR --kind remote_fetch_failed`",
        '`replay.explain("F35")`',
    ),
    Asked(
        "Retention deleted segments: are their records gone, or only the local copy?",
        "Replication: log starts",
        "`lines DIR --topic orders --kind log_retention_delete`",
        '`replay.log_starts` (`change`: `local_retention_time`); "Where does each log start …?"',
    ),
    Asked(
        "Which remote segments remain though they should be deleted?",
        "Findings (F35)",
        "`lines DIR --kind remote_segment_left_behind`",
        "`replay.remote_logs` (`change`: `left_behind`)",
    ),
    Asked(
        "Why can a broker not become follower of a tiered topic?",
        "Findings (F35)",
        "`lines DIR --broker 3 --kind fetch_tier_state_error`",
        '`replay.explain("F35")`; "Which followers have not rejoined the ISR …?"',
    ),
    Asked(
        "The broker does not start because its remote store is down: what did it log?",
        "Findings (F01)",
        "`lines DIR --broker 2 --level error`, `explain DIR F01`",
        "`replay.events.where(\"level in ('ERROR', 'FATAL')\")`",
    ),
    Asked(
        "Which group rebalances repeatedly, and for what reason?",
        "Findings (F36)",
        "`explain DIR F36`, `lines DIR --kind group_rebalance_begun`",
        '`replay.explain("F36")`; "Which groups rebalanced …?"',
    ),
    Asked(
        "Which members fell out of a group, and when?",
        "Findings (F36)",
        "`lines DIR --kind group_member_failed`",
        "`replay.events.where(\"kind = 'group_member_failed'\")`",
    ),
    Asked(
        "Who coordinates a group, and since when?",
        "Elections, ISRs, controllers: elections of `__consumer_offsets`",
        "`partition DIR __consumer_offsets-6`, `lines DIR --kind coordinator_load_done`",
        "`replay.leader_epochs.where(\"topic = '__consumer_offsets'\")`",
    ),
    Asked(
        "The coordinator does not answer: could it load its groups?",
        "Findings (F37)",
        "`explain DIR F37`, `lines DIR --kind coordinator_load_failed`",
        '`replay.explain("F37")`',
    ),
    Asked(
        "A share group gets no records: are its partitions initialised?",
        "Findings (F37)",
        "`explain DIR F37`, `lines DIR --kind share_partition_failed`",
        '`replay.explain("F37")`',
    ),
    Asked(
        "Which records of a share group are on their last delivery?",
        "none: the table holds the lines",
        "`lines DIR --kind share_group_step`",
        "`replay.events.where(\"kind = 'share_group_step'\")`",
    ),
    Asked(
        "read_committed consumers stopped: which transaction was left open?",
        "Findings (F38), after it was ended, or if its end could not be written: no line reports an open one",
        "`explain DIR F38`, `lines DIR --kind transaction_aborted_timeout --kind transaction_marker_retry`",
        '`replay.explain("F38")`; "Which groups rebalanced … which transactions timed out?"',
    ),
    Asked(
        "Was a producer fenced, and in which partition?",
        "none: the table holds the lines",
        "`lines DIR --kind producer_epoch_fenced`",
        "`replay.events.where(\"kind = 'producer_epoch_fenced'\")`",
    ),
    Asked(
        "Can the transaction coordinator not bring its markers to the brokers?",
        "Findings (F38)",
        "`explain DIR F38`, `lines DIR --kind transaction_marker_retry --kind transaction_marker_failed`",
        "`replay.events.where(\"kind like 'transaction_marker_%'\")`",
    ),
    Asked(
        "Who coordinates a transactional id, and since when?",
        "Elections, ISRs, controllers: elections of `__transaction_state`",
        "`partition DIR __transaction_state-1`, `lines DIR --kind coordinator_elected`",
        "`replay.leader_epochs.where(\"topic = '__transaction_state'\")`",
    ),
    Asked(
        "Was unclean.leader.election.enable set for a topic, and when?",
        "Findings (F16) of the election that it let happen",
        "`explain DIR F16`, `lines DIR --kind kraft_config_set`",
        "`replay.events.where(\"kind = 'kraft_config_set'\")`",
    ),
    Asked(
        "Which partitions got a leader from outside the ISR under KRaft?",
        "Elections, ISRs, controllers: elections",
        "`explain DIR F16`, `lines DIR --kind kraft_partition_changed_unclean`",
        '`replay.elections` (`elected_from`); "Was an election unclean?"',
    ),
    Asked(
        "A leader accepted acks=all with one replica in sync: when, and what is the risk?",
        "Losses; Timeline: in-sync replicas",
        "`acks DIR orders-0`, `partition DIR orders-0`",
        '`replay.isr_spans` (`isr`, `min_isr`), `replay.losses()`; "What if min.insync.replicas had been 2?"',
    ),
    Asked(
        "Which replicas were eligible leaders (KIP-966), and was a leader taken from them?",
        "Elections, ISRs, controllers: elections, eligible leader replicas",
        "`at DIR --at …`, `partition DIR orders-0`, `lines DIR --kind kraft_leader_selected_elr`",
        "`replay.eligible_leaders`, `replay.elections.where(\"elected_from = 'elr'\")`",
    ),
    Asked(
        "Which voters has the quorum, and when did that change?",
        "Findings (F10, F11, F34); voters of the metadata quorum",
        "`at DIR --at …`, `diff DIR --since … --until …`, `lines DIR --level info --kind raft_voter_set --kind raft_add_voter`",
        "`replay.voter_sets`",
    ),
    Asked(
        "Which feature levels hold, and since when?",
        "Findings (F28); feature levels that changed",
        "`at DIR --at …`, `diff DIR --since … --until …`, `lines DIR --kind kraft_feature_replayed --kind kraft_metadata_version_replayed`",
        "`replay.feature_levels`",
    ),
    Asked(
        "Which brokers are fenced, and since when?",
        "Findings (F06, F12, F39); broker sessions",
        "`at DIR --at …`, `explain DIR F39`, `lines DIR --kind kraft_broker_registration_changed --kind kraft_broker_session_timeout`",
        '`replay.broker_sessions` (`ended_by`); "Why did each broker leave: …?"',
    ),
    Asked(
        "Are directories of partitions assigned, and is one offline?",
        "Findings (F14)",
        "`explain DIR F14`, `lines DIR --kind assign_dirs_failed --kind assign_dirs_event --kind kraft_directories_offline`",
        '`replay.explain("F14")`',
    ),
    Asked(
        "A broker registered and does not serve: was it unfenced, and what does it wait for?",
        "Findings (F39); for one that could not even register: F06",
        "`explain DIR F39`, `lines DIR --broker 2 --kind broker_registered --kind broker_recovery --kind broker_waiting_unfence`",
        '`replay.explain("F39")`',
    ),
    Asked(
        "Were all nodes started with the same controller.quorum.voters?",
        "Findings (F34)",
        "`explain DIR F34`",
        "`replay.settings.where(\"name = 'controller.quorum.voters'\")`",
    ),
    Asked(
        "In which log directory does a replica lie, and was it moved?",
        "Changes: replicas that moved between log directories",
        "`at DIR --at …`, `partition DIR orders-0`, `diff DIR --since … --until …`, `lines DIR --topic orders --kind future_replica_promoted --kind log_created`",
        "`replay.log_directories`",
    ),
    Asked(
        "Did a new leader of a tiered topic set the log start above records that should be kept, or delete them?",
        "Findings (F40)",
        "`explain DIR F40`, `lines DIR --topic orders --kind remote_log_become_leader --kind log_start_offset_incremented --kind remote_log_segment_deleted`",
        "`replay.remote_logs` (`change`: `found_log_start`), `replay.log_starts`",
    ),
    Asked(
        "What did broker 3 do, and can I restart it now?",
        "Brokers: the history of each, and whether a restart is safe as the logs end",
        "`broker DIR 3`",
        "`replay.broker(3)`; whether a restart is safe: `replay.report()`, Brokers",
    ),
    Asked(
        "Did topic orders lose records between 05:30 and 05:40?",
        "Losses: Find, or sort by the times",
        "`losses DIR --topic orders --since 05:30 --until 05:40`",
        '`replay.losses()`; "How many records were lost, and is the loss proven?"',
    ),
    Asked(
        "How many writes did the leaders refuse?",
        "Findings (F20): one for each line, retries included",
        "`explain DIR F20`, `lines DIR --kind produce_append_error`",
        "`replay.events.where(\"kind = 'produce_append_error'\")`",
    ),
    Asked(
        "Would min.insync.replicas=2, or unclean.leader.election.enable=false, have helped?",
        "Next, beside the advice to set it; the header has the min.insync.replicas that was in force",
        "`what-if DIR --set min.insync.replicas=2`, `what-if DIR --set unclean.leader.election.enable=false`",
        '`replay.what_if("min.insync.replicas", "2")`; "What if min.insync.replicas had been 2?"',
    ),
    Asked(
        "Did it happen last week, too?",
        "none: a page has one result; `index` makes a page of many",
        "`index DIR1 DIR2 …`: Seen before",
        '`Replay.incidents_in(spark, "ops.incidents")`, for results in a catalog',
    ),
    Asked(
        "Did consumer groups read lost records, skip records or read some again?",
        "Your records, after `reconcile --page`; else only that owners have to be told (Next)",
        "`reconcile DIR RECORDS --out F`, with offsets that groups committed",
        "`replay.reconcile(records)`",
    ),
    Asked(
        "Which client ids wrote or read then?",
        "none: brokers log no client ids of accepted requests; kafka.request.logger at DEBUG would",
        "`lines DIR --kind produce_append_error` (an error names its client where Kafka prints it)",
        "`replay.events.where(\"kind = 'produce_append_error'\")`",
    ),
    Asked(
        "When was that in my time zone?",
        "Times: the switch in the header",
        "`post-mortem DIR --tz Europe/Berlin`, `explain DIR --tz local`, `analyze LOGS --tz local`",
        "`replay.report()`: the switch in the header",
    ),
)


def as_text(findings: pd.DataFrame) -> Iterator[str]:
    """Every question with the commands that answer it, and with those of its codes that a result has findings for."""
    count = Counter(findings.code.dropna()) if len(findings) else Counter[str]()
    for number, asked in enumerate(QUESTIONS, 1):
        named = dict.fromkeys(re.findall(r"\bF\d+\b", f"{asked.page} {asked.commands}"))
        here = ", ".join(f"{code}: {counted(count[code], 'finding')}" for code in named if count[code])
        yield f"{number}. {asked.question}  {asked.commands.replace('`', '')}" + (f"  [{here}]" if here else "")
