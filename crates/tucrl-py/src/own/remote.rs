//! How is an agent run in another process, which may be ended?
//!
//! In a world with a table the other process plays batches of steps in a copy of the walk and answers with its actions,
//! which are then played here: there is one exchange per tenth of a second, and regret is summed up here. In a world
//! without a table there is one exchange per step. A process that does not answer is ended, and its run fails; the
//! stack of its threads is in the message, where signals exist.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::NamedTempFile;
use tucrl::episode::EpisodeRecord;
use tucrl::learner::{Diary, Explanation, Learner, Saved};
use tucrl::mdp::Mdp;
use tucrl::model::{Batch, PlayError};
use tucrl::planner::PlanError;
use tucrl::pulse::Pulse;
use tucrl::space::{ActionId, Space, StateId};

use super::{Birth, From, NOT_PICKLED, Packed, Stored, Written, failed, read_episodes};
use crate::mdp::to_json;

/// How long the other process plays before it answers.
const ROUND: f64 = 0.1;
/// How long an answer is waited for after everything should stop.
const GRACE: Duration = Duration::from_secs(3);
/// How often a stop is looked for.
const TICK: Duration = Duration::from_millis(50);
/// Added to the time that a step may take, for a busy machine.
const SLACK: Duration = Duration::from_secs(1);
/// Importing the code of the agent may take longer than a step.
const IMPORT: Duration = Duration::from_secs(120);
/// Steps that an agent made again must repeat.
const REPEATED: usize = 100;

type Answer = (Value, Vec<u8>);

/// A process that runs agents.
pub(super) struct Worker {
    child: Child,
    input: ChildStdin,
    answers: Mutex<Receiver<Answer>>,
    trace: Option<NamedTempFile>,
    step_timeout: Duration,
    /// The table that it has.
    table: Option<Arc<Mdp>>,
}

