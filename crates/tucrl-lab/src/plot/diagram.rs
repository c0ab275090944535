//! How is a small MDP drawn as a diagram of its states and transitions?
//!
//! A circle per state, a square per action on the way to its next states, arrows with probabilities. The optimal policy is
//! drawn thick, states out of reach are dashed; hovering tells rewards and probabilities. For notebooks: SVG that needs
//! nothing outside of it and whose style holds inside of it only. The explorable page has its own diagram, which moves.

use std::fmt::Write as _;

use tucrl::math::sin_cos;
use tucrl::mdp::Mdp;
use tucrl::policy::Policy;

use crate::report::html::escaped;
use crate::text::digits;

/// Larger models have no diagram: their arrows would cover each other.
const MOST_STATES: usize = 16;
const MOST_PAIRS: usize = 48;
/// With more pairs only those of the policy have labels.
const LABELLED: usize = 8;
const WIDE: f64 = 520.0;
const RADIUS: f64 = 22.0;
const STYLE: &str = ".tucrl-diagram text{font:12px sans-serif;fill:#222;text-anchor:middle;dominant-baseline:central;paint-order:stroke;\
stroke:#fff;stroke-width:3px}.tucrl-diagram .state{fill:#f6f6f6;stroke:#222;stroke-width:1.5}.tucrl-diagram .out{stroke-dasharray:4 3}\
.tucrl-diagram .arrow{fill:none;stroke:#888;stroke-width:1.2}.tucrl-diagram .action{fill:#fff;stroke:#888;stroke-width:1.4}\
.tucrl-diagram .arrow.best{stroke:#0072b2;stroke-width:2.2}.tucrl-diagram .action.best{fill:#0072b2;stroke:#0072b2}\
.tucrl-diagram text.small{font-size:10px}.tucrl-diagram text.note{font-size:10px;font-style:italic}";
const TIPS: &str = "<defs><marker id=\"tucrl-tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0,0.5L8,4L0,7.5Z\" fill=\"#666\"/></marker></defs>";

type Point = (f64, f64);

/// Whether a model is small enough for a diagram.
pub fn has_diagram(mdp: &Mdp) -> bool {
    mdp.states() <= MOST_STATES && mdp.pairs() <= MOST_PAIRS
}

/// The diagram of a model as SVG, the policy drawn thick; none if the model is too large for one.
pub fn diagram(mdp: &Mdp, policy: Option<&Policy>, is_reachable: &[bool]) -> Option<String> {
    if !has_diagram(mdp) {
        return None;
    }
    let high = if mdp.states() > 4 { 460.0 } else { 320.0 };
    let mut drawing =
        Drawing { mdp, places: places(mdp, high), arrows: String::new(), marks: String::new() };
    for state in 0..mdp.states() {
        let best = policy.and_then(|policy| policy.action(state));
        (0..mdp.actions(state))
            .for_each(|action| drawing.pair(state, action, best == Some(action)));
    }
    for state in 0..mdp.states() {
        drawing.state(state, is_reachable.get(state) == Some(&false));
    }
    let Drawing { arrows, marks, .. } = drawing;
    let (states, pairs) = (mdp.states(), mdp.pairs());
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tucrl-diagram\" viewBox=\"0 0 {WIDE} {high}\" width=\"{WIDE}\" \
         height=\"{high}\" role=\"img\" aria-label=\"State diagram: {states} states, {pairs} state-action pairs\">\
         <style>{STYLE}</style>{TIPS}<rect width=\"{WIDE}\" height=\"{high}\" fill=\"#fff\"/>{arrows}{marks}</svg>"
    ))
}

struct Drawing<'a> {
    mdp: &'a Mdp,
    places: Vec<Point>,
    /// Below the marks.
    arrows: String,
    marks: String,
}

