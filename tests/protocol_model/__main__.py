"""Search every variant of the protocol and print what was seen."""

import argparse
import sys
import time

from .trace import story, summary
from .variants import (
    CI_SIZE,
    FENCE,
    FENCE_MUTANTS,
    FULL_SIZES,
    HOLD,
    SMALL_MUTANTS,
    SPOOL,
    Variant,
)


def search(variant: Variant, sizes: dict[str, int], quiet: bool) -> bool:
    """Search one variant; true when it broke what it should, or held."""
    started = time.monotonic()
    model = variant.model(**sizes)
    found = variant.judge(model)
    print(f"{summary(variant, found)}  ({time.monotonic() - started:.1f} s)", flush=True)
    if found.trace and not quiet:
        print(story(model, found), flush=True)
    return found.broken == variant.breaks


def main() -> int:
    """Exit 1 when a variant did not do as it must."""
    parser = argparse.ArgumentParser(prog="python -m tests.protocol_model", description=__doc__)
    parser.add_argument("--full", action="store_true", help="the larger sizes too (minutes)")
    parser.add_argument("--quiet", action="store_true", help="no traces")
    options = parser.parse_args()
    right = True
    for sizes in (CI_SIZE, *(FULL_SIZES if options.full else ())):
        print("fence at " + ", ".join(f"{name} {value}" for name, value in sizes.items()))
        for variant in (FENCE, *FENCE_MUTANTS):
            right &= search(variant, sizes, options.quiet)
    print("hold and spool")
    for variant in (HOLD, SPOOL, *SMALL_MUTANTS):
        right &= search(variant, {}, options.quiet)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
