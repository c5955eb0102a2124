"""The version, once: the package's metadata, `--version` and the JSON report all read it from here."""

VERSION = "0.2.0"
