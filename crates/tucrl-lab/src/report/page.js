// Regret curves with switches, and the timeline of episodes, for every world.
const DATA = JSON.parse(document.getElementById("data").textContent);
const REGRETS = [["gap", "gap regret"], ["realised", "realised regret"], ["pseudo", "pseudo-regret"]];
const BANDS = [["student", "Student"], ["bootstrap", "bootstrap"], ["inner", "25–75 %"], ["outer", "5–95 %"], ["none", "none"]];

const regretChart = (host, world) => {
  const state = { x: "log", y: "log", value: world.shown, line: "mean", band: "student", hidden: new Set() };
  const bar = make("div", { class: "bar" }, host);
  const set = (key) => (value) => { state[key] = value; draw(); };
  choice(bar, "steps", [["linear", "linear"], ["log", "log"]], state.x, set("x")).dataset.switch = "x";
  choice(bar, "regret", [["linear", "linear"], ["log", "log"]], state.y, set("y")).dataset.switch = "y";
  const kinds = REGRETS.filter(([kind]) => world.agents.some((agent) => agent.regret[kind]));
  choice(bar, "curve", kinds, state.value, set("value")).dataset.switch = "value";
  choice(bar, "line", [["mean", "mean"], ["median", "median"]], state.line, set("line")).dataset.switch = "line";
  choice(bar, "band", BANDS, state.band, set("band")).dataset.switch = "band";
  const legend = make("div", { class: "bar legend" }, host);
  const agents = world.agents.filter((agent) => agent.runs);
  for (const agent of agents) {
    const button = make("button", { type: "button", class: "agent", "aria-pressed": true, title: agent.agent }, legend);
    make("i", { class: "key", style: `background:${colour(agent.colour)}` }, button);
    button.append(agent.label);
    button.onclick = () => {
      const hide = !state.hidden.has(agent);
      if (hide) state.hidden.add(agent); else state.hidden.delete(agent);
      button.setAttribute("aria-pressed", !hide);
      draw();
    };
  }
  const chart = make("div", { class: "chart" }, host);
  const draw = () => {
    const width = Math.max(300, chart.clientWidth || 960), height = width < 560 ? 330 : 440;
    chart.replaceChildren();
    const svg = make("svg:svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Regret in ${world.world}` }, chart);
    const box = { left: 58, top: 30, right: width - 14, bottom: height - 48 };
    const of = (agent) => agent.regret[state.value];
    const visible = agents.filter((agent) => of(agent) && !state.hidden.has(agent));
    const isLogX = state.x === "log", isLogY = state.y === "log";
    let last = 1, low = Infinity, high = -Infinity;
    for (const agent of agents) if (of(agent)) last = Math.max(last, of(agent).t.at(-1));
    const first = isLogX ? Math.min(10, last) : 0;
    for (const agent of visible) {
      const curve = of(agent);
      curve.t.forEach((t, i) => {
        if (t < first) return;
        const value = curve[state.line][i], band = state.band === "none" ? null : curve[state.band][i];
        high = Math.max(high, value, band ? band[1] : value);
        if (!isLogY || value > 0) low = Math.min(low, value);
      });
    }
    if (!(high > -Infinity)) [low, high] = [1, 10];
    [low, high] = isLogY ? [Math.max(low, high / 1e6) / 1.4, Math.max(high, 1e-9) * 1.2] : [Math.min(0, low), high * 1.04];
    if (isLogY && !(low > 0 && low < high)) low = high / 10;
    const x = scale(isLogX, isLogX ? first : 0, last, box.left, box.right, width < 560 ? 5 : 8);
    const y = scale(isLogY, low, high, box.bottom, box.top, 6);
    axes(svg, box, x, y, "steps", `${REGRETS.find(([kind]) => kind === state.value)[1]} (reward)`);
    const from = (curve) => curve.t.findIndex((t) => t >= first);
    if (state.band !== "none") for (const agent of visible) {
      const curve = of(agent), band = curve.t.map((t, i) => [t, curve[state.band][i]]).slice(from(curve));
      make("svg:path", { d: outline(band, x, y), class: "band", style: `fill:${colour(agent.colour)}` }, svg);
    }
    for (const agent of visible) {
      const curve = of(agent), points = curve.t.map((t, i) => [t, curve[state.line][i]]).slice(from(curve));
      if (!isLogX && !isLogY) points.unshift([0, 0]);
      make("svg:path", { d: path(points, x, y), class: "line curve", style: `stroke:${colour(agent.colour)}`, "data-agent": agent.label }, svg);
    }
    const cross = make("svg:line", { y1: box.top, y2: box.bottom, class: "cross", visibility: "hidden" }, svg);
    svg.onpointermove = (event) => {
      const [px] = pointer(svg, event), t = x.invert(Math.min(Math.max(px, box.left), box.right));
      let nearest = null;
      for (const agent of visible) for (const time of of(agent).t) {
        if (time >= first && (nearest === null || Math.abs(x(time) - x(t)) < Math.abs(x(nearest) - x(t)))) nearest = time;
      }
      if (nearest === null) return;
      cross.setAttribute("x1", x(nearest)); cross.setAttribute("x2", x(nearest)); cross.setAttribute("visibility", "visible");
      const rows = visible.map((agent) => {
        const curve = of(agent), i = curve.t.indexOf(nearest);
        if (i < 0) return [agent.colour, agent.label, "–"];
        const band = state.band === "none" ? null : curve[state.band][i];
        return [agent.colour, agent.label, shown(curve[state.line][i]) + (band ? ` (${shown(band[0])} to ${shown(band[1])})` : ""), curve[state.line][i]];
      }).sort((a, b) => b[3] - a[3]);
      const view = svg.getBoundingClientRect();
      tip(chart, [event.clientX - view.left, event.clientY - view.top], `${shown(nearest)} steps`, rows);
    };
    svg.onpointerleave = () => { cross.setAttribute("visibility", "hidden"); tip(chart, null); };
  };
  draw();
  return draw;
};

const WHY = { doubling: "visits of a pair doubled", "new state": "new state", "return to new start": "return to the new start state", horizon: "end of the run" };
const MARK = [0, 1, 3, 6];

const episodeChart = (host, world) => {
  const agents = world.agents.filter((agent) => agent.episodes);
  if (!agents.length) { make("p", { class: "note" }, host, "None of these agents has episodes."); return () => {}; }
  const state = { agent: agents[0], x: "log" };
  const bar = make("div", { class: "bar" }, host);
  choice(bar, "agent", agents.map((agent) => [agent.label, agent.label]), state.agent.label,
    (label) => { state.agent = agents.find((agent) => agent.label === label); draw(); }).dataset.switch = "agent";
  choice(bar, "steps", [["linear", "linear"], ["log", "log"]], "log", (value) => { state.x = value; draw(); }).dataset.switch = "x";
  const legend = make("div", { class: "bar ends" }, host);
  const chart = make("div", { class: "chart" }, host), note = make("p", { class: "note" }, host);
  const draw = () => {
    const run = state.agent.episodes, rows = run.rows, width = Math.max(300, chart.clientWidth || 960);
    legend.replaceChildren(); chart.replaceChildren();
    const key = make("span", {}, legend);
    make("i", { class: "shade" }, key); key.append("plans with unseen states");
    run.stops.forEach(([name, count], i) => {
      if (!count) return;
      const span = make("span", { class: "why" }, legend);
      make("i", { class: "key", style: `background:${colour(MARK[i])}` }, span);
      span.append(`${shown(count)} × ${WHY[name]}`);
    });
    note.textContent = `Run ${run.run}: ${shown(run.count)} episodes` + (rows.length < run.count ? `, of which ${shown(rows.length)} are drawn; all are in episodes.csv.` : ".") + " Dashed: true values.";
    const panels = [["states seen", 4, world.reachable, "reachable"], ["under-visited pairs", 5, null], ["optimistic gain (reward per step)", 6, world.gain, "optimal"], ["span of the optimistic bias (reward)", 7, world.span, "true"]];
    const tall = 96, gap = 34, top = 24, height = top + 4 * (tall + gap) + 58;
    const svg = make("svg:svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Episodes of ${state.agent.label}` }, chart);
    const isLog = state.x === "log", sides = { left: 58, right: width - 14 };
    const x = scale(isLog, isLog ? 1 : 0, Math.max(run.steps, 10), sides.left, sides.right, width < 560 ? 5 : 8);
    panels.forEach(([name, column, truth], index) => {
      const box = { ...sides, top: top + index * (tall + gap), bottom: top + index * (tall + gap) + tall };
      const values = rows.map((row) => row[column]).concat(truth === null ? [] : [truth]).filter(Number.isFinite);
      const y = scale(false, Math.min(0, ...values), Math.max(1e-9, ...values) * 1.08, box.bottom, box.top, 3);
      for (const [from, to] of run.believing) {
        make("svg:rect", { x: x(from), width: Math.max(1.5, x(to) - x(from)), y: box.top, height: tall, class: "shade" }, svg);
      }
      axes(svg, box, x, y, null, name);
      if (truth !== null) make("svg:line", { x1: box.left, x2: box.right, y1: y(truth), y2: y(truth), class: "truth" }, svg);
      const points = rows.flatMap((row, i) => [[row[1], row[column]], [i + 1 < rows.length ? rows[i + 1][1] : row[1] + row[2], row[column]]]);
      make("svg:path", { d: path(points, x, y), class: "line level", style: `stroke:${colour(state.agent.colour)};stroke-width:1.8` }, svg);
    });
    const base = top + 4 * (tall + gap), strip = { ...sides, top: base, bottom: base + 14 };
    make("svg:text", { x: sides.left, y: base - 8, class: "name" }, svg, "stop reasons of episodes");
    for (const row of rows) {
      const end = x(row[1] + row[2]);
      make("svg:line", { x1: end, x2: end, y1: strip.top, y2: strip.bottom, style: `stroke:${colour(MARK[row[3]])};stroke-width:1.4`, class: "end" }, svg);
    }
    for (const [value, label] of x.ticks) make("svg:text", { x: x(value), y: base + 32, "text-anchor": "middle" }, svg, label);
    make("svg:text", { x: (sides.left + sides.right) / 2, y: base + 52, "text-anchor": "middle", class: "name" }, svg, "steps");
    const cross = make("svg:line", { y1: top, y2: base + 14, class: "cross", visibility: "hidden" }, svg);
    svg.onpointermove = (event) => {
      const [px] = pointer(svg, event), t = x.invert(px);
      let i = rows.findIndex((row) => row[1] > t);
      i = Math.max(0, (i < 0 ? rows.length : i) - 1);
      const row = rows[i];
      if (!row) return;
      const at = Math.min(Math.max(px, sides.left), sides.right);
      cross.setAttribute("x1", at); cross.setAttribute("x2", at); cross.setAttribute("visibility", "visible");
      const view = svg.getBoundingClientRect();
      tip(chart, [event.clientX - view.left, event.clientY - view.top], `episode ${shown(row[0])}: steps ${shown(row[1])} to ${shown(row[1] + row[2] - 1)}`,
        panels.map(([name, column]) => [null, name.replace(/ \(.*/, ""), shown(row[column])]).concat([[MARK[row[3]], "stopped by", WHY[run.stops[row[3]][0]]]]));
    };
    svg.onpointerleave = () => { cross.setAttribute("visibility", "hidden"); tip(chart, null); };
  };
  draw();
  return draw;
};

const drawings = [];
for (const section of document.querySelectorAll("section[data-world]")) {
  const world = DATA.worlds[section.dataset.world];
  drawings.push(regretChart(section.querySelector(".regret"), world), episodeChart(section.querySelector(".episodes"), world));
}
let waiting = 0, drawnAt = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === drawnAt) return;
  drawnAt = innerWidth;
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => drawings.forEach((draw) => draw()));
});
