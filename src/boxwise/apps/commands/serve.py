"""``boxwise serve``: models behind HTTP that learn and predict."""

from __future__ import annotations

import ipaddress
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boxwise import dumps, load
from boxwise.apps.options import model as parameters
from boxwise.apps.options.monotone import with_classes
from boxwise.apps.outcome import fail, failures_reported, notify
from boxwise.database import Store, StoreError, check_model_name, open_store

if TYPE_CHECKING:
    from boxwise.service import Settings, Tokens
    from boxwise.service.service import Service

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass
class LimitOptions:
    """Limits and intervals of the service."""

    max_body: Annotated[
        int, typer.Option(metavar="BYTES", min=1024, help="Largest body of a request.")
    ] = 16 * 2**20
    max_rows: Annotated[int, typer.Option(metavar="N", min=1, help="Most rows of a request.")] = (
        10_000
    )
    rate: Annotated[
        float | None,
        typer.Option(metavar="N", min=0.001, help="Requests a second of each token (no limit)."),
    ] = None
    checkpoint_rows: Annotated[
        int, typer.Option(metavar="N", min=1, help="Write a checkpoint every N rows.")
    ] = 10_000
    checkpoint_seconds: Annotated[
        float,
        typer.Option(metavar="S", min=0.1, help="Write a checkpoint S seconds after a change."),
    ] = 60.0
    keep_journal: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Journal entries that stay (all)."),
    ] = None
    prediction_days: Annotated[
        float,
        typer.Option(metavar="DAYS", min=0.001, help="How long rows wait for their labels."),
    ] = 30.0
    point_seconds: Annotated[
        float, typer.Option(metavar="S", min=0.1, help="The interval of the history.")
    ] = 5.0


@dataclass
class ProxyOptions:
    """How the service is reached."""

    root_path: Annotated[
        str, typer.Option(metavar="PATH", help="The path under which a proxy offers the service.")
    ] = ""
    forwarded_allow_ips: Annotated[
        str,
        typer.Option(metavar="IPS", help="Proxies whose X-Forwarded headers are believed."),
    ] = "127.0.0.1"
    cors_origin: Annotated[
        list[str] | None,
        typer.Option(metavar="ORIGIN", help="A site whose pages may use the service (none)."),
    ] = None
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name by which the service may be called (any)."),
    ] = None


def serve(
    model: Annotated[
        Path | None, typer.Argument(metavar="MODEL", help="A model file to begin with.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Where models are kept: an SQLite file or postgresql://... ."
        ),
    ] = None,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="The name of the model in the store.")
    ] = "default",
    new: Annotated[bool, typer.Option("--new", help="Begin with an empty model.")] = False,
    schema: Annotated[
        Path | None,
        typer.Option(metavar="JSON", help="The columns of the empty model and their kinds."),
    ] = None,
    host: Annotated[
        str, typer.Option(metavar="HOST", help="The address to listen at.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=65535, help="The port; 0 is any free one.")
    ] = 8000,
    tokens: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Who may do what: lines name:scope,scope:token."),
    ] = None,
    new_token: Annotated[
        str | None,
        typer.Option(metavar="NAME:SCOPES", help="Make a token, print it and its line, and end."),
    ] = None,
    no_auth: Annotated[
        bool, typer.Option("--no-auth", help="Let everybody in who can reach the address.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Log no requests.")] = False,
    *,
    settings: parameters.SettingOptions,
    limits: LimitOptions,
    proxy: ProxyOptions,
) -> None:
    """Serve models over HTTP: they predict, learn, and lose nothing.

    Every request to learn is written to a journal, on disk, before it is answered; after a crash
    the model is made from the last checkpoint and the journal, bit by bit. The models are in the
    store, by default an SQLite file beside the model file. A model file is read only if the store
    has no model of that name yet. Without MODEL all models of the store are served.

    Without tokens the service listens at the loopback address only. Tokens are in a file (--tokens)
    or in the variable BOXWISE_TOKENS, as lines name:scopes:token; the scopes are predict, learn
    and admin. /docs describes the API, / is a page to watch the model.

    SIGTERM and Ctrl-C end it: what was sent is answered and a checkpoint is written.

    \b
    Examples:
      boxwise serve loans.box
      boxwise serve --new --schema columns.json --store loans.db
      boxwise serve --store postgresql://boxwise@db/models --tokens tokens.txt
      boxwise serve loans.box --host 0.0.0.0 --port 80 --tokens tokens.txt
      boxwise serve --new-token web:predict,learn >> tokens.txt

    \b
    Exit codes:
      0    stopped by SIGTERM or Ctrl-C
      1    the store, the model or the address cannot be used
      2    wrong usage
    """  # noqa: D301  (click marks with it what it must not wrap)
    try:
        from boxwise.service import create_app
        from boxwise.service.http import server
    except ImportError as error:
        fail(str(error))
    if new_token is not None:
        _print_token(new_token)
        return
    allowed = _tokens(tokens)
    chosen = _settings(limits, proxy)
    if not allowed and not no_auth:
        if not _is_loopback(host):
            raise typer.BadParameter(
                "without tokens everybody who can reach this address could use the service; give "
                "--tokens, or --no-auth if that is meant",
                param_hint="--host",
            )
        notify("no tokens: everybody on this machine may use the service (see --tokens)")
        chosen = _local_only(chosen)
    if new != (schema is not None) or (new and model is not None):
        raise typer.BadParameter(
            "an empty model needs both --new and --schema, and no model file", param_hint="--new"
        )
    if settings.any_given and not new:
        raise typer.BadParameter("the model has its settings; they go with --new only")
    with _store_failures(), failures_reported(), _open(_store_url(store, model)) as opened:
        _add_model(opened, model, name, schema if new else None, settings)
        try:
            listening = server.listen(host, port)
        except OSError as error:
            fail(f"{host}:{port} cannot be listened at: {error.strerror or error}")
        server.set_up_logs(logging.WARNING if quiet else logging.INFO)
        app = create_app(opened, settings=chosen, tokens=allowed)
        _load(app.state.service)
        root_path = f"/{proxy.root_path.strip('/')}".rstrip("/")
        # The first line of standard output: programs that start the service read it.
        started = f"boxwise serves at {server.address_of(listening)}{root_path}"
        if not server.run(
            app,
            listening,
            root_path=root_path,
            forwarded_allow_ips=proxy.forwarded_allow_ips,
            started=lambda: print(started, flush=True),
        ):
            fail("the service did not start; see above")


