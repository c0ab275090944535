//! How fast can a table be walked under a policy, with nothing around it?
//!
//! The floor of `learning-loop`: the action of the state is looked up, the visit of the pair counted, its reward added, and
//! the next state taken. Rewards are constants, as in taxi. `benchmarks/walk/taxi.c` is the same loop in C.

use tucrl::mdp::Mdp;
use tucrl::rng::RandomStream;

pub(super) struct BareWalk {
    /// The pair that is played in each state.
    policy: Vec<u32>,
    pairs: Vec<Pair>,
    visits: Vec<u64>,
    /// The uncertain rows, one after another: next states, and sums of probabilities up to and including each.
    next: Vec<u32>,
    sums: Vec<f64>,
    pub(super) state: u32,
    random: RandomStream,
}

#[derive(Clone, Copy)]
struct Pair {
    reward: f64,
    /// The next state, or the begin of an uncertain row.
    next: u32,
    /// The length of an uncertain row; 1 if the next state is certain.
    len: u32,
}

impl BareWalk {
    /// Of a table with constant rewards, under a policy that gives the action of every state.
    pub(super) fn new(mdp: &Mdp, policy: &[u32], state: u32, random: RandomStream) -> Self {
        let pair = |(state, &action): (usize, &u32)| mdp.pair(state, action as usize) as u32;
        let mut walk = Self {
            policy: policy.iter().enumerate().map(pair).collect(),
            pairs: Vec::with_capacity(mdp.pairs()),
            visits: vec![0; mdp.pairs()],
            next: Vec::new(),
            sums: Vec::new(),
            state,
            random,
        };
        for pair in 0..mdp.pairs() {
            let (row, reward) = (mdp.row(pair), mdp.mean_reward(pair));
            if let &[next] = row.next {
                walk.pairs.push(Pair { reward, next, len: 1 });
                continue;
            }
            walk.pairs.push(Pair { reward, next: walk.next.len() as u32, len: row.len() as u32 });
            let mut sum = 0.0;
            for (next, probability) in row.iter() {
                sum += probability;
                walk.next.push(next as u32);
                walk.sums.push(sum);
            }
        }
        walk
    }

    /// Takes this many steps and gives the sum of the rewards added to `earned`.
    pub(super) fn advance(&mut self, steps: u64, mut earned: f64) -> f64 {
        let Self { policy, pairs, visits, next, sums, .. } = self;
        let (mut state, mut random) = (self.state, self.random.clone());
        for _ in 0..steps {
            let pair = policy[state as usize] as usize;
            let Pair { reward, next: target, len } = pairs[pair];
            visits[pair] += 1;
            earned += reward;
            state = target;
            if len > 1 {
                let row = target as usize..(target + len) as usize;
                state = next[row.start + index_of(random.unit(), &sums[row])];
            }
        }
        (self.state, self.random) = (state, random);
        earned
    }

    /// Visits of all pairs.
    pub(super) fn visits(&self) -> u64 {
        self.visits.iter().sum()
    }
}

/// The first index whose sum exceeds a number, searched from where it is if all are equally likely.
#[inline]
fn index_of(unit: f64, sums: &[f64]) -> usize {
    let mut index = ((unit * sums.len() as f64) as usize).min(sums.len() - 1);
    while index > 0 && unit < sums[index - 1] {
        index -= 1;
    }
    while index + 1 < sums.len() && unit >= sums[index] {
        index += 1;
    }
    index
}
