use super::*;

/// P3: the request of the seed, exactly.
#[test]
fn reads_the_criterion_request_of_the_seed() {
    let text = r#"{"kind":"question:criterion","rid":7,"id":"d7","question":"q1","key":"k2345678","label":"Price"}"#;
    let message = ClientMessage::read(text).unwrap();
    let ClientMessage::Ask(ask) = &message else {
        panic!("{message:?}")
    };
    assert_eq!(ask.act.verb(), Verb::Append(Kind::Criterion));
    assert_eq!(ask.act.op(), None);
    assert_eq!(ClientMessage::read(&message.write()).unwrap(), message);
}

#[test]
fn messages_round_trip() {
    for text in [
        r#"{"kind":"hello","user":"noor","client":"deem/0.1.0","spaces":[{"space":"s","since":4}],"ops":["12345678"]}"#,
        r#"{"kind":"join","rid":"a","room":"s/d7@2","ids":[9007199254740991]}"#,
        r#"{"kind":"leave","room":3}"#,
        r#"{"kind":"rebase","rid":1,"room":3,"ids":[1,2]}"#,
        r#"{"kind":"made-on","room":3,"n":9,"cells":{"o/c":{"client":5,"clock":0},"o/d":null}}"#,
        r#"{"kind":"token","token":"x.y.z"}"#,
        r#"{"kind":"records","rid":1,"space":"s"}"#,
        r#"{"kind":"question:why","rid":1,"id":"d7","op":"12345678","text":""}"#,
    ] {
        let message = ClientMessage::read(text).unwrap();
        assert_eq!(
            ClientMessage::read(&message.write()).unwrap(),
            message,
            "{text}"
        );
    }
}

/// D1.6: unknown fields are errors, and the reply still finds its request.
#[test]
fn bad_messages_keep_their_rid() {
    let text = r#"{"kind":"question:reopen","rid":5,"id":"d","op":"12345678","x":1}"#;
    let bad = ClientMessage::read(text).unwrap_err();
    assert_eq!(
        (bad.kind.as_deref(), bad.rid),
        (Some("question:reopen"), Some(5.into()))
    );
    for text in [
        "",
        "[]",
        "{}",
        r#"{"kind":1}"#,
        r#"{"kind":"x"}"#,
        r#"{"kind":"leave","room":-1}"#,
    ] {
        assert!(ClientMessage::read(text).is_err(), "{text}");
    }
}
