//! What can be typed: `deem --help` is made of this.

use std::{net::SocketAddr, path::PathBuf};

use clap::{
    Args, CommandFactory, Parser, Subcommand, ValueEnum,
    builder::StyledStr,
    error::{ContextKind, ContextValue},
};

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "deem",
    version,
    about = "Open decisions: marked together, settled once.",
    long_about = "Open decisions: marked together, settled once.\n\n\
        A decision is for a choice that people need to make; facts are looked up in the repository \
        or by research.",
    propagate_version = true,
    after_help = "\
Examples:
  deem serve --dev
  export DEEM_SPACE=plan DEEM_USER=ada
  deem decision open --header Workshop --question 'Where do we meet?' \\
      --option Barn='By bus' --option Library --criterion Price --criterion Room
  deem decision mark d7 Barn Price yes
  deem decision show d7
  deem decision save d7

Exit status: 0 done; 1 refused, by the relay or because a file here cannot be read or written; 2 usage,
also where a name is meant by nothing or nothing was shown yet to save; 3 cannot reach the relay; 4 done,
but stdout cannot be written."
)]
pub struct Cli {
    /// How to reach the relay, for every command but `serve`.
    #[command(flatten)]
    pub connection: Connection,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every command that talks to a relay.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Relay")]
pub struct Connection {
    /// Address of the relay
    #[arg(
        long,
        global = true,
        env = "DEEM_RELAY",
        value_name = "URL",
        default_value = "http://127.0.0.1:4870"
    )]
    pub relay: String,
    /// The space to work in
    #[arg(long, global = true, env = "DEEM_SPACE", value_name = "NAME")]
    pub space: Option<String>,
    /// Who you are, on a relay under --dev (elsewhere DEEM_TOKEN says it)
    #[arg(long, global = true, env = "DEEM_USER", value_name = "NAME")]
    pub user: Option<String>,
    /// What you may do, on a relay under --dev
    #[arg(long, global = true, value_name = "ROLE")]
    pub role: Option<RoleWord>,
    /// Print the relay's JSON instead of words
    #[arg(long, global = true)]
    pub json: bool,
    /// Print revisions too (seq and digest) after an edit
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

/// A role of `P0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RoleWord {
    Viewer,
    Writer,
    Agent,
    Admin,
}

/// What `deem` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a relay
    Serve(Box<Serve>),
    /// Open, read, mark and settle decisions
    #[command(
        subcommand,
        visible_alias = "d",
        after_help = "\
Examples:
  deem decision list --status open
  deem decision show d7
  deem decision mark d7 Barn Price yes
  deem decision save d7

Options and criteria are named by id or by label. `save` saves what `show` displayed to you."
    )]
    Decision(Decision),
    /// Print what was committed, in order
    #[command(after_help = "\
Numbers are of commits. One that only refused a row that somebody proposed in a draft is of the draft,
which the log never shows: its number is named and nothing else.

Examples:
  deem log --space plan
  deem log --since 40 --follow --json")]
    Log(Log),
    /// Print the whole log as JSON lines, for `deem import`
    #[command(after_help = "\
The log is what was committed. Drafts are not in it: marks, picks and texts of open decisions that
were never saved are left out, and said so on stderr. So are commits that only refused a row that
somebody proposed in a draft: their numbers are missing.

Example:
  deem export --space plan > plan.jsonl")]
    Export,
    /// Take over a log into an empty space, or decisions out of Markdown (as an admin)
    #[command(after_help = "\
Known ids stay as they are and are listed. From a log the decisions are made as they stand at its end:
questions, answers, history with its times, the generation and the reason of a cancelled one are kept.
Commits are numbered anew, a decision is opened by you and now, and who discarded or cancelled it, and
when, is not taken over; drafts are not in a log. From Markdown every <Questionnaire> is read; a settled
one becomes a settled record with the file's names and times, marked as imported. A file without any is
skipped. A file that cannot be read or is broken, and a space that is not empty, are refused (1) before
anything is sent.

