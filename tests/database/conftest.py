"""A store of each kind."""

from __future__ import annotations

import pytest

from boxwise.database import open_store
from tests.postgresql import postgresql_server


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return str(tmp_path / "models.db")
    return request.getfixturevalue("postgresql_server").new_database()


@pytest.fixture
def store(url):
    with open_store(url) as opened:
        yield opened


__all__ = ["postgresql_server", "store", "url"]
