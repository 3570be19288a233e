"""Routes of the coordinator: each reads a request, asks the house, and answers with a message of
the wire; none decides."""
