"""URLs of sources and sinks."""

import pytest

from boxwise.streams import StreamError, open_sink, open_source
from boxwise.streams.addresses import parse_address


def test_an_address_is_taken_apart(monkeypatch):
    monkeypatch.setenv("REDIS_PASSWORD", "s3cret")
    address = parse_address("redis://ann:${REDIS_PASSWORD}@host:6379/1?stream=a%20b&field=x")
    assert (address.host, address.path, address.user, address.password) == (
        "host:6379", "1", "ann", "s3cret",
    )  # fmt: skip
    assert address.options == {"stream": "a b", "field": "x"}


def test_the_name_of_a_source_has_no_password():
    pytest.importorskip("redis")
    source = open_source("redis://ann:s3cret@host:6379/1?stream=loans&field=row")
    assert source.name == "redis://host:6379/1?stream=loans"


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("loans.csv", "loans.csv is no stream; write csv:FILE"),
        ("csv:", "csv: names no file"),
        ("mqtt://ann:s3cret@host/x", "mqtt://host/x is no stream"),
        ("redis://host/0", "names no stream; add ?stream=NAME"),
        ("redis:///0?stream=a", "names no host"),
        ("redis://host/0?stream=a&max=3", "has no option 'max'; there are stream, field"),
        ("redis://host/0?stream", "name=value"),
        ("redis://:${NO_SUCH}@host/0?stream=a", "${NO_SUCH}, but there is no such variable"),
        ("kafka://host:9092", "names no topic"),
        ("kafka://host:9092/a?offset=3", "has no option 'offset'; there are group, config"),
        ("kafka://host:9092/a?config=none.properties", "config=none.properties cannot be read"),
        ("nats://host:4222", "names no subject"),
        ("csv:a.csv?delimiter=;;", "';;' is not one character"),
    ],
)
def test_a_wrong_address_is_explained(url, problem):
    for client in ("redis", "confluent_kafka", "nats"):
        pytest.importorskip(client)
    with pytest.raises(StreamError) as error:
        open_source(url)
    assert problem in str(error.value)
    assert "s3cret" not in str(error.value)


def test_results_cannot_go_everywhere():
    with pytest.raises(StreamError, match="results cannot go to http://host/x"):
        open_sink("http://host/x")


def test_a_file_of_properties_configures_kafka(tmp_path):
    kafka_topics = pytest.importorskip("boxwise.streams.kafka_topics")
    file = tmp_path / "client.properties"
    file.write_text("# login\nsasl.username = ann\n\nsasl.password=a=b\n")
    address = parse_address(f"kafka://host:9092/loans?config={file}&client.id=me")
    assert kafka_topics._settings(address, ()) == {
        "bootstrap.servers": "host:9092",
        "sasl.username": "ann",
        "sasl.password": "a=b",
        "client.id": "me",
    }
