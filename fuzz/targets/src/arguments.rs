//! The command line of `deem`.

#[path = "../../../crates/deem-cli/src/args.rs"]
#[expect(unreachable_pub, reason = "a module of deem-cli, read as it is")]
mod args;

use std::sync::OnceLock;

use clap::Parser as _;

use crate::{
    Target, deepest,
    input::{near, spell, spelled},
};

use args::{Cli, Command, Decision};

pub(crate) const TARGET: Target = Target {
    name: "arguments",
    bytes: "words, each ended by a zero; or, behind an odd byte, numbers of known ones",
    deepest: "one edit that marks, chooses and writes, of a question and a generation",
    run,
    seeds,
};

/// Words of a command line that are read; a shell takes more, a parser need not.
const WORDS_MAX: usize = 64;

fn run(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    let text = if kind % 2 == 0 {
        String::from_utf8_lossy(rest)
    } else {
        let known: Vec<&str> = words().iter().map(String::as_str).collect();
        spelled(rest, &known).into()
    };
    let text = text.trim_end_matches('\0');
    let words = text.split('\0').take(WORDS_MAX);
    let words: Vec<&str> = std::iter::once("deem").chain(words).collect();
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => {
            let said = args::with_right_place(error).to_string();
            assert!(!said.is_empty(), "an error without a word");
            return;
        }
    };
    let again = Cli::try_parse_from(&words).expect("it was read before");
    assert_eq!(format!("{cli:?}"), format!("{again:?}"));
    if let Command::Decision(Decision::Edit(edit)) = &cli.command {
        deepest(
            !edit.marks.is_empty()
                && edit.choice.is_some()
                && edit.text.is_some()
                && edit.generation.is_some()
                && edit.of.question.is_some(),
        );
    }
}

/// Every word of the samples, each with its end.
fn words() -> &'static [String] {
    static WORDS: OnceLock<Vec<String>> = OnceLock::new();
    WORDS.get_or_init(made_words)
}

fn made_words() -> Vec<String> {
    let mut words = Vec::new();
    for line in LINES {
        let line: Vec<&str> = line.split(' ').collect();
        words.extend(line.iter().map(|word| format!("{word}\0")));
        // A flag with what it takes: one word more is one flag more.
        let flag = |words: &&[&str]| words[0].starts_with("--");
        let pairs = line.windows(2).filter(flag);
        let marks = line.windows(4).filter(|words| words[0] == "--mark");
        let joined = |words: &[&str]| format!("{}\0", words.join("\0"));
        words.extend(pairs.map(joined));
        words.extend(marks.map(joined));
    }
    words.sort();
    words.dedup();
    words
}

fn seeds() -> Vec<Vec<u8>> {
    let known: Vec<&str> = words().iter().map(String::as_str).collect();
    let mut seeds = Vec::new();
    for line in LINES {
        let line = line.replace(' ', "\0");
        seeds.push([&[0][..], line.as_bytes()].concat());
        if let Some(words) = spell(&format!("{line}\0"), &known) {
            seeds.push([&[1][..], &words].concat());
            if line.contains("--of") {
                seeds.extend(near(&words).map(|less| [&[1][..], &less].concat()));
            }
        }
    }
    seeds
}

const LINES: &[&str] = &[
    "decision edit d7 --mark Barn Price yes --choice Barn",
    "decision edit d7 --text words --generation 3 --of q1",
    "decision edit d7 --mark Barn Price yes --text words --generation 3",
    "d edit d7 --mark a b clear --mark c d partly --choice Barn --text - --generation 2 --of q1",
    "d edit d7 --mark a b clear --choice Barn --text - --generation 2",
    "d edit d7 --mark a b clear --choice Barn --text - --of q1",
    "d edit d7 --mark a b clear --choice Barn --generation 2 --of q1",
    "d edit d7 --mark a b clear --text - --generation 2 --of q1",
    "d edit d7 --choice Barn --text - --generation 2 --of q1",
    "decision edit d7 --pick o1 --unpick o2 --json -v",
    "decision open --header H --question Q --option Barn=near --criterion Price",
    "decision open --question Q --text --context c",
    "decision list --status open --relay http://[::1]:1 --space s --user u --role admin",
    "decision mark -x o1 c1 clear --of q1",
    "decision choose d7 a b --off",
    "decision choose d7 --none",
    "decision write d7 -",
    "decision append-option d7 L --description D --key key-0001",
    "decision append-criterion d7 L",
    "decision save d7 --generation 1 --digest ab",
    "decision reopen d7",
    "decision discard d7 -y",
    "decision cancel d7 --reason r --yes",
    "decision why d7 text",
    "decision why d7 --clear",
    "decision watch d7 --until-closed",
    "watch d7",
    "export",
    "import a.jsonl b.md",
    "log --since 40 --follow",
    "log --since -1",
    "serve --dev --listen 127.0.0.1:0 --loops 2 --origin https://a --origin b",
    "serve --auth-key k --data d --web w --help-limits",
    "serve --listen nowhere",
    "completions bash",
    "help decision save",
    "--version",
    "decision save --help",
    "decisoin",
    "",
];
