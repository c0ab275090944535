// Editing the MDP: probabilities and rewards, junk states, files. The library judges what was typed.
/** A pair's next states as text: `next:probability`, or `next:probability:reward`. @param {Action} action */
const rowText = (action) =>
  action.to.map((entry) => entry.map((value) => (typeof value === "number" ? String(value) : JSON.stringify(value))).join(":")).join("  ");
/** @param {string} text @returns {any[][]} */
const readRow = (text) =>
  text
    .trim()
    .split(/\s+/)
    .filter((part) => part)
    .map((part) => part.split(/:(?![^{]*})/).map(readNumber));
/** A number, also as a fraction, or a law as JSON; anything else is left to the library to refuse. @param {string} text */
const readNumber = (text) => {
  const fraction = /^\s*(\d+)\s*\/\s*(\d+)\s*$/.exec(text);
  if (fraction) return +fraction[1] / +fraction[2];
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
/** The largest reward that a model allows. @param {Model} model */
const largestReward = (model) => model.reward_range?.[1] ?? model.r_max ?? 1;
/** A model with one more state that nothing leads to and that leads to itself. @param {Model} model @returns {Model} */
const withJunk = (model) => {
  const copy = /** @type {Model} */ (structuredClone(model)),
    state = copy.states.length;
  const actions = Math.max(...copy.states.map((one) => one.length));
  copy.states.push(Array.from({ length: actions }, () => ({ reward: largestReward(copy), to: [[state, 1]] })));
  const junk = (copy.state_names || []).filter((name) => name.startsWith("junk ")).length;
  if (copy.state_names) copy.state_names.push(`junk ${junk + 1}`);
  return copy;
};
/** The text of a model file: small keys first, one line per state. @param {Model} model */
const modelText = (model) => {
  const { states, ...small } = model;
  const head = Object.entries(small)
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
    .join(",\n");
  return `{${head},\n"states":[\n${states.map((actions) => JSON.stringify(actions)).join(",\n")}\n]}\n`;
};

/** More pairs are edited one state at a time. */
const ALL_PAIRS = 24;
/**
 * The editor of the present model.
 * @param {HTMLElement} host
 * @param {Model} model
 * @param {number | null} selected  The state to edit where there are many.
 * @param {{apply: (model: Model) => string | null, load: (text: string) => string | null}} act  Both return what the library refuses.
 */
const editor = (host, model, selected, act) => {
  host.replaceChildren();
  make(
    "p",
    { class: "note" },
    host,
    'Next states are written number:probability, separated by spaces; fractions such as 1/3 are fine. A reward is a number, or a law such as {"bernoulli":0.3}. Drag states in the diagram to place them.',
  );
  const bar = make("div", { class: "bar" }, host),
    problem = make("p", { class: "problem", role: "alert" }, host);
  problem.hidden = true;
  const say = (/** @type {string | null} */ text) => {
    problem.hidden = !text;
    problem.textContent = text || "";
  };
  const button = (/** @type {string} */ name, /** @type {() => void} */ f) => {
    const b = make("button", { type: "button", "data-edit": name }, bar, name);
    b.onclick = f;
    return b;
  };
  button("add a junk state", () => say(act.apply(withJunk(model))));
  const pick = /** @type {HTMLInputElement} */ (make("input", { type: "file", accept: ".json,application/json", "aria-label": "Model file" }, bar));
  pick.hidden = true;
  button("load JSON…", () => pick.click());
  pick.onchange = async () => {
    const file = pick.files?.[0];
    if (file) say(act.load(await file.text()));
    pick.value = "";
  };
  button("save JSON", () => save("model.json", "application/json", modelText(model)));
  const pairs = model.states.reduce((sum, actions) => sum + actions.length, 0);
  const states = model.states.map((_, state) => state).filter((state) => pairs <= ALL_PAIRS || state === (selected ?? 0));
  if (states.length < model.states.length)
    make("p", { class: "note" }, host, `The state selected in a diagram is edited here: ${stateName(model, states[0])}.`);
  const wide = make("div", { class: "wide" }, host),
    table = make("table", { class: "edit-table" }, wide);
  const head = make("tr", {}, make("thead", {}, table));
  for (const name of ["state", "action", "reward", "next states"]) make("th", { scope: "col" }, head, name);
  const body = make("tbody", {}, table);
  /** @type {(() => void)[]} */
  const reads = [];
  const copy = /** @type {Model} */ (structuredClone(model));
  for (const state of states)
    model.states[state].forEach((action, index) => {
      const row = make("tr", {}, body),
        names = [`${state} ${stateName(model, state)}`, actionName(model, index)];
      for (const name of names) make("td", {}, row, name);
      const reward = /** @type {HTMLInputElement} */ (
        make("input", { "aria-label": `Reward of ${names.join(", ")}`, "data-reward": `${state},${index}`, spellcheck: false }, make("td", {}, row))
      );
      reward.value = action.reward === undefined ? "" : JSON.stringify(action.reward);
      const next = /** @type {HTMLInputElement} */ (
        make(
          "input",
          { "aria-label": `Next states of ${names.join(", ")}`, "data-next": `${state},${index}`, spellcheck: false },
          make("td", { class: "wide-cell" }, row),
        )
      );
      next.value = rowText(action);
      reads.push(() => {
        const read = /** @type {Action} */ ({ to: readRow(next.value) });
        if (reward.value.trim()) read.reward = readNumber(reward.value);
        copy.states[state][index] = read;
      });
      for (const input of [reward, next])
        input.onkeydown = (/** @type {KeyboardEvent} */ event) => {
          if (event.key === "Enter") apply();
        };
    });
  const apply = () => {
    reads.forEach((read) => read());
    say(act.apply(copy));
  };
  const ask = make("button", { type: "button", "data-edit": "apply" }, make("div", { class: "bar" }, host), "apply changes and begin again");
  ask.onclick = apply;
};
