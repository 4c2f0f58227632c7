//! Where blocks go: gaps, lists, order, and what placing costs. What is refused leaves no trace
//! ([`Desk::nack`]).

use deem_draft::nack::{BadUpdate, Nack, Refused};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::{
    bytes::{PLAIN, TEXT, blocks, deletes, linked, rooted, section, string, update, word},
    world::{Desk, matrix},
};

fn bad(reason: BadUpdate) -> Nack {
    Nack::BadUpdate { reason }
}

fn yes(at: &str) -> Vec<u8> {
    rooted(PLAIN, "marks", Some(at), &word("yes"))
}

fn typed(words: &str) -> Vec<u8> {
    rooted(TEXT, "answer", None, &string(words))
}

/// What builds on blocks that are not there is a gap, never parked.
#[test]
fn gaps_are_refused() {
    let mut desk = Desk::new(matrix());
    desk.admit("ana", &blocks(7, 0, &[typed("held")])).unwrap();
    let a = string("a");
    let after = |origin: (u64, u64)| linked(TEXT, Some(origin), None, &a);
    for (what, bytes) in [
        ("an origin that is not held", blocks(1, 0, &[after((9, 0))])),
        ("a unit past what is held", blocks(1, 0, &[after((7, 4))])),
        (
            "a right origin that is not held",
            blocks(1, 0, &[linked(TEXT, None, Some((9, 0)), &a)]),
        ),
        ("a hole in front", blocks(1, 3, &[typed("a")])),
        ("a hole behind held blocks", blocks(7, 5, &[after((7, 3))])),
        (
            "its own later block",
            blocks(1, 0, &[after((1, 1)), after((7, 0))]),
        ),
        ("itself", blocks(1, 0, &[after((1, 0))])),
        ("deleting what is not held", deletes(9, &[(0, 1)])),
        ("deleting past what is held", deletes(7, &[(2, 3)])),
        (
            "a cycle of two clients",
            update(
                &[
                    section(1, 0, &[after((2, 0))]),
                    section(2, 0, &[after((1, 0))]),
                ],
                &[],
            ),
        ),
        (
            "a cycle of three",
            update(
                &[
                    section(1, 0, &[typed("a"), after((2, 0))]),
                    section(2, 0, &[after((3, 0))]),
                    section(3, 0, &[after((1, 1))]),
                ],
                &[],
            ),
        ),
    ] {
        assert_eq!(desk.nack("eve", &bytes), Nack::Gap, "{what}");
    }
    // Each other's blocks without a cycle have an order.
    let zigzag = update(
        &[
            section(1, 0, &[after((7, 3)), after((2, 0)), after((2, 1))]),
            section(2, 0, &[after((1, 0)), after((1, 1))]),
        ],
        &[],
    );
    desk.admit("eve", &zigzag).unwrap();
    assert_eq!(
        desk.room.view().unwrap().question(&crate::world::q1()).text,
        "heldaaaaa"
    );
}

/// Origins lie in one list; a map block has no right origin.
#[test]
fn origins_of_two_lists_are_refused() {
    let mut desk = Desk::new(matrix());
    let held = [typed("held"), yes("o1/c1"), yes("o1/c2")];
    desk.admit("ana", &blocks(7, 0, &held)).unwrap();
    let two = linked(TEXT, Some((7, 0)), Some((7, 4)), &string("a"));
    assert_eq!(
        desk.nack("eve", &blocks(1, 0, &[two])),
        bad(BadUpdate::Parent)
    );
    let keys = linked(PLAIN, Some((7, 4)), Some((7, 5)), &word("no"));
    assert_eq!(
        desk.nack("eve", &blocks(1, 0, &[keys])),
        bad(BadUpdate::Parent)
    );
    for origin in [None, Some((7, 4))] {
        let right = linked(PLAIN, origin, Some((7, 4)), &word("no"));
        assert_eq!(
            desk.nack("eve", &blocks(1, 0, &[right])),
            bad(BadUpdate::RightOrigin)
        );
    }
    // Kinds are those of the list the origin lies in.
    let values_in_text = linked(PLAIN, Some((7, 3)), None, &word("no"));
    assert_eq!(
        desk.nack("eve", &blocks(1, 0, &[values_in_text])),
        bad(BadUpdate::Kind)
    );
    let text_in_map = linked(TEXT, Some((7, 4)), None, &string("a"));
    assert_eq!(
        desk.nack("eve", &blocks(1, 0, &[text_in_map])),
        bad(BadUpdate::Kind)
    );
}

