from __future__ import annotations

import io
import os
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path

import docx
import pypdf
import pypdf.errors
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incidents.errors import SourceFormatError, SourceUnavailable, UnknownName
from incidents.sources import Limits, get_source, read_bytes, read_source, report_from_text, sanitise_name
from incidents.sources.decode import clean_text, decode_bytes

BODY = (
    "Shells fell on the market of Velyka Nova on Tuesday morning and killed three people, the regional governor said. "
    "Eleven others were taken to hospital, among them a girl of nine."
)
PAGE = f"""<!DOCTYPE html><html lang="en"><head><title>Market shelled - The Example Post</title>
<meta property="og:site_name" content="The Example Post">
<meta property="article:published_time" content="2023-05-02T23:30:00-05:00">
</head><body><nav><a href="/">Home</a> <a href="/world">World</a></nav>
<article><h1>Market shelled</h1><p>{BODY}</p><p>{BODY.replace("Tuesday", "that")}</p></article>
<script>var secret = "do not read";</script><footer>Copyright 1999</footer></body></html>"""


def make_pdf(lines: list[str]) -> bytes:
    """Return a one-page PDF with these lines in a plain font, written by hand."""
    shown = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
    content = f"BT /F1 11 Tf 50 750 Td {shown}ET".encode("latin-1")
    fonts = b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources " + fonts,
        b"<< /Length " + str(len(content)).encode() + b" >>\nstream\n" + content + b"\nendstream",
    ]
    out = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 5\n0000000000 65535 f \n" + b"".join(f"{o:010d} 00000 n \n".encode() for o in offsets)
    return out + f"trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()


def make_docx(*paragraphs: str) -> bytes:
    document = docx.Document()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text = "Killed"
    table.rows[0].cells[1].text = "3"
    document.core_properties.title = "Situation report"
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_plain_text_is_kept_as_it_is() -> None:
    (report,) = read_bytes(BODY.encode(), name="a.txt", published_on=date(2023, 5, 2))
    assert report.text == BODY
    assert report.published_on == date(2023, 5, 2)
    assert report.source == "article"


def test_a_page_gives_body_title_publisher_and_its_own_day() -> None:
    (report,) = read_bytes(PAGE.encode(), name="anything.txt")
    assert BODY in report.text
    assert "do not read" not in report.text
    assert "Copyright" not in report.text
    assert report.title == "Market shelled"
    assert report.publisher == "The Example Post"
    # the publisher's calendar says 2 May, although it was already 3 May in UTC
    assert report.published_on == date(2023, 5, 2)
    assert report.published_at == datetime(2023, 5, 3, 4, 30, tzinfo=UTC)


def test_a_day_that_the_person_gives_overrules_the_page() -> None:
    (report,) = read_bytes(PAGE.encode(), published_on=date(2023, 5, 1))
    assert report.published_on == date(2023, 5, 1)
    assert report.published_at is None


def test_json_ld_states_the_day() -> None:
    page = PAGE.replace(
        '<meta property="article:published_time" content="2023-05-02T23:30:00-05:00">',
        '<script type="application/ld+json">{"@graph": [{"datePublished": "2023-05-02"}]}</script>',
    )
    (report,) = read_bytes(page.encode())
    assert report.published_on == date(2023, 5, 2)


def test_a_date_in_the_prose_is_no_publication_date() -> None:
    page = f"<html><body><article><p>On 4 March 2019 it happened. {BODY}</p></article></body></html>"
    result = read_bytes(page.encode())
    assert result[0].published_on is None
    assert "no publication date" in result.warnings[0]


def test_where_no_article_is_found_the_visible_text_is_read() -> None:
    page = (
        "<html><head><style>p {color: red}</style></head><body><div>One killed</div><div>in Nova.</div></body></html>"
    )
    (report,) = read_bytes(page.encode())
    assert "One killed" in report.text
    assert "in Nova." in report.text
    assert "color" not in report.text


def test_deeply_nested_and_broken_markup_still_gives_its_text() -> None:
    for page in (
        "<html><body>" + "<div>" * 3000 + "Two were hurt." + "</div>" * 3000,
        "<p>Two were hurt.<b><table></p>",
    ):
        (report,) = read_bytes(page.encode())
        assert "Two were hurt." in report.text


