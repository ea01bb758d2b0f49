"""What *no, none, never, nothing, all, only, alone, still* and *cleanly* need in the texts of conclusions, and what refutes them.

Each such word of a wording belongs to one kind: `words` match its phrase. What decides before it is printed is a closing rule
(`rules`, by code), or a module that asks who would have logged the opposite (`decided_in`); `checks` of `tests/audit` recompute
it. `tests/closing/test_absolutes.py` fails for a word without a kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

WORDS = re.compile(r"\b(?:no|none|never|nothing|nobody|neither|all|only|alone|still|cleanly)\b", re.IGNORECASE)

# What a pack may not say of a line: that nothing at all is lost, which other lines can refute. What a line means loses nothing by
# itself ("This loses nothing").
DENIES_A_LOSS = re.compile(
    r"\b(?:nothing|no (?:\w+ )?(?:records?|data|metadata|messages?)) (?:is|are|was|were) lost\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Absolute:
    """One kind of absolute statement."""

    name: str
    words: str
    needs: str
    refuted_by: str
    rules: Sequence[str] = ()
    decided_in: Sequence[str] = ()
    checks: Sequence[str] = ()
    pattern: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pattern", re.compile(self.words, re.IGNORECASE))


ABSOLUTES: tuple[Absolute, ...] = (
    Absolute(
        "not logged",
        r"no (?:log )?lines?\b|no peer logged|no witness|no elapsed time|no controller logged|none of its lines|shows? no kill"
        r"|no restart of the host|no later copy|no shutdown, which|no file of node|neither ended it|ended cleanly: its own"
        r"|logs show no\b|no election is known|no harm that the logs show|no pair of lines|no detail given|leaves no line|crosses no timeout|nothing about any other time|no premise given|no log shows",
        "each table is asked for that key and time",
        "a row or a line that says it",
        rules=("if_acks_all",),
        checks=("who_led_between_is_looked_up", "the_isr_before_an_election_is_looked_up", "no_line_shows_acks_all"),
    ),
    Absolute(
        "without a cause",
        r"no fault (?:in these logs|had stopped)|no cause in these logs|to no node"
        r"|no blocked client|no lost record and|to it alone|only of records",
        "no accepted edge of the graph leads to it",
        "an accepted edge",
        decided_in=("replay.causes.findings", "replay.causes.depositions"),
        checks=("without_cause_means_no_edge", "a_fault_that_changed_nothing_has_no_effect"),
    ),
    Absolute(
        "not back",
        r"no start of it after|no later one",
        "the logs go on after the end, and nobody who would have logged a return did",
        "a later session, process or tenure",
        rules=("not_back", "start_again", "copy_before_start"),
        checks=(
            "what_is_not_back_did_not_come_back",
            "the_last_controller_is_the_last",
            "brokers_that_run_need_no_start",
        ),
    ),
    Absolute(
        "nothing lost",
        r"none found|or none\b|nothing in these logs could|no loss of committed|no figure of lost records|no log is truncated|nothing was discarded|only possibly lost"
        r"|no lost record is|no loss (?:of a committed|found)|nothing discarded|no leader change, truncation|checked, no loss",
        "every replica is covered, and each change of leader, truncation and restart is judged",
        "a verdict of a loss, a truncation, a violated invariant, or a replica without logs",
        decided_in=("replay.questions.all_clear",),
        checks=("none_lost_means_no_verdict_of_loss", "no_loss_anywhere", "nothing_discarded_is_nothing_cut"),
    ),
    Absolute(
        "no controller",
        r"no controller (?:was|could|registered|accept)|no leader (?:could be|is) elected|no ISR (?:could change|change)"
        r"|stopped all elections|no longer write|no majority of the voters|found no leader|found none|no election was called|had no winner"
        r"|it has no vote|never learns who leads|restarted all sessions|sessions of all brokers"
        r"|no active controller",
        "the fault ended the tenure of the active controller, or most voters were down",
        "a tenure or an election in that time",
        rules=("was_controller", "was_controller_again", "look_at"),
        checks=("a_controller_that_stayed_elects", "no_controller_has_one_duration", "a_dead_node_is_no_controller"),
    ),
    Absolute(
        "no leader",
        r"\(no leader\)|no leader for|still had none|had no leader|nor read there|clients could neither"
        r"|^no (?:working )?leader|nobody: the partition had no leader|no leader epoch|no topic that was unavailable|no downtime",
        "the controller's decision, or the end of the leader before anybody could be elected",
        "a later leader epoch with a leader",
        decided_in=("replay.availability.known_leaders",),
        checks=("what_is_over_is_over",),
    ),
    Absolute(
        "counts elsewhere",
        r"none of its own|counts only there|of its own",
        "the loss counts in the incident of the fault that completed it, which is another one",
        "a row of `losses` of this incident with certain or possible losses of that class",
        decided_in=("replay.causes.kept_from_copying",),
        checks=("losses_that_an_incident_contributed_to_are_told",),
    ),
    Absolute(
        "no wait",
        r"no write is known"
        r"|never down|late or never|or never if|received no answer|still unavailable",
        "no closed time of the partition counts in the incident",
        "a closed or unknown time, or a rejected write",
        decided_in=("replay.causes.incident_words",),
        checks=("never_down_is_never_closed", "nothing_is_open_under_a_dead_leader"),
    ),
    Absolute(
        "still so at the end",
        r"still (?:at|ahead|behind|\(\?|had|counted|active|failed|acknowledges|ran|considered|holds|held|owned|\{|acted)|was still|is still"
        r"|still \{|, still\b|\{still|it still|still open",
        "the last state before that time is this one",
        "a later state of the same key",
        decided_in=("replay.clocks.offsets", "replay.questions.deposed_leaders"),
        checks=("what_is_over_is_over", "sessions_and_controllers_read_as_their_rows"),
    ),
    Absolute(
        "no answer",
        r"no answer|stored nothing of these writes|no acknowledgement|nothing: the producer|once all members of the ISR|no longer the leader|still waits for a replica"
        r"|only while it ran and still",
        "a state of availability that the leader's and the controller's lines decide for that time",
        "an acknowledgement, or another leader, in that time",
        decided_in=("replay.availability.claims",),
    ),
    Absolute(
        "at an election",
        r"no member of (?:the )?ISR|(?:had )?no session|has all committed records|nobody: the ISR became empty",
        "the sessions, the ISR and the ELR just before the election",
        "a session, or another ISR, at that time",
        decided_in=("replay.partitions.failovers", "replay.partitions.observed_states"),
        checks=("the_isr_before_an_election_is_looked_up",),
    ),
    Absolute(
        "no entry of a checkpoint",
        r"no new entry|no entries|no other checkpoint",
        "the leader-epoch checkpoints of all replicas at that time, as far as they are known",
        "a file with that entry",
        decided_in=("replay.histories.epoch_files",),
    ),
    Absolute(
        "clean stop",
        r"shut down cleanly|no clean-shutdown marker|but not in all",
        "the next start finds the marker in each directory",
        "logs that this start recovers",
        decided_in=("replay.faults.process_ends",),
    ),
    Absolute(
        "ran on",
        r"all of them kept running|no session ended|kept both, so neither|no session, and a running|no two were down|no other leader dropped"
        r"|dropped all (?:other|followers)|all the brokers in these|had no answer|no (?:more )?fetches from|accepted no connection",
        "lines of these nodes before, in and after that time",
        "an end of their process or session in that time",
        decided_in=("replay.faults.lag", "replay.faults.fetch_links", "replay.faults.unreachable"),
        checks=("at_the_same_time_is_at_once",),
    ),
    Absolute(
        "no power failure",
        r"only a running kernel|this was no power failure",
        "a peer read an end of stream of the process",
        "a log that came back shorter",
        rules=("rival",),
        checks=("a_power_failure_sends_no_end_of_stream",),
    ),
    Absolute(
        "alone",
        r"alone in (?:the|an) ISR|all other replicas had left|no replica left in sync|the only copy|one broker alone|from broker \{\w+\}\(\?\{\w+(?::if)?\} only\)"
        r"|no other in-sync replica|that only the (?:last|old)|only the old ISR|leads all|it alone was|meanwhile \{\w+\} still"
        r"|only one in-sync replica",
        "the last committed ISR before that time",
        "a state in between with another member",
        decided_in=("replay.histories.last_replicas", "replay.partitions.elections"),
        checks=("the_isr_before_an_election_is_looked_up", "all_partitions_are_all"),
    ),
    Absolute(
        "never replicated",
        r"successor(?:, broker \{\w+\},)? never had|not all in-sync replicas|never acknowledged|all replicas \(|none of these records"
        r"|no records (?:to|from)|no replica can serve"
        r"|all in-sync replicas|not all replicas in sync|only producers with|no replica is known to hold|no broker that still holds|none known|none certain|received no acknowledgement"
        r"|acks=1 or (?:acks=)?0 only|records that only|at least none",
        "the end of the log of the old leader, and the begin of the new one",
        "a replica that held them",
        decided_in=("replay.histories.verdicts", "replay.histories.divergence"),
        checks=("no_holder_means_none_known", "no_high_watermark_above_is_none"),
    ),
    Absolute(
        "no incident",
        r"no (?:incident|symptom|action)|no blind spot|prove nothing that limited",
        "no finding of a fault that is no routine work, and no partition without a leader or closed at the end",
        "a root cause, or harm that lasts",
        decided_in=("replay.causes.incident",),
        checks=("no_fault_found_means_no_root_cause", "what_is_over_is_over"),
    ),
    Absolute(
        "not in the metrics",
        r"it stood still|no sample of its|no write took longer|no run took longer|no finding explains",
        "samples of the whole time",
        "a sample, or a gap between samples",
        decided_in=("replay.metrics.statements",),
    ),
    Absolute(
        "of the line itself",
        r"no (?:space|memory|log in its|meta\.properties|broker could reach|probe)|had none left|answers no probe|never formatted|only the remote"
        r"|no file of|nothing was copied|all nodes|only afterwards|only \{\w+\} later|only at \{\w+\}|had stood still|only a session timeout|only its last line|only a whole"
        r"|only after a majority|registers only|in all\b|all within|all its records|all of them were written|stop gets none|acknowledged, only with|its state no longer"
        r"|all partitions|common to all|\bno time\b|the only bound|in only one incident|all ISRs were full|all times|still asked a leader|none of its topics",
        "the line that says it, or the count of its rows",
        "the line is doubtful",
        decided_in=("replay.weighing.weighed",),
    ),
    Absolute(
        "advice",
        r"nothing to do|nothing has to be done|only (?:after|when|once)|you no longer need|on all brokers|when all brokers|alone do not identify"
        r"|none of two",
        "its condition holds at the end of the logs",
        "what it asks for is done already",
        rules=("await_session", "raise_min_isr"),
        checks=("settings_that_are_set_need_no_setting", "a_registered_broker_needs_no_later_start"),
    ),
)
