//! `D3`: advice beside the draft.

use deem_core::{
    Command, Event, Generation, Kind, Mark, Refusal, command::Opening, definition::Answering,
    refusal::Reason,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::world::{World, agent, opening, option, proposal, reason, writer, written};

fn suggest(id: &str) -> Command {
    Command::Suggest {
        generation: Generation::FIRST,
        option: Some(option(id)),
    }
}

fn suggested() -> World {
    let mut world = World::of(opening(&["Bread", "Soup"], &["Cheap"]));
    world.act(&agent(), &suggest("o2")).unwrap();
    world
}

/// D3: an asker may suggest one option of a single choice, and take it back.
#[test]
fn one_option_of_a_single_choice_is_suggested() {
    let mut world = suggested();
    assert_eq!(world.record.suggested, Some(option("o2")));
    assert_eq!(
        world.act(&agent(), &suggest("o2")),
        Ok(Vec::new()),
        "said already"
    );
    let back = Command::Suggest {
        generation: Generation::FIRST,
        option: None,
    };
    assert_eq!(
        world.act(&agent(), &back),
        Ok(vec![Event::SuggestionCleared])
    );
    assert_eq!(world.act(&agent(), &back), Ok(Vec::new()));
    assert_eq!(
        reason(world.act(&agent(), &suggest("o9"))),
        Some(Reason::UnknownOption)
    );

    let many = Opening {
        answering: Answering::Many,
        ..opening(&["Bread"], &[])
    };
    for card in [many, written()] {
        let refused = World::of(card).act(&agent(), &suggest("o1"));
        assert_eq!(reason(refused), Some(Reason::NotAChoice));
    }
    let refused = suggested().act(&writer("ana"), &suggest("o1"));
    assert_eq!(
        refused,
        Err(Refusal::Forbidden {
            needs: "asker".into()
        })
    );
}

/// D3: any accepted edit of choice, picks, text or marks clears it for good.
#[test]
fn the_first_edit_clears_a_suggestion_for_good() {
    let edits: [fn(&mut World); 3] = [
        |world| world.choose("o1"),
        |world| world.write("Order out"),
        |world| world.mark("o1/c1", Mark::No),
    ];
    for edit in edits {
        let mut world = suggested();
        edit(&mut world);
        assert_eq!(world.record.suggested, None);
        // Taking the edit back does not bring it back.
        world.edit(|world| world.draft.view = Default::default());
        assert_eq!(world.record.suggested, None);
        assert_eq!(reason(world.save("ana")), Some(Reason::Unanswered));
    }
}

/// D3: on an untouched card a Save settles the suggested option and records that it was one.
#[test]
fn a_save_of_an_untouched_card_settles_the_suggestion() {
    let mut world = suggested();
    world.save("ana").unwrap();
    let settled = world.record.settled().unwrap();
    let answer = &settled.answer.answers[0];
    assert!(answer.suggested);
    assert_eq!(answer.chosen.as_ref().unwrap()[0].id, option("o2"));
    assert_eq!(
        world.record.suggested, None,
        "it does not outlive its generation"
    );

    let mut own = suggested();
    own.choose("o2");
    own.save("ana").unwrap();
    assert!(
        !own.record.settled().unwrap().answer.answers[0].suggested,
        "a person's own choice"
    );
}

/// D3: a pending or refused proposal leaves the suggestion; one that gets a place clears it in
/// the same commit.
#[test]
fn only_a_proposal_with_a_place_clears_the_suggestion() {
    let mut world = suggested();
    let ana = writer("ana");
    world.draft.view.proposals = vec![proposal(Kind::Option, "key-0001", "bread")];
    world
        .act(
            &ana,
            &Command::Claim(proposal(Kind::Option, "key-0001", "bread")),
        )
        .unwrap();
    assert_eq!(world.record.suggested, Some(option("o2")));
    assert!(world.draft.view.is_untouched());
    let events = world
        .act(
            &ana,
            &Command::Claim(proposal(Kind::Option, "key-0002", "Rice")),
        )
        .unwrap();
    assert!(matches!(
        &events[..],
        [Event::OptionAppended { .. }, Event::SuggestionCleared]
    ));
    assert_eq!(world.record.suggested, None);
}

/// D3: a suggestion for another generation is stale; on a closed decision it is `resolved`.
#[test]
fn suggestions_belong_to_a_generation() {
    let mut world = World::of(opening(&["Bread"], &[]));
    let next = Command::Suggest {
        generation: Generation(2),
        option: Some(option("o1")),
    };
    assert!(matches!(
        world.act(&agent(), &next),
        Err(Refusal::Stale { .. })
    ));
    world.choose("o1");
    world.save("ana").unwrap();
    assert!(matches!(
        world.act(&agent(), &suggest("o1")),
        Err(Refusal::Resolved { .. })
    ));
}
