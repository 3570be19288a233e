"""Room `ledger`: keeps events and current rows, durably and in one order; holds no rules."""
