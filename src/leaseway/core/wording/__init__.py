"""Room `core.wording`: a finding in, sentences out. It decides nothing and never raises."""
