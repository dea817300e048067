"""What holds for all tests."""

import signal

# Whoever starts the tests in the background of a shell lets them ignore Ctrl-C, and all that they
# start with them. Some tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)
