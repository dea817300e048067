// The figures of now, and the charts over time.

import { Chart } from "./chart.js";
import { count, h, milliseconds, number, own, percent, plural } from "./dom.js";

const MOST_CLASSES = 6;

export class Overview {
  constructor(timeline, tiles, charts) {
    this.timeline = timeline;
    this.tiles = tiles;
    this.classes = [];
    this.maxBoxes = null;
    this.build(charts);
    this.show();
  }

  build(parent) {
    const ratio = (x) => percent(x, 1);
    const add = (options) => new Chart(this.timeline, parent, options);
    add({
      title: "Accuracy",
      series: [
        line("accuracy", "a", (point) => point.accuracy),
        line("CBA", "b", (point) => point.cba),
      ],
      axis: { ceiling: 1, least: 0.1, atLeast: 0 },
      format: ratio,
      tick: (x) => percent(x),
    });
    add({
      title: "Log-loss",
      series: [line("mean", "a", (point) => point.log_loss)],
      axis: { floor: 0, least: 0.2 },
      format: (x) => number(x, 3),
      tick: (x) => number(x, 3),
    });
    add({
      title: "Rows per second",
      series: [
        line("learned", "a", (point) => point.learned_per_second),
        line("predicted", "b", (point) => point.predicted_per_second),
      ],
      axis: { floor: 0, least: 4 },
      format: perSecond,
      tick: short,
    });
    add(latency("Time to predict", "predict_ms"));
    add(latency("Time to learn", "learn_ms"));
    add({
      title: "Boxes",
      series: [line("boxes", "a", (point) => point.boxes)],
      axis: { floor: 0, least: 4 },
      format: count,
      tick: short,
    });
    add({
      title: "Classes learned",
      series: () => this.shares(),
      stacked: true,
      format: (x) => percent(x),
      tick: (x) => percent(x),
    });
  }

  /** Of a few classes one share each, of the rest one together. */
  shares() {
    const share = (point, names) => {
      const counts = point.classes ?? {};
      const all = Object.values(counts).reduce((a, b) => a + b, 0);
      return all ? names.reduce((sum, name) => sum + (own(counts, name) ?? 0), 0) / all : 0;
    };
    const few = this.classes.length <= MOST_CLASSES;
    const single = few ? this.classes : this.classes.slice(0, MOST_CLASSES - 1);
    const found = single.map((name, i) => line(name, `class-${i}`, (p) => share(p, [name])));
    const rest = this.classes.slice(single.length);
    if (rest.length) {
      found.push(line(`${rest.length} others`, "class-6", (point) => share(point, rest)));
    }
    return found;
  }

  /** Show the figures of the last point. */
  show(rows = 0) {
    const now = this.timeline.points.at(-1) ?? {};
    const speed = now.learned_per_second;
    const scored = plural(Math.min(1_000, now.rows ?? rows), "row", "rows");
    const { p50, p99 } = this.latest("predict_ms") ?? {};
    const entries = [
      ["Accuracy", percent(now.accuracy, 1), now.accuracy == null ? "no rows yet" : `last ${scored}`],
      ["CBA", percent(now.cba, 1), "class balanced"],
      ["Log-loss", number(now.log_loss, 3), now.log_loss == null ? "" : `last ${scored}`],
      ["Rows learned", count(now.rows ?? rows), speed == null ? "" : `${perSecond(speed)} per second`],
      ["Boxes", count(now.boxes), this.maxBoxes ? `of ${count(this.maxBoxes)} at most` : ""],
      ["Time to predict", milliseconds(p50), p99 == null ? "" : `99% under ${milliseconds(p99)}`],
    ];
    this.tiles.replaceChildren(
      ...entries.map(([name, value, note]) =>
        h("div", h("dt", name), h("dd", value), h("dd.soft", note))
      )
    );
  }

  /** The last value of a figure that is not there at every point. */
  latest(name) {
    return this.timeline.points.slice(-60).findLast((point) => point[name]?.p50 != null)?.[name];
  }
}

const line = (name, className, of) => ({ name, className, of });

function latency(title, name) {
  return {
    title,
    series: [
      line("median", "a", (point) => point[name]?.p50),
      line("99%", "b", (point) => point[name]?.p99),
    ],
    axis: { floor: 0, least: 0.5 },
    format: milliseconds,
    tick: (x) => (x === 0 ? "0" : x >= 1000 ? `${number(x / 1000)} s` : `${number(x)} ms`),
  };
}

function perSecond(x) {
  return x === null || x === undefined ? "–" : x >= 10 || x === 0 ? count(x) : number(x, 2);
}

const short = (x) => (x >= 1e6 ? `${number(x / 1e6)}M` : x >= 1e4 ? `${number(x / 1e3)}k` : number(x));
