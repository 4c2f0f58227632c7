/**
 * The field of an answer in words. What the person changed is the difference from what the field
 * last
 * showed; changes of others move caret and selection, and wait while a composition is open.
 */
import type { Context } from "./context.js";
import { h, say, set } from "./dom.js";
import { TEXT_MAX } from "./shown.js";
import { apply, moved, rebased, splice } from "./text-change.js";

/** A text as a textarea holds it. */
const inField = (text: string): string => text.replace(/\r\n?/g, "\n");

export class TextField {
  readonly el: HTMLDivElement;
  readonly area: HTMLTextAreaElement;
  readonly #count = h("span");
  readonly #here = h("span", { class: "in-field" });
  #shown = "";
  #composing = false;

  constructor(
    private readonly ctx: Context,
    private readonly question: string,
    label: string,
  ) {
    this.area = h("textarea", {
      "aria-label": label,
      part: "text",
      maxlength: TEXT_MAX,
      rows: 3,
      dir: "auto",
    });
    const line = h("p", { class: "count" }, this.#count, " ", this.#here);
    this.el = h("div", { class: "field" }, this.area, line);
    this.area.addEventListener("compositionstart", () => {
      this.#composing = true;
    });
    this.area.addEventListener("compositionend", () => {
      this.#composing = false;
      this.#typed();
      this.#take();
    });
    this.area.addEventListener("input", () => {
      if (!this.#composing) this.#typed();
    });
    this.area.addEventListener("focus", () => ctx.handle.setPresence({ question, field: "text" }));
  }

  /** `here`: who else is in this field. */
  update(locked: boolean, here: string[]): void {
    say(this.#here, here.length > 0 ? this.ctx.t.here(here) : "");
    if (this.area.readOnly !== locked) this.area.readOnly = locked;
    if (!this.#composing) this.#take();
  }

  #now(): string {
    return inField(this.ctx.snapshot().draft[this.question]?.text ?? "");
  }

  /** Brings what the person did into the draft as it is now. */
  #typed(): void {
    const after = this.area.value;
    const caret = this.area.selectionEnd;
    const now = this.#now();
    const mine = splice(this.#shown, after, caret);
    if (mine.drop === 0 && mine.put === "") return;
    const placed = now === this.#shown ? mine : rebased(mine, splice(this.#shown, now));
    const text = now === this.#shown ? after : apply(now, placed);
    const to = placed.at + placed.put.length;
    this.#shown = text;
    if (text !== after) this.#write(text, to, to);
    this.ctx.edit(() => this.ctx.handle.setText(text, text === after ? caret : to, this.question));
  }

  /** Brings the draft into the field. */
  #take(): void {
    const text = this.#now();
    if (text !== this.#shown || this.area.value !== text) {
      const change = splice(this.area.value, text);
      this.#shown = text;
      this.#write(
        text,
        moved(this.area.selectionStart, change),
        moved(this.area.selectionEnd, change),
      );
    }
    say(this.#count, this.ctx.t.count(text.length, TEXT_MAX));
    set(this.#count, { "data-full": text.length >= TEXT_MAX });
  }

  #write(text: string, from: number, until: number): void {
    const { scrollTop } = this.area;
    const focused = this.area.matches(":focus");
    this.area.value = text;
    if (focused) this.area.setSelectionRange(from, until);
    this.area.scrollTop = scrollTop;
  }
}
