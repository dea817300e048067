// Requests to the service and its stream of events. All addresses are relative, so that the page
// works below any path of a proxy. EventSource sends no headers, hence no token: fetch reads the
// stream instead.

const KEY = "boxwise-token";
const SILENCE = 25_000; // without even a heartbeat, in milliseconds
const WAITS = [300, 600, 1_200, 2_500, 5_000];

export const session = {
  model: new URLSearchParams(location.search).get("model"),
  get token() {
    return sessionStorage.getItem(KEY);
  },
  set token(value) {
    if (value) sessionStorage.setItem(KEY, value);
    else sessionStorage.removeItem(KEY);
  },
};

/** An answer that is not a success; `message` is what the service says about it. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** No answer came: the service, or the way to it, is away. */
export class Unreachable extends Error {}

function address(path, parameters = {}) {
  const query = new URLSearchParams(parameters);
  if (session.model) query.set("model", session.model);
  return query.size ? `${path}?${query}` : path;
}

function headers(more = {}) {
  return session.token ? { ...more, Authorization: `Bearer ${session.token}` } : more;
}

const away = () => {
  throw new Unreachable("The service cannot be reached at the moment. Try again.");
};

const reach = (path, options) => fetch(path, options).catch(away);

/** The JSON of an answer; one that was broken off is none. */
const content = (response) => response.json().catch(away);

async function answered(response) {
  if (response.ok) return response;
  let text = `The service answered ${response.status}.`;
  try {
    const problem = await response.json();
    if (typeof problem.detail === "string") text = problem.detail;
  } catch {
    // Not JSON, as from a proxy: the status says enough.
  }
  throw new Refused(response.status, text);
}

export async function get(path, parameters) {
  const response = await reach(address(path, parameters), { headers: headers() });
  return content(await answered(response));
}

async function post(path, body) {
  const response = await reach(address(path), {
    method: "POST",
    headers: headers({ "Content-Type": "application/json" }),
    body: JSON.stringify(body),
  });
  return content(await answered(response));
}

/** What the model says of a row now and why; `note: false` keeps it out of the decisions. */
export async function explain(row, counterfactual) {
  const body = { rows: [row], explain: true, counterfactual, note: false };
  return (await post("v1/predict", body)).predictions[0].explanation;
}

/** What the model says of a row, in the form of an explanation that has no reasons. */
export async function predict(row) {
  const [found] = (await post("v1/predict", { rows: [row], note: false })).predictions;
  const probabilities = Object.entries(found.probabilities).sort((a, b) => b[1] - a[1]);
  return { prediction: found.label, probabilities, probability: probabilities[0]?.[1], support: found.support };
}

/** Reads events for as long as the page is open, and connects again whenever that ends. */
export class Events {
  /**
   * @param on.open   called with true if it is a new connection after a lost one
   * @param on.event  called with the type and the data of each event
   * @param on.lost   called when the connection is lost, before it is tried again
   * @param on.refused called with a Refused for a token that is missing, wrong or too weak
   */
  constructor(on) {
    this.on = on;
    this.failures = 0;
    this.opened = 0;
    this.run = 0;
  }

  start() {
    this.stop();
    this.follow(this.run);
  }

  stop() {
    this.run += 1;
    this.abort?.abort();
  }

  async follow(run) {
    while (run === this.run) {
      try {
        await this.connect(run);
      } catch (error) {
        if (run !== this.run) return;
        if (error instanceof Refused && [401, 403].includes(error.status)) {
          this.on.refused(error);
          return;
        }
        if (!(error instanceof Refused || error instanceof Unreachable)) reportError(error);
      }
      if (run !== this.run) return;
      this.on.lost();
      const wait = WAITS[Math.min(this.failures, WAITS.length - 1)];
      this.failures += 1;
      await new Promise((resolve) => setTimeout(resolve, wait * (0.8 + 0.4 * Math.random())));
    }
  }

  async connect(run) {
    this.abort = new AbortController();
    const alarm = new Alarm(() => this.abort.abort());
    try {
      const response = await answered(
        await reach(address("v1/events"), {
          headers: headers({ Accept: "text/event-stream" }),
          cache: "no-store",
          signal: this.abort.signal,
        })
      );
      this.on.open(this.opened > 0);
      this.opened += 1;
      this.failures = 0;
      await this.read(response.body.getReader(), run, alarm);
    } finally {
      alarm.stop();
    }
  }

  async read(reader, run, alarm) {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true }));
      if (done || run !== this.run) return;
      alarm.reset();
      const blocks = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
      rest = blocks.pop();
      for (const block of blocks) this.tell(block);
    }
  }

  tell(block) {
    let type = "message";
    const data = [];
    for (const line of block.split(/\r?\n/)) {
      if (line.startsWith("event:")) type = line.slice(6).trim();
      else if (line.startsWith("data:")) data.push(line.slice(5));
    }
    if (data.length) this.on.event(type, JSON.parse(data.join("\n")));
  }
}

class Alarm {
  constructor(ring) {
    this.ring = ring;
    this.reset();
  }

  reset() {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.ring, SILENCE);
  }

  stop() {
    clearTimeout(this.timer);
  }
}
