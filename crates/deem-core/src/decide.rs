//! `decide`: what a command would change, or why it may not.

use crate::{
    command::{Command, Context},
    event::Event,
    record::Record,
    refusal::Refusal,
};

/// Judges `command` against `record` (`None` = no such decision yet).
pub fn decide(
    record: Option<&Record>,
    command: &Command,
    context: &Context,
) -> Result<Vec<Event>, Refusal> {
    let _ = (record, command, context);
    Err(Refusal::NotFound)
}
