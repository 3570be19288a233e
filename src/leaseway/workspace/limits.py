"""How much may travel at once, and the digest by which an archive is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from leaseway.core.model.units import show_bytes
from leaseway.workspace.errors import TooLarge

DIGEST = "sha256:"


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one archive: the bytes of all contents, and the number of names."""

    content_bytes: int = 512 * 1024 * 1024
    files: int = 100_000

    def check(self, sizes: Mapping[str, int]) -> None:
        """TooLarge if these names with their bytes are over."""
        if len(sizes) > self.files:
            raise TooLarge(
                f"{len(sizes)} files are more than the {self.files} that may travel", sizes.items()
            )
        held = sum(sizes.values())
        if held > self.content_bytes:
            raise TooLarge(self._over(held), sizes.items())

    def check_grown(self, held: int, sizes: Iterable[tuple[str, int]]) -> None:
        """The same for contents that were read, which may have grown meanwhile."""
        if held > self.content_bytes:
            raise TooLarge(self._over(held), sizes)

    def _over(self, held: int) -> str:
        allowed = show_bytes(self.content_bytes)
        return f"{show_bytes(held)} ({held} bytes) are more than the {allowed} that may travel"


DEFAULT_LIMITS = Limits()
