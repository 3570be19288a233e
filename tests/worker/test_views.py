"""Goal: a view is whole or not there, and what is collected of it never comes from outside.
Method: trees on the disk, changed as a command would, against lists written by hand.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from leaseway.core.model.outcomes import Ending, EndKind, StopReason
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.worker import LocalGrant
from leaseway.worker.collecting import EXTRA, NAMED, RESULTS, collected
from leaseway.worker.views import NotHere, _make_inside
from leaseway.workspace.errors import BadArchive
from leaseway.workspace.unpacking import unpack
from tests.worker.shelf import Here
from tests.workspace.test_removing import deep

REF = AttemptRef("plan-1/train", 2)
WELL = Ending(EndKind.EXITED, exit_code=0)
BADLY = Ending(EndKind.EXITED, exit_code=3)


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path)


def grant(**fields) -> LocalGrant:
    return LocalGrant(REF, "true", 1, 0, 0, 0, **fields)


def made(here: Here, *layers, workdir: str | None = None) -> Path:
    here.views.make(REF, layers, here.cache, workdir)
    return here.views.path(REF)


def text_of(view: Path) -> dict[str, str]:
    return {str(p.relative_to(view)): p.read_text() for p in view.rglob("*") if p.is_file()}


def content_of(here: Here, name: str, archive) -> tuple[dict[str, str], tuple[str, ...]]:
    into = here.state / f"unpacked-{name}"
    done = unpack(here.views.about(REF) / name, into, archive.digest)
    return {each: (into / each).read_text() for each in done.manifest.entries}, done.deleted


def test_layers_lie_over_each_other(here):
    view = made(here, here.layer(a="1", d_b="1"), here.layer(d_b="2"), here.layer(c="3"))
    assert text_of(view) == {"a": "1", "d/b": "2", "c": "3"}
    assert view == here.state / "views" / "plan-1~2Ftrain.2"


@pytest.mark.parametrize("workdir", ["empty/deep", "d", ".", None])
def test_the_folder_to_run_in_is_there_though_it_was_empty(here, workdir):
    view = made(here, here.layer(d_b="1"), workdir=workdir)
    assert (view / (workdir or ".")).is_dir()
    assert text_of(view) == {"d/b": "1"}


def test_no_folder_is_made_outside_of_the_view(here, tmp_path):
    made(here, here.layer(a="1"), workdir="../out")
    view = tmp_path / "view"
    view.mkdir()
    (view / "way").symlink_to(tmp_path)
    _make_inside(view, "way/x")
    assert not (here.state / "views" / "out").exists()
    assert not (tmp_path / "x").exists()


def test_what_cannot_be_made_leaves_nothing(here):
    good, bad = here.layer(a="1"), here.layer(b="2")
    path = here.cache.get(bad.digest)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadArchive):
        made(here, good, bad)
    path.unlink()
    with pytest.raises(NotHere):
        made(here, good, bad)
    assert not here.views.is_made(REF)
    left = [str(p) for p in (here.state / "views").rglob("*") if p.is_file()]
    assert left == []


def test_results_and_extra_have_exactly_what_changed(here):
    view = made(here, here.layer(src_a="1", src_b="1", out_old="1", keep="1", gone="1"))
    (view / "out/new").write_text("2")
    (view / "out/old").unlink()
    (view / "src/a").write_text("3")
    (view / "more").mkdir()
    (view / "more/x").write_text("4")
    (view / "gone").unlink()
    ending, why = collected(grant(brings=("out",)), WELL, here.views)
    assert content_of(here, RESULTS, ending.results) == ({"out/new": "2"}, ("out/old",))
    assert content_of(here, EXTRA, ending.extra) == ({"more/x": "4", "src/a": "3"}, ("gone",))
    assert ending.undeclared == ("gone", "more/x", "src/a")
    assert ending.results is not None
    assert ending.extra is not None
    assert (ending.undeclared_count, ending.results.files, ending.extra.files) == (3, 1, 2)
    assert why == "", "it succeeded, and everything is in an archive"


def test_declared_paths_count_from_the_workdir(here):
    view = made(here, here.layer(sub_a="1"))
    (view / "out").write_text("top")
    (view / "sub/out").write_text("below")
    ending, _ = collected(grant(brings=("out",), workdir="sub"), WELL, here.views)
    assert content_of(here, RESULTS, ending.results)[0] == {"sub/out": "below"}
    assert ending.undeclared == ("out",)


def test_nothing_changed_is_no_archive(here):
    made(here, here.layer(a="1"))
    ending, why = collected(grant(brings=("a",)), WELL, here.views)
    assert (ending, why) == (WELL, "")


@pytest.mark.parametrize(
    "ending", [BADLY, Ending(EndKind.SIGNALED, signal=9, reason=StopReason.WINDOW)]
)
def test_what_did_not_succeed_is_kept(here, ending):
    view = made(here, here.layer(a="1"))
    (view / "a").write_text("half")
    found, why = collected(grant(brings=("a",)), ending, here.views)
    assert found.results is not None
    assert why == "it did not succeed"


def test_extra_is_bounded_and_the_rest_is_named(here):
    view = made(here, here.layer(a="1"))
    for number in range(NAMED + 5):
        (view / f"f{number:02}").write_text("x" * 100)
    ending, why = collected(grant(), WELL, here.views, extra_bytes=250)
    assert set(content_of(here, EXTRA, ending.extra)[0]) == {"f00", "f01"}
    assert ending.undeclared == tuple(f"f{number:02}" for number in range(NAMED))
    assert ending.undeclared_count == NAMED + 5
    assert "more beside what it declared" in why


def test_links_out_of_the_tree_are_named_and_not_followed(here):
    secret = here.state / "secret"
    secret.mkdir()
    (secret / "key").write_text("private")
    view = made(here, here.layer(out_a="1", data="1"))
    (view / "out/link").symlink_to(secret / "key")
    (view / "data").unlink()
    (view / "data").symlink_to(secret)
    (view / "inside").symlink_to("out/a")
    ending, why = collected(grant(brings=("out",)), WELL, here.views)
    assert ending.results is None
    assert "out/link: left out: it leads out of the tree" in ending.detail
    assert ending.undeclared == ("data", "inside")
    assert ending.extra is not None
    assert ending.extra.files == 1
    for name in (EXTRA, RESULTS):
        path = here.views.about(REF) / name
        assert not path.exists() or b"private" not in _inflated(path)
    assert "declared" in why


def _inflated(path: Path) -> bytes:
    import gzip

    return gzip.decompress(path.read_bytes())


@pytest.mark.parametrize("swap", ["gone", "link"])
def test_a_view_that_is_not_there_any_more(here, swap):
    view = made(here, here.layer(a="1"))
    away = here.state / "away"
    view.rename(away)
    if swap == "link":
        view.symlink_to("/etc")
    ending, why = collected(grant(brings=("a",), outputs=("a",)), WELL, here.views)
    assert (ending.results, ending.extra, ending.missing) == (None, None, ("a",))
    assert ending.detail == "its view is gone, and with it what it changed"
    assert why == ""


def test_pipes_and_folders_that_cannot_be_entered_are_removed_too(here):
    view = made(here, here.layer(a="1"))
    os.mkfifo(view / "pipe")
    (view / "shut").mkdir()
    (view / "shut/x").write_text("1")
    (view / "shut").chmod(0)
    here.views.remove(REF)
    assert list((here.state / "views").rglob("[!.]*")) == []


def test_what_a_crash_left_is_swept_and_what_is_kept_stays(here):
    refs = [AttemptRef(name, 1) for name in ("live", "kept", "settled")]
    tree = here.layer(a="1")
    for ref in refs:
        here.views.make(ref, [tree], here.cache)
    here.views.keep(refs[1], "it did not succeed")
    (here.state / "views/.making/half").mkdir(parents=True)
    kept = here.views.sweep([refs[0]])
    assert [(note.ref, note.bytes) for note in kept] == [(refs[1], 1)]
    assert [here.views.is_made(ref) for ref in refs] == [True, True, False]
    assert not (here.state / "views/.making").exists()


def test_what_another_spool_made_is_left_alone(here):
    made(here, here.layer(a="1"))
    (here.views.about(REF) / "spool").write_text("another")
    assert here.views.sweep([]) == []
    assert here.views.is_made(REF)


@pytest.mark.parametrize(("levels", "name"), [(1_500, "d"), (90, "d" * 60)])
def test_a_folder_too_deep_ends_nothing(here, levels, name):
    """1,500 levels are more than the stack has, 90 of 60 letters more than a path may have."""
    view = made(here, here.layer(a="1"))
    (view / "a").write_text("22")
    deep(view / "deep", levels, name)
    found, why = collected(grant(brings=("a",)), BADLY, here.views)
    assert found.results is not None
    assert content_of(here, RESULTS, found.results)[0] == {"a": "22"}
    here.views.keep(REF, why)
    note = here.views.kept(REF)
    assert note is not None
    here.views.remove(REF)
    assert not view.exists()
    assert list((here.state / "views/.gone").iterdir()) == []


def test_an_output_that_no_tree_holds_is_told(here):
    view = made(here, here.layer(a="1"))
    (view / ".git/hooks").mkdir(parents=True)
    (view / ".git/hooks/x").write_text("evil")
    ending, why = collected(grant(outputs=("./.git/hooks/x", "a")), WELL, here.views)
    assert ending.results is None
    assert ending.detail.startswith("./.git/hooks/x: left out: git or Leaseway")
    assert why == "not all that it declared could be brought back"
