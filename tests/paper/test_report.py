"""The report: what it counts, how it is written, and that it never fails for want of results."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from math import isnan
from zlib import crc32

import numpy as np
import pytest

from boxwise.evaluate import friedman_test
from boxwise.paper.measurements import MEASUREMENTS, Measure
from boxwise.paper.measurements.file import write_measurements
from boxwise.paper.protocol import Row
from boxwise.paper.report import About, write_report
from boxwise.paper.report.html import to_html
from boxwise.paper.report.markdown import to_markdown
from boxwise.paper.report.page import (
    Bullets,
    Heading,
    Link,
    Paragraph,
    Picture,
    Strong,
    Table,
    plain,
)
from boxwise.paper.report.ranking import best_setting, mixed_ranks, printed_settings
from boxwise.paper.report.sections import datasets
from boxwise.paper.report.view import MissingError, Setting, View
from boxwise.paper.report.words import number, signed
from boxwise.paper.results import ResultsFile, Unit

from .synthetic_results import synthetic_measures, synthetic_results

ABOUT = About(
    seed=7, repeats=1, quick=False, scaling="dataset", order="file", versions={"Python": "3.12"},
    machine="2 cores, x86_64", seconds=75.0,
)  # fmt: skip


def row(method, cba, second=None, theta=0.1, boxes=1, alpha=None):
    return Row(method, "", theta, second, alpha, cba, boxes)


def noisy(unit, row):
    """Score at random, but always the same."""
    random = np.random.default_rng(crc32(f"{unit}{row}".encode()))
    alpha = float(random.random()) if unit.experiment == "find-alpha" else row.alpha
    return row._replace(cba=float(random.random()), boxes=int(random.integers(1, 99)), alpha=alpha)


def noisy_measure(unit, measure):
    """Measure at random, but always the same."""
    return float(np.random.default_rng(crc32(f"{unit}{measure}".encode())).random())


# What a view says.


def test_a_view_takes_means_and_spreads_over_folds():
    done = {
        Unit("mixed", "zoo", 0, 0): [row("M1", 0.5, 0.1, boxes=10), row("M2", 0.9, 0.25)],
        Unit("mixed", "zoo", 0, 1): [row("M1", 0.7, 0.1, boxes=20), row("M2", 0.9, 0.25)],
        Unit("mixed", "zoo", 1, 0): [row("M1", 0.9, 0.1, boxes=60), row("M2", 0.9, 0.25)],
    }
    view = View(done)
    results, m1 = view.results("mixed"), Setting("M1", "", 0.1, 0.1)
    assert results.mean("zoo", m1) == pytest.approx(0.7)
    assert results.spread("zoo", m1) == pytest.approx(0.2)
    assert results.boxes("zoo", m1) == pytest.approx(30)
    assert view.drawn((0,)).results("mixed").mean("zoo", m1) == pytest.approx(0.6)
    assert view.drawn((0, 1, 1)).results("mixed").mean("zoo", m1) == pytest.approx(0.75)
    assert isnan(view.drawn((1,)).results("mixed").spread("zoo", m1))
    assert isnan(results.mean("tae", m1))
    assert (view.repeats, view.folds("mixed", "zoo")) == ([0, 1], 3)


def test_what_was_tuned_is_no_part_of_the_setting():
    done = {
        Unit("tuned", "zoo", 0, 0): [row("v1", 0.5, 0.1, alpha=0.2)],
        Unit("tuned", "zoo", 0, 1): [row("v1", 0.7, 0.9, theta=1.0, alpha=0.4)],
    }
    results = View(done).results("tuned")
    assert results.settings == [Setting("v1")]
    assert results.mean("zoo", Setting("v1")) == pytest.approx(0.6)


def test_ranks_are_of_means_and_ties_share():
    scores = {"tae": (0.5, 0.5, 0.1), "zoo": (0.2, 0.4, 0.9), "flag": (0.3, 0.2, 0.1)}
    done = {
        Unit("tuned", d, 0, 0): [row(m, s) for m, s in zip(("M1", "M2", "v1"), values, strict=True)]
        for d, values in scores.items()
    }
    columns = {m: Setting(m) for m in ("M1", "M2", "v1")}
    ranks = View(done).results("tuned").ranks(columns)
    assert ranks.ranks == pytest.approx(((1.5 + 3 + 1) / 3, (1.5 + 2 + 2) / 3, (3 + 1 + 3) / 3))


def test_data_sets_that_lack_a_method_are_not_ranked():
    done = {Unit("tuned", d, 0, 0): [row("M1", 0.1), row("M2", 0.2)] for d in ("tae", "zoo")}
    done[Unit("tuned", "flag", 0, 0)] = [row("M1", 0.3)]
    columns = {m: Setting(m) for m in ("M1", "M2")}
    results = View(done).results("tuned")
    assert results.ranks(columns).n_datasets == 2
    with pytest.raises(MissingError):
        results.ranks({"M1": Setting("M1"), "v1": Setting("v1")})


def test_the_best_setting_has_the_best_rank_though_not_the_best_mean():
    scores = {"tae": (0.5, 0.4), "zoo": (0.5, 0.4), "flag": (0.1, 0.9)}
    done = {
        Unit("mixed", d, 0, 0): [row("M1", a, 0.1), row("M1", b, 0.7)]
        for d, (a, b) in scores.items()
    }
    assert best_setting(View(done).results("mixed"), "M1", 0.1).second == 0.1


def test_ranks_at_the_printed_settings_are_of_these_though_others_are_better():
    # M1: η = 1 is best, 0.1 is printed. The others have their printed settings only.
    scores = {"tae": (0.1, 0.9), "zoo": (0.2, 0.8)}
    others = [row("M2", 0.3, 0.75), row("v1", 0.5, 0.1), row("v2", 0.4, 0.1)]
    done = {
        Unit("mixed", d, 0, 0): [row("M1", a, 0.1), row("M1", b, 1.0), *others]
        for d, (a, b) in scores.items()
    }
    assert mixed_ranks(View(done), 0.1).ranks == pytest.approx((1, 4, 2, 3))
    assert mixed_ranks(View(done), 0.1, printed_settings).ranks == pytest.approx((4, 3, 1, 2))
    with pytest.raises(MissingError, match=r"M1 at the printed setting, θ = 0\.7"):
        mixed_ranks(View(done), 0.7, printed_settings)


def test_a_view_takes_means_of_measures():
    measured = {
        Unit("times", "zoo", 0, 0): [Measure("v1", "0.1", 2.0), Measure("v2", "0.1", 5.0)],
        Unit("times", "zoo", 1, 0): [Measure("v1", "0.1", 4.0), Measure("v2", "0.1", 5.0)],
    }
    view = View({}, measured)
    assert view.gauge("times").mean("zoo", "v1", "0.1") == pytest.approx(3.0)
    assert view.drawn((1, 1)).gauge("times").mean("zoo", "v1", "0.1") == pytest.approx(4.0)
    assert isnan(view.gauge("times").mean("tae", "v1", "0.1"))
    assert view.repeats == [0, 1]
    assert "zoo" not in view.missing("times", 1) and "zoo" in view.missing("times", 2)


def test_table_s1_is_ours_beside_the_printed_one():
    counts = {"": {"rows": 690, "classes": 2, "continuous": 7}}
    values = {"A1": 2, "A4": 3, "A5": 14, "A6": 8, "A8": 2, "A9": 2, "A11": 2, "A12": 3}
    found = [Measure("", what, n) for what, n in counts[""].items()]
    found += [Measure(column, "values", n) for column, n in values.items()]
    view = View({}, {Unit("data", "australian", 0, 0): found})
    sizes, features = (b for b in datasets.section(view) if isinstance(b, Table))
    assert sizes.rows == (("australian", "690", "2", "7 (6)", "8"),)
    ours, printed, equal = (plain(cell) for cell in features.rows[0][1:])
    assert ours.startswith("2 values: 4 features (A1, A8, A9, A11); 3 values: 2 features (A4, A12)")
    assert ours.endswith("14 values: 1 feature (A5)") and "15 values: 1 feature" in printed
    assert equal == "no"


# How numbers are written.


@pytest.mark.parametrize(
    ("value", "plain", "with_sign"),
    [
        (0.12345, "0.123", "+0.123"),
        (-0.5, "−0.500", "−0.500"),
        (-0.0001, "0.000", "0.000"),
        (0.0001, "0.000", "0.000"),
        (float("nan"), "–", "–"),
        (float("inf"), "∞", "+∞"),
    ],
)
def test_numbers_are_rounded_and_signed(value, plain, with_sign):
    assert (number(value), signed(value)) == (plain, with_sign)


# What it is written as.

PAGE = [
    Heading(1, "A <b> & c", "top"),
    Heading(2, "Part_one", "one"),
    Paragraph(("see ", Link("a|b", "#one"), " and ", Strong("*x*", "good"))),
    Bullets(("p < 0.05", "[q]")),
    Table("Caption", ("name", "value"), (("a|b", "0.5"), (("<i>", Link("z", "#top")), "−1.0 ± 2"))),
    Picture("fig", "A caption", 'alt "text"', b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
]


class Reader(HTMLParser):
    """Collects what a page refers to, and complains about tags that are not closed in order."""

    VOID = ("meta", "img", "br")

    def __init__(self, page):
        super().__init__()
        self.ids, self.links, self.sources, self.tags, self.open = [], [], [], [], []
        self.text = ""
        self.feed(page)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if "href" in attributes:
            self.links.append(attributes["href"])
        if "src" in attributes:
            self.sources.append(attributes["src"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def assert_page_is_sound(page):
    reader = Reader(page)
    assert len(reader.ids) == len({*reader.ids})
    for link in reader.links:
        assert link.removeprefix("#") in reader.ids or link.startswith("https://arxiv.org/"), link
    assert all(source.startswith("data:image/svg+xml;base64,") for source in reader.sources)
    assert all(a.get("alt") for tag, a in reader.tags if tag == "img")
    assert all(a.get("scope") in ("row", "col") for tag, a in reader.tags if tag == "th")
    assert dict(reader.tags)["html"] == {"lang": "en"}
    for word in ("<script", "@import", "url(", "<link"):
        assert word not in page
    return reader


def test_html_escapes_what_it_is_given():
    reader = assert_page_is_sound(to_html(PAGE))
    assert "A <b> & c" in reader.text and "<i>z" in reader.text
    assert ("strong", {"class": "good"}) in reader.tags
    assert [a["alt"] for tag, a in reader.tags if tag == "img"] == ['alt "text"']


def test_html_aligns_numbers():
    assert '<th scope="col" class="number">value</th>' in to_html(PAGE)
    assert '<th scope="col">name</th>' in to_html(PAGE)


def test_markdown_escapes_what_it_is_given():
    page = to_markdown(PAGE)
    assert page.startswith("(top)=\n# A \\<b\\> & c\n")
    assert "## Part\\_one" in page
    assert "see [a\\|b](#one) and **\\*x\\***" in page
    assert "| name | value |\n| --- | ---: |\n| a\\|b | 0.5 |" in page
    assert '![alt "text"](figures/fig.svg)\n\n*A caption*' in page


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("Missing: ", "**Missing:** x"),
        (" a*b", " **a\\*b**x"),
        ("  ", "  x"),
        ("F_F", "**F\\_F**x"),
    ],
)
def test_markdown_keeps_blanks_out_of_what_is_bold(words, written):
    assert to_markdown([Paragraph((Strong(words), "x"))]) == f"{written}\n"


def links_and_targets(markdown):
    targets = re.findall(r"^\(([^)]+)\)=$", markdown, re.MULTILINE)
    return {*re.findall(r"\]\(#([^)]+)\)", markdown)}, targets


# The whole of it.


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    results = ResultsFile(folder / "results.csv")
    results.done = synthetic_results(noisy)
    write_measurements(folder / "measurements.csv", synthetic_measures(noisy_measure))
    files = write_report(results, folder / "out", ABOUT)
    return folder / "out", files


def test_a_whole_report_is_sound(report):
    folder, files = report
    assert_page_is_sound((folder / "report.html").read_text(encoding="utf-8"))
    markdown = (folder / "report.md").read_text(encoding="utf-8")
    links, targets = links_and_targets(markdown)
    assert links <= {*targets} and len(targets) == len({*targets})
    pictures = {folder / name for name in re.findall(r"\]\((figures/[^)]+)\)", markdown)}
    assert {folder / "report.html", folder / "report.md"} | pictures == {*files}
    assert all(path.stat().st_size for path in files)


def test_a_whole_report_has_every_table_and_figure_of_the_paper(report):
    page = Reader((report[0] / "report.html").read_text(encoding="utf-8")).text
    for table in (
        "I,",
        "II,",
        "III,",
        "IV:",
        *(f"S.{n}" for n in ["II", "III", "IV", "V", "VI", "VII", "VIII", "IX"]),
    ):
        assert f"Table {table}" in page
    assert "Table S.I:" in page
    for theta in ("0.1", "0.7", "1"):
        for choice in ("at the printed settings", "at our best settings"):
            assert f"Table I, θ = {theta}: average ranks {choice}" in page
    for figure in ("figure 1)", "figure S6)"):
        assert figure in page
    for figures in ("2, 3 and S1 to S3", "4, S4 and S5", "11 and S7", "12 and S8", "12 and S9"):
        assert f"figures {figures}" in page
    for figure in range(5, 11):
        assert f"figure {figure})" in page
    for printed in ("5.554", "16.524", "15.772", "4.289", "3.660", "6.214", "4.884", "0.104"):
        assert printed in page
    assert "Missing:" not in page and "missing:" not in page and "provisional" in page
    for measured in (
        "How homogeneous the boxes are", "How long tuning α takes",
        "CBA of the rows with a new value",
        "What the code of a category depends on",
    ):  # fmt: skip
        assert measured in page
    for fact in ("1 min 15 s", "2 cores, x86_64", "3.12"):
        assert fact in page


def test_equal_results_make_equal_reports(report, tmp_path):
    results = ResultsFile(tmp_path / "results.csv")
    results.done = synthetic_results(noisy, ["tuned"])
    once, again = (write_report(results, tmp_path / name, ABOUT) for name in ("once", "again"))
    assert [a.read_bytes() for a in once] == [b.read_bytes() for b in again]


def test_a_report_on_nothing_says_so(tmp_path):
    files = write_report(ResultsFile(tmp_path / "results.csv"), tmp_path / "out", ABOUT)
    # These two are of the paper's text, not of any result.
    drawn = ["network.svg", "estimate-alpha.svg"]
    assert [path.name for path in files] == ["report.html", "report.md", *drawn]
    page = assert_page_is_sound(files[0].read_text(encoding="utf-8")).text
    assert page.count("Missing: the whole experiment; it was not run.") == 6
    for name in MEASUREMENTS:
        said = f"Measurement {name}, missing: all of it; it was not measured."
        assert page.count(said) == 1
    markdown = files[1].read_text(encoding="utf-8")
    assert "**Missing:** the whole experiment" in markdown and "issing: **" not in markdown
    assert "7.613" in page  # the errata need no results


@pytest.mark.parametrize("datasets", [["zoo"], ["tic_tac_toe"], ["zoo", "nursery", "tae"]])
def test_a_report_on_some_data_sets_says_which_are_missing(tmp_path, datasets):
    results = ResultsFile(tmp_path / "results.csv")
    results.done = synthetic_results(noisy, datasets=datasets)
    files = write_report(results, tmp_path / "out", ABOUT)
    page = assert_page_is_sound(files[0].read_text(encoding="utf-8")).text
    assert "Missing: abalone, australian" in page


def test_a_run_that_was_stopped_is_reported(tmp_path):
    results = ResultsFile(tmp_path / "results.csv")
    done = synthetic_results(noisy, ["tuned"], datasets=["zoo", "tae"])
    results.done = {
        unit: rows for unit, rows in done.items() if (unit.dataset, unit.fold) != ("zoo", 3)
    }
    files = write_report(results, tmp_path / "out", ABOUT)
    assert "zoo (3 of 4 folds)" in files[0].read_text(encoding="utf-8")


def test_the_significance_of_our_ranks_is_that_of_evaluate(report):
    from boxwise.paper.report.ranking import tuned_ranks

    test = friedman_test(tuned_ranks(View(synthetic_results(noisy))))
    assert number(test.f) in (report[0] / "report.md").read_text(encoding="utf-8")
