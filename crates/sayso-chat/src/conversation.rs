//! What was said in a conversation, in the shape of no provider.

/// One thing that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// By the person.
    Person(String),
    /// By the model.
    Model(Answer),
    /// What came of the calls of the answer before, in their order.
    Results(Vec<Brought>),
}

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its words.
    pub text: String,
    /// The tools it wants to call, in order.
    pub calls: Vec<Wanted>,
}

/// A call that a model wants to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The id that the model gave it; it only goes back to the model.
    pub id: String,
    /// The tool, by the name the model used.
    pub tool: String,
    /// Its arguments, as they were written.
    pub arguments: String,
}

/// What came of a call, as the model is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brought {
    /// The id that the model gave the call.
    pub id: String,
    /// What it is told.
    pub text: String,
    /// Whether it failed, or was refused.
    pub failed: bool,
}

/// What is said of a call whose end nobody saw.
pub const CUT_OFF: &str =
    "the session was cut off here: nobody knows whether it ran. look before you go on";

/// Gives every call an end: a conversation that was cut off in the middle of some goes on with that.
pub fn close(said: &mut Vec<Said>) {
    let open = match said.last() {
        Some(Said::Model(answer)) if !answer.calls.is_empty() => answer
            .calls
            .iter()
            .map(|call| call.id.clone())
            .collect::<Vec<_>>(),
        _ => return,
    };
    said.push(Said::Results(
        open.into_iter()
            .map(|id| Brought {
                id,
                text: CUT_OFF.to_owned(),
                failed: true,
            })
            .collect(),
    ));
}