/// Why there is no answer.
pub(super) enum Trouble {
    /// Everything should stop.
    Stopped,
    /// The code of the agent failed, took too long, or ended the process.
    Failed(String),
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Worker {
    pub(super) fn start(packed: &Packed, step_timeout: Duration) -> Result<Self, Trouble> {
        let failed = |reason: &str| Trouble::Failed(reason.to_owned());
        let [program, arguments @ ..] = packed.command.as_slice() else {
            return Err(failed("there is no interpreter"));
        };
        let trace = NamedTempFile::new().ok();
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        if let Some(trace) = &trace {
            command.env("TUCRL_WORKER_TRACE", trace.path());
        }
        let not_started = |error| Trouble::Failed(format!("{program} cannot be started: {error}"));
        let mut child = command.spawn().map_err(not_started)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("the process has no pipes"));
        };
        let (send, answers) = mpsc::channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(answer) = read(&mut output) {
                if send.send(answer).is_err() {
                    break;
                }
            }
        });
        let answers = Mutex::new(answers);
        let mut worker = Self { child, input, answers, trace, step_timeout, table: None };
        worker.ask(json!({ "do": "setup" }), &packed.factory, IMPORT)?;
        Ok(worker)
    }

    /// Sends a request and waits for the answer.
    fn ask(
        &mut self,
        mut request: Value,
        payload: &[u8],
        limit: Duration,
    ) -> Result<Answer, Trouble> {
        request["bytes"] = payload.len().into();
        // Where the process has ended, its answers end too.
        let _ = writeln!(self.input, "{request}")
            .and_then(|()| self.input.write_all(payload))
            .and_then(|()| self.input.flush());
        let (asked, mut stopped) = (Instant::now(), None);
        loop {
            let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            match answers.recv_timeout(TICK) {
                Ok(answer) => return judged(answer),
                Err(RecvTimeoutError::Disconnected) => {
                    drop(answers);
                    return Err(Trouble::Failed(self.ending()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            drop(answers);
            if asked.elapsed() > limit {
                return Err(Trouble::Failed(self.overdue(limit)));
            }
            if Pulse::is_stopped() {
                let since = *stopped.get_or_insert_with(Instant::now);
                if since.elapsed() > GRACE {
                    return Err(Trouble::Stopped);
                }
            }
        }
    }

    /// How the process ended by itself.
    fn ending(&mut self) -> String {
        match self.child.wait() {
            Ok(status) => format!(
                "the process of the agent ended ({status}): its code, or the system for lack of memory, ended it"
            ),
            Err(error) => format!("the process of the agent ended: {error}"),
        }
    }

    /// Ends a process that does not answer; says what it was doing.
    fn overdue(&mut self, limit: Duration) -> String {
        let seconds = (limit - SLACK).as_secs_f64();
        let head = match limit == IMPORT {
            true => format!("the code of the agent was not imported within {seconds} seconds"),
            false => format!(
                "the agent took longer than step_timeout = {seconds} seconds for a step: make it faster, or raise \
                 step_timeout"
            ),
        };
        let stack = self.stack();
        let _ = self.child.kill();
        let _ = self.child.wait();
        head + &stack
    }

    #[cfg(unix)]
    fn stack(&self) -> String {
        use nix::sys::signal::{Signal, kill};
        use nix::unistd::Pid;
        let (Some(trace), Ok(process)) = (&self.trace, i32::try_from(self.child.id())) else {
            return String::new();
        };
        if kill(Pid::from_raw(process), Signal::SIGUSR1).is_err() {
            return String::new();
        }
        // The handler writes at once, but the process may have to wait for a core.
        for _ in 0..20 {
            std::thread::sleep(TICK);
            let text = std::fs::read_to_string(trace.path()).unwrap_or_default();
            if text.ends_with('\n') {
                return format!("\n{}", text.trim_end());
            }
        }
        String::new()
    }

    #[cfg(not(unix))]
    fn stack(&self) -> String {
        String::new()
    }

    fn limit(&self) -> Duration {
        self.step_timeout + SLACK
    }
}

/// The next answer; none after the last.
fn read(output: &mut impl BufRead) -> Option<Answer> {
    let mut line = String::new();
    if output.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let head: Value = serde_json::from_str(&line).ok()?;
    let size = head["bytes"].as_u64()?;
    let mut body = Vec::new();
    output.take(size).read_to_end(&mut body).ok()?;
    Some((head, body))
}

fn judged(answer: Answer) -> Result<Answer, Trouble> {
    // Of steps that were played, some may have been played before the failure.
    match answer.0["failed"].as_str() {
        Some(reason) if answer.1.is_empty() => Err(Trouble::Failed(reason.to_owned())),
        _ => Ok(answer),
    }
}

/// An agent in another process.
pub(super) struct Remote {
    python: Arc<Written>,
    birth: Birth,
    /// Started by the first action.
    worker: Mutex<Option<Worker>>,
    state: StateId,
    taken: u64,
    /// What was observed and not yet sent.
    observed: Mutex<Option<f64>>,
    /// The action that was played last.
    action: ActionId,
    /// The first steps, if the agent was made anew.
    first: Vec<Seen>,
    episodes: Vec<EpisodeRecord>,
    /// The process was ended in the middle of a step.
    is_lost: bool,
}

/// A step that an agent took: state, number of its actions, action, reward, next state.
type Seen = (StateId, u32, ActionId, f64, StateId);

/// Actions that are played as they are.
struct Replay<'a> {
    actions: std::slice::ChunksExact<'a, u8>,
    /// Where the last of them led.
    state: StateId,
    /// The last of them.
    action: ActionId,
    space: &'a Space,
    /// Where the first steps are kept.
    first: Option<&'a mut Vec<Seen>>,
}

impl Learner for Replay<'_> {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        let Some(&[a, b, c, d]) = self.actions.next() else {
            return Err(PlanError::Own { message: "an action is missing".into() });
        };
        self.action = u32::from_le_bytes([a, b, c, d]);
        Ok(self.action)
    }

    fn observe(&mut self, reward: f64, next: StateId) {
        if let Some(first) = &mut self.first {
            let offered = self.space.actions(self.state);
            first.push((self.state, offered, self.action, reward, next));
            if first.len() == REPEATED {
                self.first = None;
            }
        }
        self.state = next;
    }
}

impl Remote {
    pub(super) fn new(python: Arc<Written>, birth: Birth, episodes: Vec<EpisodeRecord>) -> Self {
        let state = birth.state;
        let worker = Mutex::new(None);
        let observed = Mutex::new(None);
        let (action, first) = (0, Vec::new());
        Self {
            python,
            birth,
            worker,
            state,
            taken: 0,
            observed,
            action,
            first,
            episodes,
            is_lost: false,
        }
    }

