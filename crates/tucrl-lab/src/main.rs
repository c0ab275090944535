//! The command `tucrl`.
fn main() {}
