//! What a screen that stays shows: everything that one look brought, held until the next one.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use loopx_contract::{AgentId, EvidenceTier, GoalId, MissingFact, RuntimeId, SessionFacts, WaitingOn};
use loopx_core::todo::Todo;
use loopx_core::{Decision, Row};
use loopx_safety::{Handle, io_words};

use crate::app::documents::StatusDocument;
use crate::app::overview::{Held, World};
use crate::app::placing::Place;
use crate::app::plane::{Seen, Sweep};
use crate::app::reading::Reading;
use crate::app::times::localized;
use crate::app::waits::{Ask, Wait, Waits};
use crate::app::{GoalView, Overview, SessionView};
use crate::error::CliError;

/// One look, held.
pub struct Board {
    /// Goals and sessions.
    pub world: World,
    /// Every goal's lanes with their decisions, those that need somebody first, and every session.
    pub overview: Overview,
    /// What became of the session files.
    pub sweep: Sweep,
    /// The operator's time zone.
    pub zone: TimeZone,
    waits: OnceLock<Waits>,
    // Many ask at once: each is made once for all of them.
    json: OnceLock<Result<Arc<[u8]>, CliError>>,
    packed: OnceLock<Result<Arc<[u8]>, CliError>>,
    tag: OnceLock<Result<Arc<str>, CliError>>,
}

impl Board {
    /// Decides for every lane.
    pub fn of(world: World, seen: &Seen, zone: TimeZone) -> Result<Self, CliError> {
        let overview = world.asked(None, None)?;
        Ok(Self {
            world,
            overview,
            sweep: seen.sweep.clone(),
            zone,
            waits: OnceLock::new(),
            json: OnceLock::new(),
            packed: OnceLock::new(),
            tag: OnceLock::new(),
        })
    }

    /// Every lane with what a person reads first of it, those that need somebody first.
    pub fn cards(&self) -> Vec<Card<'_>> {
        let mut cards: Vec<Card<'_>> =
            self.overview.goals.iter().flat_map(|goal| self.cards_of(goal)).collect();
        cards.sort_by_key(Card::order);
        cards
    }

    /// A session that is seen.
    pub fn session(&self, session: Handle) -> Option<&SessionView> {
        self.overview.sessions.iter().find(|view| view.facts.session_id == session)
    }

    /// One goal, if it is listed.
    pub fn goal(&self, goal: &GoalId) -> Option<&GoalView> {
        self.overview.goals.iter().map(Arc::as_ref).find(|view| view.id == *goal)
    }

    /// A goal's lanes, those that need somebody first.
    pub fn cards_of<'a>(&'a self, goal: &'a GoalView) -> Vec<Card<'a>> {
        let mut cards: Vec<Card<'_>> = goal.lanes.iter().map(|lane| self.card(goal, lane)).collect();
        cards.sort_by_key(Card::order);
        cards
    }

    /// One lane, if it is listed.
    pub fn find(&self, goal: &GoalId, agent: &AgentId) -> Option<Card<'_>> {
        let goal = self.goal(goal)?;
        Some(self.card(goal, goal.lane(agent)?))
    }

    fn card<'a>(&'a self, view: &'a GoalView, decision: &'a Decision) -> Card<'a> {
        let session = decision.projection.runtime.session_id.as_ref();
        Card {
            decision,
            view,
            zone: &self.zone,
            session: session.and_then(|session| self.world.session(session)),
        }
    }

    /// Sessions of no lane that ask a person something.
    pub fn prompts(&self) -> impl Iterator<Item = &SessionView> {
        self.overview
            .sessions
            .iter()
            .filter(|view| view.waiting_on == WaitingOn::User && !matches!(view.place, Place::Lane(..)))
    }

    /// How far a goal's log went, if it can be read.
    pub fn revision(&self, goal: &GoalId) -> Option<u64> {
        match self.world.goals.get(goal)? {
            Held::State(state) => Some(state.revision),
            Held::Damaged(_) => None,
        }
    }

    /// What is known of every session that is seen.
    pub fn facts(&self) -> impl Iterator<Item = &SessionFacts> {
        self.overview.sessions.iter().map(|view| &view.facts)
    }

    /// How much waits on the person.
    pub fn waits(&self) -> Waits {
        *self.waits.get_or_init(|| self.waiting())
    }

    fn waiting(&self) -> Waits {
        let (mut asks, mut waits) = (BTreeSet::new(), Waits::default());
        for goal in &self.overview.goals {
            for lane in &goal.lanes {
                match lane.projection.first_screen.waiting_on {
                    WaitingOn::User => {
                        waits.lanes += 1;
                        asks.extend(self.card(goal, lane).asks());
                    }
                    WaitingOn::Controller => waits.to_set_right += 1,
                    WaitingOn::Runtime | WaitingOn::Agent | WaitingOn::ExternalEvidence | WaitingOn::None => {
                    }
                }
            }
        }
        Waits { asks: asks.len(), prompts: self.prompts().count(), ..waits }
    }

    /// Open todos of the person's that no lane asks for.
    pub fn wishes(&self) -> impl Iterator<Item = (&GoalId, &Todo)> {
        self.overview.goals.iter().flat_map(|view| {
            let state = match self.world.goals.get(&view.id) {
                Some(Held::State(state)) => Some(state),
                Some(Held::Damaged(_)) | None => None,
            };
            let todo = move |id| Some((&view.id, state?.todos.get(id)?));
            view.wishes.iter().filter_map(todo)
        })
    }

    /// The document of `loopx status --json`, in bytes.
    pub fn json(&self) -> Result<Arc<[u8]>, CliError> {
        let made = self.json.get_or_init(|| {
            let json = crate::ui::document(&StatusDocument::of(&self.overview, Some(&self.sweep)))?;
            Ok(json.into_bytes().into())
        });
        made.clone()
    }

    /// The same bytes as gzip.
    pub fn json_packed(&self) -> Result<Arc<[u8]>, CliError> {
        let made = self.packed.get_or_init(|| {
            let failed = |error: std::io::Error| {
                CliError::internal(format!("failed to compress: {}", io_words(error.kind())))
            };
            let mut packed = GzEncoder::new(Vec::new(), Compression::default());
            packed.write_all(&self.json()?).map_err(failed)?;
            Ok(packed.finish().map_err(failed)?.into())
        });
        made.clone()
    }

    /// What tells that document from others.
    pub fn json_tag(&self) -> Result<Arc<str>, CliError> {
        self.tag.get_or_init(|| Ok(tag(&self.json()?).into())).clone()
    }
}

