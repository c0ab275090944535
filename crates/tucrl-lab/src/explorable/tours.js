// Guided tours: a scene, a question, the run, the answer with its numbers.
/**
 * @typedef {{text: string, question: string, options: string[], right: number, world?: string, agents?: string[], steps?: number,
 *   to?: number, seek?: number, show?: {agent: number, state: number}, value?: string, answer: (now: Now) => string}} Card
 *   `to`: the answer is at this step; `seek`: after this many exploratory episodes of the first agent.
 * @typedef {{snapshot: Snapshot, engine: Engine, number: (value: number | null | undefined) => string}} Now
 */
const gapOf = (/** @type {Now} */ now, /** @type {number} */ agent) => now.snapshot.agents[agent].gapRegret ?? 0;
const visitsOf = (/** @type {Now} */ now, /** @type {number} */ agent, /** @type {number} */ state, /** @type {number} */ action) =>
  now.snapshot.agents[agent].states.find((one) => one.state === state)?.pairs[action]?.visits ?? 0;
/** First steps of the exploratory episodes that an agent has begun after it had given up for the first time. */
const returns = (/** @type {Now} */ now, /** @type {number} */ agent) => {
  const all = now.engine.episodes(agent),
    first = all.findIndex((episode) => !episode.planned_unseen);
  return first < 0
    ? []
    : all
        .slice(first)
        .filter((episode) => episode.planned_unseen)
        .map((episode) => episode.start);
};

