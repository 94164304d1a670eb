"""The reader as a whole, on short invented reports: what is an incident, where, when, how many, and why."""

from __future__ import annotations

from datetime import date

import pytest

from incidents.reading import Reader, ReadIncident, Reading
from incidents.report import Report

TODAY = date(2024, 3, 20)  # a Wednesday


def read(reader: Reader, text: str, today: date | None = TODAY) -> Reading:
    return reader.read(Report("article", "r1", text=text, published_on=today))


def only(reading: Reading) -> ReadIncident:
    (incident,) = reading.incidents
    return incident


# ---- one incident ---------------------------------------------------------------------------------------------------


def test_place_type_day_and_toll_of_one_sentence(reader: Reader) -> None:
    incident = only(read(reader, "Shelling killed three people in Kharkiv on Monday."))
    assert (incident.type, incident.place, incident.precision) == ("shelling", "Kharkiv", "settlement")
    assert (incident.date_start, incident.date_end, incident.date_precision) == (date(2024, 3, 18),) * 2 + ("day",)
    assert (incident.killed_min, incident.killed_max, incident.injured_min) == (3, 3, None)
    assert incident.mention is not None
    assert incident.mention.resolution.best is not None
    assert incident.mention.resolution.best.place.country == "UA"


def test_one_event_told_in_several_sentences_is_one(reader: Reader) -> None:
    text = "Gunmen killed four people in Goma on Tuesday, police said. The attackers fled. Two more died in hospital."
    incident = only(read(reader, text))
    assert (incident.type, incident.killed_min, incident.killed_max) == ("shooting", 6, 6)


def test_the_latest_toll_stands(reader: Reader) -> None:
    text = "A market bombing in Baghdad killed nine on Monday. The toll rose to 14 from nine, a doctor said."
    assert only(read(reader, text)).killed_max == 14


def test_sources_that_differ_make_a_range_and_a_dispute(reader: Reader) -> None:
    text = "Police said 12 died in the blast in Kabul on Monday, but a hospital source put the number at 15."
    incident = only(read(reader, text))
    assert (incident.killed_min, incident.killed_max, incident.contested) == (12, 15, True)


def test_open_ends_and_vague_words(reader: Reader) -> None:
    incident = only(read(reader, "Two bombs exploded in Kabul on Monday, killing at least 10 and wounding dozens."))
    assert (incident.killed_min, incident.killed_max) == (10, None)
    assert (incident.injured_min, incident.injured_max) == (24, None)


def test_people_driven_out_are_no_casualties(reader: Reader) -> None:
    incident = only(read(reader, "Some 5,000 people fled Goma on Monday after shelling."))
    assert (incident.type, incident.other_affected, incident.other_affected_kind) == (
        "displacement",
        5_000,
        "displaced",
    )
    assert incident.killed_min is None
    assert incident.injured_min is None


def test_abducted_people_are_no_casualties(reader: Reader) -> None:
    incident = only(read(reader, "Gunmen abducted 30 pupils from a school in Kaduna on Monday."))
    assert (incident.type, incident.other_affected, incident.other_affected_kind) == ("abduction", 30, "abducted")
    assert incident.place_detail == "school"


def test_a_denial_is_kept_beside_the_claim(reader: Reader) -> None:
    text = "The rebels blamed the army for a strike that killed six in Goma on Monday. The army denied the attack."
    incident = only(read(reader, text))
    assert incident.contested
    assert [who.lower().removeprefix("the ") for who in incident.denied_by] == ["army"]


# ---- several incidents ----------------------------------------------------------------------------------------------


def test_several_towns_with_their_own_tolls_are_several(reader: Reader) -> None:
    text = "A missile hit a school in Kharkiv on Monday, killing two. In Odesa, drones wounded five people."
    found = [(i.place, i.type, i.killed_min, i.injured_min) for i in read(reader, text).incidents]
    assert found == [("Kharkiv", "missile_strike", 2, None), ("Odesa", "drone_strike", None, 5)]


def test_two_places_share_one_sentence(reader: Reader) -> None:
    text = "Eight people were killed in Damboa and four in Bama, Nigeria, when gunmen stormed both towns on Sunday."
    found = [(i.place, i.killed_min, i.date_start) for i in read(reader, text).incidents]
    assert found == [("Damboa", 8, date(2024, 3, 17)), ("Bama", 4, date(2024, 3, 17))]


def test_a_lead_total_is_no_incident_of_its_own(reader: Reader) -> None:
    text = (
        "Russian strikes killed nine people across Ukraine on Monday. In Kharkiv a missile killed five. "
        "In Odesa a drone killed four."
    )
    assert [(i.place, i.killed_min) for i in read(reader, text).incidents] == [("Kharkiv", 5), ("Odesa", 4)]


def test_earlier_events_are_background(reader: Reader) -> None:
    text = "Gunmen killed six farmers in Bama, Nigeria, on Monday. In 2019, gunmen killed 60 people in Maiduguri."
    now, before = read(reader, text).incidents
    assert (now.place, now.current) == ("Bama", True)
    assert (before.place, before.current, before.date_precision) == ("Maiduguri", False, "year")
    assert before.date_start == date(2019, 1, 1)


# ---- places ---------------------------------------------------------------------------------------------------------


def test_a_region_is_no_town(reader: Reader) -> None:
    incident = only(read(reader, "Shelling killed two in Kherson region on Monday."))
    assert incident.precision == "region"
    assert incident.mention is not None
    assert incident.mention.kind == "admin1"


def test_a_dateline_is_no_incident_place(reader: Reader) -> None:
    text = "KYIV, Ukraine (AP) - A drone hit a house in Sumy on Monday, killing a woman."
    assert only(read(reader, text)).place == "Sumy"


