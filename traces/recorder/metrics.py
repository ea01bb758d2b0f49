"""Metrics of a recording: the JMX exporter in each broker, node_exporter beside it, and one Prometheus."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from traces.recorder.machine import GATEWAY

if TYPE_CHECKING:
    from traces.recorder.cluster import Cluster, Node

SCRAPE_S = 5
_JMX_PORT, _HOST_PORT = 9404, 9100
_AGENT = "0.20.0"
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>recorder</groupId><artifactId>agent</artifactId><version>1</version><dependencies><dependency>
<groupId>io.prometheus.jmx</groupId><artifactId>jmx_prometheus_javaagent</artifactId><version>{}</version>
</dependency></dependencies></project>"""
# The rules of Strimzi's example kafka-metrics.yaml, for the beans below.
_RULES = r"""lowercaseOutputName: true
includeObjectNames:
- kafka.server:type=KafkaRequestHandlerPool,*
- kafka.server:type=ReplicaManager,*
- kafka.server:type=BrokerTopicMetrics,*
- kafka.server:type=ReplicaFetcherManager,*
- kafka.network:type=RequestChannel,*
- kafka.network:type=SocketServer,*
- kafka.network:type=Processor,*
- kafka.network:type=RequestMetrics,request=Produce,*
- kafka.network:type=RequestMetrics,request=FetchFollower,*
- kafka.network:type=RequestMetrics,request=FetchConsumer,*
- kafka.log:type=LogFlushStats,*
- kafka.log:type=LogManager,*
- kafka.log:type=LogCleaner,*
- kafka.log:type=LogCleanerManager,*
- kafka.controller:*
rules:
- pattern: kafka.(\w+)<type=(.+), name=(.+)Percent\w*><>MeanRate
  name: kafka_$1_$2_$3_percent
  type: GAUGE
- pattern: kafka.(\w+)<type=(.+), name=(.+)Percent\w*><>Value
  name: kafka_$1_$2_$3_percent
  type: GAUGE
- pattern: kafka.(\w+)<type=(.+), name=(.+)Percent\w*, (.+)=(.+)><>Value
  name: kafka_$1_$2_$3_percent
  type: GAUGE
  labels:
    "$4": "$5"
- pattern: kafka.(\w+)<type=(.+), name=(.+)PerSec\w*, (.+)=(.+), (.+)=(.+)><>Count
  name: kafka_$1_$2_$3_total
  type: COUNTER
  labels:
    "$4": "$5"
    "$6": "$7"
- pattern: kafka.(\w+)<type=(.+), name=(.+)PerSec\w*, (.+)=(.+)><>Count
  name: kafka_$1_$2_$3_total
  type: COUNTER
  labels:
    "$4": "$5"
- pattern: kafka.(\w+)<type=(.+), name=(.+)PerSec\w*><>Count
  name: kafka_$1_$2_$3_total
  type: COUNTER
- pattern: kafka.(\w+)<type=(.+), name=(.+), (.+)=(.+)><>Value
  name: kafka_$1_$2_$3
  type: GAUGE
  labels:
    "$4": "$5"
- pattern: kafka.(\w+)<type=(.+), name=(.+)><>Value
  name: kafka_$1_$2_$3
  type: GAUGE
- pattern: kafka.(\w+)<type=(.+), name=(.+), (.+)=(.+)><>Count
  name: kafka_$1_$2_$3_count
  type: COUNTER
  labels:
    "$4": "$5"
- pattern: kafka.(\w+)<type=(.+), name=(.+), (.+)=(.+)><>(\d+)thPercentile
  name: kafka_$1_$2_$3
  type: GAUGE
  labels:
    "$4": "$5"
    quantile: "0.$6"
- pattern: kafka.(\w+)<type=(.+), name=(.+)><>Count
  name: kafka_$1_$2_$3_count
  type: COUNTER
- pattern: kafka.(\w+)<type=(.+), name=(.+)><>(\d+)thPercentile
  name: kafka_$1_$2_$3
  type: GAUGE
  labels:
    quantile: "0.$4"
"""
_PROMETHEUS = """global:
  scrape_interval: {seconds}s
  scrape_timeout: {seconds}s
scrape_configs:
- job_name: kafka
  static_configs: [{{targets: [{kafka}]}}]
- job_name: node
  static_configs: [{{targets: [{host}]}}]
"""
_COLLECTORS = ("diskstats", "filesystem", "netdev", "netstat", "meminfo", "cpu", "stat", "vmstat", "loadavg")


