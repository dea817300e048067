"""What counts as a table, and what is said about what does not."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse  # type: ignore[import-untyped]
from sklearn.utils.estimator_checks import _NotAnArray

from boxwise import schema
from boxwise.inputs import encode, infer_schema


@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("container", [scipy.sparse.csr_matrix, scipy.sparse.csr_array])
def test_sparse_data_is_refused_in_scikit_learns_words(container: Any, form: str) -> None:
    with pytest.raises(TypeError, match="Sparse data was passed, but dense data is required"):
        infer_schema(container(np.eye(2)).asformat(form))


@pytest.mark.parametrize("X", [np.zeros(3), [1, 2, 3], ["ab", "cd"], pd.Series([1, 2])])
def test_one_dimension_is_refused_in_scikit_learns_words(X: Any) -> None:
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array instead") as caught:
        infer_schema(X)
    assert "Reshape your data" in str(caught.value)


@pytest.mark.parametrize("X", [np.float64(3), 3, "text", object()])
def test_a_scalar_is_refused(X: Any) -> None:
    with pytest.raises(ValueError, match="Expected 2D array, got scalar array instead"):
        infer_schema(X)


@pytest.mark.parametrize("X", [np.zeros((2, 2, 2)), [[[1, 2], [3, 4]]], [np.zeros((2, 2))]])
def test_three_dimensions_are_refused(X: Any) -> None:
    with pytest.raises(ValueError, match="Found array with dim 3"):
        infer_schema(X)


@pytest.mark.parametrize(
    "X", [np.empty((0, 3)), [], (), pd.DataFrame({"a": []}), pl.DataFrame({"a": []})]
)
def test_no_rows_are_refused_in_scikit_learns_words(X: Any) -> None:
    words = r"Found array with 0 sample\(s\) \(shape=\(0,.*\)\) while a minimum of 1 is required."
    with pytest.raises(ValueError, match=words):
        infer_schema(X)
    with pytest.raises(ValueError, match=words):
        encode(X, infer_schema(np.zeros((1, 3))), learn=False)


@pytest.mark.parametrize(
    "X", [np.empty((12, 0)), [{}] * 12, [[]] * 12, pd.DataFrame(index=range(12))]
)
def test_no_columns_are_refused_in_scikit_learns_words(X: Any) -> None:
    words = r"0 feature\(s\) \(shape=\(12, 0\)\) while a minimum of 1 is required."
    with pytest.raises(ValueError, match=words):
        infer_schema(X)


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1j]]),
        np.array([[1j]], dtype=object),
        [[1j]],
        [{"x0": 1j}],
        pd.DataFrame({"a": [1j]}),
    ],
)
@pytest.mark.parametrize("categorical_features", ["from_dtype", None])
def test_complex_numbers_are_refused_in_scikit_learns_words(
    X: Any, categorical_features: Any
) -> None:
    with pytest.raises(ValueError, match="Complex data not supported"):
        encode(X, infer_schema(X, categorical_features), learn=True)


def test_a_lazy_frame_must_be_collected() -> None:
    with pytest.raises(TypeError, match=r"collect it first: X.collect\(\)"):
        infer_schema(pl.LazyFrame({"a": [1]}))


def test_a_structured_array_must_be_converted() -> None:
    with pytest.raises(ValueError, match=r"structured array.*DataFrame"):
        infer_schema(np.zeros((2, 2), dtype=[("a", float)]))


@pytest.mark.parametrize("dtype", ["datetime64[ns]", "timedelta64[s]"])
def test_arrays_of_times_must_be_converted(dtype: str) -> None:
    with pytest.raises(TypeError, match=f"{dtype[:-4]}.*convert it to numbers"):
        infer_schema(np.zeros((2, 2), dtype=dtype))


def test_a_single_dict_must_be_wrapped() -> None:
    with pytest.raises(TypeError, match=r"wrap it in a list: \[X\]"):
        infer_schema({"a": 1})


def test_duplicate_column_names_are_refused() -> None:
    names = ["a", "a"]
    for X in (
        pd.DataFrame(np.zeros((2, 2)), columns=names),
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=names),
    ):
        with pytest.raises(ValueError, match="'a' 2 times\nRename the columns"):
            infer_schema(X)


def test_rows_of_different_lengths_are_named() -> None:
    with pytest.raises(ValueError, match="row 2 has 1 values, but row 0 has 2"):
        infer_schema([[1, 2], [3, 4], [5]])


@pytest.mark.parametrize("X", [[{"a": 1}, [1]], [[1], {"a": 1}], [[1], 1]])
def test_rows_of_different_types_are_named(X: Any) -> None:
    with pytest.raises(TypeError, match="row 1 is a"):
        infer_schema(X)


def test_anything_numpy_can_read_is_a_table() -> None:
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    for X in (_NotAnArray(values), values.astype(">f8"), list(values)):
        schema = infer_schema(X)
        np.testing.assert_array_equal(encode(X, schema, learn=True).lower, values)


def test_masked_cells_are_missing() -> None:
    mask = [[True, False], [False, True]]
    numbers = np.ma.masked_array([[1, 2], [3, 4]], mask)
    batch = encode(numbers, infer_schema(numbers), learn=True)
    np.testing.assert_array_equal(batch.lower, [[np.nan, 2], [3, np.nan]])
    texts = np.ma.masked_array([["a", "b"], ["c", "d"]], mask)
    batch = encode(texts, infer_schema(texts), learn=True)
    assert batch.additions == [[None, "c"], ["b", None]]


def test_a_contiguous_float_array_is_not_copied() -> None:
    X = np.random.default_rng(0).normal(size=(5, 3))
    batch = encode(X, infer_schema(X), learn=True)
    assert np.shares_memory(batch.lower, X)
    assert batch.upper is batch.lower


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "dtype", [np.float64, np.float32, np.int16, np.uint64, np.longdouble, object]
)
def test_batches_are_contiguous_float64_and_int32(order: Any, dtype: Any) -> None:
    X = np.array([[1, 2, 3], [4, 5, 6]], dtype=dtype, order=order)
    for chosen, width in ((None, 3), ([1], 2), ([0, 1, 2], 0)):
        batch = encode(X, infer_schema(X, chosen), learn=True)
        assert batch.n_rows == 2
        assert batch.lower.shape == (2, width)
        assert batch.codes.shape == (2, 3 - width)
        assert batch.lower.dtype == np.float64
        assert batch.codes.dtype == np.int32
        assert batch.lower.flags.c_contiguous
        assert batch.codes.flags.c_contiguous
        assert batch.upper is batch.lower


def test_inputs_are_never_changed() -> None:
    frame = pd.DataFrame({"a": [1.0, np.nan], "b": ["x", None]})
    array = frame.to_numpy(dtype=object)
    dicts = frame.to_dict("records")
    for X in (frame, array, dicts):
        before = repr(X)
        encode(X, infer_schema(X), learn=True)
        assert repr(X) == before


def test_very_wide_arrays_are_fine() -> None:
    X = np.arange(20_000.0).reshape(2, 10_000)
    batch = encode(X, infer_schema(X), learn=True)
    np.testing.assert_array_equal(batch.lower, X)


def test_no_data_frame_library_is_imported() -> None:
    # An empty module takes the place of the package, which may import what it likes.
    code = (
        "import sys, types; sys.modules['boxwise'] = types.ModuleType('boxwise')\n"
        f"sys.modules['boxwise'].__path__ = [{str(Path(schema.__file__).parent)!r}]\n"
        "from boxwise.inputs import encode, infer_schema\n"
        "X = [{'a': 1, 'b': 'x'}]; encode(X, infer_schema(X), learn=True)\n"
        "X = [[None, 'x'], [1, 'x']]; encode(X, infer_schema(X), learn=True)\n"
        "print({'pandas', 'polars', 'pyarrow', 'scipy', 'sklearn'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_a_record_batch_and_rows_of_iterrows_keep_their_names():
    frame = pd.DataFrame({"size": [1.0, 2.0], "word": ["a", "b"]})
    schema = infer_schema(frame)
    expected = encode(frame, schema, learn=True)
    reordered = frame[["word", "size"]]
    batch = pa.RecordBatch.from_pandas(reordered)
    rows = [row for _, row in reordered.iterrows()]
    for table in (batch, rows):
        assert infer_schema(table).named
        encoded = encode(table, schema, learn=True)
        np.testing.assert_array_equal(encoded.lower, expected.lower)
        np.testing.assert_array_equal(encoded.codes, expected.codes)
