/**
 * What needs the person: a save that did not go through, an edit kept for them, a question before a
 * discard.
 */
import type { Strings } from "../locale/en.js";
import type { CardSnapshot, Difference } from "../types.js";
import type { Context } from "./context.js";
import { button, h, type Kid, Region, show } from "./dom.js";
import { answerText, saveFreshMs, visible } from "./shown.js";
import { hunks } from "./text-change.js";

/** More changed places than this are summed up. */
const HUNKS_MAX = 6;

export class Notes {
  readonly el = h("div", { class: "notes" });
  readonly #snippets = new Region(h("div", { class: "note", role: "status", part: "kept" }));
  readonly #save = new Region(h("div", { class: "note", role: "status", part: "note" }));
  readonly #problem = new Region(h("div", { class: "note", role: "status", part: "problem" }));
  readonly #discard = h("div", { class: "note", role: "group" });
  readonly #keep: HTMLButtonElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ctx: Context) {
    const { t } = ctx;
    this.#keep = button(t.keepIt, () => ctx.open(null), { class: "line" });
    const discard = button(
      t.discard,
      () => {
        ctx.open(null);
        ctx.request(() => ctx.handle.discard());
      },
      { class: "danger", part: "discard" },
    );
    this.#discard.setAttribute("aria-label", t.discardAsk);
    this.#discard.append(
      h("b", null, t.discardAsk),
      h("p", null, t.discardText),
      h("p", { class: "buttons" }, this.#keep, discard),
    );
    this.el.append(this.#snippets.el, this.#save.el, this.#problem.el, this.#discard);
  }

  update(snap: CardSnapshot): void {
    const { ui, t } = this.ctx;
    this.#snippets.render(snap.snippets.length > 0 ? JSON.stringify(snap.snippets) : "", () =>
      this.#kept(snap),
    );
    const freshMs = saveFreshMs(snap, Date.now());
    clearTimeout(this.#timer);
    if (freshMs > 0) this.#timer = setTimeout(() => this.ctx.refresh(), freshMs);
    const told = snap.save.state !== "none" && freshMs === 0;
    this.#save.render(told ? JSON.stringify(snap.save) : "", () => this.#saveNote(snap));
    this.#problem.render(ui.problem ? JSON.stringify(ui.problem) : "", () => [
      h("b", null, ui.problem?.title ?? ""),
      h("p", null, t.reason(ui.problem?.code ?? "")),
      h(
        "p",
        { class: "buttons" },
        button(
          t.close,
          () => {
            ui.problem = null;
            this.ctx.refresh();
          },
          { class: "line" },
        ),
      ),
    ]);
    show(this.#discard, ui.panel === "discard");
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  focusDiscard(): void {
    this.#keep.focus();
  }

  #kept(snap: CardSnapshot): Kid[] {
    const { t, handle } = this.ctx;
    return snap.snippets.map((one) =>
      h(
        "p",
        null,
        h("span", null, t.snippet(visible(one.text)), " ", t.reason(one.code)),
        button(t.putBack, () => this.ctx.edit(() => handle.restoreSnippet(one.id)), {
          class: "line",
        }),
        button(t.drop, () => this.ctx.edit(() => handle.dropSnippet(one.id))),
      ),
    );
  }

  #saveNote(snap: CardSnapshot): Kid[] {
    const { t, handle } = this.ctx;
    const { save } = snap;
    switch (save.state) {
      case "none":
        return [];
      case "waiting":
        return [h("b", null, t.waitingTitle), h("p", null, t.waitingText(t.when(save.since)))];
      case "old":
        return [h("b", null, t.oldTitle), h("p", null, t.oldText(t.when(save.since)))];
      case "blocked":
        return [h("b", null, t.blockedTitle), h("p", null, t.blockedText)];
      case "refused":
        return [h("b", null, t.refusedTitle), h("p", null, t.reason(save.reason ?? save.code))];
      case "stale": {
        const names = [...new Set(save.changed.map((one) => this.ctx.name(one.by)))];
        const lines = save.difference.flatMap((one) => lineOf(this.ctx, snap, one));
        return [
          h("b", null, t.staleTitle(names)),
          lines.length > 0 ? h("ul", null, ...lines) : h("p", null, t.staleNothing),
        ];
      }
      case "resolved": {
        const who =
          save.status === "settled" && save.resolver !== undefined
            ? this.ctx.name(save.resolver)
            : undefined;
        const answer = save.answer ? answerText({ answer: save.answer }) : "";
        return [
          h("b", null, t.resolvedTitle(who, t.status[save.status])),
          h(
            "p",
            null,
            ...(answer === "" ? [] : [t.resolvedAnswer(visible(answer))]),
            t.resolvedText,
          ),
          h(
            "p",
            { class: "buttons" },
            button(t.close, () => this.ctx.edit(() => handle.dismissSave()), { class: "line" }),
          ),
        ];
      }
    }
  }
}

/** One line of the readable difference: what stood there, and what stands there now. */
function lineOf(ctx: Context, snap: CardSnapshot, one: Difference): HTMLElement[] {
  const { t } = ctx;
  const label = (id: string): string =>
    [...snap.rows, ...snap.columns].find((row) => row.id === id)?.label ?? id;
  if (one.kind === "text") {
    const found = hunks(visible(one.before ?? ""), visible(one.after ?? ""));
    return found.slice(0, HUNKS_MAX).map((hunk) => change(t, hunk.before, hunk.after));
  }
  if (one.kind === "pick") {
    const name = label(one.where);
    return [change(t, one.before === null ? "" : name, one.after === null ? "" : name)];
  }
  const where = one.where.split("/").map(label).join(", ");
  const word = (value: string | null): string => {
    if (value === null) return one.kind === "mark" ? t.unmarked : t.blankValue;
    if (one.kind === "mark") return t.marks[value as keyof typeof t.marks] ?? value;
    return label(value);
  };
  const name = one.kind === "choice" ? t.choice : where;
  return [pair(`${name}: `, word(one.before), word(one.after))];
}

function change(t: Strings, before: string, after: string): HTMLElement {
  if (before === "") return h("li", null, `${t.added}: `, h("ins", null, `“${after}”`));
  if (after === "") return h("li", null, `${t.removed}: `, h("del", null, `“${before}”`));
  return pair("", before, after);
}

const pair = (name: string, before: string, after: string): HTMLElement =>
  h("li", null, name, h("del", null, before), " → ", h("ins", null, after));
