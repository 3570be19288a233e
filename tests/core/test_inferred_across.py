"""Goal: across plans what was inferred is shared by one machine, and by no other. Method: accesses
of two tasks that declare nothing."""

from __future__ import annotations

import pytest

from leaseway.core.model.accesses import accesses_of
from leaseway.core.model.inferred import Inferred
from leaseway.core.model.plan import Archive, TaskSpec, Workspace
from leaseway.core.model.touching import meeting

TREE = Workspace(Archive("sha256:" + "0" * 64, 1), "me:/home/me/x")


def accesses(what, workdir, workspace=None, **fields):
    spec = TaskSpec("t", "cmd", inferred=(Inferred(what, "rule", writes=True),), **fields)
    return accesses_of(spec, workdir, workspace)


@pytest.mark.parametrize("workspace", [None, TREE])
def test_a_port_is_that_of_the_machine(workspace):
    one, two = accesses("port:80", "/srv/a", workspace), accesses("port:80", "/srv/b", workspace)
    assert meeting(one, two, one_machine=True) == "port:80 (inferred)"
    assert meeting(one, two, one_machine=False) is None


def test_files_and_checkouts_of_a_view_are_its_own():
    for what in ("out", "git:/home/me/x", "make:/home/me/x"):
        assert accesses(what, ".", TREE) == ()


def test_in_place_it_comes_on_top_of_unknown():
    one = accesses("/srv/shared", "/srv/a")
    assert [each.named for each in one] == ["/srv/a", "/srv/shared (inferred)"]


def test_what_is_declared_is_not_added_to():
    assert accesses("port:80", "/srv/a", reads=()) == ()
    assert accesses("port:80", "/srv/a", parallel=True) == ()
