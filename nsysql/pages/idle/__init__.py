"""The page of `nsysql idle-gaps`: why each GPU was idle, and what to do first; `explain` shows one gap in full."""
