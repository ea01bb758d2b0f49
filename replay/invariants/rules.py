"""The rules: what each one states, what a violation means, and what to do. Source: facts §2."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Invariant:
    """One rule. `never`: why no input of this program can show a violation; None for a rule that is checked."""

    id: str
    name: str
    severity: str
    states: str
    means: str
    act: str
    never: str | None = None


_EVIDENCE_FIRST = "Read the lines on both sides; look for a topic created again under its name, a second cluster among the files, a clock that was set."
_COMPARE = "Keep every replica's files as they are, and compare the logs with kafka-dump-log before any replica is deleted or cut further."
_LEDGER = "Go to `losses`: range, verdict and premise are there. If it names replicas that still hold the range, keep these from starting as followers."

INVARIANTS: tuple[Invariant, ...] = (
    Invariant(
        "I1",
        "OneLeaderPerEpoch",
        "critical",
        "A leader epoch of a partition has at most one leader.",
        "Two brokers led in the same leader epoch: split brain, metadata rolled back or restored, or two topics of one name.",
        _EVIDENCE_FIRST,
    ),
    Invariant(
        "I2",
        "LeaderEpochMonotone",
        "critical",
        "In the order of the partition epoch the leader epoch never falls.",
        "The controller's metadata went back (restored, rolled back), or evidence of two clusters is mixed.",
        _EVIDENCE_FIRST,
    ),
    Invariant(
        "I3",
        "PartitionEpochDense",
        "critical",
        "One partition epoch has one content: leader epoch, leader and ISR.",
        "Two different states carry the same partition epoch: metadata was rolled back, or two clusters are mixed. Gaps are no violation: there evidence is missing.",
        _EVIDENCE_FIRST,
    ),
    Invariant(
        "I4",
        "EpochCoupling",
        "high",
        "The leader epoch grows by no more than the partition epoch.",
        "A leader epoch without a written state of its own: a wrongly understood line, or metadata changed by hand.",
        _EVIDENCE_FIRST,
    ),
    Invariant(
        "I5",
        "LeaderInIsr",
        "high",
        "The leader is a member of its ISR.",
        "A fault of the controller or leader. An unclean election does not break this: its ISR is the new leader alone.",
        _EVIDENCE_FIRST,
    ),
    Invariant(
        "I6",
        "CleanElection",
        "high",
        "A new leader comes from the ISR before it, or from the ELR.",
        "Unclean election: what only the ISR held may be gone. `unknown` where a change of the ISR may have gone unseen.",
        _LEDGER,
    ),
    Invariant(
        "I7",
        "IsrSubset",
        "high",
        "ISR members are assigned replicas, each once, and at least one unless eligible leader replicas are on.",
        "A fault of the controller or leader, or a reassignment that was read half.",
        _EVIDENCE_FIRST,
    ),
    Invariant(
        "I8",
        "FencedNotInIsr",
        "high",
        "KRaft from 3.3: a broker that is fenced or shutting down is in no ISR but one of its own.",
        "A broker that nobody hears counts as in sync (KAFKA-13916): the commit point waits for it, or an election may pick it. Needs the metadata dump.",
        "Upgrade; until then look at `isr_spans` of the partition.",
    ),
    Invariant(
        "I9",
        "ControllerEpochMonotone",
        "critical",
        "A controller epoch has one controller, and a controller's epochs only grow.",
        "Two active controllers: ZooKeeper rolled back, two ensembles, or two clusters among the files.",
        _EVIDENCE_FIRST,
    ),
    Invariant(
        "I10",
        "NoStaleApply",
        "critical",
        "No broker takes on a leader epoch below the one it has.",
        "A broker obeyed an old controller. Lines that say a request was ignored for its epoch are this rule at work, not its breach.",
        _EVIDENCE_FIRST,
    ),
    Invariant(
        "I11",
        "MaximalIsrSuperset",
        "critical",
        "From 2.7: a leader's high watermark is not past the log end of a member of its ISR.",
        "The high watermark moved past an in-sync replica: electing that one would lose committed records.",
        _COMPARE,
    ),
    Invariant(
        "I12",
        "IsrHoldsCommitted",
        "critical",
        "A member of the ISR holds every committed record.",
        "A replica counts as in sync whose log ends below the high watermark (an empty or recovered disk): any later clean election of it loses records.",
        _LEDGER,
    ),
    Invariant(
        "I13",
        "LeaderCompleteness",
        "critical",
        "A leader elected cleanly starts with every record committed before.",
        "Committed records are gone though the election was clean: a last replica came back shorter, or a log was cut to a lagging high watermark.",
        _LEDGER,
    ),
    Invariant(
        "I14",
        "NoTruncationBelowCommit",
        "high",
        "A replica does not cut its log below its own high watermark.",
        "This replica dropped committed records; if no other holds them they are lost. Expected after an unclean election.",
        _LEDGER,
    ),
    Invariant(
        "I15",
        "EpochFileMonotone",
        "medium",
        "Leader epochs and their start offsets grow in one leader-epoch-checkpoint.",
        "A damaged file (KAFKA-16541). A file whose entries fall is set aside when it is read; here it is told that two leader epochs start at one offset, which releases from 2.0.1 on never write.",
        "Delete the file of a follower with its broker stopped: it is made again from the log.",
    ),
    Invariant(
        "I16",
        "LineageAgreement",
        "high",
        "A leader epoch starts at one offset in the files of all replicas, but for a first entry (clipped).",
        "The logs of two replicas differ in that leader epoch. `unknown` where the copy starts later: compaction does that.",
        _COMPARE,
    ),
    Invariant(
        "I17",
        "FileMatchesLeaderLine",
        "medium",
        "A leader's checkpoint has the offset that the leader printed when its epoch began.",
        "The leader's log came back shorter after a crash, and it continued to lead from there; or file and log are of different clusters.",
        "Look at `losses` first: a leader that came back with a shorter log is there. If it is not, look for a topic created again under its name, or a second cluster among the files.",
    ),
    Invariant(
        "I18",
        "CommitMonotone",
        "critical",
        "A later leader of the same lineage does not start below what an earlier leader printed as committed.",
        "The commit point was taken back: readers saw records that are gone.",
        _LEDGER,
    ),
    Invariant(
        "I19",
        "TenureHwmMonotone",
        "high",
        "A leader's high watermark does not fall within one tenure.",
        "A leader's log was cut, or its lines are out of order.",
        _EVIDENCE_FIRST,
    ),
    Invariant(
        "I20",
        "Bounds",
        "medium",
        "Log start <= high watermark <= log end, in every line that tells two of them.",
        "A damaged log, or a wrongly understood line. (A follower against its leader is not compared: clocks do not carry that.)",
        _EVIDENCE_FIRST,
    ),
    Invariant(
        "I21",
        "LogStartMonotone",
        "medium",
        "A replica's log start does not fall, unless its log is made anew.",
        "A disk was swapped or restored. `unknown` where it falls to 0: a log made anew begins there.",
        "Compare meta.properties and the age of the segment files.",
    ),
    Invariant(
        "I22",
        "JoinRule",
        "high",
        "From 2.0.1: a replica joins the ISR only after it has reached the start of the leader's epoch.",
        "KAFKA-7128, or the replica lost its tail after it joined: an election of it would lose records.",
        _LEDGER,
    ),
    Invariant(
        "I23",
        "ShrinkRule",
        "low",
        "A follower leaves the ISR between 1 and 1.5 times replica.lag.time.max.ms after it was last caught up (3.6 and later print it).",
        "Later (`unknown`): the leader was frozen, its shrink was refused and tried again, or the follower had all there was until a record came. Earlier: the setting was changed.",
        "Look for a pause of the leader (F04) before the shrink.",
    ),
    Invariant(
        "I24",
        "MinIsrGate",
        "medium",
        "From 3.7: the high watermark stands still while the ISR is smaller than min.insync.replicas.",
        "The setting was changed in between, or the leader runs another release than it said.",
        "Compare the topic's min.insync.replicas over time.",
    ),
    Invariant(
        "I25",
        "AckDurability",
        "critical",
        "What was acknowledged with acks=all stays in every later leader.",
        "Acknowledged records are lost.",
        _LEDGER,
        never="no broker logs acknowledgements; only client logs would tell. What broker logs can prove is I13",
    ),
    Invariant(
        "I26",
        "ElrWellFormed",
        "high",
        "ELR and ISR have no member in common, and ELR members are replicas. (That a full ISR leaves no ELR is not checked: no line shows what min.insync.replicas was then.)",
        "A fault of the controller.",
        _EVIDENCE_FIRST,
    ),
    Invariant(
        "I27",
        "BrokerEpochMonotone",
        "high",
        "A broker's epochs grow with each registration.",
        "Two brokers of one id, or restored metadata.",
        _EVIDENCE_FIRST,
    ),
    Invariant(
        "I28",
        "UncleanExclusion",
        "high",
        "A replica whose broker came back without a clean stop leaves the ISR until it has caught up, unless it is the last one.",
        "A log that may have lost its end counts as in sync (KIP-903): a later clean election of it can lose records.",
        _LEDGER,
    ),
    Invariant(
        "I29",
        "MetadataAgreement",
        "critical",
        "What brokers apply, and what every node's metadata log holds, is the same record (KRaft).",
        "A controller lost committed metadata, or dumps of two clusters are mixed.",
        "Compare the dumps of all nodes around that offset.",
    ),
    Invariant(
        "I30",
        "PreferredEventually",
        "low",
        "A preferred replica in the ISR leads again within the check interval, with auto rebalance on.",
        "Auto rebalance does not work or lags. Always `unknown`: in ZooKeeper mode the imbalance may be below the threshold.",
        "kafka-leader-election --election-type preferred",
    ),
    Invariant(
        "I31",
        "ReassignmentEnds",
        "low",
        "A reassignment ends: no replica stays adding or removing.",
        "It is not done, or stuck. `unknown` where the logs just end before it.",
        "kafka-reassign-partitions --verify",
    ),
    Invariant(
        "I32",
        "ConsistentRead",
        "critical",
        "An offset once committed keeps its record.",
        "Other records were committed at offsets that readers had already seen: consumers, mirrors and caches built from them disagree with the log.",
        'Reset what was built from these offsets; consumers from 2.3 on say "Truncation detected".',
    ),
)
