// The explanation of one prediction: how sure it is, which columns spoke for it, and what would
// have changed it. `why` is what Explanation.to_dict() gives.

import { colour, count, h, percent, plural, supportText, valueText } from "./dom.js";

const MOST_COLUMNS = 9;
const MOST_BOXES = 5;
const MOST_CLASSES = 8;

/** Return the parts of an explanation; `text` is all of it, as the terminal shows it. */
export function explanation(why, text, classes) {
  const parts = [probabilities(why, classes)];
  if (why.decision === "membership") parts.push(lost(why));
  else if (why.against) {
    parts.push(
      section(
        `Columns: ${why.prediction} rather than ${why.against.label}`,
        "By the boxes, as factors of the odds.",
        diverging(columnsOf(why), why.prediction, why.against.label)
      )
    );
  }
  if (factors(why).length) {
    parts.push(
      section(
        "What the odds are made of",
        `The boxes and a curve for each column multiply to ${times(oddsOf(why))} for ${why.prediction}.`,
        diverging(factors(why), why.prediction, why.sums[1].label)
      )
    );
  }
  if (why.carried.length) parts.push(section("Boxes that voted most", votes(why), boxes(why)));
  parts.push(h("details", h("summary", "As text"), h("pre", { tabindex: 0 }, text)));
  return parts;
}

function section(title, note, ...content) {
  return h("section.part", h("h4", title), h("p.soft", note), ...content);
}

export function probabilities(why, classes) {
  const shown = why.probabilities.slice(0, MOST_CLASSES);
  const bars = shown.map(([label, share]) =>
    h(
      "li",
      h("span.name", String(label)),
      h("span.bar", { "aria-hidden": "true", "--colour": colour(classes.indexOf(String(label))) }, h("i", { "--share": share.toFixed(4) })),
      h("span.value", percent(share))
    )
  );
  const support = supportText(why.support);
  return h(
    "div.probabilities",
    h("ul.bars", { "aria-label": "Probability of each class" }, ...bars),
    support ? h("p.soft", `The decision rests on ${support}.`) : null
  );
}

/** Where the best box alone decides: what the row lost in it, by column. */
function lost(why) {
  const { box, rule, membership, features } = why.winner;
  const lines = features.slice(0, MOST_COLUMNS).map(({ column, value, contribution }) =>
    h(
      "li",
      h("span.name", column, h("span.soft", ` ${valueText(value)}`)),
      h("span.bar", { "aria-hidden": "true" }, h("i", { "--share": Math.min(1, -contribution).toFixed(3) })),
      h("span.value", (-contribution).toFixed(3))
    )
  );
  return section(`Box ${box}, membership ${membership.toFixed(3)}`, `${rule}. Membership lost by column:`, h("ul.bars", ...lines));
}

function columnsOf(why) {
  const values = Object.fromEntries(why.winner.features.map((f) => [f.column, f.value]));
  return why.against.columns.map(([name, weight]) => ({ name, value: valueText(values[name]), weight }));
}

/** What the log-odds of the first two classes are the sum of. */
function factors(why) {
  const [won, other] = why.sums;
  if (!other?.curves.length || !Number.isFinite(other.logit)) return [];
  const values = Object.fromEntries(why.winner.features.map((f) => [f.column, f.value]));
  const theirs = Object.fromEntries(other.curves);
  const curves = won.curves.map(([name, mine]) => ({
    name: `curve of ${name}`,
    value: valueText(values[name]),
    weight: mine - theirs[name],
  }));
  curves.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  const rest = won.constant + won.class_prior - other.constant - other.class_prior;
  return [
    { name: "boxes", value: "", weight: won.boxes - other.boxes },
    ...curves.slice(0, 4),
    ...more(curves.slice(4), "curve", "curves"),
    { name: "intercept", value: "", weight: rest },
  ];
}

const oddsOf = (why) => why.sums[0].logit - why.sums[1].logit;

function more(left, one, several) {
  if (!left.length) return [];
  const weight = left.reduce((sum, entry) => sum + entry.weight, 0);
  return [{ name: plural(left.length, `more ${one}`, `more ${several}`), value: "", weight }];
}

/** e to the weight, as a factor that can be read. */
function times(weight) {
  const factor = Math.exp(Math.min(weight, 700));
  if (factor >= 1e6) return "over ×1,000,000";
  return `×${factor >= 100 ? count(factor) : factor.toFixed(factor >= 10 ? 1 : 2)}`;
}

function diverging(entries, label, other) {
  const shown = entries.length > MOST_COLUMNS + 1 ? [...entries.slice(0, MOST_COLUMNS), ...more(entries.slice(MOST_COLUMNS), "column", "columns")] : entries;
  const most = Math.max(Math.log(2), ...shown.map((entry) => Math.abs(entry.weight)));
  const lines = shown.map(({ name, value, weight }) => {
    const side = weight >= 0 ? "more" : "less";
    const none = Math.abs(weight) < 0.005;
    const text = none ? "×1" : times(Math.abs(weight));
    return h(
      "li",
      h("span.name", name, value ? h("span.soft", ` ${value}`) : null),
      h("span.diverging", { "aria-hidden": "true" }, h(`i.${side}`, { "--share": (Math.abs(weight) / most).toFixed(3) })),
      h("span.value", text, none ? null : h("span.spoken", ` for ${side === "more" ? label : other}`))
    );
  });
  return [
    h("p.sides", { "aria-hidden": "true" }, h("span", `← ${other}`), h("span", `${label} →`)),
    h("ul.bars", ...lines),
  ];
}

function votes(why) {
  const shown = why.carried.slice(0, MOST_BOXES).reduce((sum, box) => sum + (box.share ?? 0), 0);
  const these = why.carried.length === 1 ? "this one" : "these";
  return `${plural(why.n_boxes, "box", "boxes")} of ${why.prediction} voted; ${these} contributed ${percent(shown)}.`;
}

function boxes(why) {
  const lines = why.carried.slice(0, MOST_BOXES).map((box) =>
    h("li", h("b", percent(box.share ?? 0)), h("span", box.rule))
  );
  return h("ol.boxes", ...lines);
}

/** The smallest change that changes the prediction, or why there is none. */
export function counterfactual(why, onApply) {
  const found = why.counterfactual;
  if (!found) {
    const reason = why.no_counterfactual ?? "none was looked for";
    return h("p.callout", `No change found: ${reason}.`);
  }
  const changes = found.changes.flatMap(({ column, old, new: value }, i) => [
    i ? " and " : "",
    h("b", column),
    " ",
    h("b", valueText(value)),
    ` instead of ${valueText(old)}`,
  ]);
  return h(
    "div.callout",
    h("p", "It would be ", h("b", String(found.prediction)), ` (${percent(found.probability)}) with `, ...changes, "."),
    onApply ? h("button.plain", { type: "button", onclick: () => onApply(found.changes) }, "Try this change") : null
  );
}

/** A row with these changes. */
export function changed(row, changes) {
  return { ...row, ...Object.fromEntries(changes.map((change) => [change.column, change.new])) };
}
