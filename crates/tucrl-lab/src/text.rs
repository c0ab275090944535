//! How are numbers, paragraphs and text from elsewhere formatted, in all outputs?

mod quote;

use std::time::Duration;

use tucrl::math;

pub use quote::{
    clipped, is_hidden, listed, named, printable, printable_lines, quoted, shell_word,
};

/// Significant digits of [`number`].
const DIGITS: i32 = 10;

/// Ten significant digits without trailing zeros; very small and very large ones with an exponent.
pub fn number(value: f64) -> String {
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

/// Aligned numbers: eight digits for the largest, the same decimals for the others.
pub fn column(values: &[f64]) -> Vec<String> {
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

/// The number of decimals that gives ten digits.
fn decimals(exponent: i32) -> usize {
    usize::try_from(DIGITS - 1 - exponent).unwrap_or(0)
}

/// A value and its error bound, as in `0.3558362138 ± 2e-14`.
pub fn with_error(value: f64, error: f64) -> String {
    let bound = rounded_up(error);
    // Hide digits below the error.
    let known = usize::try_from(1 - exponent(error)).unwrap_or(0);
    let shown = number(value);
    match shown.split_once('.') {
        Some((_, fraction)) if error > 0.0 && !shown.contains('e') && fraction.len() > known => {
            format!("{} ± {bound}", trim(&format!("{value:.known$}")))
        }
        _ => format!("{shown} ± {bound}"),
    }
}

/// Rounded up to one digit.
pub fn rounded_up(error: f64) -> String {
    let text = format!("{error:.0e}");
    if text.parse::<f64>().is_ok_and(|shown| shown >= error) {
        return if error == 0.0 { "0".into() } else { text };
    }
    match text.split_once('e').map(|(digit, exponent)| (digit.parse::<u32>(), exponent)) {
        // 9 was rounded down: the next is 10.
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

/// At least this number of significant digits; whole numbers in full up to ten million.
pub fn digits(value: f64, count: i32) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let rounded = format!("{value:.*e}", (count - 1).max(0) as usize);
    // Use the exponent of the rounded number: 0.9996 with three digits is 1.00.
    let exponent = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if !(-4..7).contains(&exponent) {
        return rounded;
    }
    format!("{value:.*}", (count - 1 - exponent).max(0) as usize)
}

/// A number of bytes.
pub fn bytes(count: u64) -> String {
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

/// A duration in words: 12 seconds, 5 minutes, 3.5 hours.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..60.0 => counted(seconds.round() as usize, "second"),
        ..5400.0 => counted((seconds / 60.0).round() as usize, "minute"),
        _ => format!("{:.1} hours", seconds / 3600.0),
    }
}

/// With its first letter as a capital.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// `1 state`, `2 states`.
pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// A number with digits by magnitude, thousands grouped.
pub fn grouped(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() || size >= 1e15 {
        return format!("{value:.3e}");
    }
    let decimals = match size {
        _ if value == value.trunc() || size >= 1000.0 => 0,
        _ if size >= 10.0 => 1,
        _ if size >= 0.1 => 2,
        _ => return format!("{value:.1e}"),
    };
    let text = format!("{size:.decimals$}");
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::new();
    for (index, digit) in whole.chars().enumerate() {
        // A narrow no-break space: a comma could be read as a decimal point.
        if index > 0 && (whole.len() - index).is_multiple_of(3) && whole.len() > 4 {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    let sign = if value < 0.0 { "−" } else { "" };
    format!("{sign}{out}{rest}")
}

/// At most six decimals, without trailing zeros.
pub fn six_decimals(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A mean and half its Student interval; a half that only the rounding of sums can have caused is 0.
pub fn with_half(mean: f64, interval: Option<(f64, f64)>) -> String {
    let Some((_, high)) = interval else { return grouped(mean) };
    let half = match high - mean {
        half if half <= 1e-12 * mean.abs() => 0.0,
        // Both end at the same digit.
        half if mean.abs() >= 1000.0 && half >= 1.0 => half.round(),
        half => half,
    };
    format!("{} ± {}", grouped(mean), grouped(half))
}

/// The exponent of a growth in a report: two decimals, a minus sign.
pub fn growth(exponent: f64) -> String {
    plain_growth(exponent).replace('-', "−")
}

/// The same on a terminal: a hyphen.
pub fn plain_growth(exponent: f64) -> String {
    // Rounded first: what is shown as 0 has no sign.
    format!("{:.2}", (100.0 * exponent).round() / 100.0 + 0.0)
}

/// A p-value: three decimals, and never 0.
pub fn p_value(p: f64) -> String {
    if p < 0.001 { "p < 0.001".into() } else { format!("p = {p:.3}") }
}

/// The fewest digits that read back to the same number.
pub fn exact(value: f64) -> String {
    if value != 0.0 && !(1e-5..1e16).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// The label of a tick on a linear axis: 0.25, 950, 20k, 1.5M.
pub fn tick(value: f64) -> String {
    let (unit, letter) = match value.abs() {
        size if size >= 1e12 => return format!("{value:.0e}"),
        size if size >= 1e9 => (1e9, "G"),
        size if size >= 1e6 => (1e6, "M"),
        size if size >= 1e4 => (1e3, "k"),
        _ => (1.0, ""),
    };
    // Ten decimals hide rounding errors such as 0.1 + 0.2.
    let text = format!("{:.10}", value / unit);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let text = if text == "-0" { "0" } else { text };
    format!("{text}{letter}").replace('-', "−")
}

/// The label of a tick on a logarithmic axis, a power of ten: 0.01, 1, 10, 10², 10³.
pub fn power(exponent: i32) -> String {
    match exponent {
        ..=-1 => format!("{:.*}", exponent.unsigned_abs() as usize, math::powi(10.0, exponent)),
        0 => "1".into(),
        1 => "10".into(),
        _ => {
            let digit = |c: char| c.to_digit(10).and_then(|d| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(d as usize));
            format!("10{}", exponent.to_string().chars().filter_map(digit).collect::<String>())
        }
    }
}

/// Three digits, thousands grouped, a minus sign; below 0.001 two digits and an exponent.
pub fn three_digits(value: f64) -> String {
    let size = value.abs();
    let text = if size == 0.0 {
        "0".into()
    } else if size >= 1000.0 {
        grouped(value)
    } else if size >= 1e-3 {
        let digits = (2 - math::log10(size).floor() as i32).max(0) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.1e}")
    };
    text.replace('-', "−")
}

/// A duration with three digits.
pub fn stopwatch(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (1e3 * s, "ms"),
        s if s >= 1e-6 => (1e6 * s, "µs"),
        s => (1e9 * s, "ns"),
    };
    let decimals = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.decimals$} {unit}")
}

/// Four digits; whole numbers in full up to ten million.
pub fn four_digits(value: f64) -> String {
    if !value.is_finite() {
        return "infinite".into();
    }
    if value == 0.0 || (1e-3..1e7).contains(&value) {
        let decimals = if value >= 1000.0 || value.fract() == 0.0 { 0 } else { 3 };
        return format!("{value:.decimals$}");
    }
    format!("{value:.3e}")
}

/// A number of steps in few characters: `950`, `12.3k`, `4.56M`, `1.00G`.
pub fn short_count(count: u64) -> String {
    let mut value = count as f64;
    if count < 1000 {
        return count.to_string();
    }
    for unit in ["k", "M"] {
        value /= 1000.0;
        // Where three digits would round up to a thousand, use the next unit.
        if value < 999.5 {
            return format!("{}{unit}", digits(value, 3));
        }
    }
    format!("{}G", digits(value / 1000.0, 3))
}

/// A remaining time: `59 s`, `1:01 min`, `2:01 h`.
pub fn countdown(seconds: f64) -> String {
    let seconds = seconds.min(1e9).round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{}:{:02} min", seconds / 60, seconds % 60),
        _ => format!("{}:{:02} h", seconds / 3600, seconds / 60 % 60),
    }
}

/// A mean with its interval, rounded to the interval, one exponent for both.
pub fn mean_and_half(mean: f64, half: Option<f64>) -> String {
    let Some(half) = half else { return digits(mean, 4) };
    let scale = mean.abs().max(half);
    if scale >= 1e7 {
        let exponent = math::log10(scale).floor() as i32;
        let unit = math::powi(10.0, exponent);
        return format!("({:.3} ± {:.3})e{exponent}", mean / unit, half / unit);
    }
    // Two digits of the interval, at most three decimals.
    let decimals = match half {
        0.0 => 1,
        half => (1 - math::log10(half).floor() as i32).clamp(0, 3) as usize,
    };
    format!("{:.decimals$} ± {half:.decimals$}", mean + 0.0)
}

/// A measured time: `under 1 ms`, `12 ms`, `1.23 s`.
pub fn short_duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => "under 1 ms".into(),
        s if s < 1.0 => format!("{:.0} ms", 1000.0 * s),
        s => format!("{} s", digits(s, 3)),
    }
}

