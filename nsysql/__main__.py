"""`python -m nsysql` is the command `nsysql`."""

from nsysql.cli import main

main()
