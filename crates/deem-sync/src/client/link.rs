//! The leader's connection: hello, welcome, tokens, silence, coming back.

use deem_core::map::BTreeMap;

use deem_core::id::DecisionId;
use serde_json::{Map, Value};

use super::{
    Client,
    card::{Phase, RoomState},
    heard::{Answer, Heard, Welcomed, hear},
    json::{Members, object, parse, read},
    output::Output,
    random,
    rebase::Recover,
};
use crate::wire::CloseCode;

/// First wait before coming back, ms; doubled up to [`RETRY_MS_MAX`], always with jitter.
const RETRY_MS_MIN: u64 = 500;
/// Longest wait before coming back, ms: a relay that restarts is found within half a minute.
const RETRY_MS_MAX: u64 = 30_000;
/// No answer to something that asks for one within this, ms: the connection is dead.
const ANSWER_MS_MAX: u64 = 10_000;
/// Nothing heard for this long after something that is answered, ms: the relay may be gone, and
/// what waits is said to be on this device until it is heard again.
const PATIENCE_MS_MAX: u64 = 2_000;
/// How often in a row a 4400 is tried again.
const MALFORMED_MAX: u32 = 3;
/// Nothing heard for this long, ms: the relay is asked for a sign of life.
const SILENCE_MS_MAX: u64 = 20_000;

/// Where the connection stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Net {
    /// This tab does not lead, or has not started.
    #[default]
    Off,
    /// Comes back at this monotonic time, ms.
    Waiting(u64),
    /// A token was asked for.
    Token,
    /// A socket was asked for.
    Connecting,
    /// `hello` is sent.
    Hello,
    /// Welcomed.
    Online,
    /// Not to be tried again by itself; a code of P7 or the close code's word.
    Stopped(String),
}

/// What a reply without a page behind it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    Join(DecisionId),
    Rebase(DecisionId, Recover),
    Records,
}

/// The connection.
#[derive(Debug, Default)]
pub(crate) struct Link {
    pub(crate) net: Net,
    attempt: u32,
    token: Option<String>,
    /// A 4401 was answered with a fresh token already.
    token_renewed: bool,
    /// Closes with 4400 since the relay last took something of ours.
    pub(crate) malformed: u32,
    pub(crate) rooms: BTreeMap<u32, DecisionId>,
    pub(crate) asked: BTreeMap<String, Asked>,
    asks: u64,
    heard_ms: u64,
    /// No room waits past this: most of the time none waits, and no walk is needed to know.
    pub(crate) rooms_wait_ms: u64,
    expects_ms: Option<u64>,
    /// The relay has not answered for [`PATIENCE_MS_MAX`].
    is_mute: bool,
    /// What the relay said last of why it does not serve.
    pub(crate) trouble: Option<String>,
}

impl Client {
    /// Whether the relay answers this tab, or its leader.
    pub fn is_online(&self) -> bool {
        match self.leads() {
            true => self.link.net == Net::Online,
            false => self.following.as_ref().is_some_and(|leader| leader.online),
        }
    }

    /// Whether the relay is said to be reached: it is not while it keeps this device waiting.
    pub(crate) fn is_reached(&self) -> bool {
        self.is_online() && !self.link.is_mute
    }

    /// Starts to connect, at once.
    pub(crate) fn connect(&mut self) {
        self.link.expects_ms = Some(self.now.mono_ms);
        if self.config.user.is_some() || self.link.token.is_some() {
            self.link.net = Net::Connecting;
            self.out.push(Output::Connect);
        } else {
            self.link.net = Net::Token;
            self.out.push(Output::Token);
        }
    }

