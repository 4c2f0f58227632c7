//! Reading projections out of a Markdown document.
//!
//! The `markdown` crate finds the elements, as MDX does; tags are then read from the source by our
//! own reader, which knows where each attribute stands and decodes every character reference that
//! the writer writes (Markdown itself has none for controls).

mod card;
mod tag;

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use deem_core::Import;
use markdown::{
    Constructs, ParseOptions,
    mdast::Node,
    message::{Message, Place},
    to_mdast,
    unist::Position,
};

use crate::projection::Projection;

/// Why a document could not be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatError {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// One sentence.
    pub what: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}, column {}: {}",
            self.line, self.column, self.what
        )
    }
}

impl std::error::Error for FormatError {}

/// A fault at a byte of the source.
#[derive(Debug)]
struct Fault {
    at: usize,
    what: String,
}

impl Fault {
    fn new(at: usize, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { at, what }
    }

    fn located(self, source: &str) -> FormatError {
        let before = source
            .as_bytes()
            .get(..self.at.min(source.len()))
            .unwrap_or_default();
        let before = String::from_utf8_lossy(before);
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        FormatError {
            line: before.matches('\n').count() + 1,
            column: before.chars().count() - before[..start].chars().count() + 1,
            what: self.what,
        }
    }
}

/// All `<Questionnaire>` elements of a Markdown or MDX document, in order.
///
/// For documents of one's own, as `deem import` reads them: time and stack grow with the nesting
/// of the document.
///
/// # Errors
/// The first fault of the document: syntax that is no MDX, an unknown element or attribute, a
/// value that is no id, instant or word of its kind, an id that stands twice.
pub fn read(mdx: &str) -> Result<Vec<Projection>, FormatError> {
    find(mdx).map_err(|fault| fault.located(mdx))
}

/// The same, as what an import asks of a relay (`P9`).
///
/// # Errors
/// As [`read`].
pub fn import(mdx: &str) -> Result<Vec<Import>, FormatError> {
    Ok(read(mdx)?.into_iter().map(Import::from).collect())
}

fn find(source: &str) -> Result<Vec<Projection>, Fault> {
    let constructs = Constructs {
        frontmatter: true,
        gfm_footnote_definition: true,
        gfm_label_start_footnote: true,
        gfm_strikethrough: true,
        gfm_table: true,
        gfm_task_list_item: true,
        // A document is text that people write: braces and `import` at a line's start are theirs.
        mdx_esm: false,
        mdx_expression_flow: false,
        mdx_expression_text: false,
        ..Constructs::mdx()
    };
    let options = ParseOptions {
        constructs,
        ..ParseOptions::mdx()
    };
    let tree = parse(source, &options)?;
    let mut found = Vec::new();
    let mut waiting = vec![&tree];
    while let Some(node) = waiting.pop() {
        match Element::of(node) {
            Some(element) if element.name == Some("Questionnaire") => {
                let (projection, at) = card::questionnaire(source, &element)?;
                let id = &projection.id;
                if found.iter().any(|held: &Projection| held.id == *id) {
                    return Err(Fault::new(at, format!("the id {id} stands twice")));
                }
                found.push(projection);
            }
            _ => waiting.extend(node.children().into_iter().flatten().rev()),
        }
    }
    Ok(found)
}

/// Parses for structure and places only. References are taken out, at their length: the crate
/// panics on some of them (an attribute that ends in `&x`), and decoding is ours anyway.
fn parse(source: &str, options: &ParseOptions) -> Result<Node, Fault> {
    let plain = source.replace('&', ",");
    match catch_unwind(AssertUnwindSafe(|| to_mdast(&plain, options))) {
        Ok(tree) => tree.map_err(|message| syntax(source, &message)),
        // Nothing of ours is shared with the parser, so there is nothing half changed.
        Err(_) => Err(Fault::new(
            0,
            "the Markdown parser cannot read this document",
        )),
    }
}

fn syntax(source: &str, message: &Message) -> Fault {
    let at = match message.place.as_deref() {
        Some(Place::Point(point)) => point.offset,
        Some(Place::Position(position)) => position.start.offset,
        None => source.len(),
    };
    Fault::new(at, message.reason.clone())
}

/// A JSX element, on lines of its own or within a line.
struct Element<'a> {
    name: Option<&'a str>,
    /// Where its opening tag starts.
    at: usize,
    children: &'a [Node],
}

impl<'a> Element<'a> {
    fn of(node: &'a Node) -> Option<Self> {
        let start = |position: &Option<Position>| position.as_ref().map_or(0, |p| p.start.offset);
        match node {
            Node::MdxJsxFlowElement(element) => Some(Self {
                name: element.name.as_deref(),
                at: start(&element.position),
                children: &element.children,
            }),
            Node::MdxJsxTextElement(element) => Some(Self {
                name: element.name.as_deref(),
                at: start(&element.position),
                children: &element.children,
            }),
            _ => None,
        }
    }

    /// The elements inside, which may be all there is; those on one line stand in a paragraph.
    fn elements(&self) -> Result<Vec<Element<'a>>, Fault> {
        let mut found = Vec::new();
        let mut waiting: Vec<&'a Node> = self.children.iter().rev().collect();
        while let Some(node) = waiting.pop() {
            if let Some(element) = Element::of(node) {
                found.push(element);
                continue;
            }
            match node {
                Node::Paragraph(paragraph) => waiting.extend(paragraph.children.iter().rev()),
                Node::Text(text) if text.value.trim().is_empty() => {}
                other => {
                    let at = other.position().map_or(self.at, |p| p.start.offset);
                    let name = self.name.unwrap_or_default();
                    let what = format!("only elements may stand inside <{name}>");
                    return Err(Fault::new(at, what));
                }
            }
        }
        Ok(found)
    }
}
