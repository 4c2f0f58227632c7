//! Saves of different decisions, 64 in flight, each durable before it is answered.

use std::{
    cell::RefCell,
    io::{self, Write},
    path::Path,
    rc::Rc,
    time::Instant,
};

use serde_json::json;

use crate::{figures::Latencies, process::Relay, socket::Socket};

/// What the saves gave.
pub struct Saves {
    /// Saves per second.
    pub per_s: f64,
    /// Median, ms.
    pub p50_ms: f64,
    /// 99th percentile, ms.
    pub p99_ms: f64,
    /// Groups written durable.
    pub fsyncs: f64,
    /// How many were refused (must be none).
    pub refused: u64,
}

/// Opens `count` choice decisions, picks an option in each, then saves them all.
///
/// # Errors
/// Of sockets and the relay.
pub async fn run(relay: &Relay, count: usize, in_flight: usize) -> io::Result<Saves> {
    let sockets = 8;
    let mut open = Vec::new();
    for worker in 0..sockets {
        let mut socket = Socket::connect(&relay.address, "/v1/connect", Some("deem.v1")).await?;
        let hello = json!({"kind": "hello", "user": format!("s{worker}"), "client": "deem-bench/1",
            "spaces": [{"space": format!("saves{worker}"), "since": 0}], "ops": []});
        socket.send(true, hello.to_string().as_bytes()).await?;
        socket.json().await?;
        open.push(socket);
    }
    let ready = prepare(relay, count, sockets)?;
    let latencies = Rc::new(RefCell::new(Latencies::default()));
    let refused = Rc::new(RefCell::new(0u64));
    let fsyncs = relay.metric("deem_fsync_seconds_count");
    let start = Instant::now();
    let mut tasks = Vec::new();
    for (mut socket, saves) in open.into_iter().zip(ready) {
        let (latencies, refused) = (Rc::clone(&latencies), Rc::clone(&refused));
        tasks.push(tokio::task::spawn_local(async move {
            drive(&mut socket, &saves, in_flight / sockets, &latencies, &refused).await
        }));
    }
    for task in tasks {
        task.await.map_err(io::Error::other)??;
    }
    let seconds = start.elapsed().as_secs_f64();
    let latencies = latencies.borrow();
    Ok(Saves {
        per_s: count as f64 / seconds,
        p50_ms: latencies.ms(0.5),
        p99_ms: latencies.ms(0.99),
        fsyncs: relay.metric("deem_fsync_seconds_count") - fsyncs,
        refused: *refused.borrow(),
    })
}

/// Per socket: the save requests, one a decision.
fn prepare(relay: &Relay, count: usize, sockets: usize) -> io::Result<Vec<Vec<String>>> {
    let mut ready = vec![Vec::new(); sockets];
    for serial in 0..count {
        let worker = serial % sockets;
        let space = format!("saves{worker}");
        let body = json!({"op": format!("open-{serial:08}"), "question": "Which?",
            "options": [{"label": "This"}, {"label": "That"}]});
        let text = relay.http("POST", &format!("/v1/spaces/{space}/decisions"), Some(&body))?;
        let record: serde_json::Value = serde_json::from_str(&text).map_err(io::Error::other)?;
        let id = record["id"].as_str().unwrap_or_default().to_owned();
        let option = &record["definition"]["questions"][0]["options"][0]["id"];
        let body = json!({"op": format!("edit-{serial:08}"),
            "edits": [{"set": "choice", "option": option}]});
        let path = format!("/v1/spaces/{space}/decisions/{id}/edit");
        let text = relay.http("POST", &path, Some(&body))?;
        let edited: serde_json::Value = serde_json::from_str(&text).map_err(io::Error::other)?;
        let save = json!({"kind": "question:submit", "rid": serial, "id": id,
            "op": format!("save-{serial:08}"), "generation": 1, "digest": edited["digest"]});
        ready[worker].push(save.to_string());
    }
    Ok(ready)
}

async fn drive(
    socket: &mut Socket,
    saves: &[String],
    window: usize,
    latencies: &RefCell<Latencies>,
    refused: &RefCell<u64>,
) -> io::Result<()> {
    let mut sent = std::collections::HashMap::new();
    let (mut next, mut done) = (0, 0);
    while done < saves.len() {
        while next < saves.len() && next - done < window {
            let rid: serde_json::Value = serde_json::from_str(&saves[next])?;
            sent.insert(rid["rid"].as_u64().unwrap_or(0), Instant::now());
            socket.send(true, saves[next].as_bytes()).await?;
            next += 1;
        }
        let reply = socket.json().await?;
        if reply["kind"] == "question:submit"
            && let Some(at) = reply["rid"].as_u64().and_then(|rid| sent.remove(&rid))
        {
            latencies.borrow_mut().add(at.elapsed());
            if reply["ok"] != true {
                *refused.borrow_mut() += 1;
            }
            done += 1;
        }
    }
    Ok(())
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
