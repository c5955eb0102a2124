"""The page, in a real browser: it steps, it fits, it loads nothing, and nothing of the program's text becomes markup."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import bpor
from bpor.report.coverage_curve import CurvePoint
from bpor.report.finding import Finding
from bpor.report.html import _names_as_code, html_page
from bpor.report.result import Result
from bpor.report.text import text_report
from bpor.report.trace_columns_select import select
from bpor.report.verdict import Verdict, VerdictKind
from bpor.settings import Settings
from tests.golden.stories import failed_assertion_after_many_steps
from tests.native.browser import Browser

EVIL = "</script><img src=x onerror=document.title=1>"
CODE = """
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void both(pthread_mutex_t *x, pthread_mutex_t *y)
{
    pthread_mutex_lock(x); // EVIL
    pthread_mutex_lock(y); /* <!-- & "quotes' */
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}
extern void *other(void *) __asm__("\\"EVIL\\"");
void forward(void) { both(&b, &a); }
int main(void)
{
    pthread_t thread;
    puts("EVIL");
    pthread_create(&thread, NULL, other, NULL);
    both(&a, &b);
    pthread_join(thread, NULL);
    return 0;
}
"""
OTHER = """
void forward(void);
void *other(void *) __asm__("\\"EVIL\\"");
void *other(void *unused) { forward(); return unused; }
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as started:
        yield started


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of a program whose thread, argument, source and output are markup."""
    directory = tmp_path_factory.mktemp("evil")
    for name, text, flags in (("code", CODE, ["-g"]), ("other", OTHER, [])):
        (directory / f"{name}.c").write_text(text.replace("EVIL", EVIL))
        subprocess.run(["gcc", "-O1", "-pthread", "-c", *flags, f"{name}.c"], cwd=directory, check=True)
    subprocess.run(["gcc", "-pthread", "code.o", "other.o", "-o", "evil"], cwd=directory, check=True)
    result = bpor.check([str(directory / "evil"), EVIL], bound="preemption:1")
    assert result.findings[0].threads[1].name == EVIL
    (directory / "page.html").write_text(html_page(result))
    return directory / "page.html"


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.native.compiled import PROGRAMS, compiled

    result = bpor.check([str(compiled(PROGRAMS / "buggy/deadlock/bank.c"))], bound="preemption:0..1")
    page = tmp_path_factory.mktemp("bank") / "page.html"
    page.write_text(html_page(result, [CurvePoint(0.1, 20, 0), CurvePoint(0.4, 90, 1)]))
    return page


needs_chromium = pytest.mark.needs("chromium")
FOCUS = "document.querySelector('.lanes').focus()"
SHOWN = "document.querySelector('output').textContent"
STATE = "document.querySelector('.state').innerText"


@needs_chromium
def test_the_keyboard_steps_through_the_states(browser: Browser, bank: Path) -> None:
    browser.open(bank)
    assert browser.look(SHOWN) == "4: the end"
    browser.look(FOCUS)
    browser.press("ArrowLeft")
    assert browser.look(SHOWN) == "3 of 4"
    assert "a.lock" in browser.look(STATE)
    browser.press("Home")
    assert browser.look(SHOWN) == "0 of 4"
    assert browser.look("document.querySelectorAll('.state tbody tr').length") == 1
    browser.press("ArrowRight")
    browser.press("ArrowRight")
    assert browser.look(SHOWN) == "2 of 4"
    assert browser.look("document.querySelector('.source .here').innerText").endswith("pthread_mutex_lock(&from->lock);")
    browser.press("End")
    assert browser.look(STATE).count("(blocked)") == 3
    assert browser.problems == []


@needs_chromium
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_telephone_and_is_readable_in_both_schemes(browser: Browser, bank: Path, dark: bool) -> None:
    browser.open(bank, 360, 740, dark)
    assert browser.look("document.documentElement.scrollWidth") <= 360
    colours = "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    ink, paper = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in browser.look(colours))
    assert (ink > paper) == dark
    assert abs(ink - paper) > 500


@needs_chromium
def test_filters_and_the_passing_neighbour(browser: Browser, bank: Path) -> None:
    browser.open(bank)
    select = "const s = document.querySelector(`[data-filter=${name}]`)"
    choose = f"(name, value) => {{ {select}; s.value = value; s.dispatchEvent(new Event('change')); }}"
    browser.look(f"({choose})('thread', '1')")
    assert browser.look("document.querySelectorAll('.step.filtered').length") == 3
    browser.look(f"({choose})('thread', '')")
    browser.look(f"({choose})('object', 'a.lock')")
    assert browser.look("document.querySelectorAll('.step.filtered').length") == 3
    browser.look(f"({choose})('which', 'passing')")
    assert browser.look("document.querySelectorAll('.step.difference').length") == 1
    assert browser.look("document.querySelectorAll('.arrow').length") >= 3
    assert browser.look("document.querySelectorAll('.by-bound .bar').length") == 2
    assert browser.look("document.querySelectorAll('.over-time .found').length") == 1
    assert browser.problems == []


@pytest.fixture(scope="module")
def folded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Finding]:
    """Of an execution of which most steps do not matter."""
    directory = tmp_path_factory.mktemp("folded")
    finding = failed_assertion_after_many_steps(directory)
    result = Result(("./queue",), Settings(), Verdict(VerdictKind.BUG, finding.summary), (finding,))
    (directory / "page.html").write_text(html_page(result))
    return directory / "page.html", finding


ROWS = "[...document.querySelectorAll('.lanes [data-step]')].map(g => g.dataset.step)"
FOLDS = "[...document.querySelectorAll('.lanes .fold text')].map(t => t.textContent)"


@needs_chromium
def test_the_lanes_are_folded_as_the_text_is(browser: Browser, folded: tuple[Path, Finding]) -> None:
    page, finding = folded
    browser.open(page)
    shown = [str(position) for position in sorted(select(finding))]
    assert [row for row in browser.look(ROWS) if row in shown] == shown
    assert browser.look(FOLDS) == [line.strip() for line in text_report(finding).splitlines() if line.strip().startswith("… ")]
    choose = "const s = document.querySelector('[data-filter=fold]'); s.value = 'all'; s.dispatchEvent(new Event('change'))"
    browser.look(f"(() => {{ {choose} }})()")
    assert len(browser.look(ROWS)) == len(finding.steps) and browser.look(FOLDS) == []


@needs_chromium
@pytest.mark.parametrize("width", [1400, 360])
def test_slider_lanes_state_and_source_are_of_one_step_and_nothing_is_cut_off(
    browser: Browser, folded: tuple[Path, Finding], width: int
) -> None:
    page, finding = folded
    browser.open(page, width, 740)
    here = "document.querySelector('.source .here').innerText"
    assert finding.site is not None and browser.look(here).endswith(finding.site.source)  # at the end: the line that failed
    browser.look(FOCUS)
    for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft", "Home", "ArrowRight", "End"):
        browser.press(key)
        row = int(browser.look("document.querySelector('input[type=range]').value"))
        current = browser.look("[...document.querySelectorAll('.lanes [data-step]')].findIndex(g => g.classList.contains('current'))")
        assert current == (row if key != "End" else -1)
        line = browser.look(
            "document.querySelector('.now').getBoundingClientRect().top - document.querySelector('.lanes').getBoundingClientRect().top"
        )
        assert 0 <= line <= browser.look("document.querySelector('.lanes').clientHeight")
    assert browser.look("document.documentElement.scrollWidth") <= width
    cut = "[...document.querySelectorAll('.state, .state td, .state th')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
    assert browser.look(cut) == 0
    assert browser.look("new Set([...document.querySelectorAll('.filters label:not([hidden])')].map(l => l.offsetTop)).size") == 1
    assert browser.look("document.body.innerText").count("is false") == 1  # the diagnosis stands there once
    assert browser.problems == []


@needs_chromium
def test_every_lane_is_also_a_table_with_headers(browser: Browser, bank: Path) -> None:
    browser.open(bank)
    boxes = browser.look("[...document.querySelectorAll('.lanes .step[data-step] text:nth-of-type(2)')].map(t => t.textContent)")
    cells = browser.look("[...document.querySelectorAll('.tables table')][0].textContent")
    assert len(boxes) == 4
    assert all(box in cells for box in boxes)
    headed = "t => t.tHead && [...t.tHead.rows[0].cells].every(c => c.scope === 'col')"
    assert browser.look(f"[...document.querySelectorAll('table')].every({headed})")


@needs_chromium
def test_nothing_is_loaded_and_no_text_of_the_program_becomes_markup(browser: Browser, evil: Path) -> None:
    browser.requests.clear()
    browser.open(evil)
    assert browser.requests == [evil.as_uri()]
    assert browser.problems == []
    assert browser.look("document.querySelectorAll('img, iframe, object, link').length") == 0
    assert browser.look("document.querySelectorAll('script').length") == 2
    title = browser.look("document.title")
    assert title.startswith("bug: ") and EVIL in title  # the argument
    text = browser.look("document.body.innerText")
    assert text.count(EVIL) >= 3  # argument, thread, output, source
    assert "</script>" in browser.look("document.querySelector('.lanes').textContent")
    browser.look(FOCUS)
    browser.press("Home")
    browser.press("ArrowRight")
    assert EVIL in browser.look("document.querySelector('.source').innerText")
    assert browser.problems == []


@needs_chromium
def test_the_policy_refuses_what_is_not_ours(browser: Browser, bank: Path, tmp_path: Path) -> None:
    """That no load was seen would prove little if the policy did not hold."""
    more = '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><script>document.title = "broken"</script>'
    (tmp_path / "changed.html").write_text(bank.read_text().replace("<footer>", f"{more}<footer>"))
    browser.open(tmp_path / "changed.html")
    assert len([problem for problem in browser.problems if "Content Security Policy" in problem]) == 2
    assert browser.look("document.title") != "broken"
    browser.problems.clear()


def test_the_page_needs_no_browser_to_be_checked(evil: Path, bank: Path) -> None:
    for page in (evil.read_text(), bank.read_text()):
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
        assert policy is not None and policy[1].startswith("default-src &#39;none&#39;; ")
        assert not re.search(r"(src|href|action)\s*=", page.split("<script>")[0].replace("src=x onerror", ""))
        assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "https://" not in page
    assert "<img" not in evil.read_text()


def test_a_long_execution_is_cut_and_the_page_says_so(program: Callable[..., Path]) -> None:
    result = bpor.check([str(program("buggy/livelock/nobody_sets.c"))], bound="fair:2", max_steps=5000, carrier="threads")
    page = html_page(result)
    assert "Only the last 2000 of 5000 steps are shown." in page
    assert len(page) < 2_000_000


def test_a_result_without_a_finding_is_a_page_too(program: Callable[..., Path], tmp_path: Path) -> None:
    result = bpor.check([str(program("correct/mutex/counter.c"))], bound="preemption:0..2")
    page = html_page(result)
    assert "No finding." in page and "preemption:2" in page


def test_names_stand_as_code_and_stay_text() -> None:
    assert _names_as_code("T1 holds `a.lock`") == "T1 holds <code>a.lock</code>"
    assert _names_as_code("`pool->lock`") == '<code>pool<span class="arrow">-&gt;</span><wbr>lock</code>'
    assert _names_as_code("`<b>`") == "<code>&lt;b&gt;</code>"
    assert _names_as_code("one ` <alone>") == "one ` &lt;alone&gt;"
