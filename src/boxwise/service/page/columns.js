// The curve of each column: what its values add to the log-odds of a class.

import { h, percent, plural, s, valueText } from "./dom.js";
import { niceTicks } from "./scale.js";

const MOST = 9; // columns shown at first
const MOST_VALUES = 6; // of a categorical column
const HEIGHT = 132;
const MARGIN = { top: 8, right: 6, bottom: 20, left: 40 };

export class Columns {
  constructor(grid, choice, more) {
    Object.assign(this, { grid, choice, more });
    this.curves = [];
    this.all = false;
    choice.addEventListener("change", () => this.draw());
    more.addEventListener("click", () => {
      this.all = true;
      this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(grid);
  }

  show(curves) {
    this.curves = [...curves].sort((a, b) => b.importance - a.importance);
    const classes = curves[0]?.classes.map(String) ?? [];
    const chosen = this.choice.value;
    this.choice.replaceChildren(...classes.map((name) => h("option", { value: name }, name)));
    if (classes.includes(chosen)) this.choice.value = chosen;
    this.choice.parentElement.hidden = classes.length < 2;
    this.draw();
  }

  draw() {
    if (!this.curves.length) {
      this.more.hidden = true;
      this.grid.replaceChildren(h("p.none", "The curves appear when rows have been learned. A model with additive=False has none."));
      return;
    }
    if (this.grid.contains(document.activeElement)) return;
    const k = Math.max(0, this.curves[0].classes.map(String).indexOf(this.choice.value));
    const shown = this.all ? this.curves : this.curves.slice(0, MOST);
    this.more.hidden = shown.length === this.curves.length;
    this.more.textContent = `Show ${this.curves.length - shown.length} more`;
    const scale = Math.max(...shown.map((curve) => largest(curve, k)), 0.05);
    const all = this.curves.reduce((sum, curve) => sum + curve.importance, 0) || 1;
    const cards = shown.map((curve) => card(curve, k, scale, curve.importance / all));
    this.grid.replaceChildren(...cards.map(({ element }) => element));
    for (const { element, draw } of cards) draw(element.querySelector(".plot"));
  }
}

function largest(curve, k) {
  const sizes = [...curve.contributions, ...curve.lately].map((point) => Math.abs(point[k] ?? 0));
  return Math.max(0, ...sizes);
}

function card(curve, k, scale, share) {
  const numeric = curve.kind === "numeric";
  const reading = h("span.when");
  const plot = h("div.plot", { role: "img", "aria-label": words(curve, k) });
  const element = h(
    "figure.card.curve",
    h("figcaption", h("h3", curve.column), reading, h("p.soft", `${percent(share)} of all curves`)),
    plot
  );
  const draw = (at) => (numeric ? drawLine(at, curve, k, scale, reading) : drawBars(at, curve, k, scale));
  return { element, draw };
}

/** The curve in a sentence, for those who do not see it. */
function words(curve, k) {
  const points = curve.values.map((value, i) => [value, curve.contributions[i][k]]);
  if (!points.length) return `${curve.column}: no values yet`;
  points.sort((a, b) => a[1] - b[1]);
  const [low, high] = [points[0], points.at(-1)];
  const name = String(curve.classes[k]);
  return `${curve.column}: adds most for ${name} at ${valueText(high[0])} (${signed(high[1])}), least at ${valueText(low[0])} (${signed(low[1])})`;
}

/** A contribution, with its sign. */
function signed(x) {
  const size = Math.abs(x);
  const text = size >= 10 ? size.toFixed(0) : size >= 1 ? size.toFixed(1) : size.toFixed(2);
  return Number(text) === 0 ? "0" : `${x > 0 ? "+" : "−"}${text}`;
}

function drawLine(plot, curve, k, scale, reading) {
  const width = plot.clientWidth;
  const { values } = curve;
  if (!width || values.length < 2) return plot.append(h("p.soft", "Too few different values yet."));
  const [x0, x1] = [MARGIN.left, width - MARGIN.right];
  const [y0, y1] = [HEIGHT - MARGIN.bottom, MARGIN.top];
  const [low, high] = [values[0], values.at(-1)];
  const x = (value) => x0 + ((value - low) / (high - low)) * (x1 - x0);
  const y = (value) => (y0 + y1) / 2 - (value / (scale * 1.08)) * ((y0 - y1) / 2);
  const path = (points) => "M" + points.map((point, i) => `${x(values[i]).toFixed(1)},${y(point[k]).toFixed(1)}`).join("L");
  const svg = s("svg", { width, height: HEIGHT, "aria-hidden": "true" });
  grid(svg, scale, y, x0, x1);
  ends(svg, low, high, x0, x1);
  svg.append(s("path.line.lately", { d: path(curve.lately) }), s("path.line.a", { d: path(curve.contributions) }));
  const cross = s("g.cross");
  svg.append(cross);
  svg.addEventListener("pointermove", (event) => {
    const at = low + ((event.clientX - svg.getBoundingClientRect().left - x0) / (x1 - x0)) * (high - low);
    let i = 0;
    values.forEach((value, j) => (i = Math.abs(value - at) < Math.abs(values[i] - at) ? j : i));
    const value = curve.contributions[i][k];
    reading.textContent = `${valueText(values[i])}: ${signed(value)}`;
    cross.replaceChildren(s("circle.dot.a", { cx: x(values[i]), cy: y(value), r: 3 }));
  });
  svg.addEventListener("pointerleave", () => {
    reading.textContent = "";
    cross.replaceChildren();
  });
  plot.append(svg);
}

function grid(svg, scale, y, x0, x1) {
  for (const tick of niceTicks(-scale, scale, 5)) {
    const at = Math.round(y(tick)) + 0.5;
    svg.append(
      s(tick === 0 ? "line.zero" : "line.grid", { x1: x0, x2: x1, y1: at, y2: at }),
      s("text.tick", { x: x0 - 6, y: at + 3.5, "text-anchor": "end" }, tick ? signed(tick) : "0")
    );
  }
}

function ends(svg, low, high, x0, x1) {
  svg.append(
    s("text.tick", { x: x0, y: HEIGHT - 5, "text-anchor": "start" }, valueText(low)),
    s("text.tick", { x: x1, y: HEIGHT - 5, "text-anchor": "end" }, valueText(high))
  );
}

function drawBars(plot, curve, k, scale) {
  const entries = curve.values.map((value, i) => ({ name: valueText(value), point: curve.contributions[i], rows: curve.rows[i] }));
  entries.sort((a, b) => b.point[k] - a.point[k]);
  if (curve.others && curve.n_others > 0) {
    const { contributions, rows } = curve.others;
    entries.push({ name: plural(curve.n_others, "other", "others"), point: contributions, rows });
  }
  if (!entries.length) return plot.append(h("p.soft", "No values yet."));
  // The values that add most, for or against; the others are many and say little.
  const left = entries.length - MOST_VALUES;
  if (left > 1) {
    const most = [...entries].sort((a, b) => Math.abs(b.point[k]) - Math.abs(a.point[k]));
    const small = new Set(most.slice(MOST_VALUES));
    entries.splice(0, entries.length, ...entries.filter((entry) => !small.has(entry)));
  }
  plot.append(
    h(
      "ul.bars.compact",
      ...entries.map(({ name, point, rows }) => {
        const weight = point[k];
        return h(
          "li",
          { title: plural(Math.round(rows), "row", "rows") },
          h("span.name", name),
          h("span.diverging", h(`i.${weight >= 0 ? "more" : "less"}`, { "--share": Math.min(1, Math.abs(weight) / scale).toFixed(3) })),
          h("span.value", signed(weight))
        );
      }),
      left > 1 ? h("li", h("span.name.soft", `and ${left} that add less`)) : null
    )
  );
}
