"""Leaseway runs tasks on leased machines; the bounds of a lease are part of the contract."""

__version__ = "0.1.0"
