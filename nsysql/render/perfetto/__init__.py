"""A timeline as a trace for Perfetto: its native protobuf, and Chrome's JSON.

`wire` makes protobuf of many rows at once, `descriptions` says what tracks, processes and interned texts there are,
`slices` and `gpu_stages` make packets of events, `native` writes them all. `chrome` is the JSON.
"""
