"""Work in several processes: tasks in, their results out, in the order of the tasks.

A process ends when its connection to this one is closed, also because this one was killed. Signals
of the terminal are left to this one.
"""

from __future__ import annotations

import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeAlias, TypeVar

T = TypeVar("T")
R = TypeVar("R")
Tell: TypeAlias = Callable[[object], None]

LOOK = 0.1  # seconds between two looks at whether to stop
PATIENCE = 5.0  # seconds for a process to end


class WorkStopped(Exception):  # noqa: N818  (no error)
    """The work was stopped before its end."""


class WorkerDiedError(Exception):
    """A process that ended in the middle of a task, as if there was no memory left."""

    def __init__(self, task: int, exit_code: int | None) -> None:
        self.task, self.exit_code = task, exit_code
        super().__init__(f"the process of task {task} ended with {exit_code}")


class _Kind(Enum):
    news, result, error = range(3)


def results_in_order(
    work: Callable[[T, Tell], R],
    tasks: Sequence[T],
    n_processes: int,
    *,
    news: Callable[[int, Any], None],
    stopped: Callable[[], bool],
) -> Iterator[R]:
    """Do tasks in processes, and yield the results in the order of the tasks.

    Parameters
    ----------
    work : callable
        Takes a task, and a callable for news of its progress. A function of a module.
    tasks : sequence
        The tasks; they are begun in their order.
    n_processes : int
        How many processes there are, at most.
    news : callable
        Takes the number of a task and what its process tells of it.
    stopped : callable
        Asked often whether to stop.

    Raises
    ------
    WorkStopped
        If asked to stop. All processes are ended first, as they are after any error.
    WorkerDiedError
        If a process ends without a result.
    """
    crew = [_Worker(work) for _ in range(min(n_processes, len(tasks)))]
    waiting, done, yielded = deque(enumerate(tasks)), dict[int, R](), 0
    try:
        for worker in crew:
            worker.begin(*waiting.popleft())
        while yielded < len(tasks):
            if stopped():
                raise WorkStopped
            for worker in _with_messages(crew):
                kind, content = worker.message(stopped)
                task = worker.task
                assert task is not None
                if kind is _Kind.news:
                    news(task, content)
                elif kind is _Kind.error:
                    raise content
                else:
                    done[task] = content
                    worker.task = None
                    if waiting:
                        worker.begin(*waiting.popleft())
            while yielded in done:
                yield done.pop(yielded)
                yielded += 1
    finally:
        for worker in crew:
            worker.end()


class _Worker(Generic[T, R]):
    """A process, and the task that it works on."""

    def __init__(self, work: Callable[[T, Tell], R]) -> None:
        context = get_context("spawn")  # a fork would copy threads' locks, and differ by system
        self.connection, theirs = context.Pipe()
        self.task: int | None = None
        self._process = context.Process(target=_serve, args=(theirs, work), daemon=True)
        with _interrupts_held():
            self._process.start()
        theirs.close()

    def begin(self, number: int, task: T) -> None:
        self.task = number
        with suppress(ConnectionError):  # it has died, which the wait for its result finds out
            self.connection.send(task)

    def message(self, stopped: Callable[[], bool]) -> tuple[_Kind, Any]:
        assert self.task is not None
        try:
            kind, content = self.connection.recv()
        except (EOFError, ConnectionError):
            self._process.join(PATIENCE)
            if stopped():  # a signal to the whole group
                raise WorkStopped from None
            raise WorkerDiedError(self.task, self._process.exitcode) from None
        return kind, content

    def end(self) -> None:
        self.connection.close()
        if self.task is not None:
            self._process.terminate()
        self._process.join(PATIENCE)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
        self._process.close()


def _with_messages(crew: Sequence[_Worker[T, R]]) -> Iterator[_Worker[T, R]]:
    busy: dict[object, _Worker[T, R]] = {w.connection: w for w in crew if w.task is not None}
    for connection in wait([w.connection for w in busy.values()], timeout=LOOK):
        yield busy[connection]


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back; a process that is begun meanwhile never gets it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(connection: Connection, work: Callable[[Any, Tell], Any]) -> None:
    """Do tasks until there is no one to give any."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def tell(news: object) -> None:
        connection.send((_Kind.news, news))

    with suppress(EOFError, ConnectionError):
        while True:
            task = connection.recv()
            try:
                result = work(task, tell)
            except ConnectionError:
                raise
            except Exception as error:
                connection.send((_Kind.error, _portable(error)))
            else:
                connection.send((_Kind.result, result))


def _portable(error: Exception) -> Exception:
    """Return an error that another process can read."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
