"""Define what `import nsysql` provides: an open export with its pages as methods."""
