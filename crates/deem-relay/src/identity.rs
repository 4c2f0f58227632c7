//! Who is asking: tokens, and the open identity of `--dev` (`P0`).

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use deem_core::{
    id::{Person, SpaceId},
    rights::{Actor, Role, Scope},
};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;

use crate::ServeError;

/// How far clocks may be apart, seconds (`P0`). Counted here and nowhere else, so that it means the
/// same over HTTP, for a socket's first message, for its end and for a renewed token.
pub(crate) const LEEWAY_S: u64 = 60;
/// How far ahead a token's `exp` may lie, seconds: a longer one cannot be taken back (`P0`).
pub(crate) const TOKEN_LIFE_MAX_S: u64 = 24 * 3600;
/// A shared secret for HS256 below the size of its hash can be guessed, bytes (RFC 7518 3.2).
const SECRET_BYTES_MIN: usize = 32;
/// A longer token is refused unread, bytes: the largest claims we know of are below a tenth.
const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// A person with their rights, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The token's `sub`.
    pub(crate) person: Person,
    /// Rights per space.
    pub(crate) rights: Rights,
    /// When the token is taken no more, ms since 1970: its `exp` and the leeway. `None` under
    /// `--dev`.
    pub(crate) ends_at_ms: Option<u64>,
    /// What the token is widened by.
    pub(crate) scope: Option<Scope>,
}

/// Which role in which space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rights {
    /// `--dev`: the same role everywhere.
    Everywhere(Role),
    /// A token's spaces.
    Spaces(BTreeMap<SpaceId, Role>),
}

impl Identity {
    /// The role in `space`; `None`: this person may not know that it exists.
    pub(crate) fn role(&self, space: &SpaceId) -> Option<Role> {
        match &self.rights {
            Rights::Everywhere(role) => Some(*role),
            Rights::Spaces(spaces) => spaces.get(space).copied(),
        }
    }

    /// This person as an actor in `space`; `None` as for [`Self::role`].
    pub(crate) fn actor(&self, space: &SpaceId) -> Option<Actor> {
        let role = self.role(space)?;
        Some(Actor {
            person: self.person.clone(),
            role,
            scope: self.scope,
        })
    }
}

/// Why somebody is nobody. No variant holds any part of the token (`RELAY-5`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdentityError {
    /// No token, or under `--dev` no name.
    Missing,
    /// Not one of ours, or not well-formed.
    Invalid,
    /// Its time is over.
    Expired,
}

/// Where identities come from.
#[derive(Debug)]
pub(crate) struct Identities {
    dev: bool,
    key: Option<(PathBuf, RwLock<Arc<Key>>)>,
}

/// A key and the one algorithm its kind stands for.
struct Key {
    decoding: DecodingKey,
    algorithm: Algorithm,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key")
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct Claims {
    sub: String,
    exp: f64,
    #[serde(default)]
    nbf: Option<f64>,
    spaces: BTreeMap<String, String>,
    #[serde(default)]
    scope: Option<String>,
}

impl Identities {
    /// Reads the key, where one is named.
    pub(crate) fn new(dev: bool, auth_key: Option<&Path>) -> Result<Self, ServeError> {
        let key = match auth_key {
            Some(path) => Some((path.to_owned(), RwLock::new(Arc::new(read_key(path)?)))),
            None => None,
        };
        if !dev && key.is_none() {
            return Err(ServeError::NoIdentity);
        }
        Ok(Self { dev, key })
    }

    /// A key that is in no file, and so is never read again.
    pub(crate) fn of_key(bytes: &[u8]) -> Result<Self, String> {
        let key = Arc::new(key_of(bytes)?);
        Ok(Self {
            dev: false,
            key: Some((PathBuf::new(), RwLock::new(key))),
        })
    }

    /// Whether anybody may be anyone.
    pub(crate) fn dev(&self) -> bool {
        self.dev
    }

    /// Reads the key file again (SIGHUP); on an error the old key stays.
    pub(crate) fn reload(&self) -> Result<(), ServeError> {
        if let Some((path, key)) = &self.key {
            let fresh = Arc::new(read_key(path)?);
            *key.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        }
        Ok(())
    }

