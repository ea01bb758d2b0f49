"""Every reason that the code makes has a wording, every wording a reason; and nothing is decided by a sentence."""

from __future__ import annotations

import pytest

from pipelines.incident import stages
from pipelines.stages import Runnable
from replay.causes.rules import RULES
from replay.facts.times import first_known
from replay.facts.window import ALL_TIME
from replay.faults.kinds import KINDS
from replay.sentences import Wordings
from replay.sentences.causes import BECAUSE, LABELS
from replay.sentences.faults import HOW_IT_IS_KNOWN, UNKNOWNS
from replay.sentences.findings import EFFECTS, NOT_LOGGED, PREDICATES, SUMMARIES, TITLES
from replay.sentences.incidents import (
    AFTERWARDS,
    CONTRIBUTED,
    INCIDENT_SENTENCES,
    INCIDENT_TITLES,
    LOST,
    NEXT_STEPS,
    STILL,
    UNANSWERED,
    WHY_LOST,
)
from replay.sentences.witnesses import WITNESSED_REASONS
from replay.tables.brokers import TIMINGS
from replay.tables.causes import SEQUENCE_GAPS
from replay.tables.coverage import COVERAGE_SPANS, LIMITS
from replay.tables.partitions import LEADER_EPOCHS, TOPIC_SETTINGS
from replay.tables.questions import BLIND_SPOTS
from replay.tables.row import Row
from tests.causes.test_happenings import TOLD, of
from tests.each import for_each
from tests.sentences.calls import statements, texts_of_code
from tests.stages import made_in_driver
from tests.tables import rows

# Which wordings the statements of each room are drawn with.
DRAWN_WITH = {
    "causes/happenings.py": (LABELS,),
    "closing/": (SUMMARIES, NEXT_STEPS, STILL, UNANSWERED),
    "causes/incident_words.py": (
        INCIDENT_TITLES,
        INCIDENT_SENTENCES,
        LOST,
        WHY_LOST,
        STILL,
        UNANSWERED,
        AFTERWARDS,
        CONTRIBUTED,
    ),
    "causes/next_steps.py": (NEXT_STEPS,),
    "causes/": (TITLES, SUMMARIES, NOT_LOGGED, EFFECTS, PREDICATES),
    "faults/witnessed.py": (WITNESSED_REASONS,),
    "faults/": (HOW_IT_IS_KNOWN,),
    "facts/migration.py": (HOW_IT_IS_KNOWN,),
}
MADE = [
    (made, reason, drawn_with)
    for made in statements()
    for drawn_with in [next((w for place, w in DRAWN_WITH.items() if made.where.startswith(place)), ())]
    for reason in sorted(made.reasons)
]


def _places(wordings: Wordings, reason: str, *, optional: bool) -> set[str]:
    """The arguments that a wording names; without `optional` those without which it cannot stand."""
    parts = [part for part in wordings.parts[reason] if optional or not part.optional]
    return {segment.name for part in parts for segment in part.segments if segment.name}


def test_there_are_statements_to_look_at():
    assert len(MADE) > 80


@for_each(("made", "reason", "drawn_with"), MADE, ids=[f"{made.where} {reason}" for made, reason, _ in MADE])
def test_a_statement_has_a_wording_and_gives_what_it_names(made, reason, drawn_with):
    wordings = [w for w in drawn_with if reason in w.texts]
    assert wordings, f"{reason} has no wording"
    assert any(_places(w, reason, optional=False) <= made.arguments for w in wordings) or made.open


def test_each_place_of_a_wording_is_given_by_somebody():
    """An optional part whose argument nobody gives would never stand."""
    given: dict[str, set[str]] = {}
    open_ = {reason for made, reason, _ in MADE if made.open}
    for made, reason, _ in MADE:
        given.setdefault(reason, set()).update(made.arguments)
    for wordings in (
        LABELS,
        HOW_IT_IS_KNOWN,
        TITLES,
        EFFECTS,
        INCIDENT_TITLES,
        INCIDENT_SENTENCES,
        LOST,
        STILL,
        AFTERWARDS,
        CONTRIBUTED,
        NEXT_STEPS,
    ):
        for reason in set(wordings.texts) & set(given) - open_:
            never = _places(wordings, reason, optional=True) - given[reason]
            assert not never, f"{reason}: nobody gives {sorted(never)}"


@for_each(
    "wordings",
    [
        LABELS,
        HOW_IT_IS_KNOWN,
        UNKNOWNS,
        TITLES,
        EFFECTS,
        INCIDENT_TITLES,
        NOT_LOGGED,
        SUMMARIES,
        INCIDENT_SENTENCES,
        LOST,
        WHY_LOST,
        STILL,
        UNANSWERED,
        AFTERWARDS,
        CONTRIBUTED,
        NEXT_STEPS,
    ],
    ids=[
        "labels",
        "how it is known",
        "unknowns",
        "titles",
        "effects",
        "incidents",
        "not logged",
        "summaries",
        "told",
        "lost",
        "why lost",
        "still",
        "unanswered",
        "afterwards",
        "contributed",
        "next steps",
    ],
)
def test_each_wording_has_a_reason_that_the_code_can_make(wordings):
    made = texts_of_code()
    assert {reason for reason in wordings.texts if reason not in made} == set()


