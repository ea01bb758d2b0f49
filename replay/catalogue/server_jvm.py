"""What the JVM prints of its own end, and the shell that started it, on the output that the broker's log may share; it has
neither stamp nor logger.

Sources: src/hotspot/share/utilities/debug.cpp, vmError.cpp and services/heapDumper.cpp of OpenJDK; jobs.c of bash; public samples.
"""

import re

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