/// A number of states in six characters: in full below a million, two digits above.
pub fn rough_count(count: u64) -> String {
    match count {
        many @ 1_000_000.. => format!("{:.1e}", many as f64),
        few => few.to_string(),
    }
}

/// A measured number with its unit: `12.3x`, `8.25 MB`.
pub fn with_unit(value: f64, unit: &str) -> String {
    if !value.is_finite() {
        return "unknown".into();
    }
    let number = digits(value, 3);
    let number = if number.contains('e') { number } else { trim(&number) };
    if unit == "x" { format!("{number}x") } else { format!("{number} {unit}") }
}

/// The nearest number with this number of significant digits.
pub fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

/// Breaks a paragraph into lines of at most `width` characters, between words.
pub fn wrapped(paragraph: &str, width: usize) -> Vec<String> {
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
    fn paragraphs_are_wrapped_between_words() {
        assert_eq!(wrapped("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrapped("extraordinary", 3), ["extraordinary"]);
    }

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
    fn sizes_times_and_counts_read_well() {
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
    }

    #[test]
    fn numbers_have_the_digits_they_deserve() {
        let shown = [
            (0.0, "0"),
            (1234.0, "1234"),
            (161_234.6, "161\u{202f}235"),
            (-1_500_000.0, "−1\u{202f}500\u{202f}000"),
            (12.345, "12.3"),
            (0.456, "0.46"),
            (0.000_123, "1.2e-4"),
        ];
        for (value, text) in shown {
            assert_eq!(grouped(value), text);
        }
        assert_eq!(with_half(100.0, Some((88.0, 112.0))), "100 ± 12");
        assert_eq!(with_half(2000.4, Some((1988.1, 2012.7))), "2000 ± 12");
    }

    #[test]
    fn numbers_have_three_digits() {
        let shown = [0.0, 0.5, -0.0625, 12.345, 999.4, 1234567.0, 2.5e-7].map(three_digits);
        assert_eq!(
            shown,
            ["0", "0.500", "−0.0625", "12.3", "999", "1\u{202f}234\u{202f}567", "2.5e−7"]
        );
    }

    #[test]
    fn durations_have_three_digits() {
        let nanoseconds = [7, 1_250, 65_000, 12_345_678, 310_000_000_000];
        let shown = nanoseconds.map(|n| stopwatch(Duration::from_nanos(n)));
        assert_eq!(shown, ["7.00 ns", "1.25 µs", "65.0 µs", "12.3 ms", "310 s"]);
    }

    #[test]
    fn numbers_have_four_digits() {
        let values = [0.0, 1.0, 72.066_666, 4008.4, 1e6, 1.587_212e8, f64::INFINITY];
        let expected = ["0", "1", "72.067", "4008", "1000000", "1.587e8", "infinite"];
        assert_eq!(values.map(four_digits), expected);
    }

    #[test]
    fn counts_and_times_are_short() {
        let counts =
            [950, 1000, 12_345, 999_499, 999_500, 4_560_000, 10_000_000_000].map(short_count);
        assert_eq!(counts, ["950", "1.00k", "12.3k", "999k", "1.00M", "4.56M", "10.0G"]);
        assert_eq!([0.4, 59.4, 61.0, 7260.0].map(countdown), ["0 s", "59 s", "1:01 min", "2:01 h"]);
    }

    #[test]
    fn intervals_show_the_digits_that_are_known() {
        let shown = [
            (466.87, Some(12.34), "467 ± 12"),
            (3.3333, Some(0.4567), "3.33 ± 0.46"),
            (0.5, Some(0.0), "0.5 ± 0.0"),
            (161_234.6, Some(1163.2), "161235 ± 1163"),
            (1.234_567e8, Some(2.5e6), "(1.235 ± 0.025)e8"),
            (-12.0, Some(30.0), "-12 ± 30"),
            (466.87, None, "466.9"),
            (123_456.7, None, "123457"),
            (2.5e8, None, "2.500e8"),
            (0.0, None, "0"),
            (0.000_123_456, None, "0.0001235"),
        ];
        for (mean, half, text) in shown {
            assert_eq!(mean_and_half(mean, half), text);
            // A column of `learn` has 22 characters.
            assert!(text.chars().count() < 22);
        }
    }

    #[test]
    fn rounding_shows_neither_as_an_interval_nor_as_a_sign() {
        assert_eq!(with_half(682.7, Some((682.7, 682.7 + 1.2e-13))), "682.7 ± 0");
        assert_eq!(with_half(1234.0, Some((1200.0, 1267.6))), "1234 ± 34");
        assert_eq!(with_half(0.0, Some((-1e-9, 1e-9))), "0 ± 1.0e-9");
        let shown = [-0.004, 0.004, -0.006, 0.57, -0.0].map(growth);
        assert_eq!(shown, ["0.00", "0.00", "−0.01", "0.57", "0.00"]);
    }

    #[test]
    fn a_p_value_is_never_zero() {
        let shown = [0.0, 1e-300, 0.000_999, 0.001, 0.0625, 0.9996, 1.0].map(p_value);
        let expected = ["p < 0.001", "p < 0.001", "p < 0.001", "p = 0.001", "p = 0.062"];
        assert_eq!(shown[..5], expected);
        assert_eq!(shown[5..], ["p = 1.000", "p = 1.000"]);
    }

    #[test]
    fn durations_are_short() {
        let shown = [0.0, 0.0123, 1.2345, 86_400.0].map(short_duration);
        assert_eq!(shown, ["under 1 ms", "12 ms", "1.23 s", "86400 s"]);
    }

    #[test]
    fn numbers_keep_three_digits_and_their_unit() {
        assert_eq!(
            [0.5, 1.05, 123.4, 12345.0].map(|x| with_unit(x, "x")),
            ["0.5x", "1.05x", "123x", "12345x"]
        );
        assert_eq!(with_unit(8.249, "MB"), "8.25 MB");
        assert_eq!(with_unit(f64::NAN, "MB"), "unknown");
    }
}
