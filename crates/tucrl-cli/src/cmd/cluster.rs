//! `tucrl cluster`: how does an experiment run on a cluster?
//!
//! By the engine of the cluster. For Slurm: an array of tasks, each `tucrl run --shard i/n`. `--requeue` lets Slurm queue a
//! task again whose node is lost. It does not do so when the program is killed or the time limit strikes: the script does.
//! The program runs as a step (`srun`), because `--signal` without `B:` reaches steps and not the script. It hears the
//! signal a minute before the limit, stores its runs and ends with 130.

use std::fmt::Write;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use tucrl_lab::{Catalogue, Experiment};

use crate::cli::{Engine, Slurm};

/// Seconds before the time limit at which runs are stored.
const WARNING: u32 = 60;

pub(super) fn run(engine: &Engine, catalogue: &Catalogue) -> anyhow::Result<String> {
    let Engine::Slurm(ask) = engine;
    let experiment = Experiment::read(&ask.experiment, catalogue)?;
    let runs = experiment.cells().len();
    if ask.tasks == 0 || ask.tasks > runs {
        bail!("--tasks {}: the experiment has {runs} runs; choose 1 to {runs} tasks", ask.tasks);
    }
    let script = script(ask, &experiment.name, &program()?, &std::env::current_dir()?)?;
    match ask.submit {
        true => submitted(ask, &script),
        false => Ok(script),
    }
}

/// The words that start this program on another machine that sees the same disk.
fn program() -> anyhow::Result<Vec<String>> {
    let path = std::env::current_exe().context("the path of this program is unknown")?;
    let is_python = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("python"));
    let mut words = vec![path.display().to_string()];
    if is_python {
        words.extend(["-m".into(), "tucrl".into()]);
    }
    Ok(words)
}

