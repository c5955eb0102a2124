"""Every knob once: the table, its defaults and the way back to a command line."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from bpor.cli.arguments import parse
from bpor.cli.help import NO_ARGUMENTS, help_text
from bpor.cli.words import VERBS
from bpor.knobs.durations import duration_text
from bpor.knobs.knob import Knob
from bpor.settings import KNOBS, Settings, as_options, to_arguments

EXAMPLES: dict[str, Any] = {
    "bound": "fair:2,preemption:2",
    "search": "random",
    "orders": True,
    "with_order": "queue+1a2b=release,queue+1a=acq_rel/relaxed",
    "max_executions": 7,
    "max_time": 90.0,
    "max_memory": 2 << 30,
    "max_steps": 500,
    "seed": 3,
    "keep_going": True,
    "known_steps": False,
    "symmetry": "same",
    "retries": "last",
    "match": "memory",
    "sleep_sets": False,
    "transitive_reduction": False,
    "bound_optimisation": False,
    "signal": "fifo",
    "timeouts": "explore",
    "spurious": True,
    "races": "off",
    "machine_code": "all",
    "memory": "c11",
    "faults": "malloc:1,eintr:2",
    "visible": "1a2b+4",
    "quarantine": "off",
    "process_state": "files,random",
    "gil": "off",
    "stdin": "a file",
    "control": "*/worker",
    "process": 2,
    "watchdog": 2.5,
    "fork_at": "ready",
    "reset": "exec",
    "carrier": "threads",
    "require": "memory",
    "json": "out.json",
    "outcomes": True,
    "show_output": True,
    "inconclusive": "pass",
    "uncontrolled": "skip",
    "quiet": True,
    "resume": True,
    "checkpoints": False,
    "state": "elsewhere",
    "html": "page.html",
    "plot": "plot.svg",
    "print_trace": True,
    "step": True,
    "gdb": True,
    "batch": True,
    "rounds": 5,
    "engine": "native",
    "workers": 2,
    "cluster": "local:2",
    "send_files": "data,words",
    "insecure_cluster": True,
    "junit": "results.xml",
    "sarif": "results.sarif",
    "github": True,
    "suppressions": "known.supp",
    "corpus": "findings",
    "self_check": True,
    "config": "bpor.toml",
    "budget": 300.0,
    "jobs": 4,
    "shard": "2/3",
    "baseline": "then.json",
    "write_baseline": "now.json",
    "seal": "lib*,push",
    "trust": "module:libfoo*,independent:function:log_*",
}


def test_every_field_of_the_settings_is_a_knob_with_the_same_default() -> None:
    assert {knob.field: knob.default for knob in KNOBS} == {slot.name: slot.default for slot in fields(Settings)}


def test_every_knob_has_an_example_here() -> None:
    assert set(EXAMPLES) == {knob.field for knob in KNOBS}


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.flag)
def test_a_knob_survives_the_way_to_the_command_line_and_back(knob: Knob) -> None:
    settings = Settings(**{knob.field: EXAMPLES[knob.field]})
    assert settings != Settings()
    assert parse([*to_arguments(settings), "--", "./t"]).settings == settings


def test_all_knobs_at_once_survive_the_way_to_the_command_line_and_back() -> None:
    settings = Settings(**EXAMPLES)
    assert parse([*to_arguments(settings), "--", "./t"]).settings == settings


def test_the_defaults_need_no_arguments() -> None:
    assert to_arguments(Settings()) == []


def test_a_replay_repeats_what_changes_a_schedules_meaning_and_nothing_else() -> None:
    assert to_arguments(Settings(**EXAMPLES), semantic=True) == [
        "--max-steps=500",
        "--seed=3",
        "--trust=module:libfoo*,independent:function:log_*",
        "--signal=fifo",
        "--timeouts=explore",
        "--spurious",
        "--races=off",
        "--machine-code=all",
        "--memory=c11",
        "--with-order=queue+1a2b=release,queue+1a=acq_rel/relaxed",
        "--faults=malloc:1,eintr:2",
        "--visible=1a2b+4",
        "--process-state=files,random",
        "--quarantine=off",
        "--gil=off",
        "--stdin=a file",
        "--control=*/worker",
        "--process=2",
    ]


def test_replay_accepts_every_option_that_changes_meaning() -> None:
    assert [knob.flag for knob in KNOBS if knob.semantic and "replay" not in knob.verbs] == []


@pytest.mark.parametrize(("seconds", "text"), [(None, "none"), (600, "10m"), (7200, "2h"), (90, "90s"), (0.5, "0.5s"), (20, "20s")])
def test_a_duration_prints_in_its_largest_whole_unit(seconds: float | None, text: str) -> None:
    assert duration_text(seconds) == text


def test_the_settings_are_plain_values_for_json() -> None:
    assert all(value is None or isinstance(value, str | int | float | bool) for value in as_options(Settings(**EXAMPLES)).values())


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_fits_a_screen_and_names_every_option_it_takes(verb: str) -> None:
    text = help_text(verb)
    assert text.count("\n") <= 43
    assert max(map(len, text.splitlines())) <= 100
    assert all((knob.flag in text) == (verb in knob.verbs) for knob in KNOBS)


def test_without_arguments_there_are_ten_lines_with_the_three_uses() -> None:
    lines = NO_ARGUMENTS.splitlines()
    assert len(lines) == 10
    assert [line.split()[1] for line in lines if line.startswith("  bpor-native")] == ["./my_test", "replay", "doctor"]
