//! Folding, evicting, storing, and moving to a new epoch.

use deem_core::{
    draft::{Kind, Mark},
    id::Digest,
};
use deem_draft::{
    gate::{Room, Verdict},
    limits::ROTATE_BYTES_MIN,
    nack::{Defect, Nack},
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::{
    bytes::{TEXT, blocks, deletes, id, linked, rooted, section, string, turns, update},
    world::{Desk, Tab, cell, id_of, mark, matrix, person, pick, propose, text},
};

const YES: Option<Mark> = Some(Mark::Yes);
const NO: Option<Mark> = Some(Mark::No);

fn digest(desk: &mut Desk) -> Digest {
    let definition = desk.definition.clone();
    desk.room.content(&definition, None).unwrap().1
}

fn busy() -> (Desk, Tab, Tab) {
    let mut desk = Desk::new(matrix());
    let (mut ana, mut noor) = (Tab::new("ana", 1), Tab::new("noor", 2));
    desk.act(
        &mut ana,
        &[mark("o1/c1", YES), text("one two"), pick("o1", true)],
    );
    desk.tell(&mut noor);
    desk.act(
        &mut noor,
        &[mark("o1/c1", NO), text("one 2 two"), mark("o2/c2", YES)],
    );
    desk.act(&mut noor, &[propose(Kind::Criterion, "key-0001", "Quiet")]);
    desk.act(&mut noor, &[mark("o2/c2", None)]);
    desk.tell(&mut ana);
    (desk, ana, noor)
}

/// DRAFT-6: a room that was folded, evicted, stored and loaded judges as if it never had been.
#[test]
fn a_stored_room_judges_as_before() {
    let ways: [fn(&mut Desk); 5] = [
        |_| {},
        |desk| desk.room.fold().unwrap(),
        |desk| desk.room.evict().unwrap(),
        |desk| desk.room = Room::decode(&desk.room.encode().unwrap()).unwrap(),
        |desk| {
            desk.room.evict().unwrap();
            desk.room = Room::decode(&desk.room.encode().unwrap()).unwrap();
        },
    ];
    let mut results = Vec::new();
    for way in ways {
        let (mut desk, mut ana, mut noor) = busy();
        way(&mut desk);
        let mut said = Vec::new();
        let backwards = linked(TEXT, Some((1, 5)), Some((1, 3)), &string("x"));
        let hostile = [
            blocks(9, 0, &[backwards]),
            blocks(2, 90, &[rooted(TEXT, "answer", None, &string("x"))]),
            update(&[section(1, 90, &[])], &[]),
            deletes(7, &[(0, 1)]),
        ];
        for bytes in &hostile {
            said.push(format!("{:?}", desk.nack("eve", bytes)));
        }
        said.push(format!(
            "{:?}",
            desk.admit("ana", &noor.guard.replica().state())
        ));
        let by_ana = ana.edit(&desk.definition, &[mark("o1/c1", YES), text("one 2 three")]);
        said.push(format!(
            "{:?}",
            desk.admit("ana", &by_ana.update)
                .map(|new| (new.bytes, new.marks))
        ));
        way(&mut desk);
        said.push(format!(
            "{:?}",
            desk.act(&mut noor, &[mark("o1/c1", None)]).marks
        ));
        said.push(format!(
            "{:?} {:?}",
            desk.room.contested(),
            desk.room.editors()
        ));
        let now = digest(&mut desk);
        said.push(format!("{:?} {now}", desk.room.proposals()));
        said.push(format!("{:?}", desk.room.view().unwrap()));
        results.push(said);
    }
    for other in &results[1..] {
        assert_eq!(other, &results[0]);
    }
}

/// Snapshot and tail say everything a cold join needs; eviction drops the decoded copy.
#[test]
fn a_cold_join_needs_no_decoding() {
    let (mut desk, _, _) = busy();
    desk.room.evict().unwrap();
    assert!(!desk.room.is_held());
    let (state, tail) = desk.room.encoded();
    assert!(tail.is_empty());
    let mut cold = Tab::new("omar", 9);
    cold.guard.receive(state, &desk.definition).unwrap();
    assert!(!desk.room.is_held());
    let mut ana = Tab::new("ana", 5);
    desk.tell(&mut ana);
    desk.act(&mut ana, &[mark("o2/c1", YES)]);
    assert!(desk.room.is_held());
    let (_, tail) = desk.room.encoded();
    assert_eq!(tail.len(), 1);
    cold.guard.receive(&tail[0], &desk.definition).unwrap();
    assert_eq!(cold.guard.replica().view(), desk.room.view().unwrap());
}

/// Damaged bytes are a typed error, not a room.
#[test]
fn damaged_rooms_are_refused() {
    let (mut desk, _, _) = busy();
    let good = desk.room.encode().unwrap();
    assert!(Room::decode(&[]).is_err());
    for end in [3, 6, good.len() / 2, good.len() - 1] {
        assert_eq!(
            Room::decode(&good[..end]).err(),
            Some(Defect::Stored),
            "cut at {end}"
        );
    }
    let mut other = good.clone();
    other[5] = 2;
    assert_eq!(
        Room::decode(&other).err(),
        Some(Defect::Stored),
        "another version"
    );
    // A damaged index is found when the room is loaded.
    let mut index = good.clone();
    let last = index.len() - 1;
    index[last] ^= 0x55;
    let mut room = Room::decode(&index).unwrap();
    assert!(room.view().is_err());
}

/// D4.2, D6.4: a new epoch has the same content and digest, pending proposals included.
#[test]
fn a_new_epoch_has_the_same_content() {
    let (mut desk, mut ana, _) = busy();
    let before = (digest(&mut desk), desk.room.view().unwrap().clone());
    let contested = desk.room.contested();
    let rotation = desk.room.rotate(id(500), &desk.definition.clone()).unwrap();
    assert_eq!(rotation.draft.epoch.0, 1);
    assert_eq!(
        (digest(&mut desk), desk.room.view().unwrap().clone()),
        before
    );
    assert_eq!(desk.room.contested(), contested);
    assert_eq!(rotation.refused, []);
    // One update under the relay's id is the whole document.
    let mut fresh = Tab::of(rotation.draft.clone(), "ana", 11);
    fresh
        .guard
        .receive(&rotation.update, &desk.definition)
        .unwrap();
    assert_eq!(fresh.guard.replica().view(), desk.room.view().unwrap());
    // Old ids are refused, and nobody writes under the relay's.
    let late = ana.edit(&desk.definition, &[mark("o2/c1", YES)]);
    assert_eq!(desk.nack("ana", &late.update), Nack::OldEpoch);
    assert_eq!(
        desk.nack("ana", &ana.guard.replica().state()),
        Nack::OldEpoch
    );
    assert_eq!(desk.room.bind(id(2), &person("noor")), Err(Nack::OldEpoch));
    assert_eq!(desk.room.bind(id(500), &person("eve")), Err(Nack::Forged));
    let next = u64::from(fresh.guard.next_clock(id(500)));
    let forged = blocks(500, next, &[rooted(TEXT, "answer", None, &string("x"))]);
    assert_eq!(desk.nack("eve", &forged), Nack::Forged);
    // What each id would have written next is known: a row whose ack was lost is not made twice.
    let stored = Room::decode(&desk.room.encode().unwrap()).unwrap();
    for room in [&desk.room, &stored] {
        assert_eq!(room.next_clock(id(1)), Some(9));
        assert_eq!(room.next_clock(id(99)), None);
    }
    let admitted = desk.act(&mut fresh, &[mark("o1/c1", YES)]);
    assert_eq!(admitted.bound, [id(11)]);
}

/// Marks made before and after a rotation answer each other.
#[test]
fn the_mark_log_reaches_across_epochs() {
    let mut desk = Desk::new(matrix());
    let (mut ana, mut noor) = (Tab::new("ana", 1), Tab::new("noor", 2));
    desk.act(&mut ana, &[mark("o1/c1", YES), mark("o1/c2", YES)]);
    desk.tell(&mut noor);
    desk.act(&mut noor, &[mark("o1/c2", None)]);
    desk.tell(&mut ana);
    let waiting = ana.edit(&desk.definition, &[mark("o1/c1", Some(Mark::Partly))]);
    let rotation = desk.room.rotate(id(500), &desk.definition.clone()).unwrap();
    let mut noor = Tab::of(rotation.draft.clone(), "noor", 12);
    noor.guard
        .receive(&rotation.update, &desk.definition)
        .unwrap();
    // After what stood, and after what was cleared: both answer what was there.
    desk.act(&mut noor, &[mark("o1/c1", NO), mark("o1/c2", NO)]);
    assert_eq!(desk.room.contested(), []);
    // Ana's row was made on her own mark, before noor's: at the same time.
    let mut again = Tab::of(rotation.draft, "ana", 13);
    again
        .guard
        .receive(&rotation.update, &desk.definition)
        .unwrap();
    let made = deem_draft::rebase::rebase(&mut again.guard, &desk.definition, &waiting.typed);
    let edited = made.edited.unwrap();
    let made_on = [(cell("o1/c1"), edited.typed[0].front)];
    desk.submit("ana", &edited.update, &made_on, 1000).unwrap();
    assert_eq!(desk.room.contested().len(), 1);
}

/// Refused proposals and what was said of them leave with their author's name.
#[test]
fn refused_proposals_move_out() {
    let mut desk = Desk::new(matrix());
    let mut ana = Tab::new("ana", 1);
    let (refused, pending) = (
        id_of(Kind::Option, "key-0001"),
        id_of(Kind::Option, "key-0002"),
    );
    desk.act(
        &mut ana,
        &[
            propose(Kind::Option, "key-0001", "BARN"),
            propose(Kind::Option, "key-0002", "Boat"),
        ],
    );
    let on_refused = format!("{refused}/c1");
    desk.act(
        &mut ana,
        &[
            mark(&on_refused, YES),
            mark(&format!("{pending}/c1"), NO),
            pick(&refused, true),
        ],
    );
    let verdict = Verdict::Duplicate {
        of: "o1".to_owned(),
    };
    desk.room
        .settle_proposal(Kind::Option, &refused, verdict.clone());
    let before = digest(&mut desk);
    let rotation = desk.room.rotate(id(500), &desk.definition.clone()).unwrap();
    let [(proposed, marks)] = &rotation.refused[..] else {
        panic!("{rotation:?}")
    };
    assert_eq!((&proposed.verdict, proposed.by.as_str()), (&verdict, "ana"));
    assert_eq!(marks, &[(cell(&on_refused), Mark::Yes)]);
    assert_eq!(digest(&mut desk), before);
    let view = desk.room.view().unwrap();
    assert_eq!(
        (view.proposals.len(), view.marks.len(), view.picks.len()),
        (1, 1, 0)
    );
    assert_eq!(desk.room.proposals().len(), 1);
    // Its key stays spent.
    let mut again = Tab::of(rotation.draft, "ana", 7);
    again
        .guard
        .receive(&rotation.update, &desk.definition)
        .unwrap();
    let edited = again.edit(
        &desk.definition,
        &[propose(Kind::Option, "key-0001", "BARN")],
    );
    assert_eq!(desk.nack("ana", &edited.update).code(), "invalid");
}

/// A draft that has grown too large is due for a new epoch, and small afterwards.
#[test]
fn a_grown_draft_is_due_for_a_new_epoch() {
    let mut desk = Desk::new(matrix());
    assert!(!desk.room.rotation_due().unwrap());
    let (mut client, mut before) = (0, [None; 2]);
    while !desk.room.rotation_due().unwrap() {
        client += 1;
        desk.admit("ana", &turns(client, 3000, &mut before))
            .unwrap();
        assert!(client < 100, "{} bytes", desk.room.bytes());
    }
    assert!(desk.room.bytes() >= ROTATE_BYTES_MIN);
    let before = digest(&mut desk);
    desk.room.rotate(id(500), &desk.definition.clone()).unwrap();
    assert_eq!(digest(&mut desk), before);
    assert!(desk.room.bytes() < 1000 && !desk.room.rotation_due().unwrap());
}
