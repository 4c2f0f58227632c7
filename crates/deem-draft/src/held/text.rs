//! A text edit as an update, made of the index alone: byte for byte what Yrs encodes for it.

use deem_core::id::QuestionId;

use super::Held;
use crate::{
    id::BlockId,
    index::{NewBlock, Root, Span},
    reader::Parent,
    replica::Writes,
    schema::question_root,
    text::{Change, units},
    writer::{Content, Head, head, id, number, ranges, text},
};

impl Held {
    /// The update of writes that are one text and nothing else, taken by the index. `None` = Yrs has
    /// to write it.
    pub(crate) fn text_update(&mut self, writes: &Writes) -> Option<Vec<u8>> {
        let (at, words, caret) = writes.only_text()?;
        let root = Root::Answer(u8::try_from(at).ok()?);
        let Self { index, replica, .. } = self;
        let (change, question) = replica.text_change(at, (words, caret))?;
        let span = match index.list_at(root, "") {
            Some(list) => index.span(list, change.start, change.removed)?,
            None if change.start == 0 && change.removed == 0 => Span::default(),
            None => return None,
        };
        let client = replica.client();
        let own = BlockId {
            client,
            clock: index.next_clock(client),
        };
        let update = encode(own, &change, &span, (at, question))?;
        index.begin(u32::MAX);
        let taken = self.take_text(root, own, &change, &span);
        debug_assert!(taken.is_some());
        if taken.is_none() {
            self.index.roll_back();
            return None;
        }
        self.index.commit();
        Some(update)
    }

    fn take_text(
        &mut self,
        root: Root,
        own: BlockId,
        change: &Change<'_>,
        span: &Span,
    ) -> Option<()> {
        let list = self.index.open_list(root, "");
        if !change.inserted.is_empty() {
            let new = NewBlock {
                id: own,
                len: units(change.inserted),
                origin: span.left,
                right_origin: span.right,
                list,
                left: None,
                is_deleted: false,
            };
            self.index.place(&new).ok()?;
        }
        for (client, clocks) in &span.removed {
            for clocks in clocks {
                self.index.delete(*client, clocks.clone()).ok()?;
            }
        }
        Some(())
    }
}

/// `None` where the order of the delete set is Yrs's to say.
fn encode(
    own: BlockId,
    change: &Change<'_>,
    span: &Span,
    (at, question): (usize, &QuestionId),
) -> Option<Vec<u8>> {
    if span.removed.len() > 1 {
        return None;
    }
    let mut out = Vec::with_capacity(48 + change.inserted.len());
    if change.inserted.is_empty() {
        number(&mut out, 0);
    } else {
        out.extend_from_slice(&[1, 1]);
        id(&mut out, own);
        let name = question_root("answer", at, question.as_str());
        let is_first = span.left.is_none() && span.right.is_none();
        let parent = Parent {
            root: &name,
            key: None,
        };
        head(
            &mut out,
            &Head {
                content: Content::Text,
                origin: span.left,
                right_origin: span.right,
                parent: Some(parent).filter(|_| is_first),
            },
        );
        text(&mut out, change.inserted);
    }
    ranges(&mut out, &span.removed);
    Some(out)
}
