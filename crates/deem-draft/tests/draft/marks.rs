//! Who said what: the mark log and contested cells.

use deem_core::draft::Mark;
use deem_draft::{gate::Room, id::BlockId, limits::MARK_LOG_ENTRIES_MAX, mark_log::Contested};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::{
    bytes::{deletes, id},
    world::{Desk, Tab, cell, mark, matrix},
};

const YES: Option<Mark> = Some(Mark::Yes);
const NO: Option<Mark> = Some(Mark::No);
const PARTLY: Option<Mark> = Some(Mark::Partly);

fn tabs(desk: &mut Desk) -> (Tab, Tab) {
    let (mut ana, mut noor) = (Tab::new("ana", 1), Tab::new("noor", 2));
    desk.act(&mut ana, &[mark("o1/c1", PARTLY)]);
    desk.tell(&mut noor);
    (ana, noor)
}

fn clash(desk: &mut Desk, ana: &mut Tab, noor: &mut Tab) {
    let by_ana = ana.edit(&desk.definition, &[mark("o1/c1", YES)]).update;
    let by_noor = noor.edit(&desk.definition, &[mark("o1/c1", NO)]).update;
    desk.admit("noor", &by_noor).unwrap();
    desk.admit("ana", &by_ana).unwrap();
}

fn words(contested: &[Contested]) -> Vec<(String, String, Vec<String>)> {
    let word = |by: &str, mark: &Option<Mark>| format!("{by} {mark:?}");
    let said = contested.iter().map(|cell| {
        let lost = cell
            .lost
            .iter()
            .map(|said| word(said.by.as_str(), &said.mark))
            .collect();
        let stands = word(cell.stands.by.as_str(), &cell.stands.mark);
        (format!("{}/{}", cell.option, cell.criterion), stands, lost)
    });
    said.collect()
}

/// D12.2: concurrent sets resolve by Yjs's rule - the higher client id - whichever came first, and
/// the one that lost is known.
#[test]
fn concurrent_marks_are_contested_and_the_higher_id_stands() {
    let mut desk = Desk::new(matrix());
    let (mut ana, mut noor) = tabs(&mut desk);
    assert_eq!(desk.room.contested(), []);
    clash(&mut desk, &mut ana, &mut noor);
    assert_eq!(
        desk.room.view().unwrap().marks.get(&cell("o1/c1")),
        Some(&Mark::No)
    );
    let found = desk.room.contested();
    let expected = (
        "o1/c1".to_owned(),
        "noor Some(No)".to_owned(),
        vec!["ana Some(Yes)".to_owned()],
    );
    assert_eq!(words(&found), [expected]);
    // Stands and lost say when, and in which order they were taken.
    assert_eq!((found[0].stands.seq, found[0].lost[0].seq), (2, 3));
    assert!(found[0].stands.at < found[0].lost[0].at);
    let json = serde_json::to_value(&found[0]).unwrap();
    assert_eq!(json["option"], "o1");
    assert_eq!(json["lost"][0]["mark"], "yes");
}

/// D12.2: one ordinary mark by who lost restores it, and it is contested no more.
#[test]
fn a_lost_mark_is_restored_by_one_mark() {
    let mut desk = Desk::new(matrix());
    let (mut ana, mut noor) = tabs(&mut desk);
    clash(&mut desk, &mut ana, &mut noor);
    desk.tell(&mut ana);
    desk.act(&mut ana, &[mark("o1/c1", YES)]);
    assert_eq!(
        desk.room.view().unwrap().marks.get(&cell("o1/c1")),
        Some(&Mark::Yes)
    );
    assert_eq!(desk.room.contested(), []);
}

/// One after the other is no contest, nor is the same mark twice, nor one person with two tabs.
#[test]
fn marks_that_answer_each_other_are_not_contested() {
    let mut desk = Desk::new(matrix());
    let (mut ana, mut noor) = tabs(&mut desk);
    desk.act(&mut noor, &[mark("o1/c1", NO)]);
    desk.tell(&mut ana);
    desk.act(&mut ana, &[mark("o1/c1", YES)]);
    assert_eq!(desk.room.contested(), []);
    let mut other = Tab::new("ana", 3);
    let mut third = Tab::new("noor", 4);
    for (tab, at, say) in [(&mut other, "o2/c1", NO), (&mut ana, "o2/c1", YES)] {
        let update = tab.edit(&desk.definition, &[mark(at, say)]).update;
        desk.admit("ana", &update).unwrap();
    }
    for (who, tab) in [("noor", &mut third), ("ana", &mut ana)] {
        let update = tab.edit(&desk.definition, &[mark("o2/c2", YES)]).update;
        desk.admit(who, &update).unwrap();
    }
    assert_eq!(desk.room.contested(), []);
}

