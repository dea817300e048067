"""A store of each kind."""

from __future__ import annotations

import pytest

from boxwise.database import open_store
from tests.postgresql import postgresql_server, url


@pytest.fixture
def store(url):
    with open_store(url) as opened:
        yield opened


__all__ = ["postgresql_server", "store", "url"]
