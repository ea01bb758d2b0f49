"""What the JVM, and the shell that started it, print about its end. This output may share a file with the broker's
log; its lines have no timestamp and no logger.

Sources: src/hotspot/share/utilities/debug.cpp, vmError.cpp and services/heapDumper.cpp of OpenJDK; jobs.c of bash;
public samples.
"""

import re

# How these lines begin; no line of Kafka does.
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
