//! Asks back before what cannot be taken back, where a person sits at a terminal. Scripts are not
//! asked: they said what they want.

use std::io::{BufRead, IsTerminal, Write};

use crate::failure::Failure;

/// Whether to ask: only a person at a terminal, and not one who said `--yes`.
pub fn is_asked(yes: bool) -> bool {
    !yes && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks on stderr and reads the answer from stdin.
///
/// # Errors
/// [`Failure::Local`] where the answer is not yes: nothing was done.
pub fn confirm(question: &str) -> Result<(), Failure> {
    ask(
        question,
        &mut std::io::stderr(),
        &mut std::io::stdin().lock(),
    )
}

fn ask(question: &str, out: &mut impl Write, answers: &mut impl BufRead) -> Result<(), Failure> {
    let _ = write!(out, "{question} [y/N] ");
    let _ = out.flush();
    let mut answer = String::new();
    let read = answers.read_line(&mut answer);
    read.map_err(|error| Failure::Local(format!("stdin cannot be read: {error}")))?;
    if ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) {
        return Ok(());
    }
    Err(Failure::Local("nothing was done".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P5: exit 1 where a person thinks better of it.
    #[test]
    fn only_a_yes_is_a_yes() {
        for (answer, goes_on) in [
            ("y\n", true),
            ("YES\n", true),
            ("yes", true),
            ("\n", false),
            ("", false),
            ("n\n", false),
            ("yesterday\n", false),
        ] {
            let mut out = Vec::new();
            let done = ask("Discard d7 for good?", &mut out, &mut answer.as_bytes());
            assert_eq!(out, b"Discard d7 for good? [y/N] ");
            match done {
                Ok(()) => assert!(goes_on, "{answer:?}"),
                Err(failure) => {
                    assert!(!goes_on, "{answer:?}");
                    assert!(matches!(failure, Failure::Local(_)));
                }
            }
        }
        assert!(!is_asked(true));
    }
}
