//! KL-UCRL's divergences, UCRL3's intervals and selected supports, and the widths of 2020: each against the formula
//! written out literally, and against numbers computed in advance.
#![allow(missing_docs, clippy::disallowed_methods, clippy::unwrap_used)]

use crate::runs;

use proptest::prelude::*;
use runs::*;
use tucrl::confidence::{Confidence, Shrink};
use tucrl::counts::{Counts, Variance};
use tucrl::inner_max::{LawSink, Ranking, Scratch, UNSEEN, Values};
use tucrl::sets::{
    Bernstein2020, BoxRow, Intervals, Kl, Selection, SetKind, Ucrl3, fill_kl, fill_selected,
};
use tucrl::worlds::{RiverSwim, ThreeState};
use tucrl::{ConfidenceSet, Optimism, RandomStream, Space, Ucrl};

fn kl_law(share: &[f64], values: &[f64], radius: f64) -> Vec<(u32, f64)> {
    let next: Vec<u32> = (0..share.len() as u32).filter(|&i| share[i as usize] > 0.0).collect();
    let observed: Vec<f64> = next.iter().map(|&i| share[i as usize]).collect();
    let top = (0..values.len()).fold(0, |best, i| if values[i] > values[best] { i } else { best });
    let mut sink = LawSink::default();
    fill_kl(&next, &observed, radius, (top as u32, values[top]), values, &mut sink);
    // Tiny masses matter to a divergence: no rounding away.
    let mut law = sink.entries;
    law.sort_by_key(|entry| entry.0);
    law
}

fn worth(law: &[(u32, f64)], values: &[f64]) -> f64 {
    law.iter().map(|&(state, mass)| mass * values[state as usize]).sum()
}

#[test]
fn kl_maxima_hit_the_numbers_computed_in_advance() {
    let value =
        |share: &[f64], values: &[f64], radius| worth(&kl_law(share, values, radius), values);
    let half = [0.5, 0.5, 0.0];
    assert!((value(&half, &[0.0, 1.0, 2.0], 0.1) - 0.7203666517).abs() < 1e-10);
    let law = kl_law(&half, &[0.0, 1.0, 2.0], 0.1);
    assert!(
        (law[2].1 - 0.0402749888).abs() < 1e-10,
        "what goes to a state never observed: {law:?}"
    );
    assert!((value(&half, &[0.0, 2.0, 1.0], 0.1) - 1.4257572629).abs() < 1e-10);
    assert!((value(&half, &[0.0, 1.0, 1.05], 0.1) - 0.7128786315).abs() < 1e-10);
    assert!((value(&[1.0, 0.0], &[0.0, 1.0], 0.2) - (1.0 - (-0.2f64).exp())).abs() < 1e-12);
    // Nothing to choose from, nothing to gain, or no room.
    assert_eq!(value(&[1.0, 0.0], &[1.0, 0.0], 0.2), 1.0);
    assert_eq!(value(&half, &[3.0, 3.0, 1.0], 5.0), 3.0);
    assert_eq!(value(&half, &[0.0, 1.0, 0.0], 0.0), 0.5);
    // A divergence so large that nearly everything may move.
    assert!(value(&half, &[0.0, 1.0, 0.5], 200.0) > 1.0 - 1e-12);
}

fn divergence(share: &[f64], law: &[(u32, f64)]) -> f64 {
    let mass = |state: usize| law.iter().find(|e| e.0 as usize == state).map_or(0.0, |e| e.1);
    let positive = share.iter().enumerate().filter(|entry| *entry.1 > 0.0);
    positive.map(|(state, p)| p * (p / mass(state)).ln()).sum()
}

