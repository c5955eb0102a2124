"""The contract with the C runtime: ops (generated from csrc/protocol/ops.def) and wire (the view of protocol.h)."""
