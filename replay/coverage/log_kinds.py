"""The kind of log that a line belongs to: by its logger, or, in a layout without loggers, by the template of its text.

Shipped configurations write `state.change.logger` to state-change.log and the controllers' loggers to controller.log.
Containers write all of them to standard output, and releases differ (facts §1.8). The name of a file therefore decides
nothing.
"""

from __future__ import annotations

import re
from functools import cache

from replay.catalogue import FILES
from replay.catalogue.template_files import templates_of

SERVER, CONTROLLER, STATE_CHANGE, OTHER = "server", "controller", "state_change", "other"
LOG_KINDS = (SERVER, CONTROLLER, STATE_CHANGE, OTHER)
_BY_LOGGER = (
    (STATE_CHANGE, re.compile(r"state\.change\.logger|s\.c\.logger")),
    (
        CONTROLLER,
        re.compile(
            r"kafka\.controller\.|org\.apache\.kafka\.controller\.|(?:k|o\.a\.k)\.controller\."
            r"|(?:KafkaController|QuorumController|ReplicationControlManager)$"
        ),
    ),
    (
        OTHER,
        re.compile(
            r"kafka\.request\.logger|kafka\.authorizer\.logger|org\.apache\.zookeeper\.server\."
            r"|(?:kafka\.log|org\.apache\.kafka\.storage\.internals\.log)\.LogCleaner"
        ),
    ),
)
_OF_FILES = {
    "state_change": STATE_CHANGE,
    "controller_zookeeper": CONTROLLER,
    "controller_kraft": CONTROLLER,
    **dict.fromkeys(("log_cleaner", "server_jvm", "zookeeper_server", "tools"), OTHER),
}


@cache
def log_of(logger: str | None, template_id: str | None) -> str:
    """The kind of log of a line with this logger; without one, of the template that it matches."""
    if logger is None:
        return _logs_of_templates().get(template_id or "", SERVER)
    return next((log for log, pattern in _BY_LOGGER if pattern.match(logger)), SERVER)


@cache
def _logs_of_templates() -> dict[str, str]:
    """The kind of log of each template, by the table of the catalogue that holds it."""
    return {template.id: _OF_FILES.get(name, SERVER) for name in FILES for template in templates_of(name)}
