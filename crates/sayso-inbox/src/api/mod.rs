//! What requests are answered with, a file for each thing that they are about.

mod events;
mod group;
mod me;
mod operations;
mod policy;
mod preview;
mod prompts;
mod record;
mod session;
mod standing;

use std::sync::Arc;

pub(super) use me::new_link;
pub(super) use operations::AGENT;

use super::page;
use super::reply::Answered;
use super::request::Asked;
use super::route::Name;
use super::server::Server;

/// Answers a request that may be made.
pub(super) async fn answer(server: &Arc<Server>, asked: Asked) -> Answered {
    match asked.route.name {
        Name::Index => Ok(page::index()),
        Name::Program => Ok(page::program()),
        Name::Part => page::part(asked.name()),
        Name::Looks => Ok(page::looks()),
        Name::Openapi => Ok(page::openapi()),
        Name::Health => Ok(me::health(server)),
        Name::Metrics => Ok(me::metrics(server)),
        Name::Login => me::login(server, &asked),
        Name::Logout => Ok(me::logout(server, &asked)),
        Name::Links => me::link(server, &asked),
        Name::Stop => me::stop(server, &asked),
        Name::Me => me::me(server, &asked),
        Name::Here => me::here(server, &asked),
        Name::Prompts => prompts::list(server, &asked),
        Name::Ask => prompts::ask(server, asked).await,
        Name::Prompt => prompts::one(server, &asked),
        Name::Answer => prompts::answer(server, asked).await,
        Name::Preview => preview::preview(server, asked).await,
        Name::Activity => prompts::activity(server, &asked),
        Name::Check => operations::check(server, &asked),
        Name::Submit => operations::submit(server, &asked).await,
        Name::Operation => operations::look(server, &asked).await,
        Name::TakeBack => operations::take_back(server, &asked),
        Name::Report => operations::report(server, &asked),
        Name::Sessions => record::sessions(server, asked).await,
        Name::Audit => record::audit(server, asked).await,
        Name::Entry => record::entry(server, asked).await,
        Name::Stats => record::stats(server, asked).await,
        Name::Rules => standing::rules(server).await,
        Name::RemoveRule => standing::remove_rule(server, asked).await,
        Name::Grants => standing::grants(server, asked).await,
        Name::RemoveGrant => standing::remove_grant(server, asked).await,
        Name::Policy => policy::policy(server, asked).await,
        Name::Events => events::all(server, &asked),
        Name::Respond => session::respond(server, asked).await,
        Name::Permissions => session::permissions(server, asked).await,
        Name::ClearPermissions => session::clear(server, asked).await,
        Name::SessionEvents => events::of_session(server, &asked),
    }
}
