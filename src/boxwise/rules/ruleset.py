"""A model as rules: to read, to sort and filter, to predict with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Model, label_array
from boxwise.core.boxes import Backend
from boxwise.inputs import Batch, encode
from boxwise.inputs.labels import encode_labels
from boxwise.rules import pages, saved
from boxwise.rules.coverage import Coverage
from boxwise.rules.deciding import deciding_rules
from boxwise.rules.from_boxes import rules_of_boxes
from boxwise.rules.measuring import measured
from boxwise.rules.rule import Rule
from boxwise.schema import Schema, Vocabulary, show

if TYPE_CHECKING:
    from boxwise.rules.simplification import Simplification

SortKey = Literal["rank", "rows", "covered", "decided", "right", "precision", "conditions", "label"]


class RuleSet(Sequence[Rule]):
    """Rules that stand for a model. It does not change: what would change it returns a new one.

    A row is covered by a rule if it meets all its conditions: a number (an interval as a whole)
    lies in the interval, ends included; a category is among the values. A missing number meets
    every condition, a missing category is a value like any other, and a value that was never seen
    is in no set. So the rule of a box with all conditions (``full=True``) covers exactly the rows
    that the box contains. Without those that the box spans, the same holds among rows within what
    the model has seen. Where all boxes vote, conditions that do not raise the precision of a rule
    are left out too, and the rule covers more.

    Attributes
    ----------
    schema : Schema
        The columns.
    classes : tuple
        The classes, those of `predict`.
    ordered : bool
        Whether the rules are a list in which the first that covers a row decides, as `simplify`
        gives; rules of boxes are not.
    simplification : Simplification or None
        How `simplify` came to these rules.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> rows = [{"age": 47, "job": "smith"}, {"age": 23, "job": "cook"}, {"age": 25, "job": "cook"}]
    >>> clf = HyperboxClassifier().fit(rows, ["yes", "no", "no"])
    >>> rules = clf.rules(full=True)
    >>> print(rules)
    IF age between 23 and 25 AND job is cook THEN no (from 2 rows)
    IF age is 47 AND job is smith THEN yes (from 1 row)
    >>> rules.predict([{"age": 44, "job": "smith"}])
    array(['yes'], dtype='<U3')
    >>> rules.fidelity(rows)
    1.0
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        schema: Schema,
        classes: Sequence[object],
        *,
        model: Model | None = None,
        ordered: bool = False,
        unlabelled: object = None,
        simplification: Simplification | None = None,
    ) -> None:
        self._rules = tuple(rules)
        self.schema = schema
        self.classes = tuple(classes)
        self.ordered = ordered
        self.unlabelled = unlabelled
        self.simplification = simplification
        self._model = model

    @classmethod
    def of_model(
        cls, model: Model, *, min_share: float = 0.0, full: bool = False, unlabelled: object = None
    ) -> RuleSet:
        """Return the boxes of a model as rules; see ``HyperboxClassifier.rules``."""
        if not 0 <= min_share <= 1:
            raise ValueError(f"min_share must be from 0 to 1, not {show(min_share)}")
        copy = model.copy()  # of one moment, while another thread learns
        schema = copy.described_schema()
        rules = rules_of_boxes(copy, schema, min_share=min_share, full=full)
        return cls(rules, schema, copy.classes, model=model, unlabelled=unlabelled)

    def _with(self, rules: Sequence[Rule] | None = None, **changed: Any) -> RuleSet:
        kept = {
            "model": self._model,
            "ordered": self.ordered,
            "unlabelled": self.unlabelled,
            "simplification": self.simplification,
        }
        own = self._rules if rules is None else rules
        return RuleSet(own, self.schema, self.classes, **{**kept, **changed})

    def _list_of(self, rules: Sequence[Rule]) -> RuleSet:
        """Return other rules of the model as it is now, to be read as a list."""
        model = self.model
        schema, classes = model.described_schema(), model.classes
        return RuleSet(
            rules, schema, classes, model=model, ordered=True, unlabelled=self.unlabelled
        )

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    @overload
    def __getitem__(self, i: int) -> Rule: ...
    @overload
    def __getitem__(self, i: slice) -> RuleSet: ...
    def __getitem__(self, i: int | slice) -> Rule | RuleSet:
        return self._with(self._rules[i]) if isinstance(i, slice) else self._rules[i]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RuleSet)
            and self._rules == other._rules
            and self.schema == other.schema
            and self.classes == other.classes
            and self.ordered == other.ordered
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        rules = f"{len(self):,} rule{'' if len(self) == 1 else 's'}"
        return f"RuleSet({rules}, {self.n_conditions:,} conditions, {len(self.classes)} classes)"

    def __str__(self) -> str:
        return self.to_text()

    def __getstate__(self) -> dict[str, Any]:
        # The rules go without the model, which has a file of its own.
        return {**self.__dict__, "_model": None}

    @property
    def n_conditions(self) -> int:
        """The number of conditions of all rules."""
        return sum(len(rule.conditions) for rule in self)

    def sort(self, by: SortKey = "rows", *, descending: bool | None = None) -> RuleSet:
        """Return the rules in another order, which changes no prediction.

        Parameters
        ----------
        by : {"rank", "rows", "covered", "decided", "right", "precision", "conditions", "label"}
            What to sort by; rules without such a number come last.
        descending : bool, optional
            By default the largest come first; of ranks, conditions and labels the smallest.
        """
        if by not in _KEYS:
            raise ValueError(f"by must be one of {', '.join(map(repr, _KEYS))}, not {show(by)}")
        down = by not in ("rank", "conditions", "label") if descending is None else descending
        keys = [(_KEYS[by](rule), rule) for rule in self]
        known = sorted(
            [(k, r) for k, r in keys if k is not None], key=lambda pair: pair[0], reverse=down
        )
        return self._with([r for _, r in known] + [r for k, r in keys if k is None])

    def filter(
        self,
        where: Callable[[Rule], bool] | None = None,
        *,
        label: object = None,
        column: str | None = None,
        min_rows: int = 0,
        min_covered: int = 0,
        min_precision: float = 0.0,
    ) -> RuleSet:
        """Return the rules that pass.

        Parameters
        ----------
        where : callable, optional
            Takes a rule and says whether it stays.
        label : object, optional
            Only rules of this class.
        column : str, optional
            Only rules with a condition on this column.
        min_rows, min_covered, min_precision : number
            Only rules with at least so much; a rule that was not measured covers no row.
        """
        if label is not None and label not in self.classes:
            known = ", ".join(map(repr, self.classes))
            raise ValueError(f"there is no class {show(label)}; there are {known}")
        if column is not None and column not in self.schema.names:
            raise ValueError(
                f"there is no column {show(column)}; there are {', '.join(self.schema.names)}"
            )
        return self._with(
            [
                rule
                for rule in self
                if (where is None or where(rule))
                and (label is None or rule.label == label)
                and (column is None or column in {c.column for c in rule.conditions})
                and rule.rows >= min_rows
                and (rule.covered or 0) >= min_covered
                and (rule.precision or 0.0) >= min_precision
            ]
        )

    def covers(self, X: Any, upper: Any = None) -> NDArray[np.bool_]:
        """Return which rows meet the conditions of which rules.

        Parameters
        ----------
        X, upper
            As in `fit` of the classifier.

        Returns
        -------
        array of shape (rows, rules)
        """
        batch = self._read(X, upper)
        return Coverage([rule.conditions for rule in self], self.schema).bits(batch).T

    def measure(self, X: Any, y: Any, upper: Any = None) -> RuleSet:
        """Return the rules with how many of these rows they cover and decide, and how rightly.

        Parameters
        ----------
        X, y, upper
            As in `fit` of the classifier.
        """
        batch = self._read(X, upper)
        labels = self._read_labels(y, batch)
        return self._with(measured(self._rules, self.schema, batch, labels, self._codes()))

    def predict(self, X: Any, upper: Any = None) -> NDArray[Any]:
        """Return the class of each row by the rules alone.

        Of the rules that cover a row, the one of the lowest rank decides: the first of a simplified
        list; of the rules of boxes, that of the box with the most rows. If none does, the nearest:
        the rule of which the fewest conditions fail; of several, the one where they fail by the
        least (numbers by shares of the column's range, categories by 1); then that of lowest rank.

        Parameters
        ----------
        X, upper
            As in `fit` of the classifier.

        Returns
        -------
        array of shape (rows,)
        """
        return label_array([*self.classes])[self._decide(self._read(X, upper))]

    def fidelity(self, X: Any, upper: Any = None) -> float:
        """Return the share of rows on which the rules agree with the model.

        The model is the one that the rules were made from, as it is now. Rules that were read from
        JSON or a pickle have none.

        Parameters
        ----------
        X, upper
            As in `fit` of the classifier.
        """
        batch = encode(X, self.model.schema, learn=False, upper=upper, reader="the model")
        predicted = self.model.predict(batch)
        return float((self._decide(self._read(X, upper)) == predicted).mean())

    @property
    def model(self) -> Model:
        """The model that the rules were made from."""
        if self._model is None:
            raise ValueError(
                "these rules were read from JSON or a pickle, without their model; "
                "make them anew with clf.rules()"
            )
        return self._model

    def simplify(self, X: Any, y: Any, fidelity: float = 0.95, **options: Any) -> RuleSet:
        """Return fewer and shorter rules that still predict as the model does.

        See :func:`boxwise.rules.simplify` for the options, and how it is done.

        Parameters
        ----------
        X, y
            Rows to do it with; those that the model has learned will do.
        fidelity : float from 0 to 1
            The share of held-out rows on which the rules must agree with the model.
        """
        from boxwise.rules.simplifying import simplify

        return simplify(self, X, y, fidelity, **options)

    def to_text(self) -> str:
        """Return the rules as text, one per line."""
        return pages.to_text(self._rules, ordered=self.ordered)

    def to_markdown(self) -> str:
        """Return the rules as a table in Markdown."""
        return pages.to_markdown(self._rules, ordered=self.ordered)

    def to_html(self) -> str:
        """Return the rules as a table in HTML, without a page around it."""
        return pages.to_html(self._rules, ordered=self.ordered)

    def _repr_html_(self) -> str:
        return pages.to_card(repr(self), self._rules, ordered=self.ordered)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the rules as a table, one row each.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library that makes the table; the first of these that is installed by default.
        """
        return pages.to_frame(self._rules, backend)

    def to_json(self, indent: int | None = 2) -> str:
        """Return all there is to the rules but the model, for `from_json`."""
        return saved.to_json(self, indent)

    @classmethod
    def from_json(cls, text: str | bytes) -> RuleSet:
        """Return the rules that `to_json` has written; ValueError if the text is something else."""
        return cls(**saved.from_json(text))

    def _read(self, X: Any, upper: Any) -> Batch:
        return encode(X, self.schema, learn=False, upper=upper, reader="the rules")

    def _read_labels(self, y: Any, batch: Batch) -> NDArray[np.int32]:
        known = Vocabulary(self.classes)
        codes, _ = encode_labels(y, known, n_rows=batch.n_rows, unlabelled=self.unlabelled)
        return codes

    def _codes(self) -> list[int]:
        code_of = {label: code for code, label in enumerate(self.classes)}
        return [code_of[rule.label] for rule in self]

    def _decide(self, batch: Batch) -> NDArray[np.intp]:
        if not self:
            raise ValueError("there are no rules to predict with")
        decided = deciding_rules(self._rules, self.schema, batch)
        return np.array(self._codes())[decided]


_KEYS: dict[str, Callable[[Rule], Any]] = {
    "rank": lambda rule: rule.rank,
    "rows": lambda rule: rule.rows,
    "covered": lambda rule: rule.covered,
    "decided": lambda rule: rule.decided,
    "right": lambda rule: rule.right,
    "precision": lambda rule: rule.precision,
    "conditions": lambda rule: len(rule.conditions),
    "label": lambda rule: str(rule.label),
}
