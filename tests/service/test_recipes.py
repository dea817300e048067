"""The recipes of the folder recipes: parsed, verified, and the proxies run before the service."""

from __future__ import annotations

import json
import re
import shutil
import ssl
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("typer")

import httpx
from tests.service.serving import BOXWISE, COLUMNS, LABELS, ROWS, Process, until
from tests.streams.servers import free_port

RECIPES = Path(__file__).parents[2] / "recipes"
TOKEN = "admin-token-0123456789"
HOST = "boxwise.example"

if not RECIPES.is_dir():
    pytest.skip("the recipes are in the source tree only", allow_module_level=True)


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def test_compose_file_names_what_there_is():
    yaml = pytest.importorskip("yaml")
    services = yaml.safe_load((RECIPES / "compose.yaml").read_text())["services"]
    boxwise, database = services["boxwise"], services["db"]
    context = (RECIPES / boxwise["build"]["context"]).resolve()
    assert (context / boxwise["build"]["dockerfile"]).read_text() == dockerfile()
    assert all(port.startswith("127.0.0.1:") for port in boxwise["ports"])
    assert "ports" not in database and "healthcheck" in database
    assert boxwise["depends_on"]["db"]["condition"] == "service_healthy"
    mounted = [volume.split(":")[1] for volume in boxwise["volumes"]]
    assert {"/etc/boxwise/tokens", "/etc/boxwise/loans.box"} <= {*mounted}
    assert boxwise["command"][0] in mounted


def dockerfile():
    return (RECIPES / "Dockerfile").read_text()


def test_commands_of_the_recipes_are_those_of_the_command_line(tmp_path):
    """Run them with the paths and ports of this test: they must be understood."""
    commands = [
        json.loads(re.search(r"^ENTRYPOINT (\[.*\])$", dockerfile(), re.M)[1])
        + json.loads(re.search(r"^CMD (\[.*\])$", dockerfile(), re.M)[1]),
        re.search(r"^ExecStart=(.*)$", unit(), re.M)[1].split(),
    ]
    (tmp_path / "tokens").write_text(f"all:admin:{TOKEN}\n")
    for command in commands:
        text = " ".join(command[1:])
        for place in ("/etc/boxwise/tokens", "${CREDENTIALS_DIRECTORY}/tokens"):
            text = text.replace(place, "tokens")
        for place in ("/var/lib/boxwise/models.db", "${STATE_DIRECTORY}/models.db"):
            text = text.replace(place, "models.db")
        text = text.replace("0.0.0.0", "127.0.0.1").replace("--port 8000", "--port 0")
        done = subprocess.run(
            [BOXWISE, *text.split()], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        assert (done.returncode, done.stdout) == (1, "")  # there is no such model file
        assert "/etc/boxwise/loans.box" in done.stderr


def unit():
    return (RECIPES / "boxwise.service").read_text()


@needs("systemd-analyze")
def test_unit_is_valid_and_hardened(tmp_path):
    path = tmp_path / "boxwise.service"
    path.write_text(unit().replace("/opt/boxwise/bin/boxwise", f'"{BOXWISE}"'))
    done = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True)
    if "boxwise.service" not in done.stderr and done.returncode:
        pytest.skip(f"systemd-analyze does not work here: {done.stderr}")
    assert (done.returncode, done.stderr) == (0, "")
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", path],
        capture_output=True, text=True,
    )  # fmt: skip
    assert rated.returncode == 0, rated.stdout[-300:]  # exposure of at most 2.0


@contextmanager
def nginx(folder, port, upstream):
    """Run nginx with the recipe, at a port of its own and with a certificate of the test."""
    program = shutil.which("nginx")
    text = (RECIPES / "nginx.conf").read_text()
    text = text.replace(HOST, "localhost").replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{upstream}")
    text = text.replace("/etc/ssl/boxwise", f"{certificate(folder)}/boxwise")
    (folder / "temporary").mkdir()
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "\n".join(f"{kind}_temp_path {folder}/temporary/{kind};" for kind in kinds)
    config = folder / "nginx.conf"
    config.write_text(
        f"pid {folder}/nginx.pid;\nerror_log {folder}/error.log;\ndaemon off;\n"
        "events {}\n"
        f"http {{\naccess_log off;\n{places}\n{text}\n}}\n"
    )
    checked = subprocess.run([program, "-t", "-c", config], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    with running([program, "-c", config], folder, port):
        yield


@contextmanager
def caddy(folder, port, upstream):
    """Run Caddy with the recipe, at a port of its own and with a certificate of the test."""
    place = certificate(folder)
    text = (RECIPES / "Caddyfile").read_text()
    tls = f"tls {place}/boxwise.crt {place}/boxwise.key"
    text = text.replace(f"{HOST} {{", f"https://localhost:{port} {{\nbind 127.0.0.1\n{tls}\n")
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{upstream}")
    config = folder / "Caddyfile"
    config.write_text(f"{{\nadmin off\nauto_https off\n}}\n{text}")
    command = [shutil.which("caddy"), "run", "--config", config, "--adapter", "caddyfile"]
    with running(command, folder, port):
        yield


def certificate(folder):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
         folder / "boxwise.key", "-out", folder / "boxwise.crt"],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder


