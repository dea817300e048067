"""Evolution of parameters with NSGA-II: better classifiers with fewer boxes. Needs Optuna."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from boxwise.evaluate import cba_scorer
from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.progress import Report, follow
from boxwise.schema import show
from boxwise.tuning.front import Candidate, front_of
from boxwise.tuning.grid import cv_results, deciding_score
from boxwise.tuning.scoring import Scoring
from boxwise.tuning.space import WHOLE, are_plain, as_choices, as_range, default_space
from boxwise.tuning.trials import Parameters, Result, Trials, add_to, clone_values

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.trial import Trial

Key = tuple[float, ...]


@dataclass
class Evolution:
    """The result of `evolve`.

    Attributes
    ----------
    front_ : list of Candidate
        The Pareto front, fewest boxes first: those than which no other has both a score as good
        and as few boxes, and one of the two better. Of candidates that are equal in both, the one
        found first. `pandas.DataFrame(found.front_)` is a table of it.
    candidates_ : list of Candidate
        All that were tried, each once, in the order in which they were found.
    cv_results_ : dict of arrays
        The same as the table that `tune` returns.
    best_index_, best_params_, best_score_
        Of the candidate with the best score; among equals, of the one with the fewest boxes.
    best_estimator_ : estimator
        It, fitted to all rows; None if ``refit=False``.
    n_splits_ : int
        How many folds there were.
    score_name_ : str
        What the score is called.
    study_ : optuna.study.Study
        What Optuna knows: all trials, for its own plots and analyses.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.tuning import evolve
    >>> rows = [[7 * i % 20, "ab"[i % 2]] for i in range(20)]
    >>> labels = ["low" if number < 10 else "high" for number, _ in rows]
    >>> found = evolve(HyperboxClassifier(), rows, labels, {"theta": [0.1, 0.5]}, cv=2)
    >>> print(found)
       boxes  class balanced accuracy
         5.5  1.000 ± 0.000  theta=0.5
    """

    front_: list[Candidate] = field(repr=False)
    candidates_: list[Candidate] = field(repr=False)
    cv_results_: dict[str, Any] = field(repr=False)
    best_index_: int
    best_params_: dict[str, Any]
    best_score_: float
    best_estimator_: Any
    n_splits_: int
    score_name_: str
    study_: Study = field(repr=False)

    def pick(self, max_boxes: float) -> Candidate:
        """Return the best candidate with no more than so many boxes.

        Parameters
        ----------
        max_boxes : float
            The largest mean number of boxes.

        Returns
        -------
        Candidate
            The one of the front with the best score.
        """
        within = [candidate for candidate in self.front_ if candidate.n_boxes <= max_boxes]
        if not within:
            fewest = self.front_[0].n_boxes
            raise ValueError(
                f"no candidate has {max_boxes:g} boxes or fewer; the fewest are {fewest:g}"
            )
        return within[-1]

    def __str__(self) -> str:
        return "\n".join([f"{'boxes':>8}  {self.score_name_}", *map(str, self.front_)])


def evolve(
    classifier: HyperboxLearner,
    X: Any,
    y: Any,
    space: Mapping[str, Any] | None = None,
    cv: Any = None,
    scoring: Any = cba_scorer,
    *,
    n_trials: int = 200,
    population_size: int = 20,
    random_state: Any = None,
    refit: bool | str = True,
    n_jobs: int | None = -1,
    groups: Any = None,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Evolution:
    """Search for parameters that give a good score with few boxes.

    There is no best trade between the two, so the result is a front: for every number of boxes
    the best score that was found with no more than that. The search is NSGA-II, a genetic
    algorithm: a generation of candidates is tried on every fold, those that are beaten in both
    score and boxes are dropped, the others are crossed and mutated to the next generation. Each
    generation runs in the engine on all cores, as in `tune`, and no candidate is tried twice.
    Optuna is needed: ``pip install "boxwise[evolve]"``.

    Parameters
    ----------
    classifier : estimator of boxwise
        The parameters that are not searched for; it is not changed.
    X, y
        The table and its labels, as in ``fit``.
    space : mapping, optional
        What to search in: from parameter to a range ``(low, high)`` of numbers, a list of choices,
        or a distribution of Optuna. By default, those of the estimator's parameters that matter
        for the columns: `theta` from 0.01 to 1, `delta`, `alpha`, `beta`, `eta` and
        `min_similarity` from 0 to 1, `version`, `condition` and `similarity`.
    cv : int, splitter or iterable, optional
        The folds, as in GridSearchCV: five stratified ones by default.
    scoring : str, callable, list or mapping, default=cba_scorer
        The score or scores, as in `tune`. The larger the better.
    n_trials : int, default=200
        How many candidates to ask for. Those that came before count, but take no time.
    population_size : int, default=20
        How many there are in a generation. The first is random.
    random_state : int, RandomState or None, default=None
        An int gives the same result each time, with the same version of Optuna.
    refit : bool or str, default=True
        Whether to learn all rows with the parameters of the best score; with several scores, the
        name of the one to search by.
    n_jobs : int, optional
        How many threads: all cores by default. The results do not depend on it.
    groups : array-like, optional
        For splitters that need them.
    progress : bool or callable, optional
        As in `tune`.

    Returns
    -------
    Evolution

    See Also
    --------
    boxwise.tune : Try everything instead of searching.
    boxwise.tuning.plot_pareto : Draw the front.

    Notes
    -----
    Ctrl-C, or a KeyboardInterrupt that `progress` raises, ends the search: with a warning, the
    result is what the finished generations have found. Before the end of the first there is none,
    and the interrupt goes on to the caller.

    References
    ----------
    K. Deb, A. Pratap, S. Agarwal and T. Meyarivan, "A Fast and Elitist Multiobjective Genetic
    Algorithm: NSGA-II", IEEE Transactions on Evolutionary Computation 6 (2), 2002.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.datasets import loans
    >>> from boxwise.tuning import evolve
    >>> rows, labels = loans(300, function=2, seed=1)
    >>> found = evolve(HyperboxClassifier(), rows, labels, cv=3, n_trials=60,
    ...                population_size=20, random_state=1)
    >>> sorted(found.best_params_)
    ['delta', 'theta']
    >>> small = found.pick(max_boxes=50)
    >>> small.n_boxes <= 50 and small.score <= found.best_score_
    True
    """
    _optuna()  # if it is not there, say so at once
    score = Scoring(scoring)
    by = deciding_score(score, refit if isinstance(refit, str) else True)
    assert by is not None
    n_trials = _whole("n_trials", n_trials, least=1)
    population_size = _whole("population_size", population_size, least=2)
    seed = None if random_state is None else check_random_state(random_state).randint(2**31)
    trials = Trials(classifier, X, y, cv, score, groups)
    table = trials.folds_for(classifier)[0].table
    searched = _Space(default_space(classifier, table.schema) if space is None else space)
    searched.check(trials)
    study = _new_study(population_size, seed)
    search = _Search(study, searched, trials, by)
    try:
        with follow(progress, n_trials * len(trials.splits)) as bar:
            search.run(n_trials, population_size, n_jobs, bar)
    except KeyboardInterrupt:
        search.abandon()
        if not search.found:
            raise
        if search.n_told < n_trials:
            message = f"stopped after {search.n_told} of {n_trials} trials; they are the result"
            warnings.warn(message, stacklevel=2)
    return _evolution(search, classifier, X, y, refit=refit, score_name=_score_name(scoring, by))


def _evolution(
    search: _Search, classifier: HyperboxLearner, X: Any, y: Any, *, refit: Any, score_name: str
) -> Evolution:
    tried = [parameters for parameters, _ in search.found.values()]
    table = cv_results(tried, [results for _, results in search.found.values()])
    scores, deviations = (table[f"{figure}_test_{search.by}"] for figure in ("mean", "std"))
    candidates = [
        Candidate(float(boxes), float(score), float(std), {**parameters}, index)
        for index, (boxes, score, std, parameters) in enumerate(
            zip(table["mean_n_boxes"], scores, deviations, tried, strict=True)
        )
    ]
    front = front_of(candidates)
    if not front:
        raise ValueError("every candidate has the score nan; look at what scoring returns")
    best = front[-1]
    best_estimator = None
    if refit:
        best_estimator = clone(classifier).set_params(**clone_values(best.params)).fit(X, y)
    return Evolution(
        front_=front,
        candidates_=candidates,
        cv_results_=table,
        best_index_=best.index,
        best_params_=best.params,
        best_score_=best.score,
        best_estimator_=best_estimator,
        n_splits_=len(search.trials.splits),
        score_name_=score_name,
        study_=search.study,
    )


class _Search:
    """Asks Optuna for candidates, tries them in the engine a generation at a time, and tells it."""

    def __init__(self, study: Study, space: _Space, trials: Trials, by: str) -> None:
        self.study = study
        self.space = space
        self.trials = trials
        self.by = by
        self.found: dict[Key, tuple[Parameters, list[Result]]] = {}
        self.n_told = 0

    def run(self, n_trials: int, population_size: int, n_jobs: int | None, report: Report) -> None:
        while self.n_told < n_trials:
            size = min(population_size, n_trials - self.n_told)
            before = self.n_told * len(self.trials.splits)
            self._generation(size, n_jobs, partial(add_to, report, before))
            report(self.n_told * len(self.trials.splits))

    def _generation(self, size: int, n_jobs: int | None, report: Report) -> None:
        trials = [self.study.ask(self.space.distributions) for _ in range(size)]
        keys = [self.space.key(trial) for trial in trials]
        new = {
            key: self.space.parameters(trial)
            for key, trial in zip(keys, trials, strict=True)
            if key not in self.found
        }
        results = self.trials.run([*new.values()], n_jobs=n_jobs, report=report)
        self.found |= {
            key: (parameters, row)
            for (key, parameters), row in zip(new.items(), results, strict=True)
        }
        for trial, key in zip(trials, keys, strict=True):
            self._report(trial, self.found[key][1])

    def _report(self, trial: Trial, results: Sequence[Result]) -> None:
        score = np.average([result.scores[self.by] for result in results])
        boxes = np.average([result.n_boxes for result in results])
        if math.isnan(score):  # Optuna knows no such value
            self.study.tell(trial, state=_optuna().trial.TrialState.FAIL)
        else:
            self.study.tell(trial, [float(score), float(boxes)])
        self.n_told += 1

    def abandon(self) -> None:
        """Leave no trial open that will never be told."""
        states = _optuna().trial.TrialState
        for trial in self.study.get_trials(deepcopy=False, states=(states.RUNNING,)):
            self.study.tell(trial.number, state=states.FAIL)


class _Space:
    """The space as Optuna takes it, and the way back from its trials to parameters."""

    def __init__(self, space: Mapping[str, Any]) -> None:
        if not isinstance(space, Mapping) or not space:
            raise ValueError(
                "space must map at least one parameter to a range (low, high), a list of choices "
                f"or an Optuna distribution, not be {show(space)}"
            )
        self.distributions: dict[str, BaseDistribution] = {}
        self.choices: dict[str, list[Any]] = {}
        distributions = _optuna().distributions
        for name, given in space.items():
            if isinstance(given, distributions.BaseDistribution):
                self.distributions[name] = given
            elif isinstance(given, tuple):
                self.distributions[name] = _uniform(name, *as_range(name, given))
            else:
                self.choices[name] = choices = as_choices(name, given)
                # Optuna knows a choice that is no plain value by its position.
                known = choices if are_plain(choices) else range(len(choices))
                self.distributions[name] = distributions.CategoricalDistribution([*known])

    def check(self, trials: Trials) -> None:
        """Raise an error now for what would end the search later: a wrong name or value."""
        own = trials.classifier.get_params()
        for name, distribution in self.distributions.items():
            if name not in own:
                raise ValueError(
                    f"{type(trials.classifier).__name__} has no parameter {show(name)} to search "
                    f"for; it has {', '.join(own)}"
                )
            for value in self.choices.get(name) or _ends(distribution):
                learner = clone(trials.classifier).set_params(**clone_values({name: value}))
                learner._settings_for(trials.folds_for(learner)[0].table)

    def key(self, trial: Trial) -> Key:
        """Return what is the same for the same parameters only."""
        return tuple(
            distribution.to_internal_repr(trial.params[name])
            for name, distribution in self.distributions.items()
        )

    def parameters(self, trial: Trial) -> Parameters:
        """Return what the trial stands for."""
        found: dict[str, Any] = {}
        for name, distribution in self.distributions.items():
            value = trial.params[name]
            if name in self.choices:
                value = self.choices[name][int(distribution.to_internal_repr(value))]
            # Before version 5, Optuna crosses plain numbers to NumPy's.
            found[name] = value.item() if isinstance(value, np.generic) else value
        return found


def _ends(distribution: Any) -> Sequence[Any]:
    choices: Sequence[Any] | None = getattr(distribution, "choices", None)
    return choices or (distribution.low, distribution.high)


def _whole(name: str, value: Any, *, least: int) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be a whole number from {least} up, not {show(value)}")
    return int(value)


def _score_name(scoring: Any, by: str) -> str:
    if scoring is None:
        return "accuracy"
    if isinstance(scoring, str):
        return scoring.replace("_", " ")
    if not callable(scoring):
        return by.replace("_", " ")
    function = getattr(scoring, "_score_func", scoring)
    name = getattr(function, "__name__", "<none>").replace("_", " ")
    if name.startswith("<"):
        return "score"
    return f"negative {name}" if getattr(scoring, "_sign", 1) < 0 else name


def _new_study(population_size: int, seed: int | None) -> Study:
    optuna = _optuna()
    samplers = optuna.samplers
    with warnings.catch_warnings():
        # Crossing by blending has been "experimental" since Optuna 3. The usual exchange of single
        # parameters finds worse fronts: it makes no new numbers, and many candidates twice.
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        crossover = samplers.nsgaii.BLXAlphaCrossover()
    sampler = samplers.NSGAIISampler(
        population_size=population_size, crossover=crossover, seed=seed
    )
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)  # or it announces the study
    try:
        study: Study = optuna.create_study(directions=["maximize", "minimize"], sampler=sampler)
    finally:
        optuna.logging.set_verbosity(level)
    return study


def _optuna() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise ImportError('evolve needs Optuna: pip install "boxwise[evolve]"') from error
    return optuna


def _uniform(name: str, low: float, high: float) -> BaseDistribution:
    from optuna import distributions

    if name in WHOLE:
        return distributions.IntDistribution(int(low), int(high))
    return distributions.FloatDistribution(low, high)