fn script(ask: &Slurm, name: &str, program: &[String], folder: &Path) -> anyhow::Result<String> {
    let log = folder.join(format!("tucrl-{}-%A_%a.log", plain(name)));
    let mut options = vec![
        format!("--job-name=tucrl-{}", plain(name)),
        format!("--array=1-{}", ask.tasks),
        format!("--time={}", ask.time),
        "--ntasks=1".into(),
        "--cpus-per-task=1".into(),
        "--requeue".into(),
        "--open-mode=append".into(),
        format!("--signal=TERM@{WARNING}"),
        format!("--output={}", log.display()),
    ];
    options.extend(ask.partition.iter().map(|name| format!("--partition={name}")));
    options.extend(ask.account.iter().map(|name| format!("--account={name}")));
    options.extend(ask.more.iter().cloned());
    if let Some(bad) = options.iter().find(|line| !line.starts_with('-') || has_control(line)) {
        bail!("{bad:?} is no option of sbatch on one line: write it as in --mem=2G");
    }
    let mut text = format!(
        "#!/bin/bash\n\
         # Runs {} on Slurm: {} tasks, each a part of the runs. Made by `tucrl cluster slurm`.\n",
        plain(&ask.experiment.display().to_string()),
        ask.tasks
    );
    for option in options {
        writeln!(text, "#SBATCH {option}")?;
    }
    text += "\n# What the program needs: modules, a virtual environment, variables.\n";
    for module in &ask.modules {
        writeln!(text, "module load {}", quoted(module)?)?;
    }
    if let Some(virtualenv) = &ask.virtualenv {
        writeln!(text, "source {}", quoted(&shown(&virtualenv.join("bin/activate")))?)?;
    }
    writeln!(text, "cd {} || exit 2\n", quoted(&shown(folder))?)?;
    let program: Vec<String> = program.iter().map(|w| quoted(w)).collect::<Result<_, _>>()?;
    writeln!(
        text,
        "srun --ntasks=1 {} run {} --out {} --jobs 1 \\\n    --shard \"$SLURM_ARRAY_TASK_ID/{}\" \
         --checkpoint-seconds {}\ncode=$?",
        program.join(" "),
        quoted(&shown(&ask.experiment))?,
        quoted(&shown(&ask.out))?,
        ask.tasks,
        ask.checkpoint_seconds
    )?;
    writeln!(
        text,
        "# 0: all runs are done. 1: some failed, see `tucrl status`. 2: wrong arguments. Above: stopped or killed.\n\
         if [ \"$code\" -gt 2 ] && [ \"${{SLURM_RESTART_COUNT:-0}}\" -lt {} ]; then\n    \
         scontrol requeue \"${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID\"\nfi\nexit \"$code\"",
        ask.restarts
    )?;
    Ok(text)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn has_control(text: &str) -> bool {
    text.chars().any(char::is_control)
}

/// Letters, digits and what is harmless in a name.
fn plain(text: &str) -> String {
    let keep = |c: char| if c.is_alphanumeric() || "-_./".contains(c) { c } else { '-' };
    text.chars().map(keep).collect()
}

/// A word of the shell.
fn quoted(word: &str) -> anyhow::Result<String> {
    if has_control(word) {
        bail!("{word:?} has a line break or another control character, which a script cannot have");
    }
    Ok(format!("'{}'", word.replace('\'', "'\\''")))
}

/// Gives a script to sbatch.
fn submitted(ask: &Slurm, script: &str) -> anyhow::Result<String> {
    let mut child = Command::new("sbatch")
        .arg("--parsable")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("sbatch cannot be started: log in to a machine with Slurm, or print the script without --submit")?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(script.as_bytes()).context("sbatch does not read the script")?;
    }
    let output = child.wait_with_output().context("sbatch cannot be waited for")?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    // With several clusters, `id;cluster`.
    let job = said.trim().split(';').next().unwrap_or_default().to_owned();
    if !output.status.success() || job.is_empty() {
        bail!(
            "sbatch did not take the job, for the reason that it gave: change the options after --"
        );
    }
    let directory: PathBuf = ask.out.clone();
    Ok(format!(
        "job {job}: {} tasks\nwatch   squeue --jobs {job}\n        tucrl status {}\ncancel  scancel {job}\n",
        ask.tasks,
        directory.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask() -> Slurm {
        Slurm {
            experiment: "my exp.toml".into(),
            out: "/net/it's".into(),
            tasks: 3,
            time: "4:00:00".into(),
            partition: Some("long".into()),
            account: None,
            modules: vec!["gcc/12".into()],
            virtualenv: Some("/net/venv".into()),
            restarts: 100,
            checkpoint_seconds: 20.0,
            submit: false,
            more: vec!["--mem=2G".into()],
        }
    }

    fn made(ask: &Slurm) -> anyhow::Result<String> {
        script(ask, "first", &["/bin/tucrl".into()], Path::new("/home/me"))
    }

    #[test]
    fn the_script_is_one_that_a_person_can_read() {
        assert_eq!(
            made(&ask()).unwrap(),
            "#!/bin/bash\n\
             # Runs my-exp.toml on Slurm: 3 tasks, each a part of the runs. Made by `tucrl cluster slurm`.\n\
             #SBATCH --job-name=tucrl-first\n\
             #SBATCH --array=1-3\n\
             #SBATCH --time=4:00:00\n\
             #SBATCH --ntasks=1\n\
             #SBATCH --cpus-per-task=1\n\
             #SBATCH --requeue\n\
             #SBATCH --open-mode=append\n\
             #SBATCH --signal=TERM@60\n\
             #SBATCH --output=/home/me/tucrl-first-%A_%a.log\n\
             #SBATCH --partition=long\n\
             #SBATCH --mem=2G\n\
             \n\
             # What the program needs: modules, a virtual environment, variables.\n\
             module load 'gcc/12'\n\
             source '/net/venv/bin/activate'\n\
             cd '/home/me' || exit 2\n\
             \n\
             srun --ntasks=1 '/bin/tucrl' run 'my exp.toml' --out '/net/it'\\''s' --jobs 1 \\\n    \
             --shard \"$SLURM_ARRAY_TASK_ID/3\" --checkpoint-seconds 20\n\
             code=$?\n\
             # 0: all runs are done. 1: some failed, see `tucrl status`. 2: wrong arguments. Above: stopped or killed.\n\
             if [ \"$code\" -gt 2 ] && [ \"${SLURM_RESTART_COUNT:-0}\" -lt 100 ]; then\n    \
             scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"\n\
             fi\n\
             exit \"$code\"\n"
        );
    }

    #[test]
    fn nothing_that_is_given_becomes_another_line_or_command() {
        let lines = Slurm { more: vec!["--mem=2G\n#SBATCH --uid=0".into()], ..ask() };
        assert!(made(&lines).unwrap_err().to_string().contains("no option of sbatch"));
        let word = Slurm { more: vec!["rm".into()], ..ask() };
        assert!(made(&word).is_err());
        let path = Slurm { out: "a\nb".into(), ..ask() };
        assert!(made(&path).unwrap_err().to_string().contains("control character"));
        let module = Slurm { modules: vec!["$(rm)".into()], ..ask() };
        assert!(made(&module).unwrap().contains("module load '$(rm)'\n"));
    }
}