    fn begun(&self) -> Result<Worker, Trouble> {
        let not_made = |trouble| match trouble {
            Trouble::Failed(reason) => {
                Trouble::Failed(format!("the agent cannot be made: {reason}"))
            }
            other => other,
        };
        let mut worker = self.python.worker().map_err(not_made)?;
        let request = match &self.birth.from {
            From::Frozen(text) => json!({ "do": "thaw", "frozen": text }),
            From::Seed(seed) => self.making("make", *seed),
        };
        let limit = worker.limit();
        worker.ask(request, &[], limit).map_err(not_made)?;
        Ok(worker)
    }

    /// The request that makes an agent anew, for one of two purposes.
    fn making(&self, purpose: &str, seed: u64) -> Value {
        let Birth { space, r_max, steps, .. } = &self.birth;
        // Only a mask needs it; a list of more states would be refused there.
        let offered = match space.states() {
            states @ ..=0x0fff_ffff if self.wants_mask() => {
                (0..states).map(|state| space.actions(state)).collect()
            }
            _ => Vec::new(),
        };
        let facts = json!({
            "states": space.states(), "actions": space.max_actions(), "r_max": r_max,
            "steps": steps, "seed": seed,
        });
        json!({ "do": purpose, "facts": facts, "offered": offered })
    }

    /// Where an agent made again with the same seed acts differently; none if it does not, or if that is not known.
    fn difference(&self) -> Option<String> {
        let From::Seed(seed) = self.birth.from else { return None };
        let mut request = self.making("repeat", seed);
        request["first"] = json!(self.first);
        let (answer, _) = self.try_ask(request, &[]).ok()?;
        Some(answer["differs"].as_str()?.to_owned())
    }

    /// Where the next steps are kept, as long as they are among the first.
    fn is_first(&self) -> bool {
        matches!(self.birth.from, From::Seed(_)) && self.first.len() < REPEATED
    }

    fn wants_mask(&self) -> bool {
        self.python.factory().is_ok_and(|factory| factory.wants_mask)
    }

    /// Sends a request to the process of this agent.
    fn ask(&mut self, request: Value, payload: &[u8]) -> Result<Answer, PlanError> {
        let step = self.taken + 1;
        let answer = self.try_ask(request, payload);
        answer.map_err(|trouble| {
            // What the process holds now is not what the run holds.
            self.is_lost = true;
            *self.worker.lock().unwrap_or_else(PoisonError::into_inner) = None;
            match trouble {
                Trouble::Stopped => PlanError::Interrupted { t_k: step },
                Trouble::Failed(reason) if reason.starts_with("the agent cannot be made") => {
                    PlanError::Own { message: reason }
                }
                Trouble::Failed(reason) => failed(step, reason),
            }
        })
    }

    fn try_ask(&self, request: Value, payload: &[u8]) -> Result<Answer, Trouble> {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if worker.is_none() {
            *worker = Some(self.begun()?);
        }
        let Some(worker) = worker.as_mut() else {
            return Err(Trouble::Failed("there is no process".into()));
        };
        let limit = worker.limit();
        worker.ask(request, payload, limit)
    }

    fn read_episodes(&mut self, answer: &Value) -> Result<(), PlanError> {
        let text = answer["episodes"].as_str().unwrap_or_default();
        let told = read_episodes(text).map_err(|error| failed(self.taken, error))?;
        self.episodes.extend(told);
        Ok(())
    }

