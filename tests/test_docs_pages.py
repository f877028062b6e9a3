"""Pages for people: links lead somewhere, the page of open questions keeps its form and names real commands."""

import re
import shlex
from pathlib import Path

import pytest

from tests.experiments.config.drivers import composed

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
OPEN = ROOT / "docs" / "open_questions.md"
LINK = re.compile(r"\]\((?P<to>[^)\s]+)\)")
CODE = re.compile(r"```\w*\n.*?```", re.DOTALL)
COMMAND = re.compile(r"python -m experiments\.(?P<line>[^`\n]+)")
WORDS, WIDTH = 80, 120


def anchors(page: Path) -> set[str]:
    """Where a link into a page may lead: its headings as GitHub names them, and anchors of its own."""
    text = page.read_text("utf-8")
    heads = re.findall(r"^#+ (.+)$", CODE.sub("", text), re.MULTILINE)
    named = {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
    return named | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path):
    for link in LINK.finditer(CODE.sub("", page.read_text("utf-8"))):
        to, _, anchor = link["to"].partition("#")
        if "://" in to:
            continue
        there = (page.parent / to).resolve() if to else page
        assert there.exists(), link["to"]
        assert not anchor or anchor in anchors(there), link["to"]


def test_every_image_is_shown():
    told = "".join(page.read_text("utf-8") for page in PAGES)
    shown = {Path(to).name for to in LINK.findall(told)}
    assert [path.name for path in (ROOT / "docs").rglob("images/*") if path.name not in shown] == []


@pytest.mark.parametrize("page", [OPEN, *sorted((ROOT / "docs" / "papers").glob("*.md"))], ids=lambda page: page.stem)
def test_paragraphs_and_lines_are_short(page: Path):
    text = CODE.sub("", page.read_text("utf-8"))
    for paragraph in filter(str.strip, text.split("\n\n")):
        if not paragraph.lstrip().startswith(("|", "#", "!")):
            assert max(len(words.split()) for words in paragraph.split("\n- ")) <= WORDS, paragraph
            assert max(map(len, paragraph.splitlines())) <= WIDTH, paragraph


def commands() -> list[str]:
    """The whole commands of the page; those of table rows, whose keys stand beside them, are not."""
    blocks = "".join(CODE.findall(OPEN.read_text("utf-8"))).replace("\\\n", " ")
    return [match["line"].partition(" #")[0].strip() for match in COMMAND.finditer(blocks)]


def test_the_page_has_commands():
    assert len(commands()) >= 8


def _values(word: str) -> list[str]:
    """The override of a word, one for each value that it sweeps over."""
    key, _, values = word.partition("=")
    return [word] if "[" in word else [f"{key}={value}" for value in values.split(",")]


@pytest.mark.parametrize("line", commands())
def test_commands_of_the_page_are_composed(line: str):
    program, *words = shlex.split(line)
    swept = [_values(word) for word in words]
    for number in range(max(map(len, swept))):  # every value of a sweep, in one of its runs
        assert composed(program, *(some[number % len(some)] for some in swept))
