"""What `import nsysql` gives: an open export with its pages as methods."""
