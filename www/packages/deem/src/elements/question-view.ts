/** One question of a card: its options, grid or field; below it what `more.ts` adds. */
import type { CardSnapshot, Question } from "../types.js";
import { Choices } from "./choices.js";
import type { Context } from "./context.js";
import { arrange, h, say, show } from "./dom.js";
import { Grid, type GridHost } from "./grid.js";
import { others } from "./people.js";
import { isWritten, type Shown, shownOf, visible } from "./shown.js";
import { TextField } from "./text-field.js";

export class QuestionView {
  readonly el = h("div", { class: "q", part: "body" });
  /** Where what grows stands, and the lens. */
  readonly more = h("div");
  readonly #title = h("p", { class: "subquestion" });
  readonly #advice = h("p", { class: "advice", part: "advice" });
  readonly #said = h("p", { class: "said", part: "answer", dir: "auto" });
  readonly #field: TextField;
  #choices: Choices | null = null;
  #grid: Grid | null = null;
  #shown: Shown;

  constructor(
    private readonly ctx: Context,
    question: Question,
    private readonly host: Pick<GridHost, "contested" | "help">,
  ) {
    const label = isWritten(question) ? ctx.t.answer : ctx.t.answerIn;
    this.#field = new TextField(ctx, question.id, label);
    this.#shown = shownOf(ctx.snapshot(), question);
  }

  get shown(): Shown {
    return this.#shown;
  }

  update(snap: CardSnapshot, question: Question): void {
    const shown = shownOf(snap, question);
    this.#shown = shown;
    const several = snap.definition.questions.length > 1;
    const written = isWritten(question);
    arrange(this.el, [
      ...(several ? [this.#title] : []),
      this.#advice,
      ...(written ? [] : [this.#body(shown, snap)]),
      this.#field.el,
      this.#said,
      this.more,
    ]);
    say(this.#title, question.question);
    this.#adviceLine(snap, shown);
    show(this.#field.el, shown.live && (written || shown.custom));
    const inField = snap.presence.filter(
      (one) => !one.self && one.field !== undefined && one.question === question.id,
    );
    this.#field.update(
      shown.locked,
      others(inField).map((one) => this.ctx.name(one.person)),
    );
    const said = !shown.live && shown.text !== "";
    say(this.#said, said ? visible(shown.text) : "");
    show(this.#said, said);
  }

  focusFirst(): boolean {
    const stops = this.el.querySelectorAll<HTMLElement>(
      '[tabindex="0"], input:enabled:not([tabindex]), .field textarea',
    );
    const first = [...stops].find((stop) => stop.checkVisibility());
    first?.focus();
    return first !== undefined;
  }

  #body(shown: Shown, snap: CardSnapshot): HTMLElement {
    const openOwn = (): void => this.#field.area.focus();
    if (shown.columns.length > 0) {
      this.#grid ??= new Grid(this.ctx, { ...this.host, openOwn });
      this.#grid.update(shown, snap);
      return this.#grid.el;
    }
    this.#choices ??= new Choices(this.ctx, openOwn);
    this.#choices.update(shown);
    return this.#choices.el;
  }

  #adviceLine(snap: CardSnapshot, shown: Shown): void {
    const label = shown.suggested === undefined ? "" : (snap.suggested?.label ?? "");
    say(this.#advice, label === "" ? "" : this.ctx.t.advice(label));
    show(this.#advice, label !== "");
  }
}
