"""Test runners that bpor-native stands in for: `bpor-native ctest`, `meson test`, `cargo test`.

listed.py  a test as a runner would start it      native.py  their own commands, run as they are, quiet unless they fail
extension.py  a C extension, for `bpor-native pytest`, which is pytest itself afterwards
ctest.py, meson.py, cargo.py  build into a directory of our own, then ask the runner for its tests
cases.py   from such tests to the cases of a suite
Invariant: which tests there are, with which arguments, where and in which environment, the runner itself says; a test whose result we could
not judge as the runner does is refused by name, never passed.
"""
