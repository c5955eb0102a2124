"""Real extension modules from PyPI, every pair of their main operations at once: `python -m benchmarks.packages.survey`."""
