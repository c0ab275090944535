//! Which vectors satisfy differences constraints, and what is the largest one below a vector?
//!
//! The region is H = { v : v(s) - v(s') <= D(s,s') for all s, s' }. With D̄ the lengths of shortest paths, D̄(s,s) = 0,
//! the largest v <= u in H is
//!
//! ```text
//! Γu(s) = min over s' of u(s') + D̄(s,s')
//! ```
//!
//! It lies in H by the triangle inequality, is at most u, and every v <= u in H has v(s) <= v(s') + D̄(s,s'). H is empty iff
//! a cycle has negative length. If D is one constant c, Γ is SCAL's clip min(u, min u + c).
//!
//! The states never seen are one state here, of which only the common bound c is known.

use crate::inner_max::Values;
use crate::planner::min_max;

/// A difference constraint between two states, by number: v(state) - v(other) <= most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// The state.
    pub state: usize,
    /// The other.
    pub other: usize,
    /// The largest difference.
    pub most: f64,
}

/// The vectors whose differences are bounded.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// The bound on the span.
    span: f64,
    /// D̄ over the seen states and, last, those never seen; nothing if the bound on the span is the only constraint.
    closed: Option<Closed>,
}

#[derive(Debug, Clone, PartialEq)]
struct Closed {
    nodes: usize,
    /// Row by row.
    length: Vec<f64>,
}

impl Region {
    /// All vectors of span at most `span`, which may be infinite.
    pub fn spans(span: f64) -> Self {
        Self { span, closed: None }
    }

    /// Those of them over `seen` states and one more, for states never seen, that satisfy the bounds. Numbers above `seen`
    /// are other states that bounds name; none if there is no such vector.
    pub fn bounded(span: f64, seen: usize, bounds: &[Bound]) -> Option<Self> {
        if bounds
            .iter()
            .all(|bound| bound.most >= span || bound.state == bound.other && bound.most >= 0.0)
        {
            return Some(Self::spans(span));
        }
        let named = bounds.iter().map(|bound| bound.state.max(bound.other)).max().unwrap_or(0);
        let all = (seen + 1).max(named + 1);
        let mut length = vec![span; all * all];
        (0..all).for_each(|node| length[node * all + node] = 0.0);
        for &Bound { state, other, most } in bounds {
            let entry = &mut length[state * all + other];
            *entry = entry.min(most);
        }
        for through in 0..all {
            for from in 0..all {
                let first = length[from * all + through];
                if first == f64::INFINITY {
                    continue;
                }
                for to in 0..all {
                    let path = first + length[through * all + to];
                    let entry = &mut length[from * all + to];
                    *entry = entry.min(path);
                }
            }
        }
        if (0..all).any(|node| length[node * all + node] < 0.0) {
            return None;
        }
        let nodes = seen + 1;
        let row = |node: usize| length[node * all..node * all + nodes].iter().copied();
        Some(Self {
            span,
            closed: Some(Closed { nodes, length: (0..nodes).flat_map(row).collect() }),
        })
    }

    /// Γ: replaces values by the largest ones below them in the region; those of states never seen only if there are some.
    pub fn project(&self, values: &mut Values, has_unseen: bool) {
        let unseen = has_unseen.then_some(values.unseen);
        let Some(Closed { nodes, length }) = &self.closed else {
            let (low, _) = min_max(values.seen.iter().copied().chain(unseen));
            let cap = low + self.span;
            values.seen.iter_mut().for_each(|value| *value = value.min(cap));
            values.unseen = values.unseen.min(cap);
            return;
        };
        let above: Vec<f64> = values.seen.iter().copied().chain(unseen).collect();
        let projected = |node: usize| {
            let row = &length[node * nodes..(node + 1) * nodes];
            row.iter().zip(&above).map(|(d, u)| u + d).fold(f64::INFINITY, f64::min)
        };
        for (node, value) in values.seen.iter_mut().enumerate() {
            *value = projected(node);
        }
        if has_unseen {
            values.unseen = projected(nodes - 1);
        }
    }
}