    /// The socket is open: introduces this device.
    pub fn socket_opened(&mut self) {
        if self.link.net != Net::Connecting {
            return;
        }
        self.link.net = Net::Hello;
        let mut space = Map::new();
        space.insert("space".to_owned(), self.config.space.as_str().into());
        space.insert("since".to_owned(), self.commit.into());
        let mut hello = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                hello.insert(name.to_owned(), value);
            }
        };
        let ops = self
            .pending_ops()
            .iter()
            .map(|op| op.as_str().into())
            .collect();
        put("kind", Some("hello".into()));
        put("token", self.link.token.clone().map(Value::String));
        put("user", self.config.user.clone().map(Value::String));
        put("client", Some(self.config.client.clone().into()));
        put("store", self.store.clone().map(Value::String));
        put("spaces", Some(Value::Array(vec![Value::Object(space)])));
        put("ops", Some(Value::Array(ops)));
        self.send_text(Value::Object(hello).to_string());
    }

    /// The page's answer to [`Output::Token`].
    pub fn token(&mut self, token: &str) {
        match self.link.net {
            Net::Token => {
                self.link.token = Some(token.to_owned());
                self.connect();
            }
            Net::Online => {
                self.link.token = Some(token.to_owned());
                self.send_text(object([("kind", "token".into()), ("token", token.into())]));
                self.pump();
            }
            _ => self.link.token = Some(token.to_owned()),
        }
    }

    /// The page has no token now: tried again later.
    pub fn token_failed(&mut self) {
        if self.link.net == Net::Token {
            self.retry(None);
        }
    }

    /// A text frame.
    pub fn socket_text(&mut self, text: &str) {
        self.heard();
        let Some(heard) = hear(text, &self.config.space) else {
            return;
        };
        match heard {
            Heard::Welcome(welcome) => self.welcomed(*welcome),
            Heard::Ack { room, n, seq } => self.acked(room, n, seq),
            Heard::Nack { room, n, nack } => self.nacked(room, n, &nack),
            Heard::People { room, people } => self.people_bound(room, people),
            Heard::Verdicts { room, proposals } => self.judged(room, proposals),
            Heard::Contested { room, contested } => self.contested(room, contested),
            Heard::Epoch { room } => self.epoch_started(room),
            Heard::TokenExpiring => self.out.push(Output::Token),
            Heard::Reply(answer) => self.replied(answer),
            Heard::Commit { space, entry } => {
                if space.is_none_or(|space| space == self.config.space.as_str()) {
                    self.entry(&entry);
                    self.keep_space();
                }
            }
        }
        self.expect_again();
    }

    fn welcomed(&mut self, welcome: Welcomed) {
        if self.link.net != Net::Hello {
            return;
        }
        if !welcome.ok {
            return self.stop(welcome.code.as_deref().unwrap_or("not-found"));
        }
        self.link.net = Net::Online;
        self.link.attempt = 0;
        self.link.token_renewed = false;
        self.link.trouble = None;
        let other_store = self
            .store
            .as_ref()
            .is_some_and(|store| *store != welcome.store);
        self.store = Some(welcome.store);
        self.known_outcomes(&welcome.ops);
        if other_store || welcome.commit < self.commit {
            self.relay_restored();
        }
        if welcome.resync || other_store || welcome.commit < self.commit {
            self.ask_records();
        } else {
            for entry in welcome.missed {
                self.entry(&entry);
            }
            self.keep_space();
        }
        self.tell_online();
        self.want_rooms();
        self.repeat_saves();
        self.repeat_asks();
        self.send_saves();
        self.changed_space();
    }

    /// Every record anew: too much was missed, or the relay was restored.
    pub(crate) fn ask_records(&mut self) {
        let rid = self.ask_link(Asked::Records);
        self.send_text(object([("kind", "records".into()), ("rid", rid)]));
    }

    /// Notes what a reply will belong to.
    pub(crate) fn ask_link(&mut self, asked: Asked) -> Value {
        self.link.asks += 1;
        let rid = format!("r{}", self.link.asks);
        self.link.asked.insert(rid.clone(), asked);
        Value::String(rid)
    }

    fn replied(&mut self, mut answer: Answer) {
        let Some(asked) = self.link.asked.remove(&answer.rid) else {
            return self.answered(answer);
        };
        match (asked, answer.ok) {
            (Asked::Records, true) => {
                let commit = answer.body.number("commit");
                let records = answer.body.remove("records").and_then(read);
                if let (Some(commit), Some(records)) = (commit, records) {
                    self.records(commit, records);
                }
            }
            (Asked::Records, false) => {}
            (Asked::Join(id), true) => self.joined(&id, answer.body, None),
            (Asked::Rebase(id, recover), true) => self.joined(&id, answer.body, Some(recover)),
            (Asked::Join(id) | Asked::Rebase(id, _), false) => self.join_refused(&id, &answer.body),
        }
    }

    /// The socket closed by itself or by the relay.
    pub fn socket_closed(&mut self, code: u16, reason: &str) {
        if !self.leads() {
            return;
        }
        let reason = parse(reason).and_then(|reason| reason.as_object().cloned());
        let wait = reason
            .as_ref()
            .and_then(|reason| reason.number("retryAfterMs"));
        let word = reason.and_then(|reason| reason.text("code").map(str::to_owned));
        match CloseCode::from_number(code) {
            Some(CloseCode::Token) if !self.link.token_renewed && self.config.user.is_none() => {
                self.link.token_renewed = true;
                self.link.token = None;
                self.disconnected();
                self.connect();
            }
            // Older relays close so when `hello` is late: the network was slow.
            Some(CloseCode::Malformed) if word.as_deref() == Some("hello-timeout") => {
                self.retry(wait);
            }
            // A frame may be damaged on its way; one that is ours to blame would be sent for ever.
            Some(CloseCode::Malformed) if self.link.malformed < MALFORMED_MAX => {
                self.link.malformed += 1;
                self.link.attempt = self.link.attempt.max(self.link.malformed);
                self.retry(wait);
            }
            Some(code) if code.is_passing() => {
                self.link.trouble = word;
                self.retry(wait);
            }
            Some(code) => {
                let word = word.unwrap_or_else(|| code.number().to_string());
                self.stop(&word);
            }
            None => self.retry(wait),
        }
    }

    /// Comes back later: after `wait`, or after a growing time with jitter.
    pub(crate) fn retry(&mut self, wait: Option<u64>) {
        self.disconnected();
        let grown = RETRY_MS_MIN
            .saturating_mul(1 << self.link.attempt.min(10))
            .min(RETRY_MS_MAX);
        self.link.attempt = self.link.attempt.saturating_add(1);
        let wait = wait.unwrap_or(0) + random::jitter_ms(&mut *self.random, grown);
        self.link.net = Net::Waiting(self.now.mono_ms.saturating_add(wait));
        self.changed_space();
    }

    /// Does not come back by itself.
    fn stop(&mut self, code: &str) {
        self.disconnected();
        self.hang_up();
        self.link.net = Net::Stopped(code.to_owned());
        self.link.trouble = Some(code.to_owned());
        self.tell_online();
        self.changed_all();
        self.changed_space();
    }

    /// Forgets everything that belonged to the connection.
    pub(crate) fn disconnected(&mut self) {
        let was_online = self.link.net == Net::Online;
        self.link.net = Net::Off;
        self.link.rooms.clear();
        self.link.asked.clear();
        self.link.expects_ms = None;
        self.link.is_mute = false;
        for card in self.cards.values_mut() {
            let turn = card.room.turn;
            card.room = RoomState {
                turn,
                ..RoomState::default()
            };
            card.early.clear();
            card.present.clear();
            for (_, waiting) in card.rows.all_mut() {
                waiting.flight = None;
            }
        }
        if was_online {
            self.tell_online();
            self.changed_all();
        }
    }

    /// The browser's word on the network. Online is worth a try at once. Offline ends a connection
    /// that nothing comes through any more, so that the person is told where what they do is kept;
    /// a relay that needs no network, on this machine, is found again by the next try.
    pub fn network(&mut self, online: bool) {
        match (online, &self.link.net) {
            _ if !self.leads() => self.ping_leader(),
            (true, Net::Waiting(_) | Net::Connecting | Net::Hello) => {
                self.link.attempt = 0;
                self.connect();
            }
            (false, Net::Connecting | Net::Hello | Net::Online) => {
                self.hang_up();
                self.retry(None);
            }
            _ => {}
        }
    }

    fn hang_up(&mut self) {
        self.out.push(Output::Close {
            code: 1000,
            reason: String::new(),
        });
    }

    pub(crate) fn send_text(&mut self, text: String) {
        self.expects();
        self.out.push(Output::Text(text));
    }

    /// Something was sent that is answered.
    pub(crate) fn expects(&mut self) {
        self.link.expects_ms.get_or_insert(self.now.mono_ms);
    }

    pub(crate) fn heard(&mut self) {
        self.link.heard_ms = self.now.mono_ms;
        self.set_mute(false);
    }

    fn set_mute(&mut self, is_mute: bool) {
        if self.link.is_mute != is_mute {
            self.link.is_mute = is_mute;
            self.tell_online();
            self.changed_all();
        }
    }

    /// After something was heard: whether more is outstanding.
    pub(crate) fn expect_again(&mut self) {
        let waits = !self.link.asked.is_empty()
            || !self.asks.is_empty()
            || self.cards.values().any(|card| {
                matches!(card.room.phase, Phase::Syncing { .. }) || !card.room.flights.is_empty()
            });
        self.link.expects_ms = waits.then_some(self.now.mono_ms);
    }

    /// When [`Self::wake_link`] has something to do.
    pub(crate) fn link_deadline(&self) -> Option<u64> {
        match self.link.net {
            Net::Off | Net::Stopped(_) => None,
            Net::Waiting(at) => Some(at),
            Net::Token | Net::Connecting | Net::Hello => self.answer_deadline(),
            Net::Online => {
                let wait = self.link.rooms_wait_ms > self.now.mono_ms;
                let cards = wait.then(|| self.cards.values()).into_iter().flatten();
                let rooms = cards.map(|card| card.room.not_before_ms);
                let rooms = rooms.filter(|at| *at > self.now.mono_ms);
                let silence = self.link.heard_ms + SILENCE_MS_MAX;
                rooms
                    .chain([silence])
                    .chain(self.answer_deadline())
                    .chain(self.patience_deadline())
                    .chain(self.saves_at_ms)
                    .min()
            }
        }
    }

    fn answer_deadline(&self) -> Option<u64> {
        self.link.expects_ms.map(|since| since + ANSWER_MS_MAX)
    }

    fn patience_deadline(&self) -> Option<u64> {
        let since = self.link.expects_ms.filter(|_| !self.link.is_mute)?;
        Some(since + PATIENCE_MS_MAX)
    }

    /// Time has passed.
    pub(crate) fn wake_link(&mut self) {
        let now = self.now.mono_ms;
        let late = self.answer_deadline().is_some_and(|at| at <= now);
        match self.link.net {
            Net::Waiting(at) if at <= now => self.connect(),
            // A page may take its time with a token; it is not asked twice.
            Net::Connecting | Net::Hello | Net::Online if late => {
                self.hang_up();
                self.retry(None);
            }
            Net::Online => {
                if self.saves_at_ms.is_some_and(|at| at <= now) {
                    self.saves_at_ms = None;
                    self.send_saves();
                }
                if self.link.heard_ms + SILENCE_MS_MAX <= now {
                    self.link.heard_ms = now;
                    self.ask_for_life();
                }
                if self.patience_deadline().is_some_and(|at| at <= now) {
                    self.set_mute(true);
                }
                self.pump();
            }
            _ => {}
        }
    }

    /// A Save that met something passing is tried again soon.
    pub(crate) fn send_saves_later(&mut self) {
        let wait = random::jitter_ms(&mut *self.random, 2 * RETRY_MS_MIN);
        self.saves_at_ms.get_or_insert(self.now.mono_ms + wait);
    }
}
