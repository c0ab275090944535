//! Model files in every format.

use std::path::Path;

use tucrl::mdp::Mdp;
use tucrl_lab::formats::{IfExists, ReadOptions, read, write};

use super::{check_message, file, folder};

/// Compressed inputs may unpack to this much.
const UNPACKED: u64 = 1 << 20;

fn options() -> ReadOptions {
    ReadOptions { unpack_limit: Some(UNPACKED), ..ReadOptions::default() }
}

/// Reads a file; what was accepted comes back the same from every format that can be written.
fn check(path: &Path) {
    match read(path, &options()) {
        Err(error) => check_message(&error),
        Ok(mdp) => {
            ["back.json", "back.drn", "back.umb"].iter().for_each(|name| comes_back(&mdp, name))
        }
    }
}

fn comes_back(mdp: &Mdp, name: &str) {
    let path = folder().join(name);
    write(mdp, &path, IfExists::Replace).unwrap_or_else(|error| panic!("{name}: {error}"));
    let back =
        read(&path, &ReadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(&back, mdp, "{name} is another model");
}

/// Our own format.
pub fn json(bytes: &[u8]) {
    check(&file("input.json", bytes));
}

/// Storm's explicit format.
pub fn drn(bytes: &[u8]) {
    check(&file("input.drn", bytes));
}

/// Unified Markov binary: an archive, which may be compressed.
pub fn umb(bytes: &[u8]) {
    check(&file("input.umb", bytes));
}

/// PRISM's explicit files. The input has all of them, each after a line `@ending`; the first is that of transitions.
pub fn prism(bytes: &[u8]) {
    let endings = ["tra", "sta", "lab", "srew", "trew"];
    for ending in endings {
        // Absent: it may not be there.
        let _ = std::fs::remove_file(folder().join(format!("input.{ending}")));
    }
    let mut parts: Vec<(&str, Vec<u8>)> = vec![("tra", Vec::new())];
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let named = endings
            .iter()
            .find(|ending| line.strip_prefix(b"@") == Some(format!("{ending}\n").as_bytes()));
        match (named, parts.last_mut()) {
            (Some(ending), _) => parts.push((ending, Vec::new())),
            (None, Some(part)) => part.1.extend_from_slice(line),
            (None, None) => {}
        }
    }
    let files: Vec<_> =
        parts.iter().map(|(ending, part)| file(&format!("input.{ending}"), part)).collect();
    check(&files[0]);
}

/// Compressed files, of which the content is not looked for: that has its own targets.
pub fn gzip(bytes: &[u8]) {
    check(&file("input.json.gz", bytes));
    check(&file("input.drn.gz", bytes));
}