def test_no_entity_bomb_and_no_file_is_read_through_markup(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("TOPSECRET")
    page = (
        f'<!DOCTYPE html [<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
        "<html><body><p>Three were killed. &x; &b;</p></body></html>"
    )
    (report,) = read_bytes(page.encode())
    assert "TOPSECRET" not in report.text
    assert len(report.text) < 200


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1251", "koi8-r"])
def test_encodings_of_plain_text(encoding: str) -> None:
    text = "Обстріл ринку у місті Велика Нова забрав життя трьох людей, повідомив губернатор області. " * 5
    text = text.replace("і", "и") if encoding == "koi8-r" else text
    (report,) = read_bytes(text.encode(encoding))
    assert report.text.strip() == text.strip()


def test_the_page_states_its_encoding() -> None:
    page = '<html><head><meta charset="windows-1251"></head><body><p>Троє загиблих у місті Нова.</p></body></html>'
    (report,) = read_bytes(page.encode("cp1251"))
    assert "Троє загиблих" in report.text


def test_docx_paragraphs_and_tables_in_order() -> None:
    (report,) = read_bytes(make_docx("Two were killed in Nova.", "Five were hurt."), name="x.exe")
    assert report.text == "Two were killed in Nova.\n\nFive were hurt.\n\nKilled | 3"
    assert report.title == "Situation report"


def test_a_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b"\0" * 150_000_000)
    with pytest.raises(SourceFormatError, match=r"unpacks to 150 MB in 2 parts; the limit is 100 MB"):
        read_bytes(out.getvalue(), name="bomb.docx")


