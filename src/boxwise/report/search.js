"use strict";
(() => {
  const block = document.getElementById("rule-data");
  if (!block) return;
  const STEP = 40;
  const rules = JSON.parse(block.textContent);
  const texts = rules.map(
    ([label, conditions, box]) => `${conditions.flat().join(" and ")} then ${label} box ${box}`.toLowerCase()
  );
  const [form, words, only, count, list, more] = [
    "rule-search", "rule-words", "rule-class", "rule-count", "rule-list", "more-rules",
  ].map((id) => document.getElementById(id));
  const body = list.tBodies[0];
  const titles = [...list.tHead.rows[0].cells].map((cell) => cell.textContent);
  let found = rules.map((_, i) => i);
  let shown = body.rows.length;
  let asked = [];

  // Text goes in as text, never as HTML: values come from data.
  const make = (name, content, kind) => {
    const element = document.createElement(name);
    if (kind) element.className = kind;
    if (content !== undefined) element.textContent = content;
    return element;
  };
  const marked = (element, text) => {
    const lower = text.toLowerCase();
    let at = 0;
    // Lower case may be longer than the text, in Turkish for one: then nothing is marked.
    while (asked.length && lower.length === text.length) {
      let best = -1, length = 0;
      for (const word of asked) {
        const place = lower.indexOf(word, at);
        if (place >= 0 && (best < 0 || place < best || (place === best && word.length > length))) {
          best = place;
          length = word.length;
        }
      }
      if (best < 0) break;
      element.append(text.slice(at, best), make("mark", text.slice(best, best + length)));
      at = best + length;
    }
    element.append(text.slice(at));
    return element;
  };
  const line = ([label, conditions, box, ...numbers]) => {
    const row = make("tr");
    const first = make("td");
    if (conditions.length) {
      const items = make("ul");
      for (const condition of conditions) {
        // A long set is a pair: its text, and the values that the text leaves out.
        const [shown, hidden] = [condition].flat();
        const item = marked(make("li"), shown);
        if (hidden) {
          item.title = hidden;
          const [short, long] = [shown.toLowerCase(), hidden.toLowerCase()];
          if (asked.some((word) => long.includes(word) && !short.includes(word))) {
            item.append(" ", marked(make("small"), hidden));
          }
        }
        items.append(item);
      }
      first.append(items);
    } else {
      first.textContent = "always";
    }
    const then = make("td");
    then.dataset.title = titles[1];
    then.append(marked(make("strong"), label), " ", make("small", `box ${box}`));
    row.append(first, then);
    numbers.forEach((number, k) => {
      const cell = make("td", number, "number");
      cell.dataset.title = titles[k + 2];
      row.append(cell);
    });
    return row;
  };
  const grow = () => {
    const part = document.createDocumentFragment();
    const end = Math.min(shown + STEP, found.length);
    for (; shown < end; shown++) part.append(line(rules[found[shown]]));
    body.append(part);
    tell();
  };
  const tell = () => {
    const left = found.length - shown;
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(left, STEP)} more of ${left.toLocaleString("en")}`;
  };
  const search = () => {
    asked = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = [];
    for (let i = 0; i < rules.length; i++) {
      if (only.value && rules[i][0] !== only.value) continue;
      if (asked.every((word) => texts[i].includes(word))) found.push(i);
    }
    const all = rules.length.toLocaleString("en");
    count.textContent = found.length === rules.length
      ? `${all} rules`
      : `${found.length.toLocaleString("en")} of ${all} rules`;
    shown = 0;
    body.replaceChildren();
    grow();
  };

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  words.addEventListener("input", search);
  only.addEventListener("change", search);
  more.addEventListener("click", () => {
    const first = shown;
    grow();
    // The keyboard goes on at the first rule that is new.
    const row = body.rows[first];
    if (row) {
      row.tabIndex = -1;
      row.focus({ preventScroll: true });
    }
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      words.focus();
      words.scrollIntoView({ block: "center" });
    } else if (event.key === "Escape" && event.target === words && words.value) {
      words.value = "";
      search();
    }
  });
  tell();
})();
