//! Another program keeps its hooks where nobody knows; so only what to do by hand is said.

use std::path::PathBuf;

use super::GENERIC;
use crate::install::switches::Switches;
use crate::install::{Around, InstallError, Installer, Plan, Wish};
use crate::which::{Scope, Which};

/// Any other program.
#[derive(Debug)]
pub struct Generic;

impl Installer for Generic {
    fn who(&self) -> Which {
        GENERIC
    }

    fn target(&self, _: &Around, _: Scope) -> Result<PathBuf, InstallError> {
        Err(InstallError::OtherProgram)
    }

    fn install(&self, around: &Around, wish: Wish) -> Result<Plan, InstallError> {
        self.target(around, wish.scope)
            .map(|target| Plan::of(&target))
    }

    fn uninstall(&self, around: &Around, scope: Scope) -> Result<Plan, InstallError> {
        self.target(around, scope).map(|target| Plan::of(&target))
    }

    fn starts(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn switches(&self) -> &Switches {
        &Switches::NONE
    }
}
