//! What a session works with, however it is shown.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::conversation::Said;
use crate::history::History;
use crate::instructions::instructions;
use crate::model::Model;
use crate::model::configured::Configured;
use crate::runtime::Base;
use crate::session::Session;
use crate::settings_text;
use crate::slash::Desk;
use crate::tool_schemas::Around;

/// What a session works with.
pub struct SessionState {
    /// The policy, the gate and the tools.
    pub base: Arc<Base>,
    /// Where what is said is kept.
    pub session: Arc<Session>,
    /// What was said.
    pub said: Vec<Said>,
    /// Who answers.
    pub model: Arc<dyn Model>,
    /// Who else could.
    pub configured: Configured,
    /// Where calls come from.
    pub around: Around,
    /// The person stopped the turn.
    pub stopped: Arc<AtomicBool>,
    /// A signal wants sayso to end.
    pub leave: Arc<AtomicBool>,
    /// Where what is typed is kept for later sessions.
    pub history: History,
}

impl SessionState {
    /// The person says something: it is kept before anything follows from it.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub fn person_says(&mut self, text: String) -> io::Result<()> {
        let person = Said::Person(text);
        self.session.keep(&person)?;
        self.said.push(person);
        Ok(())
    }

    /// What commands of the person work with.
    pub(crate) fn desk(&self) -> Desk<'_> {
        Desk {
            base: &self.base,
            around: &self.around,
            configured: &self.configured,
            model: self.model.as_ref(),
        }
    }
}

/// What a model gets besides the conversation.
pub fn system(base: &Base, around: &Around) -> String {
    let settings = base.settings(&around.agent);
    let mode = settings_text::mode(base.how(), settings.as_ref());
    instructions(&around.workspace, mode)
}
