"""`make bench`: prints where this machine stands. Ratios are taken in one run; times are noisy."""

from __future__ import annotations

import sys

from bench import checkpoints, scale, scan, sharing, tasks


def main() -> None:
    """Print every measure."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for line in (
        *tasks.report(most),
        *scale.report(most * 10),
        *sharing.report(),
        *scan.report(),
        *checkpoints.report(),
    ):
        print(line, flush=True)


if __name__ == "__main__":
    main()
