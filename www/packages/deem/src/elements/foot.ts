/** The foot of an open card: what can be added, the state in one sentence, and Save. */
import type { FirstStrings } from "../locale/en.js";
import type { CardSnapshot, CardSync, SyncState } from "../types.js";
import type { Context } from "./context.js";
import { button, h, icon, redraw, say, set, show } from "./dom.js";
import { growth } from "./growth.js";
import { answerable, isLocked, isOpen, isWritten, saveFreshMs, type Shown } from "./shown.js";

/** A passing state is shown only once it lasts: most edits are acknowledged sooner. */
const PASSING_MS = 500;

const CLOCK = "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11zM8 5v3.2l2 1.3";
const ALERT = "M8 4.5v4.3M8 11.4h.01M8 1.8a6.2 6.2 0 1 0 0 12.4a6.2 6.2 0 1 0 0-12.4z";
const DRAWINGS: Record<SyncState, string> = {
  synced: "M3.2 8.6 6.4 11.8 12.8 4.6",
  device: "M8 2.5v7M5 6.8 8 9.8l3-3M3 13h10",
  sending: "M8 13.5v-8M5 8 8 5l3 3M3 2.5h10",
  "save-waiting": CLOCK,
  "needs-you": ALERT,
  "cannot-store": ALERT,
  "not-stored": ALERT,
  "read-only": "M4.5 7.2h7v6h-7zM6 7V5a2 2 0 0 1 4 0v2",
  reload: "M12.8 6.5a5 5 0 1 0 .2 3M13 3v3.6H9.4",
};

/** The sync state as icon and words, in a polite status region (B3.4). */
export class SyncLine {
  readonly el = h("span", { class: "state", role: "status", part: "sync" });
  readonly #icon = icon("");
  readonly #words = h("span");
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ctx: Pick<Context, "t">) {
    this.el.append(this.#icon, this.#words);
  }

  update(sync: CardSync): void {
    clearTimeout(this.#timer);
    const passing = sync.online && (sync.state === "sending" || sync.state === "device");
    if (passing && this.#words.textContent !== "")
      this.#timer = setTimeout(() => this.#write(sync), PASSING_MS);
    else this.#write(sync);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #write(sync: CardSync): void {
    const away = sync.state === "cannot-store" && !sync.online;
    const state = away ? "device" : sync.state;
    redraw(this.#icon, DRAWINGS[state]);
    say(this.#words, this.ctx.t.sync(sync));
    set(this.el, { "data-state": state, "data-offline": !sync.online });
  }
}

export class Foot {
  readonly el = h("div", { class: "foot", part: "footer" });
  readonly left = h("span", { class: "acts" });
  readonly option: HTMLButtonElement;
  readonly criterion: HTMLButtonElement;
  readonly save: HTMLButtonElement;
  readonly keep: HTMLButtonElement;
  readonly takeBack: HTMLButtonElement;
  readonly sync: SyncLine;
  /** Why Save is off; it must stand in the same tree as Save. */
  readonly off = h("span", { id: "save-off", class: "off" });

  constructor(private readonly ctx: Context) {
    const { t, handle } = ctx;
    const toggle = (kind: "option" | "criterion") => (): void =>
      ctx.open(ctx.ui.panel === kind ? null : kind);
    this.option = button(t.addOption, toggle("option"), { part: "add-option" });
    this.criterion = button(t.addCriterion, toggle("criterion"), { part: "add-criterion" });
    this.keep = button(t.keepEditing, () => ctx.edit(() => handle.dismissSave()), {
      part: "keep-editing",
    });
    this.takeBack = button(t.takeBack, () => ctx.edit(() => handle.takeBackSave()), {
      class: "line",
      part: "take-back",
    });
    this.save = button(t.save, () => ctx.edit(() => handle.save()), {
      class: "save",
      part: "save",
    });
    this.sync = new SyncLine(ctx);
    this.left.append(this.option, this.criterion);
    this.el.append(
      this.left,
      this.keep,
      h("span", { class: "end" }, this.sync.el, this.off, this.takeBack, this.save),
    );
  }

  update(snap: CardSnapshot, only: Shown | undefined): void {
    const { t, ui } = this.ctx;
    const open = isOpen(snap);
    for (const el of [this.el, this.left, this.keep, this.takeBack, this.save, this.sync.el])
      show(el, open);
    if (!open) return this.sync.stop();
    const { state } = snap.save;
    const told = state === "stale" || state === "refused";
    const sending = saveFreshMs(snap, Date.now()) > 0;
    const held = !sending && (state === "waiting" || state === "old" || state === "blocked");
    for (const [kind, el] of [
      ["option", this.option],
      ["criterion", this.criterion],
    ] as const) {
      const can = only ? growth(this.ctx, only, kind) : { offered: false, reason: "" };
      show(el, can.offered && !told && (sending || !isLocked(snap)));
      set(el, {
        "aria-disabled": can.reason === "" ? null : "true",
        "aria-expanded": String(ui.panel === kind),
        title: can.reason || null,
      });
    }
    show(this.left, !told);
    show(this.keep, told);
    show(this.takeBack, held);
    show(this.save, sending || state === "old" || (snap.editable && !held));
    say(this.save, state === "stale" ? t.saveShown : state === "old" ? t.saveNow : t.save);
    const empty = sending || !answerable(snap);
    set(this.save, {
      "aria-disabled": empty ? "true" : null,
      "aria-describedby": empty ? "save-off" : snap.contested.length > 0 ? "contested" : null,
    });
    say(this.off, sending ? t.saveOnItsWay : lacking(snap, t));
    // What passes at once is told by Save alone.
    show(this.off, empty && !sending && !this.save.hidden);
    show(this.sync.el, state !== "stale");
    this.sync.update(snap.sync);
  }

  stop(): void {
    this.sync.stop();
  }
}

/** What an answer still lacks, in words. */
function lacking(snap: CardSnapshot, { nothingToSave }: FirstStrings): string {
  const [one, more] = snap.definition.questions;
  if (!one || more) return nothingToSave.several;
  if (isWritten(one)) return nothingToSave.written;
  return snap.draft[one.id]?.mode === "custom" ? nothingToSave.own : nothingToSave.picked;
}
