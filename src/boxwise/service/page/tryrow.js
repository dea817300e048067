// A form with a field for each column; the answer is explained, with a counterfactual.

import { explain, predict, Refused, Unreachable } from "./api.js";
import { h, number, own, percent } from "./dom.js";
import { changed, counterfactual, explanation, probabilities } from "./explanation.js";

const FEW = 12; // values that fit into a list to choose from

export class TryRow {
  constructor(form, fields, result, latest) {
    Object.assign(this, { form, fields, result });
    this.columns = [];
    this.classes = [];
    this.inputs = new Map();
    this.run = 0;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.predict();
    });
    form.querySelector("[name=latest]").addEventListener("click", () => {
      const row = latest();
      if (row) this.set(row);
    });
    form.querySelector("[name=clear]").addEventListener("click", () => this.set({}));
  }

  /** Make the fields for these columns, and keep what was typed. */
  build(columns) {
    const signature = JSON.stringify(columns.map(({ name, kind, values }) => [name, kind, values]));
    if (signature === this.signature) return;
    const before = this.inputs.size ? this.row() : null;
    this.signature = signature;
    this.columns = columns;
    this.inputs.clear();
    this.fields.replaceChildren(...columns.map((column, i) => this.field(column, `field-${i}`)));
    this.form.hidden = columns.length === 0;
    if (before) this.set(before);
  }

  field(column, id) {
    const { name, kind, values = [], range } = column;
    let input;
    let extra = null;
    if (kind === "categorical" && values.length <= FEW) {
      const options = values.filter((value) => value !== null).map((value, k) => h("option", { value: k }, String(value)));
      input = h("select", { id }, h("option", { value: "" }, "missing"), ...options);
    } else if (kind === "categorical") {
      extra = h("datalist", { id: `${id}-values` }, ...values.map((value) => h("option", { value: String(value) })));
      input = h("input", { id, list: extra.id, autocomplete: "off", placeholder: "missing" });
    } else {
      const hint = range ? `${number(range[0])} to ${number(range[1])}` : "a number";
      input = h("input", { id, inputmode: "decimal", autocomplete: "off", placeholder: hint });
    }
    this.inputs.set(name, input);
    return h("div.field", h("label", { for: id }, name), input, extra);
  }

  /** The row as it is typed: an empty field is a missing value. */
  row() {
    return Object.fromEntries(this.columns.map((column) => [column.name, this.value(column)]));
  }

  value({ name, kind, values = [] }) {
    const input = this.inputs.get(name);
    if (input.value.trim() === "" && kind !== "categorical") return null;
    if (input.value === "") return null;
    if (input.tagName === "SELECT") return values.filter((value) => value !== null)[Number(input.value)];
    if (kind === "categorical") return values.find((value) => String(value) === input.value) ?? input.value;
    const typed = Number(input.value);
    // What is no number goes as it is: the service says what is wrong with it.
    return Number.isFinite(typed) ? typed : input.value;
  }

  set(row) {
    for (const { name, kind, values = [] } of this.columns) {
      const value = own(row, name);
      const input = this.inputs.get(name);
      if (value === null || value === undefined) input.value = "";
      else if (input.tagName === "SELECT") {
        const known = values.filter((one) => one !== null).findIndex((one) => String(one) === String(value));
        input.value = known < 0 ? "" : known;
      } else input.value = kind === "numeric" && typeof value === "number" ? String(Number(value.toPrecision(9))) : String(value);
    }
  }

  /** Fill in a row, go there, and predict it. */
  take(row) {
    this.set(row);
    this.form.scrollIntoView({ block: "start" });
    this.inputs.values().next().value?.focus({ preventScroll: true });
    this.predict();
  }

  async predict() {
    const run = ++this.run;
    const row = this.row();
    this.result.setAttribute("aria-busy", "true");
    try {
      const first = await explain(row, false);
      if (run !== this.run) return;
      const callout = h("div", h("p.callout.soft", "Looking for the smallest change that changes the prediction…"));
      this.show(first, callout);
      const second = await explain(row, true);
      if (run !== this.run) return;
      callout.replaceChildren(
        counterfactual(second.explanation, (changes) => this.take(changed(row, changes)))
      );
    } catch (error) {
      if (run !== this.run) return;
      if (error instanceof Refused && error.status === 409) await this.showUnexplained(row, error.message);
      else this.complain(error);
    } finally {
      if (run === this.run) this.result.removeAttribute("aria-busy");
    }
  }

  complain(error) {
    if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
    this.result.replaceChildren(h("p.problem", { role: "alert" }, error.message));
  }

  /** Some models predict, but have no reasons to give. */
  async showUnexplained(row, reason) {
    try {
      const why = await predict(row);
      if (why.prediction === null) return this.complain(new Refused(409, reason));
      this.result.replaceChildren(
        h("h3", { role: "status" }, `${why.prediction}, ${percent(why.probability)}`),
        probabilities(why, this.classes),
        h("p.soft", reason)
      );
    } catch (error) {
      this.complain(error);
    }
  }

  show({ explanation: why, text }, callout) {
    const { prediction, probability } = why;
    this.result.replaceChildren(
      h("h3", { role: "status" }, `${prediction}, ${percent(probability)}`),
      callout,
      ...explanation(why, text, this.classes)
    );
  }
}
