"""Estimators of algorithms that know no categories."""

from __future__ import annotations

from typing import Any

from boxwise.inputs import Batch
from boxwise.inputs.numbers import NotANumberError
from boxwise.schema import Schema


class NumericOnly:
    """For an algorithm that knows no categories: every column is numeric."""

    categorical_features = ()

    def _encode(
        self, X: Any, schema: Schema, upper: Any, *, learn: bool = True, assign_kinds: bool = False
    ) -> Batch:
        try:
            return super()._encode(  # type: ignore[misc,no-any-return]
                X, schema, upper, learn=learn, assign_kinds=assign_kinds
            )
        except NotANumberError as error:
            raise ValueError(
                f"{str(error).partition(';')[0]}; {type(self).__name__} takes numbers only: use "
                "HyperboxClassifier or ShindeGFMM, which take categories as they are, or encode "
                "the column"
            ) from None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.categorical = False
        return tags
