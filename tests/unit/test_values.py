"""What the API returns: values that pickle, compare and print well."""

from __future__ import annotations

import pickle

import pytest

from bpor.api import check_target
from bpor.confirmation import Target
from bpor.report.result import Result
from bpor.settings import Settings
from bpor.simulate.executor import SimulatedExecutor
from bpor.simulate.notation import parse
from tests.unit.test_api import simulated