def _load(service: Service) -> None:
    from boxwise.service import Problem

    try:
        service.load()
    except Problem as problem:
        fail(problem.detail)


def _print_token(wanted: str) -> None:
    from boxwise.service.http.tokens import new_token

    name, _, scopes = wanted.partition(":")
    try:
        token, line = new_token(name, scopes)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--new-token") from None
    notify(f"the token, which is not stored anywhere: {token}")
    typer.echo(line)


def _tokens(path: Path | None) -> Tokens:
    from boxwise.service.http.tokens import Tokens

    try:
        if path is not None:
            return Tokens.read(path)
        return Tokens.parse(os.environ.get("BOXWISE_TOKENS", "").split())
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    except ValueError as error:
        fail(str(error))


def _settings(limits: LimitOptions, proxy: ProxyOptions) -> Settings:
    from boxwise.service.settings import Settings

    return Settings(
        **vars(limits),
        cors_origins=tuple(proxy.cors_origin or ()),
        allowed_hosts=tuple(one.lower() for one in proxy.allowed_host or ()),
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _local_only(settings: Settings) -> Settings:
    """Refuse names of other machines: a page may make a browser believe they are this one."""
    return replace(settings, allowed_hosts=settings.allowed_hosts or LOOPBACK)


def _store_url(store: str | None, model: Path | None) -> str:
    if store is not None:
        return store
    if model is None:
        raise typer.BadParameter(
            "name the store, or a model file beside which it is to be", param_hint="--store"
        )
    return str(model.with_suffix(".db"))


def _open(url: str) -> Store:
    try:
        return open_store(url)
    except (ImportError, ValueError) as error:
        fail(str(error))


@contextmanager
def _store_failures() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        fail(str(error))


def _add_model(
    store: Store,
    path: Path | None,
    name: str,
    schema: Path | None,
    settings: parameters.SettingOptions,
) -> None:
    """Put the model of a file, or an empty one, into the store unless it has one of its name."""
    from boxwise.service import Problem

    try:
        check_model_name(name)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--name") from None
    if path is None and schema is None:
        if not store.models():
            fail(f"{store.url} has no model; give a model file, or --new and --schema")
        return
    if store.has_model(name):
        notify(
            f"{store.url} has model {name!r}, at position {store.last_position(name)}: it goes on "
            f"from there, and {path or schema} is not read"
        )
        return
    try:
        if path is not None:
            store.create_model(name, dumps(load(path)))
        else:
            assert schema is not None
            store.create_model(name, _empty(schema, settings))
    except Problem as problem:
        fail(f"{schema}: {problem.detail}")


def _empty(path: Path, settings: parameters.SettingOptions) -> bytes:
    from boxwise.service import new_model

    try:
        schema = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        fail(f"{path} is not JSON: {error}")
    kind, fixed = parameters.LEARNERS[settings.algorithm or parameters.Algorithm.hyperbox]
    given = settings.given()
    with_classes(given.get("monotonic_cst", {}), ())  # no row has come yet
    return new_model(schema, kind.__name__, {**fixed, **given})
