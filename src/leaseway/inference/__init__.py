"""Room `inference`: says what a command line probably touches; always marked as inferred, never an
error. It runs nothing and looks nothing up.
"""
