"""The protocol as small state machines, searched whole; less any one of its rules it must break.

One rule: nothing here imports the product. A model that shares code with what it judges proves
nothing.
"""
