"""The rules: a few that stand for all, and all of them, searchable."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from boxwise.core.words import counted
from boxwise.inputs import columns_by_position
from boxwise.report.markup import (
    Section,
    paragraph,
    scrolled,
    share_text,
    text,
)
from boxwise.report.rule_block import RuleBlock, hidden_values, numbers_of, rule_block
from boxwise.report.subject import Subject
from boxwise.rules import Rule, RuleSet
from boxwise.rules.condition import value_in_rule

FIDELITY = 0.95
FIRST = 40  # rules in the page itself; a script shows the others


def short_rules(subject: Subject, progress: bool | None) -> RuleSet | None:
    """Return a few rules that stand for all, if there are rows to find them with."""
    rows, rules = subject.rows, subject.rules
    if rows is None or rules is None or rows.has_intervals or len(rows.model.classes) < 2:
        return None
    with columns_by_position(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "no list of up to", UserWarning)  # the page says it
        return rules.simplify(rows.table(), rows.labels, FIDELITY, progress=progress)


def rules_section(subject: Subject, few: RuleSet | None) -> Section:
    """Return the section."""
    title = "Rules"
    if subject.rules is None:
        return Section("rules", title, paragraph(text(subject.no_rules)))
    parts = ["<h3>A short list</h3>", _few(subject, few)]
    if len(subject.rules):
        parts += ["<h3>All rules</h3>", _every(subject, subject.rules)]
    return Section("rules", title, "".join(parts))


def _few(subject: Subject, few: RuleSet | None) -> str:
    if few is None or few.simplification is None:
        reason = "it needs labelled rows, and none were given"
        if subject.rows is not None:
            reason = "it cannot be made from rows with intervals"
        if len(subject.model.classes) < 2:
            reason = "there is only one class"
        return paragraph(f"There is no short list: {reason}.")
    steps = few.simplification
    aim = "" if steps.reached else f" (the target of {share_text(FIDELITY)} was not reached)"
    summary = paragraph(
        f"This list of {counted(len(few), 'rule', 'rules')} agrees with the model on",
        f"<strong>{share_text(steps.chosen.fidelity)}</strong> of held-out rows{aim}.",
        f"Its CBA is {steps.chosen.cba:.3f}; that of the model on the same rows is",
        f"{steps.model_cba:.3f}. The first rule that covers a row decides.",
    )
    return summary + scrolled(few.to_html(), "A short list of rules")


def _every(subject: Subject, rules: RuleSet) -> str:
    block = rule_block([*rules])
    return "".join(
        [
            paragraph(
                f"Every box with a class is a rule, {counted(len(rules), 'rule', 'rules')} in",
                "total, those with most rows first.",
                _notes(block),
            ),
            _search(subject, len(block.rules)),
            _list(block.rules[:FIRST], block.most_values),
            '<p><button type="button" id="more-rules" hidden>Show more</button></p>',
            f'<script type="application/json" id="rule-data">{block.data}</script>',
            _without_script(len(rules)),
        ]
    )


def _notes(block: RuleBlock) -> str:
    notes = []
    if block.shortened:
        notes.append(
            f"The search finds only the {block.most_values} most frequent values of a long set."
        )
    if block.left_out:
        notes.append(
            f"The last {block.left_out:,} would make the page too large and are omitted; "
            "<code>boxwise rules</code> writes them all."
        )
    return " ".join(notes)


def _search(subject: Subject, n: int) -> str:
    """Return the search, which a script brings to life; without one it stays hidden."""
    labels = [value_in_rule(label) for label in subject.clf.classes_.tolist()]
    options = "".join(f'<option value="{text(label)}">{text(label)}</option>' for label in labels)
    return (
        '<form id="rule-search" role="search" hidden>'
        '<label for="rule-words">Search <kbd>/</kbd></label>'
        '<input id="rule-words" type="search" autocomplete="off" spellcheck="false" '
        'placeholder="words in the rule">'
        '<label for="rule-class">Class</label>'
        f'<select id="rule-class"><option value="">all</option>{options}</select>'
        f'<p id="rule-count" role="status" aria-live="polite">{counted(n, "rule", "rules")}</p>'
        "</form>"
    )


def _list(rules: Sequence[Rule], most: int) -> str:
    measured = any(rule.covered is not None for rule in rules)
    titles = ["learned from", *(["covers", "right"] if measured else [])]
    head = "".join(f'<th scope="col" class="number">{title}</th>' for title in titles)
    return (
        '<table id="rule-list"><caption>Rules of the boxes</caption>'
        f'<thead><tr><th scope="col">if</th><th scope="col">then</th>{head}</tr></thead>'
        f"<tbody>{''.join(_line(rule, titles, most) for rule in rules)}</tbody></table>"
    )


def _line(rule: Rule, titles: Sequence[str], most: int) -> str:
    conditions = "".join(_condition(str(c), hidden_values(c, most)) for c in rule.conditions)
    cells = "".join(
        f'<td class="number" data-title="{title}">{number}</td>'
        for title, number in zip(titles, numbers_of(rule), strict=True)
    )
    label = text(value_in_rule(rule.label))
    return (
        f"<tr><td>{f'<ul>{conditions}</ul>' if conditions else 'always'}</td>"
        f'<td data-title="then"><strong>{label}</strong> <small>box {rule.boxes[0]}</small></td>'
        f"{cells}</tr>"
    )


def _condition(words: str, hidden: str) -> str:
    title = f' title="{text(hidden)}"' if hidden else ""
    return f"<li{title}>{text(words)}</li>"


def _without_script(n: int) -> str:
    if n <= FIRST:
        return ""
    return (
        f"<noscript><p>These are the first {FIRST} rules. To search and see all {n:,}, allow this "
        "page to run its script; it loads nothing.</p></noscript>"
    )
