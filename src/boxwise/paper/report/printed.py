"""The numbers that the paper prints: every table of them, as they stand there."""

from __future__ import annotations

from boxwise.evaluate import AverageRanks

METHODS = ("M1", "M2", "v1", "v2")
ENCODED = (
    "catboost", "one-hot", "leave-one-out", "ordinal", "target", "james-stein", "helmert", "sum",
)  # fmt: skip
WAYS = ("tuned", "estimate", "estimate-scores", "fixed")

TABLE_I = {
    0.1: AverageRanks(METHODS, (3, 3.214, 1.893, 1.893), 14),
    0.7: AverageRanks(METHODS, (2.429, 3.857, 1.607, 2.107), 14),
    1.0: AverageRanks(METHODS, (2.429, 3.857, 1.679, 2.036), 14),
}
TABLE_I_SECOND = {"M1": 0.1, "M2": 0.75, "v1": 0.1, "v2": 0.1}  # at every theta
TABLE_I_F = {0.1: 5.5539, 0.7: 16.5238, 1.0: 15.7716}

TABLE_II = {
    theta: AverageRanks((*ENCODED, "v1", "v2"), ranks, 14)
    for theta, ranks in {
        0.1: (5.357, 8.179, 4.857, 5.107, 5.464, 5.250, 7.893, 5.607, 3.679, 3.607),
        0.7: (5.071, 8.036, 4.786, 5.607, 4.464, 4.536, 7.750, 5.750, 3.536, 5.464),
        1.0: (5.000, 7.536, 5.643, 5.464, 5.429, 5.214, 7.179, 7.821, 2.857, 2.857),
    }.items()
}
TABLE_II_F = {0.1: 4.289, 0.7: 3.6596, 1.0: 6.2138}

# By version and theta = delta; at 1 both versions are the same.
TABLE_III = {
    ("v1", 0.1): AverageRanks(WAYS, (2.727, 2, 3, 2.273), 11),
    ("v2", 0.1): AverageRanks(WAYS, (2.545, 2.318, 2.727, 2.409), 11),
    ("v1", 1.0): AverageRanks(WAYS, (2.273, 2.773, 2.273, 2.682), 11),
}

TABLE_IV = AverageRanks(METHODS, (3.182, 2.909, 1.5, 2.409), 11)
TABLE_IV_F = 4.884

CRITICAL_VALUES = {"I": 2.845, "II": 1.9608, "IV": 2.9223}
CRITICAL_DIFFERENCE_IV = 1.414

# Columns as METHODS.
TABLE_S8 = {
    "abalone": (0.10072, 0.09932, 0.10431, 0.10431),
    "australian": (0.78501, 0.79201, 0.79484, 0.78588),
    "cmc": (0.39265, 0.40692, 0.42634, 0.42522),
    "dermatology": (0.87378, 0.83522, 0.91563, 0.91497),
    "flag": (0.21735, 0.27828, 0.30107, 0.28806),
    "german": (0.58233, 0.55034, 0.60345, 0.59929),
    "heart": (0.72481, 0.7772, 0.76922, 0.75861),
    "japanese_credit": (0.763, 0.76685, 0.79294, 0.79211),
    "post_operative": (0.32856, 0.29945, 0.3582, 0.31890),
    "tae": (0.48682, 0.4853, 0.47482, 0.44618),
    "zoo": (0.67941, 0.8648, 0.87179, 0.85685),
}
TABLE_S9 = {
    "abalone": (3, 4, 1.5, 1.5),
    "australian": (4, 2, 1, 3),
    "cmc": (4, 3, 1, 2),
    "dermatology": (3, 4, 1, 2),
    "flag": (4, 3, 1, 2),
    "german": (3, 4, 1, 2),
    "heart": (4, 1, 2, 3),
    "japanese_credit": (4, 3, 1, 2),
    "post_operative": (1, 4, 3, 2),
    "tae": (1, 2, 3, 4),
    "zoo": (4, 2, 1, 3),
}

# Rows, classes, continuous features, and pairs of a number of features and that of their values.
TABLE_S1 = {
    "abalone": (4177, 28, 7, ((1, 3),)),
    "australian": (690, 2, 6, ((4, 2), (2, 3), (1, 15), (1, 8))),
    "cmc": (1473, 3, 2, ((2, 4), (3, 2), (2, 4))),
    "dermatology": (358, 6, 1, ((1, 2), (1, 3), (31, 4))),
    "flag": (194, 8, 10, ((1, 4), (1, 6), (1, 7), (1, 10), (2, 8), (12, 2))),
    "german": (1000, 2, 7, ((4, 4), (3, 5), (1, 10), (3, 3), (2, 2))),
    "heart": (270, 2, 7, ((3, 2), (1, 4), (2, 3))),
    "japanese_credit": (653, 2, 6, ((4, 2), (3, 3), (1, 14), (1, 9))),
    "molecular_biology": (3190, 3, 0, ((60, 4),)),
    "nursery": (12960, 5, 0, ((4, 3), (1, 5), (2, 4), (1, 2))),
    "post_operative": (87, 3, 1, ((5, 3), (2, 2))),
    "tae": (151, 3, 1, ((1, 2), (1, 25), (1, 26), (1, 2))),
    "tic_tac_toe": (958, 2, 0, ((9, 3),)),
    "zoo": (101, 7, 1, ((15, 2),)),
}
