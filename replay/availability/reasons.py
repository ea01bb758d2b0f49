"""All reasons for which a partition accepts no writes, with their meanings, the strongest first."""

from __future__ import annotations

CLOSED, UNKNOWN, OPEN = "closed", "unknown", "open"

REASONS: dict[str, str] = {
    "leader_dead": "the process of its leader was gone",
    "leader_frozen": "the process of its leader was frozen",
    "log_dir_offline": "its leader had lost the log directory that holds it",
    "disk_full": "its leader's disk was full",
    "no_leader": "it had no leader",
    "below_min_isr": "its ISR was smaller than min.insync.replicas",
    "waiting_for_isr_member": "a member of its ISR did not fetch, and was not dropped yet",
    "isr_member_backs_off": "a member of its ISR met an error, and let replica.fetch.backoff.ms pass before it fetched again",
    "waiting_for_dropped_replica": "its leader waited for a replica that had just left the ISR, while the broker of that lived",
    "waiting_for_next_write": "its leader had removed a member from the ISR, and 2.7 and 2.8 answer waiting writes only with the next write or fetch of new records",
    "leader_silent": "its leader fell silent, for a reason that these logs do not tell",
    "leader_cut_off": "its leader was cut off from its peers; clients may have reached it",
    "leader_deposed": "another leader was chosen, or none, while the one before may still have taken writes",
    "leader_impaired": "its leader had a fault that may have kept it from taking writes",
    "leader_not_logged": "these logs would not show whether another broker led it, or whether its leader worked",
}

NO_LEADER = "no_leader"
NOT_LOGGED = "leader_not_logged"

DEAD_LEADER = "leader_dead"
STOPS_READS = (DEAD_LEADER, "leader_frozen", "log_dir_offline", "disk_full", "no_leader", "leader_silent")
"""Nobody serves the partition then, so nobody can read it either. A directory on a full disk goes offline too."""

MAY_STOP_READS = (*STOPS_READS, "leader_cut_off", "leader_deposed", "leader_impaired")
"""Whether readers reach a leader that serves the partition is not known."""

HOLDS_HIGH_WATERMARK = (
    *("waiting_for_isr_member", "isr_member_backs_off", "waiting_for_dropped_replica"),
    "waiting_for_next_write",
)
"""The leader waits for a replica, so its high watermark stands still: consumers get no record that is stored meanwhile,
whatever acks its producer uses (facts §1.3).
"""

STORES_UNANSWERED = ("waiting_for_isr_member", "waiting_for_dropped_replica", "waiting_for_next_write")
"""The leader stores writes with acks=all, and cannot acknowledge them yet."""

RANKS = {reason: rank for rank, reason in enumerate(REASONS)}
