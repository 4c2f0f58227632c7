//! Measures the engine and the relay and prints the figures. Asserts nothing.
//!
//! `deem-bench [engine|saves|fanout|joins]...`: all of them without an argument. The relay is
//! `target/release/deem` in its own process on core 0, over TCP, with its SQLite file.

mod engine;
mod fanout;
mod figures;
mod joins;
mod marks;
mod member;
mod process;
mod saves;
mod socket;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use process::{Cores, Relay};

const HELP: &str = "\
Measures and prints; asserts nothing. Leave the machine alone meanwhile: both cores are used.

cargo xtask bench [engine|pages|saves|fanout|joins]...   all of them without a name

  engine   one mark: encoding it, and the gate with apply and content; a digest. In this process
  pages    a page with a card from a cold cache, beside the same page on plain Yjs; a mark at a
           second browser. Needs `npm ci` in www and tests, and the built package
  saves    saves of different decisions over HTTP, 64 in flight, each on disk before its answer
  fanout   50 rooms of 10 members, from 9,000 deliveries a second up
  joins    cold joins of a 50 KB draft, and the memory of an idle connection

All but engine start target/release/deem as a process of its own, over TCP, with its SQLite file
under target/bench: build it first (cargo build --release -p deem-cli).

Examples:
  cargo xtask bench
  cargo xtask bench saves
  cargo xtask bench engine joins";

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> io::Result<()> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted.iter().any(|word| word == "--help" || word == "-h") {
        // Nobody may be reading.
        let _ = writeln!(io::stdout(), "{HELP}");
        return Ok(());
    }
    let all = ["engine", "pages", "saves", "fanout", "joins"];
    if let Some(word) = wanted.iter().find(|word| !all.contains(&word.as_str())) {
        return Err(io::Error::other(format!(
            "no such measurement: {word}; there are {}",
            all.join(", ")
        )));
    }
    let asked = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let local = tokio::task::LocalSet::new();
    if asked("engine") {
        print_engine()?;
    }
    if asked("pages") {
        node("xtask/bench/pages/measure.mjs")?;
    }
    if asked("saves") {
        local.block_on(&runtime, print_saves())?;
    }
    if asked("fanout") {
        local.block_on(&runtime, print_fanout())?;
    }
    if asked("joins") {
        local.block_on(&runtime, print_joins())?;
    }
    Ok(())
}

fn target() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target")
}

fn relay(name: &str, cores: Cores) -> io::Result<Relay> {
    Relay::start(
        &target().join("release/deem"),
        target().join("bench").join(name),
        cores,
    )
}

fn print_engine() -> io::Result<()> {
    engine::run(2_000)?;
    let figures = engine::median_of(15, 2_000)?;
    println!(
        "engine, native, one random mark in a 20 x 5 draft (2,000 a draft, median of 15 drafts)"
    );
    println!(
        "  local edit to encoded update         {:7.2} us   (bar: 10)",
        figures.edit_us
    );
    println!(
        "  gate, schema and definition, apply   {:7.2} us   (bar: 15)",
        figures.admit_us
    );
    println!(
        "  content and digest, when asked for   {:7.2} us",
        figures.content_us
    );
    node("xtask/bench/web/run.mjs")
}

/// Runs a script that prints figures of its own.
fn node(script: &str) -> io::Result<()> {
    let status = std::process::Command::new("node")
        .arg(target().join("..").join(script))
        .status()?;
    if status.success() {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "{script} needs `cargo xtask wasm`, `npm run build` in www and `npm ci` in tests"
    )))
}

async fn print_saves() -> io::Result<()> {
    let folder = target().join("bench");
    let disk = saves::disk_syncs_per_s(&folder, 500)?;
    println!("saves over different decisions, 64 in flight");
    println!("  the disk alone: {disk:.0} appends with fdatasync per second");
    for (place, cores) in [
        ("all cores, shared with the load", Cores::All),
        ("on one core", Cores::One),
    ] {
        print_saves_on(place, cores).await?;
    }
    Ok(())
}

async fn print_saves_on(place: &str, cores: Cores) -> io::Result<()> {
    let relay = relay("saves", cores)?;
    let got = saves::run(&relay, 20_000, 64).await?;
    println!(
        "  relay {place}: {:.0} saves/s   p50 {:.1} ms   p99 {:.1} ms   cpu {:.0} us   {:.0} groups \
         fsynced, synchronous={}   {} refused   (bar: 10,000/s, p99 < 50 ms)",
        got.per_s,
        got.p50_ms,
        got.p99_ms,
        got.cpu_us,
        got.fsyncs,
        relay.metric("deem_store_synchronous"),
        got.refused
    );
    Ok(())
}

async fn print_fanout() -> io::Result<()> {
    println!(
        "fan-out, {} rooms x {} members, one mark an update, relay on one core",
        fanout::ROOMS,
        fanout::MEMBERS
    );
    println!(
        "   offered/s  delivered/s   p50 ms   p99 ms  ack p99 ms  MB/s in  cpu us  fsyncs  refused"
    );
    let relay = relay("fanout", Cores::One)?;
    let rates = [
        9_000.0, 80_000.0, 160_000.0, 240_000.0, 320_000.0, 400_000.0, 500_000.0,
    ];
    let (rows, bytes) = fanout::run(&relay, &rates, 3).await?;
    for row in rows {
        println!(
            "  {:10.0}  {:11.0}  {:7.1}  {:7.1}  {:10.1}  {:7.1}  {:6.2}  {:6.0}  {:7}",
            row.offered,
            row.delivered,
            row.p50_ms,
            row.p99_ms,
            row.ack_p99_ms,
            row.bytes_per_s / 1e6,
            row.cpu_us,
            row.fsyncs,
            row.nacks
        );
    }
    println!(
        "  the relay counts {:.0} deliveries, synchronous={}   (bar: 240,000/s with p99 < 50 ms)",
        relay.metric("deem_deliveries_total"),
        relay.metric("deem_store_synchronous")
    );
    println!(
        "  bytes: {} sent by the members, {:.0} received by the relay, {} received by the members",
        bytes.sent, bytes.relay_received, bytes.received
    );
    Ok(())
}

async fn print_joins() -> io::Result<()> {
    let relay = relay("joins", Cores::One)?;
    let decision = joins::prepare(&relay)?;
    let got = joins::run(&relay, &decision, 16, 5, 2_000).await?;
    println!(
        "cold joins of a {} byte draft, relay on one core",
        got.draft_bytes
    );
    println!("  {:.0} joins/s   (bar: 6,000)", got.per_s);
    println!(
        "  an idle connection after its join: {:.0} bytes   (bar: 6,144)",
        got.idle_bytes
    );
    Ok(())
}
