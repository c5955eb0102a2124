"""The headline of a finding is the program's own failure, and its place is the failed check's."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bpor import api
from bpor.model.trace import End, Outcome
from bpor.report.checked import Checked
from bpor.report.html import html_page
from bpor.report.json_report import to_json
from bpor.report.junit import junit_xml
from bpor.report.own_failure import own_failure, with_arguments
from bpor.report.result import Result
from bpor.report.sarif import sarif
from bpor.report.text import text_report
from tests.golden.frameworks.record import FRAMEWORKS, RECORDED
from tests.patience import PATIENCE

HERE = Path(__file__).parent / "frameworks"
ABORTS = ("glib",)


def recorded(name: str) -> list[tuple[str, bytes]]:
    """(test, what it printed)."""
    pieces = (RECORDED / f"{name}.txt").read_text().split("%%%% ")[1:]
    return [(head, text.encode()) for head, _, text in (piece.partition("\n") for piece in pieces)]


def headlines(name: str) -> list[str]:
    end = Outcome.CRASH if name in ABORTS else Outcome.EXIT
    found = [own_failure(End(end, 6 if name in ABORTS else 1, stdout=text)) for _, text in recorded(name)]
    return [failure.headline if failure is not None else "nothing" for failure in found]


@pytest.mark.parametrize("name", [framework.name for framework in FRAMEWORKS])
def test_the_headline_of_each_kind_of_check(name: str) -> None:
    """As in frameworks/headlines.txt, a line for each test that was recorded."""
    text = (HERE / "headlines.txt").read_text()
    (section,) = [part for part in text.split("\n\n") if part.startswith(f"{name}:\n")]
    assert [f"  {line}" for line in headlines(name)] == section.splitlines()[1:]


def test_a_failed_check_of_criterion_as_the_runtime_tells_it() -> None:
    said = b"counter/both: failed: /src/t.c:7: The expression (total) == (2) is false.\n"
    failure = own_failure(End(Outcome.EXIT, 1, stderr=said))
    assert failure is not None and failure.headline == "counter/both failed, t.c:7: `(total) == (2)` is false"
    said = b"counter/both: failed: t.c:7: lost 1\n"
    failure = own_failure(End(Outcome.EXIT, 1, stderr=said))
    assert failure is not None and failure.headline == "counter/both failed, t.c:7: lost 1"


def test_output_that_looks_like_a_report_makes_no_failure() -> None:
    text = (RECORDED / "googletest.txt").read_bytes()
    for outcome in (Outcome.PASSED, Outcome.DEADLOCK, Outcome.CRASH, Outcome.ASSERTION, Outcome.MISUSE):
        assert own_failure(End(outcome, stdout=text)) is None
    assert own_failure(End(Outcome.CRASH, 6, stdout=text)) is None  # an abort after a failed check may have another reason
    assert own_failure(End(Outcome.EXIT, 1, stdout=b"a.c:3: Failure\n")) is None  # of no googletest
    assert own_failure(End(Outcome.EXIT, 1, stdout=b"\xff\x00[ RUN      ] \n\x1b[0;31m")) is None


def test_what_rust_compared_is_read_from_the_source() -> None:
    ((_, text), *_) = recorded("rust")
    failure = own_failure(End(Outcome.EXIT, 101, stdout=text))
    assert failure is not None
    assert with_arguments(failure, "assert_eq!(three(), 2);").text == "three() == 2, actual 3"
    assert with_arguments(failure, 'assert_eq!(sum(1, 2), want[0], "a, b");').text == "sum(1, 2) == want[0], actual 3 vs 2"
    assert with_arguments(failure, "assert_eq!(three(),") == failure  # it goes on in the next line


IN_A_THREAD = "\nthread '<unnamed>' panicked at src/main.rs:4:9:\nlost\n"


@pytest.mark.parametrize(
    "in_main, headline",
    [
        ("assertion failed: done", "thread main failed, main.rs:9: done"),
        ("called `Result::unwrap()` on an `Err` value: Any { .. }", "thread <unnamed> failed, main.rs:4: lost"),
        ("called `Result::unwrap()` on an `Err` value: PoisonError { .. }", "thread <unnamed> failed, main.rs:4: lost"),
        ("a scoped thread panicked", "thread <unnamed> failed, main.rs:4: lost"),
    ],
)
def test_a_panic_of_main_counts_unless_it_follows_from_one_of_a_thread(in_main: str, headline: str) -> None:
    """A thread may panic on purpose: main looks at what its join says, and goes on."""
    said = f"{IN_A_THREAD}\nthread 'main' panicked at src/main.rs:9:5:\n{in_main}\nnote: run with `RUST_BACKTRACE=1`\n"
    failure = own_failure(End(Outcome.EXIT, 101, stderr=said.encode()))
    assert failure is not None and failure.headline == headline


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Result:
    place = tmp_path_factory.mktemp("cache")
    command = ["g++", "-g", f"-I{HERE}", str(HERE / "cache.cpp"), "-o", "test_cache", "-lgtest", "-lgtest_main", "-pthread"]
    built = subprocess.run(command, cwd=place, timeout=PATIENCE, capture_output=True)
    if b"gtest/gtest.h" in built.stderr:
        pytest.skip("needs libgtest-dev")
    assert built.returncode == 0, built.stderr
    return api.check([str(place / "test_cache"), "--gtest_filter=Cache.ConcurrentPuts"], state="none")


@pytest.mark.needs("g++")
def test_a_googletest_failure_is_told_in_its_own_words(cache: Result) -> None:
    (finding,) = cache.findings
    place = "cache.cpp:19"
    assert str(finding) == f"Cache.ConcurrentPuts failed, {place}: cache.size() <= 2, actual 3"
    assert finding.summary == f"Cache.ConcurrentPuts failed, {place}"
    assert cache.verdict.statement.startswith(f"bug: Cache.ConcurrentPuts failed, {place}; with 1 preemption; ")
    assert text_report(finding).startswith(
        f"Cache.ConcurrentPuts failed, {place}: cache.size() <= 2, actual 3\n"
        f"  It takes 1 preemption and {len(finding.schedule)} steps; the program then ends with exit status 1.\n"
    )
    assert finding.site is not None
    assert (finding.site.file, finding.site.source) == (str(HERE / "cache.cpp"), "EXPECT_LE(cache.size(), 2);")


@pytest.mark.needs("g++")
def test_the_failed_check_is_the_place_in_every_format(cache: Result) -> None:
    checked = [Checked("test_cache:Cache.ConcurrentPuts", cache)]
    (result,) = sarif(checked, str(HERE))["runs"][0]["results"]
    where = result["locations"][0]["physicalLocation"]
    assert (where["artifactLocation"]["uri"], where["region"]["startLine"]) == ("cache.cpp", 19)
    case = next(ElementTree.fromstring(junit_xml(checked)).iter("testcase"))
    assert case.attrib["file"].endswith("frameworks/cache.cpp") and case.attrib["line"] == "19"
    assert case.find("failure").attrib["message"] == str(cache.findings[0])  # type: ignore[union-attr]
    document = json.loads(json.dumps(to_json(cache)))["findings"][0]
    assert document["failure"] == {"framework": "googletest", "test": "Cache.ConcurrentPuts", "text": "cache.size() <= 2, actual 3"}
    assert (document["site"]["line"], document["kind"]) == (19, "exit")
    assert "cache.cpp:19" in html_page(cache)


@pytest.mark.needs("gcc", "pkg-config")
def test_a_forked_test_of_libcheck_is_told_in_its_own_words(tmp_path: Path) -> None:
    if subprocess.run(["pkg-config", "--exists", "check"]).returncode != 0:
        pytest.skip("needs check")
    command = f"gcc -g {HERE / 'libcheck.c'} -o test_counter $(pkg-config --cflags --libs check) -pthread"
    subprocess.run(command, shell=True, cwd=tmp_path, check=True, timeout=PATIENCE)
    (finding,) = api.check([str(tmp_path / "test_counter")], state="none").findings
    assert str(finding) == "adding:both_count failed, libcheck.c:32: total == 2, actual 1"
