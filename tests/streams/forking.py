"""Starts `boxwise` commands quickly: this process imports everything once and forks for each.

In: a line of JSON a command, with the arguments and a file for its output. Out: a line with the
process, and once it has ended, one with its exit code.
"""

import json
import os
import sys
from contextlib import suppress
from importlib import import_module

from boxwise.apps.entry import main

LEAVES = ("redis_streams", "kafka_topics", "nats_streams", "csv_rows", "file_lines")
for name in ("apps.cli", "service", "database.postgresql", *(f"streams.{leaf}" for leaf in LEAVES)):
    with suppress(ImportError):
        import_module(f"boxwise.{name}")


def run(arguments: list[str], output: str) -> int:
    file = os.open(output, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for number in (1, 2):
        os.dup2(file, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.argv = ["boxwise", *arguments]
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return 0


if __name__ == "__main__":
    for line in sys.stdin:
        job = json.loads(line)
        process = os.fork()
        if process == 0:
            code = 1
            try:
                code = run(job["arguments"], job["output"])
            except BaseException:
                import traceback

                os.write(2, traceback.format_exc().encode())
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        print(process, flush=True)
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
