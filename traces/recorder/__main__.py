"""python -m traces.recorder SCENARIO RELEASE: records one incident."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from traces.recorder.releases import Release


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    told = argparse.ArgumentParser(prog="python -m traces.recorder", description="Records an incident of real Kafka.")
    told.add_argument("scenario", nargs="?", help="what happens; none lists them all")
    told.add_argument("release", nargs="?", type=Release, help="a release of Apache Kafka, such as 4.1.1")
    told.add_argument("--out", type=Path, help="the trace's folder (default: out/SCENARIO-MODE-RELEASE)")
    told.add_argument("--mode", choices=("zk", "kraft"), help="default: KRaft from 3.3 on")
    told.add_argument("--to", type=Release, help="the release after a rolling upgrade")
    told.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of brokers or topics")
    told.add_argument("--feature", action="append", default=[], metavar="NAME=LEVEL", help="a KRaft feature")
    told.add_argument("--acks", help="acks of all producers")
    told.add_argument("--replicas", type=int, help="replicas of all topics")
    return told


def main() -> None:
    """Checks what the machine has, fetches the release, and records."""
    asked = arguments().parse_args()
    try:
        from traces.recorder.machine import enter_namespaces, missing
        from traces.recorder.recording import Plan, record
        from traces.recorder.scenarios import SCENARIOS
    except ModuleNotFoundError as missed:
        sys.exit(f"The recorder needs the Python package {missed.name}: `make record` installs it.")
    scenario = SCENARIOS.get(asked.scenario)
    if scenario is None or asked.release is None:
        print("scenarios:\n" + "\n".join(f"  {name:28}{one.tells.splitlines()[0]}" for name, one in SCENARIOS.items()))
        sys.exit(2 if asked.scenario else 0)
    lacks = missing(asked.release, "clock_set" in scenario.roots)
    if lacks:
        sys.exit("The recorder needs " + "; ".join(lacks) + ".")
    for release in filter(None, (asked.release, asked.to)):
        release.fetch()
    mode = asked.mode or scenario.mode or ("kraft" if asked.release.at_least(3, 3) else "zk")
    out = asked.out or Path("out") / f"{asked.scenario.replace('_', '-')}-{mode}-{asked.release.number}"
    enter_namespaces([sys.executable, "-m", "traces.recorder", *sys.argv[1:]])
    settings = dict(one.split("=", 1) for one in asked.set)
    plan = Plan(
        asked.scenario, asked.release, mode, asked.to, settings, asked.acks, asked.replicas, tuple(asked.feature)
    )
    incident = record(plan, out.resolve())
    print(json.dumps(incident), f"\n{out}")


if __name__ == "__main__":
    main()
