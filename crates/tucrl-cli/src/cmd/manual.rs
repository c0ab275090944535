//! `tucrl completions` and `tucrl man`: what do shells and `man` learn about the command?
//!
//! Both are made from the arguments as clap knows them, under the name by which the program was called, with the agents and
//! worlds of the catalogue.

use std::fs;
use std::io::Write;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man as Page;
use tucrl_lab::Catalogue;
use tucrl_lab::formats::IfExists;
use tucrl_lab::formats::save::atomically;
use tucrl_lab::text::{counted, named, quoted};

use crate::cli::{Arguments, Completions, Man};

pub(super) fn completions(
    ask: &Completions,
    program: &str,
    catalogue: &Catalogue,
) -> anyhow::Result<String> {
    let mut command = named_values(command(program), ask.shell, catalogue);
    let mut script = Vec::new();
    clap_complete::generate(ask.shell, &mut command, program, &mut script);
    Ok(String::from_utf8(script)?)
}

pub(super) fn man(ask: &Man, program: &str) -> anyhow::Result<String> {
    let mut command = command(program);
    command.build();
    let Some(folder) = &ask.out else {
        let mut page = &command;
        for verb in &ask.verbs {
            let found = page.find_subcommand(verb);
            page = found.with_context(|| {
                format!("there is no verb `{}`: `{program} --help` lists them", quoted(verb))
            })?;
        }
        return Ok(String::from_utf8(roff(page)?)?);
    };
    fs::create_dir_all(folder).with_context(|| format!("{} was not made", named(folder)))?;
    let mut pages = Vec::new();
    collect(&command, &mut pages);
    for page in &pages {
        let text = roff(page)?;
        let file = folder.join(self::page(page).get_filename());
        atomically(&file, IfExists::Replace, |out| out.write_all(&text))?;
    }
    Ok(format!("wrote {} to {}\n", counted(pages.len(), "page"), named(folder)))
}

/// The command under the name by which it was called.
fn command(program: &str) -> Command {
    // clap takes names that live as long as the program; this one is made once.
    let name: &'static str = program.to_owned().leak();
    Arguments::command().name(name).bin_name(name)
}

/// The command and its verbs, without `help`, which repeats them.
fn collect<'a>(command: &'a Command, pages: &mut Vec<&'a Command>) {
    pages.push(command);
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        collect(verb, pages);
    }
}

/// The page in the language of `man`. What help says below the flags keeps its lines, as its examples need.
fn roff(command: &Command) -> anyhow::Result<Vec<u8>> {
    let page = page(command);
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    if command.has_subcommands() {
        page.render_subcommands_section(&mut text)?;
    }
    let below = command.get_after_long_help().or(command.get_after_help());
    if let Some(below) = below.map(ToString::to_string) {
        writeln!(text, ".SH NOTES\n.nf")?;
        for line in below.lines() {
            let escaped = line.replace('\\', "\\e").replace('-', "\\-");
            // A point or an apostrophe at the start of a line would be a command.
            let shield = if escaped.starts_with(['.', '\'']) { "\\&" } else { "" };
            writeln!(text, "{shield}{escaped}")?;
        }
        writeln!(text, ".fi")?;
    }
    Ok(text)
}

fn page(command: &Command) -> Page {
    let title = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let source = concat!("tucrl ", env!("CARGO_PKG_VERSION"));
    Page::new(command.clone()).title(title).source(source).manual("tucrl")
}

/// Names of agents and worlds as values to choose from. They are for completion only: a spec may have options.
fn named_values(command: Command, shell: Shell, catalogue: &Catalogue) -> Command {
    let agents: Vec<&'static str> =
        catalogue.agents().iter().map(|kind| kind.about().name).collect();
    let worlds: Vec<&'static str> =
        catalogue.worlds().iter().map(|kind| kind.about().name).collect();
    let of = |names: &[&'static str]| {
        let names = names.to_vec();
        move |argument: Arg| argument.value_parser(PossibleValuesParser::new(names))
    };
    let verbs: Vec<String> =
        command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    verbs.into_iter().fold(command, |command, verb| {
        command.mut_subcommand(&verb, |verb| {
            let has = |id: &str| verb.get_arguments().any(|argument| argument.get_id() == id);
            match verb.get_name() {
                "agents" => verb.mut_arg("name", of(&agents)),
                "worlds" => verb.mut_arg("name", of(&worlds)),
                // A world may be a file; of these shells, only bash offers files where no name fits.
                _ if has("world") && shell == Shell::Bash => {
                    let verb = match has("agents") {
                        true => verb.mut_arg("agents", of(&agents)),
                        false => verb,
                    };
                    verb.mut_arg("world", of(&worlds))
                }
                _ if has("agents") => verb.mut_arg("agents", of(&agents)),
                _ => verb,
            }
        })
    })
}
