// The state diagram of one agent: what it has seen, plans, believes in and has given up.
/** @typedef {[number, number]} Point  In pixels of the diagram. */
const WIDE = 460,
  HIGH = 340;
/** With more states or pairs, transitions are drawn as one arrow per state: where its planned action most likely leads. */
const FEW = 16,
  FEW_PAIRS = 48;
/** With more, no arrows are drawn. */
const MANY = 150;

/** Places for the states. @param {Model} model @param {string} name @returns {Point[]} */
const arrange = (model, name) => {
  const count = model.states.length,
    kind = name.split(":")[0];
  const cells = (model.state_names || []).map((text) => /row (\d+), column (\d+)/.exec(text)).filter((found) => found !== null);
  const middle = /** @type {Point} */ ([WIDE / 2, HIGH / 2]);
  if (count === cells.length && count > 4) {
    const rows = Math.max(...cells.map((cell) => +cell[1])) + 1,
      columns = Math.max(...cells.map((cell) => +cell[2])) + 1;
    const step = Math.min((WIDE - 30) / columns, (HIGH - 30) / rows);
    // Several states may share a cell, as in taxi: they stand in rows within it.
    const together = new Map(),
      order = cells.map((cell) => {
        const at = together.get(cell[0]) ?? 0;
        together.set(cell[0], at + 1);
        return at;
      });
    const most = Math.max(...together.values()),
      across = Math.ceil(Math.sqrt(most)),
      down = Math.ceil(most / across),
      small = (0.84 * step) / across;
    return cells.map((cell, i) => [
      middle[0] + (+cell[2] - (columns - 1) / 2) * step + ((order[i] % across) - (across - 1) / 2) * small,
      middle[1] + (+cell[1] - (rows - 1) / 2) * step + (Math.floor(order[i] / across) - (down - 1) / 2) * small,
    ]);
  }
  if (count > FEW) {
    const columns = Math.ceil(Math.sqrt((count * WIDE) / HIGH)),
      rows = Math.ceil(count / columns);
    return model.states.map((_, i) => [(((i % columns) + 0.5) * WIDE) / columns, ((Math.floor(i / columns) + 0.5) * HIGH) / rows]);
  }
  if (["river-swim", "chain"].includes(kind)) {
    return model.states.map((_, i) => [46 + (i * (WIDE - 92)) / Math.max(1, count - 1), HIGH / 2 + (i % 2 ? 78 : -78)]);
  }
  if (count === 2)
    return [
      [WIDE * 0.25, HIGH / 2],
      [WIDE * 0.75, HIGH / 2],
    ];
  if (count === 3)
    return [
      [WIDE * 0.2, HIGH * 0.74],
      [WIDE * 0.5, HIGH * 0.2],
      [WIDE * 0.78, HIGH * 0.74],
    ];
  return model.states.map((_, i) => {
    const angle = -Math.PI / 2 + (2 * Math.PI * i) / count;
    return [middle[0] + Math.cos(angle) * WIDE * 0.37, middle[1] + Math.sin(angle) * HIGH * 0.36];
  });
};

const KINDS = /** @type {const} */ (["seen", "believed", "given-up"]);
/** What the shapes mean, for legend and labels. */
const KIND_TEXT = {
  seen: "seen; larger with more visits",
  believed: "never seen, and the plan counts on it",
  "given-up": "never seen, and the plan ignores it",
};

/** An arrow's path, bent to its left, from the rim of a circle to that of another. @param {Point} a @param {Point} b @param {number} ra @param {number} rb @param {number} bend */
const arc = (a, b, ra, rb, bend) => {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]],
    far = Math.hypot(dx, dy) || 1;
  const c = [(a[0] + b[0]) / 2 - dy * bend, (a[1] + b[1]) / 2 + dx * bend];
  const rim = (/** @type {number[]} */ p, /** @type {number[]} */ q, /** @type {number} */ r) => {
    const d = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1;
    return [p[0] + ((q[0] - p[0]) * r) / d, p[1] + ((q[1] - p[1]) * r) / d];
  };
  const [from, to] = [rim(a, c, Math.min(ra, far / 3)), rim(b, c, rb)];
  return `M${from[0].toFixed(1)},${from[1].toFixed(1)}Q${c[0].toFixed(1)},${c[1].toFixed(1)} ${to[0].toFixed(1)},${to[1].toFixed(1)}`;
};

