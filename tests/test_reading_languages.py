# ruff: noqa: E501 - a sentence and what must be read of it stand in one line
"""Reading in other languages: invented reports in each, with every slot."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geodata.gazetteer import Gazetteer
from incidents.reading import Reader
from incidents.reading.foreign import list_languages
from incidents.reading.foreign.lexicon import load_language
from incidents.reading.foreign.places import inflect
from incidents.reading.foreign.words import find_counts, split_words
from incidents.reading.languages import detect_language, normalise_code
from incidents.reading.records import ReadIncident, Reading
from incidents.report import Report

FRIDAY = date(2024, 3, 15)


@pytest.fixture(scope="module")
def foreign_reader() -> Reader:
    # without the model: a text in another language must never need it
    return Reader(Gazetteer.open(), None)


def read(reader: Reader, text: str, *, language: str | None = None, day: date | None = FRIDAY) -> Reading:
    return reader.read(Report("test", "1", text=text, language=language, published_on=day))


class Want(NamedTuple):
    """What must be read of one sentence; a figure is (minimum, maximum)."""

    text: str
    place: str
    kind: str
    killed: tuple[int | None, int | None] = (None, None)
    injured: tuple[int | None, int | None] = (None, None)
    day: date | None = None
    precision: str | None = None


NONE = (None, None)
WANTED = [
    # Ukrainian
    Want("У неділю вранці безпілотник влучив у ринок у Нікополі: двоє людей загинули, семеро поранені.", "Nikopol", "drone_strike", (2, 2), (7, 7), date(2024, 3, 10)),
    Want("Ворог обстріляв Херсонську область, загинули щонайменше три особи.", "Kherson Oblast", "shelling", (3, None), NONE, None, "region"),
    Want("Вночі дрони атакували Одесу, жертв і постраждалих немає.", "Odesa", "drone_strike", (0, 0), (0, 0), FRIDAY, "settlement"),
    Want("Троє чоловіків і жінка загинули внаслідок ракетного удару по Запоріжжю 3 березня, повідомив посадовець 4 березня.", "Zaporizhzhia", "missile_strike", (4, 4), NONE, date(2024, 3, 3)),
    Want("Росіяни скинули авіабомби на Вовчанськ. Поранено 61-річного чоловіка та його дружину.", "Vovchansk", "air_strike", NONE, (2, 2)),
    Want("Під Бердянськом підірвався автомобіль: від двох до чотирьох поранених.", "Berdyansk", "explosion", NONE, (2, 4), None, "near"),
    # Russian
    Want("Более 20 человек погибли при взрыве в мечети в Пешаваре в пятницу, ранены не менее 50.", "Peshawar", "explosion", (21, None), (50, None), FRIDAY),
    Want("Авиаудар по рынку в Идлибе унес жизни 14 человек, десятки ранены, сообщили спасатели во вторник.", "Idlib", "air_strike", (14, 14), (24, None), date(2024, 3, 12)),
    Want("Двое убитых и трое раненых: беспилотник атаковал автобус в Белгородской области.", "Belgorod Oblast", "drone_strike", (2, 2), (3, 3), None, "region"),
    Want("Число погибших при ракетном ударе по Харькову выросло до 12.", "Kharkiv", "missile_strike", (12, 12)),
    Want("В результате обстрела Торецка пострадали от 5 до 7 человек.", "Toretsk", "shelling", NONE, (5, 7)),
    Want("Ночью ракеты попали в склад в Луцке, пострадавших нет.", "Lutsk", "missile_strike", (0, 0), (0, 0)),
    # French
    Want("Une explosion a fait douze morts et une trentaine de blessés lundi sur un marché de Maiduguri.", "Maiduguri", "explosion", (12, 12), (30, 30), date(2024, 3, 11)),
    Want("Deux soldats et un civil ont été tués samedi par une mine près de Gao.", "Gao", "explosion", (3, 3), NONE, date(2024, 3, 9), "near"),
    Want("Entre 20 et 25 villageois ont péri dans une attaque de djihadistes à Solhan dans la nuit de samedi à dimanche.", "Solhan", "ground_assault", (20, 25), NONE, date(2024, 3, 10)),
    Want("Aucun mort ni blessé après l'explosion d'une grenade à Bujumbura.", "Bujumbura", "explosion", (0, 0), (0, 0)),
    Want("Quinze civils, dont quatre enfants, ont été tués vendredi dans une frappe aérienne à Bama.", "Bama", "air_strike", (15, 15), NONE, FRIDAY),
    Want("Quatre-vingt-dix-sept personnes ont été tuées par des obus à Homs.", "Homs", "shelling", (97, 97)),
    # Spanish
    Want("Hombres armados asesinaron el martes a cuatro campesinos en el departamento del Cauca.", "Cauca", "shooting", (4, 4), NONE, date(2024, 3, 12), "region"),
    Want("Entre 10 y 12 soldados murieron en una emboscada cerca de Tame.", "Tame", "ground_assault", (10, 12), NONE, None, "near"),
    Want("Dos niñas y una mujer murieron en un ataque con drones contra Jersón, Ucrania, el jueves.", "Kherson", "drone_strike", (3, 3), NONE, date(2024, 3, 14)),
    Want("El número de muertos por el atentado en Cali aumentó a 7.", "Cali", "explosion", (7, 7)),
    Want("El bombardeo en Puerto Rondón, Arauca, no dejó heridos.", "Puerto Rondón", "air_strike", NONE, (0, 0)),
    Want("Treinta y cinco policías resultaron heridos al estallar una bomba en Bogotá el 8 de marzo.", "Bogotá", "explosion", NONE, (35, 35), date(2024, 3, 8)),
    # Arabic
    Want("قُتل جنديان وأُصيب ثلاثة آخرون بانفجار عبوة ناسفة في كركوك يوم الأحد.", "Kirkuk", "explosion", (2, 2), (3, 3), date(2024, 3, 10)),
    Want("مقتل 25 شخصا على الأقل وإصابة العشرات في انفجار سيارة مفخخة بمدينة مقديشو يوم السبت.", "Mogadishu", "explosion", (25, None), (24, None), date(2024, 3, 9)),
    Want("سقطت قذائف على حي في الفاشر بولاية شمال دارفور دون وقوع إصابات.", "El Fasher", "shelling", (0, 0), (0, 0)),
    Want("أصيب خمسة وعشرون مدنيا في غارة جوية على حلب أمس.", "Aleppo", "air_strike", NONE, (25, 25), date(2024, 3, 14)),
    Want("أسفر هجوم بطائرة مسيرة في محافظة إدلب عن مقتل ٤ أشخاص.", "Idlib", "drone_strike", (4, 4), NONE, None, "region"),
    Want("ارتفعت حصيلة قتلى الغارة على حمص إلى 35.", "Homs", "air_strike", (35, 35)),
    # Portuguese
    Want("Pelo menos onze civis foram mortos e vinte e três ficaram feridos numa emboscada perto de Palma na terça-feira.", "Palma", "ground_assault", (11, None), (23, 23), date(2024, 3, 12), "near"),
    Want("Dois soldados morreram e outros quatro ficaram feridos na explosão de uma mina em Pemba, Moçambique, a 8 de março.", "Pemba", "explosion", (2, 2), (4, 4), date(2024, 3, 8)),
    Want("Homens armados raptaram 15 crianças na província de Cabo Delgado no domingo.", "Cabo Delgado", "abduction", NONE, NONE, date(2024, 3, 10), "region"),
    Want("Um drone atingiu o porto de Odessa, sem causar vítimas.", "Odesa", "drone_strike", (0, 0), (0, 0)),
    Want("Entre 10 e 12 pessoas morreram num ataque aéreo em Gondar, Etiópia, ontem.", "Gonder", "air_strike", (10, 12), NONE, date(2024, 3, 14)),
]  # fmt: skip


@pytest.mark.parametrize("want", WANTED, ids=[w.text[:32] for w in WANTED])
def test_reads_one_incident_with_its_slots(foreign_reader: Reader, want: Want) -> None:
    incidents = read(foreign_reader, want.text).incidents
    assert len(incidents) == 1
    found = incidents[0]
    assert found.mention is not None
    assert found.mention.resolution.best is not None
    assert found.mention.resolution.best.place.name == want.place
    assert found.type == want.kind
    assert (found.killed_min, found.killed_max) == want.killed
    assert (found.injured_min, found.injured_max) == want.injured
    if want.day is not None:
        assert found.date_start == want.day
    if want.precision is not None:
        assert found.precision == want.precision


SILENT = [
    # threats, denials, sums of a war, accidents, sport, diplomacy, interceptions: no incident
    "Росія може завдати ракетного удару по Києву наступного тижня.",
    "Міністерство спростувало чутки про вибух у Львові.",
    "Від початку повномасштабного вторгнення в Україні загинули понад 10 тисяч цивільних.",
    "У ДТП під Полтавою загинули троє людей.",
    "ППО збила 12 дронів над Полтавською областю, обійшлося без руйнувань.",
    "Мер Одеси зустрівся з послом Франції.",
    "Взрывов в Херсоне не зафиксировано.",
    "На стадионе в Донецке прошел футбольный матч, болельщики атаковали ворота 10 раз.",
    "Глава МИД прибыл в Анкару на переговоры.",
    "Le président se rendra à Bamako vendredi pour des discussions sur le cessez-le-feu.",
    "Cinq joueurs blessés lors du match à Lyon.",
    "Un bus a fait une sortie de route près de Thiès : 14 morts.",
    "Les rebelles menacent d'attaquer Goma.",
    "El gobierno teme que un ataque cause decenas de muertos en Cali.",
    "Un terremoto dejó 40 muertos en Oaxaca.",
    "Un tribunal condenó a 30 años de prisión al autor de la masacre de El Salado.",
    "O governo teme que um ataque faça dezenas de mortos em Pemba.",
    "Um ciclone matou 40 pessoas na Beira.",
    "O presidente chega a Luanda na segunda-feira para conversações sobre o cessar-fogo.",
    "وصل الرئيس إلى القاهرة لإجراء محادثات حول الهدنة.",
    "زلزال يقتل 50 شخصا في حلب.",
    "هدد المتمردون بقصف الخرطوم.",
    "اعترضت الدفاعات الجوية صاروخا فوق الرياض دون وقوع إصابات.",
]


@pytest.mark.parametrize("text", SILENT, ids=[t[:32] for t in SILENT])
def test_what_is_no_incident_gives_none(foreign_reader: Reader, text: str) -> None:
    assert read(foreign_reader, text).incidents == ()


def only(reading: Reading) -> ReadIncident:
    (incident,) = reading.incidents
    return incident


def test_names_are_given_in_the_nominative_and_mentions_as_written(foreign_reader: Reader) -> None:
    found = only(read(foreign_reader, "Внаслідок обстрілу Краматорська загинула жінка."))
    assert found.place == "Краматорськ"
    assert found.mention is not None
    assert found.mention.text == "Краматорська"


def test_an_unlisted_village_keeps_its_name_and_gets_no_point(foreign_reader: Reader) -> None:
    text = "У селі Верхня Вигадка Харківської області від удару КАБом загинула жінка."
    found = only(read(foreign_reader, text))
    assert found.place == "Верхня Вигадка"
    assert found.mention is not None
    assert found.mention.resolution.best is None
    assert found.precision == "unknown"


def test_an_earlier_event_is_background(foreign_reader: Reader) -> None:
    text = "Рік тому внаслідок ракетного удару по вокзалу в Краматорську загинула 61 людина."
    assert only(read(foreign_reader, text)).current is False


def test_parts_of_a_toll_do_not_count_twice(foreign_reader: Reader) -> None:
    found = only(read(foreign_reader, "قتل ثلاثة مدنيين بينهم طفلان في غارة جوية على حلب أمس."))
    assert (found.killed_min, found.killed_max) == (3, 3)
    assert found.children_killed_min == 2


def test_abducted_people_are_no_casualties(foreign_reader: Reader) -> None:
    found = only(
        read(foreign_reader, "Un grupo armado secuestró a seis trabajadores en zona rural de Arauquita el lunes.")
    )
    assert (found.type, found.killed_min, found.other_affected, found.other_affected_kind) == (
        "abduction",
        None,
        6,
        "abducted",
    )


def test_weekday_words_give_no_day_without_a_publication_day(foreign_reader: Reader) -> None:
    found = only(read(foreign_reader, "Lundi, une explosion a tué deux personnes à Gao.", day=None))
    assert found.date_start is None
    assert found.date_precision == "unknown"


def test_nobody_is_blamed_by_english_patterns(foreign_reader: Reader) -> None:
    found = only(read(foreign_reader, "Mali et police : six soldats tués dans une embuscade à Gao, selon l'armée."))
    assert found.attributed_to == found.denied_by == ()
    assert all(claim.claimant is None for claim in found.claims)


def test_the_stated_language_wins(foreign_reader: Reader) -> None:
    text = "Explosion: 5 morts, 7 blessés à Gao"
    assert only(read(foreign_reader, text, language="fr-FR")).killed_min == 5
    english = read(foreign_reader, "A drone strike killed five people in Kharkiv on Friday.", language="en")
    assert only(english).killed_min == 5


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Вибух у Львові", "uk"),
        ("Взрыв во Львове", "ru"),
        ("Deux morts à Gaza", "fr"),
        ("Mueren tres soldados en Cauca", "es"),
        ("انفجار في بيروت", "ar"),
        ("انفجار در تهران", "fa"),
        ("Three people were killed in Kharkiv", "en"),
        ("Explosion in Berlin", "en"),
        ("爆炸造成三人死亡", "zh"),
        ("", "en"),
        ("2024 123 !!", "en"),
    ],
)
def test_detect_language(text: str, code: str) -> None:
    assert detect_language(text) == code


def test_mixed_texts_are_in_the_language_of_most_letters() -> None:
    english = "The army said on Monday that its soldiers had left the town after two days of fighting. " * 3
    assert detect_language(english + "Вибух у Львові.") == "en"
    assert (
        detect_language("У місті пролунали вибухи, є поранені, повідомила поліція в п'ятницю. (AFP, Reuters)") == "uk"
    )


@pytest.mark.parametrize(
    ("given_code", "code"),
    [("uk-UA", "uk"), ("FRA", "fr"), ("ua", "uk"), ("und", None), ("", None), (None, None), ("??", None)],
)
def test_normalise_code(given_code: str | None, code: str | None) -> None:
    assert normalise_code(given_code) == code


@pytest.mark.parametrize(
    ("code", "text", "ends"),
    [
        ("uk", "двадцять п'ять", (25, 25)),
        ("uk", "щонайменше п'ятеро", (5, None)),
        ("ru", "сто двадцать три", (123, 123)),
        ("ru", "до 30", (None, 30)),
        ("fr", "soixante et onze", (71, 71)),
        ("fr", "quatre-vingts", (80, 80)),
        ("fr", "plus de 1 200", (1201, None)),
        ("es", "treinta y dos", (32, 32)),
        ("es", "unas cuarenta", (40, 40)),
        ("ar", "ثلاثة عشر", (13, 13)),
        ("ar", "خمسة وستون", (65, 65)),
        ("ar", "أكثر من ٢٠", (21, None)),
    ],
)
def test_find_counts(code: str, text: str, ends: tuple[int | None, int | None]) -> None:
    language = load_language(code)
    shadow = language.shadow(text)
    (count,) = find_counts(split_words(text, shadow, 0), shadow, 0, language, ())
    assert (count.minimum, count.maximum) == ends


@pytest.mark.parametrize(
    ("code", "written", "nominative"),
    [
        ("uk", "Краматорську", "Краматорськ"),
        ("uk", "Одесі", "Одеса"),
        ("uk", "Харкові", "Харків"),
        ("ru", "Бахмута", "Бахмут"),
        ("ru", "Макеевке", "Макеевка"),
    ],
)
def test_inflect(code: str, written: str, nominative: str) -> None:
    assert nominative in inflect(written, load_language(code).endings)


@pytest.mark.parametrize("code", sorted(list_languages()))
def test_every_language_file_loads_and_names_only_known_types(code: str) -> None:
    from incidents.reading.triggers import GENERIC
    from incidents.taxonomy import TYPES

    language = load_language(code)
    assert {kind for kind, _, _, _ in language.triggers} <= {*TYPES, GENERIC}
    assert {likely for _, _, likely, _ in language.triggers} <= {*TYPES, ""}
    assert {m for m, _, _ in language.harm} <= {"killed", "injured", "missing", "abducted", "displaced", "arrested"}
    assert set(language.months.values()) == set(range(1, 13))
    assert set(language.weekdays.values()) == set(range(7))
    assert {"distance", "hit_after", "among", "hypothetical"} <= set(language.cues)


_PIECES = (
    [piece for want in WANTED for piece in want.text.split()]
    + SILENT
    + ["1 000 000", "ударударудар", "\u202e", "\ud800", "п'", "l'", "و", "є\u0301"]
)


@given(
    st.lists(st.sampled_from(_PIECES) | st.text(max_size=12), max_size=40).map(" ".join),
    st.sampled_from([None, *sorted(list_languages())]),
    st.sampled_from([None, FRIDAY, date(1, 1, 2), date(9999, 12, 31)]),
)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_reads_without_fault_and_offsets_are_exact(
    foreign_reader: Reader, text: str, language: str | None, day: date | None
) -> None:
    reading = read(foreign_reader, text, language=language, day=day)
    for incident in reading.incidents:
        assert text[incident.evidence_start : incident.evidence_end] == incident.evidence
        for low, high in ((incident.killed_min, incident.killed_max), (incident.injured_min, incident.injured_max)):
            assert low is None or high is None or low <= high
        for claim in incident.claims:
            assert text[claim.start : claim.end] == claim.evidence
    for mention in reading.mentions:
        assert text[mention.start : mention.end] == mention.text


@given(st.text(max_size=400))
@settings(max_examples=150, deadline=None)
def test_shadows_keep_their_length_and_detection_never_fails(text: str) -> None:
    assert detect_language(text)
    for code in list_languages():
        assert len(load_language(code).shadow(text)) == len(text)
