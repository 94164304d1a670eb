# ruff: noqa: E501 - lists of words are easier to check unbroken
"""Hostile text: no exception, exact offsets, and an end in reasonable time, whatever comes in.

Time is not measured here (`benchmarks/bench_reading.py` does); a pattern that backtracks without bound would simply
never finish on these shapes.
"""

from __future__ import annotations

import random
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from incidents.reading import Reader, Reading
from incidents.reading.normalise import clean_text
from incidents.reading.sentences import split_sentences
from incidents.report import Report

TODAY = date(2024, 3, 20)
FUZZ = settings(
    deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

ANY = st.text(alphabet=st.characters(codec=None), max_size=400)  # lone surrogates too
PIECES = st.sampled_from(
    [
        *"in at near on from to by of the a and or , . ; : - – — ( ) [ ] \" ' ’ “ ” ! ? … \n \n\n \t & &amp; &#39; < > <b> </b> <script> "
        "<!-- --> \u200b \u200f \u202e � � \x00 \ufeff \xad İ ß ﬁ 王 كلمة क 𝔸 👩\u200d👩\u200d👧 killed wounded died dead toll rose figures injured "
        "missing shelled struck missile drone strike blast fled abducted five 5 1,000 12-year-old 9999999999999 0 -1 ½ ٣ ⁵ dozens hundred "
        "thousand and-a-half between at least up to more than another including among them of whom no nobody casualties each people men "
        "women children soldiers Kyiv Kharkiv Goma Gaza Ukraine Ukrainian Kherson region district village town north km 30 said denied army "
        "police mayor Monday March 5 2024 2024-03-05 31/02/2023 yesterday overnight week earlier ago Mr John U.S. p.m. FILE KYIV (AP) film "
        "goal court earthquake could if".split(" "),
        " ",
        "  ",
        "\r\n",
        "\u2028",
        "FILE - ",
        "A-",
        "'s",
        "in the town of ",
        "30 km north of ",
        "the mayor said ",
    ]
)
SENTENCES = st.sampled_from(
    [
        "Shelling killed five people in Kharkiv on Monday. ",
        "Two more died in hospital. ",
        "In Odesa, drones wounded three. ",
        "The toll rose to 14 from nine, the mayor said. ",
        "Eight were killed in Damboa and four in Bama. ",
        "One each died in Kherson, Mykolaiv and Odesa. ",
        "The army denied the attack. ",
        "It happened near the village of Qwertyvka, 30 km north of Goma.\n\n",
        "A week earlier, gunmen abducted 30 pupils. ",
        "An earthquake killed 40 people in Herat. ",
        "Some 5,000 people fled, including 2,000 children. ",
        "Of the nine people shot, four died. ",
    ]
)


def check(reading: Reading) -> None:
    """Assert what must hold of every reading."""
    text = reading.report.text
    for incident in reading.incidents:
        assert 0 <= incident.evidence_start < incident.evidence_end <= len(text)
        assert text[incident.evidence_start : incident.evidence_end] == incident.evidence
        assert 0.0 <= incident.confidence <= 1.0
        for measure in ("killed", "injured", "missing", "civilians_killed", "children_killed", "combatants_killed"):
            low, high = getattr(incident, f"{measure}_min"), getattr(incident, f"{measure}_max")
            assert low is None or low >= 0
            assert high is None or low is None or low <= high
        assert (incident.date_start is None) == (incident.date_end is None)
        if incident.date_start is not None and incident.date_end is not None:
            assert incident.date_start <= incident.date_end
        for reason in incident.reasons:
            assert 0 <= reason.start <= reason.end <= len(text)
        for claim in incident.claims:
            assert text[claim.start : claim.end] == claim.evidence
    for mention in reading.mentions:
        assert 0 <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end] == mention.text
    end = 0
    for highlight in reading.highlights:
        assert end <= highlight.start < highlight.end <= len(text)
        end = highlight.end


