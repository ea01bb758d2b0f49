"""What must hold in every history of a cluster, and the rows in which it does not.

Each function returns what it found broken, with the fewest events that show it. A rule whose evidence has gaps is `unknown` or
says nothing, never `violated`. What a rule states, what breaking it means and what to do then stands in `INVARIANTS`, once.
Source: facts §2.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.elections import is_unclean
from replay.evidence import AT_MOST, detail, millis, plus_millis
from replay.schema import VIOLATIONS
from replay.topics import with_life
from replay.versions import version_number
from replay.windows import PARTITION_KEY, before, by_node_and_partition, so_far


@dataclass(frozen=True)
class Invariant:
    """One rule. `never` says why no input of this program can break it in sight; None for a rule that is checked."""

    id: str
    name: str
    severity: str
    states: str
    means: str
    act: str
    never: str | None = None


_EVIDENCE_FIRST = "Read the lines on both sides; look for a topic created again under its name, a second cluster among the files, a clock that was set."
_COMPARE = "Keep every replica's files as they are, and compare the logs with kafka-dump-log before any replica is deleted or cut further."
_LEDGER = "Go to `losses`: range, verdict and premise are there. Keep replicas that still hold the range from starting as followers."

INVARIANTS: tuple[Invariant, ...] = (
    Invariant("I1", "OneLeaderPerEpoch", "critical", "A leader epoch of a partition has at most one leader.",
              "Two brokers led in the same leader epoch: split brain, metadata rolled back or restored, or two topics of one name.", _EVIDENCE_FIRST),
    Invariant("I2", "LeaderEpochMonotone", "critical", "In the order of the partition epoch the leader epoch never falls.",
              "The controller's metadata went back (restored, rolled back), or evidence of two clusters is mixed.", _EVIDENCE_FIRST),
    Invariant("I3", "PartitionEpochDense", "critical", "One partition epoch has one content: leader epoch, leader and ISR.",
              "Two different states carry the same partition epoch: metadata was rolled back, or two clusters are mixed. Gaps are no violation: there evidence is missing.", _EVIDENCE_FIRST),
    Invariant("I4", "EpochCoupling", "high", "The leader epoch grows by no more than the partition epoch.",
              "A leader epoch without a written state of its own: a wrongly understood line, or metadata changed by hand.", _EVIDENCE_FIRST),
    Invariant("I5", "LeaderInIsr", "high", "The leader is a member of its ISR.",
              "A fault of the controller or leader. An unclean election does not break this: its ISR is the new leader alone.", _EVIDENCE_FIRST),
    Invariant("I6", "CleanElection", "high", "A new leader comes from the ISR before it, or from the ELR.",
              "Unclean election: what only the ISR held may be gone. `unknown` where a change of the ISR may have gone unseen.", _LEDGER),
    Invariant("I7", "IsrSubset", "high", "ISR members are assigned replicas, each once, and at least one unless eligible leader replicas are on.",
              "A fault of the controller or leader, or a reassignment that was read half.", _EVIDENCE_FIRST),
    Invariant("I8", "FencedNotInIsr", "high", "KRaft from 3.3: a broker that is fenced or shutting down is in no ISR but one of its own.",
              "A broker that nobody hears counts as in sync (KAFKA-13916): the commit point waits for it, or an election may pick it. Needs the metadata dump.", "Upgrade; until then look at `isr_spans` of the partition."),
    Invariant("I9", "ControllerEpochMonotone", "critical", "A controller epoch has one controller, and a controller's epochs only grow.",
              "Two active controllers: ZooKeeper rolled back, two ensembles, or two clusters among the files.", _EVIDENCE_FIRST),
    Invariant("I10", "NoStaleApply", "critical", "No broker takes on a leader epoch below the one it has.",
              "A broker obeyed an old controller. Lines that say a request was ignored for its epoch are this rule at work, not its breach.", _EVIDENCE_FIRST),
    Invariant("I11", "MaximalIsrSuperset", "critical", "From 2.7: a leader's high watermark is not past the log end of a member of its ISR.",
              "The high watermark moved past an in-sync replica: electing that one would lose committed records.", _COMPARE),
    Invariant("I12", "IsrHoldsCommitted", "critical", "A member of the ISR holds every committed record.",
              "A replica counts as in sync whose log ends below the high watermark (an empty or recovered disk): any later clean election of it loses records.", _LEDGER),
    Invariant("I13", "LeaderCompleteness", "critical", "A leader elected cleanly starts with every record committed before.",
              "Committed records are gone though the election was clean: a last replica came back shorter, or a log was cut to a lagging high watermark.", _LEDGER),
    Invariant("I14", "NoTruncationBelowCommit", "high", "A replica does not cut its log below its own high watermark.",
              "This replica dropped committed records; if no other holds them they are lost. Expected after an unclean election.", _LEDGER),
    Invariant("I15", "EpochFileMonotone", "medium", "Leader epochs and their start offsets grow in one leader-epoch-checkpoint.",
              "A damaged file (KAFKA-16541). A file whose entries fall is set aside when it is read; here it is told that two leader epochs start at one offset, which releases from 2.0.1 on never write.",
              "Delete the file of a follower with its broker stopped: it is made again from the log."),
    Invariant("I16", "LineageAgreement", "high", "A leader epoch starts at one offset in the files of all replicas, but for a first entry (clipped).",
              "The logs of two replicas differ in that leader epoch. `unknown` where the copy starts later: compaction does that.", _COMPARE),
    Invariant("I17", "FileMatchesLeaderLine", "medium", "A leader's checkpoint has the offset that the leader printed when its epoch began.",
              "The leader was cut and led again, or file and log are of different clusters.", _EVIDENCE_FIRST),
    Invariant("I18", "CommitMonotone", "critical", "A later leader of the same lineage does not start below what an earlier leader printed as committed.",
              "The commit point was taken back: readers saw records that are gone.", _LEDGER),
    Invariant("I19", "TenureHwmMonotone", "high", "A leader's high watermark does not fall within one tenure.",
              "A leader's log was cut, or its lines are out of order.", _EVIDENCE_FIRST),
    Invariant("I20", "Bounds", "medium", "Log start <= high watermark <= log end, in every line that tells two of them.",
              "A damaged log, or a wrongly understood line. (A follower against its leader is not compared: clocks do not carry that.)", _EVIDENCE_FIRST),
    Invariant("I21", "LogStartMonotone", "medium", "A replica's log start does not fall, unless its log is made anew.",
              "A disk was swapped or restored. `unknown` where it falls to 0: a log made anew begins there.", "Compare meta.properties and the age of the segment files."),
    Invariant("I22", "JoinRule", "high", "From 2.0.1: a replica joins the ISR only after it has reached the start of the leader's epoch.",
              "KAFKA-7128, or the replica lost its tail after it joined: an election of it would lose records.", _LEDGER),
    Invariant("I23", "ShrinkRule", "low", "A follower leaves the ISR between 1 and 1.5 times replica.lag.time.max.ms after it was last caught up (3.6 and later print it).",
              "Later: the leader itself stood still, or its shrink was refused and tried again. Earlier: the setting was changed.", "Look for a pause of the leader (F04) before the shrink."),
    Invariant("I24", "MinIsrGate", "medium", "From 3.7: the high watermark stands still while the ISR is smaller than min.insync.replicas.",
              "The setting was changed in between, or the leader runs another release than it said.", "Compare the topic's min.insync.replicas over time."),
    Invariant("I25", "AckDurability", "critical", "What was acknowledged with acks=all stays in every later leader.",
              "Acknowledged records are lost.", _LEDGER, never="no broker logs acknowledgements; only client logs would tell. What broker logs can prove is I13"),
    Invariant("I26", "ElrWellFormed", "high", "ELR and ISR have no member in common, and ELR members are replicas. (That a full ISR leaves no ELR is not checked: what min.insync.replicas was then, no line tells.)",
              "A fault of the controller.", _EVIDENCE_FIRST),
    Invariant("I27", "BrokerEpochMonotone", "high", "A broker's epochs grow with each registration.",
              "Two brokers of one id, or restored metadata.", _EVIDENCE_FIRST),
    Invariant("I28", "UncleanExclusion", "high", "A replica whose broker came back without a clean stop leaves the ISR until it has caught up, unless it is the last one.",
              "A log that may have lost its end counts as in sync (KIP-903): a later clean election of it can lose records.", _LEDGER),
    Invariant("I29", "MetadataAgreement", "critical", "What brokers apply, and what every node's metadata log holds, is the same record (KRaft).",
              "A controller lost committed metadata, or dumps of two clusters are mixed.", "Compare the dumps of all nodes around that offset."),
    Invariant("I30", "PreferredEventually", "low", "A preferred replica in the ISR leads again within the check interval, with auto rebalance on.",
              "Auto rebalance does not work or lags. Always `unknown`: in ZooKeeper mode the imbalance may be below the threshold.", "kafka-leader-election --election-type preferred"),
    Invariant("I31", "ReassignmentEnds", "low", "A reassignment ends: no replica stays adding or removing.",
              "It is not done, or stuck. `unknown` where the logs just end before it.", "kafka-reassign-partitions --verify"),
    Invariant("I32", "ConsistentRead", "critical", "An offset once committed keeps its record.",
              "Other records were committed at offsets that readers had already seen: consumers, mirrors and caches built from them disagree with the log.",
              "Reset what was built from these offsets; consumers from 2.3 on say \"Truncation detected\"."),
)  # fmt: skip

_SLACK_MS = 5_000  # scheduling, and the time in which lines of several nodes tell of one change
_ROLES = ("leader_start", "leader_transition_skipped", "follower_start", "isr_shrink", "isr_expand", "isr_updated")
_LEADERS = ("leader_start", "leader_transition_skipped", "isr_shrink")
_QUARTER_HOUR_MS = 900_000  # zones differ by multiples of it
_SHOWN = ("topic", "partition", "invariant", "verdict", "detail", "evidence")


def violations(*, events: DataFrame, sightings: DataFrame, judged: DataFrame, isrs: DataFrame, high_watermarks: DataFrame, truncations: DataFrame, sessions: DataFrame,
               processes: DataFrame, losses: DataFrame, settings: DataFrame, topic_settings: DataFrame, lives: DataFrame) -> DataFrame:  # fmt: skip
    """Every broken invariant. Returns `VIOLATIONS`.

    The frames are those of the stages of the same name; `judged` is `replay.elections.judged`, `isrs` the ISR spans with `life`.
    """
    found = (
        states_disagree(sightings),
        commits_taken_back(judged, high_watermarks, losses, lives),
        offsets_out_of_order(high_watermarks, truncations),
        tenures_broken(events, settings, topic_settings, lives),
        lineages_disagree(events, lives),
        controllers_disagree(events),
        broker_epochs_fall(sessions, events),
        unclean_members(isrs, processes),
        metadata_disagrees(events),
        never_preferred(isrs, processes, settings),
    )
    rows = found[0].select(*_SHOWN)
    for more in found[1:]:
        rows = rows.unionByName(more.select(*_SHOWN))
    severities = F.create_map(*[F.lit(part) for one in INVARIANTS for part in (one.id, one.severity)])
    once = rows.groupBy("invariant", "topic", "partition", "verdict", "detail").agg(
        F.slice(F.array_distinct(F.flatten(F.array_sort(F.collect_list("evidence")))), 1, AT_MOST).alias("evidence")
    )
    return VIOLATIONS.of(once.withColumn("severity", severities[F.col("invariant")]))


def _broken(invariant: Column | str, when: Column, told: Column, *events: Column | str, verdict: Column | str = "violated") -> Column:
    """The breach of `invariant` where `when` is true, else null; `events` are event ids or arrays of them."""
    ids = [F.col(e) if isinstance(e, str) else e for e in events]
    return F.when(
        when,
        F.struct(
            (F.lit(invariant) if isinstance(invariant, str) else invariant).alias("invariant"),
            (F.lit(verdict) if isinstance(verdict, str) else verdict).alias("verdict"),
            told.alias("detail"),
            F.filter(F.array(*ids), lambda e: e.isNotNull()).alias("evidence"),
        ),
    )


def _breaches(rows: DataFrame, *checks: Column) -> DataFrame:
    """`_SHOWN` of every check that is not null, in one pass over `rows`."""
    one = F.explode(F.filter(F.array(*checks), lambda c: c.isNotNull())).alias("_one")
    return rows.select("topic", "partition", one).select("topic", "partition", "_one.*")


def _shown(ids: Column | str) -> Column:
    ids = F.col(ids) if isinstance(ids, str) else ids
    return F.concat(F.lit("["), F.array_join(ids.cast("array<string>"), ", "), F.lit("]"))


def states_disagree(sightings: DataFrame) -> DataFrame:
    """I1-I5, I7, I26, and I29 where a record of the metadata log is one of the sides: states of a partition against themselves and each other."""
    led, members = F.col("leader_id") >= 0, F.coalesce(F.size("isr"), F.lit(0))
    told = (
        sightings.where(F.col("witness") != "intent")
        .repartition(*PARTITION_KEY)  # one shuffle for the windows below
        .groupBy(*PARTITION_KEY, "topic_id", "leader_epoch", "partition_epoch", "leader_id", "isr", "replicas", "elr")
        .agg(
            F.min_by("event_id", F.col("ts")).alias("event_id"),
            F.bool_or(F.col("witness") != "commit").alias("_own"),  # a leader that tells a commit tells no leader epoch: an earlier line does
            F.bool_or(F.col("witness") == "record").alias("_recorded"),
        )
    )
    in_leader_epoch = Window.partitionBy(*PARTITION_KEY, "leader_epoch")
    in_partition_epoch = Window.partitionBy(*PARTITION_KEY, "partition_epoch")
    earlier = Window.partitionBy(*PARTITION_KEY).orderBy("partition_epoch").rangeBetween(Window.unboundedPreceding, -1)
    own_epoch, numbered = F.when(F.col("_own"), F.col("leader_epoch")), F.col("partition_epoch").isNotNull()
    known = told.withColumns(
        {
            "_leaders": F.collect_set(F.when(led & F.col("_own"), F.col("leader_id"))).over(in_leader_epoch),
            "_first": F.min(F.when(led & F.col("_own"), F.struct("leader_id", "event_id"))).over(in_leader_epoch),
            "_ids": F.collect_set("topic_id").over(in_leader_epoch),
            "_contents": F.collect_set(F.struct(F.col("leader_id").alias("leader_id"), "isr", own_epoch.alias("leader_epoch"), "event_id")).over(in_partition_epoch),
            "_of_record": F.bool_or("_recorded").over(in_partition_epoch),
            "_before": F.max(F.when(numbered & F.col("_own"), F.struct("leader_epoch", "partition_epoch", "event_id"))).over(earlier),
        }
    )
    one_topic, sides = F.size("_ids") <= 1, F.array_sort("_contents")

    def differ(name: str) -> Column:
        return F.size(F.array_distinct(F.filter(F.transform("_contents", lambda c: c[name]), lambda v: v.isNotNull()))) > 1

    disagree = numbered & one_topic & (differ("leader_epoch") | differ("leader_id") | differ("isr"))
    contents = F.array_join(F.array_distinct(F.transform(sides, lambda c: F.format_string("leader epoch %d, leader %d, ISR %s", c["leader_epoch"], c["leader_id"], _shown(c["isr"])))), "; ")
    conflict = F.format_string("partition epoch %d has two contents: %s", "partition_epoch", contents)
    state = F.format_string("leader epoch %d: leader %d, ISR %s", "leader_epoch", "leader_id", _shown("isr"))
    before_, step = F.col("_before.leader_epoch"), numbered & F.col("_own") & one_topic
    ends = F.get(sides, F.lit(0))["event_id"], F.get(sides, F.size(sides) - 1)["event_id"]
    return _breaches(
        known,
        _broken("I1", led & F.col("_own") & one_topic & (F.size("_leaders") > 1) & (F.col("leader_id") > F.col("_first.leader_id")), F.format_string("leader epoch %d has the leaders %s", "leader_epoch", _shown(F.array_sort("_leaders"))), "_first.event_id", "event_id"),
        _broken("I2", step & (F.col("leader_epoch") < before_), F.format_string("leader epoch %d at partition epoch %d, after leader epoch %d at %d", "leader_epoch", "partition_epoch", before_, "_before.partition_epoch"), "_before.event_id", "event_id"),
        _broken(F.when(F.col("_of_record"), "I29").otherwise("I3"), disagree, conflict, *ends),
        _broken("I4", step & (F.col("leader_epoch") - before_ > F.col("partition_epoch") - F.col("_before.partition_epoch")), F.format_string("leader epoch %d -> %d while the partition epoch went %d -> %d", before_, "leader_epoch", "_before.partition_epoch", "partition_epoch"), "_before.event_id", "event_id"),
        _broken("I5", led & (members > 0) & ~F.array_contains("isr", F.col("leader_id")), F.concat(state, F.lit("; the leader is not in it")), "event_id"),
        _broken("I7", F.size(F.array_except("isr", "replicas")) > 0, F.format_string("ISR %s has brokers that are no replicas: assigned are %s", _shown("isr"), _shown("replicas")), "event_id"),
        _broken("I7", members > F.size(F.array_distinct("isr")), F.format_string("ISR %s names a broker twice", _shown("isr")), "event_id"),
        _broken("I7", F.col("isr").isNotNull() & (members == 0) & led & F.coalesce(F.size("elr") == 0, F.lit(True)), F.format_string("leader %d has an empty ISR in leader epoch %d", "leader_id", "leader_epoch"), "event_id"),
        _broken("I26", F.arrays_overlap("isr", "elr"), F.format_string("ISR %s and ELR %s have a broker in common", _shown("isr"), _shown("elr")), "event_id"),
        _broken("I26", F.size(F.array_except("elr", "replicas")) > 0, F.format_string("ELR %s has brokers that are no replicas: assigned are %s", _shown("elr"), _shown("replicas")), "event_id"),
    )  # fmt: skip


def _ends(sides: str) -> tuple[Column, ...]:
    """The events of the first and the last of several sides."""
    return F.get(F.col(sides), F.lit(0))["event_id"], F.element_at(F.col(sides), -1)["event_id"]


def commits_taken_back(judged: DataFrame, high_watermarks: DataFrame, losses: DataFrame, lives: DataFrame) -> DataFrame:
    """I6 from the elections, I13 from the loss ledger, I18 and I32 from what leaders printed, in the order of leader epochs: no clock in it.

    Leader epochs, printed high watermarks and ledger rows of a partition stand in one frame, told apart by what they hold.
    """
    at = F.struct("high_watermark", F.get("evidence", F.lit(0)).alias("event_id"))
    printed = with_life(high_watermarks.where((F.col("role") == "leader") & F.col("high_watermark").isNotNull() & F.col("leader_epoch").isNotNull()), lives)
    ledger = F.struct("from_offset", "to_offset_low", "scenario", "premise", "evidence")
    leader = F.struct("leader_id", "last_leader_id", "epoch_start_offset", "elected_from", "isr_before", "isr_before_evidence", "evidence")
    key = (*PARTITION_KEY, "leader_epoch")
    rows = (
        judged.select(*key, leader.alias("_new"))
        .unionByName(printed.select(*key, at.alias("_hw")), allowMissingColumns=True)
        .unionByName(losses.where((F.col("loss_class") == "committed") & (F.col("verdict") == "PROVEN_LOSS")).select(*key, ledger.alias("_lost")), allowMissingColumns=True)
    )
    in_order = Window.partitionBy(*PARTITION_KEY).orderBy("leader_epoch")
    unclean = is_unclean(F.col("_new.elected_from"))
    placed = rows.withColumns(
        {
            "_lineage": F.count_if(F.coalesce(unclean, F.lit(False))).over(in_order.rangeBetween(Window.unboundedPreceding, Window.currentRow)),
            "_again": F.max("_hw").over(in_order.rangeBetween(Window.currentRow, Window.unboundedFollowing)),
        }
    )
    earlier = Window.partitionBy(*PARTITION_KEY, "_lineage").orderBy("leader_epoch").rangeBetween(Window.unboundedPreceding, -1)
    known = placed.withColumn("_was", F.max("_hw").over(earlier))
    leader_id, was = F.col("_new.leader_id"), F.col("_was.high_watermark")
    not_sure = (leader_id >= 0) & (leader_id != F.col("_new.last_leader_id")) & F.col("_new.elected_from").isNull()
    from_elsewhere = F.concat(F.format_string("broker %d leads in leader epoch %d; the ISR before was ", leader_id, "leader_epoch"), _shown("_new.isr_before"))
    first, first_before, lost = F.get("_new.evidence", F.lit(0)), F.get("_new.isr_before_evidence", F.lit(0)), F.col("_lost")
    gone = F.format_string("offsets [%d, %d) were committed and are gone in leader epoch %d: %s", lost["from_offset"], lost["to_offset_low"], "leader_epoch", lost["premise"])
    proof = [F.get(lost["evidence"], F.lit(n)) for n in range(AT_MOST)]
    other = F.format_string("offsets [%d, %d) were committed before leader epoch %d and again, as other records, after it", lost["from_offset"], F.least(lost["to_offset_low"], F.col("_again.high_watermark")), "leader_epoch")
    return _breaches(
        known,
        _broken("I6", unclean, from_elsewhere, first, first_before),
        _broken("I6", not_sure, F.format_string("broker %d leads in leader epoch %d; no line tells for sure the ISR just before", leader_id, "leader_epoch"), first, verdict="unknown"),
        _broken("I13", lost["scenario"] != "S4", gone, *proof),
        _broken("I13", lost.isNotNull() & lost["scenario"].isNull(), F.concat(gone, F.lit("; whether that leader was elected cleanly no line tells")), *proof, verdict="unknown"),
        _broken("I18", (leader_id >= 0) & (F.col("_new.epoch_start_offset") < was), F.format_string("an earlier leader printed high watermark %d; broker %d leads from offset %d in leader epoch %d", was, leader_id, "_new.epoch_start_offset", "leader_epoch"), "_was.event_id", first),
        _broken("I32", F.col("_again.high_watermark") > lost["from_offset"], other, *proof[:4], "_again.event_id"),
    )  # fmt: skip


def offsets_out_of_order(high_watermarks: DataFrame, truncations: DataFrame) -> DataFrame:
    """I14, I20, I21: single replicas' offsets against each other and over time."""
    nothing = F.lit(None)
    event = F.get("evidence", F.lit(0)).alias("event_id")
    told = high_watermarks.select("topic", "partition", "node_id", "ts", "source", "high_watermark", "log_end_offset", "log_start_offset", nothing.cast("bigint").alias("truncation_offset"), event)
    cut = truncations.select("topic", "partition", "node_id", "ts", F.lit("truncation").alias("source"), "high_watermark", nothing.cast("bigint").alias("log_end_offset"),
                             nothing.cast("bigint").alias("log_start_offset"), "truncation_offset", event)  # fmt: skip
    in_time = Window.partitionBy("node_id", "topic", "partition").orderBy(F.col("ts").asc_nulls_last(), "event_id")
    start = F.when(F.col("ts").isNotNull() & F.col("log_start_offset").isNotNull(), F.struct("log_start_offset", "ts", "event_id"))
    cuts_so_far = F.max(F.when(F.col("truncation_offset").isNotNull(), F.col("ts"))).over(before(in_time))
    known = told.unionByName(cut).withColumns({"_was": F.max(start).over(before(in_time)), "_cut_ts": cuts_so_far})
    is_cut = F.col("source") == "truncation"
    hw, end, first = F.col("high_watermark"), F.col("log_end_offset"), F.col("log_start_offset")
    fell = (first < F.col("_was.log_start_offset")) & F.col("ts").isNotNull() & ~F.coalesce(F.col("_cut_ts") >= F.col("_was.ts"), F.lit(False))
    return _breaches(
        known,
        _broken("I14", is_cut & (F.col("truncation_offset") < hw), F.format_string("broker %d cut its log to %d, below its own high watermark %d", "node_id", "truncation_offset", hw), "event_id"),
        _broken("I20", ~is_cut & (hw > end), F.format_string("broker %d: high watermark %d above log end %d (%s)", "node_id", hw, end, "source"), "event_id"),
        _broken("I20", ~is_cut & (first > hw) & (hw > 0), F.format_string("broker %d: log start %d above high watermark %d (%s)", "node_id", first, hw, "source"), "event_id"),
        _broken("I20", ~is_cut & (first > end), F.format_string("broker %d: log start %d above log end %d (%s)", "node_id", first, end, "source"), "event_id"),
        _broken("I21", fell, F.format_string("broker %d: log start %d, after %d", "node_id", first, F.col("_was.log_start_offset")), F.col("_was.event_id"), F.col("event_id"),
                verdict=F.when(first == 0, "unknown").otherwise("violated")),
    )  # fmt: skip


