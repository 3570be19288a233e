"""What a person did or met that ends a command: a sentence, what would mend it, an exit code.

Fault                    any of them; shown without a traceback
├── Refusal              findings: the plan was refused, or the file is wrong
└── (made by `unreachable`)   no coordinator answered at this address
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

import click

from leaseway.cli.exits import Exit

if TYPE_CHECKING:
    from leaseway.wire.findings import FindingInfo


class Fault(click.ClickException):
    """A sentence, what would mend it, and the exit code."""

    def __init__(self, sentence: str, mend: str = "", exit_code: int = Exit.USAGE) -> None:
        super().__init__(sentence)
        self.mend = mend
        self.exit_code = int(exit_code)  # type: ignore[misc]  # each fault has its own
        self.as_json = False
        self.language = "en"  # the call's, once it is over

    def show(self, file: IO[Any] | None = None) -> None:
        """On stderr; with --json one document on stdout."""
        if self.as_json:
            from leaseway.cli.answer import json_text

            click.echo(json_text(self.document()))
            return
        for line in self.lines():
            click.echo(line, file=file or sys.stderr)

    def document(self) -> dict[str, object]:
        """The same for machines."""
        said: dict[str, object] = {"sentence": self.message, "exit_code": self.exit_code}
        return {"error": {**said, "mend": self.mend} if self.mend else said}

    def lines(self) -> list[str]:
        """The same for people."""
        from leaseway.cli.paint import Tone, paint_for
        from leaseway.cli.table import paragraph

        paint = paint_for(sys.stderr)
        lines = paragraph(self.message, paint, tone=Tone.BAD)
        return lines + (paragraph(self.mend, paint, indent="  ") if self.mend else [])


class Refusal(Fault):
    """Findings that refuse. `head` stands above them and `closing` below: that nothing ran.
    `decision`: under which the coordinator keeps it, for `explain --replay`; may be empty."""

    def __init__(
        self,
        findings: Sequence[FindingInfo],
        head: str,
        closing: str = "Nothing ran.",
        exit_code: int = Exit.REFUSED,
        decision: str = "",
    ) -> None:
        from leaseway.cli.findings import cause_text

        super().__init__(head or cause_text(findings[0]), exit_code=exit_code)
        self.findings = tuple(findings)
        self.head = head
        self.closing = closing
        self.decision = decision

    def document(self) -> dict[str, object]:
        """The findings, each with its sentences."""
        said: dict[str, object] = {"sentence": self.message, "exit_code": self.exit_code}
        if self.closing:
            said["closing"] = self.closing
        if self.decision:
            said["decision"] = self.decision
        return {"error": {**said, "findings": self.findings}}

    def _closing(self) -> str:
        """That nothing ran is said in the language of the call."""
        from leaseway.core.wording.languages import catalogue_of

        said = catalogue_of("en").words.nothing_ran.strip()
        in_it = catalogue_of(self.language).words.nothing_ran.strip()
        return self.closing.replace(said, in_it)

    def lines(self) -> list[str]:
        """Head, every finding, closing."""
        from leaseway.cli.findings import finding_lines
        from leaseway.cli.paint import Tone, paint_for

        paint = paint_for(sys.stderr)
        head = [paint(self.head, Tone.STRONG), ""] if self.head else []
        closing = ["", self._closing()] if self.closing else []
        kept = [paint(self._kept(), Tone.QUIET)] if self.decision else []
        return [*head, *finding_lines(self.findings, paint, self.language), *closing, *kept]

    def _kept(self) -> str:
        """Where the whole decision can be looked at again."""
        from leaseway.cli.language import told_in

        said = "Kept as {decision}; made again with: leaseway explain --replay {decision}"
        return told_in(self.language, said, decision=self.decision)