/** A state's name, short enough for its circle; the whole name is in the tip and in the table. @param {string} name */
const shortName = (name) => {
  const cell = /^row (\d+), column (\d+)$/.exec(name);
  return cell ? `${cell[1]},${cell[2]}` : name.length > 9 ? `${name.slice(0, 8)}…` : name;
};

let diagrams = 0;
/** One diagram; `places` is shared by the diagrams of all agents. */
class Diagram {
  /**
   * @param {HTMLElement} host
   * @param {Engine} engine
   * @param {Point[]} places
   * @param {{select: (state: number, action: number | null) => void, moved: () => void}} act
   */
  constructor(host, engine, places, act) {
    this.engine = engine;
    this.model = /** @type {Model} */ (engine.model);
    this.places = places;
    this.act = act;
    /** @type {AgentView | null} */
    this.view = null;
    const pairs = this.model.states.reduce((sum, actions) => sum + actions.length, 0);
    this.hasNames = this.model.states.length <= FEW;
    this.isSmall = this.hasNames && pairs <= FEW_PAIRS;
    this.hasArrows = this.model.states.length <= MANY;
    this.id = ++diagrams;
    // Small enough that neighbours, enlarged by their visits, do not hide each other.
    const nearest = places.reduce((least, [x, y], i) => places.slice(0, i).reduce((so, [u, v]) => Math.min(so, Math.hypot(u - x, v - y)), least), Infinity);
    this.base = this.hasNames ? 17 : Math.max(2.4, Math.min(9, 0.33 * Math.sqrt((WIDE * HIGH) / places.length), 0.33 * nearest));
    this.box = make("div", { class: "chart diagram" }, host);
    // With many pairs only the planned ones have labels, and hope is drawn to one state.
    this.isCrowded = pairs > 8;
    this.svg = make(
      "svg:svg",
      {
        class: `${this.isCrowded ? "crowded" : ""}${this.base < 5 ? " dense" : ""}`,
        viewBox: `0 0 ${WIDE} ${HIGH}`,
        role: "group",
        "aria-label": "State diagram: arrow keys move between states, Enter explains one, Shift and arrow keys move it",
      },
      this.box,
    );
    const defs = make("svg:defs", {}, this.svg);
    for (const kind of ["plain", "planned", "hope"]) {
      const marker = make(
        "svg:marker",
        { id: `tip-${kind}-${this.id}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" },
        defs,
      );
      make("svg:path", { d: "M0,0.5L8,4L0,7.5Z", class: `head-${kind}` }, marker);
    }
    this.arrows = make("svg:g", {}, this.svg);
    this.nodes = this.model.states.map((_, state) => this.makeNode(state));
    /** @type {{state: number, action: number, stem: Element, dot: Element, heads: {next: number, p: number, path: Element}[]}[]} */
    this.pairs = this.isSmall ? this.model.states.flatMap((actions, state) => actions.map((action, index) => this.makePair(state, index, action))) : [];
    this.flows = !this.isSmall && this.hasArrows ? this.model.states.map(() => make("svg:path", { class: "flow" }, this.arrows)) : [];
    this.hopes = make("svg:g", {}, this.arrows);
    this.svg.onkeydown = (/** @type {KeyboardEvent} */ event) => this.key(event);
  }

  /** @param {number} state */
  makeNode(state) {
    const node = make("svg:g", { class: "node", tabindex: state === 0 ? 0 : -1, role: "button", "data-state": state }, this.svg);
    make("svg:circle", { class: "shape seen", r: 1 }, node);
    make("svg:rect", { class: "shape believed", x: -0.8, y: -0.8, width: 1.6, height: 1.6, transform: "rotate(45)" }, node);
    make("svg:path", { class: "shape given-up", d: "M-.85,-.85H.85V.85H-.85ZM-.85,-.85L.85,.85M.85,-.85L-.85,.85" }, node);
    make("svg:circle", { class: "here", r: 1 }, node);
    if (this.hasNames)
      make("svg:text", { class: "label", "text-anchor": "middle", "dominant-baseline": "central" }, node, shortName(stateName(this.model, state)));
    if (this.hasNames && this.engine.world.reachable && !this.engine.world.reachable[state])
      make("svg:text", { class: "truth-note", "text-anchor": "middle" }, node, "out of reach");
    node.onclick = () => {
      if (!node.wasDragged) this.act.select(state, null);
    };
    node.onpointerdown = (/** @type {PointerEvent} */ event) => this.drag(event, state, node);
    node.onpointerenter = node.onfocus = () => this.tell(state, null);
    node.onpointerleave = node.onblur = () => tip(this.box, null);
    return node;
  }

  /** @param {number} state @param {number} index @param {Action} action */
  makePair(state, index, action) {
    const stem = make("svg:path", { class: "stem" }, this.arrows);
    const heads = action.to.filter(([, p]) => p > 0).map(([next, p]) => ({ next, p, path: make("svg:path", { class: "edge" }, this.arrows) }));
    const dot = make("svg:g", { class: "action", "data-state": state, "data-action": index }, this.svg);
    make("svg:circle", { r: 9, class: "touch" }, dot);
    make("svg:rect", { x: -4.5, y: -4.5, width: 9, height: 9, rx: 2 }, dot);
    make("svg:text", { class: "action-label", y: 3.5 }, dot, actionName(this.model, index));
    dot.onclick = () => this.act.select(state, index);
    dot.onpointerenter = () => this.tell(state, index);
    dot.onpointerleave = () => tip(this.box, null);
    return { state, action: index, stem, dot, heads };
  }

  /** Shows what is true of a state, or of an action, and what the agent has seen of it. @param {number} state @param {number | null} action */
  tell(state, action) {
    const [x, y] = this.places[state],
      seen = this.view?.states.find((one) => one.state === state);
    const ratio = this.svg.getBoundingClientRect().width / WIDE,
      at = [x * ratio, y * ratio];
    const rows = /** @type {[null, string, string][]} */ ([]);
    const actions = this.model.states[state]
      .map((one, index) => /** @type {[Action, number]} */ ([one, index]))
      .filter(([, index]) => action === null || index === action);
    for (const [one, index] of actions) {
      const name = actionName(this.model, index),
        visits = seen?.pairs[index]?.visits ?? 0;
      const reward = one.reward === undefined ? "" : `, reward ${rewardText(one.reward)}`;
      rows.push([null, `${name}${reward}`, `${shown(visits)} visits`]);
      for (const [next, p] of one.to.slice(0, 6)) rows.push([null, `\u2003→ ${stateName(this.model, next)}`, shown(p)]);
      if (one.to.length > 6) rows.push([null, "\u2003…", ""]);
    }
    tip(this.box, at, stateName(this.model, state), rows);
  }

  /** @param {AgentView | null} view @param {number} state */
  kind(view, state) {
    if (!view || view.states.some((one) => one.state === state)) return "seen";
    // An agent without counts says nothing about states.
    if (!view.states.length) return "seen";
    return view.plan?.plansUnseen || !view.plan ? "believed" : "given-up";
  }

  /** @param {PointerEvent} event @param {number} state @param {any} node */
  drag(event, state, node) {
    if (event.button !== 0) return;
    node.wasDragged = false;
    const box = this.svg.getBoundingClientRect(),
      from = [event.clientX, event.clientY],
      [x, y] = this.places[state];
    node.setPointerCapture?.(event.pointerId);
    node.onpointermove = (/** @type {PointerEvent} */ now) => {
      const dx = ((now.clientX - from[0]) * WIDE) / box.width,
        dy = ((now.clientY - from[1]) * HIGH) / box.height;
      if (!node.wasDragged && Math.hypot(dx, dy) < 4) return;
      node.wasDragged = true;
      this.place(state, x + dx, y + dy);
    };
    node.onpointerup = node.onpointercancel = () => {
      node.onpointermove = node.onpointerup = null;
    };
  }
  /** @param {number} state @param {number} x @param {number} y */
  place(state, x, y) {
    this.places[state] = [Math.min(Math.max(x, 20), WIDE - 20), Math.min(Math.max(y, 20), HIGH - 20)];
    tip(this.box, null);
    this.act.moved();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target),
      state = +(target.dataset.state ?? NaN);
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!Number.isInteger(state) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.act.select(state, null);
    }
    if (!by) return;
    event.preventDefault();
    if (event.shiftKey) {
      this.place(state, this.places[state][0] + 10 * by[0], this.places[state][1] + 10 * by[1]);
      return;
    }
    const next = (state + (by[0] + by[1]) + this.nodes.length) % this.nodes.length;
    this.nodes[state].setAttribute("tabindex", "-1");
    this.nodes[next].setAttribute("tabindex", "0");
    this.nodes[next].focus();
  }

  /** @param {AgentView} view @param {{state: number, action: number | null} | null} selected */
  update(view, selected) {
    this.view = view;
    const seen = new Map(view.states.map((one) => [one.state, one]));
    const { base } = this;
    const radius = this.model.states.map((_, state) => {
      const visits = (seen.get(state)?.pairs ?? []).reduce((sum, pair) => sum + pair.visits, 0);
      return base + base * 0.85 * Math.sqrt(visits / Math.max(1, view.taken));
    });
    this.nodes.forEach((node, state) => {
      const [x, y] = this.places[state],
        kind = this.kind(view, state),
        isHere = view.here === state;
      node.setAttribute("transform", `translate(${x.toFixed(1)},${y.toFixed(1)})`);
      node.setAttribute("class", `node ${kind}${isHere ? " is-here" : ""}${selected?.state === state ? " is-selected" : ""}`);
      for (const shape of node.querySelectorAll(".shape")) {
        const turned = shape.classList.contains("believed") ? " rotate(45)" : "";
        shape.setAttribute("transform", `scale(${radius[state].toFixed(2)})${turned}`);
      }
      node.querySelector(".here").setAttribute("r", (radius[state] + 4).toFixed(2));
      node.querySelector(".truth-note")?.setAttribute("y", (-radius[state] - 9).toFixed(1));
      const visits = (seen.get(state)?.pairs ?? []).reduce((sum, pair) => sum + pair.visits, 0);
      const action = seen.get(state)?.action;
      node.setAttribute(
        "aria-label",
        `${stateName(this.model, state)}: ${KIND_TEXT[kind].split(";")[0]}${isHere ? ", the agent is here" : ""}` +
          (kind === "seen" ? `, ${visits} visits${action === null || action === undefined ? "" : `, plays ${actionName(this.model, action)}`}` : ""),
      );
    });
    this.updatePairs(view, seen, radius);
    this.flows.forEach((flow, state) => {
      const action = seen.get(state)?.action,
        row = action === null || action === undefined ? [] : (this.model.states[state][action]?.to ?? []);
      const best = row.filter(([next]) => next !== state).reduce((a, b) => (b[1] > (a?.[1] ?? 0) ? b : a), /** @type {any} */ (null));
      flow.setAttribute("d", best ? arc(this.places[state], this.places[best[0]], radius[state], radius[best[0]] + 1, 0) : "");
      if (best) flow.setAttribute("marker-end", `url(#tip-planned-${this.id})`);
    });
    this.updateHopes(view, seen, radius);
  }

  /** @param {AgentView} view @param {Map<number, SeenState>} seen @param {number[]} radius */
  updatePairs(view, seen, radius) {
    /** @type {number[][]} */
    const labelled = [];
    for (const { state, action, stem, dot, heads } of this.pairs) {
      const at = this.places[state],
        own = seen.get(state),
        spot = this.spot(state, action, radius[state]);
      const isPlanned = own?.action === action || own?.other?.[0] === action;
      const given = own?.pairs[action]?.givenUp,
        level = isPlanned ? "planned" : "plain";
      const isFaint = this.kind(view, state) !== "seen";
      stem.setAttribute("d", `M${at[0].toFixed(1)},${at[1].toFixed(1)}L${spot[0].toFixed(1)},${spot[1].toFixed(1)}`);
      stem.setAttribute("class", `stem ${level}${isFaint ? " faint" : ""}`);
      dot.setAttribute("transform", `translate(${spot[0].toFixed(1)},${spot[1].toFixed(1)})`);
      dot.setAttribute("class", `action ${level}${isFaint ? " faint" : ""}${given ? " is-given-up" : ""}`);
      this.label(dot.querySelector(".action-label"), spot, spot[0] < at[0] - 4, !isFaint && (isPlanned || !this.isCrowded), labelled);
      for (const { next, p, path: line } of heads) {
        const there = this.places[next];
        line.setAttribute("d", next === state ? this.loop(spot, at, radius[state]) : arc(spot, there, 5, radius[next] + 3, 0.08));
        line.setAttribute("class", `edge ${level}${isFaint ? " faint" : ""}`);
        line.setAttribute("stroke-width", (0.8 + 2.2 * Math.sqrt(p)).toFixed(2));
        line.setAttribute("marker-end", `url(#tip-${level}-${this.id})`);
      }
    }
  }

  /** Puts the label of an action beside its dot: within the diagram and off the other labels, where that is possible. @param {Element | null} label @param {Point} spot @param {boolean} isLeft @param {boolean} isShown @param {number[][]} others */
  label(label, spot, isLeft, isShown, others) {
    const long = 6.6 * (label?.textContent?.length ?? 0),
      right = [9, 3.5, "start", 0],
      left = [-9, 3.5, "end", -long];
    const sides = /** @type {[number, number, string, number][]} */ ([
      isLeft ? left : right,
      [0, -8, "middle", -long / 2],
      [0, 15, "middle", -long / 2],
      [-5, -8, "start", 0],
      [5, -8, "end", -long],
      isLeft ? right : left,
    ]);
    const box = (/** @type {[number, number, string, number]} */ [x, y, , from]) => [
      spot[0] + x + from,
      spot[1] + y - 11,
      spot[0] + x + from + long,
      spot[1] + y + 3,
    ];
    const isFree = (/** @type {number[]} */ b) =>
      b[0] >= -12 && b[2] <= WIDE + 12 && !others.some((o) => b[0] < o[2] && o[0] < b[2] && b[1] < o[3] && o[1] < b[3]);
    const side = sides.find((one) => isFree(box(one))) ?? sides[0];
    if (isShown) others.push(box(side));
    label?.setAttribute("x", String(side[0]));
    label?.setAttribute("y", String(side[1]));
    label?.setAttribute("text-anchor", side[2]);
  }

  /** Where the dot of an action stands: on the way to its next states, beside the others of its state. @param {number} state @param {number} action @param {number} radius @returns {Point} */
  spot(state, action, radius) {
    const [x, y] = this.places[state],
      all = this.model.states[state];
    let [dx, dy] = [0, 0];
    for (const [next, p] of all[action].to) {
      if (next !== state) {
        dx += p * (this.places[next][0] - x);
        dy += p * (this.places[next][1] - y);
      }
    }
    let angle = Math.atan2(dy, dx);
    if (Math.hypot(dx, dy) < 1e-9) {
      // It stays: away from the middle.
      const out = [x - WIDE / 2, y - HIGH / 2 + 1e-3];
      angle = Math.atan2(out[1], out[0]);
    }
    const others = all.filter((_, other) => other !== action).length;
    angle += others ? (action - (all.length - 1) / 2) * Math.min(0.55, 2.4 / all.length) : 0;
    const far = radius + 20;
    return [Math.min(Math.max(x + far * Math.cos(angle), 8), WIDE - 8), Math.min(Math.max(y + far * Math.sin(angle), 8), HIGH - 8)];
  }

  /** From the dot of an action back to its own state. @param {Point} spot @param {Point} at @param {number} radius */
  loop(spot, at, radius) {
    const angle = Math.atan2(spot[1] - at[1], spot[0] - at[0]),
      turned = angle + 0.75;
    const end = [at[0] + (radius + 3) * Math.cos(turned), at[1] + (radius + 3) * Math.sin(turned)];
    const far = radius + 34,
      bend = [at[0] + far * Math.cos(angle + 0.55), at[1] + far * Math.sin(angle + 0.55)];
    return `M${spot[0].toFixed(1)},${spot[1].toFixed(1)}Q${bend[0].toFixed(1)},${bend[1].toFixed(1)} ${end[0].toFixed(1)},${end[1].toFixed(1)}`;
  }

  /** Transitions to states never seen, in which the plan believes: from the planned pairs that may lead there. @param {AgentView} view @param {Map<number, SeenState>} seen @param {number[]} radius */
  updateHopes(view, seen, radius) {
    this.hopes.replaceChildren();
    const plan = view.plan;
    if (!plan?.plansUnseen || !this.isSmall || plan.biasUnseen === null || plan.biasUnseen < Math.max(...plan.bias)) return;
    const unseen = this.model.states.map((_, state) => state).filter((state) => !seen.has(state));
    for (const own of view.states) {
      if (own.action === null || own.pairs[own.action]?.givenUp) continue;
      const spot = this.spot(own.state, own.action, radius[own.state]);
      const far = (/** @type {number} */ state) => Math.hypot(this.places[state][0] - spot[0], this.places[state][1] - spot[1]);
      const near = unseen
        .slice()
        .sort((a, b) => far(a) - far(b))
        .slice(0, this.isCrowded ? 1 : 3);
      for (const state of near) {
        make(
          "svg:path",
          { class: "hope", d: arc(spot, this.places[state], 5, radius[state] + 4, -0.22), "marker-end": `url(#tip-hope-${this.id})` },
          this.hopes,
        );
      }
    }
  }
}
