//! Saves of different decisions, 64 in flight, each durable before it is answered.

use std::{
    cell::RefCell,
    io::{self, Write},
    path::Path,
    rc::Rc,
    time::Instant,
};

use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{figures::Latencies, process::Relay};

/// What the saves gave.
pub struct Saves {
    /// Saves per second.
    pub per_s: f64,
    /// Median, ms.
    pub p50_ms: f64,
    /// 99th percentile, ms.
    pub p99_ms: f64,
    /// CPU time of the relay a save, microseconds.
    pub cpu_us: f64,
    /// Groups written durable.
    pub fsyncs: f64,
    /// How many were refused (must be none).
    pub refused: u64,
}

/// Opens `count` choice decisions, picks an option in each, then saves them all over `in_flight`
/// HTTP connections that are kept open.
///
/// # Errors
/// Of sockets and the relay.
pub async fn run(relay: &Relay, count: usize, in_flight: usize) -> io::Result<Saves> {
    let ready = prepare(relay, count, in_flight)?;
    let latencies = Rc::new(RefCell::new(Latencies::default()));
    let refused = Rc::new(RefCell::new(0u64));
    let fsyncs = relay.metric("deem_fsync_seconds_count");
    let cpu = relay.cpu_ticks();
    let start = Instant::now();
    let mut tasks = Vec::new();
    for saves in ready {
        let (latencies, refused) = (Rc::clone(&latencies), Rc::clone(&refused));
        let address = relay.address.clone();
        tasks.push(tokio::task::spawn_local(async move {
            let mut stream = TcpStream::connect(&address).await?;
            stream.set_nodelay(true)?;
            for request in &saves {
                let sent = Instant::now();
                let ok = exchange(&mut stream, request.as_bytes()).await?;
                latencies.borrow_mut().add(sent.elapsed());
                *refused.borrow_mut() += u64::from(!ok);
            }
            io::Result::Ok(())
        }));
    }
    for task in tasks {
        task.await.map_err(io::Error::other)??;
    }
    let seconds = start.elapsed().as_secs_f64();
    let latencies = latencies.borrow();
    let cpu_us = (relay.cpu_ticks() - cpu) as f64 * 10_000.0 / count as f64;
    Ok(Saves {
        cpu_us,
        per_s: count as f64 / seconds,
        p50_ms: latencies.ms(0.5),
        p99_ms: latencies.ms(0.99),
        fsyncs: relay.metric("deem_fsync_seconds_count") - fsyncs,
        refused: *refused.borrow(),
    })
}

/// One request and its whole answer; whether the status was 200.
async fn exchange(stream: &mut TcpStream, request: &[u8]) -> io::Result<bool> {
    stream.write_all(request).await?;
    let mut answer = Vec::new();
    loop {
        if let Some(end) = answer.windows(4).position(|w| w == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length.and_then(|n| n.trim().parse().ok()).unwrap_or(0);
            if answer.len() >= end + 4 + length {
                return Ok(head.starts_with("http/1.1 200"));
            }
        }
        if stream.read_buf(&mut answer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

/// Per connection: the save requests, one a decision, as bytes of HTTP.
fn prepare(relay: &Relay, count: usize, connections: usize) -> io::Result<Vec<Vec<String>>> {
    let mut ready = vec![Vec::new(); connections];
    for serial in 0..count {
        let space = format!("saves{}", serial % 8);
        let body = json!({"op": format!("open-{serial:08}"), "question": "Which?",
            "options": [{"label": "This"}, {"label": "That"}]});
        let text = relay.http(
            "POST",
            &format!("/v1/spaces/{space}/decisions"),
            Some(&body),
        )?;
        let record: serde_json::Value = serde_json::from_str(&text).map_err(io::Error::other)?;
        let id = record["id"].as_str().unwrap_or_default().to_owned();
        let option = &record["definition"]["questions"][0]["options"][0]["id"];
        let body = json!({"op": format!("edit-{serial:08}"),
            "edits": [{"set": "choice", "option": option}]});
        let path = format!("/v1/spaces/{space}/decisions/{id}");
        // Many people: what one may edit in a second has a limit.
        let edit = format!("{path}/edit?user=bench{}", serial % 100);
        let text = relay.http("POST", &edit, Some(&body))?;
        let edited: serde_json::Value = serde_json::from_str(&text).map_err(io::Error::other)?;
        let save = json!({"op": format!("save-{serial:08}"), "generation": 1,
            "digest": edited["digest"]})
        .to_string();
        ready[serial % connections].push(format!(
            "POST {path}/save HTTP/1.1\r\nHost: {}\r\nx-deem-user: bench\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{save}",
            relay.address,
            save.len()
        ));
    }
    Ok(ready)
}

/// Appends with one fdatasync each, per second: what the disk gives alone.
///
/// # Errors
/// Of the file.
pub fn disk_syncs_per_s(folder: &Path, count: u32) -> io::Result<f64> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join("sync-probe");
    let mut file = std::fs::File::create(&path)?;
    let start = Instant::now();
    for _ in 0..count {
        file.write_all(&[7; 512])?;
        file.sync_data()?;
    }
    let seconds = start.elapsed().as_secs_f64();
    std::fs::remove_file(&path)?;
    Ok(f64::from(count) / seconds)
}
