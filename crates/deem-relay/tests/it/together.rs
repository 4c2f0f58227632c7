//! Two people, one draft, one save.

use deem_core::draft::Mark;
use serde_json::{Value, json};

use crate::{
    client::{Incoming, Socket, call, http},
    world::{Editor, open_choice, relay},
};

#[test]
fn two_sockets_mark_together_a_save_settles_and_a_restart_keeps_all() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let to = running.address();
    let opened = open_choice(to, "home", "op-open-1");
    let path = format!(
        "/v1/spaces/home/decisions/{}",
        opened["id"].as_str().unwrap()
    );
    let mut noor = Editor::join(to, "noor", "home", &opened, 11);
    let mut ilse = Editor::join(to, "ilse", "home", &opened, 22);

    let n = noor.mark(0, 0, Mark::Yes);
    assert_eq!(noor.ack(), (n, 1));
    ilse.receive();
    let n = ilse.mark(1, 1, Mark::No);
    assert_eq!(ilse.ack(), (n, 2));
    noor.receive();
    assert_eq!(noor.replica.view(), ilse.replica.view());

    let option = noor.definition.questions[0].options[0].id.clone();
    let edit = json!({"op": "op-edit-1", "edits": [{"set": "choice", "option": option}]});
    let edited = call(to, "ana", "POST", &format!("{path}/edit"), &edit).ok();
    assert_eq!(edited["seq"], 3);
    noor.receive();
    let shown = call(to, "ana", "GET", &path, &Value::Null).ok();
    assert_eq!(shown["draft"]["digest"], edited["digest"]);
    assert_eq!(shown["draft"]["editors"], json!(["noor", "ilse", "ana"]));

    let save = json!({"op": "op-save-1", "generation": 1, "digest": edited["digest"]});
    let saved = call(to, "noor", "POST", &format!("{path}/save"), &save).ok();
    assert_eq!(saved["resolver"], "noor");
    assert_eq!(ilse.socket.kind("question:resolved")["resolver"], "noor");
    assert_eq!(
        ilse.socket.kind("question:meta")["meta"]["status"],
        "settled"
    );

    drop(running);
    let running = relay(&data);
    let to = running.address();
    let after = call(to, "ana", "GET", &path, &Value::Null).ok();
    assert_eq!(
        (&after["status"], &after["resolver"]),
        (&json!("settled"), &json!("noor"))
    );
    assert_eq!(after["answer"], saved["answer"]);
    // The same op gives the same outcome after a restart.
    let again = call(to, "noor", "POST", &format!("{path}/save"), &save).ok();
    assert_eq!(again, saved);
    let log = call(
        to,
        "ana",
        "GET",
        "/v1/spaces/home/log?since=0",
        &Value::Null,
    )
    .ok();
    let kinds: Vec<_> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|entry| entry["events"].as_array().unwrap())
        .map(|event| event["kind"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds, ["opened", "settled"]);
}

#[test]
fn marks_of_one_cell_at_the_same_time_are_all_taken() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let to = running.address();
    let opened = open_choice(to, "home", "op-open-1");
    let mut people: Vec<_> = [("noor", 33), ("ilse", 11), ("ana", 22)]
        .into_iter()
        .map(|(user, client)| Editor::join(to, user, "home", &opened, client))
        .collect();
    let values = [Mark::Yes, Mark::Partly, Mark::No];
    for round in 0..40 {
        let set = |(at, person): (usize, &mut Editor)| {
            person.set(round % 2, round / 2 % 2, values[(round + at) % 3])
        };
        let sent: Vec<_> = people.iter_mut().enumerate().map(set).collect();
        let total = sent.iter().flatten().count();
        for (person, n) in people.iter_mut().zip(&sent) {
            if let Some(n) = n {
                assert_eq!(person.outcome(*n), "ack", "round {round}");
            }
        }
        for (person, n) in people.iter_mut().zip(sent) {
            person.receive_all(total - usize::from(n.is_some()));
        }
        let views: Vec<_> = people
            .iter_mut()
            .map(|p| p.replica.view().clone())
            .collect();
        assert!(
            views.windows(2).all(|pair| pair[0] == pair[1]),
            "round {round}"
        );
    }
}