def make_raw_docx(body: str) -> bytes:
    """Put a body of our own, which python-docx would not write, into a Word document."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(make_docx("x"))) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.infolist():
            if member.filename == "word/document.xml":
                names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
                new.writestr(member.filename, f"<w:document {names}><w:body>{body}</w:body></w:document>")
            else:
                new.writestr(member.filename, old.read(member))
    return out.getvalue()


def test_a_word_document_of_endless_marks_is_refused_before_a_tree_is_made() -> None:
    with pytest.raises(SourceFormatError, match="more than 2,000,000 marks"):
        read_bytes(make_raw_docx("<w:p/>" * 2_100_000), name="bomb.docx")


@pytest.mark.parametrize("span", ["1000000000", "1001", "-1", "x"])
def test_a_cell_wider_than_any_table_is_refused(span: str) -> None:
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="{span}"/></w:tcPr><w:p><w:r><w:t>Five were hurt.</w:t></w:r></w:p></w:tc>'
    with pytest.raises(SourceFormatError, match="damaged"):
        read_bytes(make_raw_docx(f"<w:tbl><w:tr>{cell}</w:tr></w:tbl>"), name="x.docx")


def test_a_pdf_that_unpacks_without_end_is_not_called_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    def unpack(*_: object) -> str:
        raise pypdf.errors.LimitReachedError("limit")

    monkeypatch.setattr(pypdf.PageObject, "extract_text", unpack)
    writer, out = pypdf.PdfWriter(), io.BytesIO()
    writer.add_blank_page(100, 100)
    writer.write(out)
    with pytest.raises(SourceFormatError, match="unpacks to far more than a text"):
        read_bytes(out.getvalue(), name="bomb.pdf")


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"xl/workbook.xml": "x"}, "Excel workbook"),
        ({"../../ok.csv": "id,lat\n1,2\n"}, "not a Word document"),
        ({"[Content_Types].xml": "<", "word/document.xml": "<"}, "damaged"),
    ],
)
def test_other_zip_files_say_what_they_are(members: dict[str, str], expected: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(SourceFormatError, match=expected):
        read_bytes(out.getvalue(), name="x.docx")


def test_pdf_lines_become_paragraphs() -> None:
    data = make_pdf(
        [
            "Shells fell on the market of Velyka Nova on Tues-",
            "day morning and killed three people, the",
            "governor said.",
            "Eleven others were taken to hospital in town.",
        ]
    )
    (report,) = read_bytes(data, name="x.html")
    assert "on Tuesday morning and killed three people, the governor said." in report.text
    assert report.published_on is None


def test_pdf_faults_each_have_a_line() -> None:
    with pytest.raises(SourceFormatError, match="no text, only pictures"):
        read_bytes(make_pdf([]))
    with pytest.raises(SourceFormatError, match="damaged"):
        read_bytes(b"%PDF-1.7\n" + os.urandom(300))
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(make_pdf(["Secret."])))
    writer.encrypt("hunter2", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    with pytest.raises(SourceFormatError, match="locked with a password"):
        read_bytes(out.getvalue())


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "a picture"),
        (b"\xd0\xcf\x11\xe0" + bytes(100), "old Office file"),
        (b"{\\rtf1 hello}", "RTF"),
        (b"\x1f\x8b" + bytes(50), "gzip"),
        (bytes(range(256)) * 20, "not a text"),
        (b"<html><body><script>x</script></body></html>", "no text"),
    ],
)
def test_what_is_no_article_is_said_in_a_line(data: bytes, expected: str) -> None:
    with pytest.raises(SourceFormatError, match=expected):
        read_bytes(data, source="article")


def test_limits_of_size_and_text() -> None:
    with pytest.raises(SourceFormatError, match="more than the limit"):
        read_bytes(b"a" * 2000, source="article", limits=Limits(article_bytes=1000))
    with pytest.raises(SourceFormatError, match="2,000 characters of text, the limit is 1,000"):
        read_bytes(b"a " * 1000, source="article", limits=Limits(text_chars=1000))
    with pytest.raises(SourceFormatError, match="more than the limit of 5,000,000"):
        report_from_text("a" * 5_000_001)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match="no such file"):
        read_source(tmp_path / "nothing.txt")
    with pytest.raises(SourceUnavailable, match=r"^[^:]+: is a folder; give the files in it$"):
        read_source(tmp_path)
    with pytest.raises(SourceUnavailable, match="cannot be read"):
        read_source("a\x00.csv")


def test_pasted_text_keeps_its_offsets() -> None:
    text = "Three\x00 were killed\x1b[31m in \ud800Nova\x85."
    report = report_from_text(text, url="javascript:alert(1)", title=" A\n title ")
    assert len(report.text) == len(text)
    assert report.text.index("Nova") == text.index("Nova")
    assert report.url is None
    assert report.title == "A title"
    report.text.encode("utf-8")


def test_the_same_text_is_the_same_report() -> None:
    a, b = report_from_text("Two  killed\nin Nova."), report_from_text("Two killed in Nova.")
    assert a.report_id == b.report_id


@given(st.text(max_size=300))
def test_cleaning_never_moves_a_character(text: str) -> None:
    cleaned = clean_text(text)
    assert len(cleaned) == len(text)
    cleaned.encode("utf-8")


@given(st.binary(max_size=600))
def test_any_bytes_are_read_or_refused_in_our_words(data: bytes) -> None:
    decode_bytes(data)
    try:
        read_bytes(data)
    except SourceFormatError:
        return


@given(st.binary(max_size=200))
def test_any_bytes_after_a_magic_number_too(data: bytes) -> None:
    for magic in (b"%PDF-1.4\n", b"PK\x03\x04", b"<html>", b'{"text": '):
        try:
            read_bytes(magic + data)
        except SourceFormatError:
            continue


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../x.csv", "x.csv"),
        ("..\\..\\x.csv", "x.csv"),
        ("/etc/passwd.csv", "passwd.csv"),
        ("a\x00.csv", "a.csv"),
        ("..", "file"),
        ("", "file"),
        ("a\u202egnp.exe", "agnp.exe"),
        ("x" * 500, "x" * 80 + "…" + "x" * 39),
    ],
)
def test_shown_names_are_harmless(name: str, shown: str) -> None:
    assert sanitise_name(name) == shown


def test_a_hostile_name_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    read_bytes(BODY.encode(), name="../../etc/x.txt")
    assert list(tmp_path.iterdir()) == []


def test_articles_as_jsonl() -> None:
    lines = (
        '{"id": 1, "text": "Two killed in Nova.", "publication_date": "2024-04-18"}\n'
        "\n"
        '{"url": "https://x.example/a", "title": "T", "published": "2024-04-18T23:00:00-03:00", "text": "One hurt."}\n'
        "not json\n"
        '{"id": 3}\n'
        '{"id": 4, "text": "x", "publication_date": "soon"}\n'
        '{"id": 5, "text": " "}\n'
    )
    result = read_bytes(lines.encode())
    assert result.source == "jsonl"
    assert [r.published_on for r in result] == [date(2024, 4, 18), date(2024, 4, 18), None]
    assert "line 6: publication date 'soon'" in result.warnings[0]
    assert result[1].published_at == datetime(2024, 4, 19, 2, tzinfo=UTC)
    assert (result.rows_read, result.rows) == (6, (1, 3, 6))
    assert [(r.row, r.reason[:14]) for r in result.rejected] == [
        (4, "not JSON (JSON"),
        (5, 'no "text" in i'),
        (7, "there is no te"),
    ]


def test_unknown_sources_list_the_known() -> None:
    with pytest.raises(UnknownName, match="known are auto, article, jsonl, table"):
        get_source("acled99")


@pytest.mark.parametrize(
    "stated", ["0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00", "0001-01-01", "1850-04-08"]
)
def test_a_publication_year_that_cannot_be_is_no_date(stated: str) -> None:
    line = f'{{"id": 1, "text": "Five were killed in Lyman.", "publication_date": "{stated}"}}\n'
    result = read_bytes(line.encode(), source="jsonl")
    (report,) = result.reports
    assert report.published_on is None
    assert "publication date" in result.warnings[0]
    meta = f'<meta property="article:published_time" content="{stated}">'
    (page,) = read_bytes(f"<html><head>{meta}</head><body><p>Five were killed in Lyman.</p></body></html>".encode())
    assert page.published_on is None


def test_a_cell_merged_over_many_rows_is_told_in_each() -> None:
    head = '<w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t>8 April</w:t></w:r></w:p></w:tc>'
    rest = "<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>"
    rows = "".join(
        f"<w:tr>{rest if i else head}<w:tc><w:p><w:r><w:t>Village {i}</w:t></w:r></w:p></w:tc></w:tr>"
        for i in range(3000)
    )
    (report,) = read_bytes(make_raw_docx(f"<w:tbl>{rows}</w:tbl>"), name="x.docx")
    assert report.text.count("8 April | Village") == 3000
