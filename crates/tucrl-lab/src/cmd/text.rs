//! How do numbers and paragraphs look on a terminal of 80 columns?

use std::time::Duration;

use tucrl_lab::names::Parameter;

/// How wide a page is.
pub(super) const WIDTH: usize = 80;

/// How many digits are shown.
const DIGITS: i32 = 10;

/// The keys of a world or an agent: default, meaning, what is accepted.
pub(super) fn parameters(parameters: &[Parameter]) -> String {
    let shown = |parameter: &Parameter| format!("{}={}", parameter.key, parameter.default);
    let width = parameters.iter().map(|p| shown(p).chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for parameter in parameters {
        let mut lines = wrapped(parameter.meaning, WIDTH - width - 4);
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

/// Ten significant digits without trailing zeros; very small and very large ones with an exponent.
pub(super) fn number(value: f64) -> String {
    let exponent = exponent(value);
    if value == 0.0 || !value.is_finite() {
        value.abs().to_string()
    } else if (-5..15).contains(&exponent) {
        trim(&format!("{value:.*}", decimals(exponent)))
    } else {
        let text = format!("{value:.*e}", decimals(0));
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{exponent}", trim(digits))
    }
}

/// Numbers under each other, eight digits for the largest and as many decimals for the others.
pub(super) fn column(values: &[f64]) -> Vec<String> {
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if !(-5..15).contains(&exponent(largest)) {
        return values.iter().copied().map(number).collect();
    }
    let mut lines: Vec<String> = values
        .iter()
        .map(|value| {
            format!("{:.*}", decimals(exponent(largest).max(-1)).saturating_sub(2), value + 0.0)
        })
        .collect();
    let idle = lines.iter().map(|line| line.len() - trim(line).len()).min().unwrap_or(0);
    lines.iter_mut().for_each(|line| line.truncate(line.len() - idle));
    lines
}

/// The power of ten of the first digit, after rounding.
fn exponent(value: f64) -> i32 {
    let text = format!("{value:.*e}", decimals(0));
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// How many decimals make up ten digits.
fn decimals(exponent: i32) -> usize {
    usize::try_from(DIGITS - 1 - exponent).unwrap_or(0)
}

/// A value and how far it can be off, as in `0.3558362138 ± 2e-14`.
pub(super) fn with_error(value: f64, error: f64) -> String {
    let bound = rounded_up(error);
    // Digits that nobody knows are not shown.
    let known = usize::try_from(1 - exponent(error)).unwrap_or(0);
    let shown = number(value);
    match shown.split_once('.') {
        Some((_, fraction)) if error > 0.0 && !shown.contains('e') && fraction.len() > known => {
            format!("{} ± {bound}", trim(&format!("{value:.known$}")))
        }
        _ => format!("{shown} ± {bound}"),
    }
}

/// One digit, never less than the number.
pub(super) fn rounded_up(error: f64) -> String {
    let text = format!("{error:.0e}");
    if text.parse::<f64>().is_ok_and(|shown| shown >= error) {
        return if error == 0.0 { "0".into() } else { text };
    }
    match text.split_once('e').map(|(digit, exponent)| (digit.parse::<u32>(), exponent)) {
        // 9 was rounded down, so that the next is 10.
        Some((Ok(9), exponent)) => {
            format!("1e{}", exponent.parse::<i32>().map_or(0, |exponent| exponent + 1))
        }
        Some((Ok(digit), exponent)) => format!("{}e{exponent}", digit + 1),
        _ => text,
    }
}

fn trim(digits: &str) -> String {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        digits.into()
    }
}

/// So many digits at least; whole numbers in full up to ten million.
pub(super) fn digits(value: f64, count: i32) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let rounded = format!("{value:.*e}", (count - 1).max(0) as usize);
    // Of the rounded number: 0.9996 with three digits is 1.00.
    let exponent = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if !(-4..7).contains(&exponent) {
        return rounded;
    }
    format!("{value:.*}", (count - 1 - exponent).max(0) as usize)
}

/// A number of bytes.
pub(super) fn bytes(count: u64) -> String {
    let mut size = count as f64;
    if count < 1000 {
        return format!("{count} bytes");
    }
    for unit in ["kB", "MB", "GB"] {
        size /= 1000.0;
        if size < 999.95 {
            return format!("{size:.1} {unit}");
        }
    }
    format!("{:.1} TB", size / 1000.0)
}

/// A time as people say it: 12 seconds, 5 minutes, 3.5 hours.
pub(super) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..60.0 => counted(seconds.round() as usize, "second"),
        ..5400.0 => counted((seconds / 60.0).round() as usize, "minute"),
        _ => format!("{:.1} hours", seconds / 3600.0),
    }
}