/** @type {{id: string, title: string, cards: Card[]}[]} */
const TOURS = [
  {
    id: "ucrl",
    title: "Why UCRL fails",
    cards: [
      {
        world: "three-state:delta=0",
        agents: ["ucrl:alpha=0.05", "tucrl:alpha=0.05"],
        steps: 1000000,
        to: 10000,
        value: "regret",
        text: "The designer counted three states, but no transition leads to s1: it is out of reach, and no agent has been told. In s2, action a1 stays and earns 2/3 per step, which is optimal. Action a0 goes back to s0; each time it costs 1/3 of a reward. Both agents are optimists: what they have never seen may be wonderful.",
        question: "After 10 000 steps, what have the two agents lost?",
        options: ["Both a little: they learn at the same rate", "UCRL much more than TUCRL", "TUCRL more: it gives up too early"],
        right: 1,
        answer: (now) =>
          `UCRL has lost ${now.number(gapOf(now, 0))}, TUCRL ${now.number(gapOf(now, 1))}. UCRL played a0 in s2 ${now.number(visitsOf(now, 0, 2, 0))} times, TUCRL ${now.number(visitsOf(now, 1, 2, 0))} times. UCRL's diagram shows why: s1 is a diamond, a state that the plan counts on, and a dashed arrow leads there.`,
      },
      {
        to: 100000,
        text: "UCRL's confidence set for a0 shrinks with every visit. The largest plausible probability of s1 is now small, but never zero, and the imagined reward of s1 is the largest possible one, on every step from then on.",
        question: "By step 100 000, will UCRL have stopped trying?",
        options: ["Yes: the set has become too small to matter", "No: it loses about as much per step as before"],
        right: 1,
        answer: (now) =>
          `It has lost ${now.number(gapOf(now, 0))}: ${now.number(gapOf(now, 0) / now.snapshot.taken)} per step, still. A small probability of an endless gain is worth any number of tries, because confidence widths contain log t: an action that is not tried becomes attractive again. Regret grows linearly. TUCRL has lost ${now.number(gapOf(now, 1))}.`,
      },
      {
        to: 100000,
        show: { agent: 1, state: 2 },
        text: "TUCRL has one more rule. A pair whose visits, less one, exceed √(t / (S A)) may not lead to states never seen. Below, “Why?” now explains s2 to you, with the numbers of that threshold.",
        question: "What does the rule cost if s1 could be reached after all?",
        options: ["It is never found", "It is found later, because the threshold grows with t and the pair is tried again"],
        right: 1,
        answer: () =>
          "The threshold grows like √t. When it passes the visits of the pair, the pair may lead to unseen states again, and TUCRL tries it. That is the next tour: TUCRL's jumps. Change δ of the world above zero and see who finds s1.",
      },
    ],
  },
  {
    id: "jumps",
    title: "TUCRL's jumps",
    cards: [
      {
        world: "three-state:delta=0",
        agents: ["tucrl:alpha=0.05"],
        steps: 10000000,
        to: 20000,
        value: "regret",
        text: "TUCRL alone, in the same world. s1 is out of reach. After a first search TUCRL gives s1 up: in the diagram the state becomes a crossed square.",
        question: "Will TUCRL ever search for s1 again?",
        options: ["Never", "Yes, at ever longer intervals", "Yes, once in a fixed number of steps"],
        right: 1,
        answer: (now) =>
          `It has lost ${now.number(gapOf(now, 0))} so far, and that number is about to change. A pair is given up while its visits, less one, exceed √(t / (S A)). With S = 3 and A = 2 the threshold reaches N at step 6 N², and the next episode that begins after that searches again. Press “next” and watch it happen.`,
      },
      {
        seek: 3,
        text: "The page now runs to the next episodes whose plan counts on unseen states.",
        question: "Each search doubles the visits of a0 in s2. By which factor do the steps between searches grow?",
        options: ["2", "4", "They do not grow"],
        right: 1,
        answer: (now) =>
          `These three began at steps ${returns(now, 0)
            .slice(-3)
            .map((step) => now.number(step))
            .join(", ")}. Twice as many visits are needed to pass a threshold that grows like √t, so each wait is about four times as long as the one before.`,
      },
      {
        to: 1000000,
        text: "The curve is a staircase: flat while s1 is given up, a jump at each search. Each jump is about twice as high as the last one and comes about four times as late. The curves are drawn on logarithmic axes, with √T and T as guides.",
        question: "How does such a staircase grow?",
        options: ["Like ln T", "Like √T", "Like T"],
        right: 1,
        answer: (now) =>
          `Twice the loss in four times the time: √T. After 10⁶ steps it is ${now.number(gapOf(now, 0))}. No algorithm without prior knowledge can stop searching for good, as the tour “No free lunch” shows.`,
      },
    ],
  },
  {
    id: "lunch",
    title: "No free lunch",
    cards: [
      {
        world: "two-state:epsilon=0",
        agents: ["tucrl:alpha=0.05", "scal:c=5,alpha=0.05"],
        steps: 2000000,
        to: 2000000,
        value: "regret",
        text: "The world M_ε. In x, action d stays and earns 1/2; action b earns 0 and leads to y with probability ε, and y pays 1 per step. Here ε = 0: y is out of reach, and b is a waste of half a reward each time. SCAL is told that the span of the bias is at most 5, so that no state is worth more than 5 rewards of travel; TUCRL is told nothing.",
        question: "After two million steps, who has lost less?",
        options: ["TUCRL", "SCAL"],
        right: 1,
        answer: (now) =>
          `TUCRL has lost ${now.number(gapOf(now, 0))}, SCAL ${now.number(gapOf(now, 1))}. For SCAL no state is worth more than 5, and that is not worth a long search: it stops, while TUCRL searches again at ever longer intervals. SCAL's regret is logarithmic here, TUCRL's grows like √T.`,
      },
      {
        world: "two-state:epsilon=0.01",
        to: 200000,
        text: "Now ε = 0.01. Nothing else has changed, and until y is seen nothing looks different. The way to y takes 100 steps on average, so that the span of the bias is 100 and not 5. The optimal gain is 1.",
        question: "And now?",
        options: ["SCAL still loses less", "TUCRL loses less"],
        right: 1,
        answer: (now) =>
          `TUCRL has lost ${now.number(gapOf(now, 0))}, SCAL ${now.number(gapOf(now, 1))}: half a reward per step. SCAL has ${now.snapshot.agents[1].states.length > 1 ? "seen y, and still may not value it by more than 5" : "never seen y, and does not think it worth a longer search"}. Knowledge that makes regret logarithmic in M₀ is wrong in M_ε for some ε, and costs half a reward per step there. Without such knowledge one must go on searching, at the price of √T. Change ε above and look for the value at which SCAL fails.`,
      },
    ],
  },
  {
    id: "span",
    title: "A span bound that is wrong",
    cards: [
      {
        world: "river-swim",
        agents: ["scal:c=20,alpha=0.05", "scal:c=1,alpha=0.05", "tucrl:alpha=0.05"],
        steps: 1000000,
        to: 100000,
        value: "regret",
        text: "River-swim: swimming right against the stream is slow and pays 1 at the far end, staying left pays very little. Two SCALs differ only in what they have been told: that the span of the bias is at most 20, which is true, or at most 1, which is false.",
        question: "What does the false bound do?",
        options: ["It only makes learning faster", "It makes a policy optimal that is not, so that regret is linear", "The agent notices and drops it"],
        right: 1,
        answer: (now) =>
          `The span of the optimal bias is ${now.number(now.engine.world.facts.span)}. Lost so far: ${now.number(gapOf(now, 0))} by SCAL with c = 20, ${now.number(gapOf(now, 1))} by SCAL with c = 1, and ${now.number(gapOf(now, 2))} by TUCRL, which was told nothing. Nothing the agent can observe contradicts the bound: it never counts on more than 1 for being at the far end.`,
      },
      {
        to: 1000000,
        text: "Confidence sets shrink with time, and so does optimism.",
        question: "Will more steps cure the false bound?",
        options: ["Yes, slowly", "No"],
        right: 1,
        answer: (now) =>
          `Lost after 10⁶ steps: ${now.number(gapOf(now, 0))} with c = 20, ${now.number(gapOf(now, 1))} with c = 1, ${now.number(gapOf(now, 2))} by TUCRL. A prior bound on the span is knowledge if it is true, and an error for good if it is not. Move the slider of c and look for the smallest value that still learns.`,
      },
    ],
  },
];

