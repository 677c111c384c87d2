//! Another program keeps its hooks where nobody knows; so only what to do by hand is said.

use std::path::PathBuf;

use super::GENERIC;
use crate::install::switches::Switches;
use crate::install::{Around, Installer, Plan, Refused, Wish};
use crate::which::{Scope, Which};

/// Any other program.
#[derive(Debug)]
pub struct Generic;

impl Installer for Generic {
    fn who(&self) -> Which {
        GENERIC
    }

    fn target(&self, _: &Around, _: Scope) -> Result<PathBuf, Refused> {
        Err(Refused::new("nobody knows where the settings of another program are")
            .hint("let it start `sayso hook generic --wait 600` before each call: docs/guide/hooks.md says what it sends and gets"))
    }

    fn install(&self, around: &Around, wish: Wish) -> Result<Plan, Refused> {
        self.target(around, wish.scope)
            .map(|target| Plan::of(&target))
    }

    fn uninstall(&self, around: &Around, scope: Scope) -> Result<Plan, Refused> {
        self.target(around, scope).map(|target| Plan::of(&target))
    }

    fn starts(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn switches(&self) -> &Switches {
        &Switches::NONE
    }
}
