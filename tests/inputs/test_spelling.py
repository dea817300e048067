"""Categories that a model knows as text and gets as numbers, or the other way round."""

import warnings

import pandas as pd
import pytest

from boxwise import HyperboxClassifier

ZONES = [i % 3 for i in range(30)]
ZONE = pd.DataFrame({"a": range(30), "zone": ZONES})
TEXT = ZONE.assign(zone=[str(zone) for zone in ZONES])
LABELS = ["low" if zone else "high" for zone in ZONES]


def classifier() -> HyperboxClassifier:
    return HyperboxClassifier(categorical_features=["zone"])


@pytest.mark.parametrize("as_rows", [False, True])
@pytest.mark.parametrize(
    ("learned", "asked", "words"),
    [
        (TEXT, ZONE, "0 is not known, but '0' is .row 0.; convert the column to text"),
        (TEXT, ZONE.astype({"zone": float}), "0.0 is not known, but '0' is"),
        (TEXT, ZONE.astype({"zone": "category"}), "0 is not known, but '0' is"),
        (ZONE, TEXT, "'0' is not known, but 0 is .row 0.; convert the column to numbers"),
        (ZONE.assign(zone=TEXT.zone + ".0"), ZONE, "0 is not known, but '0.0' is"),
    ],
)
def test_the_other_spelling_of_a_known_value_is_warned_of(learned, asked, words, as_rows):
    clf = classifier().fit(learned, LABELS)
    with pytest.warns(UserWarning, match=f"column 'zone': {words}"):
        clf.predict(asked.to_dict("records") if as_rows else asked)
    with pytest.warns(UserWarning, match="column 'zone'"):
        clf.partial_fit(asked, LABELS)


@pytest.mark.parametrize("zone", ["0", "7", None, "x"])
def test_known_new_and_missing_values_are_not_warned_of(zone):
    clf = classifier().fit(TEXT, LABELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.predict(TEXT.assign(zone=zone))
        clf.predict(ZONE.assign(zone=7))
