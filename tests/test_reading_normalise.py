"""Clean text: quotes, entities, marks, furniture; and the exact way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incidents.reading.normalise import CleanText, clean_text


def squeeze(text: str) -> str:
    return " ".join(clean_text(text).text.split())


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("the city’s “old” quarter", 'the city\'s "old" quarter'),
        ("Saint‑Denis", "Saint-Denis"),
        ("five\u00a0men", "five men"),
        ("vil\u00adlage", "village"),
        ("\ufeffMen \u200bfled\u200e", "Men fled"),
        ("men &amp; women", "men & women"),
        ("five&nbsp;men", "five men"),
        ("&#8220;fled&#x201D;", '"fled"'),
        ("&unknown; stays", "&unknown; stays"),
        ("<p>Men <b>fled</b></p>", "Men fled"),
        ("Men<script>var a = 5;</script> fled", "Men fled"),
        ("Men <!-- five killed --> fled", "Men fled"),
        ("3 < 5 and 5 > 3", "3 < 5 and 5 > 3"),
        ("a\x00b", "a b"),
        ("lone \ud800 surrogate", "lone surrogate"),
    ],
)
def test_text_is_cleaned(text: str, clean: str) -> None:
    assert squeeze(text) == clean


@pytest.mark.parametrize(
    "line",
    [
        "Read more: Ten dead in old blast",
        "Related stories",
        "Advertisement",
        "Sign up for our letter",
        "By Jane Miller",
        "© 2023 The Paper",
        "Share this",
        "Watch: the blast that killed nine",
        "FILE - Smoke rises over a town, Jan. 15, 2023.",
        "FILE PHOTO: A tank in a field",
    ],
)
def test_page_furniture_is_blanked(line: str) -> None:
    assert squeeze(f"Men fled.\n{line}\nWomen fled too.") == "Men fled. Women fled too."


def test_credits_are_blanked() -> None:
    assert squeeze("Men fled. (Reporting by Jane Miller; editing by Tom Field)") == "Men fled."


def test_a_span_of_an_entity_goes_back_to_the_whole_entity() -> None:
    clean = clean_text("men &amp; women")
    at = clean.text.index("&")
    start, end = clean.to_original(at, at + 1)
    assert clean.original[start:end] == "&amp;"
    start, end = clean.to_original(clean.text.index("women"), len(clean.text))
    assert clean.original[start:end] == "women"


HOSTILE = st.lists(
    st.one_of(
        st.text(alphabet=st.characters(codec=None), max_size=8),
        st.sampled_from(
            ["&amp;", "&#39;", "&", ";", "<b>", "</b>", "<", ">", "\u200f", "\u00ad", "\n", "FILE - ", "(Reporting by "]
        ),
    ),
    max_size=30,
).map("".join)


def check_map(clean: CleanText) -> None:
    previous = 0
    for position in range(len(clean.text)):
        start, end = clean.to_original(position, position + 1)
        assert 0 <= start < end <= len(clean.original)
        assert start >= previous
        previous = start


@given(HOSTILE)
def test_the_way_back_is_in_bounds_and_in_order(text: str) -> None:
    clean = clean_text(text)
    assert clean.original == text
    check_map(clean)


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="<>&()"), max_size=200))
def test_plain_text_stays_as_it_is(text: str) -> None:
    clean = clean_text("x" + text)
    assert clean.text == "x" + text or "FILE" in text or "photo" in text.lower() or "image" in text.lower()
    assert clean.to_original(0, len(clean.text)) == (0, len(text) + 1)
