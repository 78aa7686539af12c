"""Findings: what limits each part of a run, by the rules of queries/findings/, ranked by what they could save."""
