"""A service over HTTP that learns and predicts, and loses nothing; extra ``[service]``."""

try:
    import fastapi
    import orjson
    import prometheus_client
    import uvicorn
except ImportError as error:
    raise ImportError(
        f'the service needs {error.name}: pip install "boxwise[service]"', name=error.name
    ) from error

from boxwise.service.app import create_app
from boxwise.service.http import server
from boxwise.service.http.tokens import Tokens
from boxwise.service.new_models import new_model
from boxwise.service.problems import Problem
from boxwise.service.settings import Settings

__all__ = ["Problem", "Settings", "Tokens", "create_app", "new_model", "server"]

del fastapi, orjson, prometheus_client, uvicorn
