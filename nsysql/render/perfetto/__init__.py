"""A timeline as a trace for Perfetto: its native protobuf.

`wire` makes protobuf of many rows at once; `slices` says what tracks, processes and interned texts there are and
makes packets of what threads did and of idle time, `native` of all else, and writes them.
"""
