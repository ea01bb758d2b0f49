"""Answers to questions about a finished result: small frames in, lines of text and frames out. No files, no Spark,
no printing.
"""
