//! How are the verdicts written as one HTML page, as Markdown and as JSON?
//!
//! A verdict per claim with its statistics and figures, all inside the page; links lead to the reports with interactive
//! curves. The figures are also written as files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{Claim, Finding, ReproduceError, Scale, Verdict};
use tucrl_lab::formats::save::atomically;
use tucrl_lab::formats::{FormatError, IfExists};
use tucrl_lab::report::html::{STYLE, escaped};

const OWN_STYLE: &str = "\
.verdict { display: inline-block; border-radius: 999px; padding: .1rem .8rem; font-size: .9rem; font-weight: 600; }
.holds { background: #0072b222; color: var(--c0); } .does-not-hold { background: #d55e0022; color: var(--c1); }
figure { margin: 1rem 0; } figure img { width: 100%; height: auto; background: #fff; border: 1px solid var(--line); border-radius: 6px; }
figcaption { color: var(--soft); font-size: .92rem; } td.says { white-space: normal; min-width: 18rem; } a { color: var(--accent); }
";

/// A claim and its finding.
pub type Outcome<'a> = (&'a Claim, Finding);

/// Writes `index.html`, `reproduction.md`, `verdicts.json` and the figures; returns the page.
///
/// # Errors
/// When a file cannot be written.
pub fn write(
    outcomes: &[Outcome<'_>],
    scale: Scale,
    folder: &Path,
) -> Result<PathBuf, ReproduceError> {
    let figures = folder.join("figures");
    std::fs::create_dir_all(&figures)
        .map_err(|source| ReproduceError::Folder { path: figures.clone(), source })?;
    let file = |path: PathBuf, bytes: &[u8]| -> Result<PathBuf, FormatError> {
        atomically(&path, IfExists::Replace, |out| out.write_all(bytes))?;
        Ok(path)
    };
    for drawn in outcomes.iter().flat_map(|(_, finding)| &finding.figures) {
        file(figures.join(format!("{}.svg", drawn.name)), drawn.svg.as_bytes())?;
        file(figures.join(format!("{}.png", drawn.name)), &drawn.png)?;
    }
    file(folder.join("verdicts.json"), verdicts(outcomes, scale).as_bytes())?;
    file(folder.join("reproduction.md"), markdown(outcomes, scale).as_bytes())?;
    Ok(file(folder.join("index.html"), html(outcomes, scale).as_bytes())?)
}

/// The verdicts as JSON.
pub fn verdicts(outcomes: &[Outcome<'_>], scale: Scale) -> String {
    let claim = |(claim, finding): &Outcome<'_>| {
        let figures: Vec<&str> = finding.figures.iter().map(|drawn| drawn.name.as_str()).collect();
        json!({
            "claim": claim.name,
            "title": claim.title,
            "says": claim.says,
            "verdict": finding.verdict(),
            "checks": finding.checks,
            "remarks": finding.remarks,
            "figures": figures,
        })
    };
    let claims: Vec<_> = outcomes.iter().map(claim).collect();
    let all = json!({ "scale": scale, "version": env!("CARGO_PKG_VERSION"), "claims": claims });
    format!("{all:#}\n")
}

fn headline(outcomes: &[Outcome<'_>], scale: Scale) -> String {
    let hold = outcomes.iter().filter(|(_, f)| f.verdict() == Verdict::Holds).count();
    format!("{hold} of {} claims hold at the {} scale", outcomes.len(), scale.name())
}

fn markdown(outcomes: &[Outcome<'_>], scale: Scale) -> String {
    let mut out = format!("# The paper, reproduced\n\n{}.\n", headline(outcomes, scale));
    for (claim, finding) in outcomes {
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "\n## {}: {}\n\n{} ({})\n\n| statistic | measured | wanted | |\n| --- | --- | --- | --- |\n",
            claim.title,
            finding.verdict(),
            claim.says,
            claim.place
        );
        for check in &finding.checks {
            let holds = if check.holds { "yes" } else { "**no**" };
            let _ = writeln!(
                out,
                "| {} | {} | {} | {holds} |",
                check.statistic, check.measured, check.wanted
            );
        }
        for remark in &finding.remarks {
            let _ = write!(out, "\n{remark}\n");
        }
        for drawn in &finding.figures {
            let _ = write!(out, "\n![{}](figures/{}.svg)\n", drawn.caption, drawn.name);
        }
    }
    out
}

fn html(outcomes: &[Outcome<'_>], scale: Scale) -> String {
    let mut summary = String::new();
    let mut sections = String::new();
    for (claim, finding) in outcomes {
        let badge = badge(finding.verdict());
        // Writing to a string cannot fail.
        let _ = write!(
            summary,
            "<tr><td><a href=\"#{}\">{}</a></td><td>{badge}</td><td class=\"says\">{}</td></tr>",
            claim.name,
            escaped(claim.title),
            escaped(claim.says)
        );
        sections += &section(claim, finding, &badge);
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>tucrl: the paper, reproduced</title>\n<style>\n{STYLE}{OWN_STYLE}</style>\n</head>\n<body>\n\
         <header><h1>The paper, reproduced</h1><p class=\"note\">Fruit, Pirotta, Lazaric: Near Optimal \
         Exploration-Exploitation in Non-Communicating Markov Decision Processes, NeurIPS 2018; and the claims \
         about TUCRL+ of docs/theory.md. {}. A statistic \
         with an interval is as wanted if its whole 95 % interval is.</p></header>\n<main>\n\
         <section><div class=\"wide\"><table><thead><tr><th>claim</th><th>verdict</th><th>what it \
         says</th></tr></thead><tbody>{summary}</tbody></table></div></section>\n{sections}</main>\n</body>\n\
         </html>\n",
        escaped(&headline(outcomes, scale))
    )
}

fn badge(verdict: Verdict) -> String {
    let class = match verdict {
        Verdict::Holds => "holds",
        Verdict::DoesNotHold => "does-not-hold",
    };
    format!("<span class=\"verdict {class}\">{verdict}</span>")
}

fn section(claim: &Claim, finding: &Finding, badge: &str) -> String {
    let mut rows = String::new();
    for check in &finding.checks {
        let holds = if check.holds { "yes" } else { "<b>no</b>" };
        // Writing to a string cannot fail.
        let _ = write!(
            rows,
            "<tr><td class=\"says\">{}</td><td>{}</td><td>{}</td><td>{holds}</td></tr>",
            escaped(&check.statistic),
            escaped(&check.measured),
            escaped(&check.wanted)
        );
    }
    let remark = |remark: &String| format!("<p>{}</p>\n", escaped(remark));
    let remarks: String = finding.remarks.iter().map(remark).collect();
    let figure = |drawn: &super::Drawn| {
        format!(
            "<figure><img alt=\"{0}\" src=\"data:image/svg+xml,{1}\"><figcaption>{0}</figcaption></figure>\n",
            escaped(&drawn.caption),
            inside_url(&drawn.svg)
        )
    };
    let figures: String = finding.figures.iter().map(figure).collect();
    let report = match claim.experiment {
        Some(_) => format!(
            "<p><a href=\"{}/report/report.html\">All curves, episodes and tables of these runs</a></p>",
            claim.name
        ),
        None => String::new(),
    };
    format!(
        "<section id=\"{}\">\n<h2>{} {badge}</h2>\n<p>{} <span class=\"note\">({})</span></p>\n\
         <div class=\"wide\"><table class=\"numbers\"><thead><tr><th>statistic</th><th>measured</th>\
         <th>wanted</th><th>so</th></tr></thead><tbody>{rows}</tbody></table></div>\n{remarks}{figures}{report}\n</section>\n",
        claim.name,
        escaped(claim.title),
        escaped(claim.says),
        escaped(claim.place)
    )
}

/// Text for a data URL inside an attribute.
fn inside_url(text: &str) -> String {
    let mut url = String::with_capacity(text.len() * 5 / 4);
    for c in text.chars() {
        match c {
            '%' | '#' | '"' | '<' | '>' | '&' | '\n' | '\r' => {
                let _ = write!(url, "%{:02X}", c as u32);
            }
            _ => url.push(c),
        }
    }
    url
}
