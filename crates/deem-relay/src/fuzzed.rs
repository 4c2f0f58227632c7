//! What the fuzzer calls: readers that otherwise only a relay's sockets reach.

use deem_core::{id::SpaceId, rights::Actor};

use crate::identity::{Identities, IdentityError, Rights};

/// Judges tokens as every request's and every socket's is judged (`P0`).
#[derive(Debug)]
pub struct TokenJudge(Identities);

impl TokenJudge {
    /// With the bytes of a key file.
    ///
    /// # Errors
    /// They are no key.
    pub fn new(key: &[u8]) -> Result<Self, String> {
        Identities::of_key(key).map(Self)
    }

    /// Who holds `token` at `now_ms` (since 1970), in each of their spaces.
    ///
    /// # Errors
    /// Why it is nobody's.
    pub fn judge(&self, token: &str, now_ms: u64) -> Result<Vec<(SpaceId, Actor)>, &'static str> {
        let identity = self
            .0
            .by_token(token, now_ms)
            .map_err(|error| match error {
                IdentityError::Missing => "missing",
                IdentityError::Invalid => "invalid",
                IdentityError::Expired => "expired",
            })?;
        let Rights::Spaces(spaces) = &identity.rights else {
            return Ok(Vec::new());
        };
        let actor = |space: &SpaceId| Some((space.clone(), identity.actor(space)?));
        Ok(spaces.keys().filter_map(actor).collect())
    }
}
