// The page: scene, agents, running, checkpoints, links.
/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

const SCENE = /** @type {Description} */ ({ world: { spec: "three-state:delta=0" }, agents: ["ucrl:alpha=0.05", "tucrl:alpha=0.05"], seed: 1, steps: 1000000 });
/** Worlds that can be seen at a glance. */
const WORLDS = ["three-state", "two-state", "river-swim", "six-arms", "chain", "frozen-lake", "cliff-walking", "four-rooms", "deep-sea", "taxi"];
/** Options with sliders: key, smallest and largest value; on a logarithmic scale. */
const SLIDERS = /** @type {[string, number, number][]} */ ([
  ["alpha", 0.001, 1],
  ["delta", 0.001, 0.5],
  ["c", 0.1, 100],
]);
const MOST_AGENTS = 3;
/** Milliseconds of a frame that are spent on steps. */
const BUDGET = 24;

const page = {
  /** @type {Description} */ description: SCENE,
  /** @type {Engine} */ engine: /** @type {any} */ (null),
  /** @type {Snapshot} */ snapshot: { taken: 0, agents: [] },
  /** @type {Point[]} */ places: [],
  isMoved: false,
  /** @type {Diagram[]} */ diagrams: [],
  /** @type {{agent: number, state: number, action: number | null} | null} */ selected: null,
  /** @type {{taken: number, saved: string}[]} */ checkpoints: [],
  /** @type {{agents: Kind[], worlds: Kind[]}} */ kinds: { agents: [], worlds: [] },
  isPlaying: false,
  speed: 100,
  /** Steps owed to the present speed. */ owed: 0,
  /** Steps of all agents per millisecond, as measured. */ rate: 100,
  /** @type {(() => void) | null} */ redraw: null,
  /** What runs over several frames: true when it has arrived. @type {(() => boolean) | null} */ job: null,
  /** @type {(() => void) | null} */ whenDone: null,
  lastChart: 0,
  lastFrame: 0,
  frame: 0,
  value: "regret",
};
const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Shows what went wrong, or nothing. @param {unknown} problem */
const complain = (problem) => {
  const box = byId("problem"),
    isPanic = typeof WebAssembly === "object" && problem instanceof WebAssembly.RuntimeError;
  box.hidden = !problem;
  box.textContent = !problem
    ? ""
    : isPanic
      ? "The library stopped. Please report the link of this page; a new scene begins again."
      : problem instanceof Error
        ? problem.message
        : String(problem);
};
/** @param {() => void} act */
const careful = (act) => {
  try {
    complain(null);
    act();
  } catch (problem) {
    halt();
    complain(problem);
  }
};

/** Begins a scene anew; the one before stays where the library refuses it. @param {Description} description @param {boolean} [keepPlaces] */
const openScene = (description, keepPlaces) => {
  const engine = new Engine(description);
  if (engine.model === null) {
    engine.free();
    throw new Error(`${engine.world.name} has no table, so that there is no diagram of it: choose another world`);
  }
  halt();
  page.engine?.free();
  page.description = description;
  page.engine = engine;
  const count = engine.model.states.length;
  if (!keepPlaces) {
    page.places = arrange(engine.model, engine.world.name);
    page.isMoved = false;
  } else if (page.places.length !== count) {
    const fresh = arrange(engine.model, engine.world.name);
    page.places = fresh.map((place, state) => ((count <= FEW && state >= page.places.length) || count > FEW ? place : (page.places[state] ?? place)));
    if (count <= FEW) spread(page.places);
  }
  if (page.selected && (page.selected.state >= count || page.selected.agent >= description.agents.length)) page.selected = null;
  page.checkpoints = [];
  build();
};
/** Moves new states off the old ones. @param {Point[]} places */
const spread = (places) => {
  for (let i = 0; i < places.length; i++)
    for (let tries = 0; tries < 40; tries++) {
      const clash = places.some((other, j) => j < i && Math.hypot(other[0] - places[i][0], other[1] - places[i][1]) < 70);
      if (!clash) break;
      places[i] = [50 + ((places[i][0] + 83) % (WIDE - 100)), 45 + ((places[i][1] + 47) % (HIGH - 90))];
    }
};
/** Begins anew with another description, and runs to where this one is. @param {Partial<Description>} change @param {boolean} [keepPlaces] */
const change = (change, keepPlaces = true) =>
  careful(() => {
    const taken = page.snapshot.taken;
    openScene({ ...page.description, ...change }, keepPlaces);
    if (taken > 0) runTo(taken);
  });

