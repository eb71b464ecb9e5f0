//! The sample's goals: each shows a row of the decision table.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{AgentId, GoalId, RuntimeId};
use loopx_core::actor::{Actor, Channel, Proof, Who};
use loopx_core::agent::AgentKind;
use loopx_core::binding::BindingTarget;
use loopx_core::command::{AgentAdd, AudienceDraft, GateAsk, GoalAdd, SpendDraft, TodoAdd};
use loopx_core::gate::GateActor;
use loopx_core::quota::{Amount, Quota};
use loopx_core::todo::{Covers, Priority, TodoClass};
use loopx_core::{AuthorityCommand, Command, LaneCommand, ProofFloor, Request};

use loopx_safety::PublicText;

use super::files::{self, Sample, Turn};
use super::unmade;
use crate::app::{ControlPlane, folder};
use crate::cli::context::refused_text;
use crate::env::Env;
use crate::error::CliError;

/// Builds them all.
pub fn build(env: &Env, dir: &Path, now: Timestamp) -> Result<(), CliError> {
    let home = folder::canonical(dir).join("home");
    fs::create_dir_all(&home).map_err(|error| unmade(&error))?;
    let mut sample = Builder { plane: ControlPlane::open(env)?, env, home: &home, now, sessions: 0 };
    // 5: a session asks.
    let goal = sample.goal("sample-api", "answer requests within a second")?;
    sample.todo(&goal, "measure the slow route", TodoClass::Advance)?;
    sample.codex(&goal, Turn::Asks, 2)?;
    // 6: a person has to decide first.
    let goal = sample.goal("sample-billing", "send invoices by themselves")?;
    sample.todo(&goal, "send the first invoices", TodoClass::Advance)?;
    sample.gate(&goal, "may invoices go out without a second look?")?;
    // 7: a session works.
    let goal = sample.goal("sample-docs", "explain every setting")?;
    sample.todo(&goal, "write the page on quota", TodoClass::Advance)?;
    sample.codex(&goal, Turn::Works, 1)?;
    // 8: nobody can tell.
    let goal = sample.goal("sample-search", "find what was asked for")?;
    sample.todo(&goal, "rank by age", TodoClass::Advance)?;
    sample.codex(&goal, Turn::Unsure, 3)?;
    // 12 and 13: a session failed, a session ran into its limit.
    let goal = sample.goal("sample-tests", "every test below a minute")?;
    sample.todo(&goal, "split the longest test", TodoClass::Advance)?;
    sample.codex(&goal, Turn::Failed, 30)?;
    let goal = sample.goal("sample-import", "read the old format")?;
    sample.todo(&goal, "read the first table", TodoClass::Advance)?;
    sample.codex(&goal, Turn::Limited, 5)?;
    // 14: the quota is used up.
    let goal = sample.goal("sample-load", "hold under load")?;
    sample.todo(&goal, "repeat the load test", TodoClass::Advance)?;
    sample.use_up(&goal)?;
    // 15: ready.
    let goal = sample.goal("sample-site", "a page for every runtime")?;
    sample.todo(&goal, "write the page on hooks", TodoClass::Advance)?;
    sample.claude(&goal, Turn::Done, 12)?;
    // 17: nothing to do before a monitor is due. 21: nothing at all.
    let goal = sample.goal("sample-watch", "notice when a build breaks")?;
    let next_due_at = now + SignedDuration::from_hours(2);
    sample.todo(&goal, "look at the nightly build", TodoClass::Monitor { next_due_at })?;
    sample.goal("sample-rest", "wait for better ideas")?;
    // And a session that belongs to no goal.
    let apart = home.join("apart");
    sample.sessions += 1;
    let session =
        Sample { number: sample.sessions, cwd: &apart, turn: Turn::Asks, at: minutes_before(now, 4) };
    files::claude(&home, session).map_err(|error| unmade(&error))
}

fn minutes_before(now: Timestamp, minutes: i64) -> Timestamp {
    now - SignedDuration::from_mins(minutes)
}

struct Builder<'a> {
    plane: ControlPlane,
    env: &'a Env,
    home: &'a Path,
    now: Timestamp,
    sessions: u32,
}

