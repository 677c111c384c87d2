//! A world without files, for agents whose tools touch none.

use sayso_core::analysis::fact::{Facts, Question, Surroundings};
use sayso_core::text::digest::{Digest, Encoder};

use crate::binding::Sealed;
use crate::ports::World;

/// Knows nothing of the machine: mail, tickets and the like can be asked about, and whatever is about files or commands is denied, since
/// nobody could tell what it would do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nowhere;

impl World for Nowhere {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        let surroundings = Surroundings {
            workspace: workspace.to_owned(),
            cwd: cwd.to_owned(),
            home: None,
            own: Vec::new(),
        };
        Facts {
            surroundings,
            answers: questions.iter().map(|_| None).collect(),
        }
    }

    /// Every call is bound to its folder; here that is no more than its name.
    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        let [Sealed::Identity(folder)] = files else {
            return None;
        };
        let mut encoder = Encoder::new("nowhere");
        encoder.text(folder);
        Some(encoder.finish())
    }
}
