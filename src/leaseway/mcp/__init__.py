"""Room `mcp`, the agent's door: says in tools what the client can do, warns before harm, decides
nothing."""
