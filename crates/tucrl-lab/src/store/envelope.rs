//! What is the file format of runs and checkpoints?
//!
//! Three lines, each ended by a newline. The first is a JSON header: format, version, the BLAKE3 hash of
//! the body, and where the file comes from. The second is the body, in JSON. The third seals both: the
//! BLAKE3 hash of all bytes before it. The body depends on the cell only, so equal body hashes mean equal results.
//!
//! Every version keeps these three lines and the meaning of `format`, `version` and `blake3`, so that an old program
//! recognises a newer file as newer, not as damaged.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Damage, StoreError};
use crate::formats::FormatError;
use crate::formats::disk::{Disk, patiently};
use crate::formats::save::replace_on;
use crate::record::{Provenance, StoredRun};

/// The version that is written, and the last one that is read. Version 1 wrote the algorithm as a nested enum in
/// `spec.algorithm`; versions 1 and 2 took logarithms and powers from the C library of the platform; up to version 3
/// plans of `ucrl` and `tucrl-plus` started from 0 by default. Their finished runs are still read, their checkpoints are not: continued now, a run would have the bits of neither version.
pub const VERSION: u32 = 4;
/// The first version whose runs have the values that this program computes.
pub const SAME_VALUES: u32 = 4;
/// The first version that was ever written.
const FIRST: u32 = 1;
const SEAL: &str = "blake3 ";

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A finished run.
    #[serde(rename = "tucrl-run")]
    Run,
    /// An unfinished run.
    #[serde(rename = "tucrl-state")]
    State,
    /// An agent driven by another program.
    #[serde(rename = "tucrl-agent")]
    Agent,
    /// Curves of another program.
    #[serde(rename = "tucrl-import")]
    Import,
}

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The kind of the file.
    pub format: Kind,
    /// The version of the format.
    pub version: u32,
    /// The hash of the body, without its newline.
    pub blake3: String,
    /// Where, when and how fast it was computed.
    pub provenance: Provenance,
}

/// The part of the header that is the same in all versions.
#[derive(Deserialize)]
struct Versioned {
    version: u64,
}

/// The content of a file. The path is for errors.
pub(super) fn sealed(
    path: &Path,
    format: Kind,
    body: &str,
    provenance: &Provenance,
) -> Result<String, StoreError> {
    let blake3 = blake3::hash(body.as_bytes()).to_hex().to_string();
    let header = Header { format, version: VERSION, blake3, provenance: provenance.clone() };
    let header = serde_json::to_string(&header).map_err(|_| lossy(path))?;
    let mut sealed = format!("{header}\n{body}\n");
    let seal = blake3::hash(sealed.as_bytes()).to_hex();
    sealed += &format!("{SEAL}{seal}\n");
    Ok(sealed)
}

/// Writes a file atomically and syncs it.
pub(super) fn write(
    disk: &dyn Disk,
    path: &Path,
    format: Kind,
    body: &str,
    provenance: &Provenance,
) -> Result<(), StoreError> {
    let sealed = sealed(path, format, body, provenance)?;
    Ok(replace_on(disk, path, sealed.as_bytes())?)
}

/// The body of a finished run.
pub(super) fn body_of(path: &Path, run: &StoredRun) -> Result<String, StoreError> {
    let body = serde_json::to_string(run).map_err(|_| lossy(path))?;
    // JSON has no infinities: fail now instead of finding a damaged file later.
    match serde_json::from_str::<StoredRun>(&body).is_ok_and(|back| back == *run) {
        true => Ok(body),
        false => Err(lossy(path)),
    }
}

/// The run of a body.
pub(super) fn run_of(path: &Path, header: &Header, body: &str) -> Result<StoredRun, StoreError> {
    match header.format {
        Kind::Run => understand(path, body),
        _ => Err(malformed(path, &"it is another kind of file")),
    }
}

/// Reads a file of a known kind and verifies its hashes.
pub(super) fn read<T: DeserializeOwned>(
    disk: &dyn Disk,
    path: &Path,
    format: Kind,
) -> Result<(Header, T), StoreError> {
    let (header, body) = open(disk, path)?;
    if header.format != format {
        return Err(malformed(path, &"it is another kind of file"));
    }
    let body = understand(path, &body)?;
    Ok((header, body))
}

/// Reads a file of any kind and verifies it, without parsing the body.
pub(super) fn open(disk: &dyn Disk, path: &Path) -> Result<(Header, String), StoreError> {
    let bytes = patiently(|| disk.read(path)).map_err(|source| FormatError::io(path, source))?;
    parse(path, &bytes)
}

/// Verifies the content of a file of any kind, without parsing the body.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<(Header, String), StoreError> {
    let damaged = |damage| StoreError::Damaged { path: path.into(), damage };
    let sealed = unsealed(bytes).map_err(damaged)?;
    let no_body = || malformed(path, &"it has no body");
    let (header, body) = sealed.split_once('\n').ok_or_else(no_body)?;
    let body = body.strip_suffix('\n').unwrap_or(body);
    let Versioned { version } = understand(path, header)?;
    if version > VERSION.into() {
        return Err(StoreError::NewerVersion { path: path.into(), found: version, known: VERSION });
    }
    if version < FIRST.into() {
        return Err(malformed(path, &format!("there is no version {version} of its format")));
    }
    let header: Header = understand(path, header)?;
    if header.blake3 != blake3::hash(body.as_bytes()).to_hex().as_str() {
        return Err(damaged(Damage::Checksum));
    }
    Ok((header, body.into()))
}

