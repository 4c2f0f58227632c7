//! `deem serve`.

use std::process::ExitCode;

use crate::{args::Serve, terminal::print};

/// Runs a relay until it is told to stop.
pub fn serve(arguments: Serve) -> ExitCode {
    if arguments.help_limits {
        return match print(&limits()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => failure.report(false),
        };
    }
    let config = deem_relay::Config {
        listen: arguments.listen,
        data: Some(arguments.data),
        dev: arguments.dev,
        auth_key: arguments.auth_key,
        origins: arguments.origins,
        web: arguments.web,
        loops: arguments.loops,
        ..deem_relay::Config::default()
    };
    match deem_relay::serve(&config) {
        Ok(deem_relay::ExitReason::Drained) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(error.exit_code())
        }
    }
}

/// Every limit in plain words: of decisions, then of drafts, documents and the relay.
fn limits() -> String {
    let parts = [
        (
            "Decisions (characters are UTF-16 units)",
            deem_core::limits::table(),
        ),
        (
            "Drafts, documents and the relay",
            deem_sync::limits::table(),
        ),
    ];
    let parts = parts.map(|(head, table)| {
        let lines = table.into_iter().map(|limit| {
            let (what, value, unit) = (limit.what, limit.value, limit.unit);
            format!("  {what:<52} {value:>16} {unit:<13} {}\n", limit.reason)
        });
        format!("{head}\n{}", lines.collect::<String>())
    });
    parts.join("\n")
}
