use jsonwebtoken::{EncodingKey, Header};
use serde_json::{Value, json};

use super::*;

const NOW_MS: u64 = 1_796_032_931_000;
const NOW_S: u64 = NOW_MS / 1000;
const SECRET: &[u8] = b"a secret of at least thirty-two bytes";
/// Two fresh Ed25519 pairs, made for these tests with openssl.
const PRIVATE: &str = include_str!("tests/ed25519-private.pem");
const PUBLIC: &str = include_str!("tests/ed25519-public.pem");
const OTHER_PRIVATE: &str = include_str!("tests/other-private.pem");

fn key_file(bytes: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    file
}

fn with_key(bytes: &[u8]) -> (tempfile::NamedTempFile, Identities) {
    let file = key_file(bytes);
    let identities = Identities::new(false, Some(file.path())).unwrap();
    (file, identities)
}

fn claims() -> Value {
    json!({"sub": "noor", "name": "Noor", "exp": NOW_S + 600, "spaces": {"home": "writer"}})
}

fn with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

fn hs256(claims: &Value) -> String {
    with_secret(Algorithm::HS256, claims)
}

fn with_secret(algorithm: Algorithm, claims: &Value) -> String {
    let key = EncodingKey::from_secret(SECRET).unwrap();
    jsonwebtoken::encode(&Header::new(algorithm), claims, &key).unwrap()
}

fn eddsa(claims: &Value, private: &str) -> String {
    let key = EncodingKey::from_ed_pem(private.as_bytes()).unwrap();
    jsonwebtoken::encode(&Header::new(Algorithm::EdDSA), claims, &key).unwrap()
}

#[test]
fn takes_a_token_of_its_key_and_reads_rights_per_space() {
    let home = SpaceId::parse("home").unwrap();
    let other = SpaceId::parse("other").unwrap();
    for (key, token) in [
        (SECRET, hs256(&claims())),
        (PUBLIC.as_bytes(), eddsa(&claims(), PRIVATE)),
    ] {
        let (_file, identities) = with_key(key);
        let identity = identities.by_token(&token, NOW_MS).unwrap();
        assert_eq!(identity.person.as_str(), "noor");
        assert_eq!(identity.role(&home), Some(Role::Writer));
        assert_eq!(identity.role(&other), None);
        assert_eq!(identity.ends_at_ms, Some((NOW_S + 660) * 1000));
    }
}

#[test]
fn refuses_other_keys_and_other_algorithms() {
    let (_file, hs) = with_key(SECRET);
    let (_file, ed) = with_key(PUBLIC.as_bytes());
    let none = {
        let part = hs256(&claims());
        let body = part.split('.').nth(1).unwrap();
        // {"alg":"none","typ":"JWT"}
        format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{body}.")
    };
    // The classic confusion: the public key's bytes as an HMAC secret.
    let confused = jsonwebtoken::encode(
        &Header::default(),
        &claims(),
        &EncodingKey::from_secret(PUBLIC.as_bytes()).unwrap(),
    )
    .unwrap();
    for (identities, token) in [
        (&hs, eddsa(&claims(), PRIVATE)),
        // The same secret and family; the algorithm is the file's, not the token's.
        (&hs, with_secret(Algorithm::HS384, &claims())),
        (&hs, with_secret(Algorithm::HS512, &claims())),
        (&ed, hs256(&claims())),
        (&ed, eddsa(&claims(), OTHER_PRIVATE)),
        (&ed, confused),
        (&hs, none.clone()),
        (&ed, none),
        (&hs, String::new()),
        (&hs, "a.b.c".into()),
        (&hs, "x".repeat(TOKEN_BYTES_MAX + 1)),
    ] {
        assert_eq!(
            identities.by_token(&token, NOW_MS),
            Err(IdentityError::Invalid),
            "{token}"
        );
    }
}

/// P0: the leeway is the same at the door and at the end of what was let in: a token that is
/// welcomed 59 s after its `exp` has one second left, and not none.
#[test]
fn what_is_let_in_within_the_leeway_ends_with_the_leeway() {
    let (_file, identities) = with_key(SECRET);
    for ago in [0, 20, 55, 59] {
        let token = hs256(&with("exp", json!(NOW_S - ago)));
        let identity = identities.by_token(&token, NOW_MS).unwrap();
        assert_eq!(identity.ends_at_ms, Some((NOW_S - ago + 60) * 1000));
    }
}

