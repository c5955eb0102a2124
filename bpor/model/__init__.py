"""Pure values shared by everyone: what a thread will do, what it did, one execution, one plan. Imports only protocol.ops."""
