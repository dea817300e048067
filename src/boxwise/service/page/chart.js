// Lines, or shares on top of each other, over time. All charts of the page share the time axis,
// the marks of changes, and the moment that is read off.

import { h, moment, s, tickTime } from "./dom.js";
import { niceTicks, timeTicks } from "./scale.js";

const HEIGHT = 148;
const MARGIN = { top: 8, right: 6, bottom: 20, left: 44 };
const NEAR = 8; // pixels between a mark and the moment it is named at

/** What all charts show: the points, the marks, the part of time, and the moment read off. */
export class Timeline {
  constructor() {
    this.points = [];
    this.marks = [];
    this.range = Infinity; // seconds back from the last point
    this.moment = null;
    this.charts = [];
    this.pending = false;
  }

  get visible() {
    const last = this.points.at(-1);
    if (!last || this.range === Infinity) return this.points;
    return this.points.filter((point) => point.at >= last.at - this.range);
  }

  /** Draw soon: many reasons to draw within one frame cost one drawing. */
  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      for (const chart of this.charts) chart.draw();
    });
  }

  read(at) {
    this.moment = at;
    for (const chart of this.charts) chart.read();
  }
}

/** One chart; `series` are {name, className, of(point)}. */
export class Chart {
  constructor(timeline, parent, options) {
    Object.assign(this, { timeline, ...options });
    this.when = h("span.when");
    this.legend = h("ul.legend");
    this.svg = s("svg", { height: HEIGHT, "aria-hidden": "true", focusable: "false" });
    this.spoken = h("span.spoken", { role: "status" });
    this.plot = h("div.plot", { tabindex: 0, role: "group" }, this.svg, this.spoken);
    this.element = h(
      "figure.card.chart",
      h("figcaption", h("h3", this.title), this.when, this.legend),
      this.plot
    );
    parent.append(this.element);
    this.listen();
    timeline.charts.push(this);
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  listen() {
    this.plot.addEventListener("pointermove", (event) => this.point(event));
    this.plot.addEventListener("pointerdown", (event) => this.point(event));
    this.plot.addEventListener("pointerleave", () => this.timeline.read(null));
    this.plot.addEventListener("blur", () => this.timeline.read(null));
    this.plot.addEventListener("keydown", (event) => this.key(event));
  }

  point(event) {
    if (!this.x) return;
    const left = this.svg.getBoundingClientRect().left;
    this.timeline.read(this.x.invert(event.clientX - left));
  }

  key(event) {
    const points = this.timeline.visible;
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
    let at = points.indexOf(this.nearest(points));
    if (event.key in steps) at += this.timeline.moment === null ? 0 : steps[event.key];
    else if (event.key === "Home") at = 0;
    else if (event.key === "End") at = points.length - 1;
    else if (event.key === "Escape") return this.timeline.read(null);
    else return;
    event.preventDefault();
    const point = points[Math.min(Math.max(at, 0), points.length - 1)];
    if (!point) return;
    this.timeline.read(point.at);
    this.spoken.textContent = `${this.when.textContent}: ${this.words(point)}`;
  }

  /** The point at the moment that is read off, else the last one. */
  nearest(points) {
    const at = this.timeline.moment;
    if (at === null) return points.at(-1);
    let best = points[0];
    for (const point of points) {
      if (Math.abs(point.at - at) < Math.abs(best.at - at)) best = point;
    }
    return best;
  }

  words(point) {
    return this.entries()
      .map(({ name, of }) => `${name} ${this.format(of(point))}`)
      .join(", ");
  }

  entries() {
    return typeof this.series === "function" ? this.series() : this.series;
  }

  draw() {
    const width = this.plot.clientWidth;
    const points = this.timeline.visible;
    this.svg.replaceChildren();
    this.x = null;
    if (!width) return;
    this.svg.setAttribute("width", width);
    if (!points.length) {
      this.empty(width);
    } else {
      this.scales(points, width);
      this.axes(width);
      if (this.stacked) this.areas(points);
      this.marked();
      if (!this.stacked) this.lines(points);
      this.cross = s("g.cross");
      this.svg.append(this.cross);
    }
    this.read();
  }

  empty(width) {
    const y = HEIGHT / 2;
    this.svg.append(s("text.empty", { x: width / 2, y, "text-anchor": "middle" }, "No data yet"));
  }

  scales(points, width) {
    const begin = points[0].at;
    const end = Math.max(points.at(-1).at, begin + 10);
    const [x0, x1] = [MARGIN.left, width - MARGIN.right];
    const x = (at) => x0 + ((at - begin) / (end - begin)) * (x1 - x0);
    x.invert = (px) => Math.min(Math.max(begin + ((px - x0) / (x1 - x0)) * (end - begin), begin), end);
    const [low, high] = this.stacked ? [0, 1] : this.extent(points);
    const [y0, y1] = [HEIGHT - MARGIN.bottom, MARGIN.top];
    const y = (value) => y0 + ((Math.min(Math.max(value, low), high) - low) / (high - low)) * (y1 - y0);
    Object.assign(this, { x, y, begin, end, low, high });
  }

  /** The part of the vertical axis that holds all values, with round ends. */
  extent(points) {
    const { floor = null, ceiling = null, least = 0 } = this.axis ?? {};
    let [low, high] = [Infinity, -Infinity];
    for (const { of } of this.entries()) {
      for (const point of points) {
        const value = of(point);
        if (value === null || value === undefined) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    if (low > high) [low, high] = [floor ?? 0, ceiling ?? 1];
    if (floor !== null) low = floor;
    if (ceiling !== null) high = ceiling;
    if (high - low < least) {
      if (ceiling === null) high = low + least;
      else low = high - least;
    }
    if (high === low) high = low + 1;
    const ticks = niceTicks(low, high);
    const step = ticks[1] - ticks[0] || high - low;
    if (ceiling === null) high = Math.ceil(high / step - 1e-9) * step;
    if (floor === null) low = Math.max(Math.floor(low / step + 1e-9) * step, this.axis?.atLeast ?? -Infinity);
    return [low, high];
  }

  axes(width) {
    const right = width - MARGIN.right;
    for (const tick of this.stacked ? [0, 0.5, 1] : niceTicks(this.low, this.high)) {
      const y = Math.round(this.y(tick)) + 0.5;
      this.svg.append(
        s("line.grid", { x1: MARGIN.left, x2: right, y1: y, y2: y }),
        s("text.tick", { x: MARGIN.left - 7, y: y + 3.5, "text-anchor": "end" }, this.tick(tick))
      );
    }
    const { ticks, step } = timeTicks(this.begin, this.end, Math.max(2, Math.floor(width / 66)));
    for (const at of ticks) {
      const x = this.x(at);
      if (x < MARGIN.left + 18 || x > right - 22) continue;
      const y = HEIGHT - 5;
      this.svg.append(s("text.tick", { x, y, "text-anchor": "middle" }, tickTime(at, step)));
    }
  }

  marked() {
    for (const { at, event } of this.timeline.marks) {
      if (at < this.begin || at > this.end) continue;
      const x = Math.round(this.x(at)) + 0.5;
      this.svg.append(
        s(`line.mark.${event}`, { x1: x, x2: x, y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom })
      );
    }
  }

  lines(points) {
    const longest = gap(points);
    for (const { className, of } of this.entries()) {
      let path = "";
      let before = null;
      let alone = null;
      for (const point of points) {
        const value = of(point);
        if (value === null || value === undefined) {
          before = null;
          continue;
        }
        const joined = before !== null && point.at - before <= longest;
        path += `${joined ? "L" : "M"}${this.x(point.at).toFixed(1)},${this.y(value).toFixed(1)}`;
        alone = path.includes("L") ? null : point;
        before = point.at;
      }
      this.svg.append(s(`path.line.${className}`, { d: path }));
      if (alone) this.svg.append(this.dot(className, alone.at, of(alone)));
    }
  }

  areas(points) {
    const some = points.filter((point) => this.entries().some(({ of }) => of(point) > 0));
    this.areasOf(some, gap(points));
  }

  areasOf(points, longest) {
    const below = points.map(() => 0);
    for (const { className, of } of this.entries()) {
      const top = points.map((point, i) => below[i] + (of(point) ?? 0));
      for (let from = 0; from < points.length; ) {
        let to = from + 1;
        while (to < points.length && points[to].at - points[to - 1].at <= longest) to++;
        const at = (i, share) => `${this.x(points[i].at).toFixed(1)},${this.y(share).toFixed(1)}`;
        const places = Array.from({ length: to - from }, (_, k) => from + k);
        const upper = places.map((i) => at(i, top[i]));
        const lower = places.map((i) => at(i, below[i])).reverse();
        this.svg.append(s(`path.area.${className}`, { d: `M${[...upper, ...lower].join("L")}Z` }));
        from = to;
      }
      top.forEach((share, i) => (below[i] = share));
    }
  }

  dot(className, at, value) {
    return s(`circle.dot.${className}`, { cx: this.x(at), cy: this.y(value), r: 3 });
  }

  /** Show the moment that is read off, and the values there; else the last ones. */
  read() {
    const points = this.timeline.visible;
    const point = this.nearest(points);
    const reading = this.timeline.moment !== null;
    this.cross?.replaceChildren();
    this.when.textContent = reading && point ? this.whenText(point) : "";
    this.legend.replaceChildren(
      ...this.entries().map(({ name, className, of }) =>
        h("li", h(`i.key.${className}`), name, " ", h("b", point ? this.format(of(point)) : "–"))
      )
    );
    this.plot.setAttribute(
      "aria-label",
      `${this.title}: ${point ? this.words(point) : "no data yet"}. Arrow keys read other moments.`
    );
    if (!reading || !point || !this.x) return;
    const x = Math.round(this.x(point.at)) + 0.5;
    this.cross.append(s("line", { x1: x, x2: x, y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }));
    if (this.stacked) return;
    for (const { className, of } of this.entries()) {
      const value = of(point);
      if (value !== null && value !== undefined) this.cross.append(this.dot(className, point.at, value));
    }
  }

  whenText(point) {
    const moments = moment(point.at);
    if (!this.x) return moments;
    const near = this.timeline.marks.filter(
      (mark) => Math.abs(this.x(mark.at) - this.x(this.timeline.moment)) < NEAR
    );
    return [moments, ...new Set(near.map(({ name }) => name))].join(", ");
  }
}

/** How far apart two points may be that are joined by a line: the service was down longer. */
function gap(points) {
  const steps = points.slice(1).map((point, i) => point.at - points[i].at);
  steps.sort((a, b) => a - b);
  return Math.max(4, 4 * (steps[Math.floor(steps.length / 2)] ?? 0));
}