def test_an_unknown_village_has_its_name_and_no_point(reader: Reader) -> None:
    text = "Shells fell in the village of Qwertyvka in Kherson region on Monday, killing a man."
    reading = read(reader, text)
    incident = only(reading)
    assert incident.place == "Qwertyvka"
    assert incident.mention is not None
    assert incident.mention.resolution.best is None
    assert incident.mention.resolution.reason
    assert any("Qwertyvka" in note for note in reading.notes)


# ---- no incidents ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "An earthquake killed 40 people in Herat on Monday.",
        "A bus plunged off a road near Lima, killing 12.",
        "Arsenal beat Chelsea 3-1 in London; the striker scored twice and the goalkeeper was hurt.",
        "A film about the siege of Aleppo opens in Paris on Friday.",
        "A court in Berlin sentenced a man to life for killing two people in Damascus in 2013.",
        "The president warned that missiles could hit Kyiv.",
        "If troops storm Rafah, thousands could die, the UN said.",
        "The army denied that it shelled Goma.",
        "Germany will send tanks to Ukraine, Berlin said.",
        "The war has killed 40,000 people in Gaza since October.",
        "Air defences shot down 20 drones over Kyiv on Monday.",
        "The weather in Kyiv was fine.",
    ],
)
def test_what_is_no_incident(reader: Reader, text: str) -> None:
    reading = read(reader, text)
    assert reading.incidents == ()
    assert "No incidents were found." in reading.notes


@pytest.mark.parametrize("text", ["", " \n\t ", "\u200b\u200f", "<br><br>"])
def test_a_report_without_text_says_so(reader: Reader, text: str) -> None:
    reading = read(reader, text)
    assert reading.incidents == ()
    assert reading.notes == ("The report has no text.",)


# ---- dates, spans, reasons ------------------------------------------------------------------------------------------


def test_without_a_day_of_publication_no_day_is_guessed(reader: Reader) -> None:
    reading = read(reader, "Shelling killed three people in Kharkiv on Monday.", None)
    incident = only(reading)
    assert (incident.date_start, incident.date_end, incident.date_precision) == (None, None, "unknown")
    assert any("publication date" in note for note in reading.notes)


def test_every_slot_knows_its_rule_and_its_span(reader: Reader) -> None:
    text = "Quiet &amp; calm. <b>Shelling</b> killed three people in “Kharkiv” on Monday, the mayor said."
    incident = only(read(reader, text))
    assert text[incident.evidence_start : incident.evidence_end] == incident.evidence
    spans = {r.slot: text[r.start : r.end] for r in incident.reasons}
    assert spans["place"] == "Kharkiv"
    assert spans["date"] == "Monday"
    assert spans["type"] == "Shelling"
    assert "three people" in spans["killed"]
    (claim,) = incident.claims
    assert text[claim.start : claim.end] == claim.evidence
    assert (claim.measure, claim.minimum, claim.claimant) == ("killed", 3, "mayor")


def test_readings_do_not_depend_on_what_was_read_before(reader: Reader) -> None:
    text = "Gunmen killed six farmers in Bama, Nigeria, on Monday."
    before = read(reader, text)
    read(reader, "Shelling killed three people in Kharkiv on Monday. A drone hit Odesa.")
    assert read(reader, text) == before


def test_without_a_model_the_rules_stand_alone(reader: Reader) -> None:
    alone = Reader(reader.gazetteer, None)
    assert only(read(alone, "Shelling killed three people in Kharkiv on Monday.")).place == "Kharkiv"


def test_countries_known_beforehand_are_a_hint(reader: Reader) -> None:
    report = Report("article", "r1", text="Shelling killed three people in Tripoli on Monday.", published_on=TODAY)
    for code in ("LY", "LB"):
        mention = reader.read(report, countries={code: 5.0}).incidents[0].mention
        assert mention is not None
        assert mention.resolution.best is not None
        assert mention.resolution.best.place.country == code


def test_an_incident_in_the_last_line_of_a_very_long_text(reader: Reader) -> None:
    filler = "The committee met again on the budget and discussed the roads, the schools and the water works. " * 600
    found = only(read(reader, filler + "On Tuesday shelling killed two people in Siversk."))
    assert found.killed_min == found.killed_max == 2
    assert found.mention is not None
    assert found.mention.text == "Siversk"


@pytest.mark.parametrize(
    ("name", "country"),
    [
        ("Gaza", "PS"), ("Jenin", "PS"), ("Darfur", "SD"), ("Khartoum", "SD"), ("Nyala", "SD"), ("Tigray", "ET"),
        ("Ituri", "CD"), ("Goma", "CD"), ("Beni", "CD"), ("Borno", "NG"), ("Zamfara", "NG"), ("Mopti", "ML"),
        ("Tripoli", "LY"), ("Aleppo", "SY"), ("Idlib", "SY"), ("Marib", "YE"), ("Hodeidah", "YE"), ("Mosul", "IQ"),
        ("Helmand", "AF"), ("Rakhine", "MM"), ("Kherson", "UA"), ("Donbas", "UA"), ("Belgorod", "RU"), ("Cauca", "CO"),
        ("Jonglei", "SS"), ("Golan", "SY"),
    ],
)  # fmt: skip
def test_names_of_the_wars_are_known_without_a_country(reader: Reader, name: str, country: str) -> None:
    incident = only(read(reader, f"Five people were killed in shelling in {name} on Monday."))
    assert incident.mention is not None
    assert incident.mention.resolution.best is not None
    assert incident.mention.resolution.best.place.country == country
