//! `deem serve`.

use std::process::ExitCode;

use crate::{args::Serve, terminal::print};

/// Runs a relay until it is told to stop.
pub fn serve(arguments: Serve) -> ExitCode {
    if arguments.help_limits {
        let lines = deem_sync::limits::table().into_iter().map(|limit| {
            format!(
                "{:<28} {:>10} {:<12} {}\n",
                limit.name, limit.value, limit.unit, limit.reason
            )
        });
        let table: String = lines.collect();
        return match print(&table) {
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
    };
    match deem_relay::serve(&config) {
        Ok(deem_relay::ExitReason::Drained) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(error.exit_code())
        }
    }
}
