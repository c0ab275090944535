//! How are figures of curves written for LaTeX?
//!
//! A document of the class `standalone` with one pgfplots axis, in pdfLaTeX. Coordinates have the digits of the CSV
//! files. On a logarithmic axis bands that reach below the axis end at it, and pgfplots leaves out values ≤ 0.

use std::fmt::Write as _;

use plotters::style::RGBColor;
use tucrl::math;

use super::axis::Axis;
use super::curves::{Curve, CurvesFigure, Stroke};
use crate::text::printable;

const PREAMBLE: &str = "\
\\documentclass[border=4pt]{standalone}
\\usepackage[utf8]{inputenc}
\\usepackage{textcomp}
\\usepackage{pgfplots}
\\pgfplotsset{compat=1.16}
";

/// The figure as a document.
pub fn tex(figure: &CurvesFigure) -> String {
    let mut out =
        format!("% Written by tucrl; compile with pdflatex.\n{PREAMBLE}\\begin{{document}}\n");
    out += "\\begin{tikzpicture}\n\\begin{axis}[\n  width=13cm, height=8cm, grid=major, grid style={gray!20},\n";
    out += "  legend pos=outer north east, legend cell align=left, legend style={draw=none, font=\\small},\n";
    out += "  title style={align=center}, unbounded coords=jump, filter discard warning=false,\n";
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "  title={{{}\\\\{{\\footnotesize {}}}}},",
        escaped(&figure.title),
        escaped(&figure.explanation)
    );
    out += &(axis("x", &figure.x) + &axis("y", &figure.y) + "]\n");
    for curve in &figure.curves {
        out += &band(curve, &figure.y);
    }
    for curve in &figure.curves {
        out += &line(curve);
    }
    out += "\\end{axis}\n";
    let note = figure.note();
    if !note.is_empty() {
        let _ = writeln!(
            out,
            "\\node[anchor=north west, font=\\footnotesize, text=gray] at (current axis.outer south west) {{{}}};",
            escaped(&note)
        );
    }
    out + "\\end{tikzpicture}\n\\end{document}\n"
}

fn axis(letter: &str, axis: &Axis) -> String {
    let (low, high) = ends(axis);
    let mode = if axis.is_log { format!("{letter}mode=log, ") } else { String::new() };
    let name = escaped(axis.name);
    format!("  {mode}{letter}min={low}, {letter}max={high}, {letter}label={{{name}}},\n")
}

/// The ends of an axis as values.
fn ends(axis: &Axis) -> (f64, f64) {
    let value = |place: f64| if axis.is_log { math::powf(10.0, place) } else { place };
    (value(axis.range.0), value(axis.range.1))
}

fn options(curve: &Curve) -> String {
    let RGBColor(red, green, blue) = curve.colour;
    let mut options = format!("color={{rgb,255:red,{red};green,{green};blue,{blue}}}");
    match curve.stroke {
        Stroke::Line => options += ", line width=1.1pt, mark=none",
        Stroke::Marked => options += ", line width=1.1pt, mark=*, mark size=1.6pt",
        Stroke::Thin => options += ", line width=0.6pt, mark=none",
        Stroke::Dashed => options += ", line width=0.8pt, dashed, mark=none",
        Stroke::Stairs => options += ", line width=1.1pt, const plot, mark=none",
        Stroke::Dots => options += ", only marks, mark=*, mark size=1.6pt",
        Stroke::Guide => options += ", dotted, mark=none",
    }
    if let Some((on, off)) = curve.dash {
        let _ = write!(options, ", dash pattern=on {on}pt off {off}pt");
    }
    options
}

fn coordinates(points: impl Iterator<Item = (f64, f64)>) -> String {
    points.map(|(x, y)| format!("  ({x},{y})\n")).collect()
}

fn line(curve: &Curve) -> String {
    let name = printable(&curve.name);
    let (kind, end) = match curve.stroke {
        Stroke::Guide => {
            let name = escaped(&name);
            ("guide", format!(" node[pos=0, anchor=south west, font=\\footnotesize] {{{name}}};\n"))
        }
        _ if name.is_empty() => ("curve", ";\n".into()),
        // Not the legend of the plot itself: pgfplots leaves out that of a curve without a value that it can draw.
        _ => {
            let (options, name) = (options(curve), escaped(&name));
            ("curve", format!(";\n\\addlegendimage{{{options}}}\n\\addlegendentry{{{name}}}\n"))
        }
    };
    let points = coordinates(curve.points.iter().copied());
    let options = options(curve);
    format!("% {kind}: {name}\n\\addplot[{options}, forget plot] coordinates {{\n{points}}}{end}")
}

