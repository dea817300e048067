"""``boxwise learn --jobs``: parts in several processes, and a model that depends on files only."""

import os
from itertools import pairwise

import numpy as np
import pytest

import boxwise as library
from boxwise.apps.jobs.parts import groups, most_withheld
from boxwise.apps.jobs.withheld import Withheld
from boxwise.datasets import LoanStream
from boxwise.files import TypedChunk
from boxwise.learners.parts import FAN_IN, quota, tuning_order
from tests.apps.running import boxwise, write_csv

ROWS = [
    {**row, "zip_code": int(row["zip_code"]), "decision": label}
    for row, label in LoanStream(900, function=7, seed=5)
]
CUTS = (0, 200, 500, 900)
LABEL = ("--label", "decision")


@pytest.fixture
def files(tmp_path):
    """Three files of different lengths."""
    return [
        write_csv(tmp_path / f"{i}.csv", ROWS[begin:end])
        for i, (begin, end) in enumerate(pairwise(CUTS))
    ]


def learn(*arguments, **more):
    return boxwise("learn", *arguments, *LABEL, **more)


def typed(rows):
    names = [name for name in rows[0] if name != "decision"]
    columns = {name: [row[name] for row in rows] for name in names}
    numeric = [name for name in names if not isinstance(rows[0][name], str)]
    columns |= {name: np.array(columns[name], np.float64) for name in numeric}
    return TypedChunk(range(len(rows)), columns, [row["decision"] for row in rows])


def merged_by_the_library(first=()):
    """Return the bytes of the model that the documentation promises."""
    models, columns, labels = [*first], {}, []
    for part, (begin, end) in enumerate(pairwise(CUTS)):
        withheld = Withheld(part, quota(part, 3))
        rest = withheld.others(typed(ROWS[begin:end]))
        clf = library.HyperboxClassifier(categorical_features=["education", "car"])
        models.append(clf.partial_fit(rest.columns, rest.labels))
        held, of = withheld.table()
        columns = {name: [*columns.get(name, []), *cells] for name, cells in held.items()}
        labels += of
    order = tuning_order(len(labels))
    columns = {name: [cells[i] for i in order] for name, cells in columns.items()}
    tune = (columns, [labels[i] for i in order])
    return library.dumps(library.merge(models, tune=tune, in_order=True))


def test_jobs_give_the_model_of_the_library_whatever_their_number_and_the_chunks(files, tmp_path):
    expected = merged_by_the_library()
    for jobs, more in ((1, ()), (3, ("--chunk-rows", 17))):
        target = tmp_path / f"{jobs}.box"
        run = learn(*files, "-o", target, "--jobs", jobs, *more)
        assert run.exit_code == 0, run.output
        assert target.read_bytes() == expected
        boxes = library.load(target).n_boxes_
        assert run.stdout == f"{target}: 900 rows, 3 parts merged, {boxes} boxes, 2 classes\n"
        assert "columns of " in run.stderr
        assert "the parts have 300 rows on average, which is few" in run.stderr


@pytest.mark.long
def test_the_order_of_the_files_matters(files, tmp_path):
    learn(*files, "-o", tmp_path / "a.box", "--jobs", 2, "-q")
    learn(*reversed(files), "-o", tmp_path / "b.box", "--jobs", 2, "-q")
    assert (tmp_path / "a.box").read_bytes() != (tmp_path / "b.box").read_bytes()


def test_a_model_that_goes_on_is_the_part_before_the_first(files, tmp_path):
    first = write_csv(tmp_path / "first.csv", [*ROWS[:150]])
    learn(first, "-o", tmp_path / "m.box", "-q")
    before = (tmp_path / "m.box").read_bytes()
    run = learn(*files, "--into", tmp_path / "m.box", "-o", tmp_path / "new.box", "--jobs", 2)
    assert run.exit_code == 0, run.output
    assert "900 rows more, 1,050 in all, 3 parts merged, " in run.stdout
    assert (tmp_path / "m.box").read_bytes() == before
    expected = merged_by_the_library([library.load(tmp_path / "m.box")])
    assert (tmp_path / "new.box").read_bytes() == expected
    assert learn(*files, "--into", tmp_path / "m.box", "--jobs", 2, "-q").exit_code == 0
    assert (tmp_path / "m.box").read_bytes() == expected


