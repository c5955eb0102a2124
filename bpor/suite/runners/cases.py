"""From the tests of a runner to the cases of a suite: a program that holds many tests becomes one case for each."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Mapping

from bpor.errors import UsageError
from bpor.lazy_dataclass import replace
from bpor.settings import Settings
from bpor.store.place import Place
from bpor.suite.case import Case
from bpor.suite.discovery import each_test
from bpor.suite.frameworks import framework_of
from bpor.suite.runners.listed import Listed, Project


def cases_of_project(project: Project, settings: Settings, environment: Mapping[str, str]) -> list[Case]:
    """Raises UsageError if there is nothing to test."""
    cases = [case for test in project.tests for case in _cases(test, settings, environment)]
    if not cases:
        raise UsageError("no test was found, so nothing would be tested")
    return _with_names_of_their_own(cases)


def _cases(test: Listed, settings: Settings, environment: Mapping[str, str]) -> list[Case]:
    program = shutil.which(test.argv[0], path=environment.get("PATH")) or test.argv[0]
    argv = (program, *test.argv[1:])
    plain = Case(test.name, argv, settings, Place(test.directory, test.environment), refused=test.refused, skips_with=test.skips_with)
    framework = framework_of(program) if not test.refused and os.path.isfile(program) else None
    if framework is None or framework.chooses(test.argv[1:]):
        return [plain]
    try:
        cases = each_test(plain, framework, environment)
    except UsageError:
        return [plain]  # it lists nothing: then it is one test
    return cases


def _with_names_of_their_own(cases: list[Case]) -> list[Case]:
    """`gate` twice (a library and a program of one package) becomes `gate` and `gate#2`."""
    seen: Counter[str] = Counter()
    named = []
    for case in cases:
        seen[case.name] += 1
        named.append(case if seen[case.name] == 1 else replace(case, name=f"{case.name}#{seen[case.name]}"))
    return named
