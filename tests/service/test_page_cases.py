"""The page in a real browser, with answers made up for the test: odd data, none at all, tokens."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.service.browsing import Visit, opened_browser
from tests.service.canned import Canned, served

from boxwise import EIOLGFMM, ImprovedOnlineGFMM

EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>"
LONG = "a name of a column that goes on and on and does not seem to end at all"


@pytest.fixture(scope="module")
def browser():
    yield from opened_browser()


def odd_rows(n):
    """Rows whose names, values and classes are no harmless words; numbers of all sizes."""
    rng = random.Random(3)
    labels = [rng.choice([EVIL, "b", *(f"class {i}" for i in range(9))]) for _ in range(n)]
    rows = [
        {
            EVIL: rng.choice([EVIL, '"quoted" & <b>bold</b>', "'"]),
            LONG: rng.gauss(len(label), 1),
            "small": rng.gauss(0, 1e-9),
            "large": rng.random() * 1e12,
            "rare": None if i % 3 else rng.random(),
        }
        for i, label in enumerate(labels)
    ]
    return rows, labels


def visited(browser, address, width=1280):
    return Visit(browser, address, width=width, height=844, scheme="light")


@pytest.mark.parametrize("width", [390, 1280])
def test_page_shows_odd_text_as_text(browser, width):
    with served(Canned(*odd_rows(200))) as address:
        visit = visited(browser, address, width)
        page = visit.page
        page.locator("#rule-list .rule").first.wait_for()
        assert EVIL in page.locator("#fields label").first.inner_text()
        assert EVIL in page.locator("#charts").inner_text()
        page.locator("#decision-list button").first.click()
        page.locator("#sheet .probabilities").wait_for()
        assert EVIL in page.locator("#sheet .row").inner_text()
        assert page.locator("main img, main script, dialog img, dialog script").count() == 0
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width
        visit.close()


def test_page_of_an_empty_model_says_how_to_begin(browser):
    with served(Canned()) as address:
        visit = visited(browser, address)
        page = visit.page
        page.locator("#start").wait_for()
        assert f"curl {address}v1/learn" in page.locator("#example").inner_text()
        assert not page.locator("#charts").is_visible()
        assert "No change so far" in page.locator("#change-list").inner_text()
        assert "No decision yet" in page.locator("#decision-list").inner_text()
        assert not page.locator("#form").is_visible()
        visit.close()


def test_page_asks_for_a_token_and_sends_it(browser):
    canned = Canned(*odd_rows(60), token="sesame")
    with served(canned) as address:
        visit = visited(browser, address)
        page, visit.refusals = visit.page, ("status of 401",)
        page.locator("#sign-in").wait_for()
        assert "scope 'predict'" in page.locator("#token-why").inner_text()
        page.fill("#token", "guess")
        page.keyboard.press("Enter")
        page.locator("#state", has_text="token needed").wait_for()
        page.locator("#sign-in").wait_for()
        page.fill("#token", "sesame")
        page.keyboard.press("Enter")
        page.locator("#state", has_text="live").wait_for()
        assert ("/v1/events", "Bearer sesame") in canned.asked
        kept = "[sessionStorage.length, JSON.stringify(localStorage).includes('sesame')]"
        assert page.evaluate(kept) == [1, False]
        page.reload()
        page.locator("#state", has_text="live").wait_for()
        page.get_by_role("button", name="Sign out").click()
        page.locator("#sign-in").wait_for()
        assert page.evaluate("sessionStorage.length") == 0
        assert not any("sesame" in url for url in visit.asked)
        visit.close()


def test_page_sends_values_as_they_were_learned(browser):
    rows = [{"n": float(i % 7), "code": f"{i % 3}"} for i in range(60)]
    canned = Canned(rows, [f"{row['code']}" for row in rows])
    with served(canned) as address:
        visit = visited(browser, address)
        page = visit.page
        page.get_by_label("n", exact=True).fill("2.5")
        page.get_by_label("code", exact=True).select_option("1")
        with page.expect_request("**/v1/predict") as sent:
            page.get_by_role("button", name="Predict", exact=True).click()
        assert sent.value.post_data_json["rows"] == [{"n": 2.5, "code": "1"}]
        page.locator("#result h3", has_text="1, ").wait_for()
        page.get_by_role("button", name="Clear").click()
        with page.expect_request("**/v1/predict") as sent:
            page.get_by_role("button", name="Predict", exact=True).click()
        assert sent.value.post_data_json["rows"] == [{"n": None, "code": None}]
        page.locator("#result .callout", has_text="It would be").wait_for()
        visit.close()


def tried(browser, learner, refusals=()):
    """Return what the page says of a row, with a model of this learner."""
    rows = [{"n": float(i), "m": float(i % 5)} for i in range(40)]
    with served(
        Canned(rows, ["low" if row["n"] < 20 else "high" for row in rows], learner=learner)
    ) as address:
        visit = visited(browser, address)
        page, visit.refusals = visit.page, refusals
        page.get_by_label("n", exact=True).fill("3")
        page.get_by_role("button", name="Predict", exact=True).click()
        page.locator("#result .probabilities").wait_for()
        page.wait_for_timeout(300)
        said = page.locator("#result").inner_text()
        visit.close()
    return said


def test_page_explains_a_model_that_decides_by_membership(browser):
    said = tried(browser, EIOLGFMM)
    assert said.startswith("low, ")
    assert "membership 0." in said or "membership 1." in said
    assert "Membership lost by column" in said and "It would be high" in said


def test_page_predicts_where_nothing_can_be_explained(browser):
    said = tried(browser, ImprovedOnlineGFMM, refusals=("status of 409",))
    assert said.startswith("low, ")
    assert "cannot be explained" in said


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("percent(0.9999)", ">99%"),
        ("percent(1)", "100%"),
        ("percent(0.0001)", "<1%"),
        ("percent(0.9337, 1)", "93.4%"),
        ("percent(null)", "–"),
        ("number(1234567)", "1,234,567"),
        ("number(0.000012345)", "1.23e-5"),
        ("valueText(54582.98)", "54,583"),
        ("valueText([1, 2])", "1 to 2"),
        ("valueText(null)", "missing"),
        ("milliseconds(0.41)", "0.41 ms"),
        ("milliseconds(2345)", "2.3 s"),
        ("plural(1, 'row', 'rows')", "1 row"),
    ],
)
def test_page_writes_numbers_as_people_do(written, call, text):
    assert written.evaluate(f"dom.{call}") == text


@pytest.fixture(scope="module")
def written(browser):
    """A page with the modules in `dom` and `scale`."""
    with served(Canned()) as address:
        page = browser.new_page()
        page.goto(address)
        page.evaluate("import('/page/dom.js').then((m) => { window.dom = m; })")
        page.evaluate("import('/page/scale.js').then((m) => { window.scale = m; })")
        yield page
        page.close()


def test_ticks_are_round_and_within_the_axis(written):
    assert written.evaluate("scale.niceTicks(0, 1)") == [0, 0.5, 1]
    assert written.evaluate("scale.niceTicks(0.71, 0.99)") == [0.8, 0.9]
    assert written.evaluate("scale.niceTicks(0, 948)") == [0, 500]


def test_ticks_of_time_are_few_and_round(written):
    found = written.evaluate("scale.timeTicks(1800000007, 1800000187, 4)")
    assert found["step"] == 60 and len(found["ticks"]) == 3
    assert all(tick % 60 == 0 for tick in found["ticks"])
