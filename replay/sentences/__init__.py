"""The sentences of the report. Tables have a reason and its arguments; a wording turns them into text.

No code bases a decision on a text, so you can rewrite or translate a wording without changing a verdict.
"""

from replay.sentences.statement import STATEMENT, Statement, statement
from replay.sentences.wording import Wordings

__all__ = ["STATEMENT", "Statement", "Wordings", "statement"]
