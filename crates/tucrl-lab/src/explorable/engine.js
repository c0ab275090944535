// The library: loads the module, and gives what it returns its types.
/**
 * @typedef {{spec: string} | {model: string}} Place  A spec of the library, or the text of a model file.
 * @typedef {{world: Place, agents: string[], seed: number, steps: number}} Description
 * @typedef {{reward?: any, to: any[][]}} Action  `to` has [next, probability], or [next, probability, reward].
 * @typedef {{format: string, version: number, r_max?: number, reward_range?: any, start: any, action_names?: string[],
 *   state_names?: string[], states: Action[][]}} Model
 * @typedef {{name: string, model: string | null, facts: any, reachable: boolean[] | null, policy: number[] | null}} World
 * @typedef {{visits: number, givenUp: number | null, missing: number | null}} Pair
 * @typedef {{state: number, action: number | null, other: [number, number] | null, pairs: Pair[]}} SeenState
 * @typedef {{gain: number, span: number, unseen: number, underVisited: number, plansUnseen: boolean, bias: number[],
 *   biasUnseen: number | null}} Plan
 * @typedef {{agent: string, taken: number, here: number, regret: number, gapRegret: number | null, episodes: number,
 *   ended: {stop: any, start: number, length: number} | null, present: number | null, sweeps: number, plan: Plan | null,
 *   states: SeenState[]}} AgentView
 * @typedef {{taken: number, agents: AgentView[]}} Snapshot
 * @typedef {{start: number, length: number, stop: any, seen: number, unseen: number, under_visited: number,
 *   planned_unseen: boolean, gain: number, span: number}} Episode
 * @typedef {{action: number, is_planned: boolean, visits: number, next_states: number, threshold: number | null,
 *   outlook: {width: number, missing_mass: number} | null, given_up_since: number | null,
 *   reconsidered_from: number | null}} Explanation
 * @typedef {{key: string, default: string, accepts: string, meaning: string}} OptionInfo
 * @typedef {{name: string, summary: string, parameters: OptionInfo[]}} Kind
 */

/** Loads the module that stands in the page, compressed. */
const loadLibrary = async () => {
  const text = /** @type {HTMLElement} */ (document.getElementById("module")).textContent || "";
  const letters = atob(text),
    bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  await wasm_bindgen({ module_or_path: await new Response(plain).arrayBuffer() });
};

/** A scene of the library with typed answers. */
class Engine {
  /** @param {Description} description */
  constructor(description) {
    this.description = description;
    this.scene = new wasm_bindgen.Scene(JSON.stringify(description));
    /** @type {World} */
    this.world = JSON.parse(this.scene.world());
    /** @type {Model | null} */
    this.model = this.world.model === null ? null : JSON.parse(this.world.model);
    /** @type {Episode[][]} */
    this.known = description.agents.map(() => []);
  }
  /** @returns {Snapshot} */
  snapshot() {
    return JSON.parse(this.scene.snapshot());
  }
  /** @param {number} agent @returns {[number, number][]} */
  curve(agent) {
    return JSON.parse(this.scene.curve(agent));
  }
  /** @param {number} agent @param {number} state @returns {Explanation[] | null} */
  explain(agent, state) {
    return JSON.parse(this.scene.explain(agent, state));
  }
  /** All episodes of an agent; those that have ended are asked for once. @param {number} agent @returns {Episode[]} */
  episodes(agent) {
    const known = this.known[agent];
    known.pop();
    known.push(...JSON.parse(this.scene.episodes(agent, known.length)));
    return known;
  }
  /** @param {string} saved */
  restore(saved) {
    this.scene.restore(saved);
    this.known = this.known.map(() => []);
  }
  free() {
    this.scene.free();
  }
}

/** A spec in its parts. @param {string} spec @returns {{name: string, options: [string, string][]}} */
const parts = (spec) => {
  const [name, rest] = [spec.split(":")[0], spec.slice(spec.split(":")[0].length + 1)];
  const options = rest ? rest.split(",").map((pair) => /** @type {[string, string]} */ ([pair.split("=")[0], pair.slice(pair.split("=")[0].length + 1)])) : [];
  return { name, options };
};
/** A spec with one option set. @param {string} spec @param {string} key @param {string} value */
const withOption = (spec, key, value) => {
  const { name, options } = parts(spec),
    others = options.filter(([other]) => other !== key);
  const at = options.findIndex(([other]) => other === key);
  others.splice(at < 0 ? others.length : at, 0, [key, value]);
  return `${name}:${others.map(([k, v]) => `${k}=${v}`).join(",")}`;
};
/** @param {string} spec @param {string} key */
const optionOf = (spec, key) => parts(spec).options.find(([other]) => other === key)?.[1];

/** What a state, or an action, is called. @param {Model | null} model @param {number} state */
const stateName = (model, state) => model?.state_names?.[state] ?? `state ${state}`;
/** @param {Model | null} model @param {number} action */
const actionName = (model, action) => model?.action_names?.[action] ?? `action ${action}`;
/** The mean of a reward, where it can be read off. @param {any} law */
const rewardText = (law) => (typeof law === "number" ? shown(law) : JSON.stringify(law).replace(/["{}]/g, "").replace(/:/g, " ").replace(/,/g, ", "));

/** Why an episode ended, in words. @param {any} stop @param {Model | null} model */
const whyEnded = (stop, model) => {
  if (typeof stop === "string") {
    return { Length: "it was as long as its rule allows", Horizon: "the run ended" }[stop] || "its rule ended it";
  }
  const [kind, about] = Object.entries(stop)[0];
  const state = stateName(model, about.state);
  if (kind === "Doubling") return `${actionName(model, about.action)} in ${state} was about to be played more often in it than ever before it`;
  if (kind === "NewState") return `${state} was seen for the first time`;
  return `it came back to ${state}, where it began and which it had been the first to visit`;
};
