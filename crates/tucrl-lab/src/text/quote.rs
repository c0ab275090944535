//! Text that comes from files and arguments, as messages and tables show it.
//!
//! A control character could send a command to a terminal or begin a line that looks like one of ours; a bidirectional
//! control turns the text around it. Both are shown as escapes. A message quotes a piece of what it complains about,
//! not all of it.

use std::path::Path;

/// Characters that a quotation has at most.
const QUOTED: usize = 60;
/// Characters that a message or a path has at most.
const MESSAGE: usize = 400;

/// True for a character that ends a line, commands a terminal, or changes the direction of the text around it.
pub fn is_hidden(c: char) -> bool {
    let is_direction = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2066}'..='\u{2069}');
    // Line and paragraph separator and the older directions; the byte order mark has no width.
    c.is_control() || is_direction || matches!(c, '\u{2028}'..='\u{202e}' | '\u{feff}')
}

/// The text with hidden characters as escapes: `\n`, `\u{202e}`.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The same line by line: what the text calls a line stays one.
pub fn printable_lines(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

/// The beginning of a text, printable.
pub fn quoted(text: &str) -> String {
    let mut shown = printable(&text.chars().take(QUOTED).collect::<String>());
    if text.chars().nth(QUOTED).is_some() {
        shown.push('…');
    }
    shown
}

/// An argument in quotes, if a shell would read it differently without.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", printable(word).replace('\'', r"'\''")),
    }
}

/// A message that may quote much: printable, with its beginning and its end, which has the remedy.
pub fn clipped(message: &str) -> String {
    if message.chars().nth(MESSAGE).is_none() {
        return printable(message);
    }
    let half = MESSAGE / 2;
    let head: String = message.chars().take(half).collect();
    let mut tail: Vec<char> = message.chars().rev().take(half).collect();
    tail.reverse();
    format!("{} … {}", printable(&head), printable(&tail.into_iter().collect::<String>()))
}

/// A path in a message.
pub fn named(path: &Path) -> String {
    clipped(&path.to_string_lossy())
}

/// The first names of a list.
pub fn listed(names: &[String]) -> String {
    const MOST: usize = 8;
    let mut shown: Vec<String> = names.iter().take(MOST).map(|name| quoted(name)).collect();
    if names.len() > MOST {
        shown.push(format!("… ({} in all)", names.len()));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown_as_escapes() {
        assert_eq!(printable("δ a\n\u{1b}[1m"), "δ a\\n\\u{1b}[1m");
        assert_eq!(printable("a\u{202e}b\u{2028}\u{2067}"), "a\\u{202e}b\\u{2028}\\u{2067}");
        assert_eq!(printable(&printable("\u{7f}\r")), "\\u{7f}\\r", "once is enough");
        assert_eq!(printable_lines("a\tb\n\u{1b}c\n"), "a\\tb\n\\u{1b}c\n");
        // Joiners belong to words and emoji.
        assert_eq!(printable("👩\u{200d}🔬 état"), "👩\u{200d}🔬 état");
    }

    #[test]
    fn a_message_has_a_limit_and_keeps_its_ends() {
        assert_eq!(quoted("short"), "short");
        assert_eq!(quoted(&"x".repeat(1 << 20)), format!("{}…", "x".repeat(QUOTED)));
        assert_eq!(clipped("bad\tvalue: write 1"), "bad\\tvalue: write 1");
        let long = clipped(&format!("`{}` is wrong: write 1", "é".repeat(1 << 20)));
        assert!(long.starts_with("`éé") && long.ends_with("éé` is wrong: write 1"), "{long}");
        assert_eq!(long.chars().count(), MESSAGE + 3);
        let names: Vec<String> = (0..100).map(|name| name.to_string()).collect();
        assert_eq!(listed(&names), "0, 1, 2, 3, 4, 5, 6, 7, … (100 in all)");
        assert_eq!(listed(&names[..2]), "0, 1");
    }
}
