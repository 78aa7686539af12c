"""A timeline as a trace for Perfetto: its native protobuf.

`wire` makes protobuf of many rows at once, `descriptions` says what tracks, processes and interned texts there are,
`slices`, `gpu_stages` and `measures` make packets of events, `native` writes them all.
"""
