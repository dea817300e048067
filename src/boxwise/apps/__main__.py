"""The command line where its script is not on the path: ``python -m boxwise.apps``."""

from boxwise.apps.entry import main

if __name__ == "__main__":
    main()
