"""The sessions of docs/python.md, run as written; and the names that it lists."""

import doctest
import re
from pathlib import Path

import gpumcts

PAGE = Path(__file__).resolve().parent.parent / "docs" / "python.md"
SESSION = re.compile(r"```python\n(.*?)```", re.DOTALL)


def test_the_sessions_run_as_written():
    text = "\n".join(SESSION.findall(PAGE.read_text("utf-8")))
    examples = doctest.DocTestParser().get_examples(text)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(doctest.DocTest(examples, {}, PAGE.name, str(PAGE), 0, text))
    assert len(examples) > 20
    assert runner.failures == 0


def test_the_page_says_what_pandas_takes():
    """No extra of gpumcts brings what ``to_pandas`` imports."""
    words = " ".join(PAGE.read_text("utf-8").split())
    assert "`result.to_frame().to_pandas()`" in words and "`pip install pandas pyarrow`" in words


def test_the_table_has_every_name():
    table = PAGE.read_text("utf-8").partition("## Names")[2].partition("## Games")[0]
    assert set(re.findall(r"`g\.(\w+)", table)) == set(gpumcts.__all__)