def test_no_reason_of_one_room_hides_that_of_another():
    """Wordings that are joined must not share a reason: the later one would win."""
    for joined, parts in ((SUMMARIES, (HOW_IT_IS_KNOWN, BECAUSE)), (NOT_LOGGED, (UNKNOWNS,))):
        seen = [reason for part in parts for reason in part.texts]
        assert len(seen) == len(set(seen))
        ends_with = {reason for reason in joined.texts if reason not in seen}
        made_here = (
            {reason for made, reason, drawn_with in MADE if joined in drawn_with and reason in joined.texts}
            - set(TITLES.texts)
            - set(EFFECTS.texts)
        )
        assert made_here <= ends_with, sorted(made_here - ends_with)


def test_each_rule_of_causality_has_a_wording_that_names_what_cause_and_effect_know():
    """`cause_` and `effect_` arguments are those of the labels of the two."""
    without_rank = {
        "no_controller_could_be_elected",
        "no_controller_could_fence",
        "voters_left_were_a_majority",
        "kept_from_copying",
        "named_leader_after_it_ended",
    }
    assert {rule.reason for rule in RULES} | without_rank == set(BECAUSE.texts)
    of_label: dict[str, set[str]] = {}
    for made, reason, _ in MADE:
        if made.where.startswith("causes/happenings.py"):
            of_label.setdefault(reason, set()).update(made.arguments)
    labels = {kind.name: "fault" for kind in KINDS} | {
        "detected": "session_ended",
        "controller_change": "became_controller",
        "leaderless": "without_leader",
        "election": "changed_leader",
        "unclean_election": "changed_leader",
        "isr_shrink": "isr_shrank",
        "truncation": "cut_log",
        "recovery_cut": "recovery_cut_log",
        "loss": "lost_records",
        "writes_refused": "refused_writes",
    }
    predicate = {kind.name for kind in KINDS if kind.predicate}
    for rule in RULES:
        for place in _places(BECAUSE, rule.reason, optional=False):
            side, _, name = place.partition("_")
            if place == "predicate":
                assert set(rule.causes) <= predicate, (rule.reason, set(rule.causes) - predicate)
            elif place not in ("member", "all_out", "n"):  # `Candidate`
                for kind in {"cause": rule.causes, "effect": rule.effects}[side]:
                    name_known = name in of_label[labels[kind]]
                    assert name_known, f"{rule.reason}: {kind} knows no {name}"


# One history through all the stages of causes and conclusions, once with sentences and once with the bare names of their reasons.

GIVEN = {
    "faults": "faults",
    "sessions": "recorded_sessions",
    "controllers": "controllers",
    "epochs": "leader_epochs",
    "shrinks": "isr_shrinks",
    "isrs": "committed_isrs",
    "cuts": "truncations",
    "losses": "ledger",
    "refused": "refused_writes",
}
WANTED = (
    "covered",
    "witnessed",
    "unrecognized_trouble",
    "cluster_happenings",
    "cluster_edges",
    "broker_sessions",
    "cluster_roots",
    "cluster_rivals",
    "cluster_graph",
    "lives",
    "broker_moves",
    "triggers",
    "sessions_of_brokers",
    "edges",
    "rivals",
    "all_root_spans",
    "incident_links",
    "incident_roots",
    "root_spans",
    "incident_index",
    "fault_vertices",
    "service_cluster",
    "vertices",
    "effects",
    "known_facts",
    "drawn_conclusions",
    "conclusions",
    "findings",
    "judged_incidents",
    "incidents",
)
NOTHING_OF = (
    "recorded_membership",
    "metric_statements",
    "witnesses",
    "trouble",
    "incident_harm",
    "topic_down",
    "facts",
    "fault_lines",
    "trusted",
    "coverage",
    "kafka_files",
    "releases",
    "processes",
    "settings",
    "feature_levels",
    "voter_sets",
    "node_outages",
    "isr_spans",
    "brokers_words",
    "high_watermarks",
    "deposed_leaders",
    "learnt_leader_epochs",
    "shortened_logs",
    "line_runs",
    "topic_lives",
    "role_lines",
    "fetcher_stops",
    "broker_returns",
)
# Every line of every node is there.
COVERED = "node_id | log | start_ts | end_ts | roles | complete\n" + "\n".join(
    f"{node} | {log} | 00:00:00 | 23:59:59 | {roles} | true"
    for node in range(1, 10)
    for log, roles in (("server", 0), ("controller", 0), ("state_change", 1))
)
# The leader epochs that elections begin, after those of `TOLD`.
ELECTED = """
    leader_epoch | leader_id | last_leader_id | old_leader_id | elected_from | reason   | leaderless_ms | start_ts | end_ts   | replicas | isr_before | evidence
    6            | 2         | 1              | -1            | isr          | election | 1000          | 10:00:09 | 10:00:10 | 1,2,3    | 1,2,3      | j
    7            | 3         | 2              | 2             | any_replica  | election | 0             | 10:00:10 | 10:20:10 | 1,2,3    | 2          | k
    8            | 1         | 3              | 3             | isr          | election | 0             | 10:20:10 |          | 1,2,3    | 1,3        | k2       """