impl Builder<'_> {
    fn apply(&mut self, goal: &GoalId, command: Command) -> Result<(), CliError> {
        let actor = Actor { who: Who::Person, channel: Channel::Cli, proof: Proof::None };
        let request = Request { goal: goal.clone(), actor, key: None, command };
        self.plane.apply(&request, self.now)?;
        Ok(())
    }

    fn goal(&mut self, id: &str, objective: &str) -> Result<GoalId, CliError> {
        let goal = GoalId::parse(id)?;
        let folder = self.home.join(id);
        fs::create_dir_all(&folder).map_err(|error| unmade(&error))?;
        let lane = |agent: &str, runtime: &str| -> Result<AgentAdd, CliError> {
            Ok(AgentAdd {
                agent: AgentId::parse(agent)?,
                kind: AgentKind::Automation,
                runtime: Some(RuntimeId::parse(runtime)?),
                capabilities: BTreeSet::new(),
            })
        };
        let runtime =
            if id == "sample-site" { ("claude", "claude_code") } else { ("codex", "codex_cli_tui") };
        let add = GoalAdd {
            lock: None,
            objective: ours(objective)?,
            proof: ProofFloor::None,
            read: Vec::new(),
            write: Vec::new(),
            private_data_rule: None,
            stop_condition: None,
            agents: vec![lane(runtime.0, runtime.1)?],
            bind: vec![(BindingTarget::Folder(folder::handle(self.plane.key(), &folder)), None)],
        };
        self.apply(&goal, Command::Authority(AuthorityCommand::GoalAdd(add)))?;
        Ok(goal)
    }

    fn todo(&mut self, goal: &GoalId, title: &str, class: TodoClass) -> Result<(), CliError> {
        let add = TodoAdd {
            title: ours(title)?,
            audience: AudienceDraft::Agent,
            priority: Priority::default(),
            class,
            globs: Vec::new(),
            needs: BTreeSet::new(),
            blocked_by: BTreeSet::new(),
        };
        self.apply(goal, Command::Lane(LaneCommand::TodoAdd(add)))
    }

    fn gate(&mut self, goal: &GoalId, question: &str) -> Result<(), CliError> {
        let ask = GateAsk {
            question: ours(question)?,
            actor: GateActor::User,
            covers: Covers::goal(),
            expires_at: None,
            agent: None,
        };
        self.apply(goal, Command::Lane(LaneCommand::GateAsk(ask)))
    }

    /// One turn a day, and it is spent.
    fn use_up(&mut self, goal: &GoalId) -> Result<(), CliError> {
        let quota = Quota { window_minutes: 24 * 60, turns: Some(1), minutes: None, tokens: None };
        let set = AuthorityCommand::QuotaSet { agent: None, quota };
        self.apply(goal, Command::Authority(set))?;
        let amount = Amount { turns: 1, ..Amount::default() };
        let spend =
            SpendDraft { agent: None, key: loopx_core::TurnKey::parse("sample-turn")?, amount, at: None };
        self.apply(goal, Command::Lane(LaneCommand::Spend(spend)))
    }

    fn codex(&mut self, goal: &GoalId, turn: Turn, minutes: i64) -> Result<(), CliError> {
        let cwd = self.home.join(goal.as_str());
        self.sessions += 1;
        let at = minutes_before(self.now, minutes);
        let session = Sample { number: self.sessions, cwd: &cwd, turn, at };
        files::codex(self.env, self.home, session).map_err(|error| unmade(&error))
    }

    fn claude(&mut self, goal: &GoalId, turn: Turn, minutes: i64) -> Result<(), CliError> {
        let cwd = self.home.join(goal.as_str());
        self.sessions += 1;
        let at = minutes_before(self.now, minutes);
        let session = Sample { number: self.sessions, cwd: &cwd, turn, at };
        files::claude(self.home, session).map_err(|error| unmade(&error))
    }
}

/// A text of ours.
fn ours(text: &str) -> Result<PublicText, CliError> {
    PublicText::new(text).map_err(|refusal| refused_text("the sample", &refusal))
}