/// The right origin lies after the left, with nothing between that the author had seen.
#[test]
fn origins_no_honest_client_can_have_are_refused() {
    let mut desk = Desk::new(matrix());
    desk.admit("ana", &blocks(7, 0, &[typed("abcdef")]))
        .unwrap();
    let a = string("x");
    let between = |left, right| blocks(1, 0, &[linked(TEXT, left, right, &a)]);
    for (what, bytes) in [
        ("right before left", between(Some((7, 3)), Some((7, 1)))),
        ("right is left", between(Some((7, 3)), Some((7, 3)))),
        (
            "blocks between that it names",
            between(Some((7, 1)), Some((7, 4))),
        ),
        (
            "the front, with a right origin inside",
            between(None, Some((7, 2))),
        ),
    ] {
        assert_eq!(desk.nack("eve", &bytes), Nack::Order, "{what}");
    }
    // Its own earlier block between its origins: it had seen that.
    let own = [
        linked(TEXT, Some((7, 1)), Some((7, 2)), &a),
        linked(TEXT, Some((7, 1)), Some((7, 2)), &a),
    ];
    assert_eq!(desk.nack("eve", &blocks(1, 0, &own)), Nack::Order);
    // Twelve bytes that would show one text now and another after a reload.
    let twelve = blocks(1, 0, &[linked(TEXT, Some((7, 5)), Some((7, 0)), &a)]);
    assert_eq!((twelve.len(), desk.nack("eve", &twelve)), (12, Nack::Order));
    // What an author had seen, its reader had seen: 2 saw 7's all and wrote at the end; 3 names
    // 2's block on the left and, to the right of it, the end of what 2 had seen.
    desk.admit(
        "noor",
        &blocks(2, 0, &[linked(TEXT, Some((7, 2)), Some((7, 3)), &a)]),
    )
    .unwrap();
    let knows = blocks(3, 0, &[linked(TEXT, Some((2, 0)), Some((7, 4)), &a)]);
    assert_eq!(desk.nack("eve", &knows), Nack::Order);
    // A map block that puts itself behind a value its author had already replaced.
    desk.admit("ana", &blocks(7, 6, &[yes("o1/c1")])).unwrap();
    let chain = [
        linked(PLAIN, Some((7, 6)), None, &word("no")),
        linked(PLAIN, Some((7, 6)), None, &word("yes")),
    ];
    assert_eq!(desk.nack("eve", &blocks(1, 0, &chain)), Nack::Order);
}

/// More placing steps than allowed: `tangled`, by an update's limit and by what is left.
#[test]
fn tangled_updates_are_refused() {
    let mut desk = Desk::new(matrix());
    let a = string("a");
    // A thousand blocks, each in front of the last: a thousand nodes.
    let front = |clock: u64| match clock {
        0 => typed("a"),
        clock => linked(TEXT, None, Some((7, clock - 1)), &a),
    };
    let thousand: Vec<_> = (0..1000).map(front).collect();
    desk.admit("ana", &blocks(7, 0, &thousand)).unwrap();
    // Somebody who has seen none of it types: every block passes all of them.
    let blind = |count: u64, client: u64| -> Vec<u8> {
        let at = |clock: u64| match clock {
            0 => typed("a"),
            clock => linked(TEXT, Some((client, clock - 1)), None, &a),
        };
        blocks(client, 0, &(0..count).map(at).collect::<Vec<_>>())
    };
    assert_eq!(desk.nack("eve", &blind(201, 3)), Nack::Tangled);
    assert!(desk.room.last_steps() > 200_000);
    let refused = desk.submit("eve", &blind(50, 3), &[], 49_000);
    assert_eq!(refused, Err(Refused::Nack(Nack::Tangled)));
    desk.submit("eve", &blind(48, 3), &[], 49_000).unwrap();
    assert!((48_000..49_000).contains(&desk.room.last_steps()));
    // Cutting a long list of nodes costs steps too.
    let deleted: Vec<_> = (0..500).map(|at| (at * 2, 1)).collect();
    desk.submit("eve", &deletes(7, &deleted), &[], 1000)
        .unwrap();
    assert_eq!(
        desk.submit("eve", &blind(1, 8), &[], 400),
        Err(Refused::Nack(Nack::Tangled))
    );
}
