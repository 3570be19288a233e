"""`leaseway` and `python -m leaseway`: the command line; what a task asks takes a short way in."""

from __future__ import annotations

import sys

from leaseway.task.command import is_light, run


def main() -> None:
    """Run the command that the arguments name."""
    if is_light(sys.argv[1:]):
        sys.exit(run(sys.argv[1:]))
    from leaseway.cli.main import main as whole

    whole()


if __name__ == "__main__":
    main()
