//! Slow, obvious answers to judge the fast ones by, and random worlds to ask about.
#![allow(
    clippy::disallowed_methods,
    dead_code,
    missing_docs,
    clippy::unwrap_used,
    clippy::needless_range_loop
)]

pub(crate) mod exact;
pub(crate) mod literal;
pub(crate) mod literal_plus;
pub(crate) mod literal_scal;
pub(crate) mod tables;

pub(crate) use exact::all_deterministic_policies;
use proptest::prelude::*;
use tucrl::mdp::Mdp;

/// A small random world: few targets and small weights, so that periodic chains, transient states
/// and several end components are all common.
pub(crate) fn small_world(states: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Mdp> {
    world_with_weights(states, &[1.0, 2.0, 3.0, 4.0])
}

/// A small random world with transitions so rare that value iteration would not end in any reasonable time.
pub(crate) fn slow_world(states: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Mdp> {
    world_with_weights(states, &[1.0, 1e-2, 1e-4, 1e-6])
}

fn world_with_weights(
    states: std::ops::RangeInclusive<usize>,
    weights: &'static [f64],
) -> impl Strategy<Value = Mdp> {
    states.prop_flat_map(move |n| {
        let row = prop::collection::vec((0..n, prop::sample::select(weights)), 1..=3);
        let action = (0u32..=4, row);
        let state = prop::collection::vec(action, 1..=3);
        (prop::collection::vec(state, n), 0..n).prop_map(|(states, start)| {
            let mut builder = Mdp::builder();
            for actions in &states {
                builder.state();
                for (reward, row) in actions {
                    let total: f64 = row.iter().map(|entry| entry.1).sum();
                    let law = row.iter().map(|&(next, weight)| (next, weight / total));
                    builder.action(f64::from(*reward) / 4.0, law);
                }
            }
            builder.start_at(start);
            builder.build().unwrap()
        })
    })
}

pub(crate) fn dense_chain(mdp: &Mdp, policy: &[usize]) -> (Vec<Vec<f64>>, Vec<f64>) {
    let n = mdp.states();
    let (mut p, mut r) = (vec![vec![0.0; n]; n], vec![0.0; n]);
    for s in 0..n {
        let pair = mdp.pair(s, policy[s]);
        r[s] = mdp.mean_reward(pair);
        mdp.row(pair).iter().for_each(|(next, q)| p[s][next] += q);
    }
    (p, r)
}

/// The Cesaro limit of the powers of P: the limit of (I/2 + P/2)^n, by squaring seventy times.
pub(crate) fn limit_matrix(p: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = p.len();
    let mut m: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| 0.5 * p[i][j] + if i == j { 0.5 } else { 0.0 }).collect())
        .collect();
    for _ in 0..70 {
        let mut square = vec![vec![0.0; n]; n];
        for i in 0..n {
            for k in 0..n {
                for j in 0..n {
                    square[i][j] += m[i][k] * m[k][j];
                }
            }
            let sum: f64 = square[i].iter().sum();
            square[i].iter_mut().for_each(|x| *x /= sum);
        }
        m = square;
    }
    m
}

/// The gain of a policy as limit matrix times reward.
pub(crate) fn literal_gain(mdp: &Mdp, policy: &[usize]) -> Vec<f64> {
    let (p, r) = dense_chain(mdp, policy);
    limit_matrix(&p).iter().map(|row| row.iter().zip(&r).map(|(m, r)| m * r).sum()).collect()
}

/// Solves a dense linear system by Gauss elimination with full row pivoting.
pub(crate) fn dense_solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in 0..n {
            if i != k {
                let f = a[i][k] / a[k][k];
                for j in k..n {
                    a[i][j] -= f * a[k][j];
                }
                b[i] -= f * b[k];
            }
        }
    }
    (0..n).map(|i| b[i] / a[i][i]).collect()
}

