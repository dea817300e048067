"""Cells to category codes, and the errors for those that cannot be categories."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boxwise._native import read_codes
from boxwise.inputs.missing import first_without_hash, is_missing, is_signalling_nan
from boxwise.inputs.spelling import known_spelling
from boxwise.inputs.table import Coded, Values
from boxwise.schema import OTHER_VALUES, Vocabulary, is_category, not_a_category, show

UNSEEN = -1


def to_codes(
    values: Values, vocabulary: Vocabulary, *, learn: bool, name: str
) -> tuple[NDArray[np.int32], list[object]]:
    """Return the codes of a column, and the values that the vocabulary does not have.

    The vocabulary is only looked up. With `learn`, new values get the codes that follow on from it;
    without, they get -1 and are not listed. Beyond its limit all share one code.
    """
    if isinstance(values, Coded):
        return _recode(values, vocabulary, learn=learn, name=name)
    try:
        codes = read_codes(values, vocabulary.codes, not learn)
        if codes is not None:
            if vocabulary.limit is not None and vocabulary.is_full:
                codes[codes == UNSEEN] = vocabulary.limit
            return codes, []
        # Equal values fall together here, so the work below is once per distinct value.
        code_of: dict[object, int] = dict.fromkeys(values, UNSEEN)
    except Exception:
        row = first_without_hash(values)
        if row is None:  # a value refuses to be compared with another
            raise
        raise _unhashable(values[row], row, name) from None
    additions: list[object] = []
    new: dict[object, int] = {}
    known = vocabulary.codes
    first_new = len(vocabulary)
    for value in code_of:
        code = known.get(value)
        if code is None:
            plain = plain_category(value)
            code = known.get(plain)
            if code is None and not is_category(plain):
                raise _refusal(values, value, plain, name)
            if code is None and vocabulary.is_full:
                code = vocabulary.limit
            elif code is None and learn:
                if plain == OTHER_VALUES and vocabulary.limit is not None:
                    raise _reserved(values, value, vocabulary.limit, name)
                code = new.get(plain)
                if code is None and first_new + len(additions) == vocabulary.limit:
                    additions.append(OTHER_VALUES)
                if code is None and _is_beyond(first_new + len(additions), vocabulary):
                    code = vocabulary.limit
                elif code is None:
                    code = new[plain] = first_new + len(additions)
                    additions.append(plain)
        if code is not None:
            code_of[value] = code
    return np.fromiter(map(code_of.__getitem__, values), np.int32, len(values)), additions


def warn_of_spelling(
    values: Values, codes: NDArray[np.int32], vocabulary: Vocabulary, name: str
) -> None:
    """Warn if the first value that is not known would be as text, or as a number."""
    new = np.flatnonzero((codes < 0) | (codes >= len(vocabulary)))
    if not len(new) or not len(vocabulary):
        return
    row = int(new[0])
    if isinstance(values, Coded):
        place = int(values.positions[row])
        value = plain_category(values.categories[place]) if place >= 0 else None
    else:
        value = plain_category(values[row])
    known = known_spelling(value, vocabulary.codes)
    if known is None:
        return
    is_text = isinstance(value, str)
    warnings.warn(
        f"column {name!r}: {show(value)} is not known, but {show(known)} is (row {row}); convert "
        f"the column to {'numbers' if is_text else 'text'}, as it was when the model learned",
        UserWarning,
        stacklevel=4,
    )


def _is_beyond(code: int, vocabulary: Vocabulary) -> bool:
    return vocabulary.limit is not None and code > vocabulary.limit


def _recode(
    coded: Coded, vocabulary: Vocabulary, *, learn: bool, name: str
) -> tuple[NDArray[np.int32], list[object]]:
    present, first, inverse = np.unique(coded.positions, return_index=True, return_inverse=True)
    order = np.argsort(first)
    values = [coded.categories[p] if p >= 0 else None for p in present[order].tolist()]
    codes, additions = to_codes(values, vocabulary, learn=learn, name=name)
    by_position = np.empty_like(codes)
    by_position[order] = codes
    return by_position[inverse], additions


def plain_category(value: object) -> object:
    """Return the value as plain Python, None if it is missing.

    What comes from NumPy, and subclasses such as enumerations of text, become the plain value that
    they are equal to. Anything else is returned as it is.
    """
    if is_missing(value):
        return None
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int | np.integer) and not isinstance(value, np.timedelta64):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    return value


def _unhashable(value: object, row: int, name: str) -> Exception:
    if is_signalling_nan(value):
        return ValueError(
            f"column {name!r}: a signalling NaN cannot be a category (row {row}); "
            "use None or NaN for a missing value"
        )
    # The words after the colon are those that scikit-learn's checks look for.
    return TypeError(
        f"column {name!r}: {show(value)} cannot be a category (row {row}): argument must "
        f"be a string or a real number, not {type(value).__name__!r}; "
        "convert the column to text"
    )


def _reserved(values: Sequence[object], value: object, limit: int, name: str) -> Exception:
    row = next(row for row, other in enumerate(values) if other is value)
    return ValueError(
        f"column {name!r}: {OTHER_VALUES!r} stands for all values after the first {limit} (row "
        f"{row}); give yours another name"
    )


def _refusal(values: Sequence[object], value: object, plain: object, name: str) -> Exception:
    row = next(row for row, other in enumerate(values) if other is value)
    if isinstance(plain, complex):
        return ValueError(f"Complex data not supported: column {name!r}, {show(plain)} (row {row})")
    return not_a_category(name, plain, f" (row {row})")