const build = () => {
  const { engine, description } = page,
    model = /** @type {Model} */ (engine.model);
  buildSetup();
  const panels = byId("panels");
  panels.replaceChildren();
  page.diagrams = description.agents.map((spec, agent) => buildPanel(panels, spec, agent, model));
  const tools = byId("agent-tools");
  tools.replaceChildren();
  if (description.agents.length < MOST_AGENTS) tool(tools, "add an agent", () => change({ agents: [...description.agents, "tucrl-plus:alpha=0.05"] }));
  buildChart();
  buildEditor();
  update(true);
};

const buildEditor = () =>
  editor(byId("edit"), /** @type {Model} */ (page.engine.model), page.selected?.state ?? null, {
    apply: (model) => tried(() => openScene({ ...page.description, world: { model: modelText(model) } }, true)),
    load: (text) => tried(() => openScene({ ...page.description, world: { model: text } })),
  });
/** What the library refuses, if it does. @param {() => void} act @returns {string | null} */
const tried = (act) => {
  try {
    act();
    return null;
  } catch (problem) {
    return problem instanceof Error ? problem.message : String(problem);
  }
};

const buildSetup = () => {
  const host = byId("setup"),
    { description, engine, kinds } = page;
  host.replaceChildren();
  const place = description.world,
    spec = "spec" in place ? place.spec : null,
    name = spec === null ? "" : parts(spec).name;
  const label = (/** @type {string} */ text) => make("label", {}, host, text);
  const world = make("select", { id: "world" }, label("world"));
  if (spec === null) make("option", { value: "" }, world, "your own");
  for (const known of WORLDS.includes(name) || spec === null ? WORLDS : [name, ...WORLDS]) make("option", { value: known }, world, known);
  world.value = name;
  world.onchange = () => careful(() => openScene({ ...page.description, world: { spec: world.value } }));
  const kind = kinds.worlds.find((one) => one.name === name);
  for (const option of kind?.parameters ?? []) {
    const value = optionOf(spec ?? "", option.key) ?? option.default,
      field = make("label", { title: `${option.meaning}: ${option.accepts}` }, host, option.key);
    const input = make("input", { class: "tiny", "data-world-option": option.key, spellcheck: false }, field);
    input.value = value;
    input.onchange = () => {
      const refused = tried(() => openScene({ ...page.description, world: { spec: withOption(spec ?? "", option.key, input.value.trim()) } }, true));
      input.setAttribute("aria-invalid", refused !== null);
      complain(refused);
    };
    if (/a (probability|number in \[0, 1)/.test(option.accepts)) {
      const slider = make(
        "input",
        { type: "range", min: 0, max: 1, step: 0.005, "aria-label": `${option.key}, slider`, "data-world-slider": option.key },
        field,
      );
      slider.value = String(+value || 0);
      slider.oninput = () => {
        input.value = slider.value;
      };
      slider.onchange = () => change({ world: { spec: withOption(spec ?? "", option.key, slider.value) } });
    }
  }
  const seed = make("input", { type: "number", class: "tiny", min: 0, step: 1, id: "seed" }, label("seed"));
  seed.value = String(description.seed);
  seed.onchange = () => change({ seed: Math.max(0, Math.floor(+seed.value || 0)) });
  const steps = make("input", { type: "number", min: 1, step: 1, id: "steps" }, label("length of the run"));
  steps.value = String(description.steps);
  steps.onchange = () => change({ steps: Math.min(1e9, Math.max(1, Math.floor(+steps.value || 1))) });
  const { facts, reachable } = engine.world,
    count = facts.states;
  byId("facts").textContent =
    `${engine.world.name}: ${shown(count)} states, of which ${shown(facts.reachable)} can be reached; ${facts.class}; optimal gain ${shown(facts.gain)} per step` +
    (Number.isFinite(facts.span_reachable) ? `, span of the optimal bias ${shown(facts.span_reachable)} over the reachable states.` : ".") +
    (reachable ? "" : " ");
};

/** @param {HTMLElement} host @param {string} spec @param {number} agent @param {Model} model */
const buildPanel = (host, spec, agent, model) => {
  const panel = make("article", { class: "panel", style: `--mine:${colour(agent)}`, "data-agent": agent, "aria-label": `Agent ${spec}` }, host);
  const head = make("div", { class: "agent-head" }, panel),
    { name } = parts(spec),
    { agents } = page.description;
  const replace = (/** @type {string} */ text) => change({ agents: agents.map((old, i) => (i === agent ? text : old)) });
  const pick = make("select", { "aria-label": `Algorithm of agent ${agent + 1}`, "data-pick": agent }, head);
  for (const kind of page.kinds.agents) make("option", { value: kind.name, title: kind.summary }, pick, kind.name);
  pick.value = name;
  pick.onchange = () => {
    const known = page.kinds.agents.find((kind) => kind.name === pick.value)?.parameters ?? [];
    const kept = parts(spec).options.filter(([key]) => known.some((option) => option.key === key));
    const needs = known.filter((option) => option.default === "" && !kept.some(([key]) => key === option.key)).map((option) => [option.key, "5"]);
    const all = [...kept, ...needs];
    replace(pick.value + (all.length ? `:${all.map((pair) => pair.join("=")).join(",")}` : ""));
  };
  const text = make("input", { class: "spec", "aria-label": `Agent ${agent + 1} and its options`, "data-spec": agent, spellcheck: false }, head);
  text.value = spec;
  text.onchange = () => replace(text.value.trim());
  if (agents.length > 1) {
    const gone = make("button", { type: "button", class: "tool", "aria-label": `Remove agent ${agent + 1}` }, head, "remove");
    gone.onclick = () => change({ agents: agents.filter((_, i) => i !== agent) });
  }
  const known = page.kinds.agents.find((kind) => kind.name === name)?.parameters ?? [];
  const sliders = make("div", { class: "agent-head" }, panel);
  for (const [key, low, high] of SLIDERS) {
    const option = known.find((one) => one.key === key);
    if (!option) continue;
    const value = +(optionOf(spec, key) ?? option.default) || high,
      field = make("label", { title: option.meaning }, sliders, key);
    const slider = make("input", { type: "range", min: 0, max: 100, step: 1, "aria-label": `${key} of agent ${agent + 1}`, "data-slider": key }, field),
      out = make("output", {}, field, String(+value.toPrecision(3)));
    slider.value = String((100 * Math.log(value / low)) / Math.log(high / low));
    const read = () => +(low * (high / low) ** (+slider.value / 100)).toPrecision(2);
    slider.oninput = () => {
      out.textContent = String(read());
      slider.setAttribute("aria-valuetext", String(read()));
    };
    slider.onchange = () => replace(withOption(spec, key, String(read())));
  }
  const diagram = new Diagram(panel, page.engine, page.places, {
    select: (state, action) => select(agent, state, action),
    moved: () => {
      page.isMoved = true;
      page.diagrams.forEach((one, i) => one.update(page.snapshot.agents[i], chosen(i)));
    },
  });
  make("dl", { class: "numbers-now" }, panel);
  make("p", { class: "why-ended" }, panel);
  const table = make("details", {}, panel);
  make("summary", {}, table, "the diagram as a table");
  make("div", { class: "wide" }, table);
  table.ontoggle = () => updateTable(agent);
  return diagram;
};
/** @param {number} agent */
const chosen = (agent) => (page.selected && page.selected.agent === agent ? page.selected : null);

/** @param {number} agent @param {number} state @param {number | null} action */
const select = (agent, state, action) => {
  page.selected = { agent, state, action };
  update(true);
  buildEditor();
};

/** Steps as they are counted: grouped by thousands. @param {number} value */
const counted = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/** Shows the present state of the scene. @param {boolean} isFinal  Not one of many frames. */
const update = (isFinal) => {
  page.snapshot = page.engine.snapshot();
  const { snapshot } = page,
    time = performance.now();
  byId("time").textContent = `step ${counted(snapshot.taken)}`;
  snapshot.agents.forEach((view, agent) => {
    page.diagrams[agent].update(view, chosen(agent));
    updateNumbers(view, agent);
    updateTable(agent);
  });
  if (isFinal || time - page.lastChart > 250) {
    page.lastChart = time;
    page.redraw?.();
  }
  if (isFinal) {
    explain();
    buildCheckpoints();
    link();
  }
  byId("play").textContent = page.isPlaying ? "pause" : "play";
  byId("play").setAttribute("aria-pressed", page.isPlaying);
};

/** @param {AgentView} view @param {number} agent */
const updateNumbers = (view, agent) => {
  const panel = byId("panels").children[agent],
    list = panel.querySelector(".numbers-now"),
    { plan, ended } = view;
  const rows = [
    ["gap regret", shown(view.gapRegret)],
    ["episode", counted(view.episodes)],
    ["optimistic gain", plan ? shown(plan.gain) : "–"],
    ["its span", plan ? shown(plan.span) : "–"],
    ["states never seen", plan ? counted(plan.unseen) : "–"],
    ["under-visited pairs K", plan ? counted(plan.underVisited) : "–"],
  ];
  list.replaceChildren();
  for (const [name, value] of rows) {
    const row = make("div", {}, list);
    make("dt", {}, row, name);
    make("dd", {}, row, value);
  }
  panel.querySelector(".why-ended").textContent = ended
    ? `Why did the last episode end, after ${counted(ended.length)} steps? Because ${whyEnded(ended.stop, page.engine.model)}.`
    : "";
};

/** @param {number} agent */
const updateTable = (agent) => {
  const details = byId("panels").children[agent]?.querySelector("details");
  if (!details?.open) return;
  const host = details.querySelector("div"),
    { model } = page.engine,
    view = page.snapshot.agents[agent];
  const isFirst = !host.querySelector("table");
  if (isFirst) {
    const table = make("table", {}, host),
      head = make("tr", {}, make("thead", {}, table));
    for (const name of ["state", "is", "visits", "plays", "visits by action"]) make("th", { scope: "col" }, head, name);
    make("tbody", {}, table);
  }
  const body = host.querySelector("tbody");
  body.replaceChildren();
  model?.states.forEach((_, state) => {
    const own = view.states.find((one) => one.state === state),
      kind = page.diagrams[agent].kind(view, state),
      row = make("tr", {}, body);
    const visits = (own?.pairs ?? []).map((pair) => pair.visits);
    const is = `${KIND_TEXT[kind].split(";")[0]}${view.here === state ? ", agent is here" : ""}`;
    const cells = [
      stateName(model, state),
      is,
      counted(visits.reduce((a, b) => a + b, 0)),
      own?.action === null || own === undefined ? "–" : actionName(model, /** @type {number} */ (own.action)),
      visits.map((count, action) => `${actionName(model, action)} ${counted(count)}`).join(", "),
    ];
    for (const cell of cells) make("td", {}, row, cell);
  });
};

/** Until when a pair stays given up. @param {Explanation} pair @param {number} taken */
const pastThreshold = (pair, taken) => {
  const from = /** @type {number} */ (pair.reconsidered_from),
    threshold = shown(pair.threshold);
  return taken < from
    ? `its visits, less one, exceed ${threshold}, the threshold √(t / (S A)). It is reconsidered from step ${counted(from)} on, if it is not visited before.`
    : `that was decided when the present episode began. The threshold √(t / (S A)) has reached ${threshold} since, and from step ${counted(from)} on the next plan may count on unseen states again.`;
};
const explain = () => {
  const host = byId("explain"),
    { selected, engine, snapshot } = page,
    { model } = engine;
  host.replaceChildren();
  if (!selected) {
    make("p", { class: "note" }, host, "Select a state in a diagram, by pointer or with Enter: what the agent assumes about its actions is said here.");
    return;
  }
  const { agent, state, action } = selected,
    answer = engine.explain(agent, state),
    name = stateName(model, state);
  make("p", {}, host, `${snapshot.agents[agent].agent}, about ${name}, after ${counted(snapshot.taken)} steps`);
  if (answer === null) {
    make("p", { class: "note" }, host, "It keeps no counts, so it has nothing to say.");
    return;
  }
  if (!answer.length) {
    make(
      "p",
      { class: "note" },
      host,
      `It has never seen ${name}. ${snapshot.agents[agent].plan?.plansUnseen ? "Its plan counts on unseen states: each may pay the largest reward." : "Its plan ignores unseen states."}`,
    );
    return;
  }
  const list = make("ul", { class: "explained" }, host);
  for (const pair of answer) {
    const { threshold, outlook } = pair,
      row = make("li", { "data-action": pair.action }, list);
    if (pair.action === action) row.style.fontWeight = "600";
    let text = `${actionName(model, pair.action)}${pair.is_planned ? " (played by the present plan)" : ""}: ${counted(pair.visits)} visits, ${counted(pair.next_states)} different next states.`;
    if (outlook)
      text += ` Width of its confidence set ${shown(outlook.width)}; all next states never observed have at most probability ${shown(outlook.missing_mass)}.`;
    if (threshold !== null) {
      text +=
        pair.given_up_since !== null
          ? ` Since step ${counted(pair.given_up_since)} it may not lead to unseen states: ${pastThreshold(pair, snapshot.taken)}`
          : ` It may lead to unseen states: its visits, less one, do not exceed ${shown(threshold)}, the threshold √(t / (S A)), or no state is unseen.`;
    } else text += " This agent has no threshold: every pair may always lead to unseen states.";
    row.textContent = text;
  }
};

const VALUES = /** @type {[string, string][]} */ ([
  ["regret", "gap regret"],
  ["gain", "optimistic gain"],
  ["span", "span"],
  ["under_visited", "K"],
]);
const buildChart = () => {
  const host = byId("chart"),
    { description } = page;
  host.replaceChildren();
  const agents = description.agents.map((spec, index) => ({
    label: description.agents.indexOf(spec) === index ? spec : `${spec} (${index + 1})`,
    colour: index,
  }));
  const points = (/** @type {any} */ state, /** @type {number} */ agent) => {
    page.value = state.value;
    if (state.value === "regret") return page.engine.curve(agent);
    return page.engine.episodes(agent).flatMap((episode) => {
      const value = /** @type {any} */ (episode)[state.value];
      return /** @type {[number, number][]} */ ([
        [episode.start, value],
        [episode.start + episode.length - 1, value],
      ]);
    });
  };
  const series = (/** @type {any} */ state) => agents.map(({ label, colour: index }) => ({ label, colour: index, points: points(state, index) }));
  page.redraw = curvesChart(host, {
    title: "Curves of this scene",
    scale: "log",
    guides: true,
    first: 10,
    xName: "steps",
    agents,
    yName: (/** @type {any} */ state) => VALUES.find(([id]) => id === state.value)?.[1] ?? "",
    at: (/** @type {number} */ t) => `step ${shown(t)}`,
    series,
    rows: (/** @type {any} */ state) => [
      ["agent", "step", state.value],
      ...series(state).flatMap(({ label, points: all }) => all.map(([t, value]) => [label, t, value])),
    ],
    switches: [{ id: "value", name: "show", options: VALUES, value: page.value }],
  });
};

// Running.
const halt = () => {
  page.isPlaying = false;
  page.job = null;
  page.whenDone = null;
  page.owed = 0;
};
/** @param {number} steps */
const advance = (steps) => {
  const begin = performance.now();
  page.engine.scene.step(steps);
  const spent = performance.now() - begin;
  if (spent > 1) page.rate = Math.min(1e5, Math.max(0.2, 0.7 * page.rate + (0.3 * steps) / spent));
  else if (steps >= page.rate) page.rate = Math.min(1e5, 2 * page.rate);
};
/** Takes at most so many steps within the budget of a frame. @param {number} most */
const someSteps = (most) => {
  const begin = performance.now();
  let left = Math.floor(most);
  while (left > 0 && performance.now() - begin < BUDGET) {
    const now = Math.max(1, Math.min(left, Math.floor((page.rate * BUDGET) / 3)));
    advance(now);
    left -= now;
  }
  return Math.floor(most) - left;
};
const takenNow = () => Math.max(0, ...page.engine.snapshot().agents.map((view) => view.taken));
const tick = (/** @type {number} */ time) => {
  page.frame = 0;
  careful(() => {
    const since = Math.min(100, time - page.lastFrame);
    page.lastFrame = time;
    let isDone = false;
    if (page.job) {
      isDone = page.job();
      if (isDone) {
        const done = page.whenDone;
        page.job = page.whenDone = null;
        update(true);
        done?.();
        return;
      }
    } else if (page.isPlaying) {
      page.owed = Math.min(page.owed + (page.speed * since) / 1000, page.speed);
      page.owed -= someSteps(page.owed);
      if (page.snapshot.taken >= page.description.steps) {
        halt();
        isDone = true;
      }
    } else return;
    if (isDone || !isStill() || time - page.lastChart > 500) update(isDone);
    wake();
  });
};
const wake = () => {
  if (!page.frame && (page.isPlaying || page.job)) page.frame = requestAnimationFrame(tick);
};
/** Runs over as many frames as it takes. @param {() => boolean} job @param {() => void} [whenDone] */
const start = (job, whenDone) => {
  halt();
  page.job = job;
  page.whenDone = whenDone || null;
  wake();
};
/** @param {number} time @param {() => void} [whenDone] */
const runTo = (time, whenDone) => {
  const goal = Math.min(time, page.description.steps);
  let left = goal - takenNow();
  start(() => {
    left -= someSteps(left);
    return left <= 0;
  }, whenDone);
};
/** To the next episode of an agent. @param {boolean} onlyExploratory @param {number} agent @param {() => void} [whenDone] */
const seek = (onlyExploratory, agent, whenDone) =>
  start(() => {
    const begin = performance.now();
    while (performance.now() - begin < BUDGET) {
      if (page.engine.scene.seek_episode(agent, onlyExploratory, 2000)) return true;
      if (takenNow() >= page.description.steps) {
        byId("status").textContent = "The run has ended before such an episode began.";
        return true;
      }
    }
    return false;
  }, whenDone);
const toggle = () =>
  careful(() => {
    const isOn = !page.isPlaying;
    halt();
    page.isPlaying = isOn && page.snapshot.taken < page.description.steps;
    page.lastFrame = performance.now();
    update(!page.isPlaying);
    wake();
  });
/** The agent whose episodes are followed: that of the selected state, or the last one. */
const followed = () => page.selected?.agent ?? page.description.agents.length - 1;

const buildTransport = () => {
  const bar = byId("transport");
  const button = (/** @type {string} */ id, /** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ act) => {
    const one = make("button", { type: "button", id, title }, bar, text);
    one.onclick = () => careful(act);
    return one;
  };
  make("span", { id: "time", class: "time" }, bar, "step 0");
  button("restart", "restart", "Begin again at step 0 (Home)", () => openScene(page.description, true));
  button("play", "play", "Play or pause (P)", toggle);
  button("one-step", "step", "One step (S)", () => {
    halt();
    advance(1);
    update(true);
  });
  button("one-episode", "episode", "To the next episode of the selected agent (E)", () => seek(false, followed()));
  button("exploratory", "exploratory episode", "To the next episode of the selected agent that plans on unseen states (X)", () => seek(true, followed()));
  const field = make("label", { class: "note" }, bar, "speed "),
    slider = make("input", { type: "range", id: "speed", min: 0, max: 6, step: 0.25, "aria-label": "Speed" }, field),
    out = make("output", {}, field);
  slider.value = "2";
  slider.oninput = () => {
    page.speed = Math.round(10 ** +slider.value);
    out.textContent = `${shown(page.speed)} steps/s`;
    slider.setAttribute("aria-valuetext", out.textContent);
  };
  slider.oninput();
  button("store", "store checkpoint", "Remember this step, to come back to it (C)", () => {
    halt();
    page.checkpoints.push({ taken: takenNow(), saved: page.engine.scene.save() });
    update(true);
  });
  make("span", { id: "checkpoints", role: "group", "aria-label": "Back to a checkpoint" }, bar);
  button("copy-link", "copy link", "A link that shows this scene at this step", () => {
    link();
    const said = () => {
      byId("status").textContent = "The link of this scene is in the address bar" + (navigator.clipboard ? " and on the clipboard." : ".");
    };
    if (navigator.clipboard) navigator.clipboard.writeText(location.href).then(said, said);
    else said();
  });
};
const buildCheckpoints = () => {
  const host = byId("checkpoints");
  host.replaceChildren();
  for (const { taken, saved } of page.checkpoints) {
    const back = make("button", { type: "button", class: "tool", "data-checkpoint": taken }, host, `back to ${counted(taken)}`);
    back.onclick = () =>
      careful(() => {
        halt();
        page.engine.restore(saved);
        update(true);
      });
  }
};

// Links: the fragment of the address has the whole scene.
/** The fragment of the present scene. */
const fragment = () => {
  const { description, snapshot } = page,
    ask = new URLSearchParams();
  if ("spec" in description.world) ask.set("world", description.world.spec);
  else ask.set("model", description.world.model);
  for (const agent of description.agents) ask.append("agent", agent);
  ask.set("seed", String(description.seed));
  ask.set("steps", String(description.steps));
  if (snapshot.taken) ask.set("at", String(snapshot.taken));
  if (page.isMoved) ask.set("places", page.places.map((place) => place.map(Math.round).join(",")).join(";"));
  return `#${ask}`;
};
let ownFragment = "";
const link = () => {
  ownFragment = fragment();
  try {
    history.replaceState(null, "", ownFragment);
  } catch {
    /* Some browsers refuse it for files; the link is then not kept. */
  }
};
/** The scene of a fragment; where it says nothing, the first one. @param {string} text */
const follow = (text) => {
  const ask = new URLSearchParams(text.replace(/^#/, "")),
    model = ask.get("model"),
    world = ask.get("world");
  const agents = ask.getAll("agent");
  const whole = (/** @type {string} */ key, /** @type {number} */ other) => {
    const value = Number(ask.get(key) ?? NaN);
    return Number.isFinite(value) && value >= 0 ? Math.floor(value) : other;
  };
  openScene({
    world: model !== null ? { model } : { spec: world ?? "three-state:delta=0" },
    agents: agents.length ? agents.slice(0, MOST_AGENTS) : SCENE.agents,
    seed: whole("seed", 1),
    steps: Math.min(1e9, Math.max(1, whole("steps", 1e6))),
  });
  const places = (ask.get("places") ?? "").split(";").map((place) => place.split(",").map(Number));
  if (places.length === page.places.length && places.every((place) => place.length === 2 && place.every(Number.isFinite))) {
    places.forEach((place, state) => {
      page.places[state] = /** @type {Point} */ (place);
    });
    page.isMoved = true;
    update(true);
  }
  const at = whole("at", 0),
    tour = TOURS.find(({ id }) => id === ask.get("tour"));
  if (tour) beginTour(tour);
  else if (at > 0) runTo(at);
};

/** @param {typeof TOURS[number]} tour */
const beginTour = (tour) => {
  for (const button of byId("tour-list").children) button.setAttribute("aria-pressed", button.dataset.tourId === tour.id);
  showTour(byId("tour"), tour, {
    prepare: (card) =>
      careful(() => {
        page.selected = null;
        if (card.value) page.value = card.value;
        const world = card.world ? { spec: card.world } : page.description.world;
        if (card.world || card.agents)
          openScene({ ...page.description, seed: 1, world, agents: card.agents ?? page.description.agents, steps: card.steps ?? page.description.steps });
        if (card.show) select(card.show.agent, card.show.state, null);
      }),
    play: (card, done) => {
      const tell = () => {
        if (card.show) select(card.show.agent, card.show.state, null);
        done({ snapshot: page.snapshot, engine: page.engine, number: (value) => shown(value) });
      };
      let left = card.seek ?? 0;
      const again = () => {
        if (left-- > 0) seek(true, 0, again);
        else tell();
      };
      careful(() => {
        if (card.seek) again();
        else runTo(Math.max(card.to ?? 0, page.snapshot.taken), tell);
      });
    },
    close: () => {
      for (const button of byId("tour-list").children) button.setAttribute("aria-pressed", "false");
    },
  });
};

const buildLegend = () => {
  const host = byId("legend");
  for (const kind of KINDS) {
    const item = make("span", {}, host),
      svg = make("svg:svg", { viewBox: "-12 -12 24 24", "aria-hidden": true }, item),
      node = make("svg:g", { class: `node ${kind}` }, svg);
    if (kind === "seen") make("svg:circle", { class: "shape seen", r: 9 }, node);
    else if (kind === "believed") make("svg:rect", { class: "shape believed", x: -7, y: -7, width: 14, height: 14, transform: "rotate(45)" }, node);
    else make("svg:path", { class: "shape given-up", d: "M-8,-8H8V8H-8ZM-8,-8L8,8M8,-8L-8,8" }, node);
    item.append(KIND_TEXT[kind]);
  }
  for (const [kind, text] of [
    ["stem planned", "the present policy"],
    ["hope", "a transition to unseen states that the plan counts on"],
  ]) {
    const item = make("span", {}, host),
      svg = make("svg:svg", { class: "line-key", viewBox: "0 0 40 12", "aria-hidden": true }, item);
    make("svg:path", { class: kind, d: "M1,6H39" }, svg);
    item.append(text);
  }
  const here = make("span", {}, host),
    svg = make("svg:svg", { viewBox: "-12 -12 24 24", "aria-hidden": true }, here);
  make("svg:circle", { class: "here", r: 9, style: "display:inline;fill:none;stroke:var(--accent);stroke-width:3" }, svg);
  here.append("the agent is here");
};

const begin = async () => {
  if (typeof WebAssembly !== "object" || typeof DecompressionStream !== "function") {
    complain(
      "This page needs WebAssembly and DecompressionStream, which this browser does not have, or which are switched off. `tucrl learn` shows the same runs in a terminal.",
    );
    return;
  }
  try {
    await loadLibrary();
  } catch (problem) {
    complain(problem);
    return;
  }
  const all = JSON.parse(wasm_bindgen.catalogue());
  page.kinds = all;
  byId("all").hidden = false;
  buildTransport();
  buildLegend();
  for (const tour of TOURS) {
    const button = make("button", { type: "button", "data-tour-id": tour.id, "aria-pressed": false }, byId("tour-list"), tour.title);
    button.onclick = () => beginTour(tour);
  }
  careful(() => {
    try {
      follow(location.hash);
    } catch (problem) {
      follow("");
      throw problem;
    }
  });
  performance.mark("interactive");
  addEventListener("hashchange", () => {
    if (location.hash !== ownFragment) careful(() => follow(location.hash));
  });
  addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA/.test(target.tagName) || target.closest("svg")) return;
    const id = { p: "play", s: "one-step", e: "one-episode", x: "exploratory", c: "store", Home: "restart" }[event.key];
    if (id) {
      event.preventDefault();
      byId(id).click();
    }
  });
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) {
      width = innerWidth;
      page.redraw?.();
    }
  });
};
