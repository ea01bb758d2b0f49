"""Whose certificate a failed TLS handshake is about: the side that prints the exception has checked that of the other."""

from __future__ import annotations

import re

from replay.reading.printed_line import Line

_ALERT = "Received fatal alert"  # the other side has checked
_ZOOKEEPER_SERVER = re.compile(
    r"zookeeper\.server\.|NettyServerCnxn|NIOServerCnxn|QuorumCnxManager|UnifiedServerSocket"
)
_ZOOKEEPER_CLIENT = re.compile(r"ClientCnxn")
_BROKER = re.compile(r"\[SocketServer |[Ff]ailed authentication with (?:channel for )?/|kafka\.network\.")


def refused_certificate(line: Line) -> dict[str, str]:
    """The side that presented the refused certificate, in words, and how to renew it; empty if the line does not show it."""
    text = f"{line.logger or ''} {line.text[:4000]}"
    if _ALERT in text:
        return {}
    if _ZOOKEEPER_SERVER.search(text):
        return {
            "presented": ": the one that a client of this ZooKeeper (a broker, an operator, a tool) presents, and ZooKeeper refuses",
            "renew": "Find who connects at this time: its own log (broker, operator) reports the failed connection. Renew the certificate in its key store and restart it; compare the clocks of both hosts too. openssl s_client shows only ZooKeeper's own certificate.",
        }
    if line.is_clients or _ZOOKEEPER_CLIENT.search(text):
        return {
            "presented": ": the one that the other side presents to this client, which refuses it",
            "renew": "Renew it on the side that this client calls (openssl s_client -connect HOST:PORT shows it) and restart that, or change a broker's key store with kafka-configs. Compare the clock of this host too.",
        }
    if _BROKER.search(text):
        return {
            "presented": ": the one that a client (or another broker) presents to this listener, which refuses it",
            "renew": "Renew it in the key store of who connects from that address. openssl s_client to this listener shows only the broker's own certificate. Compare the clock of this host too.",
        }
    return {}
