"""Room `wire`: the messages of the HTTP interface and the problem documents, versioned; no
behaviour beyond making them from the core's nouns."""
