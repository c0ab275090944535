//! Writes the first inputs of the targets `record` and `checkpoint`, one of each agent, after the format of stored runs has changed:
//! `cargo run --manifest-path fuzz/Cargo.toml --example seeds`.

use std::path::Path;

use tucrl_lab::Catalogue;

fn main() -> std::io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for agent in Catalogue::default().agents() {
        let name = agent.about().name;
        let spec = match name {
            // Without rules of thumb for this world.
            "heuristic" => continue,
            "scal" => "scal:c=7",
            "regal-c" => "regal-c:h=7",
            other => other,
        };
        std::fs::write(corpus.join("checkpoint").join(name), tucrl_fuzz::checkpoint_body(spec))?;
    }
    std::fs::write(corpus.join("record").join("tucrl"), tucrl_fuzz::record_body())
}