/// P0: a token that is not valid yet (RFC 7519 4.1.5) is refused, with the same leeway.
#[test]
fn refuses_a_token_before_its_time() {
    let (_file, identities) = with_key(SECRET);
    for (nbf, expected) in [
        (NOW_S - 3600, Ok(())),
        (NOW_S, Ok(())),
        (NOW_S + 60, Ok(())),
        (NOW_S + 61, Err(IdentityError::Invalid)),
        (NOW_S + 300, Err(IdentityError::Invalid)),
    ] {
        let token = hs256(&with("nbf", json!(nbf)));
        let found = identities.by_token(&token, NOW_MS).map(|_| ());
        assert_eq!(found, expected, "nbf {nbf}");
    }
}

#[test]
fn judges_the_life_of_a_token_with_sixty_seconds_of_leeway() {
    let (_file, identities) = with_key(SECRET);
    let day = TOKEN_LIFE_MAX_S;
    for (exp, expected) in [
        (NOW_S + 600, Ok(())),
        (NOW_S - 59, Ok(())),
        (NOW_S - 60, Err(IdentityError::Expired)),
        (NOW_S - 3600, Err(IdentityError::Expired)),
        (NOW_S + day + 60, Ok(())),
        (NOW_S + day + 61, Err(IdentityError::Invalid)),
    ] {
        let token = hs256(&with("exp", json!(exp)));
        assert_eq!(
            identities.by_token(&token, NOW_MS).map(|_| ()),
            expected,
            "exp {exp}"
        );
    }
}

#[test]
fn refuses_claims_of_the_wrong_shape() {
    let (_file, identities) = with_key(SECRET);
    for claims in [
        with("sub", json!("two words")),
        with("sub", json!("")),
        with("sub", json!(7)),
        with("spaces", json!({"home": "owner"})),
        with("spaces", json!({"no such/space": "writer"})),
        with("spaces", json!(["home"])),
        with("exp", json!("tomorrow")),
        with("exp", json!(-1)),
        with("exp", json!(1e300)),
        with("nbf", json!("now")),
        json!({"sub": "noor", "spaces": {}}),
    ] {
        let token = hs256(&claims);
        assert_eq!(
            identities.by_token(&token, NOW_MS),
            Err(IdentityError::Invalid),
            "{claims}"
        );
    }
    // What other parties put into tokens is none of ours.
    let extra = with("aud", json!("somebody else"));
    assert!(identities.by_token(&hs256(&extra), NOW_MS).is_ok());
}

#[test]
fn reads_the_key_again_and_keeps_the_old_one_when_the_new_is_bad() {
    let (file, identities) = with_key(SECRET);
    let old = hs256(&claims());
    fs::write(file.path(), b"short").unwrap();
    assert!(identities.reload().is_err());
    assert!(identities.by_token(&old, NOW_MS).is_ok());
    fs::write(file.path(), PUBLIC).unwrap();
    identities.reload().unwrap();
    assert!(identities.by_token(&old, NOW_MS).is_err());
    assert!(
        identities
            .by_token(&eddsa(&claims(), PRIVATE), NOW_MS)
            .is_ok()
    );
}

#[test]
fn says_what_is_wrong_with_a_key_file() {
    for (bytes, word) in [
        (&b"short"[..], "32 bytes"),
        (PRIVATE.as_bytes(), "public key"),
        (
            b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
            "public key",
        ),
    ] {
        let file = key_file(bytes);
        let error = Identities::new(false, Some(file.path()))
            .unwrap_err()
            .to_string();
        assert!(error.contains(word), "{error}");
    }
    let missing = Identities::new(false, Some(Path::new("/no/such/key"))).unwrap_err();
    assert!(missing.to_string().contains("/no/such/key"));
    let neither = Identities::new(false, None).unwrap_err();
    assert_eq!(neither.to_string(), "give --auth-key FILE or --dev");
    assert_eq!(neither.exit_code(), 2);
}

#[test]
fn names_count_only_under_dev() {
    let dev = Identities::new(true, None).unwrap();
    let identity = dev.by_name(Some("ilse"), None).unwrap();
    assert_eq!(identity.rights, Rights::Everywhere(Role::Writer));
    assert_eq!(
        dev.by_name(Some("bot"), Some("agent")).unwrap().rights,
        Rights::Everywhere(Role::Agent)
    );
    assert_eq!(dev.by_name(None, None), Err(IdentityError::Missing));
    assert_eq!(
        dev.by_name(Some("ilse"), Some("king")),
        Err(IdentityError::Invalid)
    );
    assert_eq!(dev.by_name(Some("a b"), None), Err(IdentityError::Invalid));
    let (_file, closed) = with_key(SECRET);
    assert_eq!(
        closed.by_name(Some("ilse"), None),
        Err(IdentityError::Missing)
    );
}
