"""The page of the service in a real browser, on `boxwise live`: by mouse and by keyboard."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("typer")
pytest.importorskip("rich")

from tests.service.browsing import Visit, opened_browser
from tests.service.live_process import LiveProcess

ROWS, PACE, CHANGE_EVERY = 60_000, 300, 2_000
SECONDS = 1_000  # as playwright counts


@pytest.fixture(scope="module")
def browser():
    yield from opened_browser()


@pytest.fixture(scope="module")
def live(browser):
    process = LiveProcess("--rows", ROWS, "--pace", PACE, "--change-every", CHANGE_EVERY)
    yield process
    process.stop()


@pytest.fixture(params=[(1280, 900, "light"), (390, 844, "dark")], ids=["desktop", "phone"])
def visit(request, browser, live):
    width, height, scheme = request.param
    visit = Visit(browser, live.origin, width=width, height=height, scheme=scheme)
    visit.page.locator("#state", has_text="live").wait_for(timeout=30 * SECONDS)
    yield visit
    visit.close()


@pytest.fixture
def page(visit):
    return visit.page


def rows_learned(page):
    text = page.locator("#tiles div", has_text="Rows learned").locator("dd").first.inner_text()
    return int(text.replace(",", ""))


def wait_until_more_than(page, rows):
    page.wait_for_function(
        """(rows) => {
          const tile = [...document.querySelectorAll("#tiles div")]
            .find((div) => div.firstChild.textContent === "Rows learned");
          return Number(tile.children[1].textContent.replaceAll(",", "")) > rows;
        }""",
        arg=rows,
        timeout=60 * SECONDS,
    )


def open_a_decision(page):
    page.locator("#pause").click()
    button = page.locator("#decision-list button").nth(1)
    button.click()
    page.locator("#sheet .probabilities").wait_for(timeout=30 * SECONDS)
    return button


def test_page_shows_the_alarm_and_what_changed(page):
    replaced = page.locator("#change-list li", has_text="Model replaced").last
    replaced.wait_for(timeout=120 * SECONDS)
    text = page.locator("#change-list").inner_text()
    assert re.search(r"Errors rose: [\d.]+% → [\d.]+%", text)
    assert re.search(r"log-loss [\d.]+ → [\d.]+", replaced.inner_text())
    moved = replaced.locator(".bars li").all_inner_texts()
    assert any("education" in line and "more" in line for line in moved)
    page.wait_for_function("document.querySelectorAll('#charts line.mark.alarm').length >= 7")
    assert page.locator("#charts line.mark.replaced").count() >= 7


def test_page_explains_a_decision(page):
    open_a_decision(page)
    sheet = page.locator("#sheet")
    title = sheet.locator("h2").inner_text()
    assert re.fullmatch(r"(approved|declined), [<>]?\d+%", title)
    callout = sheet.locator(".callout", has_text=re.compile("It would be|No change found"))
    callout.wait_for(timeout=30 * SECONDS)
    bars = sheet.locator(".part .bars").first.locator("li").all_inner_texts()
    assert any("education" in line for line in bars)
    assert all("×" in line for line in bars)
    sheet.locator("summary", has_text="As text").click()
    assert "probability" in sheet.locator("pre").inner_text()
    sheet.get_by_role("button", name="Close").click()
    assert not sheet.is_visible()


def test_page_learns_the_truth_of_a_decision(page):
    states = page.locator("#decision-list .truth", has_text=re.compile("right|✗"))
    states.first.wait_for(timeout=30 * SECONDS)


def test_page_predicts_a_row_of_the_form(page):
    page.get_by_role("button", name="Take the latest row").click()
    page.get_by_label("age", exact=True).fill("30")
    page.get_by_label("education", exact=True).select_option("master")
    page.get_by_role("button", name="Predict", exact=True).click()
    result = page.locator("#result")
    result.locator(".callout", has_text=re.compile("It would be|No change found")).wait_for(
        timeout=30 * SECONDS
    )
    assert re.match(r"(approved|declined), ", result.locator("h3").inner_text())
    assert "age 30" in re.sub(r"\s+", " ", result.inner_text())


def test_page_tells_what_is_wrong_with_a_row(visit):
    page, visit.refusals = visit.page, ("status of 422",)
    page.get_by_label("salary", exact=True).fill("much")
    page.get_by_role("button", name="Predict", exact=True).click()
    page.locator("#result .problem").wait_for(timeout=30 * SECONDS)
    problem = page.locator("#result .problem").inner_text()
    assert "salary" in problem and "much" in problem


def test_page_recovers_when_the_service_is_killed(visit, live):
    page = visit.page
    before = rows_learned(page)
    wait_until_more_than(page, before)
    points = page.locator("#charts path.line").first.get_attribute("d").count(",")
    visit.away = True
    live.kill_service()
    page.locator("#state", has_text="live").wait_for(timeout=60 * SECONDS)
    wait_until_more_than(page, before)
    visit.away = False
    assert page.locator("#charts path.line").first.get_attribute("d").count(",") > points // 2
    assert page.locator("#change-list li.change").count() > 0
    open_a_decision(page)


@pytest.mark.long
def test_page_says_that_it_reconnects(visit, live):
    visit.page.evaluate(
        """() => {
          window.seen = [];
          const state = document.getElementById("state");
          const note = () => seen.push(state.textContent);
          new MutationObserver(note).observe(state, {childList: true});
        }"""
    )
    visit.away = True
    live.kill_service()
    visit.page.locator("#state", has_text="live").wait_for(timeout=60 * SECONDS)
    visit.page.wait_for_function("seen.at(-1) === 'live'", timeout=60 * SECONDS)
    assert visit.page.evaluate("seen") == ["reconnecting…", "live"]


def test_page_needs_no_mouse(page):
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("#decision-list button").first.focus()
    page.keyboard.press("Enter")
    page.locator("#sheet .probabilities").wait_for(timeout=30 * SECONDS)
    assert page.evaluate("document.activeElement.closest('#sheet') !== null")
    page.keyboard.press("Escape")
    assert not page.locator("#sheet").is_visible()
    assert page.evaluate("document.activeElement.className") == "decision"
    page.locator("#charts .plot").first.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert re.search(r"accuracy \d", page.locator("#charts .spoken").first.inner_text())
    assert page.locator("#charts .cross line").count() == 7


def test_page_shows_where_the_focus_is(page):
    for place in ("#theme", "#pause", "#decision-list button", "#form input", "#charts .plot"):
        element = page.locator(place).first
        element.focus()
        page.keyboard.press("Shift")  # the keyboard is in use: the browser shows the focus
        width = element.evaluate("e => getComputedStyle(e).outlineWidth")
        style = element.evaluate("e => getComputedStyle(e).outlineStyle")
        assert (width, style) == ("2px", "solid"), place


def test_page_is_no_wider_than_the_screen(page):
    page.locator("#rule-list .rule").first.wait_for(timeout=30 * SECONDS)
    page.locator("#curves .curve").first.wait_for(timeout=30 * SECONDS)
    open_a_decision(page)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= page.viewport_size["width"]
    sheet = page.locator("#sheet").bounding_box()
    assert sheet["x"] >= 0 and sheet["x"] + sheet["width"] <= page.viewport_size["width"]
    inside = page.evaluate(
        "(s => s.scrollWidth <= s.clientWidth)(document.getElementById('sheet'))"
    )
    assert inside


def test_page_turns_dark_and_light(page):
    ground = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(ground)
    page.locator("#theme").click()
    after = page.evaluate(ground)
    assert after != before
    page.reload()
    assert page.evaluate(ground) == after
