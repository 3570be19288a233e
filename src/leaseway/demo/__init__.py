"""Room `demo`: the main job in half a minute, with the commands a person would type.

Its rule: nothing is canned. Every line below a `$` is what the command printed.
"""
