// The last decisions, newest first. Each opens its explanation.

import { explain, Refused, Unreachable } from "./api.js";
import { colour, h, moment, percent, supportText, valueText } from "./dom.js";
import { changed, counterfactual, explanation } from "./explanation.js";

const KEPT = 50;
const SHOWN = 12;
const PACE = 500; // milliseconds: more decisions than one in this time could not be read
const COLUMNS_SHOWN = 6;

export class Decisions {
  /** `list` holds them, `held` tells how many wait while the list stands still. */
  constructor(list, held, pause, dialog, onTry) {
    Object.assign(this, { list, held, pause, dialog, onTry });
    this.all = [];
    this.classes = [];
    this.columns = []; // their names
    this.taken = 0; // when the last one came into the list
    this.pointed = false;
    this.paused = false;
    this.missed = 0;
    this.listen();
  }

  listen() {
    const { list, pause, held } = this;
    list.addEventListener("pointerenter", (event) => (this.pointed = event.pointerType === "mouse"));
    list.addEventListener("pointerleave", () => {
      this.pointed = false;
      this.show();
    });
    list.addEventListener("focusout", () => requestAnimationFrame(() => this.show()));
    pause.addEventListener("click", () => {
      this.paused = !this.paused;
      pause.setAttribute("aria-pressed", this.paused);
      pause.textContent = this.paused ? "Resume" : "Pause";
      this.show();
    });
    held.addEventListener("click", () => this.show(true));
  }

  /** Whether the list stands still, so that nobody misses what they aim at. */
  get still() {
    // An open dialog gives the focus back to what opened it, which must be there then.
    return this.paused || this.pointed || this.dialog.open || this.list.contains(document.activeElement);
  }

  fill(decisions) {
    this.all = decisions.slice(0, KEPT).map((one) => this.named(one));
    this.show(true);
  }

  /** Take a decision that is new, or one whose truth came. */
  add(sent) {
    const decision = this.named(sent);
    const at = this.all.findIndex(({ id }) => id === decision.id);
    if (at >= 0) {
      this.all[at] = decision;
      this.update(decision);
      return;
    }
    if (Date.now() - this.taken < PACE) return;
    const place = this.all.findIndex(({ at: other }) => other <= decision.at);
    if (place < 0 && this.all.length >= KEPT) return; // the truth of one that has left the list
    this.all.splice(place < 0 ? this.all.length : place, 0, decision);
    this.all.length = Math.min(this.all.length, KEPT);
    this.taken = Date.now();
    this.missed += 1;
    this.show();
  }

  /** A decision whose row is an object: some clients send lists of values. */
  named(decision) {
    if (!Array.isArray(decision.row)) return decision;
    const pairs = decision.row.map((value, i) => [this.columns[i] ?? `${i}`, value]);
    return { ...decision, row: Object.fromEntries(pairs) };
  }

  show(anyway = false) {
    const still = this.still && !anyway && this.list.querySelector("button");
    this.held.hidden = !(still && this.missed);
    this.held.textContent = `${this.missed > KEPT ? `${KEPT}+` : this.missed} new`;
    if (still) return;
    this.missed = 0;
    this.held.hidden = true;
    const shown = this.all.slice(0, SHOWN);
    this.list.replaceChildren(...(shown.length ? shown.map((one) => this.item(one)) : [none()]));
  }

  update(decision) {
    const old = [...this.list.children].find((item) => item.dataset.id === decision.id);
    const state = old?.querySelector(".truth");
    if (state) state.replaceWith(truth(decision));
  }

  item(decision) {
    const { id, at, label, probability, row } = decision;
    const values = Object.entries(row).slice(0, COLUMNS_SHOWN);
    const summary = values.map(([name, value]) => `${name} ${valueText(value)}`).join(", ");
    const item = h(
      "li",
      h(
        "button.decision",
        { type: "button", onclick: () => this.open(decision) },
        h("span.time", moment(at)),
        h("span.label", { "--colour": colour(this.classes.indexOf(String(label))) }, nameOf(label)),
        h("span.probability", percent(probability)),
        truth(decision),
        h("span.summary", summary)
      )
    );
    item.dataset.id = id;
    return item;
  }

  async open(decision) {
    const { dialog } = this;
    const body = h("div.sheet-body", h("p.soft", "Explaining…"));
    dialog.replaceChildren(this.head(decision), body);
    dialog.setAttribute("aria-labelledby", "sheet-title");
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    await this.explain(decision, body);
  }

  head(decision) {
    const { label, probability, support } = decision;
    const few = supportText(support);
    return h(
      "header.sheet-head",
      h(
        "div",
        h("h2", { id: "sheet-title" }, `${nameOf(label)}, ${percent(probability)}`),
        h("p.soft", [moment(decision.at), `decision ${decision.id}`, few].filter(Boolean).join(" · "))
      ),
      h("button", { type: "button", onclick: () => this.dialog.close() }, "Close")
    );
  }

  async explain(decision, body) {
    const outcome = this.outcome(decision);
    const row = h(
      "section.part",
      h("h4", "The row"),
      rowList(decision.row),
      h("button", { type: "button", onclick: () => this.take(decision.row) }, "Change this row and predict again")
    );
    body.replaceChildren(outcome, h("p.soft", { role: "status" }, "Explaining…"), row);
    try {
      const first = await explain(decision.row, false);
      const callout = h("div", { "aria-live": "polite" }, h("p.callout.soft", "Looking for the smallest change that changes the prediction…"));
      const reasons = explanation(first.explanation, first.text, this.classes);
      body.replaceChildren(outcome, ...sinceThen(decision, first.explanation), callout, ...reasons, row);
      const second = await explain(decision.row, true);
      callout.replaceChildren(
        counterfactual(second.explanation, (changes) => this.take(changed(decision.row, changes)))
      );
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
      const again = h("button", { type: "button", onclick: () => this.explain(decision, body) }, "Try again");
      body.replaceChildren(outcome, h("p.problem", { role: "alert" }, error.message), again, row);
    }
  }

  outcome({ label, truth: known }) {
    if (known === null || known === undefined) return h("p.soft", "What was right is not known yet.");
    return known === label
      ? h("p.right", "✓ This was right.")
      : h("p.wrong", "✗ This was wrong: it is ", h("b", String(known)), ".");
  }

  take(row) {
    this.dialog.close();
    this.onTry(row);
  }
}

/** The model may have learned since it decided: the explanation is of what it says now. */
function sinceThen({ label, probability }, { prediction, probability: now }) {
  if (String(prediction) === String(label) && percent(now) === percent(probability)) return [];
  return [h("p.soft", `The model has learned since then. This explains what it says now: ${prediction}, ${percent(now)}.`)];
}

function rowList(row) {
  const pairs = Object.entries(row).map(([name, value]) => h("div", h("dt", name), h("dd", valueText(value))));
  return h("dl.row", ...pairs);
}

/** Before the first class is learned, there is none to decide for. */
const nameOf = (label) => (label === null ? "no class yet" : String(label));

function truth({ label, truth: known }) {
  if (known === null || known === undefined) return h("span.truth.soft", { title: "What was right is not known yet" }, "open");
  const right = known === label;
  return h(`span.truth.${right ? "right" : "wrong"}`, right ? "✓ right" : `✗ ${known}`);
}

function none() {
  return h(
    "li.none",
    h("p", h("strong", "No decision yet.")),
    h("p.soft", "Rows that are sent to ", h("code", "POST /v1/predict"), " appear here, each with its explanation.")
  );
}
