"""python -m traces.recorder SCENARIO RELEASE: records one incident."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from traces.recorder.releases import Release


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m traces.recorder", description="Records an incident of real Kafka.")
    parser.add_argument("scenario", nargs="?", help="what happens; none lists them all")
    parser.add_argument("release", nargs="?", type=Release, help="a release of Apache Kafka, such as 4.1.1")
    parser.add_argument("--out", type=Path, help="the trace's folder (default: out/SCENARIO-MODE-RELEASE)")
    parser.add_argument("--mode", choices=("zk", "kraft"), help="default: KRaft from 3.3 on")
    parser.add_argument("--to", type=Release, help="the release after a rolling upgrade")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of brokers or topics"
    )
    parser.add_argument("--feature", action="append", default=[], metavar="NAME=LEVEL", help="a KRaft feature")
    parser.add_argument("--acks", help="acks of all producers")
    parser.add_argument(
        "--producer", action="append", default=[], metavar="NAME=VALUE", help="a setting of all producers"
    )
    parser.add_argument(
        "--then",
        metavar="COMMAND",
        help="save brokers' logs before anything truncates them; at the end run COMMAND TRACE BROKERS, and count the "
        "records again",
    )
    parser.add_argument(
        "--metrics", action="store_true", help="scrape the brokers with a Prometheus, and keep its data"
    )
    parser.add_argument("--replicas", type=int, help="replicas of all topics")
    return parser


def _impossible(scenario: str, release: Release, mode: str, to: Release | None) -> str | None:
    """Why this release cannot run the scenario."""
    if mode == "zk" and release.at_least(4, 0):
        return f"Kafka {release.number} does not run with ZooKeeper. Give a release up to 3.9."
    if mode == "kraft" and not release.at_least(3, 3):
        return f"The recorder runs KRaft from 3.3 on, not in Kafka {release.number}."
    if scenario == "zookeeper_migration" and not release.at_least(3, 4):
        return f"Kafka {release.number} cannot move from ZooKeeper to KRaft. Give a release from 3.4 to 3.9."
    if scenario == "rolling_upgrade" and to is None:
        return "rolling_upgrade needs a second release: TO=4.1.1"
    return None


def main() -> None:
    """Checks what the machine has, fetches the release, and records."""
    chosen = arguments().parse_args()
    try:
        from traces.recorder import metrics
        from traces.recorder.machine import enter_namespaces, missing
        from traces.recorder.recording import Plan, record
        from traces.recorder.scenarios import SCENARIOS
    except ModuleNotFoundError as error:
        sys.exit(f"The recorder needs the Python package {error.name}: `make record` installs it.")
    scenario = SCENARIOS.get(chosen.scenario)
    if chosen.scenario and scenario is None:
        print(f"There is no scenario {chosen.scenario}.", end=" ")
    if scenario is None or chosen.release is None:
        print(
            "Scenarios:\n" + "\n".join(f"  {name:28}{one.summary.splitlines()[0]}" for name, one in SCENARIOS.items())
        )
        sys.exit(2 if chosen.scenario else 0)
    mode = chosen.mode or scenario.mode or ("kraft" if chosen.release.at_least(3, 3) else "zk")
    if reason := _impossible(chosen.scenario, chosen.release, mode, chosen.to):
        sys.exit(reason)
    lacks = missing(chosen.release, "clock_set" in scenario.roots)
    lacks += metrics.missing() if chosen.metrics else []
    if lacks:
        sys.exit("The recorder needs " + "; ".join(lacks) + ".")
    for release in filter(None, (chosen.release, chosen.to)):
        release.fetch()
    out = chosen.out or Path("out") / f"{chosen.scenario.replace('_', '-')}-{mode}-{chosen.release.number}"
    enter_namespaces([sys.executable, "-m", "traces.recorder", *sys.argv[1:]])
    settings = dict(one.split("=", 1) for one in chosen.set)
    plan = Plan(
        chosen.scenario,
        chosen.release,
        mode,
        chosen.to,
        settings,
        chosen.acks,
        chosen.replicas,
        tuple(chosen.feature),
        dict(one.split("=", 1) for one in chosen.producer),
        chosen.then,
        chosen.metrics,
    )
    incident = record(plan, out.resolve())
    print(json.dumps(incident), f"\n{out}")


if __name__ == "__main__":
    main()