@pytest.mark.long
def test_a_model_without_names_of_columns_goes_on(tmp_path):
    X = np.random.default_rng(0).random((200, 2))
    library.HyperboxClassifier().fit(X, X[:, 0] > 0.5).save(tmp_path / "m.box")
    paths = [
        write_csv(tmp_path / f"{i}.csv", [{"a": a, "b": b, "decision": a > 0.5} for a, b in part])
        for i, part in enumerate(np.split(X, 2))
    ]
    run = learn(*paths, "--into", tmp_path / "m.box", "--jobs", 2)
    assert run.exit_code == 0, run.output
    assert "200 rows more, 400 in all" in run.stdout
    assert library.load(tmp_path / "m.box").classes_.tolist() == [False, True]


def test_a_file_given_twice_is_learned_twice_as_in_one_pass(files, tmp_path):
    run = learn(files[0], files[0], "-o", tmp_path / "m.box", "--jobs", 2)
    assert run.exit_code == 0, run.output
    assert ": 400 rows, 2 parts merged, " in run.stdout
    assert library.load(tmp_path / "m.box").boxes_.n_samples.sum() == 400


def test_a_single_file_is_learned_in_one_pass(files, tmp_path):
    assert learn(files[0], "-o", tmp_path / "a.box", "--jobs", 4).exit_code == 0
    learn(files[0], "-o", tmp_path / "b.box")
    assert (tmp_path / "a.box").read_bytes() == (tmp_path / "b.box").read_bytes()