    /// Who holds `token` at `now_ms` (since 1970).
    pub(crate) fn by_token(&self, token: &str, now_ms: u64) -> Result<Identity, IdentityError> {
        let Some((_, key)) = &self.key else {
            return Err(IdentityError::Invalid);
        };
        let key = Arc::clone(&key.read().unwrap_or_else(PoisonError::into_inner));
        if token.len() > TOKEN_BYTES_MAX {
            return Err(IdentityError::Invalid);
        }
        // Time is judged below, with the caller's clock.
        let mut validation = Validation::new(key.algorithm);
        validation.validate_exp = false;
        validation.validate_aud = false;
        let claims = jsonwebtoken::decode::<Claims>(token, &key.decoding, &validation)
            .map_err(|_| IdentityError::Invalid)?
            .claims;
        let ends_at_ms = end_ms(claims.exp, now_ms)?;
        if let Some(nbf_s) = claims.nbf
            && time_ms(nbf_s)? > now_ms + LEEWAY_S * 1000
        {
            // Not valid yet (RFC 7519 4.1.5).
            return Err(IdentityError::Invalid);
        }
        let spaces = claims
            .spaces
            .into_iter()
            .map(|(space, role)| Some((SpaceId::parse(space).ok()?, parse_role(&role)?)))
            .collect::<Option<_>>()
            .ok_or(IdentityError::Invalid)?;
        Ok(Identity {
            person: Person::parse(claims.sub).map_err(|_| IdentityError::Invalid)?,
            rights: Rights::Spaces(spaces),
            ends_at_ms: Some(ends_at_ms),
            scope: claims
                .scope
                .is_some_and(|scope| scope.split_ascii_whitespace().any(|w| w == "record-chat"))
                .then_some(Scope::RecordChat),
        })
    }

    /// Who says they are `user`, under `--dev`; the role defaults to writer.
    pub(crate) fn by_name(
        &self,
        user: Option<&str>,
        role: Option<&str>,
    ) -> Result<Identity, IdentityError> {
        let (true, Some(user)) = (self.dev, user) else {
            return Err(IdentityError::Missing);
        };
        let role = match role {
            None => Role::Writer,
            Some(word) => parse_role(word).ok_or(IdentityError::Invalid)?,
        };
        Ok(Identity {
            person: Person::parse(user).map_err(|_| IdentityError::Invalid)?,
            rights: Rights::Everywhere(role),
            ends_at_ms: None,
            scope: None,
        })
    }
}

/// Whether `word` is a role (`P0`).
pub(crate) fn is_role(word: &str) -> bool {
    parse_role(word).is_some()
}

fn parse_role(word: &str) -> Option<Role> {
    match word {
        "viewer" => Some(Role::Viewer),
        "writer" => Some(Role::Writer),
        "agent" => Some(Role::Agent),
        "admin" => Some(Role::Admin),
        _ => None,
    }
}

/// When a token is taken no more, ms since 1970, if that has neither passed nor lies too far ahead.
fn end_ms(exp_s: f64, now_ms: u64) -> Result<u64, IdentityError> {
    let ends_at_ms = time_ms(exp_s)? + LEEWAY_S * 1000;
    if ends_at_ms <= now_ms {
        return Err(IdentityError::Expired);
    }
    if ends_at_ms > now_ms + (TOKEN_LIFE_MAX_S + 2 * LEEWAY_S) * 1000 {
        return Err(IdentityError::Invalid);
    }
    Ok(ends_at_ms)
}

/// A time as tokens write it (RFC 7519 `NumericDate`), in ms since 1970.
fn time_ms(seconds: f64) -> Result<u64, IdentityError> {
    // Beyond this a float no longer counts single milliseconds; no clock shows such a time.
    if !seconds.is_finite() || !(0.0..=4e12).contains(&seconds) {
        return Err(IdentityError::Invalid);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 4e15 by the line above"
    )]
    let ms = (seconds * 1000.0) as u64;
    Ok(ms)
}

fn read_key(path: &Path) -> Result<Key, ServeError> {
    let wrong = |why: String| ServeError::AuthKey {
        path: path.to_owned(),
        why,
    };
    let unread = |error| wrong(format!("{error}; give --auth-key a file that may be read"));
    let bytes = fs::read(path).map_err(unread)?;
    key_of(&bytes).map_err(wrong)
}

/// The key that a file holds, or what is wrong with it.
fn key_of(bytes: &[u8]) -> Result<Key, String> {
    // A PEM file is never taken for a secret: its bytes are public.
    if bytes.trim_ascii_start().starts_with(b"-----BEGIN") {
        let decoding = DecodingKey::from_ed_pem(bytes).map_err(|_| {
            "it is PEM, but no Ed25519 public key (openssl pkey -pubout makes one)".to_owned()
        })?;
        return Ok(Key {
            decoding,
            algorithm: Algorithm::EdDSA,
        });
    }
    if bytes.len() < SECRET_BYTES_MIN {
        return Err(format!(
            "a shared secret needs at least {SECRET_BYTES_MIN} bytes, this file has {}",
            bytes.len()
        ));
    }
    let decoding = DecodingKey::from_secret(bytes).map_err(|error| error.to_string())?;
    Ok(Key {
        decoding,
        algorithm: Algorithm::HS256,
    })
}

#[cfg(test)]
mod tests;
