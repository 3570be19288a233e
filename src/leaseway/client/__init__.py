"""Room `client`: the one way in for every face; it asks, retries what is safe to retry, and
decides nothing."""
