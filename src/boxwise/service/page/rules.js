// The heaviest rules of the model.

import { colour, h, plural } from "./dom.js";

const FIRST = 6; // rules shown at first
const MOST = 40;

export class Rules {
  constructor(list, more, load) {
    Object.assign(this, { list, more });
    this.most = FIRST;
    more.addEventListener("click", () => {
      this.most = MOST;
      load();
    });
  }

  show(rules, classes) {
    this.more.hidden = this.most > FIRST || rules.length < this.most;
    if (!rules.length) {
      this.list.replaceChildren(h("li.none", "The rules appear when rows have been learned."));
      return;
    }
    this.list.replaceChildren(
      ...rules.map(({ label, rows, conditions = [], text }) =>
        h(
          "li.rule",
          h(
            "div.rule-head",
            h("span.label", { "--colour": colour(classes.indexOf(String(label))) }, String(label)),
            rows === undefined ? null : h("span.soft", `from ${plural(rows, "row", "rows")}`)
          ),
          conditions.length ? h("ul.conditions", ...conditions.map((one) => h("li", one))) : h("p", text ?? "always")
        )
      )
    );
  }
}

