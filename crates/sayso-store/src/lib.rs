//! The record of everything sayso was asked, decided and ran, kept so that a change to it shows.
