"""Attribute every idle nanosecond of every GPU to exactly one cause: the idle ledger."""