#[test]
fn a_socket_follows_spaces_of_different_loops() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let to = running.address();
    // Enough names that both loops have some.
    let spaces: Vec<String> = (0..12).map(|n| format!("space-{n}")).collect();
    let names: Vec<&str> = spaces.iter().map(String::as_str).collect();
    let (mut socket, welcome) = Socket::hello(to, "noor", &names);
    let named = welcome["spaces"].as_array().unwrap();
    assert!(
        named
            .iter()
            .zip(&names)
            .all(|(part, name)| part["space"] == *name)
    );
    assert!(named.iter().all(|part| part["ok"] == true), "{welcome}");
    for (at, name) in names.iter().enumerate() {
        let opened = open_choice(to, name, &format!("op-open-{at}"));
        let broadcast = socket.kind("question:open");
        assert_eq!(
            (&broadcast["space"], &broadcast["id"]),
            (&json!(name), &opened["id"])
        );
        let client = 100 + u64::try_from(at).unwrap();
        let mut noor = Editor::join_on(socket, name, &opened, client);
        let mut other = Editor::join(to, "ilse", name, &opened, 200 + client);
        let n = noor.mark(0, 0, Mark::Partly);
        assert_eq!(noor.ack(), (n, 1));
        other.receive();
        assert_eq!(noor.replica.view(), other.replica.view());
        socket = noor.socket;
    }
}

#[test]
fn many_rooms_asked_for_at_once_all_arrive() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let to = running.address();
    let rooms: u64 = 100;
    let opened: Vec<_> = (0..rooms)
        .map(|n| open_choice(to, "home", &format!("op-open-{n}")))
        .collect();
    let (mut socket, _) = Socket::hello(to, "noor", &["home"]);
    for (rid, opened) in opened.iter().enumerate() {
        let room = format!("home/{}", opened["id"].as_str().unwrap());
        socket.text(&json!({"kind": "join", "rid": rid, "room": room, "ids": [rid + 1]}));
    }
    for rid in 0..rooms {
        let joined = socket.kind("join");
        assert_eq!((&joined["rid"], &joined["ok"]), (&json!(rid), &json!(true)));
        let room = u8::try_from(joined["room"].as_u64().unwrap() & 0x7f).unwrap();
        assert!(room > 0 || rid > 0);
    }
}

#[test]
fn the_log_is_polled_and_streamed() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let to = running.address();
    let waiting = std::thread::spawn(move || {
        call(
            to,
            "noor",
            "GET",
            "/v1/spaces/home/log?since=0&wait=20",
            &Value::Null,
        )
        .ok()
    });
    // Whether the poll or the opening comes first, the answer is the same.
    let opened = open_choice(to, "home", "op-open-1");
    let log = waiting.join().unwrap();
    assert_eq!(log["entries"][0]["decision"], opened["id"]);
    assert_eq!(log["commit"], 1);

    let mut events = std::net::TcpStream::connect(to).unwrap();
    let request = format!(
        "GET /v1/spaces/home/log?since=0&user=noor HTTP/1.1\r\nhost: {to}\r\n\
         accept: text/event-stream\r\n\r\n"
    );
    std::io::Write::write_all(&mut events, request.as_bytes()).unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(events));
    let mut ids = lines
        .by_ref()
        .map(Result::unwrap)
        .filter(|line| line.starts_with("id: "));
    assert_eq!(ids.next().unwrap(), "id: 1");
    open_choice(to, "home", "op-open-2");
    assert_eq!(ids.next().unwrap(), "id: 2");
}

/// A slow reader is cut and told to come back; it never silently misses anything, and nobody waits
/// for it.
#[test]
fn a_slow_reader_is_cut_and_others_are_served() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let to = running.address();
    let (mut slow, _) = Socket::hello(to, "slow", &["home"]);
    let (mut quick, _) = Socket::hello(to, "quick", &["home"]);
    let options: Vec<_> = (0..20)
        .map(|n| json!({"label": format!("Option {n}"), "description": "x".repeat(1_000)}))
        .collect();
    let cut = |to| {
        let metrics = http(to, "GET", "/metrics", &[], "").text;
        metrics
            .lines()
            .any(|line| line == "deem_slow_readers_cut_total 1")
    };
    // What the kernel holds for a socket has no bound that is known here: until it is full.
    for serial in 0..5_000 {
        let op = format!("op-open-{serial}");
        let body = json!({"op": op, "question": "Which?", "options": options});
        call(to, "asker", "POST", "/v1/spaces/home/decisions", &body).ok();
        assert!(quick.kind("question:open")["id"].is_string());
        if serial % 50 == 0 && cut(to) {
            break;
        }
    }
    assert!(cut(to), "not cut");
    let (code, reason) = loop {
        match slow.next() {
            Incoming::Close(code, reason) => break (code, reason),
            Incoming::Text(_) => {}
            // The close frame waits at most three seconds for a reader that is that slow.
            Incoming::Ended => return,
            Incoming::Binary(frame) => panic!("{frame:?}"),
        }
    };
    assert_eq!((code, reason["code"].as_str()), (4508, Some("slow-reader")));
    assert!(reason["retryAfterMs"].is_u64());
}