/// Howard's multichain policy iteration, literally (Puterman, section 9.2), with dense algebra.
pub(crate) fn literal_policy_iteration(mdp: &Mdp) -> Vec<f64> {
    let n = mdp.states();
    let mut policy = vec![0usize; n];
    loop {
        let (p, r) = dense_chain(mdp, &policy);
        let limit = limit_matrix(&p);
        let gain: Vec<f64> =
            limit.iter().map(|row| row.iter().zip(&r).map(|(m, r)| m * r).sum()).collect();
        // Bias: (I - P + P*) h = r - g.
        let a: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..n).map(|j| f64::from(u8::from(i == j)) - p[i][j] + limit[i][j]).collect())
            .collect();
        let h = dense_solve(a, r.iter().zip(&gain).map(|(r, g)| r - g).collect());
        let old = policy.clone();
        for s in 0..n {
            let of = |a: usize, v: &[f64]| mdp.row(mdp.pair(s, a)).dot(v);
            let best = (0..mdp.actions(s)).map(|a| of(a, &gain)).fold(f64::NEG_INFINITY, f64::max);
            if of(policy[s], &gain) < best - 1e-9 {
                policy[s] = (0..mdp.actions(s)).find(|&a| of(a, &gain) >= best - 1e-12).unwrap();
            }
        }
        if policy != old {
            continue;
        }
        for s in 0..n {
            let worth =
                |a: usize| mdp.mean_reward(mdp.pair(s, a)) + mdp.row(mdp.pair(s, a)).dot(&h);
            let conserving: Vec<usize> = (0..mdp.actions(s))
                .filter(|&a| mdp.row(mdp.pair(s, a)).dot(&gain) >= gain[s] - 1e-9)
                .collect();
            let best = conserving.iter().map(|&a| worth(a)).fold(f64::NEG_INFINITY, f64::max);
            if worth(policy[s]) < best - 1e-9 {
                policy[s] = *conserving.iter().find(|&&a| worth(a) >= best - 1e-12).unwrap();
            }
        }
        if policy == old {
            return gain;
        }
    }
}

/// The multichain linear program (Puterman 1994, section 9.3): minimise the sum of g subject to
/// g >= P g and g + h >= r + P h for every pair. An interior-point solver does the work.
pub(crate) fn linear_program_gain(mdp: &Mdp) -> Vec<f64> {
    use clarabel::algebra::CscMatrix;
    use clarabel::solver::{
        DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus,
    };
    let n = mdp.states();
    let mut rows: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut b = Vec::new();
    for s in 0..n {
        for pair in mdp.pairs_of(s) {
            // P g - g <= 0 and P h - h - g <= -r, as A x <= b.
            let mut first = vec![0.0; 2 * n];
            let mut second = vec![0.0; 2 * n];
            first[s] -= 1.0;
            second[s] -= 1.0;
            second[n + s] -= 1.0;
            for (next, p) in mdp.row(pair).iter() {
                first[next] += p;
                second[n + next] += p;
            }
            for (row, bound) in [(first, 0.0), (second, -mdp.mean_reward(pair))] {
                rows.push(row.into_iter().enumerate().filter(|e| e.1 != 0.0).collect());
                b.push(bound);
            }
        }
    }
    // The bias is free up to constants: keep it in a large box, with both sides as inequalities.
    for j in n..2 * n {
        for sign in [1.0, -1.0] {
            rows.push(vec![(j, sign)]);
            b.push(1e3);
        }
    }
    let (mut column_start, mut row_index, mut entries) = (vec![0], Vec::new(), Vec::new());
    for j in 0..2 * n {
        for (i, row) in rows.iter().enumerate() {
            if let Some(&(_, value)) = row.iter().find(|entry| entry.0 == j) {
                row_index.push(i);
                entries.push(value);
            }
        }
        column_start.push(row_index.len());
    }
    let a = CscMatrix::new(rows.len(), 2 * n, column_start, row_index, entries);
    let q: Vec<f64> = (0..2 * n).map(|j| if j < n { 1.0 } else { 0.0 }).collect();
    let zero = CscMatrix::zeros((2 * n, 2 * n));
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-10)
        .tol_gap_rel(1e-10)
        .tol_feas(1e-10)
        .build()
        .unwrap();
    let cones = [NonnegativeConeT(rows.len())];
    let mut solver = DefaultSolver::new(&zero, &q, &a, &b, &cones, settings).unwrap();
    solver.solve();
    assert!(
        matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved),
        "{:?}",
        solver.solution.status
    );
    solver.solution.x[..n].to_vec()
}
