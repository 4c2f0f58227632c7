//! One opening tag, read from the source that the Markdown parser has found to be well-formed.

use super::Fault;

/// An opening tag with its attributes, each to be taken once.
pub struct Tag<'a> {
    pub name: &'a str,
    pub at: usize,
    attributes: Vec<Attribute<'a>>,
}

struct Attribute<'a> {
    name: &'a str,
    at: usize,
    /// Without its quotes, undecoded, and where it starts; `None` for a flag.
    value: Option<Raw<'a>>,
}

/// A value as it stands in the source.
#[derive(Clone, Copy)]
pub struct Raw<'a> {
    text: &'a str,
    pub at: usize,
}

impl<'a> Tag<'a> {
    /// Reads the tag that starts at byte `at` of `source`.
    pub fn read(source: &'a str, at: usize) -> Result<Self, Fault> {
        let mut scan = Scan { source, at };
        scan.expect('<')?;
        scan.skip_space();
        let name = scan.name()?;
        let mut attributes: Vec<Attribute<'a>> = Vec::new();
        loop {
            scan.skip_space();
            if matches!(scan.peek(), Some('/' | '>')) {
                return Ok(Self {
                    name,
                    at,
                    attributes,
                });
            }
            let start = scan.at;
            let attribute = scan.attribute()?;
            if attributes.iter().any(|held| held.name == attribute.name) {
                let what = format!("{} stands twice in <{name}>", attribute.name);
                return Err(Fault::new(start, what));
            }
            attributes.push(attribute);
        }
    }

    fn take(&mut self, name: &str) -> Option<Attribute<'a>> {
        let place = self.attributes.iter().position(|held| held.name == name)?;
        Some(self.attributes.remove(place))
    }

    /// A value that may be missing.
    pub fn optional(&mut self, name: &str) -> Result<Option<Raw<'a>>, Fault> {
        let Some(attribute) = self.take(name) else {
            return Ok(None);
        };
        match attribute.value {
            Some(value) => Ok(Some(value)),
            None => Err(Fault::new(
                attribute.at,
                format!("{name} needs a value: {name}=\"...\""),
            )),
        }
    }

    /// A value that must be there.
    pub fn required(&mut self, name: &str) -> Result<Raw<'a>, Fault> {
        let (tag, at) = (self.name, self.at);
        self.optional(name)?
            .ok_or_else(|| Fault::new(at, format!("<{tag}> needs {name}=\"...\"")))
    }

    /// A name that is there or not, without a value.
    pub fn flag(&mut self, name: &str) -> Result<bool, Fault> {
        match self.take(name) {
            None => Ok(false),
            Some(Attribute { value: None, .. }) => Ok(true),
            Some(Attribute { at, .. }) => Err(Fault::new(
                at,
                format!("{name} is there or not, without a value"),
            )),
        }
    }

    /// Nothing else may be there.
    pub fn done(self) -> Result<(), Fault> {
        match self.attributes.first() {
            None => Ok(()),
            Some(Attribute { name, at, .. }) => Err(Fault::new(
                *at,
                format!("<{}> has no attribute {name}", self.name),
            )),
        }
    }
}

impl<'a> Raw<'a> {
    /// The text it stands for.
    pub fn decode(self) -> Result<String, Fault> {
        let mut text = String::with_capacity(self.text.len());
        let mut rest = self.text;
        while let Some(place) = rest.find(['&', '\n', '\r']) {
            let (before, from) = rest.split_at(place);
            let at = self.at + self.text.len() - from.len();
            text.push_str(before);
            if !from.starts_with('&') {
                return Err(Fault::new(at, "a line end in a value is written &#10;"));
            }
            let length = from.find(';').map_or(0, |end| end + 1);
            let name = from.get(1..length.saturating_sub(1)).unwrap_or_default();
            if is_reference(name) {
                let decoded = reference(name)
                    .ok_or_else(|| Fault::new(at, format!("&{name}; is no character")))?;
                text.push_str(&decoded);
                rest = &from[length..];
            } else {
                text.push('&');
                rest = &from[1..];
            }
        }
        text.push_str(rest);
        Ok(text)
    }

    /// The entries of a list, which are parted by one space each.
    pub fn entries(self) -> impl Iterator<Item = Raw<'a>> {
        let mut at = self.at;
        self.text.split(' ').map(move |text| {
            let entry = Raw { text, at };
            at += text.len() + 1;
            entry
        })
    }

    /// Its two sides, parted by the last `between`.
    pub fn halves(self, between: char) -> Option<(Raw<'a>, Raw<'a>)> {
        let (left, right) = self.text.rsplit_once(between)?;
        let at = self.at + left.len() + between.len_utf8();
        Some((
            Raw {
                text: left,
                at: self.at,
            },
            Raw { text: right, at },
        ))
    }
}

/// Whether what stands between `&` and `;` has the form of a reference. Otherwise it is text.
fn is_reference(name: &str) -> bool {
    let name = name.strip_prefix('#').unwrap_or(name);
    (1..=32).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// The character of a reference: also the controls that Markdown's own decoding replaces.
fn reference(name: &str) -> Option<String> {
    let Some(number) = name.strip_prefix('#') else {
        return markdown::decode_named(name, true);
    };
    let number = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    number.ok().and_then(char::from_u32).map(String::from)
}

struct Scan<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !is_skipped(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        self.skip(char::is_whitespace);
    }

    fn expect(&mut self, c: char) -> Result<(), Fault> {
        if self.peek() != Some(c) {
            return Err(Fault::new(self.at, format!("{c} is expected")));
        }
        self.at += c.len_utf8();
        Ok(())
    }

    fn name(&mut self) -> Result<&'a str, Fault> {
        let at = self.at;
        let name = self.skip(|c| c.is_alphanumeric() || "_$-.:".contains(c));
        if name.is_empty() {
            return Err(Fault::new(at, "a name is expected here"));
        }
        Ok(name)
    }

    fn attribute(&mut self) -> Result<Attribute<'a>, Fault> {
        let at = self.at;
        let name = self.name()?;
        let end = self.at;
        self.skip_space();
        if self.peek() != Some('=') {
            self.at = end;
            return Ok(Attribute {
                name,
                at,
                value: None,
            });
        }
        self.expect('=')?;
        self.skip_space();
        let Some(quote @ ('"' | '\'')) = self.peek() else {
            return Err(Fault::new(
                self.at,
                format!("{name} needs a value in quotes"),
            ));
        };
        self.expect(quote)?;
        let start = self.at;
        let text = self.skip(|c| c != quote);
        self.expect(quote)?;
        Ok(Attribute {
            name,
            at,
            value: Some(Raw { text, at: start }),
        })
    }
}
