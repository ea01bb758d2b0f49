"""What the JVM prints of its own end, and the shell that started it, on the output that the broker's log may share; it has
neither stamp nor logger.

Sources: src/hotspot/share/utilities/debug.cpp, vmError.cpp and services/heapDumper.cpp of OpenJDK; jobs.c of bash; public samples.
"""

import re

from replay.catalogue.template import Template

# With what these lines begin; nothing of Kafka's does.
JVM_MESSAGES = (
    "Terminating due to java.lang.OutOfMemoryError",
    "Aborting due to java.lang.OutOfMemoryError",
    "Dumping heap to ",
    "Error: Exception thrown by the agent ",
    "Error: JMX connector server communication error",
    "# A fatal error has been detected by the Java Runtime Environment",
    "# There is insufficient memory for the Java Runtime Environment to continue",
)

# What a shell prints when a process that it started was killed.
SHELL_MESSAGE = re.compile(r"(?<!\S)\S++(?<=:) line \d+: +\d+ Killed\b")

TEMPLATES = (
    Template("JVM-001", "jvm_out_of_memory_exit", "FATAL", "stdout", "0.8.2-4.3.1",
             "Terminating due to java.lang.OutOfMemoryError: {reason}",
             "Terminating due to java.lang.OutOfMemoryError: Java heap space"),
    Template("JVM-002", "jvm_out_of_memory_exit", "FATAL", "stdout", "0.8.2-4.3.1",
             "Aborting due to java.lang.OutOfMemoryError: {reason}",
             "Aborting due to java.lang.OutOfMemoryError: Java heap space"),
    Template("JVM-003", "jvm_heap_dumped", "INFO", "stdout", "0.8.2-4.3.1",
             "Dumping heap to {file} ...",
             "Dumping heap to java_pid76.hprof ..."),
    Template("JVM-004", "jvm_crash_announced", "FATAL", "stdout", "0.8.2-4.3.1",
             "# A fatal error has been detected by the Java Runtime Environment:",
             "# A fatal error has been detected by the Java Runtime Environment:"),
    Template("JVM-005", "jvm_crash_announced", "FATAL", "stdout", "0.8.2-4.3.1",
             "# There is insufficient memory for the Java Runtime Environment to continue.",
             "# There is insufficient memory for the Java Runtime Environment to continue."),
    Template("JVM-006", "process_killed_told", "FATAL", "stdout", "0.8.2-4.3.1",
             "{path}: line {count}: {pid} Killed{text}",
             "/opt/kafka/bin/kafka-run-class.sh: line 309: 12345 Killed                  exec $JAVA $KAFKA_HEAP_OPTS kafka.Kafka"),
)
