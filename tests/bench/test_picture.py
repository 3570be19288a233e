"""Goal: the picture puts each row where its numbers are. Method: two points, read back as XML."""

from __future__ import annotations

from xml.etree import ElementTree

from bench.evaluate.picture import Point, draw

SVG = "{http://www.w3.org/2000/svg}"


def test_more_broken_is_further_right_and_a_longer_wait_is_higher():
    drawn = draw([Point("a < b", "c", 1.0, 40.0), Point("ours", "c", 3.0, 30.0)])
    tree = ElementTree.fromstring(drawn)
    left, right = tree.findall(f"{SVG}circle")
    assert float(left.attrib["cx"]) < float(right.attrib["cx"])
    assert float(left.attrib["cy"]) < float(right.attrib["cy"])
    assert "a < b" in [text.text for text in tree.findall(f"{SVG}text")]


def test_the_same_rows_give_the_same_bytes():
    points = [Point("one", "r", 1.0, 40.0), Point("two", "", 0.0, 30.0)]
    assert draw(points) == draw(reversed(points))
