"""Libraries of the world under the tool: docs/real-programs.md."""