/// The log keeps who, when, the block and what was in front of its author; the last eight a cell.
#[test]
fn the_log_keeps_the_last_eight_of_a_cell() {
    let mut desk = Desk::new(matrix());
    let mut ana = Tab::new("ana", 1);
    for at in 0..10 {
        desk.act(
            &mut ana,
            &[mark("o1/c1", if at % 2 == 0 { YES } else { NO })],
        );
    }
    let log = desk.room.mark_log(&cell("o1/c1")).to_vec();
    assert_eq!(log.len(), MARK_LOG_ENTRIES_MAX);
    for (at, entry) in (2_u32..).zip(&log) {
        let block = |clock| BlockId {
            client: id(1),
            clock,
        };
        assert_eq!((entry.block, entry.front), (block(at), Some(block(at - 1))));
        assert_eq!(entry.mark, if at % 2 == 0 { YES } else { NO });
        assert_eq!(entry.seq, u64::from(at) + 1);
    }
    assert_eq!(desk.room.marks().iter().count(), 1);
}

/// Several sets in one update are one entry: the last value, on what was in front of the first.
#[test]
fn an_update_says_one_thing_of_a_cell() {
    let mut desk = Desk::new(matrix());
    let (_, mut noor) = tabs(&mut desk);
    let from = noor.guard.replica().state_vector();
    for say in [YES, NO, None, YES] {
        noor.edit(&desk.definition, &[mark("o1/c1", say)]);
    }
    let all = noor.guard.replica().diff(&from).unwrap();
    let admitted = desk.admit("noor", &all).unwrap();
    let entry = &admitted.marks[0].1;
    assert_eq!((admitted.marks.len(), entry.mark), (1, YES));
    assert_eq!(
        entry.block,
        BlockId {
            client: id(2),
            clock: 3
        }
    );
    assert_eq!(
        entry.front,
        Some(BlockId {
            client: id(1),
            clock: 0
        })
    );
}

/// A deleted mark is none, by who deleted it; setting one at the same time beats that.
#[test]
fn a_deleted_mark_is_cleared_by_its_deleter() {
    let mut desk = Desk::new(matrix());
    let (mut ana, _) = tabs(&mut desk);
    let admitted = desk.admit("noor", &deletes(1, &[(0, 1)])).unwrap();
    let entry = &admitted.marks[0].1;
    assert_eq!((entry.mark, entry.by.as_str()), (None, "noor"));
    assert!(desk.room.view().unwrap().marks.is_empty());
    assert_eq!(desk.room.contested(), []);
    let update = ana.edit(&desk.definition, &[mark("o1/c1", YES)]).update;
    desk.admit("ana", &update).unwrap();
    assert_eq!(
        desk.room.view().unwrap().marks.get(&cell("o1/c1")),
        Some(&Mark::Yes)
    );
}

/// A row made again says what it was first made on: what came meanwhile was at the same time.
#[test]
fn a_row_made_again_keeps_what_it_answered() {
    let mut desk = Desk::new(matrix());
    let (mut ana, mut noor) = tabs(&mut desk);
    let lost = ana.edit(&desk.definition, &[mark("o1/c1", YES)]);
    desk.act(&mut noor, &[mark("o1/c1", NO)]);
    let mut again = Tab::new("ana", 3);
    desk.tell(&mut again);
    let made = deem_draft::rebase::rebase(&mut again.guard, &desk.definition, &lost.typed);
    let edited = made.edited.unwrap();
    assert_eq!(edited.typed[0].front, lost.typed[0].front);
    let made_on = [(cell("o1/c1"), edited.typed[0].front)];
    desk.submit("ana", &edited.update, &made_on, 1000).unwrap();
    let expected = (
        "o1/c1".to_owned(),
        "ana Some(Yes)".to_owned(),
        vec!["noor Some(No)".to_owned()],
    );
    assert_eq!(words(&desk.room.contested()), [expected]);
    let stored = Room::decode(&desk.room.encode().unwrap()).unwrap();
    assert_eq!(stored.contested(), desk.room.contested());
}
