"""How often a replay line gives what it stands for, each time in a fresh process:

    python -m benchmarks.real.replays SCHEDULE [--times 100] -- PROGRAM [arguments]

Prints each ending with its count, and exits with 1 unless all are one finding. Options are those of `bpor-native replay`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from bpor.cli.arguments import parse
from bpor.cli.replay import ReplayRequest, repeat, requested


def ending(request: ReplayRequest) -> tuple[bool, str]:
    """Whether there was a finding, and which."""
    result = repeat(request)
    return bool(result.findings), "; ".join(f"{one.kind}: {one.message}" for one in result.findings) or result.verdict.statement


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=100)
    ours, theirs = parser.parse_known_args(words)
    request = requested(parse(["replay", *theirs]))
    endings = Counter(ending(request) for _ in range(ours.times))
    for (_, text), count in endings.most_common():
        print(f"{count} of {ours.times}: {text}")
    return 0 if len(endings) == 1 and all(found for found, _ in endings) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
