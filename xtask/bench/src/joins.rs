//! Cold joins of a 50 KB draft, and what an idle connection costs after one.

use std::{
    io,
    time::{Duration, Instant},
};

use crate::{member, process::Relay};

/// A written decision whose draft holds about 50 KB: text typed and replaced by many edits.
///
/// # Errors
/// Of the relay.
pub fn prepare(relay: &Relay) -> io::Result<String> {
    let decision = relay.open_matrix("joins", 0)?;
    let path = format!("/v1/spaces/joins/decisions/{decision}");
    let text = relay.http("GET", &path, None)?;
    let record: serde_json::Value = serde_json::from_str(&text).map_err(io::Error::other)?;
    let question = &record["definition"]["questions"][0];
    let marks = ["yes", "partly", "no"];
    let mut serial = 0usize;
    // Marks set again and again grow the document as a long meeting does.
    for round in 0..52 {
        let mut edits = Vec::new();
        for (row, option) in question["options"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
        {
            for (column, criterion) in question["criteria"]
                .as_array()
                .into_iter()
                .flatten()
                .enumerate()
            {
                edits.push(serde_json::json!({"set": "mark", "option": option["id"],
                    "criterion": criterion["id"], "mark": marks[(round + row + column) % 3]}));
            }
        }
        let words: String = (0..75)
            .map(|i| format!("word {} ", i * (round + 3)))
            .collect();
        edits.push(serde_json::json!({"set": "text", "text": words}));
        serial += 1;
        let body = serde_json::json!({"op": format!("bench-edit-{serial:06}"), "edits": edits});
        // A person may send so many edits a second; a meeting has many.
        let user = format!("member-{serial}");
        relay.http_as(&user, "POST", &format!("{path}/edit"), Some(&body))?;
    }
    Ok(decision)
}

/// What the joins gave.
pub struct Joins {
    /// Bytes of the draft as a joiner gets it.
    pub draft_bytes: usize,
    /// Joins per second: connect, hello, join, whole state received.
    pub per_s: f64,
    /// Resident bytes an idle connection adds after its join.
    pub idle_bytes: f64,
}

/// `workers` joiners at once for `seconds`, then `idle` connections that stay.
///
/// # Errors
/// Of sockets and the relay.
pub async fn run(
    relay: &Relay,
    decision: &str,
    workers: usize,
    seconds: u64,
    idle: usize,
) -> io::Result<Joins> {
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut tasks = Vec::new();
    for worker in 0..workers {
        let (address, decision) = (relay.address.clone(), decision.to_owned());
        tasks.push(tokio::task::spawn_local(async move {
            let mut count = 0u64;
            let mut bytes = 0;
            while Instant::now() < until {
                let id = (worker as u64 + 1) << 20 | 1;
                let user = format!("j{worker}");
                let mut joined = member::join(&address, &user, "joins", &decision, id).await?;
                bytes = joined.sync().await?;
                count += 1;
            }
            io::Result::Ok((count, bytes))
        }));
    }
    let mut total = 0;
    let mut draft_bytes = 0;
    for task in tasks {
        let (count, bytes) = task.await.map_err(io::Error::other)??;
        total += count;
        draft_bytes = bytes;
    }
    let before = relay.rss_bytes();
    let mut held = Vec::new();
    for i in 0..idle {
        let user = format!("i{}", i / 32);
        let id = (1 << 30) + (i as u64 / 32);
        let mut joined = member::join(&relay.address, &user, "joins", decision, id).await?;
        joined.sync().await?;
        held.push(joined);
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let idle_bytes = (relay.rss_bytes().saturating_sub(before)) as f64 / idle as f64;
    drop(held);
    Ok(Joins {
        draft_bytes,
        per_s: total as f64 / seconds as f64,
        idle_bytes,
    })
}