@pytest.mark.long
def test_the_algorithm_of_the_paper_withholds_nothing(files, tmp_path):
    run = learn(*files, "-o", tmp_path / "m.box", "--jobs", 2, "--algorithm", "eiol-gfmm")
    assert run.exit_code == 0, run.output
    parts = []
    for begin, end in pairwise(CUTS):
        rows = typed(ROWS[begin:end])
        clf = library.EIOLGFMM(categorical_features=["education", "car"])
        parts.append(clf.partial_fit(rows.columns, rows.labels))
    assert (tmp_path / "m.box").read_bytes() == library.dumps(library.merge(parts))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--algorithm", "onln-gfmm"), "--jobs: OnlineGFMM cannot be learned in parts"),
        (("--algorithm", "agglo-2"), "--jobs: AgglomerativeGFMM cannot be learned in parts"),
        (("--alarm-command", "true"), "--alarm-command: the parts are learned apart"),
        (("-",), "--jobs: standard input cannot be read by several processes"),
        (("--jobs", "0"), "--jobs"),
    ],
)
def test_jobs_that_cannot_be_are_wrong_usage(files, tmp_path, options, words):
    run = learn(*files, "-o", tmp_path / "m.box", "--jobs", 2, *options)
    assert run.exit_code == 2
    assert words in run.stderr
    assert not (tmp_path / "m.box").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_cannot_be_read_by_several_processes(files, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    run = learn(files[0], tmp_path / "pipe.csv", "-o", tmp_path / "m.box", "--jobs", 2)
    assert run.exit_code == 2
    assert "pipe.csv cannot be read by several processes" in run.stderr


def test_a_bad_row_stops_it_with_its_file_and_line(files, tmp_path):
    lines = files[1].read_text().splitlines()
    lines[4] = "old" + lines[4]
    files[1].write_text("\n".join(lines) + "\n")
    run = learn(*files, "-o", tmp_path / "m.box", "--jobs", 2, "--numeric", "salary")
    assert run.exit_code == 1
    assert f"boxwise: {files[1]}, line 5, column 'salary': 'old" in run.stderr
    assert "(--on-error skip leaves such rows out" in run.stderr
    assert not (tmp_path / "m.box").exists()


def test_rows_left_out_are_told_as_in_one_process(files, tmp_path):
    for i, path in enumerate(files):
        lines = path.read_text().splitlines()
        for row in range(3, 13):
            lines[row] += f",{i}"
        path.write_text("\n".join(lines) + "\n")
    one = learn(*files, "-o", tmp_path / "one.box", "--on-error", "report")
    run = learn(*files, "-o", tmp_path / "m.box", "--on-error", "report", "--jobs", 2)
    assert run.exit_code == one.exit_code == 3
    remarks = ("rows on average", "one box per row")
    told = [line for line in run.stderr.splitlines() if not any(r in line for r in remarks)]
    assert told == one.stderr.splitlines()
    assert "30 rows were left out; the first: " in run.stderr
    assert "more rows cannot be used" in run.stderr
    assert ": 870 rows, 3 parts merged, " in run.stdout


@pytest.mark.long
def test_files_without_a_usable_row_are_parts_without_a_model(files, tmp_path):
    header = files[0].read_text().partition("\n")[0]
    (tmp_path / "empty.csv").write_text(header + "\n")
    run = learn(files[0], tmp_path / "empty.csv", files[1], "-o", tmp_path / "m.box", "--jobs", 2)
    assert run.exit_code == 0, run.output
    assert ": 500 rows, 2 parts merged, " in run.stdout
    (tmp_path / "b.csv").write_text(header + "\n")
    run = learn(tmp_path / "empty.csv", tmp_path / "b.csv", "-o", tmp_path / "n.box", "--jobs", 2)
    assert run.exit_code == 1
    assert "has columns but no rows" in run.stderr
    (tmp_path / "b.csv").write_text(header + "\nx\ny\n")
    command = (tmp_path / "empty.csv", tmp_path / "b.csv", "-o", tmp_path / "n.box", "--jobs", 2)
    run = learn(*command, "--on-error", "skip")
    assert run.exit_code == 1
    assert "2 rows were left out" in run.stderr
    assert "no row could be used; nothing was written" in run.stderr
    assert not (tmp_path / "n.box").exists()


def test_files_that_do_not_fit_together_are_told_before_any_is_learned(files, tmp_path):
    odd = write_csv(tmp_path / "odd.csv", [{**row, "extra": 1} for row in ROWS[:5]])
    run = learn(*files, odd, "-o", tmp_path / "m.box", "--jobs", 2)
    assert run.exit_code == 1
    assert f"{odd} has other columns than {files[0]}: it has 'extra' besides" in run.stderr
    assert "numeric" not in run.stderr
    run = learn(*files, tmp_path / "nix.csv", "-o", tmp_path / "m.box", "--jobs", 2)
    assert run.exit_code == 1
    assert f"there is no file '{tmp_path / 'nix.csv'}'" in run.stderr


@pytest.mark.long
def test_a_column_gets_its_kind_from_its_first_value_in_any_part(tmp_path):
    rows = [{"a": i, "late": "", "decision": i % 2} for i in range(60)]
    full = [{**row, "late": "x" if row["a"] % 3 else "y"} for row in rows]
    # The first 10,000 rows, all in the first file, decide the kinds of the other columns.
    first = write_csv(tmp_path / "a.csv", rows * 170)
    second = write_csv(tmp_path / "b.csv", full)
    third = write_csv(tmp_path / "c.csv", [{**row, "late": 7} for row in rows])
    run = learn(first, second, third, "-o", tmp_path / "m.box", "--jobs", 2)
    assert run.exit_code == 0, run.output
    model = library.load(tmp_path / "m.box")
    assert model.schema_.categorical_names == ("late",)
    assert model.categorical_features == ["late"]


@pytest.mark.long
def test_labels_that_are_many_numbers_are_counted_over_all_parts(tmp_path):
    def part(first, n):
        rows = [{"a": i, "decision": i} for i in range(first, first + n)]
        return write_csv(tmp_path / f"{first}.csv", rows)

    target = ("-o", tmp_path / "m.box", "--jobs", 2)
    run = learn(part(0, 20), part(20, 20), *target)
    assert run.exit_code == 0, run.output
    assert run.stderr.count("column 'decision' has 40 different numbers so far") == 1
    run = learn(part(0, 600), part(600, 600), *target, "-q")
    assert run.exit_code == 1
    assert "more than 1,000 different numbers" in run.stderr
    assert learn(part(0, 20), part(20, 20), *target, "-q", "--classes-are-numbers").stderr == ""


def test_groups_are_contiguous_and_at_most_so_many():
    for n in (1, 2, FAN_IN, FAN_IN + 1, 1_000):
        names = [str(i) for i in range(n)]
        parts = groups(names)
        assert len(parts) == min(n, FAN_IN)
        assert [name for part in parts for name in part] == names
        assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_rows_are_withheld_where_there_is_something_to_tune():
    assert most_withheld(library.HyperboxClassifier(), 1, 2) == 2_500
    assert most_withheld(library.EIOLGFMM(), 1, 2) == 0
