"""Leaseway runs tasks on leased machines and keeps every boundary of a lease as part of the contract."""

__version__ = "0.1.0"
