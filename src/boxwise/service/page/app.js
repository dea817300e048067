// The page: loads what there is, follows the events, and loads again after every interruption.

import { Events, get, Refused, session, Unreachable } from "./api.js";
import { Changes, marksOf } from "./changes.js";
import { Timeline } from "./chart.js";
import { Columns } from "./columns.js";
import { Decisions } from "./decisions.js";
import { byId, h, moment, plural } from "./dom.js";
import { Overview } from "./overview.js";
import { Rules } from "./rules.js";
import { followSections } from "./sections.js";
import { setUpTheme } from "./theme.js";
import { TryRow } from "./tryrow.js";

const POINTS = 300;
const TOO_MANY = 900; // points in memory: then fewer are loaded
const REFRESH = 10_000; // milliseconds between two looks at the model, its curves and rules

const timeline = new Timeline();
const overview = new Overview(timeline, byId("tiles"), byId("charts"));
const changes = new Changes(byId("change-list"), byId("more-changes"));
const tryRow = new TryRow(byId("form"), byId("fields"), byId("result"), () => decisions.all[0]?.row);
const decisions = new Decisions(
  byId("decision-list"), byId("held"), byId("pause"), byId("sheet"), (row) => tryRow.take(row)
);
const columns = new Columns(byId("curves"), byId("class"), byId("more-curves"));
const rules = new Rules(byId("rule-list"), byId("more-rules"), () => attempt(loadRules));
let model = null;
let known = []; // changes
let stale = 0; // when the model was last looked at

const events = new Events({
  open: () => attempt(loadAll),
  event: onEvent,
  lost: () => setState("reconnecting"),
  refused: askForToken,
});

function onEvent(type, data) {
  if (type === "point") addPoint(data);
  else if (type === "decision") decisions.add(data);
  else if (type === "change") addChange(data);
  else if (type === "model") {
    showModel(data);
    attempt(loadModel); // it may be another one: rolled back, or promoted
  }
}

async function loadAll() {
  const [found, history, changed, decided] = await Promise.all([
    get("v1/model"),
    loadHistory(),
    get("v1/changes"),
    get("v1/decisions", { limit: 50 }),
  ]);
  showModel(found);
  timeline.points = history;
  showChanges(changed.changes);
  overview.show(found.rows);
  timeline.draw();
  decisions.fill(decided.decisions);
  setState("live");
  stale = Date.now();
  await loadModel();
  await loadModels();
}

async function loadHistory() {
  const parameters = { points: POINTS };
  if (timeline.range !== Infinity) parameters.since = (Date.now() / 1000 - timeline.range).toFixed(0);
  return (await get("v1/history", parameters)).points;
}

/** What is too large to be sent at every change of the model. */
async function loadModel() {
  const [{ curves }] = await Promise.all([get("v1/curves"), loadRules()]);
  columns.show(curves);
}

async function loadRules() {
  rules.show((await get("v1/rules", { limit: rules.most })).rules, model?.classes.map(String) ?? []);
}

async function loadModels() {
  const { models } = await get("v1/models");
  const choice = byId("models");
  choice.hidden = models.length < 2;
  choice.replaceChildren(...models.map(({ name }) => h("option", { value: name }, name)));
  choice.value = model.name;
}

function addPoint(point) {
  const last = timeline.points.at(-1);
  if (last && point.at <= last.at) return;
  timeline.points.push(point);
  if (timeline.points.length > TOO_MANY) attempt(reloadHistory);
  overview.show();
  timeline.draw();
  if (document.hidden || !model) return;
  // A young model changes fast, and its first rows give it its columns and classes.
  const since = Date.now() - stale;
  if (since > REFRESH || (since > REFRESH / 5 && point.rows > 2 * model.rows)) attempt(refresh);
}

async function refresh() {
  stale = Date.now();
  const before = model.rows;
  showModel(await get("v1/model"));
  if (model.rows !== before) await loadModel();
}

