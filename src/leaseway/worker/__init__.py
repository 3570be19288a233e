"""Room `worker`: carries out what the agent instructs, holds the bounds alone when nobody can be
reached, and listens on nothing but sockets inside its own spool directory.

Three kinds of processes, so that each can die without taking an attempt with it: the *daemon*
talks to the coordinator, the *spawner* owns the queue and is the second guardian, and a *keeper*
runs one attempt at a time. What they tell each other durably goes through one journal.
"""
