"""Events as this and earlier versions stored them, one JSON line each.

A file of a released version is never changed: what it holds lies on disks. A new schema gets a new
file beside it, written by `python -m tests.ledger.golden.write PATH`.
"""
