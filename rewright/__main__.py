"""``python -m rewright``: the command line."""

from rewright.cli import main

if __name__ == "__main__":
    main()
