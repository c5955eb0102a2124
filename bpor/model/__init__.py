"""Pure values shared by everyone: what a thread will do, what it did, one execution, one plan. Imports nothing else of bpor but protocol.ops."""
