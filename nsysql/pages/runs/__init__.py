"""The page about many runs: a row for each, what stands out, how much they differ, and when each was busy.

`one` asks one export, in whichever process reads it; `gather` puts the answers of all together, `measures` what they
come to, `page` says it for people, `document` for programs.
"""
