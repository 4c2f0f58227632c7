//! Which web pages may speak to this relay: an exact list, and the relay's own pages.

use std::collections::BTreeSet;

use crate::ServeError;

/// The list of `--origin`, and how the relay's own pages are told.
#[derive(Debug, Clone)]
pub(crate) struct Origins {
    listed: BTreeSet<String>,
    dev: bool,
}

impl Origins {
    /// Each entry as a browser writes it: `scheme://host[:port]`, no path, no wildcard.
    pub(crate) fn new(listed: &[String], dev: bool) -> Result<Self, ServeError> {
        match listed.iter().find(|origin| !is_origin(origin)) {
            Some(bad) => Err(ServeError::Origin(bad.clone())),
            None => Ok(Self {
                listed: listed.iter().cloned().collect(),
                dev,
            }),
        }
    }

    /// Whether a request with this `Origin` and `Host` may be served. A request without Origin
    /// is no browser's cross-site request and passes; an own page has the same host.
    ///
    /// Under `--dev` nobody shows a token, so an own page counts only on a loopback name: a page
    /// of an outside name that resolves to 127.0.0.1 has equal Origin and Host as well.
    pub(crate) fn allow(&self, origin: Option<&str>, host: Option<&str>) -> bool {
        let Some(origin) = origin else {
            return !self.dev || host.is_none_or(is_loopback);
        };
        if self.listed.contains(origin) {
            return true;
        }
        let own = origin
            .split_once("://")
            .filter(|(scheme, _)| matches!(*scheme, "http" | "https"))
            .map(|(_, authority)| authority);
        own.is_some() && own == host && (!self.dev || host.is_some_and(is_loopback))
    }

    /// Whether `origin` is in the list, and so is answered with CORS headers.
    pub(crate) fn listed(&self, origin: &str) -> bool {
        self.listed.contains(origin)
    }
}

fn is_origin(text: &str) -> bool {
    let Some((scheme, authority)) = text.split_once("://") else {
        return false;
    };
    let scheme_fits = scheme.starts_with(|c: char| c.is_ascii_lowercase())
        && scheme
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"+-.".contains(&b));
    let authority_fits = !authority.is_empty()
        && authority
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-._:[]".contains(&b));
    scheme_fits && authority_fits
}

/// Whether a `Host` names this machine only.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => return rest.split_once(']').is_some_and(|(name, _)| name == "::1"),
        None => host.split_once(':').map_or(host, |(name, _)| name),
    };
    name == "localhost"
        || name.ends_with(".localhost")
        || name
            .parse::<std::net::Ipv4Addr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_listed_origins_exactly_and_its_own_pages() {
        let origins = Origins::new(&["https://app.example".into()], false).unwrap();
        for (origin, host, expected) in [
            (None, Some("relay.example"), true),
            (Some("https://app.example"), Some("relay.example"), true),
            (
                Some("https://app.example:8443"),
                Some("relay.example"),
                false,
            ),
            (Some("http://app.example"), Some("relay.example"), false),
            (
                Some("https://app.example.evil.test"),
                Some("relay.example"),
                false,
            ),
            (Some("https://relay.example"), Some("relay.example"), true),
            (
                Some("https://relay.example:444"),
                Some("relay.example"),
                false,
            ),
            (Some("null"), Some("relay.example"), false),
            (Some("file://"), Some(""), false),
        ] {
            assert_eq!(
                origins.allow(origin, host),
                expected,
                "{origin:?} at {host:?}"
            );
        }
    }

    #[test]
    fn under_dev_an_outside_name_for_loopback_is_no_own_page() {
        let origins = Origins::new(&[], true).unwrap();
        for (origin, host, expected) in [
            (Some("http://127.0.0.1:4870"), Some("127.0.0.1:4870"), true),
            (Some("http://localhost:4870"), Some("localhost:4870"), true),
            (Some("http://[::1]:4870"), Some("[::1]:4870"), true),
            (
                Some("http://rebound.test:4870"),
                Some("rebound.test:4870"),
                false,
            ),
            (
                Some("http://127.0.0.1.evil.test"),
                Some("127.0.0.1.evil.test"),
                false,
            ),
            (None, Some("rebound.test:4870"), false),
            (None, Some("127.0.0.1:4870"), true),
        ] {
            assert_eq!(
                origins.allow(origin, host),
                expected,
                "{origin:?} at {host:?}"
            );
        }
    }

    #[test]
    fn refuses_entries_that_no_browser_sends() {
        for bad in [
            "*",
            "example.org",
            "https://",
            "https://a.example/",
            "https://*.a.example",
            "HTTPS://a",
        ] {
            assert!(Origins::new(&[bad.into()], false).is_err(), "{bad}");
        }
        for good in [
            "https://a.example",
            "http://127.0.0.1:5173",
            "chrome-extension://abcdef",
        ] {
            assert!(Origins::new(&[good.into()], false).is_ok(), "{good}");
        }
    }
}
