use serde_json::{Value, json};

use crate::view::DecisionView;

fn decision(extra: &Value) -> DecisionView {
    let mut body = json!({
        "id": "d7", "status": "open", "generation": 1, "origin": "human", "findings": [],
        "definition": {"questions": [{
            "id": "q1", "header": "Workshop", "question": "Where do we meet?", "multiple": false,
            "context": "Two days in spring.",
            "options": [
                {"id": "o1", "label": "Barn", "description": "By bus"},
                {"id": "o2", "label": "図書館"},
            ],
            "criteria": [{"id": "c1", "label": "Price"}, {"id": "c2", "label": "Room"}],
        }]},
        "history": [],
    });
    let fields = extra.as_object().expect("an object").clone();
    body.as_object_mut().expect("an object").extend(fields);
    serde_json::from_value(body).expect("it is a decision")
}

fn open_draft() -> Value {
    json!({
        "draft": {
            "digest": "3f9a".repeat(16), "seq": 12, "editors": ["noor", "ilse"],
            "content": {
                "v": 1, "decision": "d7", "generation": 1,
                "questions": [{"id": "q1", "chosen": {"o1": "Barn"}}],
                "marks": {"o1/c1": "yes", "o2/c2": "partly"},
                "rows": {"o1": "Barn", "o2": "図書館"},
                "columns": {"c1": "Price", "c2": "Room"},
            },
            "proposals": [{
                "kind": "criterion", "id": "p1", "key": "key-00001", "label": "Step-free",
                "by": "noor", "verdict": "pending",
            }],
        },
        "contested": [{
            "option": "o1", "criterion": "c1",
            "stands": {"mark": "yes", "by": "ilse", "at": "2026-11-30T10:02:11.000Z", "seq": 4},
            "lost": [{"mark": "no", "by": "noor", "at": "2026-11-30T10:02:11.000Z", "seq": 3}],
        }],
    })
}

/// D12.2: a contested cell says who said what, and what stands.
#[test]
fn draws_an_open_decision() {
    let wanted = format!(
        "\
d7  open  generation 1

Workshop
Where do we meet?
Two days in spring.
┌────────────┬───────┬────────┐
│            │ Price │ Room   │
├────────────┼───────┼────────┤
│ (•) Barn   │ yes ! │        │
│ ( ) 図書館 │       │ partly │
└────────────┴───────┴────────┘
  Barn: By bus

! Barn / Price: noor said no, ilse said yes, at the same time; yes stands
criterion \"Step-free\" by noor: pending
edited by noor, ilse
digest {}  generation 1  seq 12
",
        "3f9a".repeat(16)
    );
    assert_eq!(decision(&open_draft()).draw(None), wanted);
}

/// P1: a viewer, who may not see the draft, is told so: an empty matrix would say that nobody marked.
#[test]
fn says_that_a_viewer_sees_no_draft() {
    let mut open = open_draft();
    open.as_object_mut().unwrap().remove("draft");
    let drawn = decision(&open).draw(None);
    assert!(
        drawn.contains("its draft is not shown to viewers"),
        "{drawn}"
    );
}

/// D6.4: a column that was not on screen is told.
#[test]
fn draws_a_settled_decision_with_who_and_when() {
    let answer = json!({"answers": [{
        "id": "q1", "question": "Where do we meet?", "chosen": [{"id": "o2", "label": "図書館"}],
        "marks": {"o2/c1": "no"},
    }]});
    let drawn = decision(&json!({
        "status": "settled", "generation": 2, "resolver": "ada", "imported": true,
        "shown": {"options": ["o1", "o2"], "criteria": ["c1"]},
        "at": "2026-11-30T10:02:11.000Z", "answer": answer, "why": "It is dry", "whyBy": "noor",
        "history": [{
            "generation": 1, "resolver": "ilse", "at": "2026-11-29T10:02:11.000Z",
            "answer": {"answers": [
                {"id": "q1", "question": "Where do we meet?", "text": "Anywhere"},
            ]},
        }],
    }))
    .draw(None);
    for line in [
        "d7  settled  generation 2",
        "│ (•) 図書館 │ no    │      │",
        "saved by ada at 2026-11-30T10:02:11.000Z (imported): 図書館",
        "Room: added while this was being saved",
        "why: It is dry (noor)",
        "generation 1: Anywhere (saved by ilse at 2026-11-29T10:02:11.000Z)",
    ] {
        assert!(drawn.lines().any(|drawn| drawn == line), "{line}\n{drawn}");
    }
    assert!(
        !drawn.contains("digest"),
        "there is no draft to save\n{drawn}"
    );
}

#[test]
fn text_of_other_people_cannot_steer_the_terminal() {
    let mut extra = open_draft();
    extra["draft"]["content"]["questions"] = json!([{"id": "q1", "text": "a\u{1b}]0;b\u{7}\nc"}]);
    let drawn = decision(&extra).draw(Some(40));
    assert!(
        drawn.contains("Own words: a<U+001B>]0;b<U+0007>\n  c"),
        "{drawn}"
    );
    assert!(!drawn.contains('\u{1b}'));
}
