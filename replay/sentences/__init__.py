"""The one room that writes sentences: tables carry a reason and its arguments, and a wording draws the text from them.

Nothing is decided by a text. A wording can be rewritten, or translated, without any verdict changing.
"""

from replay.sentences.statement import STATEMENT, Statement, said
from replay.sentences.wording import Wordings

__all__ = ["STATEMENT", "Statement", "Wordings", "said"]