/// `1 state`, `2 states`.
pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Text that stays on its line and cannot command the terminal.
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
    fn numbers_have_ten_digits_and_no_idle_zeros() {
        let shown = [
            (0.0, "0"),
            (-0.0, "0"),
            (1.25, "1.25"),
            (0.355_836_213_772_932_7, "0.3558362138"),
            (72.066_666_666_666_66, "72.06666667"),
            (413_170.169_905, "413170.1699"),
            (199.999_999_999_999_9, "200"),
            (1e-5, "0.00001"),
            (9.999_999_999_9e-6, "0.00001"),
            (1.234e-6, "1.234e-6"),
            (123_456_789_012.0, "123456789012"),
            (1e15, "1e15"),
            (2.5e300, "2.5e300"),
        ];
        for (value, text) in shown {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn digits_beyond_the_error_are_not_shown() {
        assert_eq!(with_error(0.123456789, 2e-3), "0.1235 ± 2e-3");
        assert_eq!(with_error(0.123456789, 2e-30), "0.123456789 ± 2e-30");
        assert_eq!(with_error(123.456, 12.0), "123 ± 2e1");
        assert_eq!(with_error(1.5e-7, 1e-9), "1.5e-7 ± 1e-9");
    }

    #[test]
    fn columns_share_their_decimals() {
        assert_eq!(column(&[0.0, 0.5, 12.25]), [" 0.00", " 0.50", "12.25"].map(str::trim));
        assert_eq!(column(&[0.0, -0.0]), ["0", "0"]);
        assert_eq!(column(&[1.0 / 3.0, 100.0]), ["0.33333", "100.00000"]);
        assert_eq!(column(&[1e300, 0.5]), ["1e300", "0.5"]);
        assert!(column(&[]).is_empty());
    }

    #[test]
    fn an_error_is_never_rounded_down() {
        let shown = [(0.0, "0"), (2e-14, "2e-14"), (2.01e-14, "3e-14"), (9.2e-9, "1e-8")];
        for (error, text) in shown {
            assert_eq!(with_error(0.5, error), format!("0.5 ± {text}"));
        }
    }

    #[test]
    fn sizes_names_and_paragraphs_read_well() {
        let times = [0.4, 1.2, 59.0, 61.0, 290.0, 12_600.0];
        let said = times.map(|seconds| duration(Duration::from_secs_f64(seconds)));
        let minutes = ["1 minute", "5 minutes", "3.5 hours"];
        assert_eq!(said[..3], ["0 seconds", "1 second", "59 seconds"]);
        assert_eq!(said[3..], minutes);
        assert_eq!(bytes(999), "999 bytes");
        assert_eq!(bytes(1234), "1.2 kB");
        assert_eq!(bytes(999_960), "1.0 MB");
        assert_eq!(bytes(5_000_000_000_000), "5.0 TB");
        assert_eq!(
            (counted(1, "state"), counted(0, "state")),
            ("1 state".into(), "0 states".into())
        );
        assert_eq!(printable("δ a\n\u{1b}[1m"), "δ a\\n\\u{1b}[1m");
        assert_eq!(wrapped("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrapped("extraordinary", 3), ["extraordinary"]);
    }
}
