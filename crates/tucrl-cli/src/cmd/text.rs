//! How is text laid out on a terminal of 80 columns?

use tucrl_lab::catalogue::OptionListing;

/// Page width in columns.
pub(super) const WIDTH: usize = 80;

/// The keys of a world or an agent: default, meaning, what is accepted.
pub(super) fn parameters(parameters: &[OptionListing]) -> String {
    let shown = |parameter: &OptionListing| format!("{}={}", parameter.key, parameter.default);
    let width = parameters.iter().map(|p| shown(p).chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for parameter in parameters {
        let mut lines = wrapped(&parameter.meaning, WIDTH - width - 4);
        let mut accepted = format!("accepts {}", parameter.accepts);
        if !parameter.aliases.is_empty() {
            accepted += &format!("; also spelled {}", parameter.aliases.join(", "));
        }
        lines.extend(wrapped(&accepted, WIDTH - width - 4));
        let mut head = shown(parameter);
        for line in lines {
            out += &format!("  {head:<width$}  {line}\n");
            head.clear();
        }
    }
    out
}

/// Escapes control characters, so that text stays on its line and cannot send terminal commands.
pub(super) fn printable(text: &str) -> String {
    text.chars().fold(String::new(), |mut shown, c| {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
        shown
    })
}

/// Breaks a paragraph into lines of at most `width` characters, between words.
pub(super) fn wrapped(paragraph: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in paragraph.split_whitespace() {
        let line = lines.len() - 1;
        let used = lines[line].chars().count();
        if used > 0 && used + 1 + word.chars().count() > width {
            lines.push(word.into());
        } else {
            let blank = if used > 0 { " " } else { "" };
            lines[line] += &format!("{blank}{word}");
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paragraphs_read_well() {
        assert_eq!(printable("δ a\n\u{1b}[1m"), "δ a\\n\\u{1b}[1m");
        assert_eq!(wrapped("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrapped("extraordinary", 3), ["extraordinary"]);
    }
}
