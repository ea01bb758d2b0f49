"""What each code on the page means: faults (F), rules of cause and effect (R), ways to lose records (S), invariants
(I).
"""

from __future__ import annotations

import pandas as pd

from replay.invariants.rules import INVARIANTS

FAULTS = """
F00 | Cause not found | Something changed or failed, and no line tells why.
F01 | Crash or kill | The process ended without a shutdown. A kill, a crash and a loss of power leave the same trace.
F02 | Clean shutdown | The broker moved its leaders away, wrote a clean-shutdown marker and stopped.
F03 | Rolling restart | Every broker was shut down and started again, one after the other.
F04 | Pause | The whole process froze and resumed: garbage collection, a frozen machine, a stop signal.
F05 | Cut from its peers | A broker could not reach the other brokers, but still reached the controller.
F06 | Cut from the controllers | A broker could not reach the controllers, but still reached its peers.
F07 | ZooKeeper session lost | The broker ran, and its ZooKeeper session expired.
F08 | Controller failover | Another node became the active controller.
F09 | Controller moved again and again | Several changes of controller within minutes.
F10 | Metadata quorum changed its leader | The KRaft voters elected another leader.
F11 | Metadata quorum lost | No KRaft leader could be elected, so metadata stood still.
F12 | Fenced while alive | The controller fenced a broker that still ran.
F13 | Slow follower | A follower fell behind and left ISRs, again and again.
F14 | Log directory failed | A broker could not use one of its log directories.
F15 | Disk full | A broker had no space left.
F16 | Unclean election | A replica from outside the ISR became leader; what only the ISR held is given up.
F17 | Preferred leader election | Leadership moved back to the first replica of the assignment. Routine.
F18 | Reassignment | Replicas moved to other brokers.
F19 | Topic deletion | A topic was deleted, or its deletion waits for a broker.
F20 | Too few in-sync replicas | The ISR was smaller than min.insync.replicas, so writes with acks=all were rejected.
F21 | Clock step | A clock was set, or ran apart from the others.
F22 | ISR change refused by ZooKeeper | A leader's view of the partition was stale, so it could not change the ISR.
F23 | ISR change rejected or stuck | The controller rejected an ISR change, or it got no answer.
F24 | Log recovery | After an unclean stop the broker checked its logs before it served.
F25 | Replica fetcher died | A follower stopped fetching a partition after an error.
F26 | Out of memory | Java ran out of memory; single threads may have died.
F27 | Authentication failed | Brokers could not authenticate with each other.
F28 | Metadata version changed | The protocol or metadata version of the cluster was raised.
F29 | Restart rejected | The previous session of the same broker was still active.
F30 | Election from the ELR | The leader came from the eligible leader replicas. Clean, though older logs call it unclean.
F31 | Known bug | What was seen fits a bug that is known of this release.
F32 | Metadata lag | One broker applied the cluster's metadata much later than the others.
"""
RULES = """
R1 | process stops → fetch error | A follower's connection breaks when the broker that it fetches from stops.
R2 | crash → detection | The controller removes or fences a broker whose session ended.
R3 | pause → session lost | A process that stands still loses its session and is missed by its peers.
R4 | broker lost → change of leader or ISR | The controller decides anew for every partition of that broker.
R5 | decision → request | The controller sends its decision to the replicas.
R6 | request → handled | A broker handles the request that the controller sent.
R7 | handled → leader or follower starts | A broker takes the role that the request gives it.
R8 | metadata record → leader or follower starts | A broker takes the role that a metadata record gives it.
R9 | new leader → fetcher | A follower starts to fetch from the new leader.
R10 | fetcher → truncation | A follower cuts its log to where it agrees with the leader.
R11 | truncation → high watermark falls | A cut below a replica's own high watermark lowers it.
R12 | new leader → high watermark falls | A follower takes over a lower high watermark. Harmless.
R13 | stalled follower → ISR shrinks | A leader drops a follower that is behind for replica.lag.time.max.ms.
R14 | ISR change asked → ISR change committed | The controller or ZooKeeper takes the leader's change.
R15 | ISR below the minimum → writes rejected | With acks=all a write needs min.insync.replicas in-sync replicas.
R16 | fencing → changes of partitions | The records of one controller event belong together.
R17 | registration → unfenced | A broker registers and is let in.
R18 | controller lost → new controller | Another node is elected.
R19 | new controller → old controller refused | Brokers refuse requests of an older controller epoch.
R20 | new controller → decisions | A new controller tells every broker the whole state.
R21 | directory failed → replicas offline | The controller takes the replicas of a failed directory offline.
R22 | unclean restart → shorter log leads | A broker came back with less, was elected, and the others cut their logs.
R23 | preferred replica in sync again → preferred election | Leadership moves back.
R24 | balancing → elections | One run of the balancer makes several elections.
R25 | no leader → client errors | Clients time out while a partition has no leader.
R26 | fetch timeout → candidate → quorum leader | KRaft voters elect a new leader.
R27 | quorum lost → metadata stands still | Nothing is committed while there is no majority.
R28 | reassignment → ISR and leader change | The steps of a move of replicas.
R29 | election → loss | A leader that lacks committed records makes them lost.
"""
SCENARIOS = """
S1 | High-watermark truncation (KIP-101, first scenario) | A restarted follower cut to its high watermark and then led.
S2 | Divergence (KIP-101, second scenario) | Two replicas hold different records at the same offsets.
S3 | Fast double election (KIP-279) | Two elections in a row left a follower with records that no leader has.
S4 | Unclean election | The new leader was not in the ISR and lacks what the ISR had committed.
S5 | Last replica standing (KIP-966) | The only in-sync replica lost its page cache and came back shorter.
S6 | All replicas restarted | Every replica lost its unflushed end at once.
S7 | Stale leader | A leader that was replaced and did not know it took writes that were discarded.
S8 | Back with an empty disk | A broker came back without its log and was taken for in sync.
S9 | Topic made again | The topic was deleted and created anew. That is no loss of the old one.
"""


def glossary() -> pd.DataFrame:
    """Every code with its name and what it means, in the order F, R, S, I: `code`, `name`, `means`."""
    rows = [
        [cell.strip() for cell in line.split(" | ", 2)]
        for table in (FAULTS, RULES, SCENARIOS)
        for line in table.strip().splitlines()
    ]
    rows += [[rule.id, rule.name, rule.states] for rule in INVARIANTS]
    return pd.DataFrame(rows, columns=["code", "name", "means"])
