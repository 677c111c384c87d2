//! A world with one file, `src/main.rs`, that is held in memory.

use sayso_core::analysis::fact::{
    Fact, Facts, Ignored, Owner, PathFact, PathKind, ProgramFact, Question, Surroundings,
};
use sayso_core::paths::join;
use sayso_gate::ports::{Content, World};

/// The content of the one file.
pub(crate) struct OneFile(pub(crate) String);

impl World for OneFile {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        let answers = questions.iter().map(|question| match question {
            Question::Path { path, .. } => Some(Fact::Path(self.path(&join(cwd, path)))),
            Question::Program { name } => Some(Fact::Program(ProgramFact {
                file: Some(format!("/usr/bin/{name}")),
                changeable: false,
                inside_workspace: false,
            })),
            _ => None,
        });
        let surroundings = Surroundings {
            workspace: workspace.to_owned(),
            cwd: cwd.to_owned(),
            home: None,
            own: Vec::new(),
        };
        Facts {
            surroundings,
            answers: answers.collect(),
        }
    }

    fn content(&self, _: &str, _: u64) -> Result<Option<Content>, sayso_gate::error::ContentError> {
        Ok(Some(Content {
            bytes: self.0.clone().into_bytes(),
            size: self.0.len() as u64,
            executable: None,
        }))
    }
}

impl OneFile {
    fn path(&self, path: &str) -> PathFact {
        PathFact {
            canonical: path.to_owned(),
            links: Vec::new(),
            kind: if path.ends_with("main.rs") {
                PathKind::File
            } else {
                PathKind::Missing
            },
            hard_links: 1,
            owner: Owner::Me,
            writable_by_others: false,
            closed_to_others: false,
            case_insensitive: false,
            ignored: Ignored::No,
            size: None,
        }
    }
}