fn band(curve: &Curve, y: &Axis) -> String {
    if curve.band.is_empty() {
        return String::new();
    }
    let RGBColor(red, green, blue) = curve.colour;
    // A logarithmic axis has no place for what is below it.
    let least = if y.is_log { ends(y).0 } else { f64::NEG_INFINITY };
    let low = curve.band.iter().map(|&(x, low, _)| (x, low.max(least)));
    let high = curve.band.iter().rev().map(|&(x, _, high)| (x, high.max(least)));
    format!(
        "% band: {}\n\\addplot[draw=none, fill={{rgb,255:red,{red};green,{green};blue,{blue}}}, fill opacity=0.18, \
         mark=none, forget plot] coordinates {{\n{}}} -- cycle;\n",
        printable(&curve.name),
        coordinates(low.chain(high))
    )
}

/// Text that LaTeX shows as it is. Characters that pdfLaTeX may not know become their number.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in printable(text).chars() {
        let known = match c {
            '\\' => "\\textbackslash{}",
            '{' => "\\{",
            '}' => "\\}",
            '$' => "\\$",
            '&' => "\\&",
            '#' => "\\#",
            '%' => "\\%",
            '_' => "\\_",
            '^' => "\\textasciicircum{}",
            '~' => "\\textasciitilde{}",
            '<' => "\\textless{}",
            '>' => "\\textgreater{}",
            '|' => "\\textbar{}",
            '"' => "''",
            '`' => "\\textasciigrave{}",
            '−' => "$-$",
            '–' => "--",
            '…' => "\\ldots{}",
            '√' => "$\\surd$",
            '≤' => "$\\le$",
            '≥' => "$\\ge$",
            '±' => "$\\pm$",
            '×' => "$\\times$",
            '·' => "$\\cdot$",
            '²' => "$^2$",
            '³' => "$^3$",
            '₀' => "$_0$",
            '\u{202f}' | '\u{a0}' => "~",
            'α' => "$\\alpha$",
            'β' => "$\\beta$",
            'γ' => "$\\gamma$",
            'δ' => "$\\delta$",
            'ε' => "$\\varepsilon$",
            'θ' => "$\\theta$",
            'λ' => "$\\lambda$",
            'τ' => "$\\tau$",
            c if c.is_ascii() => {
                out.push(c);
                continue;
            }
            c => {
                let _ = write!(out, "[U+{:04X}]", u32::from(c));
                continue;
            }
        };
        out += known;
    }
    // An axis option must not begin like an option list, nor contain an empty line.
    out.replace('[', "{[}").replace(']', "{]}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{PALETTE, guides};

    #[test]
    fn hostile_names_are_text() {
        let text = escaped("\\input{x} $a_b^c$ 50% #1 ~ <&> \"q\" `c` δ=0 界 [1]");
        for command in ["\\input", " $a_b", "50% ", " #1", "~ ", "<", ">", "\"", "界"] {
            assert!(!text.contains(command), "{command}: {text}");
        }
        assert!(text.contains("$\\delta$=0") && text.contains("U+754C"), "{text}");
    }

    #[test]
    fn coordinates_have_all_digits_and_bands_end_at_a_logarithmic_axis() {
        let points = vec![(10.0, 0.1 + 0.2), (100.0, -3.0), (1000.0, 1.0 / 3.0)];
        let (x, y) = (Axis::log("steps", 10.0, 1e3, 4), Axis::log("regret", 0.01, 1.0, 4));
        let curve = Curve {
            band: vec![(10.0, -5.0, 0.4), (1000.0, 0.2, 0.5)],
            ..Curve::of_agent("a_b", 8, Stroke::Line, points)
        };
        let curves = std::iter::once(curve).chain(guides(&x, &y)).collect();
        let (title, explanation) = ("t".into(), "e".into());
        let figure = CurvesFigure { title, explanation, x, y, curves, marks: Vec::new() };
        let text = tex(&figure);
        let line = "% curve: a_b\n\\addplot[color={rgb,255:red,0;green,114;blue,178}, line width=1.1pt, mark=none, \
                    dash pattern=on 7pt off 4pt, forget plot] coordinates {\n  (10,0.30000000000000004)\n  (100,-3)\n  \
                    (1000,0.3333333333333333)\n};\n\\addlegendimage{";
        assert!(text.contains(line), "{text}");
        assert!(
            text.contains("{\n  (10,0.01)\n  (1000,0.2)\n  (1000,0.5)\n  (10,0.4)\n} -- cycle;"),
            "{text}"
        );
        assert!(text.contains("\\addlegendentry{a\\_b}\n"));
        assert_eq!(text.matches("% guide: ").count(), 3);
        assert!(
            text.contains("xmode=log, xmin=10, xmax=1000,") && text.contains("Values $\\le$ 0"),
            "{text}"
        );
        let palette = PALETTE[0];
        assert_eq!((palette.0, palette.1, palette.2), (0, 114, 178));
    }
}
