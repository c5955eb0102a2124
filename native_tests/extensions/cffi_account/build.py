"""What setuptools asks for the module cffi_account (its keyword cffi_modules)."""

from pathlib import Path

from cffi import FFI

builder = FFI()
builder.cdef("bool withdraw(int amount); static int balance;")
builder.set_source("cffi_account", '#include "account.h"', include_dirs=[str(Path(__file__).parent)])