impl Drawing<'_> {
    // Writing to a string cannot fail: its results are not used.
    fn state(&mut self, state: usize, is_out: bool) {
        let (x, y) = self.places[state];
        let name = state_name(self.mdp, state);
        let (class, note) = if is_out { ("state out", ", out of reach") } else { ("state", "") };
        let (whole, short) = (escaped(&name), escaped(&shortened(&name)));
        let _ = write!(
            self.marks,
            "<g><title>{whole}{note}</title><circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\"/>\
             <text x=\"{x:.1}\" y=\"{y:.1}\">{short}</text></g>"
        );
        if is_out {
            let above = y - RADIUS - 9.0;
            let _ = write!(
                self.marks,
                "<text class=\"note\" x=\"{x:.1}\" y=\"{above:.1}\">out of reach</text>"
            );
        }
    }

    fn pair(&mut self, state: usize, action: usize, is_best: bool) {
        let (mdp, at) = (self.mdp, self.places[state]);
        let (dot, along) = self.dot(state, action);
        let class = if is_best { " best" } else { "" };
        let row = mdp.row(mdp.pair(state, action));
        let _ = write!(
            self.arrows,
            "<path class=\"arrow{class}\" d=\"M{:.1},{:.1}L{:.1},{:.1}\"/>",
            at.0, at.1, dot.0, dot.1
        );
        let mut told = format!(
            "{} in {}: mean reward {}",
            action_name(mdp, action),
            state_name(mdp, state),
            digits(mdp.mean_paid(mdp.pair(state, action)), 4)
        );
        for (next, probability) in row.iter() {
            let (path, middle) = if next == state {
                // Back from the square to the rim, beside the stem.
                let (bend, end) = (turned(along, 0.6), turned(along, 0.8));
                let bend = moved(at, bend, RADIUS + 36.0);
                (curve(dot, bend, moved(at, end, RADIUS + 2.0)), bend)
            } else {
                let to = self.places[next];
                let (across, far) = direction(dot, to);
                let middle = ((dot.0 + to.0) / 2.0, (dot.1 + to.1) / 2.0);
                let middle = moved(middle, (-across.1, across.0), 0.08 * far);
                let (back, _) = direction(to, middle);
                (curve(dot, middle, moved(to, back, RADIUS + 2.0)), middle)
            };
            let _ = write!(
                self.arrows,
                "<path class=\"arrow{class}\" marker-end=\"url(#tucrl-tip)\" d=\"{path}\"/>"
            );
            if row.len() > 1 && (is_best || mdp.pairs() <= LABELLED) {
                let (x, y, p) = (middle.0, middle.1, short_share(probability));
                let _ = write!(
                    self.marks,
                    "<text class=\"small\" x=\"{x:.1}\" y=\"{y:.1}\">{p}</text>"
                );
            }
            let _ = write!(
                told,
                "\nto {} with probability {}",
                state_name(mdp, next),
                digits(probability, 4)
            );
        }
        let _ = write!(
            self.marks,
            "<g><title>{}</title><rect class=\"action{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"9\" height=\"9\" rx=\"2\"/></g>",
            escaped(&told),
            dot.0 - 4.5,
            dot.1 - 4.5
        );
        if is_best || mdp.pairs() <= LABELLED {
            let (name, beside) =
                (shortened(&action_name(mdp, action)), moved(dot, turned(along, -1.2), 14.0));
            let _ = write!(
                self.marks,
                "<text class=\"small\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                beside.0,
                beside.1,
                escaped(&name)
            );
        }
    }

    /// Where the square of an action stands, and in which direction of its state: towards its next states, turned so that
    /// the squares of a state stand side by side.
    fn dot(&self, state: usize, action: usize) -> (Point, Point) {
        let (mdp, at) = (self.mdp, self.places[state]);
        let mut towards = (0.0, 0.0);
        for (next, probability) in mdp.row(mdp.pair(state, action)).iter() {
            let to = self.places[next];
            towards =
                (towards.0 + probability * (to.0 - at.0), towards.1 + probability * (to.1 - at.1));
        }
        let (mut along, far) = direction((0.0, 0.0), towards);
        if far < 1e-9 {
            // It stays: away from the middle of the diagram.
            let count = mdp.states() as f64;
            let sum = self
                .places
                .iter()
                .fold((0.0, 0.0), |sum, place| (sum.0 + place.0, sum.1 + place.1));
            along = direction((sum.0 / count, sum.1 / count + 1e-3), at).0;
        }
        let actions = mdp.actions(state) as f64;
        let turn = (action as f64 - (actions - 1.0) / 2.0) * (2.4 / actions).min(0.6);
        let along = turned(along, turn);
        (moved(at, along, RADIUS + 20.0), along)
    }
}

/// A grid where the names are cells, else a circle.
fn places(mdp: &Mdp, high: f64) -> Vec<Point> {
    let cells: Vec<_> = mdp.state_names().iter().map_while(|name| cell(name)).collect();
    let is_grid = mdp.states() > 4 && cells.len() == mdp.states();
    let (rows, columns) =
        cells.iter().fold((1, 1), |(r, c), cell| (r.max(cell.0 + 1), c.max(cell.1 + 1)));
    let middle = (WIDE / 2.0, high / 2.0);
    if is_grid && rows.max(columns) <= MOST_STATES {
        let step = ((WIDE - 60.0) / columns as f64).min((high - 60.0) / rows as f64);
        let along = |at: usize, count: usize| (at as f64 - (count as f64 - 1.0) / 2.0) * step;
        return cells
            .iter()
            .map(|cell| (middle.0 + along(cell.1, columns), middle.1 + along(cell.0, rows)))
            .collect();
    }
    let count = mdp.states() as f64;
    let place = |state: usize| {
        // The first state on the left.
        let (sine, cosine) = sin_cos(std::f64::consts::PI * (1.0 + 2.0 * state as f64 / count));
        (middle.0 + 0.37 * WIDE * cosine, middle.1 + 0.36 * high * sine)
    };
    (0..mdp.states()).map(place).collect()
}

