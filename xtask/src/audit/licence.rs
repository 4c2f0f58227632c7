//! Licences by the list in deny.toml.

use std::collections::{BTreeMap, BTreeSet};

/// What deny.toml allows.
#[derive(Debug, Default)]
pub struct Allowed {
    everywhere: BTreeSet<String>,
    /// Crate -> its exception.
    of_crate: BTreeMap<String, BTreeSet<String>>,
}

/// Reads the two lists that deny.toml has: `allow` of `[licenses]` and of each exception.
pub fn allowed(deny_toml: &str) -> Allowed {
    let mut allowed = Allowed::default();
    let (mut of, mut in_list) = (None, false);
    for line in deny_toml.lines().map(str::trim) {
        if line.starts_with('[') {
            of = None;
        } else if let Some(name) = line.strip_prefix("crate = ") {
            of = Some(name.trim_matches('"').to_owned());
        }
        in_list |= line.starts_with("allow = [");
        if in_list && !line.starts_with('#') {
            let words = line.split('"').skip(1).step_by(2).map(ToString::to_string);
            match &of {
                Some(name) => allowed
                    .of_crate
                    .entry(name.clone())
                    .or_default()
                    .extend(words),
                None => allowed.everywhere.extend(words),
            }
        }
        in_list &= !line.ends_with(']');
    }
    allowed
}

impl Allowed {
    /// Whether the expression (SPDX; `/` is an older `OR`) can be met. `AND` binds tighter.
    pub fn allow(&self, name: &str, expression: &str) -> bool {
        let spaced = expression
            .replace('/', " OR ")
            .replace('(', " ( ")
            .replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut rest = words.as_slice();
        let met = self.any(name, &mut rest);
        met && rest.is_empty()
    }

    fn any(&self, name: &str, rest: &mut &[&str]) -> bool {
        let mut met = self.all(name, rest);
        while let ["OR", tail @ ..] = *rest {
            *rest = tail;
            met |= self.all(name, rest);
        }
        met
    }

    fn all(&self, name: &str, rest: &mut &[&str]) -> bool {
        let mut met = self.one(name, rest);
        while let ["AND", tail @ ..] = *rest {
            *rest = tail;
            met &= self.one(name, rest);
        }
        met
    }

    fn one(&self, name: &str, rest: &mut &[&str]) -> bool {
        match *rest {
            ["(", tail @ ..] => {
                *rest = tail;
                let met = self.any(name, rest);
                match *rest {
                    [")", tail @ ..] => {
                        *rest = tail;
                        met
                    }
                    _ => false,
                }
            }
            [licence, "WITH", exception, tail @ ..] => {
                *rest = tail;
                self.has(name, &format!("{licence} WITH {exception}"))
            }
            [licence, tail @ ..] => {
                *rest = tail;
                self.has(name, licence)
            }
            [] => false,
        }
    }

    fn has(&self, name: &str, licence: &str) -> bool {
        let own = self.of_crate.get(name);
        self.everywhere.contains(licence) || own.is_some_and(|own| own.contains(licence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENY: &str = "
# allow = [\"GPL-3.0\"]
[licenses]
allow = [
  \"MIT\",
  \"Apache-2.0 WITH LLVM-exception\",
]
[[licenses.exceptions]]
crate = \"roots\"
allow = [\"CDLA-Permissive-2.0\"]
[bans]
wildcards = \"deny\"
";

    #[test]
    fn an_expression_is_met_by_what_is_allowed() {
        let allowed = allowed(DENY);
        for (name, expression, met) in [
            ("a", "MIT", true),
            ("a", "GPL-3.0 OR MIT", true),
            ("a", "GPL-3.0/MIT", true),
            ("a", "GPL-3.0 AND MIT", false),
            ("a", "(MIT OR GPL-3.0) AND MIT", true),
            ("a", "MIT AND (GPL-3.0 OR BSD)", false),
            ("a", "GPL-3.0 OR MIT AND GPL-3.0", false),
            ("a", "Apache-2.0 WITH LLVM-exception", true),
            ("a", "Apache-2.0", false),
            ("a", "GPL-3.0", false),
            ("a", "", false),
            ("a", "(MIT", false),
            ("a", "MIT MIT", false),
            ("roots", "CDLA-Permissive-2.0", true),
            ("a", "CDLA-Permissive-2.0", false),
        ] {
            assert_eq!(allowed.allow(name, expression), met, "{name} {expression}");
        }
    }
}
