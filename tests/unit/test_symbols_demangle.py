"""Names as people write them."""

from __future__ import annotations

import pytest

from bpor.report.symbols_demangle import demangle, function_name, variable_name


@pytest.mark.parametrize(
    ("mangled", "name"),
    [
        ("main", "main"),
        ("worker.constprop.0", "worker"),
        ("worker.isra.0.cold", "worker"),
        ("_ZN4Bank8transferEii", "Bank::transfer"),
        ("_ZNK4Bank7balanceEv", "Bank::balance"),
        ("_Z6workerIiEvT_", "worker<int>"),
        ("_ZN5QueueIiE4pushEi", "Queue<int>::push"),
        ("_ZN5QueueISt6vectorISt3mapIiiSt4lessIiESaISt4pairIKiiEEESaIS7_EEE4pushEv", "Queue<…>::push"),
        ("_ZZ4mainENKUlvE_clEv", "main::{lambda}"),
        ("_ZZZ4mainENKUlvE_clEvENKUliE_clEi", "main::{lambda}::{lambda}"),
        ("_ZN12_GLOBAL__N_16hiddenEv", "(anonymous namespace)::hidden"),
        ("_ZN1AltERKS_", "A::operator<"),
        ("_ZN1AclEv", "A::operator()"),
        ("_ZN1AptEv", "A::operator->"),
        ("_ZN1AcvbEv", "A::operator bool"),
        ("_Znwm", "operator new"),
        ("_ZN1AD2Ev", "A::~A"),
        ("_Z1fPFvvE", "f"),
        ("_Znot_a_name", "_Znot_a_name"),
        ("_ZN4gate4main17h9a42d5d3dc16230bE", "gate::main"),
        ("_ZN4gate7crossed28_$u7b$$u7b$closure$u7d$$u7d$17h964f1e625b73c436E", "gate::crossed::{closure}"),
        ("_ZN35_$LT$bank..Lock$u20$as$u20$Drop$GT$4drop17h964f1e625b73c436E", "<bank::Lock as Drop>::drop"),
    ],
)
def test_a_function_is_called_as_in_the_source(mangled: str, name: str) -> None:
    assert function_name(mangled) == name


@pytest.mark.parametrize(
    ("mangled", "name"),
    [("lock", "lock"), ("lock.0", "lock"), ("_ZN4bank5localE", "bank::local"), ("_ZZ4mainE1m", "main::m"), ("_ZZ3runvE1m", "run::m")],
)
def test_a_variable_is_called_as_in_the_source(mangled: str, name: str) -> None:
    assert variable_name(mangled) == name


def test_without_the_cxx_library_names_stay_raw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bpor.report.symbols_demangle._library", lambda: None)
    demangle.cache_clear()
    try:
        assert demangle("_ZN4Bank8transferEii") == "_ZN4Bank8transferEii"
    finally:
        demangle.cache_clear()
