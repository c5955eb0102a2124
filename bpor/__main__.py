"""`python -m bpor` is `bpor-native`. Runs on every Python (see platform_support)."""

import sys

from bpor.cli import main

sys.exit(main())
