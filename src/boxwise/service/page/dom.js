// Elements and text. Text goes in as text nodes, never as HTML: names and values come from data.

const SVG = "http://www.w3.org/2000/svg";

/** Return the element with this id. */
export const byId = (id) => document.getElementById(id);

/** Make an element: tag and classes ("p.soft"), attributes, listeners (on...), and children. */
export function h(spec, ...parts) {
  return build(document.createElement(spec.split(".")[0]), spec, parts);
}

/** The same for SVG. */
export function s(spec, ...parts) {
  return build(document.createElementNS(SVG, spec.split(".")[0]), spec, parts);
}

function build(element, spec, parts) {
  const classes = spec.split(".").slice(1);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const part of parts.flat()) {
    if (part === null || part === undefined || part === false) continue;
    if (part instanceof Node || typeof part !== "object") element.append(part);
    else setAll(element, part);
  }
  return element;
}

function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
}

/** Colour of a class: its place among the classes, with one colour for all that come late. */
export const colour = (place) => `var(--class-${place < 0 || place > 5 ? 6 : place})`;

/** What an object holds under a name that comes from data, which may be "constructor". */
export const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const count = (x) => (x === null || x === undefined ? "–" : whole.format(x));

export function plural(n, one, several) {
  return `${count(n)} ${n === 1 ? one : several}`;
}

/** A number with about four digits that matter. */
export function number(x, digits = 4) {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size !== 0 && (size >= 1e9 || size < 1e-4)) return x.toExponential(2);
  if (size >= 1000) return whole.format(x);
  return String(Number(x.toPrecision(digits)));
}

/** A share in percent; what is not all, or nothing, is not shown as such. */
export function percent(share, digits = 0) {
  if (share === null || share === undefined) return "–";
  const text = (100 * share).toFixed(digits);
  if (Number(text) === 100 && share < 1) return digits ? text.replace("100", "> 99").replace(/\.0+$/, "") + "%" : ">99%";
  return Number(text) === 0 && share > 0 ? "<1%" : `${text}%`;
}

export function milliseconds(ms) {
  if (ms === null || ms === undefined) return "–";
  if (ms >= 1000) return `${(ms / 1000).toFixed(ms >= 10_000 ? 0 : 1)} s`;
  return `${ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2)} ms`;
}

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const minutes = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** A moment, given in seconds since 1970: the time, before it the day unless it is today. */
export function moment(at) {
  if (at === null || at === undefined) return "";
  const date = new Date(1000 * at);
  const today = new Date().toDateString() === date.toDateString();
  return today ? clock.format(date) : `${day.format(date)}, ${clock.format(date)}`;
}

/** The label of a tick, on an axis whose ticks are `step` seconds apart. */
export function tickTime(at, step) {
  const date = new Date(1000 * at);
  if (step >= 86_400) return day.format(date);
  return step >= 60 ? minutes.format(date) : clock.format(date);
}

/** A value of a row as a person writes it. */
export function valueText(value) {
  if (value === null || value === undefined) return "missing";
  if (Array.isArray(value)) return `${valueText(value[0])} to ${valueText(value[1])}`;
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 1e15 ? (Math.abs(value) >= 10_000 ? count(value) : String(value)) : number(value, 5);
  return String(value);
}

/** The rows behind a decision. */
export function supportText(support) {
  if (support === null || support === undefined) return "";
  if (support < 1) return "less than one similar row";
  return `about ${plural(Math.round(support), "similar row", "similar rows")}`;
}
