"""Room `workspace`: packs, unpacks and compares file trees; knows nothing of plans, workers or
coordinators.

A tree travels as files, symbolic links and empty folders. A folder that holds something comes into
being with what lies in it; owners, times of folders and permissions other than the owner's x bit
do not travel. From a git checkout no empty folder travels, since git knows none.
"""