@contextmanager
def running(command, folder, port):
    with (folder / "proxy.log").open("w") as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            cwd=folder,
            env={"HOME": str(folder), "PATH": "/usr/bin"},
        )
        try:
            until(lambda: answers(port) or process.poll() is not None)
            assert process.poll() is None, (folder / "proxy.log").read_text()
            yield
        finally:
            process.terminate()
            process.wait(20)


def answers(port):
    try:
        httpx.get(f"https://127.0.0.1:{port}/", verify=False)
    except httpx.ConnectError as error:
        return "refused" not in str(error)
    return True


@pytest.fixture(scope="module")
def behind(tmp_path_factory):
    folder = tmp_path_factory.mktemp("behind")
    (folder / "c.json").write_text(json.dumps(COLUMNS))
    (folder / "tokens").write_text(f"all:admin:{TOKEN}\n")
    process = Process(
        folder, "--new", "--schema", "c.json", "--store", "m.db", "--root-path", "/box",
        "--tokens", "tokens", "--point-seconds", "0.2",
    )  # fmt: skip
    yield process, folder
    process.kill()


@pytest.fixture(
    scope="module",
    params=[pytest.param(nginx, marks=needs("nginx")), pytest.param(caddy, marks=needs("caddy"))],
    ids=["nginx", "caddy"],
)
def proxy(request, behind, tmp_path_factory):
    """Return a client of a proxy, which names its origin as a browser would."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    process, _ = behind
    port = free_port()
    upstream = process.url.removesuffix("/box").rpartition(":")[2]
    folder = tmp_path_factory.mktemp(request.param.__name__)
    origin = f"https://localhost:{port}"
    trusted = ssl.create_default_context()
    with request.param(folder, port, upstream):
        trusted.load_verify_locations(folder / "boxwise.crt")
        headers = {"Authorization": f"Bearer {TOKEN}", "Origin": origin}
        with httpx.Client(base_url=origin, verify=trusted, headers=headers, timeout=10) as client:
            yield client


def test_proxy_offers_the_service_under_its_path(proxy, behind):
    moved = proxy.get("/box")
    assert moved.status_code == 301 and moved.headers["location"].endswith("/box/")
    page = proxy.get("/box/")
    assert page.status_code == 200 and "<html" in page.text
    for name in re.findall(r'(?:src|href)="(page/[^"]+)"', page.text):
        assert proxy.get(f"/box/{name}").status_code == 200
    learned = proxy.post("/box/v1/learn", json={"rows": ROWS, "labels": LABELS})
    assert learned.status_code == 200, learned.text
    assert proxy.post("/box/v1/predict", json={"rows": ROWS}).status_code == 200
    evil = {"Origin": "https://evil.example"}
    assert proxy.post("/box/v1/predict", json={"rows": ROWS}, headers=evil).status_code == 403
    assert proxy.get("/elsewhere").status_code in (200, 404)
    _, folder = behind
    assert "127.0.0.1 all POST /v1/learn 200" in (folder / "log").read_text()


def test_proxy_passes_events_on_at_once(proxy):
    begin = time.monotonic()
    with proxy.stream("GET", "/box/v1/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        kinds = []
        for line in answer.iter_lines():
            if line.startswith("event:"):
                kinds.append(line)
            if len(kinds) == 4:
                break
    assert "event: point" in kinds and time.monotonic() - begin < 8


def test_proxy_refuses_bodies_that_are_too_large(proxy):
    body = b" " * (17 * 2**20)
    headers = {"Content-Type": "application/json"}
    assert proxy.post("/box/v1/predict", content=body, headers=headers).status_code == 413
    assert proxy.post("/box/v1/predict", json={"rows": ROWS}).status_code == 200
