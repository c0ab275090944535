//! How far is the nearest law with a larger mean?
//!
//! For independent X_1, …, X_n with laws P_i on (−∞, B_i] and a number c,
//!
//!   K = inf { Σ KL(P_i ‖ Q_i) : Q_i on (−∞, B_i], Σ mean(Q_i) ≥ c }.
//!
//! With one law this is K_inf of Honda and Takemura (2010), whose dual is max E ln(1 + λ(c − X)) over
//! 0 ≤ λ ≤ 1/(B − c). Its derivative in c is the optimal λ, so that the best split of c between several laws has the
//! same λ for all of them. For a given λ the nearest law has the mean m(λ) = max(μ, B − 1/λ), where μ is the root of
//! ψ(μ) = E[(μ − X) / (1 + λ(μ − X))]: the likelihood ratio is 1 / (1 + λ(m − X)), and the mass that is missing to 1
//! lies at B. The sum of the means increases in λ; where it is c, K = Σ E ln(1 + λ(m_i − X_i)).
//!
//! ψ is concave and increasing, so that Newton's method from the left never leaves its domain.

use crate::math;

/// A law on (−∞, top]: a mixture of point masses and uniform laws.
#[derive(Debug, Clone)]
pub(super) struct Law {
    parts: Vec<Part>,
    mean: f64,
    top: f64,
}

/// A uniform law on `[high - width, high]`, a point mass if the width is 0.
#[derive(Debug, Clone, Copy)]
struct Part {
    probability: f64,
    high: f64,
    width: f64,
}

/// Uniform laws are integrated by nodes where λ · width is below this: the closed forms cancel there. The error of
/// five nodes is of the order of the tenth power.
const NARROW: f64 = 0.05;

/// Nodes on [-1, 1] and weights, which sum to 1, of the Gauss-Legendre rule.
const NODES: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.118_463_442_528_094_54),
    (-0.538_469_310_105_683_1, 0.239_314_335_249_683_23),
    (0.0, 0.284_444_444_444_444_44),
    (0.538_469_310_105_683_1, 0.239_314_335_249_683_23),
    (0.906_179_845_938_664, 0.118_463_442_528_094_54),
];

/// Steps of Newton's method and of the bracketing search; a few are enough.
const STEPS: u32 = 200;

impl Law {
    /// The mixture of uniform laws `(probability, low, high)`; probabilities are divided by their sum. `top` is raised
    /// to the largest value if that is larger.
    pub(super) fn new(parts: impl IntoIterator<Item = (f64, f64, f64)>, top: f64) -> Self {
        let parts = parts.into_iter().filter(|part| part.0 > 0.0);
        let mut parts: Vec<Part> = parts
            .map(|(probability, low, high)| Part { probability, high, width: high - low })
            .collect();
        let total: f64 = parts.iter().map(|part| part.probability).sum();
        parts.iter_mut().for_each(|part| part.probability /= total);
        let mean = parts.iter().map(|part| part.probability * (part.high - part.width / 2.0)).sum();
        let top = parts.iter().fold(top, |top, part| top.max(part.high));
        Self { parts, mean, top }
    }

    /// m(λ).
    fn tilted_mean(&self, lambda: f64) -> f64 {
        let at_top = self.top - 1.0 / lambda;
        // Every part alone bounds the root from below; the mean does by Jensen's inequality.
        let start = self.parts.iter().fold(self.mean, |start, part| {
            let reach = match part.width * lambda {
                0.0 => part.probability / lambda,
                width => part.width / math::exp_m1(width / part.probability),
            };
            start.max(part.high - 1.0 / lambda + reach)
        });
        if at_top >= start && self.slack(lambda, at_top).0 >= 0.0 {
            return at_top;
        }
        let mut root = start;
        for _ in 0..STEPS {
            let (value, slope) = self.slack(lambda, root);
            let next = root - value / slope;
            // A step that is not to the right is rounding, or the pole of a uniform law.
            match next > root {
                true => root = next,
                false => break,
            }
        }
        root.max(at_top)
    }

    /// ψ and its derivative. NaN or -∞ if the law has mass at the pole.
    fn slack(&self, lambda: f64, mean: f64) -> (f64, f64) {
        let (mut value, mut slope) = (0.0, 0.0);
        for part in &self.parts {
            let (v, s) = part.expect(lambda, mean, Self::slack_at, |near, far| {
                let inverse = math::ln(far / near) / (far - near);
                ((1.0 - inverse) / lambda, 1.0 / (near * far))
            });
            value += part.probability * v;
            slope += part.probability * s;
        }
        (value, slope)
    }