async function reloadHistory() {
  timeline.points = await loadHistory();
  showChanges(known);
  timeline.draw();
}

function addChange(change) {
  // One that is known already comes again with its time.
  const others = known.filter((one) => one.row !== change.row || one.event !== change.event);
  showChanges([...others, change].sort((a, b) => a.row - b.row));
  timeline.draw();
  stale = 0;
}

function showChanges(list) {
  known = list;
  timeline.marks = marksOf(list, timeline.points);
  changes.show(list);
}

function showModel(found) {
  model = found;
  const classes = found.classes.map(String);
  Object.assign(overview, { classes, maxBoxes: found.max_boxes });
  decisions.classes = tryRow.classes = classes;
  decisions.columns = found.columns.map(({ name }) => name);
  byId("name").textContent = found.name;
  document.title = `${found.name} – boxwise`;
  byId("about").textContent = [
    found.learner,
    `version ${found.version}`,
    plural(found.columns.length, "column", "columns"),
    classes.length ? plural(classes.length, "class", "classes") : "no class yet",
    found.shadow ? "a shadow learns beside it" : "",
    found.checkpoint ? `last checkpoint ${moment(found.checkpoint.at)}` : "",
  ].filter(Boolean).join(" · ");
  byId("trouble").hidden = !found.trouble;
  byId("trouble").textContent = found.trouble ? `Nothing is learned at the moment: ${found.trouble}` : "";
  tryRow.build(found.columns);
  showStart(found);
}

function showStart({ rows, columns: known }) {
  byId("start").hidden = rows > 0;
  for (const part of ["tools", "charts"]) byId(part).hidden = rows === 0;
  if (rows > 0) return;
  const row = Object.fromEntries(known.map(({ name, kind }) => [name, kind === "numeric" ? 1 : "value"]));
  const body = JSON.stringify({ rows: [known.length ? row : { age: 47, job: "nurse" }], labels: ["yes"] });
  const token = session.token ? " \\\n  -H 'Authorization: Bearer …'" : "";
  byId("example").textContent =
    `curl ${new URL("v1/learn", document.baseURI)} \\\n  -H 'Content-Type: application/json'${token} \\\n  -d '${body.replaceAll("'", "'\\''")}'`;
}

/** Do what may fail because the service is away: the stream of events notices, and tries again. */
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    if (error instanceof Refused && [401, 403].includes(error.status)) askForToken(error);
    else if (error instanceof Refused) setState("problem", error.message);
    else if (!(error instanceof Unreachable)) throw error;
  }
}

const STATES = {
  connecting: "connecting…",
  live: "live",
  reconnecting: "reconnecting…",
  refused: "token needed",
};

function setState(state, text = STATES[state]) {
  const element = byId("state");
  if (element.textContent === text && element.dataset.state === state) return;
  element.dataset.state = state;
  element.textContent = text;
  byId("forget").hidden = !session.token;
}

function askForToken(error) {
  events.stop();
  setState("refused");
  const dialog = byId("sign-in");
  byId("token-why").textContent = error.message;
  byId("token").value = "";
  if (!dialog.open) dialog.showModal();
}

byId("sign-in").addEventListener("cancel", (event) => event.preventDefault());
byId("token-form").addEventListener("submit", () => {
  session.token = byId("token").value.trim();
  setState("connecting");
  events.start();
});
byId("forget").addEventListener("click", () => {
  session.token = null;
  location.reload();
});
byId("models").addEventListener("change", (event) => {
  const target = new URL(location.href);
  target.searchParams.set("model", event.target.value);
  location.assign(target);
});
byId("ranges").addEventListener("change", (event) => {
  timeline.range = Number(event.target.value);
  attempt(reloadHistory);
});
byId("sheet").addEventListener("click", (event) => {
  if (event.target === event.currentTarget) event.currentTarget.close(); // beside the sheet
});
timeline.range = Number(document.querySelector("[name=range]:checked").value);
setUpTheme(byId("theme"));
followSections([...document.querySelectorAll("nav a")]);
events.start();
