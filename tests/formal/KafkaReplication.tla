--------------------------- MODULE KafkaReplication ---------------------------
(* Replication of one partition as Kafka does it since KIP-101, KIP-279 and KAFKA-7128: leader epochs, the ISR, the high
   watermark, truncation by leader epoch. The controller is one atomic record of epoch, leader and ISR; how it is itself
   replicated is not part of this module. tests/formal/specification.py is the same specification in Python, action by
   action, and tests/formal/acceptor.py holds rebuilt histories against it. *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS Replicas, None, MaxEpoch, MaxLog, AllowUnclean, AllowLostTail

VARIABLES
  epoch, leader, isr,  \* what the controller has written
  ledBy,               \* ledBy[e]: the leader of epoch e
  startOf,             \* startOf[e]: the offset from which the leader of epoch e started
  up,                  \* the replicas that run
  knows,               \* knows[r]: the leader epoch in which r leads or follows, 0 before the first
  log,                 \* log[r]: the leader epoch of each record
  hw,                  \* hw[r]: the high watermark as r knows it
  committed,           \* the longest log that was ever committed
  excused              \* an unclean election or a lost tail was part of this behaviour

vars == <<epoch, leader, isr, ledBy, startOf, up, knows, log, hw, committed, excused>>

Min(a, b) == IF a < b THEN a ELSE b
Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Prefix(s, t) == Len(s) <= Len(t) /\ \A i \in 1..Len(s) : s[i] = t[i]
LastEpoch(s) == IF s = <<>> THEN 0 ELSE s[Len(s)]
EndOf(s, e) == Cardinality({i \in 1..Len(s) : s[i] <= e})   \* epochs never fall within a log
Leads(r) == knows[r] > 0 /\ ledBy[knows[r]] = r
Follows(r, l) == r # l /\ knows[r] > 0 /\ knows[l] = knows[r] /\ ledBy[knows[r]] = l /\ {r, l} \subseteq up

Init ==
  /\ epoch = 0 /\ leader = None /\ isr = Replicas /\ up = Replicas
  /\ ledBy = [e \in 1..MaxEpoch |-> None] /\ startOf = [e \in 1..MaxEpoch |-> 0]
  /\ knows = [r \in Replicas |-> 0] /\ log = [r \in Replicas |-> <<>>] /\ hw = [r \in Replicas |-> 0]
  /\ committed = <<>> /\ excused = FALSE

Controller(l, members) ==
  /\ epoch < MaxEpoch
  /\ epoch' = epoch + 1 /\ leader' = l /\ isr' = members
  /\ ledBy' = [ledBy EXCEPT ![epoch + 1] = l]

ElectClean(r) ==
  /\ r \in isr \cap up /\ Controller(r, isr \cap up)
  /\ UNCHANGED <<startOf, up, knows, log, hw, committed, excused>>

ElectUnclean(r) ==
  /\ AllowUnclean /\ isr \cap up = {} /\ r \in up /\ Controller(r, {r})
  /\ excused' = TRUE
  /\ UNCHANGED <<startOf, up, knows, log, hw, committed>>

LoseLeader ==
  /\ leader \notin up /\ leader # None /\ isr \cap up = {} /\ Controller(None, isr)
  /\ UNCHANGED <<startOf, up, knows, log, hw, committed, excused>>

BecomeLeader(r) ==   \* r learns that it leads, and from which offset
  /\ r \in up /\ leader = r /\ knows[r] < epoch
  /\ knows' = [knows EXCEPT ![r] = epoch] /\ startOf' = [startOf EXCEPT ![epoch] = Len(log[r])]
  /\ UNCHANGED <<epoch, leader, isr, ledBy, up, log, hw, committed, excused>>

BecomeFollower(r) ==
  /\ r \in up /\ leader \notin {r, None} /\ knows[r] < epoch
  /\ knows' = [knows EXCEPT ![r] = epoch]
  /\ UNCHANGED <<epoch, leader, isr, ledBy, startOf, up, log, hw, committed, excused>>

Write(r) ==          \* also by a leader that does not know yet that another leads
  /\ r \in up /\ Leads(r) /\ Len(log[r]) < MaxLog
  /\ log' = [log EXCEPT ![r] = Append(@, knows[r])]
  /\ UNCHANGED <<epoch, leader, isr, ledBy, startOf, up, knows, hw, committed, excused>>

Diverges(r, l) == EndOf(log[l], LastEpoch(log[r])) < Len(log[r])
                  \/ (log[r] # <<>> /\ ~ \E i \in 1..Len(log[l]) : log[l][i] = LastEpoch(log[r]))

Truncate(r, l) ==    \* to the end of the largest leader epoch that both know
  /\ Follows(r, l) /\ Diverges(r, l)
  /\ LET shared == {0} \cup {e \in 1..LastEpoch(log[r]) : \E i \in 1..Len(log[l]) : log[l][i] = e}
         to == Min(EndOf(log[l], Max(shared)), EndOf(log[r], Max(shared)))
     IN /\ log' = [log EXCEPT ![r] = SubSeq(@, 1, to)] /\ hw' = [hw EXCEPT ![r] = Min(@, to)]
  /\ UNCHANGED <<epoch, leader, isr, ledBy, startOf, up, knows, committed, excused>>

Fetch(r, l) ==
  /\ Follows(r, l) /\ ~Diverges(r, l) /\ Len(log[r]) < Len(log[l])
  /\ log' = [log EXCEPT ![r] = Append(@, log[l][Len(@) + 1])]
  /\ hw' = [hw EXCEPT ![r] = Min(hw[l], Len(log[r]) + 1)]
  /\ UNCHANGED <<epoch, leader, isr, ledBy, startOf, up, knows, committed, excused>>

AdvanceHighWatermark(l) ==
  /\ l \in up /\ leader = l /\ knows[l] = epoch /\ hw[l] < Len(log[l])
  /\ \A r \in isr : knows[r] = epoch /\ Len(log[r]) > hw[l] /\ (r = l \/ ~Diverges(r, l))
  /\ hw' = [hw EXCEPT ![l] = @ + 1]
  /\ committed' = IF Len(committed) > hw[l] THEN committed ELSE SubSeq(log[l], 1, hw[l] + 1)
  /\ UNCHANGED <<epoch, leader, isr, ledBy, startOf, up, knows, log, excused>>

ShrinkIsr(r) ==
  /\ leader \in up /\ knows[leader] = epoch /\ r \in isr \ {leader}
  /\ isr' = isr \ {r}
  /\ UNCHANGED <<epoch, leader, ledBy, startOf, up, knows, log, hw, committed, excused>>

ExpandIsr(r) ==      \* a member has fetched up to the high watermark and into the leader's own epoch
  /\ r \notin isr /\ leader # None /\ Follows(r, leader) /\ knows[r] = epoch /\ ~Diverges(r, leader)
  /\ Len(log[r]) >= hw[leader] /\ Len(log[r]) >= startOf[epoch]
  /\ isr' = isr \cup {r}
  /\ UNCHANGED <<epoch, leader, ledBy, startOf, up, knows, log, hw, committed, excused>>

Crash(r) == r \in up /\ up' = up \ {r}
  /\ UNCHANGED <<epoch, leader, isr, ledBy, startOf, knows, log, hw, committed, excused>>

Restart(r) == r \notin up /\ up' = up \cup {r} /\ knows' = [knows EXCEPT ![r] = 0]
  /\ UNCHANGED <<epoch, leader, isr, ledBy, startOf, log, hw, committed, excused>>

LoseTail(r) ==       \* a machine without power loses what its disk did not have
  /\ AllowLostTail /\ r \notin up /\ log[r] # <<>>
  /\ log' = [log EXCEPT ![r] = SubSeq(@, 1, Len(@) - 1)] /\ hw' = [hw EXCEPT ![r] = Min(@, Len(log[r]) - 1)]
  /\ excused' = TRUE
  /\ UNCHANGED <<epoch, leader, isr, ledBy, startOf, up, knows, committed>>

Next ==
  \/ LoseLeader
  \/ \E r \in Replicas :
       \/ ElectClean(r) \/ ElectUnclean(r) \/ BecomeLeader(r) \/ BecomeFollower(r) \/ Write(r)
       \/ AdvanceHighWatermark(r) \/ ShrinkIsr(r) \/ ExpandIsr(r) \/ Crash(r) \/ Restart(r) \/ LoseTail(r)
       \/ \E l \in Replicas : Truncate(r, l) \/ Fetch(r, l)

Spec == Init /\ [][Next]_vars

(* Invariants. *)
OneLeaderPerEpoch == leader # None => ledBy[epoch] = leader
EpochsRiseInLogs == \A r \in Replicas : \A i \in 1..Len(log[r]) - 1 : log[r][i] <= log[r][i + 1]
SameEpochSamePrefix ==   \* a leader that lost its tail and leads on in the same epoch breaks it: the search finds that
  excused \/ \A a, b \in Replicas : \A i \in 1..Min(Len(log[a]), Len(log[b])) :
    log[a][i] = log[b][i] => \A j \in 1..i : log[a][j] = log[b][j]
HighWatermarkWithinLog == \A r \in Replicas : hw[r] <= Len(log[r])
CommittedInIsr == excused \/ \A r \in isr : Prefix(committed, log[r])
CommittedInLeader == excused \/ leader = None \/ Prefix(committed, log[leader])
===============================================================================