/// What tells a document from others. It may be sent compressed: the same document, not the same bytes.
pub fn tag(document: &[u8]) -> String {
    let digest = blake3::hash(document).to_hex();
    format!("W/\"{}\"", &digest[..32])
}

/// What a person reads first of a lane.
#[derive(Clone, Copy)]
pub struct Card<'a> {
    /// The lane's decision.
    pub decision: &'a Decision,
    /// The operator's time zone.
    pub zone: &'a TimeZone,
    /// Its goal.
    view: &'a GoalView,
    /// The session that decides, or the newest current one.
    pub session: Option<&'a SessionFacts>,
}

impl<'a> Card<'a> {
    /// The goal.
    pub fn goal(&self) -> &'a GoalId {
        &self.decision.projection.goal_id
    }

    /// The lane.
    pub fn agent(&self) -> &'a AgentId {
        &self.decision.projection.agent_id
    }

    /// Whom it waits on.
    pub fn waiting_on(&self) -> WaitingOn {
        self.decision.projection.first_screen.waiting_on
    }

    /// How a person reads whom it waits on.
    pub const fn reading(&self) -> Reading {
        Reading::of_lane(self.decision)
    }

    /// What is next, its instants in the operator's time.
    pub fn next_action(&self) -> String {
        localized(self.decision.projection.first_screen.next_action.as_str(), self.zone)
    }

    /// What was checked last, its instants in the operator's time.
    pub fn validation(&self) -> String {
        localized(self.decision.projection.first_screen.latest_validation.as_str(), self.zone)
    }

    /// The order of attention: lanes that wait for the same stand together.
    pub fn order(&self) -> (u8, u8, &'a str, Option<Ask<'a>>, &'a str) {
        let (row, ask) = (self.decision.row.number(), self.waits().next().map(Wait::ask));
        (self.waiting_on().attention(), row, self.goal().as_str(), ask, self.agent().as_str())
    }

    /// What of it waits on a person, what its first screen speaks of first.
    pub fn waits(&self) -> impl Iterator<Item = &'a Wait> {
        self.view.waits_of(self.agent())
    }

    /// What it asks of a person, what its first screen speaks of first; nothing where it waits on nobody's word.
    pub fn asks(&self) -> Vec<Ask<'a>> {
        let asks: Vec<Ask<'a>> = self.waits().map(Wait::ask).collect();
        let is_unsaid = asks.is_empty() && self.waiting_on() == WaitingOn::User;
        if is_unsaid { vec![Ask::Lane(self.goal(), self.agent())] } else { asks }
    }

    /// Since when it waits as it does, UTC, where that is known: what is owed since it was asked for, a session since
    /// it is as it is.
    pub fn since(&self) -> Option<Timestamp> {
        match (self.waits().next(), self.decision.row) {
            (Some(wait), _) => wait.since,
            // What its session does is what it waits for.
            (None, Row::Prompt | Row::Working | Row::Unsure | Row::Failed | Row::Limited | Row::Ready) => {
                self.session.and_then(|facts| facts.since)
            }
            (
                None,
                Row::Integrity
                | Row::UnknownLane
                | Row::Closed
                | Row::Paused
                | Row::Held
                | Row::Rejected
                | Row::Deferred
                | Row::Unfit
                | Row::Throttled
                | Row::Peers
                | Row::Evidence
                | Row::Stuck
                | Row::Succession
                | Row::Asked
                | Row::Quiet,
            ) => None,
        }
    }

    /// The strongest evidence for its session's state.
    pub fn tier(&self) -> Option<EvidenceTier> {
        self.session.map(|facts| facts.tier)
    }

    /// What would be needed to say more.
    pub fn missing(&self) -> Vec<&'static str> {
        let of_session = self.session.map(|facts| facts.missing.as_slice()).unwrap_or_default();
        let mut missing: Vec<&'static str> = of_session.iter().copied().map(MissingFact::word).collect();
        let more: Vec<&'static str> =
            self.decision.lacking.iter().copied().filter(|word| !missing.contains(word)).collect();
        missing.extend(more);
        missing
    }

    /// The session's runtime and handle.
    pub fn session_name(&self) -> Option<(&'a RuntimeId, Handle)> {
        self.session.map(|facts| (&facts.runtime_id, facts.session_id))
    }
}