def tenures_broken(events: DataFrame, settings: DataFrame, topic_settings: DataFrame, lives: DataFrame) -> DataFrame:
    """I10, I11, I12, I19, I22, I23, I24, I31: what brokers print of the partitions they lead and follow, in the order of their files."""
    told = events.where(F.col("kind").isin(*_ROLES) & F.col("topic").isNotNull() & F.col("node_id").isNotNull() & F.col("ts").isNotNull()).select(
        "topic", "partition", "node_id", "ts", "raw_ts", "line_number", "kind", "leader_epoch", "partition_epoch", "isr", "replicas", "high_watermark", "log_end_offset", "epoch_start_offset", "event_id",
        detail("previous_leader_epoch").try_cast("int").alias("_previous"),
        F.split(F.replace(detail("old_isr"), F.lit(" ")), ",").try_cast("array<int>").alias("_old_isr"),
        F.nullif(F.concat_ws(",", F.nullif(detail("adding_replicas"), F.lit("")), F.nullif(detail("removing_replicas"), F.lit(""))), F.lit("")).alias("_moving"),
        _out_of_sync(detail("out_of_sync_replicas")).alias("_slow"),
    )  # fmt: skip
    node = by_node_and_partition()
    tenure = F.last(F.when(F.col("kind").isin("leader_start", "follower_start"), F.struct("kind", "leader_epoch", "epoch_start_offset", "isr", "ts", "line_number", "event_id")), ignorenulls=True).over(so_far(node))
    leading = F.col("kind").isin(*_LEADERS)
    begun = F.when(F.col("kind") == "leader_start", F.struct("ts", "isr", "high_watermark", "event_id", "partition_epoch"))
    placed = with_life(told, lives).repartition("topic", "partition").withColumns({"_t": tenure, "_begun": F.min(begun).over(Window.partitionBy(*PARTITION_KEY, "leader_epoch"))})
    in_tenure = before(Window.partitionBy("node_id", "topic", "partition", "_t.ts", "_t.line_number").orderBy("ts", "line_number"))
    known = (
        placed.withColumns(
            {
                "_was": F.max(F.when(leading & F.col("high_watermark").isNotNull(), F.struct("high_watermark", "event_id"))).over(in_tenure),
                "_before": F.lag(F.struct("kind", "isr", "high_watermark", "event_id")).over(node),
                "_size": F.size(F.last(F.col("replicas"), ignorenulls=True).over(so_far(node))),
                "_last": F.lead("event_id").over(node).isNull(),
            }
        )
        .join(F.broadcast(_nodes(events, settings)), "node_id", "left")
        .join(F.broadcast(topic_settings.select("topic", "min_isr")), "topic", "left")
    )  # fmt: skip
    led = F.col("_t.kind") == "leader_start"
    shrink = F.col("kind") == "isr_shrink"
    # It may have left that ISR, and lost its tail, before it prints the line: from 3.3 on the partition epoch tells, before that a restart shows.
    still = F.coalesce(F.col("partition_epoch") == F.col("_begun.partition_epoch"), (F.col("_previous") >= 0) & (F.col("_previous") < F.col("leader_epoch")))
    behind = F.filter("_slow", lambda r: (r["log_end_offset"] >= 0) & (r["log_end_offset"] < F.col("high_watermark")))
    joined_late = F.filter(
        "_slow",
        lambda r: (r["log_end_offset"] >= 0)
        & (r["log_end_offset"] < F.col("_t.epoch_start_offset"))
        & F.array_contains("_old_isr", r["broker_id"])
        & ~F.array_contains("_t.isr", r["broker_id"]),
    )
    lags = F.transform("_slow", lambda r: _in_zone(F.unix_millis("raw_ts") - r["caught_up_ms"], F.col("lag_ms")))
    strange = F.filter(lags, lambda lag: (lag <= F.col("lag_ms") - 100) | (lag > F.col("lag_ms") * 1.5 + _SLACK_MS))
    needed = F.when(F.col("min_isr").isNotNull(), F.least(F.col("min_isr"), F.when(F.col("_size") > 0, F.col("_size"))))
    gate = (F.col("version_low") >= version_number("3.7.0")) & (F.size("_before.isr") < needed) & (F.array_sort("_old_isr") == F.array_sort("_before.isr"))
    judged = known.withColumns({"_behind": F.get(behind, F.lit(0)), "_late": F.get(joined_late, F.lit(0)), "_lag": F.get(strange, F.lit(0)).cast("long")})
    return _breaches(
        judged,
        _broken("I10", F.col("kind").isin("leader_start", "follower_start") & (F.col("_previous") > F.col("leader_epoch")),
                F.format_string("broker %d took on leader epoch %d while it had %d", "node_id", "leader_epoch", "_previous"), "event_id"),
        _broken("I11", shrink & F.col("_behind").isNotNull() & (F.col("version_low") >= version_number("2.7.0")),
                F.format_string("leader %d had high watermark %d while broker %d of its ISR had reached %d", "node_id", "high_watermark", "_behind.broker_id", "_behind.log_end_offset"), "event_id"),
        _broken("I12", (F.col("kind") == "follower_start") & still & F.array_contains("_begun.isr", F.col("node_id")) & (F.col("log_end_offset") < F.col("_begun.high_watermark")),
                F.format_string("broker %d is in the ISR with which leader epoch %d began; the leader had high watermark %d then, its own log ends at %d", "node_id", "leader_epoch", "_begun.high_watermark", "log_end_offset"), "_begun.event_id", "event_id"),
        _broken("I19", led & leading & (F.col("high_watermark") < F.col("_was.high_watermark")),
                F.format_string("leader %d in leader epoch %d: high watermark %d, after %d", "node_id", "_t.leader_epoch", "high_watermark", "_was.high_watermark"), F.col("_was.event_id"), F.col("event_id")),
        _broken("I22", shrink & led & F.col("_late").isNotNull(),
                F.format_string("broker %d joined the ISR in leader epoch %d, which starts at %d, and had only reached %d", "_late.broker_id", "_t.leader_epoch", "_t.epoch_start_offset", "_late.log_end_offset"), F.col("_t.event_id"), F.col("event_id")),
        _broken("I23", shrink & F.col("_lag").isNotNull(), F.format_string("leader %d took a follower out of the ISR %d ms after it was last caught up; replica.lag.time.max.ms is %d", "node_id", "_lag", "lag_ms"), "event_id"),
        _broken("I24", shrink & F.col("_before.kind").isin("leader_start", "leader_transition_skipped") & gate & (F.col("high_watermark") > F.col("_before.high_watermark")),
                F.format_string("leader %d: high watermark %d -> %d with ISR %s, below min.insync.replicas %d", "node_id", "_before.high_watermark", "high_watermark", _shown("_before.isr"), needed), F.col("_before.event_id"), F.col("event_id")),
        _broken("I31", F.col("_last") & leading & F.col("_moving").isNotNull(), F.format_string("replicas %s are still being moved when the files of leader %d end", "_moving", "node_id"), "event_id", verdict="unknown"),
    )  # fmt: skip


