"""Room `coordinator`: carries requests to `decide` and what it said to the ledger. Only its service
calls `decide`, and nothing is said before it is stored."""
