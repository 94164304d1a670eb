"""Sentences and tokens: where one ends, that offsets are exact, and that nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incidents.reading.sentences import split_sentences, tokenise


def split(text: str) -> list[str]:
    return [s.text for s in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Two shells fell. Nobody was there.", 2),
        ("Was it a shell? It was!", 2),
        ("Gen. Smith came on Jan. 15 with Dr. Brown.", 1),
        ("The U.S. army left.", 1),
        ("J. Smith spoke.", 1),
        ("It happened at 7 p.m. On Monday they left.", 2),
        ("It fell at 7 p.m. near the well.", 1),
        ("The price rose by 3.5 percent.", 1),
        ('"They fled." She wept.', 2),
        ("They fled the village.None came back.", 2),
        ("Read it at example.com today.", 1),
        ("First line\nSecond line", 2),
        ("One paragraph\n\nAnother", 2),
        ("It ended… Then it began.", 2),
        ("هل سقطت القذيفة؟ نعم.", 2),
        ("", 0),
        (" \n\n \t", 0),
    ],
)
def test_sentences_are_counted_as_a_reader_would(text: str, count: int) -> None:
    assert len(split(text)) == count


def test_paragraphs_are_numbered() -> None:
    assert [s.paragraph for s in split_sentences("One. Two.\n\nThree.")] == [0, 0, 1]


def test_a_text_without_stops_is_cut_at_spaces() -> None:
    text = "word " * 5_000
    pieces = split_sentences(text)
    assert all(len(p.text) <= 2_000 for p in pieces)
    assert sum(len(p.tokens) for p in pieces) == 5_000


def test_token_at_finds_the_covering_or_the_next_token() -> None:
    (sentence,) = split_sentences("  Two   men fled")
    assert [sentence.token_at(i) for i in (0, 2, 4, 5, 8, 15, 16, 99)] == [0, 0, 0, 1, 1, 2, 3, 3]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("1,024 men", ["1,024", "men"]),
        ("22 000 men", ["22 000", "men"]),
        ("an S-300 fell", ["an", "S-300", "fell"]),
        ("the city's U.S. envoy", ["the", "city's", "U.S.", "envoy"]),
        ("at 7 a.m. today", ["at", "7", "a.m.", "today"]),
        ("on 3/4/2023", ["on", "3/4/2023"]),
        ("15th", ["15th"]),
        ("(four)", ["(", "four", ")"]),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    assert [t.text for t in tokenise(text)] == tokens


@given(st.text(alphabet=st.characters(codec=None), max_size=300), st.integers(min_value=0, max_value=50))
def test_token_spans_are_exact(text: str, offset: int) -> None:
    for token in tokenise(text, offset=offset):
        assert text[token.start - offset : token.end - offset] == token.text


@given(
    st.lists(
        st.sampled_from(["Word", " ", ".", "!", "\n", "…", '"', "5", "U.S.", "p.m.", "é", "。", "\u200f"]), max_size=80
    )
)
def test_sentences_are_in_order_and_lose_nothing(parts: list[str]) -> None:
    text = "".join(parts)
    sentences = split_sentences(text)
    end = 0
    for index, sentence in enumerate(sentences):
        assert sentence.index == index
        assert end <= sentence.start < sentence.end
        assert text[end : sentence.start].strip() == ""
        assert text[sentence.start : sentence.end] == sentence.text
        end = sentence.end
    assert text[end:].strip() == ""