def _out_of_sync(text: Column) -> Column:
    """The replicas of a `Shrinking ISR` line: array of (broker_id, log_end_offset, caught_up_ms); null where the release prints none."""
    each = F.regexp_extract_all(text, F.lit(r"\(brokerId: \d+, endOffset: -?\d+[^)]*\)"), F.lit(0))
    return F.transform(
        each,
        lambda one: F.struct(
            F.regexp_extract(one, r"brokerId: (\d+)", 1).try_cast("int").alias("broker_id"),
            F.regexp_extract(one, r"endOffset: (-?\d+)", 1).try_cast("bigint").alias("log_end_offset"),
            F.nullif(F.regexp_extract(one, r"lastCaughtUpTimeMs: (\d{12,})", 1), F.lit("")).try_cast("bigint").alias("caught_up_ms"),
        ),
    )


def _in_zone(lag_ms: Column, around_ms: Column) -> Column:
    """A lag between a stamp without zone and a time in milliseconds since 1970, taken to the zone in which it is nearest to what is usual."""
    return lag_ms - F.round((lag_ms - around_ms * 1.25) / _QUARTER_HOUR_MS) * _QUARTER_HOUR_MS


def _nodes(events: DataFrame, settings: DataFrame) -> DataFrame:
    """`node_id, version_low, lag_ms`: the lowest release it said it runs, and replica.lag.time.max.ms where it was one value all the time."""
    parts = F.split(F.regexp_extract(F.coalesce(detail("kafka_version"), F.lit("")), r"^(\d+\.\d+(?:\.\d+)?)", 1), r"\.")
    number = F.get(parts, F.lit(0)).try_cast("int") * 10_000 + F.get(parts, F.lit(1)).try_cast("int") * 100 + F.coalesce(F.get(parts, F.lit(2)).try_cast("int"), F.lit(0))
    said = events.where((F.col("kind") == "process_version") & F.col("node_id").isNotNull()).select("node_id", number.alias("version"), F.lit(None).cast("bigint").alias("lag_ms"))
    lags = settings.where((F.col("name") == "replica.lag.time.max.ms") & F.col("node_id").isNotNull()).select("node_id", F.lit(None).cast("int").alias("version"), F.col("value").try_cast("bigint").alias("lag_ms"))
    return said.unionByName(lags).groupBy("node_id").agg(F.min("version").alias("version_low"), F.when(F.min("lag_ms") == F.max("lag_ms"), F.max("lag_ms")).alias("lag_ms"))


