"""The ranks page: which rank keeps the others waiting in a job."""
