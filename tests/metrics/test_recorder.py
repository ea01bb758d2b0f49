"""The recorder's metrics: the settings of the exporters, and scenarios with their calm twins."""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.glossary import glossary
from replay.metrics.names import names
from traces.recorder import metrics

RULES = metrics._RULES


def test_the_exporter_s_rules_give_names_that_have_a_meaning():
    """The rules of Strimzi for three MBeans, applied as the JMX exporter does: the first that matches counts."""
    rules = re.findall(r"- pattern: (.+)\n  name: (\S+)", RULES)
    beans = {
        "kafka.server<type=KafkaRequestHandlerPool, name=RequestHandlerAvgIdlePercent><>MeanRate": "handler_idle_since_start",
        "kafka.log<type=LogFlushStats, name=LogFlushRateAndTimeMs><>99thPercentile": "log_flush_ms",
        "kafka.server<type=ReplicaManager, name=IsrShrinksPerSec><>Count": "isr_shrinks",
    }
    known = {one.name: one.metric for one in names() if one.origin == "strimzi-rules"}
    for bean, metric in beans.items():
        pattern, name = next((p, n) for p, n in rules if re.fullmatch(p, bean))
        made = re.sub(r"\$(\d)", r"\\\1", name)
        assert known[re.sub(pattern, made, bean).lower()] == metric


def test_what_is_missing_for_metrics_is_named_with_its_package(monkeypatch):
    monkeypatch.setattr(metrics.shutil, "which", lambda command: None)
    assert metrics.missing() == [
        "the command prometheus (Debian: prometheus)",
        "the command prometheus-node-exporter (Debian: prometheus-node-exporter)",
    ]


def test_each_code_of_a_scenario_is_a_fault_that_an_analysis_can_name():
    text = (Path(metrics.__file__).parent / "scenarios.py").read_text()
    codes = set(re.findall(r'"([FS]\d\d)"', text))
    assert "F13" in codes and codes <= set(glossary().code)
