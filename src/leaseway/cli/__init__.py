"""Room `cli`: one file per command; it asks the client, renders the answer and decides nothing.

Starting up is fast: nothing heavy is imported before the command that needs it runs.
"""