/**
 * Shows one card after the other.
 * @param {HTMLElement} host
 * @param {{id: string, title: string, cards: Card[]}} tour
 * @param {{prepare: (card: Card) => void, play: (card: Card, done: (now: Now) => void) => void, close: () => void}} act
 */
const showTour = (host, tour, act) => {
  let index = 0;
  const show = () => {
    const card = tour.cards[index];
    host.replaceChildren();
    host.hidden = false;
    const title = make("h3", { tabindex: -1 }, host, `${tour.title}, ${index + 1} of ${tour.cards.length}`);
    make("p", {}, host, card.text);
    make("p", { class: "question" }, host, card.question);
    const options = make("div", { class: "bar", role: "group", "aria-label": card.question }, host);
    const answer = make("p", { class: "answer", role: "status", "aria-live": "polite" }, host);
    answer.hidden = true;
    const bar = make("div", { class: "bar" }, host);
    const buttons = card.options.map((text, option) => {
      const button = make("button", { type: "button", "data-option": option, "aria-pressed": false }, options, text);
      button.onclick = () => {
        for (const other of buttons) other.disabled = true;
        button.setAttribute("aria-pressed", "true");
        answer.hidden = false;
        answer.textContent = "Running …";
        act.play(card, (now) => {
          buttons.forEach((other, place) => {
            if (place === card.right) other.classList.add("right");
          });
          if (option !== card.right) button.classList.add("wrong");
          answer.textContent = `${option === card.right ? "Yes." : "Not so."} ${card.answer(now)}`;
          next.disabled = false;
        });
      };
      return button;
    });
    const last = index === tour.cards.length - 1;
    const next = make("button", { type: "button", "data-tour": "next" }, bar, last ? "end of the tour" : "next");
    next.disabled = true;
    next.onclick = () => {
      if (last) {
        host.hidden = true;
        act.close();
      } else {
        index++;
        show();
      }
    };
    const leave = make("button", { type: "button", "data-tour": "leave" }, bar, "leave the tour");
    leave.onclick = () => {
      host.hidden = true;
      act.close();
    };
    act.prepare(card);
    title.focus({ preventScroll: true });
  };
  show();
};