def lineages_disagree(events: DataFrame, lives: DataFrame) -> DataFrame:
    """I15, I16, I17: leader-epoch-checkpoint files against themselves, each other, and the lines of the leaders.

    A file's first entry is clipped to the log start, so it says nothing of where its leader epoch began (facts §1.4).
    """
    kind = F.col("kind")
    new = (kind == "leader_start") & ((F.col("leader_epoch") == 0) | ((_previous() >= 0) & (_previous() < F.col("leader_epoch"))))
    told = with_life(
        events.where(((kind == "checkpoint_leader_epoch") & ~F.col("source_file").rlike("-(?:delete|stray)/")) | new).select(
            "topic", "partition", "node_id", "ts", "kind", "source_file", "line_number", "leader_epoch", "epoch_start_offset", "event_id"
        ),
        lives,
    ).where(F.col("topic").isNotNull() & F.col("node_id").isNotNull())  # fmt: skip
    is_line = kind == "leader_start"
    in_file = Window.partitionBy(*PARTITION_KEY, "source_file", F.when(is_line, F.col("line_number"))).orderBy("line_number")
    entries = told.repartition(*PARTITION_KEY).withColumns({"_earlier": F.lag(F.struct("leader_epoch", "epoch_start_offset", "event_id")).over(in_file), "_entry": ~is_line})
    at = F.struct("epoch_start_offset", "node_id", "event_id")
    compared = entries.groupBy(*PARTITION_KEY, "leader_epoch").agg(
        F.array_sort(F.collect_set(F.when(F.col("_entry") & F.col("_earlier").isNotNull(), at))).alias("_files"),
        F.min(F.when(~F.col("_entry"), F.struct("ts", "epoch_start_offset", "node_id", "event_id"))).alias("_led"),
        F.min(F.when(F.col("_entry") & (F.col("_earlier.epoch_start_offset") == F.col("epoch_start_offset")), F.struct("_earlier", "node_id", "event_id", "epoch_start_offset"))).alias("_flat"),
    )  # fmt: skip
    own = F.get(F.filter("_files", lambda f: (f["node_id"] == F.col("_led.node_id")) & (f["epoch_start_offset"] != F.col("_led.epoch_start_offset"))), F.lit(0))
    first, last = F.get("_files", F.lit(0)), F.get("_files", F.size("_files") - 1)
    apart = (F.size("_files") > 1) & (first["epoch_start_offset"] != last["epoch_start_offset"])
    copied_late = F.coalesce(F.array_min(F.transform("_files", lambda f: f["epoch_start_offset"])) == F.col("_led.epoch_start_offset"), F.lit(False)) | F.col("_led").isNull()
    return _breaches(
        compared,
        _broken("I15", F.col("_flat").isNotNull(), F.format_string("broker %d: leader epochs %d and %d both start at offset %d", "_flat.node_id", "_flat._earlier.leader_epoch", "leader_epoch", "_flat.epoch_start_offset"),
                F.col("_flat._earlier.event_id"), F.col("_flat.event_id"), verdict="unknown"),
        _broken("I16", apart, F.format_string("leader epoch %d starts at %d on broker %d and at %d on broker %d", "leader_epoch", first["epoch_start_offset"], first["node_id"], last["epoch_start_offset"], last["node_id"]),
                first["event_id"], last["event_id"], verdict=F.when(copied_late, "unknown").otherwise("violated")),
        _broken("I17", own.isNotNull(), F.format_string("broker %d said leader epoch %d starts at %d; its leader-epoch-checkpoint says %d", "_led.node_id", "leader_epoch", "_led.epoch_start_offset", own["epoch_start_offset"]),
                F.col("_led.event_id"), own["event_id"]),
    )  # fmt: skip


