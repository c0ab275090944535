//! How is text laid out for the width of the terminal, 80 columns where there is none?
//!
//! Pages are laid out for [`page_width`]. Lines that are wider all the same, such as those of tables, are folded
//! between words when they are shown, so that a terminal never breaks a word.

use std::io::{self, IsTerminal};

use terminal_size::{Width, terminal_size};
use tucrl_lab::catalogue::OptionListing;
use tucrl_lab::text::{shell_word, wrapped};

/// Page width where the terminal is not narrower.
const WIDTH: usize = 80;
/// Narrower terminals are treated as this wide.
const NARROWEST: usize = 20;

/// The columns of a terminal, or those that `COLUMNS` asks for; none for files and pipes.
fn columns(is_terminal: bool) -> Option<usize> {
    let terminal = is_terminal.then(terminal_size).flatten().map(|(Width(width), _)| width.into());
    let asked = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal.or_else(asked).map(|columns: usize| columns.max(NARROWEST))
}

/// The width of pages on the standard output.
pub(super) fn page_width() -> usize {
    columns(io::stdout().is_terminal()).map_or(WIDTH, |columns| columns.min(WIDTH))
}

/// A text for the standard output, its lines folded to the width of the terminal.
pub(super) fn for_stdout(text: String) -> String {
    folded(text, columns(io::stdout().is_terminal()))
}

/// A text for the standard error, its lines folded to the width of the terminal.
pub(super) fn for_stderr(text: String) -> String {
    folded(text, columns(io::stderr().is_terminal()))
}

fn folded(text: String, width: Option<usize>) -> String {
    let Some(width) = width else { return text };
    if text.lines().all(|line| line.chars().count() <= width) {
        return text;
    }
    let mut out: String = text.lines().flat_map(|line| fold(line, width)).collect();
    if !text.ends_with('\n') {
        out.pop();
    }
    out
}

/// A line folded between words. The rest is indented: below the second column if there is one in the first half of
/// the line, by two more blanks if not.
fn fold(line: &str, width: usize) -> Vec<String> {
    let mut rest: Vec<char> = line.chars().collect();
    let is_blank = |place: usize| rest.get(place).is_some_and(|c| *c == ' ');
    let first = rest.iter().take_while(|c| **c == ' ').count();
    let gap = (first..rest.len()).find(|&place| is_blank(place) && is_blank(place + 1));
    let second = gap.and_then(|gap| (gap..rest.len()).find(|&place| !is_blank(place)));
    let indent = second.filter(|&second| second <= width / 2).unwrap_or((first + 2).min(width / 2));
    let mut lines = Vec::new();
    while rest.len() > width {
        let begin = rest.iter().take_while(|c| **c == ' ').count();
        // The last blank that leaves at most `width` characters; else the first one after a word that is too long.
        let fits = (begin..=width).rev().find(|&place| rest[place] == ' ');
        let long = || (begin.max(width)..rest.len()).find(|&place| rest[place] == ' ');
        let place = fits.or_else(long);
        let Some(place) = place else { break };
        let tail = rest.split_off(place);
        lines.push(rest.into_iter().collect::<String>().trim_end().to_owned() + "\n");
        let tail = tail.into_iter().skip_while(|c| *c == ' ');
        rest = std::iter::repeat_n(' ', indent).chain(tail).collect();
    }
    lines.push(rest.into_iter().collect::<String>() + "\n");
    lines
}

/// The keys of a world or an agent: default, meaning, what is accepted.
pub(super) fn parameters(parameters: &[OptionListing]) -> String {
    let shown = |parameter: &OptionListing| match parameter.default.as_str() {
        "" => parameter.key.clone(),
        default => format!("{}={default}", parameter.key),
    };
    let widest = parameters.iter().map(|p| shown(p).chars().count()).max().unwrap_or(0);
    // On a narrow terminal long heads stand alone.
    let width = widest.min(page_width() / 2);
    let room = page_width() - width - 4;
    let mut out = String::new();
    for parameter in parameters {
        let mut lines = wrapped(&parameter.meaning, room);
        let must = if parameter.default.is_empty() { "must be given; " } else { "" };
        let mut accepted = format!("{must}accepts {}", parameter.accepts);
        if !parameter.aliases.is_empty() {
            accepted += &format!("; also spelled {}", parameter.aliases.join(", "));
        }
        lines.extend(wrapped(&accepted, room));
        let mut head = shown(parameter);
        if head.chars().count() > width {
            out += &format!("  {head}\n");
            head.clear();
        }
        for line in lines {
            out += &format!("  {head:<width$}  {line}\n");
            head.clear();
        }
    }
    out
}

/// The line that says what to type next: the command with these arguments, as a shell reads them.
pub(super) fn next<T: AsRef<str>>(arguments: &[T]) -> String {
    let words: Vec<String> = arguments.iter().map(|word| shell_word(word.as_ref())).collect();
    format!("next  tucrl {}\n", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_command_can_be_pasted() {
        assert_eq!(next(&["report", "out/first"]), "next  tucrl report out/first\n");
        let world = "junk:base=(three-state:delta=0)";
        assert_eq!(next(&["learn", world]), format!("next  tucrl learn '{world}'\n"));
        assert_eq!(next(&["report", "it's"]), "next  tucrl report 'it'\\''s'\n");
    }

    #[test]
    fn lines_are_folded_between_words_and_indented() {
        let text = |lines: &str| folded(lines.into(), Some(20));
        assert_eq!(text("as it is\n"), "as it is\n");
        assert_eq!(text("  --n  how many runs of each"), "  --n  how many runs\n       of each");
        assert_eq!(text("one two three four five\nsix\n"), "one two three four\n  five\nsix\n");
        assert_eq!(
            text("  extraordinarily-long-names stay"),
            "  extraordinarily-long-names\n    stay"
        );
        assert_eq!(text(&format!("{:>30} b", "a")), format!("{:>30}\n{:>11}", "a", "b"));
        assert_eq!(folded("a line of any length".repeat(9), None).lines().count(), 1);
        let line = "name            a b c d e f g h i j k l m n o p q r s t u v w x y z";
        for width in NARROWEST..80 {
            let folded = folded(line.into(), Some(width));
            assert!(folded.split_whitespace().eq(line.split_whitespace()), "{folded}");
            assert!(folded.lines().all(|line| line.chars().count() <= width), "{folded}");
        }
    }
}
