//! Which nodes of a graph can reach each other?
//!
//! Strongly connected components by Tarjan's algorithm (1972) without recursion, so that a chain of a
//! million states does not overflow the stack; reachable sets; reversed edges. The tests compare with
//! petgraph, whose graph types would need a second copy of the table.

use std::ops::Range;

use crate::pulse::Pulse;

/// The component of a node for which `is_inside` is false.
pub(crate) const OUTSIDE: u32 = u32::MAX;

/// The strongly connected components of a graph.
#[derive(Debug, Clone)]
pub(crate) struct Components {
    /// The component of each node, or [`OUTSIDE`].
    pub(crate) of: Vec<u32>,
    /// The number of components. A component leads only to components with smaller numbers.
    pub(crate) count: usize,
    /// The nodes as the search leaves them: a node comes after those it leads to, unless they lead back to it.
    order: Vec<u32>,
}

/// The nodes of all components in one list.
pub(crate) struct Groups {
    start: Vec<u32>,
    nodes: Vec<u32>,
}

impl Groups {
    /// The nodes of each component.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.start.windows(2).map(|ends| &self.nodes[ends[0] as usize..ends[1] as usize])
    }
}

impl Components {
    /// The nodes of each component.
    pub(crate) fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.count];
        for (node, &component) in self.of.iter().enumerate() {
            if component != OUTSIDE {
                members[component as usize].push(node as u32);
            }
        }
        members
    }

    /// The same without a list per component, each in the order in which the search leaves its nodes: news from
    /// outside a component travels far in one pass.
    pub(crate) fn groups(&self) -> Groups {
        let mut start = vec![0u32; self.count + 1];
        self.order.iter().for_each(|&node| start[self.of[node as usize] as usize + 1] += 1);
        for component in 0..self.count {
            start[component + 1] += start[component];
        }
        let (mut fill, mut nodes) = (start.clone(), vec![0u32; self.order.len()]);
        for &node in &self.order {
            let place = &mut fill[self.of[node as usize] as usize];
            nodes[*place as usize] = node;
            *place += 1;
        }
        Groups { start, nodes }
    }
}

