"""A service in this process, on a store of each kind."""

from __future__ import annotations

import pytest
from tests.postgresql import postgresql_server, url

__all__ = ["client", "postgresql_server", "url"]


@pytest.fixture
def client(tmp_path):
    """A service with the empty model `loans` in SQLite."""
    from tests.service.serving import serving

    from boxwise.database import open_store

    with open_store(tmp_path / "models.db") as store, serving(store) as opened:
        yield opened
