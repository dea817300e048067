"""The report of a model with 2,000 boxes, in a real browser, by mouse and by keyboard."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.report import write_report

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
EVIL = "<script>alert(1)</script>"
BOXES, COLUMNS = 2_000, 20


@pytest.fixture(scope="module")
def browser():
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no browser on the PATH: none of {', '.join(NAMES)}")
    with sync_api.sync_playwright() as playwright:
        # Without a sandbox, since a container has often no rights to make one.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    X, y = LoanStream(4_050, function=7, noise=0.05, seed=1).table()
    random = np.random.default_rng(0)
    for k in range(COLUMNS - len(X)):
        X[f"extra {k}"] = (
            random.normal(size=len(y))
            if k % 3
            else [("red", "green", "blue", EVIL)[i] for i in random.integers(0, 4, len(y))]
        )
    learned = {name: column[:4_000] for name, column in X.items()}
    clf = HyperboxClassifier(max_boxes=BOXES).fit(learned, y[:4_000])
    assert (len(clf.boxes_), clf.n_features_in_) == (BOXES, COLUMNS)
    path = tmp_path_factory.mktemp("a folder with spaces") / "report.html"
    # Few rows, which take little time: the size of the page does not depend on them.
    write_report(clf, path, {name: column[4_000:] for name, column in X.items()}, y[4_000:])
    return path


@pytest.fixture(params=[(1280, 900, "light"), (360, 740, "dark")], ids=["desktop", "phone"])
def page(request, browser, report):
    """The report, opened; it fails on any request but for the file, and on any error."""
    width, height, scheme = request.param
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    asked, errors = [], []
    page.on("request", lambda r: asked.append(r.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda m: errors.append(m.text) if m.type in ("error", "warning") else None)
    page.on("dialog", lambda dialog: (errors.append(dialog.message), dialog.dismiss()))
    page.goto(report.as_uri(), wait_until="load")
    yield page
    page.wait_for_timeout(100)
    assert errors == []
    assert [url for url in asked if not url.startswith("data:")] in (
        [report.as_uri()],
        [page.url],
    )
    page.close()


@pytest.mark.long
def test_it_is_small(report):
    size = report.stat().st_size
    print(f"{BOXES:,} boxes, {COLUMNS} columns: {size / 1e6:.2f} MB")
    assert size < 5_000_000


def test_it_opens_and_searches(page):
    loaded = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    took = page.evaluate(
        """() => {
          const words = document.getElementById("rule-words");
          const times = [];
          for (const text of ["s", "sa", "sal", "salary red", "no such thing", ""]) {
            const begin = performance.now();
            words.value = text;
            words.dispatchEvent(new Event("input"));
            document.body.offsetHeight;  // the layout counts too
            times.push(performance.now() - begin);
          }
          return times;
        }"""
    )
    print(f"loaded after {loaded:.0f} ms; a search takes {max(took):.0f} ms at most")
    assert page.locator("#rule-count").inner_text() == f"{BOXES:,} rules"


def test_every_link_leads_to_its_section_and_every_fold_opens(page):
    for link in page.locator("nav a").all():
        link.click()
        target = page.locator(link.get_attribute("href"))
        assert target.locator("h2").first.is_visible()
        assert 0 <= target.bounding_box()["y"] < page.viewport_size["height"]
    folds = page.locator("details").all()
    assert len(folds) > 5
    for fold in folds:
        if fold.locator("summary").first.is_visible():
            fold.locator("summary").first.click()
            assert fold.get_attribute("open") is not None


def test_the_search_finds_what_is_asked_for(page):
    page.fill("#rule-words", "education loan")
    lines = page.locator("#rule-list tbody tr").all_inner_texts()
    assert 0 < len(lines) <= 40
    assert all("education" in line and "loan" in line for line in lines)
    assert page.locator("#rule-list mark").first.inner_text().lower() in ("education", "loan")
    page.select_option("#rule-class", "declined")
    lines = page.locator("#rule-list tbody tr").all_inner_texts()
    assert lines and all("declined" in line for line in lines)
    page.fill("#rule-words", EVIL)
    assert EVIL in page.locator("#rule-list tbody tr").first.inner_text()
    page.fill("#rule-words", "no such thing")
    assert page.locator("#rule-count").inner_text() == f"0 of {BOXES:,} rules"
    assert page.locator("#rule-list tbody tr").count() == 0
    assert not page.locator("#more-rules").is_visible()


def test_more_rules_are_shown_on_demand(page):
    page.click("#more-rules")
    assert page.locator("#rule-list tbody tr").count() == 80
    assert page.evaluate("document.activeElement.rowIndex") == 41


def test_the_keyboard_is_enough(page):
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.hash") == "#learned"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "rule-words"
    page.keyboard.type("a/b salary")  # a slash is a letter here
    assert page.input_value("#rule-words") == "a/b salary"
    page.keyboard.press("Escape")
    assert page.input_value("#rule-words") == ""
    assert page.locator("#rule-count").inner_text() == f"{BOXES:,} rules"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "rule-class"
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.locator("details summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details").first.get_attribute("open") is not None


def test_nothing_is_wider_than_the_screen(page):
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= page.viewport_size["width"]
    scrolled = """() => [...document.querySelectorAll(".scroll")]
      .filter((e) => e.offsetParent && e.scrollWidth > e.clientWidth + 1)
      .map((e) => e.getAttribute("aria-label"))"""
    assert page.evaluate(scrolled) == []  # tables become blocks, pictures have a narrow version


def test_words_are_not_broken_inside(browser, tmp_path):
    """At 390 pixels names break at underscores only, and their headings stay whole."""
    random = np.random.default_rng(0)
    names = ("status_checking_account", "other_installment_plans", "personal_status_sex")
    X = {name: random.choice(["A11", "A12", "A14"], 200) for name in names}
    y = np.where(X[names[0]] == "A11", "granted", "refused")
    path = tmp_path / "report.html"
    write_report(HyperboxClassifier().fit(X, y), path, X, y)
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(path.as_uri())
    broken = page.evaluate(
        """() => [...document.querySelectorAll("th, td, h1, h2, h3, li")].flatMap((e) => {
          const found = [];
          const texts = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
          while (texts.nextNode()) {
            const node = texts.currentNode;
            for (const word of node.data.matchAll(/[a-z]+/gi)) {
              const range = document.createRange();
              range.setStart(node, word.index);
              range.setEnd(node, word.index + word[0].length);
              if (range.getClientRects().length > 1) found.push(node.data);
            }
          }
          return found;
        })"""
    )
    assert broken == []
    page.close()


def test_without_scripts_all_but_the_search_is_there(browser, report):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("#rule-list tbody tr").count() == 40
    assert not page.locator("#rule-search").is_visible()
    assert "To search and see all" in page.locator("#rules").inner_text()
    context.close()