/// The strongly connected components of the nodes for which `is_inside` holds.
///
/// `edges(node)` are the numbers of the edges of a node; `target(edge)` is the node that an edge leads
/// to, or `None` if it is deleted. Edges to other nodes are ignored.
pub(crate) fn strong_components(
    nodes: usize,
    is_inside: impl Fn(usize) -> bool,
    edges: impl Fn(usize) -> Range<usize>,
    target: impl Fn(usize) -> Option<usize>,
) -> Components {
    const UNSEEN: u32 = u32::MAX;
    let mut component = vec![OUTSIDE; nodes];
    let mut low = vec![UNSEEN; nodes];
    let mut open: Vec<u32> = Vec::new();
    let mut order: Vec<u32> = Vec::with_capacity(nodes);
    let mut path: Vec<(u32, u32, Range<usize>)> = Vec::new(); // node, its number, edges left
    let (mut numbered, mut count) = (0u32, 0u32);
    // After a stop no more edges are followed, and the components are too small.
    let mut is_stopped = Pulse::is_stopped();
    for root in 0..nodes {
        if low[root] != UNSEEN || !is_inside(root) {
            continue;
        }
        low[root] = numbered;
        path.push((root as u32, numbered, edges(root)));
        open.push(root as u32);
        numbered += 1;
        while let Some((node, number, left)) = path.last_mut() {
            let (node, number) = (*node as usize, *number);
            if let Some(edge) = left.next().filter(|_| !is_stopped) {
                let Some(next) = target(edge).filter(|&next| is_inside(next)) else { continue };
                if low[next] == UNSEEN {
                    low[next] = numbered;
                    path.push((next as u32, numbered, edges(next)));
                    open.push(next as u32);
                    numbered += 1;
                    if numbered % 1024 == 0 {
                        is_stopped = Pulse::is_stopped();
                    }
                } else if component[next] == OUTSIDE {
                    low[node] = low[node].min(low[next]);
                }
                continue;
            }
            path.pop();
            order.push(node as u32);
            if let Some((parent, ..)) = path.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == number {
                while let Some(member) = open.pop() {
                    component[member as usize] = count;
                    if member as usize == node {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    Components { of: component, count: count as usize, order }
}

/// The nodes as a depth-first search leaves them: a node comes after those it leads to, unless they lead
/// back to it.
pub(crate) fn postorder(
    nodes: usize,
    edges: impl Fn(usize) -> Range<usize>,
    target: impl Fn(usize) -> usize,
) -> Vec<u32> {
    let mut order = Vec::with_capacity(nodes);
    let mut is_seen = vec![false; nodes];
    let mut path: Vec<(u32, Range<usize>)> = Vec::new(); // node, edges left
    for root in 0..nodes {
        if std::mem::replace(&mut is_seen[root], true) {
            continue;
        }
        path.push((root as u32, edges(root)));
        while let Some((node, left)) = path.last_mut() {
            match left.next().map(&target) {
                Some(next) if !is_seen[next] => {
                    is_seen[next] = true;
                    path.push((next as u32, edges(next)));
                }
                Some(_) => {}
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    order
}

/// True for the nodes reachable from the given ones, themselves included.
pub(crate) fn reachable_from(
    nodes: usize,
    from: impl IntoIterator<Item = usize>,
    mut successors: impl FnMut(usize, &mut dyn FnMut(usize)),
) -> Vec<bool> {
    let mut is_reached = vec![false; nodes];
    let mut open = Vec::new();
    for node in from {
        if !is_reached[node] {
            is_reached[node] = true;
            open.push(node);
        }
    }
    while let Some(node) = open.pop() {
        successors(node, &mut |next| {
            if !is_reached[next] {
                is_reached[next] = true;
                open.push(next);
            }
        });
    }
    is_reached
}

/// The reversed edges of a graph: for every node, the owners of the edges that lead to it.
#[derive(Debug, Clone)]
pub(crate) struct Reversed {
    start: Vec<usize>,
    owner: Vec<u32>,
}

impl Reversed {
    /// Reverses the edges `(owner, target)` that `each_edge` lists; it is called twice.
    pub(crate) fn new(nodes: usize, each_edge: impl Fn(&mut dyn FnMut(u32, usize))) -> Self {
        let mut start = vec![0usize; nodes + 1];
        each_edge(&mut |_, target| start[target + 1] += 1);
        for node in 0..nodes {
            start[node + 1] += start[node];
        }
        let mut fill = start.clone();
        let mut owner = vec![0u32; start[nodes]];
        each_edge(&mut |from, target| {
            owner[fill[target]] = from;
            fill[target] += 1;
        });
        Self { start, owner }
    }

    /// The owners of the edges that lead to `node`.
    pub(crate) fn owners(&self, node: usize) -> &[u32] {
        &self.owner[self.start[node]..self.start[node + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::RandomStream;

    #[test]
    fn components_agree_with_petgraph_on_random_graphs() {
        let mut random = RandomStream::new(1);
        for case in 0..300 {
            let nodes = 1 + random.below(12) as usize;
            let list: Vec<(usize, usize)> = (0..random.below(3 * nodes as u64))
                .map(|_| (random.below(nodes as u64) as usize, random.below(nodes as u64) as usize))
                .collect();
            let mut sorted = list.clone();
            sorted.sort_unstable();
            let edges = |node: usize| {
                sorted.partition_point(|e| e.0 < node)..sorted.partition_point(|e| e.0 <= node)
            };
            let found = strong_components(nodes, |_| true, edges, |edge| Some(sorted[edge].1));
            let mut graph = petgraph::graph::DiGraph::<(), ()>::new();
            let ids: Vec<_> = (0..nodes).map(|_| graph.add_node(())).collect();
            for &(a, b) in &list {
                graph.add_edge(ids[a], ids[b], ());
            }
            let mut expected: Vec<Vec<u32>> = petgraph::algo::kosaraju_scc(&graph)
                .into_iter()
                .map(|c| c.into_iter().map(|id| id.index() as u32).collect::<Vec<_>>())
                .collect();
            let mut members = found.members();
            for &(a, b) in &list {
                assert!(found.of[a] >= found.of[b], "case {case}: order of components");
            }
            expected.iter_mut().for_each(|c| c.sort_unstable());
            expected.sort();
            members.sort();
            assert_eq!(members, expected, "case {case}");
        }
    }

    #[test]
    fn a_chain_of_a_million_nodes_does_not_overflow_the_stack() {
        let n = 1_000_000;
        let found =
            strong_components(n, |_| true, |v| v..v + 1, |edge| Some((edge + 1).min(n - 1)));
        assert_eq!(found.count, n);
        let ring = strong_components(n, |_| true, |v| v..v + 1, |edge| Some((edge + 1) % n));
        assert_eq!(ring.count, 1);
    }
}
