"""Folder `schema`: the tables as numbered SQL files, each applied once and never changed after.

`NNNN_name.sql` leads to `user_version` NNNN; numbers start at 1 and leave no gap.
"""
