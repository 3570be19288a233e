"""Room `sim`: the real service, agents and rules in a world made from a seed. Chance and time are
arguments here as everywhere; the same seed gives the same world, event by event.
"""