def _previous() -> Column:
    return detail("previous_leader_epoch").try_cast("int")


def controllers_disagree(events: DataFrame) -> DataFrame:
    """I9: controllers of one controller epoch, and each controller's epochs in the order of its own clock; those that ZooKeeper and the quorum elected count apart."""
    kind = F.col("kind")
    claimed = events.where(kind.isin("controller_elected", "controller_failover_complete", "kraft_controller_activated")).select(
        F.coalesce("controller_id", "node_id").alias("controller_id"),
        F.coalesce("controller_epoch", detail("new_epoch").try_cast("int")).alias("controller_epoch"), "ts", "line_number", "event_id", (kind != "kraft_controller_activated").alias("_zk"),
    ).where(F.col("controller_epoch").isNotNull() & F.col("controller_id").isNotNull())  # fmt: skip
    own = Window.partitionBy("controller_id", "_zk").orderBy("ts", "line_number")
    told = claimed.withColumn("_was", F.max(F.struct("controller_epoch", "event_id")).over(before(own))).groupBy("controller_epoch", "_zk").agg(
        F.array_sort(F.collect_set("controller_id")).alias("_ids"),
        F.array_sort(F.collect_list(F.struct("controller_id", "event_id"))).alias("_sides"),
        F.min(F.when(F.col("_zk") & (F.col("_was.controller_epoch") > F.col("controller_epoch")), F.struct("controller_id", "event_id", "_was"))).alias("_fell"),
    )  # fmt: skip
    return _breaches(
        told.withColumns({"topic": F.lit(None).cast("string"), "partition": F.lit(None).cast("int")}),
        _broken("I9", F.size("_ids") > 1, F.format_string("controller epoch %d has the controllers %s", "controller_epoch", _shown("_ids")), *_ends("_sides")),
        _broken("I9", F.col("_fell").isNotNull(), F.format_string("broker %d became controller in epoch %d after epoch %d", "_fell.controller_id", "controller_epoch", "_fell._was.controller_epoch"),
                F.col("_fell._was.event_id"), F.col("_fell.event_id")),
    )  # fmt: skip