def missing() -> list[str]:
    """What this machine lacks for metrics, one item per line."""
    commands = {"prometheus": "prometheus", "prometheus-node-exporter": "prometheus-node-exporter"}
    return [f"the command {one} (Debian: {package})" for one, package in commands.items() if not shutil.which(one)]


def agent(cache: Path) -> Path:
    """The jar of the JMX exporter, downloaded into `cache` if it is not there."""
    folder = cache / "jmx-exporter"
    jar = folder / f"jmx_prometheus_javaagent-{_AGENT}.jar"
    if not jar.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pom.xml").write_text(_POM.format(_AGENT))
        goal = ["dependency:copy-dependencies", f"-DoutputDirectory={folder}"]
        subprocess.run(["mvn", "-q", "-B", *goal], cwd=folder, check=True)
    return jar


class Metrics:
    """The exporters of a cluster's brokers and the Prometheus that scrapes them, in the recorder's namespace."""

    def __init__(self, cluster: Cluster, jar: Path) -> None:
        self._cluster, self._jar = cluster, jar
        self._processes: list[subprocess.Popen[bytes]] = []
        self.data = cluster.work / "prometheus"
        rules = cluster.work / "jmx-exporter.yml"
        rules.write_text(_RULES)
        for node in cluster.brokers:
            node.agents = [f"-javaagent:{jar}={node.host.ip}:{_JMX_PORT}:{rules}"]

    def launch(self) -> None:
        """Starts node_exporter beside each broker, and Prometheus."""
        for node in self._cluster.brokers:
            self._run(["ip", "netns", "exec", node.host.namespace, *_node_exporter(node)])
        targets = {
            port: ", ".join(f'"{node.host.ip}:{port}"' for node in self._cluster.brokers)
            for port in (_JMX_PORT, _HOST_PORT)
        }
        settings = self._cluster.work / "prometheus.yml"
        settings.write_text(_PROMETHEUS.format(seconds=SCRAPE_S, kafka=targets[_JMX_PORT], host=targets[_HOST_PORT]))
        listen = f"--web.listen-address={GATEWAY}:9090"
        self._run(["prometheus", f"--config.file={settings}", f"--storage.tsdb.path={self.data}", listen])

    def _run(self, command: Sequence[object]) -> None:
        with open(self._cluster.work / "exporters.out", "ab") as output:
            self._processes.append(
                subprocess.Popen([str(part) for part in command], stdout=output, stderr=output, start_new_session=True)
            )

    def stop(self, to: Path) -> None:
        """Ends all processes and copies Prometheus's data: every sample with the time of its scrape."""
        time.sleep(SCRAPE_S)
        for process in self._processes:
            os.killpg(process.pid, 15)
        for process in self._processes:
            process.wait(timeout=60)
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(self.data, to)


def _node_exporter(node: Node) -> list[object]:
    """The command of node_exporter for a broker: the devices of its own namespace, and its own disk."""
    on = [f"--collector.{name}" for name in _COLLECTORS]
    disk = node.disk.device.name if node.disk else "none"
    devices = ["--collector.diskstats.device-exclude=", f"--collector.diskstats.device-include=^{disk}$"]
    listen = f"--web.listen-address={node.host.ip}:{_HOST_PORT}"
    return ["prometheus-node-exporter", "--collector.disable-defaults", *on, *devices, listen]
