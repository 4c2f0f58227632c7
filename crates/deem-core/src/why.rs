//! What an agent's draft of a why must be besides one line of at most 300 units (`D5.4`): one
//! CommonMark paragraph of plain text and one sentence by Unicode sentence breaks.
//!
//! The relay alone checks that, so the tables it needs are never part of the browser's engine.

use crate::{refusal::Reason, text::Fault};

/// Judges a draft, already trimmed.
///
/// # Errors
/// [`Reason::Blank`] for an empty one (a draft cannot clear), else [`Reason::Pattern`].
#[cfg(not(target_arch = "wasm32"))]
pub fn check_drafted(text: &str) -> Result<(), Fault> {
    if text.is_empty() {
        return Err(Fault::of(Reason::Blank));
    }
    if is_plain_paragraph(text) && is_one_sentence(text) {
        Ok(())
    } else {
        Err(Fault::of(Reason::Pattern))
    }
}

/// No browser acts as an agent, so here no draft passes.
#[cfg(target_arch = "wasm32")]
pub fn check_drafted(_: &str) -> Result<(), Fault> {
    Err(Fault::of(Reason::Pattern))
}

/// Whether CommonMark reads `text` as one paragraph of exactly this text: no escapes, entities
/// or markup that would read differently from how it looks.
#[cfg(not(target_arch = "wasm32"))]
fn is_plain_paragraph(text: &str) -> bool {
    use markdown::{ParseOptions, mdast::Node, to_mdast};
    let Ok(Node::Root(root)) = to_mdast(text, &ParseOptions::default()) else {
        return false;
    };
    let [Node::Paragraph(paragraph)] = root.children.as_slice() else {
        return false;
    };
    matches!(paragraph.children.as_slice(), [Node::Text(plain)] if plain.value == text)
}

#[cfg(not(target_arch = "wasm32"))]
fn is_one_sentence(text: &str) -> bool {
    use unicode_segmentation::UnicodeSegmentation;
    text.split_sentence_bounds().count() == 1
}