Examples:
  deem import plan.jsonl --space plan2
  deem import docs/adr/*.md --space demo --user ada --role admin")]
    Import {
        /// Files that end in .jsonl (a log) or .md, .mdx (Markdown)
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  deem completions bash > ~/.local/share/bash-completion/completions/deem"
    )]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// Arguments of `deem serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Prints its address on stdout when it is ready, all else on stderr. SIGTERM drains: what was accepted
is committed, clients are told when to come back. SIGHUP reads the key file again.

Examples:
  deem serve --dev
  deem serve --listen 127.0.0.1:0 --data /var/lib/deem --auth-key key.pem --origin https://plan.example")]
pub struct Serve {
    /// Where to listen; port 0 picks a free one
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:4870",
        value_parser = read_address
    )]
    pub listen: SocketAddr,
    /// Folder of the store
    #[arg(long, value_name = "DIR", default_value = "deem-data")]
    pub data: PathBuf,
    /// Let anybody be anyone; on loopback only
    #[arg(long, conflicts_with = "auth_key")]
    pub dev: bool,
    /// PEM public key (EdDSA), or a file of at least 32 bytes (HS256)
    #[arg(long, value_name = "FILE")]
    pub auth_key: Option<PathBuf>,
    /// An origin of browsers that may connect, beside the relay's own
    #[arg(long = "origin", value_name = "URL")]
    pub origins: Vec<String>,
    /// Folder of static files to serve at /
    #[arg(long, value_name = "DIR")]
    pub web: Option<PathBuf>,
    /// Threads that serve spaces; one per core if absent
    #[arg(long, value_name = "N")]
    pub loops: Option<std::num::NonZeroUsize>,
    /// Print every limit - of decisions, drafts and the relay - with its unit and reason, and stop
    #[arg(long)]
    pub help_limits: bool,
}

fn read_address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse()
        .map_err(|_| "expected an IP address and a port, like 127.0.0.1:4870 or [::1]:0")
}

/// Arguments of `deem log`.
#[derive(Debug, Args)]
pub struct Log {
    /// Start after this commit
    #[arg(
        long,
        value_name = "COMMIT",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    pub since: u64,
    /// Go on with what is committed from now
    #[arg(long)]
    pub follow: bool,
}

/// `deem decision ...`
#[derive(Debug, Subcommand)]
pub enum Decision {
    /// Ask a new decision
    #[command(after_help = "\
A decision is for a choice that people need to make; facts are looked up by research.
Prints its id on stdout and, where the relay serves pages, its address on stderr. Options and criteria
can be appended as long as it is open, up to 10 and 5.

Examples:
  deem decision open --header Workshop --question 'Where do we meet?' \\
      --option Barn='By bus' --option Library --criterion Price --criterion Room
  deem decision open --question 'What do we call the release?' --text")]
    Open(Open),
    /// List decisions, newest first
    #[command(after_help = "Example:\n  deem decision list --status open")]
    List {
        /// Only these: open (reopened ones too), settled, reopened, discarded, cancelled, expired
        #[arg(long, value_name = "STATUS")]
        status: Option<String>,
    },
    /// Show a decision with its matrix; `save` saves what was shown
    #[command(after_help = "Example:\n  deem decision show d7")]
    Show {
        /// The decision
        #[arg(allow_hyphen_values = true)]
        id: String,
    },
    /// Several edits of the draft at once, all or none
    #[command(after_help = "\
Example:
  deem decision edit d7 --mark Barn Price yes --mark Library Price no --choice Barn")]
    Edit(Edit),
    /// Mark an option against a criterion
    #[command(after_help = "\
Examples:
  deem decision mark d7 Barn Price partly
  deem decision mark d7 o1 c2 clear")]
    Mark {
        /// The decision
        #[arg(allow_hyphen_values = true)]
        id: String,
        /// By id or label
        #[arg(allow_hyphen_values = true)]
        option: String,
        /// By id or label
        #[arg(allow_hyphen_values = true)]
        criterion: String,
        /// What you judge
        mark: MarkWord,
        #[command(flatten)]
        of: OfQuestion,
    },
    /// Choose an option
    #[command(after_help = "\
Examples:
  deem decision choose d7 Barn
  deem decision choose d9 Monday Tuesday     # where several may be chosen
  deem decision choose d9 Monday --off
  deem decision choose d7 --none")]
    Choose {
        /// The decision
        #[arg(allow_hyphen_values = true)]
        id: String,
        /// By id or label
        #[arg(required_unless_present = "none", conflicts_with = "none")]
        options: Vec<String>,
        /// Take the choice back
        #[arg(long, conflicts_with = "none")]
        off: bool,
        /// Choose nothing
        #[arg(long)]
        none: bool,
        #[command(flatten)]
        of: OfQuestion,
    },
    /// Write the answer, or own words on a choice
    #[command(after_help = "\
Examples:
  deem decision write d8 'Deem 1.0'
  deem decision write d8 - < answer.txt")]
    Write {
        /// The decision
        #[arg(allow_hyphen_values = true)]
        id: String,
        /// The whole text; - reads it from stdin
        #[arg(allow_hyphen_values = true)]
        text: String,
        #[command(flatten)]
        of: OfQuestion,
    },
    /// Append an option
    #[command(
        after_help = "Example:\n  deem decision append-option d7 'Town hall' --description 'Two rooms'"
    )]
    AppendOption {
        /// The decision
        #[arg(allow_hyphen_values = true)]
        id: String,
        /// Up to 200 characters
        #[arg(allow_hyphen_values = true)]
        label: String,
        /// Up to 1000 characters
        #[arg(long)]
        description: Option<String>,
        #[command(flatten)]
        append: Append,
    },
    /// Append a criterion
    #[command(after_help = "Example:\n  deem decision append-criterion d7 'Step-free'")]
    AppendCriterion {
        /// The decision
        #[arg(allow_hyphen_values = true)]
        id: String,
        /// Up to 40 characters
        #[arg(allow_hyphen_values = true)]
        label: String,
        #[command(flatten)]
        append: Append,
    },
    /// Settle the decision for everyone, as it was shown to you
    #[command(after_help = "\
Examples:
  deem decision show d7 && deem decision save d7
  deem decision save d7 --generation 1 --digest 3f9a...")]
    Save {
        /// The decision
        #[arg(allow_hyphen_values = true)]
        id: String,
        /// The revision to save (64 hex digits); absent: what `show` displayed last
        #[arg(long, requires = "generation")]
        digest: Option<String>,
        /// The generation of that digest
        #[arg(long, requires = "digest", allow_negative_numbers = true)]
        generation: Option<u32>,
    },
    /// Open a settled decision again; its answer moves to the history
    #[command(after_help = "Example:\n  deem decision reopen d7")]
    Reopen {
        /// The decision
        #[arg(allow_hyphen_values = true)]
        id: String,
    },
    /// Discard a decision for good
    #[command(after_help = "\
Its history and its draft can still be shown. Nothing can be saved, and it cannot be reopened. At a
terminal you are asked first; scripts are not.

Examples:
  deem decision discard d7
  deem decision discard d7 --yes")]
    Discard {
        /// The decision
        #[arg(allow_hyphen_values = true)]
        id: String,
        /// Do not ask first
        #[arg(short, long)]
        yes: bool,
    },
    /// Cancel a decision that you asked, while it is open
    #[command(after_help = "\
The record is kept; it cannot be reopened. At a terminal you are asked first; scripts are not.

Example:
  deem decision cancel d7 --reason 'The room was given away'")]
    Cancel {
        /// The decision
        #[arg(allow_hyphen_values = true)]
        id: String,
        /// One sentence for those who were asked
        #[arg(long, default_value = "")]
        reason: String,
        /// Do not ask first
        #[arg(short, long)]
        yes: bool,
    },
    /// Say in one line why a settled decision was settled so
    #[command(after_help = "\
Examples:
  deem decision why d7 'Nobody needs a car to get there'
  deem decision why d7 --clear")]
    Why {
        /// The decision
        #[arg(allow_hyphen_values = true)]
        id: String,
        /// Up to 300 characters
        #[arg(required_unless_present = "clear", allow_hyphen_values = true)]
        text: Option<String>,
        /// Take the words away
        #[arg(long, conflicts_with = "text")]
        clear: bool,
    },
    /// Follow a decision live, redrawn with every change
    #[command(after_help = "\
Commits are drawn at once. Edits of the draft are asked for about once a second, so several of them
may come in one drawing. --json prints the decision's log lines, which draft edits are not in. A
relay that goes away is waited for.

Examples:
  deem decision watch d7
  deem decision watch d7 --until-closed
  deem decision watch d7 --json              # log lines")]
    Watch {
        /// The decision
        #[arg(allow_hyphen_values = true)]
        id: String,
        /// Stop when it is not open any more
        #[arg(long)]
        until_closed: bool,
    },
}

/// Arguments of `deem decision open`.
#[derive(Debug, Args)]
pub struct Open {
    /// A few words; absent: the start of the question
    #[arg(long)]
    pub header: Option<String>,
    /// What is asked
    #[arg(long)]
    pub question: String,
    /// What to know, shown under the question
    #[arg(long)]
    pub context: Option<String>,
    /// An option, with a description after =
    #[arg(long = "option", value_name = "LABEL[=DESCRIPTION]")]
    pub options: Vec<String>,
    /// A quality that options are judged against
    #[arg(long = "criterion", value_name = "LABEL")]
    pub criteria: Vec<String>,
    /// Answered with a text, not with options
    #[arg(long, conflicts_with_all = ["options", "criteria", "multiple"])]
    pub text: bool,
    /// Several options may be chosen
    #[arg(long)]
    pub multiple: bool,
}

/// Arguments of `deem decision edit`.
#[derive(Debug, Args)]
pub struct Edit {
    /// The decision
    #[arg(allow_hyphen_values = true)]
    pub id: String,
    /// Mark an option (by id or label) against a criterion
    #[arg(long = "mark", num_args = 3, value_names = ["OPTION", "CRITERION", "MARK"])]
    pub marks: Vec<String>,
    /// Choose one option
    #[arg(long, value_name = "OPTION", conflicts_with = "no_choice")]
    pub choice: Option<String>,
    /// Choose none
    #[arg(long)]
    pub no_choice: bool,
    /// Choose this one too, where several may be chosen
    #[arg(long = "pick", value_name = "OPTION")]
    pub picks: Vec<String>,
    /// Take this choice back, where several may be chosen
    #[arg(long = "unpick", value_name = "OPTION")]
    pub unpicks: Vec<String>,
    /// The whole text
    #[arg(long)]
    pub text: Option<String>,
    /// Refuse if this is not the current generation
    #[arg(long, allow_negative_numbers = true)]
    pub generation: Option<u32>,
    #[command(flatten)]
    pub of: OfQuestion,
}

/// For cards of several questions (an older shape).
#[derive(Debug, Clone, Default, Args)]
pub struct OfQuestion {
    /// Which question of the card, where it has several
    #[arg(long = "of", value_name = "QUESTION")]
    pub question: Option<String>,
}

/// Arguments of both appends.
#[derive(Debug, Args)]
pub struct Append {
    /// The same key again gives the same entry (8 to 64 characters); absent: a fresh one
    #[arg(long)]
    pub key: Option<String>,
    #[command(flatten)]
    pub of: OfQuestion,
}

/// A mark as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MarkWord {
    Yes,
    Partly,
    No,
    Clear,
}

/// Where a command stands that was typed at another place: `deem watch` is `deem decision watch`.
pub fn with_right_place(mut error: clap::Error) -> clap::Error {
    let typed = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(typed)) => typed.clone(),
        _ => return error,
    };
    let root = Cli::command();
    let of_decision = root
        .find_subcommand("decision")
        .and_then(|decision| decision.find_subcommand(&typed));
    let place = match (of_decision, root.find_subcommand(&typed)) {
        (Some(command), _) => format!("deem decision {}", command.get_name()),
        (None, Some(command)) => format!("deem {}", command.get_name()),
        (None, None) => return error,
    };
    let tip = StyledStr::from(format!("this command is `{place}`"));
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// P5: `--help` with examples, for every command there is.
    #[test]
    fn every_command_has_an_example() {
        fn check(command: &clap::Command) {
            let help = command.get_after_help().map(ToString::to_string);
            let name = command.get_name();
            assert!(
                help.is_some_and(|help| help.contains("Example") && help.contains("deem ")),
                "{name}"
            );
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
    }
}
