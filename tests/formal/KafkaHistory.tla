----------------------------- MODULE KafkaHistory -----------------------------
(* Whether a rebuilt history is a behaviour of KafkaReplication. Each step that logs show happens in order, and silent actions
   happen between them. tests/formal/tlc.py writes the steps of one partition; TLC accepts the history if it reaches a state
   in which all steps have happened. *)
EXTENDS KafkaReplication, Integers, TLC

CONSTANT Steps
NoLeader == -1
VARIABLES at, begun   \* the step that comes next; the epochs whose leader has started

all == <<vars, at, begun>>
Shows(kind, s) == s.kind = kind
Started == {Steps[i].epoch : i \in {j \in 1..Len(Steps) : Shows("start", Steps[j])}}

Changes == LoseLeader \/ \E r \in Replicas : ElectClean(r) \/ ElectUnclean(r) \/ ShrinkIsr(r) \/ ExpandIsr(r)

ShownState(s) ==
  \/ epoch = s.epoch /\ leader = s.leader /\ (s.isr = {} \/ isr = s.isr) /\ UNCHANGED vars
  \/ epoch' = s.epoch /\ leader' = s.leader /\ (s.isr = {} \/ isr' = s.isr) /\ Changes

ShownCut(s) ==
  \/ \E l \in Replicas : Truncate(s.replica, l) /\ (s.end < 0 \/ Len(log[s.replica]) = s.end) /\ Len(log'[s.replica]) = s.offset
  \/ (s.recovery \/ s.end = s.offset) /\ Len(log[s.replica]) = s.offset /\ UNCHANGED vars

Shown(s) ==
  /\ s.down \cap up = {} /\ at' = at + 1
  /\ begun' = IF Shows("start", s) THEN begun \cup {s.epoch} ELSE begun
  /\ \/ Shows("state", s) /\ ShownState(s)
     \/ Shows("start", s) /\ epoch = s.epoch /\ BecomeLeader(s.leader) /\ Len(log[s.leader]) = s.offset
     \/ Shows("cut", s) /\ ShownCut(s)
     \/ Shows("committed", s) /\ Len(committed) >= s.offset /\ UNCHANGED vars

Silent(s) ==
  /\ UNCHANGED <<at, begun>>
  /\ \/ \E r \in s.stops : Crash(r)              \* other crashes only disable steps
     \/ \E r \in Replicas : LoseTail(r)
     \/ s.hidden /\ Changes /\ epoch' <= s.most   \* states are missing between two that are shown
     \/ \E r \in Replicas \ s.down :
          \/ Restart(r) \/ BecomeFollower(r) \/ Write(r)
          \/ Len(committed) < s.highest /\ AdvanceHighWatermark(r)   \* nothing needs a higher one
          \/ (epoch \notin Started \/ epoch \in begun) /\ BecomeLeader(r)
          \/ \E l \in Replicas \ s.down : Truncate(r, l) \/ Fetch(r, l)

HistoryInit == Init /\ at = 1 /\ begun = {} /\ TLCSet(1, 1)
HistoryNext == at <= Len(Steps) /\ (Silent(Steps[at]) \/ Shown(Steps[at]))
HistorySpec == HistoryInit /\ [][HistoryNext]_all

Furthest == TLCSet(1, IF TLCGet(1) < at THEN at ELSE TLCGet(1))   \* true; keeps the step that was reached
NotAccepted == at <= Len(Steps)
Report == PrintT(<<"furthest", TLCGet(1)>>)
===============================================================================
