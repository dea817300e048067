"""Ranks and their averages against SciPy, and from tables of several kinds."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.stats import rankdata

from boxwise.evaluate import AverageRanks, average_ranks, rank

# Few different values, so that ties are common.
SCORES = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=8),
    elements=st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9]),
)


@given(SCORES)
def test_ranks_are_those_of_scipy_on_the_negative_scores(scores):
    np.testing.assert_array_equal(rank(scores), rankdata(-scores, axis=1))


@given(SCORES)
def test_ranks_of_errors_are_ranks_of_the_negative_scores(scores):
    np.testing.assert_array_equal(rank(-scores, larger_is_better=False), rank(scores))
    assert average_ranks(-scores, larger_is_better=False) == average_ranks(scores)


@given(SCORES)
def test_average_ranks_are_the_means_of_the_ranks(scores):
    found = average_ranks(scores)
    np.testing.assert_allclose(found.ranks, rank(scores).mean(axis=0))
    assert found.n_datasets == len(scores)
    m = scores.shape[1]
    assert sum(found.ranks) == pytest.approx(m * (m + 1) / 2)


def test_equal_scores_share_the_mean_of_their_ranks():
    assert rank([[0.5, 0.9, 0.5, 0.1]]).tolist() == [[2.5, 1, 2.5, 4]]


def test_an_infinite_score_is_ranked_like_any_other():
    assert rank([[1.0, np.inf, -np.inf]]).tolist() == [[2, 1, 3]]


def test_integers_and_nested_lists_will_do():
    assert rank(np.array([[3, 1, 2]])).tolist() == rank([[3, 1, 2]]).tolist() == [[1, 3, 2]]


def test_a_pandas_frame_gives_a_frame_with_its_names_and_index():
    pd = pytest.importorskip("pandas")
    scores = pd.DataFrame({"v1": [0.8, 0.6], "v2": [0.7, 0.9]}, index=["zoo", "heart"])
    wanted = pd.DataFrame({"v1": [1.0, 2.0], "v2": [2.0, 1.0]}, index=["zoo", "heart"])
    pd.testing.assert_frame_equal(rank(scores), wanted)
    assert average_ranks(scores).methods == ("v1", "v2")


def test_a_pandas_index_with_repeated_or_unsorted_labels_does_not_move_ranks():
    pd = pytest.importorskip("pandas")
    values = [[0.8, 0.7], [0.6, 0.9], [0.1, 0.2]]
    scores = pd.DataFrame(values, columns=["a", "b"], index=[2, 0, 2])
    np.testing.assert_array_equal(rank(scores).to_numpy(), rank(values))


def test_a_pandas_frame_without_names_is_read_by_the_numbers_of_its_columns():
    pd = pytest.importorskip("pandas")
    scores = pd.DataFrame([[0.8, 0.7], [0.6, 0.9]])
    pd.testing.assert_frame_equal(rank(scores), pd.DataFrame([[1.0, 2.0], [2.0, 1.0]]))
    assert average_ranks(scores).methods == ("0", "1")


def test_two_columns_of_one_name_are_an_error():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="two methods have the same name"):
        rank(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_a_polars_frame_gives_a_frame_and_keeps_the_names_of_the_data_sets():
    pl = pytest.importorskip("polars")
    scores = pl.DataFrame({"set": ["zoo", "heart"], "v1": [0.8, 0.6], "v2": [7, 9]})
    found = rank(scores)
    assert isinstance(found, pl.DataFrame)
    assert found.to_dict(as_series=False) == {"set": ["zoo", "heart"], "v1": [2, 2], "v2": [1, 1]}
    assert average_ranks(scores) == AverageRanks(["v1", "v2"], [2, 1], 2)


def test_arrow_tables_are_read_too():
    pa = pytest.importorskip("pyarrow")
    scores = pa.table({"v1": [0.8, 0.6], "v2": [0.7, 0.9]})
    assert rank(scores).to_pydict() == {"v1": [1, 2], "v2": [2, 1]}


def test_names_of_methods_can_be_given_and_are_numbered_otherwise():
    scores = [[1, 2], [1, 2]]
    assert average_ranks(scores).methods == ("method 0", "method 1")
    assert average_ranks(scores, methods=["a", "b"]).methods == ("a", "b")


def test_a_missing_score_is_an_error_that_names_data_set_and_method():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pd.DataFrame({"v1": [0.8, 0.6], "v2": [0.7, np.nan]}, index=["zoo", "heart"])
    with pytest.raises(ValueError, match="no score for data set 'heart' and method 'v2'"):
        rank(frame)
    frame = pl.DataFrame({"set": ["zoo", "heart"], "v1": [None, 0.6], "v2": [0.7, None]})
    with pytest.raises(ValueError, match=r"data set 'zoo' and method 'v1' \(2 missing in all\)"):
        average_ranks(frame)
    with pytest.raises(ValueError, match="data set 'row 1' and method 'method 0'"):
        average_ranks([[1, 2], [np.nan, 2]])


def test_a_nullable_pandas_column_is_read_and_its_gap_is_found():
    pd = pytest.importorskip("pandas")
    whole = pd.DataFrame({"a": pd.array([1, 2], "Int64"), "b": [2.0, 1.0]})
    assert rank(whole).to_numpy().tolist() == [[2, 1], [1, 2]]
    with pytest.raises(ValueError, match="data set '1' and method 'a'"):
        rank(pd.DataFrame({"a": pd.array([1, None], "Int64"), "b": [2.0, 1.0]}))


@pytest.mark.parametrize("scores", [[[1.0], [2.0]], np.empty((0, 3)), np.empty((3, 0))])
def test_fewer_than_two_methods_or_no_data_set_is_an_error(scores):
    with pytest.raises(ValueError, match="a column for each of 2 or more methods"):
        rank(scores)


def test_one_data_set_can_be_ranked_but_not_averaged():
    assert rank([[1, 2]]).tolist() == [[2, 1]]
    with pytest.raises(ValueError, match="over 1 data set cannot be tested"):
        average_ranks([[1, 2]])


def test_what_is_no_table_of_numbers_is_an_error():
    with pytest.raises(ValueError, match="not an array of 1 dimensions"):
        rank([1, 2, 3])
    with pytest.raises(TypeError, match="must be a table of numbers"):
        rank([["a", "b"]])
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"set": ["zoo"], "by": ["me"], "v1": [1.0], "v2": [2.0]})
    with pytest.raises(TypeError, match="columns 'set', 'by' are not numbers"):
        rank(frame)
    with pytest.raises(TypeError, match="lazy"):
        rank(frame.lazy())


@pytest.mark.parametrize(
    ("methods", "ranks", "n_datasets", "message"),
    [
        (["a"], [1.0], 5, "nothing to compare with 1 method"),
        (["a", "b"], [1.0, 2.0, 3.0], 5, "2 methods but 3 ranks"),
        (["a", "a"], [1.0, 2.0], 5, "two methods are called 'a'"),
        (["a", "b"], [1.0, 2.0], 1, "over 1 data set cannot be tested"),
        (["a", "b"], [0.9, 2.0], 5, "method 'a': an average rank lies in 1 to 2, not 0.9"),
        (["a", "b"], [1.0, float("nan")], 5, "method 'b': an average rank lies in 1 to 2, not nan"),
        (["a", "b", "c"], [1.2, 1.5, 2.2], 5, "add up to 6, these to 4.9"),
    ],
)
def test_average_ranks_that_cannot_be_are_an_error(methods, ranks, n_datasets, message):
    with pytest.raises(ValueError, match=message):
        AverageRanks(methods, ranks, n_datasets)


def test_ranks_rounded_to_one_decimal_are_taken():
    rounded = [4.0, 4.1, 3.9, 4.0, 4.1, 4.1, 4.1]  # they add up to 28.3, not 28
    assert list(AverageRanks(list("abcdefg"), rounded, 7).ranks) == rounded


def test_average_ranks_are_values():
    one, other = (AverageRanks(["a", "b"], np.array([1.0, 2.0]), 5) for _ in range(2))
    assert one == other == pickle.loads(pickle.dumps(one))
    assert hash(one) == hash(other)
    with pytest.raises(KeyError, match="no method 'c'; there are 'a', 'b'"):
        one.of("c")
