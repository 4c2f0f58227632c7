//! The engine's one object: a client machine of one space in one tab.

use deem_core::{
    draft::{Kind, Mark, Mode},
    id::{CriterionId, DecisionId, IdError, OptionId, Person, QuestionId, SpaceId},
    refusal::Refusal,
};
use deem_sync::client::{Client, Config, Now};
use serde::Deserialize;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::{
    errors::{malformed, read, thrown, to_js},
    outputs::pack,
    random::Platform,
};

/// One space in one tab. Call `clock` before an input and `drain` after it.
#[wasm_bindgen]
pub struct Engine {
    client: Client,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    space: SpaceId,
    person: Person,
    #[serde(default)]
    user: Option<String>,
    tab: String,
}

fn id<T>(read: Result<T, IdError>) -> Result<T, JsValue> {
    read.map_err(|error| malformed(&error.to_string()))
}

fn decision(text: &str) -> Result<DecisionId, JsValue> {
    id(DecisionId::parse(text))
}

fn question(text: Option<String>) -> Result<Option<QuestionId>, JsValue> {
    id(text.map(QuestionId::parse).transpose())
}

fn done(result: Result<(), Refusal>) -> Result<(), JsValue> {
    result.map_err(|refusal| thrown(&refusal))
}

/// Milliseconds of a JavaScript clock as a whole number; never negative, never past 2^53.
pub(crate) fn whole(ms: f64) -> u64 {
    const SAFE: f64 = 9_007_199_254_740_991.0;
    #[expect(
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to whole numbers that both sides hold"
    )]
    let whole = ms.clamp(0.0, SAFE) as u64;
    whole
}