fn some_law(len: usize) -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec((any::<bool>(), 0.01f64..1.0), len).prop_map(|entries| {
        let mut law: Vec<f64> = entries.iter().map(|&(on, p)| if on { p } else { 0.0 }).collect();
        if law.iter().all(|&p| p == 0.0) {
            law[0] = 1.0;
        }
        let total: f64 = law.iter().sum();
        law.iter().map(|p| p / total).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// The chosen law is one, its divergence is the radius (unless all is won), and no random law of the ball
    /// is worth more.
    #[test]
    fn kl_laws_are_best_in_their_ball(
        share in some_law(5),
        values in proptest::collection::vec(-3.0f64..5.0, 5),
        radius in prop_oneof![1e-6f64..1e-3, 1e-3f64..1.0, 1.0f64..8.0],
        seed in 0u64..1_000_000,
    ) {
        let law = kl_law(&share, &values, radius);
        let total: f64 = law.iter().map(|entry| entry.1).sum();
        prop_assert!((total - 1.0).abs() < 1e-12);
        let found = divergence(&share, &law);
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let value = worth(&law, &values);
        if best - value > 1e-6 {
            prop_assert!((found - radius).abs() < 1e-6 * (1.0 + radius), "{found} {radius}");
        } else {
            prop_assert!(found <= radius + 1e-6);
        }
        let mut random = RandomStream::new(seed);
        for _ in 0..200 {
            let mut other: Vec<f64> = share.iter().map(|p| 1.0 + 30.0 * p).collect();
            random.dirichlet(&mut other);
            // On the way from the observed law to the random one, as far as the ball allows.
            let at = |x: f64| -> Vec<(u32, f64)> {
                let mixed = share.iter().zip(&other).map(|(p, q)| (1.0 - x) * p + x * q);
                (0u32..).zip(mixed).collect()
            };
            let (mut inside, mut outside) = (0.0, 1.0);
            for _ in 0..30 {
                let middle = 0.5 * (inside + outside);
                if divergence(&share, &at(middle)) <= radius { inside = middle } else { outside = middle }
            }
            prop_assert!(worth(&at(inside), &values) <= value + 1e-9);
        }
    }

    /// The support grows state by state, as the text says, with every state never seen on its own.
    #[test]
    fn selected_supports_are_those_of_the_literal_loop(
        share in some_law(5),
        values in proptest::collection::vec(0.0f64..4.0, 5),
        unseen in 0u64..4,
        unseen_value in 0.0f64..5.0,
        width in 0.0f64..0.3,
        cap in 0.001f64..0.5,
        tolerance in 0.0f64..0.5,
    ) {
        let next: Vec<u32> = (0..5u32).filter(|&i| share[i as usize] > 0.0).collect();
        let low: Vec<f64> = next.iter().map(|&i| (share[i as usize] - width).max(0.0)).collect();
        let room: Vec<f64> =
            next.iter().zip(&low).map(|(&i, l)| (share[i as usize] + width).min(1.0) - l).collect();
        let left = 1.0 - low.iter().sum::<f64>();
        let row = BoxRow { next: &next, low: &low, room: &room, left, cap, unseen_cap: 0.0, extra: None, reach: 5 };
        let valued = Values { seen: values.clone(), unseen: unseen_value };
        let mut ranking = Ranking::default();
        ranking.update(&valued);
        let mut sink = LawSink::default();
        let selection = Selection { unseen, tolerance, at_least: 0 };
        fill_selected(&row, selection, &ranking, &valued, &mut Scratch::new(), &mut sink);
        let law = sink.into_law();
        let total: f64 = law.iter().map(|entry| entry.1).sum();
        prop_assert!((total - 1.0).abs() < 1e-9, "{law:?}");
        let found: f64 = law.iter().map(|&(state, mass)| {
            mass * if state == UNSEEN { unseen_value } else { values[state as usize] }
        }).sum();
        let mut all = values.clone();
        all.extend((0..unseen).map(|_| unseen_value));
        let lows = |i: usize| next.iter().position(|&n| n as usize == i).map_or(0.0, |at| low[at]);
        let ups = |i: usize| next.iter().position(|&n| n as usize == i).map_or(cap, |at| low[at] + room[at]);
        let expected = literal_selection(&all, &next, &lows, &ups, tolerance);
        prop_assert!((found - expected).abs() < 1e-9, "{found} {expected} {law:?}");
    }
}

fn literal_selection(
    values: &[f64],
    observed: &[u32],
    low: &dyn Fn(usize) -> f64,
    up: &dyn Fn(usize) -> f64,
    tolerance: f64,
) -> f64 {
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let v: Vec<f64> = values.iter().map(|value| value - lowest).collect();
    let mut order: Vec<usize> = (0..v.len()).collect();
    order.sort_by(|&a, &b| v[b].total_cmp(&v[a]));
    let mut inside: Vec<bool> = (0..v.len()).map(|i| observed.contains(&(i as u32))).collect();
    // Among equals, prefer one that is inside already; it makes no difference to the value.
    let top = *order.iter().find(|&&i| v[i] == v[order[0]] && inside[i]).unwrap_or(&order[0]);
    inside[top] = true;
    let kappa = tolerance * v[order[0]];
    loop {
        let mut sum: f64 = (0..v.len()).filter(|&i| inside[i]).map(|i| low(i) * v[i]).sum();
        let mut left = 1.0 - (0..v.len()).filter(|&i| inside[i]).map(low).sum::<f64>();
        for &i in order.iter().filter(|&&i| inside[i]) {
            let taken = left.min(up(i) - low(i)).max(0.0);
            sum += taken * v[i];
            left -= taken;
        }
        let (mut outside, mut mass) = (0.0, 1.0f64);
        for &i in order.iter().filter(|&&i| !inside[i]) {
            let taken = mass.min(up(i));
            outside += taken * v[i];
            mass -= taken;
        }
        if outside <= kappa.min(sum) {
            return sum + lowest;
        }
        let next = order.iter().find(|&&i| !inside[i]).unwrap();
        inside[*next] = true;
    }
}

fn confidence(alpha: f64, shrink: Shrink) -> Confidence {
    Confidence {
        delta: 0.1.into(),
        alpha_r: alpha,
        alpha_p: alpha,
        shrink,
        r_max: 2.0,
        nominal_pairs: None,
    }
}

/// One pair, visited fifty times: 15 times to the first state, 35 to the second, with alternating rewards.
fn fifty() -> Counts {
    let mut counts = Counts::new(Space::uniform(3, 2), Variance::Population);
    counts.see(0);
    counts.see(1);
    for step in 0..50 {
        counts.record(0, if step % 2 == 0 { 0.5 } else { 1.5 }, u32::from(step >= 15));
    }
    counts.freeze();
    counts
}

#[test]
fn later_widths_are_the_formulas() {
    let counts = fifty();
    let stats = &counts.pairs()[0];
    let deviation = counts.row(0).deviation[0];
    let (s, a, n, t, delta, r_max) = (3.0f64, 2.0, 50.0f64, 1_000.0f64, 0.1, 2.0);
    for (shrink, root, linear) in [(Shrink::Linear, 0.5, 0.5), (Shrink::Log, 0.5f64.sqrt(), 0.5)] {
        let (confidence, space) = (confidence(0.5, shrink), counts.space());
        // Bernstein, 2020.
        let l = (6.0 * s * a * n / delta).ln();
        let own = Bernstein2020::of(&confidence, space, t as u64);
        let reward = root * 2.0 * (0.25 * l / n).sqrt() + linear * 6.0 * r_max * l / n;
        assert!((own.reward_width(stats) - reward).abs() < 1e-12);
        let unobserved = linear * 6.0 * l / n;
        assert!((own.unobserved(stats) - unobserved).abs() < 1e-12);
        let observed = root * 2.0 * (0.3 * 0.7 * l / n).sqrt() + unobserved;
        assert!((own.observed(stats, deviation) - observed).abs() < 1e-12);
        // The sum of the widths of all three next states, from the parts that a box is made of.
        let radius = 2.0 * (observed - unobserved) + 3.0 * unobserved;
        let (own_root, own_unobserved) = own.widths(stats);
        let own_radius = own_root * stats.spread() + 3.0 * own_unobserved;
        assert!((own_radius - radius).abs() < 1e-12);
        // KL-UCRL.
        let own = Kl::of(&confidence, space, t as u64);
        let b = (2.0 * std::f64::consts::E * s * s * a * t.ln() / delta).ln();
        let g = b + 1.0 / t.ln();
        let c_p = s * (b + g.ln() * (1.0 + 1.0 / g));
        let c_r = ((4.0 * s * a * t.ln() / delta).ln() / 1.99).sqrt();
        let square = if shrink == Shrink::Linear { 0.25 } else { 0.5 };
        assert!((own.reward_width(stats) - root * r_max * c_r / n.sqrt()).abs() < 1e-12);
        assert!((own.radius(stats) - square * c_p / n).abs() < 1e-12);
        assert!((own.unobserved(stats) - (1.0 - (-square * c_p / n).exp())).abs() < 1e-12);
    }
}

#[test]
fn intervals_of_ucrl3_end_at_the_outermost_points_where_their_inequality_holds() {
    let counts = fifty();
    let (s, a, delta) = (3.0f64, 2.0, 0.1);
    let bounds = Ucrl3::of(&confidence(1.0, Shrink::Linear), counts.space(), 9);
    let half = Ucrl3::of(&confidence(0.5, Shrink::Linear), counts.space(), 9);
    let small = delta / (s * a * (3.0 + 3.0 * s));
    let eta = 1.12f64;
    let iterated = |n: f64| {
        eta / n * ((eta * n).ln() * (eta * eta * n).ln() / (eta.ln().powi(2) * small)).ln()
    };
    let g = |q: f64| {
        if q <= 0.0 || q >= 1.0 {
            0.0
        } else if q == 0.5 {
            0.25
        } else {
            (0.5 - q) / (1.0 / q - 1.0).ln()
        }
    };
    // Few visits, where the sub-Gaussian bound is tighter, and many, where Bernstein's is.
    let mut tighter = [0, 0];
    for visits in [50u64, 5_000, 1_000_000] {
        let n = visits as f64;
        let l = iterated(n);
        let m = (1.0 + 1.0 / n) * (2.0 * (n + 1.0).sqrt() / small).ln() / n;
        for share in [0.0, 0.02, 0.3, 0.5, 0.94, 1.0] {
            let (low, up) = bounds.interval(share, visits);
            let bernstein = |q: f64| (2.0 * q * (1.0 - q) * l).sqrt() + l / 3.0;
            let gaussian = |h: f64| (2.0 * h * m).sqrt();
            let flat = |q: f64| if q >= 0.5 { q * (1.0 - q) } else { g(q) };
            let often = |q: f64| q - share <= bernstein(q).min(gaussian(flat(q)));
            let rarely = |q: f64| share - q <= bernstein(q).min(gaussian(g(q)));
            // An end is where its inequality stops, and it does not begin again farther out.
            let near = 1e-9;
            let beyond = |end: f64, to: f64| {
                (1..=2_000).map(move |i| end + (to - end) * f64::from(i) / 2_000.0)
            };
            assert!(often(up - near) || up - share < 2.0 * near, "{share}: {up}");
            assert!(up >= 1.0 || !often(up + near), "{share}: {up}");
            assert!(
                up >= 1.0 || beyond(up + near, 1.0).all(|q| q >= 1.0 || !often(q)),
                "{share}: {up}"
            );
            if share == 1.0 {
                assert_eq!(low, low.max(0.5f64.powf(1.0 / n)));
            } else {
                assert!(rarely(low + near) || share - low < 2.0 * near, "{share}: {low}");
                assert!(low <= 0.0 || !rarely(low - near), "{share}: {low}");
                assert!(
                    low <= 0.0 || beyond(low - near, 0.0).all(|q| q <= 0.0 || !rarely(q)),
                    "{share}: {low}"
                );
            }
            assert!(low <= share && share <= up);
            tighter[usize::from(bernstein(up) < gaussian(flat(up)))] += 1;
            let narrow = half.interval(share, visits);
            assert!((narrow.1 - (share + 0.5 * (up - share))).abs() < 1e-9);
            assert!((narrow.0 - (share - 0.5 * (share - low))).abs() < 1e-9);
        }
    }
    assert!(tighter.iter().all(|&often| often >= 4), "{tighter:?}");
    assert_eq!(bounds.interval(0.0, 0), (0.0, 1.0));
    // Rewards: the tighter of two; for rewards that never vary that is Bernstein's.
    let mut still = Counts::new(Space::uniform(3, 2), Variance::Population);
    still.see(0);
    (0..5_000).for_each(|_| still.record(0, 1.0, 0));
    still.freeze();
    for (counts, variance, n, is_bernstein) in
        [(&counts, 0.25, 50.0, false), (&still, 0.0, 5e3, true)]
    {
        let light = 2.0 * ((1.0 + 1.0 / n) * ((n + 1.0f64).sqrt() / small).ln() / (2.0 * n)).sqrt();
        let bernstein = (2.0 * variance * iterated(n)).sqrt() + 7.0 / 3.0 * 2.0 * iterated(n);
        assert_eq!(bernstein < light, is_bernstein);
        let found = bounds.reward_width(&counts.pairs()[0]);
        assert!((found - light.min(bernstein)).abs() < 1e-12, "{found} {light} {bernstein}");
    }
}

fn set_of(set: SetKind, alpha: f64) -> Named {
    let optimism = Optimism { variance: Variance::Population, ..shrunk(alpha) };
    Named::new("ucrl", Ucrl { optimism, set, ..Ucrl::default() })
}

fn regret(world: &World, algorithm: &Named, steps: u64) -> f64 {
    let last = |run| world.record(algorithm, steps, run).regret.last().unwrap().1;
    (0..3).map(last).sum::<f64>() / 3.0
}

#[test]
fn later_sets_learn_where_all_is_reachable_and_have_linear_regret_where_it_is_not() {
    let river = World::new(RiverSwim::default().build().unwrap());
    let three = World::new(ThreeState { delta: 0.0, ..Default::default() }.build().unwrap());
    let random = regret(&river, &random(), 30_000);
    let reached = regret(&three, &tucrl(shrunk(0.05)), 40_000);
    for (set, alpha) in [
        (SetKind::Bernstein2020, 0.1),
        (SetKind::Kl, 0.3),
        (SetKind::Ucrl3, 0.3),
        (SetKind::L1, 0.1),
    ] {
        let algorithm = set_of(set, alpha);
        let found = regret(&river, &algorithm, 30_000);
        assert!(found < 0.5 * random, "{set:?}: {found} of {random}");
        let (short, long) =
            (regret(&three, &algorithm, 10_000), regret(&three, &algorithm, 40_000));
        assert!(long > 2.5 * short && long > 3.0 * reached, "{set:?}: {short} {long} {reached}");
    }
}