def broker_epochs_fall(sessions: DataFrame, events: DataFrame) -> DataFrame:
    """I27: a broker's epochs over its sessions; those that ZooKeeper gave and those of the metadata log count apart."""
    in_time = Window.partitionBy("broker_id", "_zk").orderBy(F.coalesce("start_ts", "end_ts"))
    by_zookeeper = events.where(F.col("kind") == "broker_registered_zk").select(F.coalesce("node_id", "broker_id").alias("broker_id"), "broker_epoch", F.lit(True).alias("_zk")).distinct()
    known = sessions.where(F.col("broker_epoch").isNotNull()).join(F.broadcast(by_zookeeper), ["broker_id", "broker_epoch"], "left").withColumn("_was", F.lag(F.struct("broker_epoch", "evidence")).over(in_time))
    return _breaches(
        known.withColumns({"topic": F.lit(None).cast("string"), "partition": F.lit(None).cast("int")}),
        _broken("I27", F.col("broker_epoch") < F.col("_was.broker_epoch"), F.format_string("broker %d registered with broker epoch %d, after %d", "broker_id", "broker_epoch", "_was.broker_epoch"),
                F.get("_was.evidence", F.lit(0)), F.get("evidence", F.lit(0))),
    )  # fmt: skip


def unclean_members(isrs: DataFrame, processes: DataFrame) -> DataFrame:
    """I28: a broker that died and found no mark of a clean stop when it came back, in an ISR of several that did not change meanwhile.

    Only where the next state carries the next partition epoch, so that no state in between has gone unseen.
    """
    came_back = processes.where(F.col("recovered_event").isNotNull() & F.col("next_start_ts").isNotNull() & F.col("ended").isin("killed", "fatal")).select(
        F.col("node_id").alias("_node"), F.col("last_ts").alias("_died_ts"), F.col("next_start_ts").alias("_back_ts"), "recovered_event"
    )
    in_order = Window.partitionBy(*PARTITION_KEY).orderBy("leader_epoch", "state_order", "start_ts")
    spans = isrs.select(*PARTITION_KEY, "leader_epoch", "state_order", "partition_epoch", "isr", "start_ts", "end_ts", "evidence").withColumns(
        {"_next_isr": F.lead("isr").over(in_order), "_next_epoch": F.lead("partition_epoch").over(in_order), "_next_evidence": F.lead("evidence").over(in_order)}
    )
    stayed = spans.join(
        F.broadcast(came_back),
        F.array_contains("isr", F.col("_node")) & (F.size("isr") > 1) & (F.col("start_ts") < F.col("_died_ts")) & (plus_millis("_back_ts", _SLACK_MS) < F.col("end_ts")),
    ).where((F.col("_next_epoch") == F.col("partition_epoch") + 1) & F.array_contains("_next_isr", F.col("_node")))
    return _breaches(
        stayed,
        _broken("I28", F.lit(True), F.format_string("broker %d died and came back without a clean stop, and stayed in ISR %s (partition epochs %d and %d)", "_node", _shown("isr"), "partition_epoch", "_next_epoch"),
                F.get("evidence", F.lit(0)), F.col("recovered_event"), F.get("_next_evidence", F.lit(0))),
    )  # fmt: skip