SENTENCES = {
    "edges": {"because"},
    "vertices": {"label"},
    "findings": {"title", "summary", "blind_spots"},
    "incidents": {
        "title",
        "told",
        "lost_committed",
        "lost_uncommitted",
        "unanswered",
        "still",
        "afterwards",
        "contributed_to",
        "next_steps",
        "proof",
    },
}


def history() -> dict[str, list[Row]]:
    given = {stage: of(*TOLD[name]) for name, stage in GIVEN.items()}
    faults = [
        fault.but(
            reason="asked_to_move_partitions" if fault.kind == "reassigned" else "ended_without_shutdown",
            arguments={"node": "1", "at_last": "2024-05-01T10:00:00.000Z"},
            unknowns=["when_it_died"],
            confidence=0.9,
        )
        for fault in given["faults"]
    ]
    ledger = [
        loss.but(
            premise="its log ended there",
            to_offset_low=first_known(loss.to_offset_low, loss.to_offset_high)
            if loss.verdict == "PROVEN_LOSS"
            else loss.to_offset_low,
        )
        for loss in given["ledger"]
    ]
    return given | {
        "leader_epochs": [*given["leader_epochs"], *of(LEADER_EPOCHS, ELECTED)],
        "faults": faults,
        "ledger": ledger,
        "timings": rows(
            TIMINGS,
            "replica_lag_ms | broker_session_ms | zookeeper_session_ms | imbalance_check_ms\n30000 | 9000 | 18000 | 300000",
        ),
        "sequence_gaps": rows(SEQUENCE_GAPS, "topic"),
        "topic_settings": rows(TOPIC_SETTINGS, "topic | min_isr | unclean_allowed\norders | 2 | true"),
        "coverage_spans": rows(COVERAGE_SPANS, COVERED),
        "limits": rows(LIMITS, "kind | node_ids | unknown\nno_node | 1 | losses"),
        "blind_spots": rows(BLIND_SPOTS, "kind | node_id | what\nno_file | 1 | no file of node 1"),
        **{name: [] for name in NOTHING_OF},
    }


def wanted_stages() -> list[Runnable]:
    return [stage for stage in stages(with_graphframes=False) if set(WANTED).intersection(stage.names)]


def _concluded() -> dict[str, list[Row]]:
    made = made_in_driver(wanted_stages(), **history(), window=ALL_TIME)
    return {name: made[name] for name in SENTENCES}


@pytest.fixture(scope="module")
def in_sentences():
    return _concluded()


def test_no_decision_rests_on_a_sentence(in_sentences, monkeypatch):
    """Every sentence is rewritten to the name of its reason: no column but those of sentences changes."""
    monkeypatch.setattr(Wordings, "render", lambda _, reason, arguments: reason)
    for name, after in _concluded().items():
        before = in_sentences[name]
        assert len(after) == len(before) > 0

        def decided(rows, name=name):
            return sorted(repr(row.but(**dict.fromkeys(SENTENCES[name]))) for row in rows)

        assert decided(after) == decided(before), name
        drawn, shown = ([{str(getattr(row, key)) for row in of} for key in SENTENCES[name]] for of in (after, before))
        assert drawn != shown  # the sentences were rewritten indeed


def test_no_sentence_of_the_history_lacks_an_argument(in_sentences):
    """A place that nothing fills shows as `?`."""
    texts = [
        (name, str(getattr(row, key))) for name, told in in_sentences.items() for row in told for key in SENTENCES[name]
    ]
    assert [text for text in texts if "?" in text[1]] == []


def test_the_history_is_explained_to_its_first_cause(in_sentences):
    because = {
        (edge.src.split("/2024")[0], edge.dst.split("/2024")[0]): edge.because
        for edge in in_sentences["edges"]
        if edge.rank == 1
    }
    assert because["killed/1", "detected/1"].startswith("broker 1 crashed or was killed; its session ended at")
    assert because["detected/1", "leaderless/orders-0/5"] == "broker 1 led orders-0 when its session ended"
    assert (
        because["leaderless/orders-0/5", "election/orders-0/6"]
        == "orders-0 had been without a leader since leader epoch 5"
    )
    assert (
        because["election/orders-0/7", "loss/orders-0/7/committed/S4"]
        == "broker 3 leads orders-0 from a log that lacks records from 135 on, which broker 2 held"
    )
    assert because["killed/1", "controller/8"].endswith("node 2 took over")
