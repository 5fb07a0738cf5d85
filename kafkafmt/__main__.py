"""`python -m kafkafmt`: the same as the command `kafkafmt`."""

from kafkafmt.cli.main import main

if __name__ == "__main__":
    main()