def make_draw(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - makes text, no secrets


@pytest.fixture(scope="session")
def rules(reader: Reader) -> Reader:
    """Give the reader without its model: what is tried here are the rules, and they are quick."""
    return Reader(reader.gazetteer, None)


def read(reader: Reader, text: str, today: date | None = TODAY) -> Reading:
    reading = reader.read(Report("article", "fuzz", text=text, published_on=today))
    check(reading)
    return reading


@FUZZ
@given(text=ANY)
def test_any_unicode(rules: Reader, text: str) -> None:
    read(rules, text)


@FUZZ
@given(
    parts=st.lists(PIECES, max_size=80),
    glue=st.sampled_from(["", " "]),
    today=st.sampled_from([TODAY, None, date.min, date.max]),
)
def test_the_rules_own_words_in_any_order(rules: Reader, parts: list[str], glue: str, today: date | None) -> None:
    read(rules, glue.join(parts), today)


@settings(FUZZ, max_examples=40)
@given(parts=st.lists(PIECES, max_size=60))
def test_the_model_is_fed_the_same(reader: Reader, parts: list[str]) -> None:
    read(reader, " ".join(parts))


@settings(FUZZ, max_examples=60)
@given(sentences=st.lists(st.one_of(SENTENCES, ANY.filter(lambda t: len(t) < 40)), max_size=25))
def test_whole_stories_with_noise_between(rules: Reader, sentences: list[str]) -> None:
    read(rules, "".join(sentences))


@settings(FUZZ, max_examples=60)
@given(
    marks=st.lists(
        st.tuples(
            st.integers(min_value=0, max_value=60),
            st.sampled_from(["\u200b", "\u200f", "&amp;", "<i>", "\u00ad", "\ud800", "\n"]),
        ),
        max_size=12,
    )
)
def test_marks_inside_words_keep_offsets_exact(rules: Reader, marks: list[tuple[int, str]]) -> None:
    text = "Shelling killed five people in Kharkiv on Monday, police said."
    for position, mark in sorted(marks, reverse=True):
        text = text[:position] + mark + text[position:]
    read(rules, text)


# ---- long and regular -----------------------------------------------------------------------------------------------

LENGTH = 5_000  # more than two of the pieces that endless sentences are cut into
UNITS = [
    "a", "A", ".", ". ", ",", ", ", "-", "- ", '"', "'", "'s ", "(", ")", "()", "[", "<", "<a ", "<script>", "<!--", "&", "&#1", "&amp;",
    "\u200b", "\u200f\u202e", "\ud800", "\u00a0", "\n", " \n", "\n\n", "\r", "\t", "1", "1 ", "1,", "123,", "123 ", "1.", "1-", "1/", "1:",
    "A.", "U.S.", "a.m.", "_", "a-", "A-", "كلمة ", "战争在城市。", "สงคราม", "😀", "!", "?!", "…",
    "the ", "of ", "in ", "and ", "and the ", "in the town of ", "north of the ", "in the north of ", "5 km north of ", "kilometers ",
    "shelled the city of ", "on the road to ", "near the ", "from the ", "fled from ", "between ", "capital of ", ", a village ",
    "residents of ", "mayor of the city of ", "governor of ", "members of the police ", "the outskirts of ", "Kherson region ",
    "Kyiv ", "Kyiv, ", "Kyiv and ", "in Kyiv ", "Kyiv said ", "Kyiv's ", "Aba, Bama, Gwoza, ", "The Army Of ", "Ab ", "AB ", "Mr Smith ",
    "John ", "Ukrainian ", "eastern Ukraine ", "KYIV, Ukraine (AP) - ", "Kyiv, 5 May, ", "FILE - ", "\nFILE - ", "By Jane Miller\n",
    "(Reporting by ", "(AP ", "Read more\n", "killed ", "killed 5 ", "5 killed ", "5 people ", "five ", "five and ", "two men and ",
    "a hundred and ", "thousand ", "between 5 and ", "5 to ", "at least ", "at least 5 ", "or more ", "a further ", "including 5 children, ",
    "among them ", "of whom 5 ", "no ", "nobody was hurt, ", "5 casualties, four of them fatal, ", "Of the nine people shot, four died, ",
    "the toll rose to 14 from nine ", "figures ", "aged 11, ", "his ", "the people ", "himself and ", "were ", "who ", "badly ",
    "one each in Kyiv, Lviv, ", "killed four in Kyiv and ", "on March 5 ", "5-6 March ", "Monday ", "overnight ", "2020-01-01 ", "1.1.2020 ",
    "said on Monday ", "He said ", "according to ", "the army denied ", "by the ", "found bodies ", "seized ", "taken to a ", "could kill ",
    "if ", "the war, which ", "for years ", "since the ", "week-long ", "a week earlier ", "the day before ", "five killed in Kyiv;",
    "Shelling killed five people in Kherson on Monday. ", "Five were killed. ", "It was hit. ", "Shelling hit Kyiv, Lviv and Odesa. ",
    "Shelling hit the village of Qwertyvka in Abcde district.\n",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS, ids=[ascii(u)[1:-1] for u in UNITS])
def test_one_thing_over_and_over(rules: Reader, unit: str) -> None:
    read(rules, unit * (LENGTH // len(unit)))
    read(rules, "Shelling killed five in Kyiv" + unit * 100 + "and wounded two.")


@pytest.mark.parametrize("unit", [".", "!", "\n", " ", "\n ", '."', "(", "&", "<", "A", "1"])
def test_long_runs_that_end_otherwise(rules: Reader, unit: str) -> None:
    read(rules, unit * 20_000 + "z")


def test_a_million_characters_without_a_full_stop() -> None:
    for text in ("a" * 1_000_000, "word " * 200_000, "\n" * 1_000_000, "." * 1_000_000 + "a"):
        clean = clean_text(text)
        sentences = split_sentences(clean.text)
        assert all(len(s.text) <= 2_000 for s in sentences)
        assert all(clean.text[s.start : s.end] == s.text for s in sentences)


def test_a_long_text_without_a_full_stop_is_read(rules: Reader) -> None:
    reading = read(rules, "the shells fell on Kharkiv killing five people and " * 900)
    assert reading.mentions


def test_ten_thousand_numbers(rules: Reader) -> None:
    draw = make_draw(2)
    read(rules, " ".join(str(draw.randint(0, 10 ** draw.randint(1, 12))) for _ in range(10_000)))


def test_thousands_of_unknown_names(rules: Reader) -> None:
    draw = make_draw(3)
    names = [
        "".join(draw.choice("abdegiklmnorstuvz") for _ in range(draw.randint(3, 9))).capitalize() for _ in range(2_500)
    ]
    read(rules, " ".join(names))
    read(rules, "Shelling hit " + ", ".join(names))


def test_thousands_of_incidents(rules: Reader) -> None:
    draw = make_draw(4)
    towns = "Kyiv Lviv Kharkiv Odesa Kherson Gaza Aleppo Homs Mosul Goma Kabul Herat Bama Maiduguri".split()
    days = ["Monday", "Tuesday", "March 3"]
    text = " ".join(
        f"Shelling killed {draw.randint(1, 90)} people in {draw.choice(towns)} on {draw.choice(days)}."
        for _ in range(1_000)
    )
    assert len(read(rules, text).incidents) > 10


def test_markup_soup(rules: Reader) -> None:
    draw = make_draw(5)
    tags = [
        "<p>",
        "</p>",
        "<a href='x'>",
        "<script>",
        "</script>",
        "<",
        ">",
        "&lt;",
        "&#x3c;",
        "<!--",
        "-->",
        "Kyiv",
        " killed five ",
        "\n",
    ]
    read(rules, "".join(draw.choice(tags) for _ in range(8_000)))
