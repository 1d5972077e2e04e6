import io
import json
import re

from rich.console import Console

from latitude.notices.notice import Notice
from latitude.notices.saying import visible
from latitude.render.charts import marks, theme
from latitude.render.document import (
    Beside,
    Bullets,
    Card,
    Cell,
    Details,
    Document,
    File,
    Heading,
    Origin,
    Paragraph,
    Section,
    Table,
    Warned,
    code,
    strong,
)
from latitude.render.html.page import page
from latitude.render.terminal import print_document
from support.html import is_whole

EVIL = "<!--<script>alert(1)</script>\x1b]0;x\x07"


def toy(text: str = "λ_L of l_wire") -> Document:
    chart = marks.chart(
        "runtime",
        text,
        text,
        [marks.line([1, 2], [3, 4], name=text)],
        x=theme.axis("L (µs)"),
        y=theme.axis("T (ms)"),
    )
    table = Table(
        ("what", "of all", "more"),
        [
            (
                Cell([code(text, hover=text)], below=[text], colour="#000"),
                Cell("50%", share=0.5),
                text,
            ),
            ("second", strong("7"), "x"),
        ],
        brief=1,
        columns=(0, 1),
    )
    return Document(
        kind="toy",
        name=text,
        title="toy",
        facts=[text],
        headline=text,
        answer=[text],
        cards=[Card("T", "3 ms", text)],
        parts=[
            chart,
            Heading(text),
            Section("Table", [table], reading=text, note=text),
            Beside([Section("Two", [Paragraph(text)]), Section("Three", [Bullets([text])])]),
            Details("more", [Table(("a",), [(text,)])]),
            Warned("Made up.", text),
        ],
        notices=[Notice("toy", text, text)],
        files=[
            File("toy.json", lambda: json.dumps({"name": text})),
            File("toy.csv", lambda: f"name\n{text}\n"),
        ],
        origin=[Origin("command", code(text))],
        method=text,
        closing=[text],
    )


def on_terminal(document: Document) -> str:
    stream = io.StringIO()
    print_document(document, None, Console(file=stream, width=100, highlight=False))
    return stream.getvalue()


def scripts(html: str) -> dict[str, str]:
    return dict(re.findall(r'<script type="application/json" id="([^"]+)">(.*?)</script>', html))


def test_text_from_files_is_text_everywhere_on_the_page() -> None:
    html = page(toy(EVIL))
    assert is_whole(html)
    assert "alert(1)</script>" not in html
    held = scripts(html)
    assert json.loads(held["data-toy-json"]) == {"name": EVIL}
    assert json.loads(held["data-toy-csv"]) == f"name\n{EVIL}\n"
    assert json.loads(held["figures"])["runtime"]["data"][0]["name"] == EVIL


def test_symbols_have_subscripts() -> None:
    html = page(toy())
    assert "λ<sub>L</sub> of l<sub>wire</sub>" in html


def test_the_terminal_shows_brief_tables_and_nothing_that_it_would_obey() -> None:
    said = on_terminal(toy(EVIL))
    assert not set(said) & {"\x1b", "\x07"}
    assert "␛" in said
    assert "50%   ███" in said
    assert "second" not in said
    assert "1 of 2 rows" in said
    assert "more" not in said.splitlines()


def test_visible_names_each_control_character() -> None:
    assert visible("a\x1b[31m\x7f\x9b é\n") == "a␛[31m␡\\x9b é\n"