    /// What was observed and is not yet sent; it counts as sent from now on.
    fn pending(&self) -> Option<f64> {
        self.observed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The request that sends what was observed, if there is something.
    fn observation(&self) -> Option<Value> {
        let (reward, known) = (self.pending()?, self.episodes.len());
        Some(json!({ "do": "observe", "reward": reward, "next": self.state, "known": known }))
    }

    /// Gives the process the table that is walked in, unless it has it.
    fn share(&mut self, table: &Arc<Mdp>) -> Result<(), PlanError> {
        let has_it = |worker: &Option<Worker>| {
            let known = worker.as_ref().and_then(|worker| worker.table.as_ref());
            known.is_some_and(|known| Arc::ptr_eq(known, table))
        };
        if has_it(&self.worker.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(());
        }
        let text = to_json(table).map_err(|error| PlanError::Own { message: error.to_string() })?;
        self.ask(json!({ "do": "world" }), &text)?;
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(worker) = worker.as_mut() {
            worker.table = Some(Arc::clone(table));
        }
        Ok(())
    }

    /// Plays steps in the copy of the walk, then here.
    fn round(&mut self, batch: &mut Batch<'_>) -> Result<(), PlayError> {
        self.taken = batch.time() - 1;
        let request = json!({
            "do": "play", "position": batch.lent_world().map(|world| world.position),
            "steps": batch.left(), "seconds": ROUND, "known": self.episodes.len(),
        });
        let (answer, actions) = self.ask(request, &[])?;
        let count = (actions.len() / 4) as u64;
        let first = self.is_first().then_some(&mut self.first);
        let (actions, space) = (actions.chunks_exact(4), &self.birth.space);
        let mut replay = Replay { actions, state: self.state, action: 0, space, first };
        batch.play_some(&mut replay, count)?;
        (self.taken, self.state) = (batch.time() - 1, replay.state);
        self.read_episodes(&answer)?;
        if let Some(reason) = answer["failed"].as_str() {
            self.is_lost = true;
            return Err(failed(self.taken.max(1), reason).into());
        }
        Ok(())
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        let worker = self.worker.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(worker) = worker.filter(|_| !self.is_lost) {
            self.python.keep(worker);
        }
    }
}

impl Learner for Remote {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        let request = json!({
            "do": "step", "reward": self.pending(), "next": self.state,
            "offered": self.birth.space.actions(self.state), "known": self.episodes.len(),
        });
        let (answer, _) = self.ask(request, &[])?;
        self.read_episodes(&answer)?;
        let action = answer["action"].as_u64().and_then(|action| ActionId::try_from(action).ok());
        self.action = action.ok_or_else(|| failed(self.taken + 1, "the answer has no action"))?;
        Ok(self.action)
    }

    fn observe(&mut self, reward: f64, next: StateId) {
        if self.is_first() {
            let offered = self.birth.space.actions(self.state);
            self.first.push((self.state, offered, self.action, reward, next));
        }
        self.taken += 1;
        self.state = next;
        *self.observed.get_mut().unwrap_or_else(PoisonError::into_inner) = Some(reward);
    }

    fn diary(&self) -> Diary<'_> {
        Diary { ended_episodes: &self.episodes, ..Diary::default() }
    }

    fn explain(&self, state: StateId) -> Option<Vec<Explanation>> {
        let (answer, _) = self.try_ask(json!({ "do": "explain", "state": state }), &[]).ok()?;
        serde_json::from_str(answer["explained"].as_str()?).ok()
    }

    fn remarks(&self) -> Vec<String> {
        let is_begun = self.worker.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        if self.is_lost || !is_begun {
            return Vec::new();
        }
        let not_pickled = self.save().is_none().then(|| NOT_PICKLED.to_owned());
        // Last, because it may change what the code of the agent keeps outside of it.
        not_pickled.into_iter().chain(self.difference()).collect()
    }

    fn save(&self) -> Option<Saved> {
        if self.is_lost {
            return None;
        }
        if let Some(request) = self.observation() {
            self.try_ask(request, &[]).ok()?;
        }
        let (answer, _) = self.try_ask(json!({ "do": "freeze" }), &[]).ok()?;
        let python = answer["frozen"].as_str()?.to_owned();
        let (state, episodes) = (self.state, self.episodes.clone());
        Saved::of(&Stored { python, state, episodes })
    }

    fn play(&mut self, batch: &mut Batch<'_>) -> Result<(), PlayError> {
        let Some(table) = batch.lent_world().map(|world| Arc::clone(world.table)) else {
            self.taken = batch.time() - 1;
            batch.play(self)?;
            if let Some(request) = self.observation() {
                let (answer, _) = self.ask(request, &[])?;
                self.read_episodes(&answer)?;
            }
            return Ok(());
        };
        while batch.left() > 0 {
            self.share(&table)?;
            self.round(batch)?;
            if batch.left() > 0 && Pulse::is_stopped() {
                return Err(PlanError::Interrupted { t_k: batch.time() }.into());
            }
        }
        Ok(())
    }
}
