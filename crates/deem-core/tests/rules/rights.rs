//! `P0`: who may do what.

use deem_core::{Act, Actor, Command, Refusal, Role, Scope, decide, may};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::world::{context, opening, person, written};

const ALL: [Role; 4] = [Role::Viewer, Role::Writer, Role::Agent, Role::Admin];

fn allowed(act: Act, own: bool) -> Vec<Role> {
    let me = person("me");
    let owner = if own { person("me") } else { person("other") };
    let asks = |role: &Role| may(&Actor::new(me.clone(), *role), act, Some(&owner)).is_ok();
    ALL.into_iter().filter(asks).collect()
}

/// D2.11, D5.3, D7.0: the table of roles.
#[test]
fn every_role_may_what_the_table_says() {
    use Role::{Admin, Agent, Viewer, Writer};
    let people: &[Role] = &[Writer, Admin];
    let askers: &[Role] = &[Writer, Agent, Admin];
    let expected: &[(Act, &[Role], &[Role])] = &[
        // act, on one's own, on another's
        (
            Act::Read,
            &[Viewer, Writer, Agent, Admin],
            &[Viewer, Writer, Agent, Admin],
        ),
        (Act::Draft, askers, askers),
        (Act::Append, askers, askers),
        (Act::Open, askers, askers),
        (Act::Edit, people, people),
        (Act::Save, people, people),
        (Act::Reopen, people, people),
        (Act::Discard, people, people),
        (Act::Speak, people, people),
        (Act::Find, people, people),
        (Act::Take, people, people),
        (Act::Answer, people, people),
        (Act::Suggest, askers, &[Agent]),
        (Act::Cancel, askers, &[Admin]),
        (Act::Withdraw, askers, &[Admin]),
        (Act::DraftWhy, &[Agent], &[Agent]),
        (Act::Work, &[Agent], &[Agent]),
        (Act::RecordChat, &[], &[]),
        (Act::Administer, &[Admin], &[Admin]),
    ];
    for (act, own, others) in expected {
        assert_eq!(allowed(*act, true), *own, "{act:?} of one's own");
        assert_eq!(allowed(*act, false), *others, "{act:?} of another's");
    }
}

/// D7.0: only a token with the scope records what a person said in a chat.
#[test]
fn recording_a_chat_needs_its_scope() {
    let mut agent = Actor::new(person("me"), Role::Agent);
    let refused = may(&agent, Act::RecordChat, None);
    assert_eq!(
        refused,
        Err(Refusal::Forbidden {
            needs: "record-chat".into()
        })
    );
    agent.scope = Some(Scope::RecordChat);
    assert_eq!(may(&agent, Act::RecordChat, None), Ok(()));
    assert!(
        may(&agent, Act::Answer, None).is_err(),
        "never as the person"
    );
    agent.role = Role::Writer;
    assert!(may(&agent, Act::RecordChat, None).is_err());
}

/// D2.11: rights come before everything else, and what is not there is not found.
#[test]
fn rights_are_asked_first() {
    let viewer = Actor::new(person("vera"), Role::Viewer);
    let blank = Command::Open(Box::new(opening(&[" "], &[])));
    let refused = decide(None, &blank, &context(viewer.clone()));
    assert_eq!(
        refused,
        Err(Refusal::Forbidden {
            needs: "writer".into()
        })
    );
    let writer = Actor::new(person("ana"), Role::Writer);
    let nothing = decide(None, &Command::Reopen, &context(writer.clone()));
    assert_eq!(nothing, Err(Refusal::NotFound));
    let opened = decide(None, &Command::Open(Box::new(written())), &context(writer));
    assert_eq!(opened.unwrap().len(), 1);
}