#[wasm_bindgen]
impl Engine {
    /// `config` is JSON `{space, person, tab, user?}`; `tab` is a fresh random token.
    ///
    /// # Errors
    /// `malformed`.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &str) -> Result<Engine, JsValue> {
        let given: Given = read(config)?;
        let config = Config {
            space: given.space,
            person: given.person,
            user: given.user,
            tab: given.tab,
            client: concat!("deem/", env!("CARGO_PKG_VERSION")).to_owned(),
        };
        Ok(Self {
            client: Client::new(config, Box::new(Platform)),
        })
    }

    /// The time of the inputs that follow, ms: monotonic, and since 1970.
    pub fn clock(&mut self, mono_ms: f64, wall_ms: f64) {
        self.client.clock(Now {
            mono_ms: whole(mono_ms),
            wall_ms: whole(wall_ms),
        });
    }

    /// The outputs since the last call, packed.
    pub fn drain(&mut self) -> Vec<u8> {
        pack(&self.client.drain())
    }

    /// One value of the device.
    pub fn load(&mut self, store: &str, key: &str, value: &[u8]) {
        self.client.load(store, key, value);
    }

    /// The device's word: `device`, `memory`, `failed`, `outdated`, `newer`.
    pub fn storage(&mut self, word: &str) {
        self.client.storage(word);
    }

    /// Everything of the device was given.
    pub fn loaded(&mut self) {
        self.client.loaded();
    }

    /// Every batch up to this number is on disk.
    pub fn stored(&mut self, batch: f64) {
        self.client.stored(whole(batch));
    }

    /// This tab has the leader's lock.
    pub fn leading(&mut self, number: f64) {
        self.client.leading(whole(number));
    }

    /// Another tab took the leader's lock.
    pub fn stolen(&mut self) {
        self.client.stolen();
    }

    /// The lock of that tab could be had: it is gone.
    #[wasm_bindgen(js_name = tabGone)]
    pub fn tab_gone(&mut self, tab: &str) {
        self.client.tab_gone(tab);
    }

    /// A message of another tab.
    pub fn message(&mut self, bytes: &[u8]) {
        self.client.message(bytes);
    }

    /// Whether the page can be seen.
    pub fn visible(&mut self, visible: bool) {
        self.client.visible(visible);
    }

    /// Whether the browser says it has a network.
    pub fn network(&mut self, online: bool) {
        self.client.network(online);
    }

    /// This page goes.
    pub fn shutdown(&mut self) {
        self.client.shutdown();
    }

    /// The socket is open.
    #[wasm_bindgen(js_name = socketOpened)]
    pub fn socket_opened(&mut self) {
        self.client.socket_opened();
    }

    /// A text frame.
    #[wasm_bindgen(js_name = socketText)]
    pub fn socket_text(&mut self, text: &str) {
        self.client.socket_text(text);
    }

    /// A binary frame.
    #[wasm_bindgen(js_name = socketBinary)]
    pub fn socket_binary(&mut self, bytes: &[u8]) {
        self.client.socket_binary(bytes);
    }

    /// The socket is closed.
    #[wasm_bindgen(js_name = socketClosed)]
    pub fn socket_closed(&mut self, code: u16, reason: &str) {
        self.client.socket_closed(code, reason);
    }

    /// A token that was asked for.
    pub fn token(&mut self, token: &str) {
        self.client.token(token);
    }

    /// There is no token now.
    #[wasm_bindgen(js_name = tokenFailed)]
    pub fn token_failed(&mut self) {
        self.client.token_failed();
    }

    /// The deadline has come.
    pub fn wake(&mut self) {
        self.client.wake();
    }

    /// This tab shows the decision.
    ///
    /// # Errors
    /// `malformed`.
    pub fn open(&mut self, id: &str) -> Result<(), JsValue> {
        self.client.open(&decision(id)?);
        Ok(())
    }

    /// This tab does not show it any more.
    ///
    /// # Errors
    /// `malformed`.
    pub fn shut(&mut self, id: &str) -> Result<(), JsValue> {
        self.client.shut(&decision(id)?);
        Ok(())
    }

    /// Sets one cell: 0 clears, 1 no, 2 partly, 3 yes.
    ///
    /// # Errors
    /// `invalid`, `resolved`, `resolving`, `forbidden`; nothing has changed then.
    #[wasm_bindgen(js_name = setMark)]
    pub fn set_mark(
        &mut self,
        decision_id: &str,
        option: &str,
        criterion: &str,
        mark: u8,
    ) -> Result<(), JsValue> {
        let mark = match mark {
            0 => None,
            1 => Some(Mark::No),
            2 => Some(Mark::Partly),
            3 => Some(Mark::Yes),
            _ => return Err(malformed("/mark: 0..3")),
        };
        let (option, criterion) = (
            id(OptionId::parse(option))?,
            id(CriterionId::parse(criterion))?,
        );
        done(
            self.client
                .set_mark(&decision(decision_id)?, option, criterion, mark),
        )
    }

    /// Sets or clears the single choice. Errors as `setMark`.
    ///
    /// # Errors
    /// As `setMark`.
    pub fn choose(
        &mut self,
        decision_id: &str,
        question_id: Option<String>,
        option: Option<String>,
    ) -> Result<(), JsValue> {
        let option = id(option.map(OptionId::parse).transpose())?;
        done(
            self.client
                .choose(&decision(decision_id)?, question(question_id)?, option),
        )
    }

    /// Sets or clears one pick.
    ///
    /// # Errors
    /// As `setMark`.
    pub fn pick(&mut self, decision_id: &str, option: &str, on: bool) -> Result<(), JsValue> {
        done(
            self.client
                .pick(&decision(decision_id)?, id(OptionId::parse(option))?, on),
        )
    }

    /// Says which side counts: own words, or the choices.
    ///
    /// # Errors
    /// As `setMark`.
    #[wasm_bindgen(js_name = setMode)]
    pub fn set_mode(
        &mut self,
        decision_id: &str,
        question_id: Option<String>,
        custom: bool,
    ) -> Result<(), JsValue> {
        let mode = if custom { Mode::Custom } else { Mode::Choices };
        done(
            self.client
                .set_mode(&decision(decision_id)?, question(question_id)?, mode),
        )
    }

    /// The whole text as the field shows it.
    ///
    /// # Errors
    /// As `setMark`.
    #[wasm_bindgen(js_name = setText)]
    pub fn set_text(
        &mut self,
        decision_id: &str,
        question_id: Option<String>,
        text: &str,
        caret: Option<u32>,
    ) -> Result<(), JsValue> {
        done(
            self.client
                .set_text(&decision(decision_id)?, question(question_id)?, text, caret),
        )
    }

    /// Proposes a row.
    ///
    /// # Errors
    /// As `setMark`.
    #[wasm_bindgen(js_name = appendOption)]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "wasm-bindgen has no borrowed options"
    )]
    pub fn append_option(
        &mut self,
        decision_id: &str,
        question_id: Option<String>,
        label: &str,
        description: Option<String>,
    ) -> Result<(), JsValue> {
        let (decision, question) = (decision(decision_id)?, question(question_id)?);
        let description = description.as_deref();
        done(self.client.append(
            &decision,
            question.as_ref(),
            Kind::Option,
            label,
            description,
        ))
    }

    /// Proposes a column.
    ///
    /// # Errors
    /// As `setMark`.
    #[wasm_bindgen(js_name = appendCriterion)]
    pub fn append_criterion(
        &mut self,
        decision_id: &str,
        question_id: Option<String>,
        label: &str,
    ) -> Result<(), JsValue> {
        let (decision, question) = (decision(decision_id)?, question(question_id)?);
        done(
            self.client
                .append(&decision, question.as_ref(), Kind::Criterion, label, None),
        )
    }

    /// Claims the displayed revision.
    ///
    /// # Errors
    /// `invalid`, `resolved`, `resolving`.
    pub fn save(&mut self, decision_id: &str) -> Result<(), JsValue> {
        done(self.client.save(&decision(decision_id)?))
    }

    /// Takes a waiting Save back.
    ///
    /// # Errors
    /// `resolving` once it is with the relay.
    #[wasm_bindgen(js_name = takeBackSave)]
    pub fn take_back_save(&mut self, decision_id: &str) -> Result<(), JsValue> {
        done(self.client.take_back_save(&decision(decision_id)?))
    }

    /// Puts a Save away that needs its person.
    ///
    /// # Errors
    /// `malformed`.
    #[wasm_bindgen(js_name = dismissSave)]
    pub fn dismiss_save(&mut self, decision_id: &str) -> Result<(), JsValue> {
        self.client.dismiss_save(&decision(decision_id)?);
        Ok(())
    }

    /// Makes a kept edit again.
    ///
    /// # Errors
    /// As `setMark`.
    #[wasm_bindgen(js_name = restoreSnippet)]
    pub fn restore_snippet(&mut self, decision_id: &str, snippet: &str) -> Result<(), JsValue> {
        done(
            self.client
                .restore_snippet(&decision(decision_id)?, snippet),
        )
    }

    /// Forgets a kept edit.
    ///
    /// # Errors
    /// `malformed`.
    #[wasm_bindgen(js_name = dropSnippet)]
    pub fn drop_snippet(&mut self, decision_id: &str, snippet: &str) -> Result<(), JsValue> {
        self.client.drop_snippet(&decision(decision_id)?, snippet);
        Ok(())
    }

    /// Takes this tab's last act back.
    ///
    /// # Errors
    /// As `setMark`.
    pub fn undo(&mut self, decision_id: &str) -> Result<(), JsValue> {
        done(self.client.undo(&decision(decision_id)?))
    }

    /// Does it again.
    ///
    /// # Errors
    /// As `setMark`.
    pub fn redo(&mut self, decision_id: &str) -> Result<(), JsValue> {
        done(self.client.redo(&decision(decision_id)?))
    }

    /// Where this person is: JSON `{question?, cell?, field?}`, or nowhere.
    ///
    /// # Errors
    /// `malformed`.
    #[wasm_bindgen(js_name = setPresence)]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "wasm-bindgen has no borrowed options"
    )]
    pub fn set_presence(
        &mut self,
        decision_id: &str,
        place: Option<String>,
    ) -> Result<(), JsValue> {
        self.client
            .set_presence(&decision(decision_id)?, place.as_deref());
        Ok(())
    }

    /// `reopen`, `discard`, `cancel`, `why`, `create`; returns the id its answer will name.
    ///
    /// # Errors
    /// `unavailable` while the relay is not reached, `malformed`.
    pub fn request(
        &mut self,
        kind: &str,
        decision_id: &str,
        words: &str,
    ) -> Result<String, JsValue> {
        let decision = if decision_id.is_empty() {
            None
        } else {
            Some(decision(decision_id)?)
        };
        self.client
            .request(kind, decision.as_ref(), words)
            .map_err(|refusal| thrown(&refusal))
    }

    /// Everything the card shows, as JSON to be parsed once, or undefined.
    ///
    /// # Errors
    /// `malformed`.
    pub fn snapshot(&mut self, decision_id: &str) -> Result<Option<String>, JsValue> {
        let snapshot = self.client.snapshot(&decision(decision_id)?);
        Ok(snapshot.and_then(|snapshot| serde_json::to_string(&snapshot).ok()))
    }

    /// The marks of the definition, row by row: 0 none, 1 no, 2 partly, 3 yes.
    ///
    /// # Errors
    /// `malformed`.
    pub fn matrix(&mut self, decision_id: &str) -> Result<js_sys::Uint8Array, JsValue> {
        Ok(js_sys::Uint8Array::from(
            self.client.matrix(&decision(decision_id)?).as_slice(),
        ))
    }

    /// Known decisions, newest first.
    pub fn decisions(&self) -> JsValue {
        to_js(&self.client.decisions())
    }

    /// What waits on the device whose rows were given, as JSON of `WaitingEdits[]`: for a person to
    /// read, oldest first.
    pub fn waiting(&mut self) -> String {
        serde_json::to_string(&self.client.waiting()).unwrap_or_default()
    }

    /// Panics, as a defect would, with a mark of this cell made and nothing of it handed out.
    #[cfg(feature = "rules")]
    #[wasm_bindgen(js_name = panicForTest)]
    #[expect(
        clippy::panic,
        reason = "what the test is of; not in the engine that ships"
    )]
    pub fn panic_for_test(&mut self, decision_id: &str, option: &str, criterion: &str) {
        drop(self.set_mark(decision_id, option, criterion, 3));
        panic!("a defect, planted by a test");
    }

    /// The state of the space.
    pub fn status(&self) -> JsValue {
        to_js(&self.client.status())
    }
}