def metadata_disagrees(events: DataFrame) -> DataFrame:
    """I8 and I29 from `kafka-dump-log` text of the metadata log, and I29 from what voters print of lost metadata.

    Records of one offset and Raft epoch are one record; of two Raft epochs the higher stands. Registrations and ISRs are laid out by broker, in the order of the log.
    """
    kind = F.col("kind")
    in_file = Window.partitionBy("source_file").orderBy("line_number")
    told = events.where(kind.isin("dump_metadata_record", "dump_batch", "raft_hw_regressed", "raft_fetch_offset_non_monotonic")).select(
        "kind", "event_id", "message", detail("offset").try_cast("bigint").alias("metadata_offset"), detail("type").alias("type"),
        F.last(F.when(kind == "dump_batch", F.col("controller_epoch")), ignorenulls=True).over(so_far(in_file)).alias("raft_epoch"),
    ).where(kind != "dump_batch")  # fmt: skip
    spoken = F.when(kind != "dump_metadata_record", F.col("event_id"))
    side = F.struct("raft_epoch", "message", "event_id")
    by_offset = told.groupBy("metadata_offset", spoken.alias("_spoken")).agg(
        F.max(side).alias("_record"), F.array_sort(F.collect_set(side)).alias("_sides"), F.max("type").alias("type"), F.max("kind").alias("_kind")
    )
    in_epoch = F.filter("_sides", lambda s: s["raft_epoch"] == F.col("_record.raft_epoch"))
    text = F.col("_record.message")
    broker = F.regexp_extract(text, r'"(?:brokerId|id)":(\d+)', 1).try_cast("int")
    voters_may_change = F.contains(text, F.lit("when voter set membership changes"))  # KIP-853: a larger or smaller majority may be behind
    changed, registered = F.col("type") == "BROKER_REGISTRATION_CHANGE_RECORD", F.col("type") == "REGISTER_BROKER_RECORD"
    away = (
        F.when(changed & text.rlike(r'"fenced":1|"inControlledShutdown":1'), True)
        .when(changed & text.rlike(r'"fenced":-1'), False)
        .when(registered, ~text.rlike(r'"fenced":false'))
        .when(F.col("type").isin("FENCE_BROKER_RECORD", "UNFENCE_BROKER_RECORD", "UNREGISTER_BROKER_RECORD"), False)  # metadata versions before 3.3 do not count
    )
    isr = F.split(F.nullif(F.regexp_extract(text, r'"isr":\[([\d,]+)\]', 1), F.lit("")), ",").try_cast("array<int>")
    about = F.when(away.isNotNull(), F.array(broker)).when(F.col("type").isin("PARTITION_RECORD", "PARTITION_CHANGE_RECORD") & (F.size(isr) > 1), isr)
    topic_id = F.nullif(F.regexp_extract(text, r'"topicId":"([^"]+)"', 1), F.lit(""))
    name = F.when(F.col("type") == "TOPIC_RECORD", F.regexp_extract(text, r'"name":"([^"]+)"', 1))
    laid_out = by_offset.select(
        "metadata_offset", "_spoken", "_kind", "_record", "_sides", away.alias("_away"), isr.alias("isr"),
        (F.size(F.array_distinct(F.transform(in_epoch, lambda s: s["message"]))) > 1).alias("_apart"), in_epoch.alias("_same"),
        F.regexp_extract(text, r'"partitionId":(\d+)', 1).try_cast("int").alias("partition"),
        F.max(name).over(Window.partitionBy(topic_id)).alias("topic"),
        F.explode(F.coalesce(about, F.array(F.lit(-1)))).alias("broker_id"), F.coalesce(F.get(about, F.lit(0)), F.lit(-1)).alias("_first"),
    )  # fmt: skip
    in_log = Window.partitionBy("broker_id").orderBy("metadata_offset")
    known = laid_out.withColumn("_last", F.last(F.when(F.col("_away").isNotNull(), F.struct("_away", "metadata_offset", "_record.event_id")), ignorenulls=True).over(before(in_log)))
    return _breaches(
        known,
        _broken("I8", (F.col("broker_id") >= 0) & F.col("_away").isNull() & F.col("_last._away"),
                F.format_string("ISR %s written at metadata offset %d has broker %d, which is fenced or shutting down since offset %d", _shown("isr"), "metadata_offset", "broker_id", "_last.metadata_offset"), "_last.event_id", "_record.event_id"),
        _broken("I29", F.col("_spoken").isNull() & F.col("_apart") & (F.col("broker_id") == F.col("_first")), F.format_string("the metadata log has two contents at offset %d in Raft epoch %d", "metadata_offset", "_record.raft_epoch"),
                F.get("_same", F.lit(0))["event_id"], F.get("_same", F.size("_same") - 1)["event_id"]),
        _broken("I29", F.col("_spoken").isNotNull(), F.col("_record.message"), "_spoken", verdict=F.when((F.col("_kind") == "raft_hw_regressed") & ~voters_may_change, "violated").otherwise("unknown")),
    )  # fmt: skip


