//! Whose a client id is: gate step 2.

use deem_core::draft::Mark;
use deem_draft::{
    gate::Room,
    id::{BlockId, Epoch},
    limits::WRITTEN_IDS_MAX,
    nack::Nack,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::{
    bytes::{TEXT, blocks, deletes, id, linked, rooted, section, string, update},
    world::{Desk, Tab, draft, mark, matrix, person, text, written},
};

fn typed(words: &str) -> Vec<u8> {
    rooted(TEXT, "answer", None, &string(words))
}

/// An id belongs to who joined with it, or wrote with it first.
#[test]
fn blocks_under_anothers_id_are_forged() {
    let mut desk = Desk::new(written());
    assert_eq!(desk.room.bind(id(1), &person("ana")), Ok(true));
    assert_eq!(desk.room.bind(id(1), &person("ana")), Ok(false));
    assert_eq!(desk.room.bind(id(1), &person("eve")), Err(Nack::Forged));
    assert_eq!(
        desk.nack("eve", &blocks(1, 0, &[typed("I, ana")])),
        Nack::Forged
    );
    let admitted = desk.admit("ana", &blocks(1, 0, &[typed("hello")])).unwrap();
    assert_eq!(admitted.bound, []);
    let admitted = desk.admit("noor", &blocks(2, 0, &[typed("hi ")])).unwrap();
    assert_eq!(admitted.bound, [id(2)]);
    assert_eq!(desk.room.owner(id(2)), Some(&person("noor")));
    let next = linked(TEXT, Some((2, 2)), None, &string("!"));
    assert_eq!(desk.nack("eve", &blocks(2, 3, &[next])), Nack::Forged);
    // One forged block refuses all of the update.
    let both = update(
        &[section(5, 0, &[typed("x")]), section(1, 5, &[typed("y")])],
        &[],
    );
    assert_eq!(desk.nack("eve", &both), Nack::Forged);
    assert_eq!(desk.room.owner(id(5)), None);
}

/// Held blocks are skipped whoever sends them; what is relayed is what was new.
#[test]
fn held_blocks_are_skipped_whoever_sends_them() {
    let mut desk = Desk::new(written());
    desk.admit("ana", &blocks(1, 0, &[typed("hello")])).unwrap();
    // Another content under a held block changes nothing and is not passed on.
    let own = linked(TEXT, Some((1, 4)), None, &string(" noor"));
    let mixed = update(
        &[section(1, 0, &[typed("HELLO")]), section(2, 0, &[own])],
        &[],
    );
    let admitted = desk.admit("noor", &mixed).unwrap();
    assert_eq!(
        admitted.bytes,
        blocks(2, 0, &[linked(TEXT, Some((1, 4)), None, &string(" noor"))])
    );
    assert_eq!(
        desk.room.view().unwrap().question(&crate::world::q1()).text,
        "hello noor"
    );
    // A block that is held in part: the rest of it is new, behind what is held.
    let longer = blocks(1, 0, &[typed("hello, all")]);
    let admitted = desk.admit("ana", &longer);
    assert!(admitted.is_ok(), "{admitted:?}");
    let rest = blocks(1, 5, &[linked(TEXT, Some((1, 4)), None, &string(", all"))]);
    assert_eq!(admitted.unwrap().bytes, rest);
    // Deletions already made are no news.
    desk.admit("noor", &deletes(1, &[(0, 2)])).unwrap();
    let admitted = desk.admit("omar", &deletes(1, &[(0, 3)])).unwrap();
    assert_eq!(admitted.bytes, deletes(1, &[(2, 1)]));
    assert!(
        desk.admit("omar", &deletes(1, &[(0, 3)]))
            .unwrap()
            .is_nothing_new()
    );
}

/// At most 256 ids of one person have written.
#[test]
fn ids_of_one_person_run_out() {
    let mut desk = Desk::new(written());
    let most = u64::try_from(WRITTEN_IDS_MAX).unwrap();
    for client in 1..=most {
        // Ids that only looked do not count.
        desk.room.bind(id(10_000 + client), &person("ana")).unwrap();
        desk.admit("ana", &blocks(client, 0, &[typed("a")]))
            .unwrap();
    }
    assert_eq!(
        desk.nack("ana", &blocks(9_000, 0, &[typed("a")])),
        Nack::IdsFull
    );
    let held = linked(TEXT, Some((1, 0)), None, &string("b"));
    desk.admit("ana", &update(&[section(1, 1, &[held])], &[]))
        .unwrap();
    desk.admit("noor", &blocks(9_001, 0, &[typed("a")]))
        .unwrap();
}

/// D2.9: nothing of an older generation can be applied to a reopened draft.
#[test]
fn nothing_of_an_older_generation_is_applied() {
    let mut desk = Desk::new(matrix());
    let mut ana = Tab::new("ana", 1);
    desk.act(&mut ana, &[mark("o1/c1", Some(Mark::Yes))]);
    desk.room.bind(id(2), &person("ana")).unwrap();
    let mut next = desk.room.next_generation();
    assert_eq!(next.draft().generation, draft().generation.next());
    assert_eq!(next.draft().epoch, Epoch::FIRST);
    // Also after it was stored.
    next = Room::decode(&next.encode().unwrap()).unwrap();
    desk.room = next;
    let later = ana.edit(&desk.definition, &[mark("o2/c2", Some(Mark::No))]);
    for old in [
        ana.guard.replica().state(),
        later.update,
        deletes(1, &[(0, 1)]),
    ] {
        assert_eq!(desk.nack("ana", &old), Nack::OldGeneration);
    }
    for old in [1, 2] {
        assert_eq!(
            desk.room.bind(id(old), &person("ana")),
            Err(Nack::OldGeneration)
        );
        assert_eq!(desk.room.next_clock(id(old)), None);
    }
    assert!(desk.room.view().unwrap().marks.is_empty());
    desk.room = desk.room.next_generation();
    assert_eq!(
        desk.nack("ana", &ana.guard.replica().state()),
        Nack::OldGeneration
    );
}

/// The relay's own id of a person for requests.
#[test]
fn requests_are_written_under_an_id_of_the_relays_making() {
    let mut desk = Desk::new(matrix());
    let (ana, noor) = (person("ana"), person("noor"));
    let id_of_ana = desk.room.mint(&ana, 77);
    assert_eq!(desk.room.mint(&ana, 78), id_of_ana);
    assert_ne!(desk.room.mint(&noor, 77), id_of_ana);
    assert_eq!(desk.room.owner(id_of_ana), Some(&ana));
    let card = desk.definition.clone();
    for say in [Mark::Yes, Mark::No] {
        let edits = [mark("o1/c1", Some(say)), text("words")];
        let update = desk
            .room
            .compose(id_of_ana, &card, &edits)
            .unwrap()
            .unwrap();
        desk.admit("ana", &update).unwrap();
        assert_eq!(desk.room.compose(id_of_ana, &card, &edits), Ok(None));
    }
    assert_eq!(desk.room.view().unwrap().marks.len(), 1);
    assert_eq!(desk.room.next_clock(id_of_ana), Some(8));
    let front = desk.room.mark_log(&crate::world::cell("o1/c1"))[1].front;
    assert_eq!(front.map(|block: BlockId| block.client), Some(id_of_ana));
}
