"""The scenarios in which records are lost, one record each. Source: facts §3.3."""

from __future__ import annotations

from replay.codes import Code

UNKNOWN_WAY, STALE_LEADER, UNCOMMITTED_TAIL = "S0", "S7", "S10"
SCENARIOS: tuple[Code, ...] = (
    Code(UNKNOWN_WAY, "Way not known", "The lines do not show how records were lost, or whether any were."),
    Code(
        "S1",
        "High-watermark truncation (KIP-101, first scenario)",
        "A restarted follower cut to its high watermark and then led.",
    ),
    Code("S2", "Divergence (KIP-101, second scenario)", "Two replicas hold different records at the same offsets."),
    Code(
        "S3",
        "Fast double election (KIP-279)",
        "Two elections in a row left a follower with records that no leader has.",
    ),
    Code("S4", "Unclean election", "The new leader was not in the ISR and lacks what the ISR had committed."),
    Code(
        "S5", "Last replica standing (KIP-966)", "The only in-sync replica lost its page cache and came back shorter."
    ),
    Code("S6", "All replicas restarted", "Every replica lost its unflushed end at once."),
    Code(
        STALE_LEADER,
        "Stale leader",
        "A replaced leader that did not know of the election kept writing: some of the discarded records are from after the election.",
    ),
    Code("S8", "Back with an empty disk", "A broker came back without its log and was taken for in sync."),
    Code("S9", "Topic recreated", "The topic was deleted and created anew. That is no loss of the old one."),
    Code(
        UNCOMMITTED_TAIL,
        "Uncommitted tail",
        "A replaced leader held records that not all in-sync replicas had, and its successor never had them. Within the accuracy "
        "of the clocks, no line shows that it wrote any of them after the election.",
    ),
)