/// Row and column of a cell, by a name such as `row 2, column 0`.
fn cell(name: &str) -> Option<(usize, usize)> {
    let (row, column) = name.strip_prefix("row ")?.split_once(", column ")?;
    Some((row.parse().ok()?, column.parse().ok()?))
}

fn state_name(mdp: &Mdp, state: usize) -> String {
    mdp.state_names().get(state).cloned().unwrap_or_else(|| state.to_string())
}

fn action_name(mdp: &Mdp, action: usize) -> String {
    mdp.action_names().get(action).cloned().unwrap_or_else(|| format!("action {action}"))
}

/// A probability with three digits, without zeros at the end: 0.995 beside 0.005, and 0.6.
fn short_share(probability: f64) -> String {
    let text = digits(probability, 3);
    if text.contains('.') && !text.contains('e') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

/// A name that fits beside others; hovering tells the whole one.
fn shortened(name: &str) -> String {
    match cell(name) {
        Some((row, column)) => format!("{row},{column}"),
        None if name.chars().count() > 10 => name.chars().take(9).chain(['…']).collect(),
        None => name.to_owned(),
    }
}

/// The unit vector from one point to another, and their distance.
fn direction(from: Point, to: Point) -> (Point, f64) {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let far = (x * x + y * y).sqrt();
    (if far > 0.0 { (x / far, y / far) } else { (1.0, 0.0) }, far)
}

fn moved(from: Point, along: Point, far: f64) -> Point {
    (from.0 + far * along.0, from.1 + far * along.1)
}

fn turned(along: Point, angle: f64) -> Point {
    let (sine, cosine) = sin_cos(angle);
    (along.0 * cosine - along.1 * sine, along.0 * sine + along.1 * cosine)
}

fn curve(from: Point, bend: Point, to: Point) -> String {
    format!("M{:.1},{:.1}Q{:.1},{:.1} {:.1},{:.1}", from.0, from.1, bend.0, bend.1, to.0, to.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::World;
    use crate::formats::{ReadOptions, from_json};
    use tucrl::model::Model;
    use tucrl::truth::Truth;

    fn drawn(spec: &str) -> Option<String> {
        let Model::Table(mdp) = World::parse(spec).unwrap().open(&ReadOptions::default()).unwrap()
        else {
            panic!("{spec} has no table");
        };
        let truth = Truth::of(&Model::Table(mdp.clone())).unwrap();
        let solved = truth.solved().unwrap();
        diagram(&mdp, Some(&solved.solution.policy), &solved.structure.is_reachable)
    }

    #[test]
    fn every_state_and_pair_of_a_small_model_is_drawn() {
        let svg = drawn("three-state:delta=0").unwrap();
        assert_eq!(svg.matches("<circle").count(), 3);
        assert_eq!(svg.matches("<rect class=\"action").count(), 4);
        // s1 is out of reach, and each state has one best action.
        assert_eq!(svg.matches("out of reach</text>").count(), 1);
        assert_eq!(svg.matches("<rect class=\"action best\"").count(), 3);
        assert!(svg.contains("a1 in s2: mean reward 0.6667\nto s2 with probability 1"), "{svg}");
        // A stem per pair, and an arrow per transition: 4 + 4.
        assert_eq!(svg.matches("<path class=\"arrow").count(), 8);
    }

    #[test]
    fn states_that_are_cells_stand_in_a_grid_and_large_models_have_no_diagram() {
        let names = ["row 0, column 0", "row 0, column 1", "row 1, column 1"];
        assert_eq!(names.map(cell), [Some((0, 0)), Some((0, 1)), Some((1, 1))]);
        assert_eq!(drawn("four-rooms"), None);
        assert_eq!(drawn("frozen-lake"), None, "16 states, 64 pairs");
        let river = drawn("river-swim").unwrap();
        assert!(river.contains(">0.35</text>") && river.contains(">0.6</text>"), "{river}");
    }

    #[test]
    fn names_cannot_leave_their_place() {
        let text = r#"{"format":"tucrl-mdp","version":1,"start":0,"action_names":["</title><script>"],
            "state_names":["<b>","\"&'"],"states":[[{"reward":0,"to":[[1,1]]}],[{"reward":1,"to":[[0,1]]}]]}"#;
        let svg = diagram(&from_json("names", text).unwrap(), None, &[true, true]).unwrap();
        assert!(!svg.contains("<b>") && !svg.contains("<script>"), "{svg}");
        assert!(svg.contains("&lt;b&gt;") && svg.contains("&quot;&amp;'"), "{svg}");
    }
}