/// Refuses checkpoints of earlier versions, which describe learners in another form or have other values.
pub(super) fn refuse_older(path: &Path, header: &Header) -> Result<(), StoreError> {
    match header.version < VERSION && !matches!(header.format, Kind::Run | Kind::Import) {
        true => Err(StoreError::OlderVersion {
            path: path.into(),
            found: header.version,
            known: VERSION,
        }),
        false => Ok(()),
    }
}

/// Parses a line of JSON.
pub(super) fn understand<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| malformed(path, &error))
}

fn malformed(path: &Path, what: &dyn std::fmt::Display) -> StoreError {
    let damage = Damage::Malformed { what: what.to_string() };
    StoreError::Damaged { path: path.into(), damage }
}

/// Everything before the last line, if that is a valid seal.
fn unsealed(bytes: &[u8]) -> Result<&str, Damage> {
    let line = bytes.strip_suffix(b"\n").ok_or(Damage::Truncated)?;
    let start = line.iter().rposition(|&byte| byte == b'\n').ok_or(Damage::Truncated)? + 1;
    let seal = line[start..].strip_prefix(SEAL.as_bytes()).ok_or(Damage::Truncated)?;
    if blake3::hash(&bytes[..start]).to_hex().as_bytes() != seal {
        return Err(Damage::Checksum);
    }
    std::str::from_utf8(&bytes[..start])
        .map_err(|error| Damage::Malformed { what: error.to_string() })
}

pub(super) fn lossy(path: &Path) -> StoreError {
    StoreError::Lossy { path: path.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::disk::System;

    fn provenance() -> Provenance {
        Provenance {
            version: "0".into(),
            revision: None,
            machine: "here".into(),
            sessions: 1,
            finished: 5,
            simulate_seconds: 0.25,
            plan_seconds: 0.5,
        }
    }

    /// A sealed file whose header names a version.
    fn write_as(version: u32, path: &Path, kind: Kind) {
        write(&System, path, kind, "[1]", &provenance()).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let (now, then) = (format!("\"version\":{VERSION},"), format!("\"version\":{version},"));
        let sealed = text[..text.rfind(SEAL).unwrap()].replace(&now, &then);
        let seal = blake3::hash(sealed.as_bytes()).to_hex();
        std::fs::write(path, format!("{sealed}{SEAL}{seal}\n")).unwrap();
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.run");
        write(&System, &path, Kind::Run, "[1,2,3]", &provenance()).unwrap();
        let (header, body): (_, Vec<u32>) = read(&System, &path, Kind::Run).unwrap();
        assert_eq!((header.provenance, body), (provenance(), vec![1, 2, 3]));
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let error = read::<Vec<u32>>(&System, &path, Kind::Run).unwrap_err();
            assert!(matches!(error, StoreError::Damaged { .. }), "{cut}: {error}");
            for bit in 0..8 {
                let mut flipped = whole.clone();
                flipped[cut] ^= 1 << bit;
                std::fs::write(&path, &flipped).unwrap();
                let error = read::<Vec<u32>>(&System, &path, Kind::Run).unwrap_err();
                assert!(matches!(error, StoreError::Damaged { .. }), "{cut}, {bit}: {error}");
            }
        }
    }

    #[test]
    fn a_newer_file_is_newer_and_not_broken_and_there_is_no_version_0() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.run");
        let read_version = |version: u64| {
            let header = format!("{{\"format\":\"tucrl-run\",\"version\":{version},\"new\":{{}}}}");
            let sealed = format!("{header}\nbody of the future\n");
            let seal = blake3::hash(sealed.as_bytes()).to_hex();
            std::fs::write(&path, format!("{sealed}blake3 {seal}\n")).unwrap();
            read::<Vec<u32>>(&System, &path, Kind::Run).unwrap_err()
        };
        for version in [5, u64::from(u32::MAX) + 1, u64::MAX] {
            let error = read_version(version);
            assert!(
                matches!(error, StoreError::NewerVersion { found, known: 4, .. } if found == version),
                "{error}"
            );
        }
        let error = read_version(0);
        assert!(error.to_string().ends_with("there is no version 0 of its format"), "{error}");
    }

    #[test]
    fn version_0_is_no_version_even_with_the_header_of_version_1() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.run");
        write_as(0, &path, Kind::Run);
        let error = read::<Vec<u32>>(&System, &path, Kind::Run).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    }

    #[test]
    fn runs_of_earlier_versions_are_read_and_checkpoints_are_not_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.run");
        for version in 1..VERSION {
            for kind in [Kind::Run, Kind::State, Kind::Agent] {
                write_as(version, &path, kind);
                let (header, body) = read::<Vec<u32>>(&System, &path, kind).unwrap();
                assert_eq!((header.version, body), (version, vec![1]));
                match (kind, refuse_older(&path, &header)) {
                    (Kind::Run, Ok(())) => {}
                    (_, Err(StoreError::OlderVersion { found, known: VERSION, .. })) => {
                        assert_eq!(found, version);
                    }
                    (kind, answer) => panic!("{kind:?} of version {version}: {answer:?}"),
                }
            }
        }
        write(&System, &path, Kind::State, "[1]", &provenance()).unwrap();
        let (header, _) = read::<Vec<u32>>(&System, &path, Kind::State).unwrap();
        assert!(refuse_older(&path, &header).is_ok());
    }

    #[test]
    fn a_state_is_not_taken_for_a_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.run");
        write(&System, &path, Kind::State, "[]", &provenance()).unwrap();
        let error = read::<Vec<u32>>(&System, &path, Kind::Run).unwrap_err();
        assert!(error.to_string().contains("another kind of file"), "{error}");
    }
}