    fn slack_at(above: f64, scaled: f64) -> (f64, f64) {
        let ratio = 1.0 + scaled;
        (above / ratio, 1.0 / (ratio * ratio))
    }

    /// E ln(1 + λ(m − X)): the divergence of the nearest law with mean m = m(λ).
    fn divergence(&self, lambda: f64, mean: f64) -> f64 {
        let parts = self.parts.iter().map(|part| {
            let value = |_: f64, scaled: f64| (math::ln_1p(scaled), 0.0);
            let closed = |near: f64, far: f64| {
                let below = if near > 0.0 { near * math::ln(near) } else { 0.0 };
                ((far * math::ln(far) - below) / (far - near) - 1.0, 0.0)
            };
            part.probability * part.expect(lambda, mean, value, closed).0
        });
        parts.sum()
    }
}

impl Part {
    /// The expectations of two functions of X: `at(m − X, λ(m − X))` at a point, or `over(a, b)` when 1 + λ(m − X) is
    /// uniform between a and b.
    fn expect(
        &self,
        lambda: f64,
        mean: f64,
        at: impl Fn(f64, f64) -> (f64, f64),
        over: impl Fn(f64, f64) -> (f64, f64),
    ) -> (f64, f64) {
        let above = mean - self.high;
        let node = |above: f64| at(above, lambda * above);
        if self.width == 0.0 {
            return node(above);
        }
        let near = (1.0 + lambda * above).max(0.0);
        let wide = lambda * self.width;
        if wide >= NARROW * near {
            return over(near, near + wide);
        }
        let mut sums = (0.0, 0.0);
        for (place, weight) in NODES {
            let (first, second) = node(above + self.width * (1.0 + place) / 2.0);
            sums = (sums.0 + weight * first, sums.1 + weight * second);
        }
        sums
    }
}

/// K: the smallest sum of divergences of laws whose means sum to `target` or more. 0 if they do already, infinite if
/// no laws within the bounds have such means.
pub(super) fn divergence(laws: &[Law], target: f64) -> f64 {
    let sum = |of: fn(&Law) -> f64| laws.iter().map(of).sum::<f64>();
    let room = sum(|law| law.top) - target;
    if sum(|law| law.mean) >= target {
        return 0.0;
    }
    if room <= 0.0 {
        return f64::INFINITY;
    }
    let lack = |log: f64| {
        let lambda = math::exp(log);
        target - laws.iter().map(|law| law.tilted_mean(lambda)).sum::<f64>()
    };
    // Every mean is at least B − 1/λ.
    let mut right = math::ln(laws.len() as f64 / room);
    let mut lack_right = lack(right);
    let (mut left, mut width) = (right, 1.0);
    let mut lack_left = lack_right;
    while lack_left <= 0.0 && left > -700.0 {
        (right, lack_right) = (left, lack_left);
        left -= width;
        width *= 2.0;
        lack_left = lack(left);
    }
    let lambda = math::exp(root(lack, (left, lack_left), (right, lack_right)));
    laws.iter().map(|law| law.divergence(lambda, law.tilted_mean(lambda))).sum()
}

/// The root of a decreasing function between two places with their values, by Ridders' method: it never leaves the
/// bracket, and halves it at least.
fn root(f: impl Fn(f64) -> f64, left: (f64, f64), right: (f64, f64)) -> f64 {
    let ((mut left, mut above), (mut right, mut below)) = (left, right);
    if above <= 0.0 || below >= 0.0 {
        return if above <= 0.0 { left } else { right };
    }
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        let middle = left + (right - left) / 2.0;
        let value = f(middle);
        if value == 0.0 || middle <= left || middle >= right {
            return middle;
        }
        let place = middle + (middle - left) * value / (value * value - above * below).sqrt();
        if (place - last).abs() <= 2.0 * f64::EPSILON * place.abs().max(1.0) {
            return place;
        }
        last = place;
        for (at, value) in [(middle, value), (place, f(place))] {
            if value > 0.0 && at > left {
                (left, above) = (at, value);
            } else if value <= 0.0 && at < right {
                (right, below) = (at, value);
            }
        }
        if below == 0.0 {
            return right;
        }
    }
    last
}
