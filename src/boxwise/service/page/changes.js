// Alarms and replacements: when, what they say, and the columns whose relevance moved.

import { count, h, moment, number, own, percent, plural } from "./dom.js";

const MOST = 20; // changes shown at first
const MOST_COLUMNS = 6;

const NAMES = {
  alarm: "Alarm",
  replaced: "Model replaced",
  returned: "Earlier model returned",
  dropped: "Challenger dropped",
};

export const nameOf = (event) => own(NAMES, event) ?? event;

/** Where the changes are on the time axis. */
export function marksOf(changes, points) {
  const marks = [];
  for (const { at, event, row } of changes) {
    const place = whenLearned(row, points) ?? at;
    if (place !== null) marks.push({ at: place, event, name: nameOf(event).toLowerCase() });
  }
  // Dashed ones last: they are seen on the solid ones of the same moment.
  return marks.sort((a, b) => (a.event === "alarm") - (b.event === "alarm"));
}

/** When a row was learned, by the points before and after it; null if they do not tell. */
function whenLearned(row, points) {
  const next = points.findIndex((point) => point.rows >= row);
  if (next < 1) return null;
  const [before, after] = [points[next - 1], points[next]];
  return before.at + ((row - before.rows) / (after.rows - before.rows)) * (after.at - before.at);
}

export class Changes {
  constructor(list, more) {
    this.list = list;
    this.more = more;
    this.most = MOST;
    this.changes = [];
    more.addEventListener("click", () => {
      this.most += MOST;
      this.show(this.changes);
    });
  }

  show(changes) {
    this.changes = changes;
    const shown = changes.slice(-this.most).reverse();
    this.list.replaceChildren(...(shown.length ? shown.map(item) : [none()]));
    this.more.hidden = changes.length <= this.most;
    this.more.textContent = `Show ${Math.min(MOST, changes.length - this.most)} more`;
  }
}

function none() {
  return h(
    "li.none",
    h("p", h("strong", "No change so far.")),
    h("p.soft", "When the errors of the model rise, an alarm appears here, and a challenger begins to learn " +
      "beside it. If the challenger predicts better, it replaces the model.")
  );
}

function item(change) {
  const { event, row, at } = change;
  return h(
    "li.change",
    h(
      "div.change-head",
      h(`span.badge.${own(NAMES, event) ? event : "dropped"}`, nameOf(event)),
      h("span.soft", `row ${count(row)}`, at ? h("time", { datetime: new Date(1000 * at).toISOString() }, `, ${moment(at)}`) : null)
    ),
    h("p", ...sentence(change)),
    change.columns?.length ? relevance(change.columns) : null
  );
}

function sentence({ event, before, after, boxes }) {
  const from = (name, text) => [`${name} `, h("b", text(before)), " → ", h("b", text(after))];
  const share = (x) => percent(x, 1);
  const loss = (x) => number(x, 3);
  const gone = boxes ? `, ${plural(boxes, "box", "boxes")} given up` : "";
  if (event === "alarm") return [...from("Errors rose:", share), ". A challenger began to learn."];
  if (event === "replaced") return [...from("The challenger predicts better: log-loss", loss), `${gone}.`];
  if (event === "returned") return [...from("An earlier model fits again: log-loss", loss), `${gone}.`];
  return ["The challenger did not become better", `${gone}.`];
}

/** Columns and by what factor they count more, or less, than before. */
function relevance(columns) {
  const shown = columns.slice(0, MOST_COLUMNS);
  const most = Math.max(Math.log(2), ...shown.map(([, factor]) => Math.abs(Math.log(factor))));
  const bars = shown.map(([name, factor]) => {
    const share = Math.abs(Math.log(factor)) / most;
    const side = factor > 1 ? "more" : "less";
    const times = `${number(factor > 1 ? factor : 1 / factor, 2)}×`;
    return h(
      "li",
      h("span.name", name),
      h("span.diverging", { "aria-hidden": "true" }, h(`i.${side}`, { "--share": share.toFixed(3) })),
      h("span.value", `${times} ${side}`)
    );
  });
  const left = columns.length - shown.length;
  return h(
    "div.relevance",
    h("p.soft", "Relevance of the columns, after beside before"),
    h("ul.bars", ...bars),
    left > 0 ? h("p.soft", `and ${plural(left, "more column", "more columns")}`) : null
  );
}