def never_preferred(isrs: DataFrame, processes: DataFrame, settings: DataFrame) -> DataFrame:
    """I30: ISRs that held the preferred replica for longer than the check interval (and a minute) without its leading."""
    value = F.col("value")
    known = settings.select("name", "value").unionByName(processes.select("last_ts"), allowMissingColumns=True).agg(
        F.coalesce(F.max(F.when(F.col("name") == "leader.imbalance.check.interval.seconds", value.try_cast("bigint"))), F.lit(300)).alias("_interval"),
        F.coalesce(F.min(F.when(F.col("name") == "auto.leader.rebalance.enable", value.try_cast("boolean"))), F.lit(True)).alias("_auto"),
        F.max("last_ts").alias("_last_ts"),
    )
    preferred = F.get("replicas", F.lit(0))
    waiting = isrs.where((F.col("leader_id") >= 0) & (preferred != F.col("leader_id")) & F.array_contains("isr", preferred)).crossJoin(F.broadcast(known))
    lasted = millis(F.coalesce("end_ts", "_last_ts"), "start_ts")
    return _breaches(
        waiting,
        _broken("I30", F.col("_auto") & (lasted > (F.col("_interval") + 60) * 1_000), F.format_string("broker %d, the preferred replica, was in ISR %s for %d s while broker %d led", preferred, _shown("isr"), (lasted / 1_000).cast("long"), "leader_id"),
                F.get("evidence", F.lit(0)), verdict="unknown"),
    )  # fmt: skip
