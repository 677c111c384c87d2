//! Stub.
use crate::profile::Profile;
/// x
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// x
    pub what: What,
    /// x
    pub place: String,
    /// x
    pub words: String,
    /// x
    pub advice: String,
}
/// x
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// x
    Network,
}
/// x
pub const OUTSIDE: &str = "";
/// x
pub fn unlisted_host(host: &str) -> Refusal { Refusal { what: What::Network, place: host.into(), words: host.into(), advice: String::new() } }
/// x
pub fn explain(_: &Profile, _: &str) -> Vec<Refusal> { Vec::new() }
