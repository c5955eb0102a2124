"""Native programs: what they are (elf, program, census) and how they are run (launch, channel, conversation, executor)."""
