/**
 * What needs the person: a save that did not go through, an edit kept for them, a question before a
 * discard.
 */
import type { Strings } from "../locale/en-more.js";
import type { CardSnapshot, Difference, SaveState } from "../types.js";
import type { MoreContext } from "./context.js";
import { button, h, type Kid, Region, set, show } from "./dom.js";
import { unlike } from "./grid.js";
import { labelIn } from "./lens.js";
import { answerText, isLocked, isOpen, mayAct, saveFreshMs, visible } from "./shown.js";
import { hunks } from "./text-change.js";

/** More changed places than this are summed up. */
const HUNKS_MAX = 6;
/** More contested cells than this are counted. */
const CELLS_MAX = 3;

export class Notes {
  readonly el = h("div", { class: "notes" });
  readonly #snippets = new Region(h("div", { class: "note", role: "status", part: "kept" }));
  readonly #save = new Region(h("div", { class: "note", role: "status", part: "note" }));
  readonly #problem = new Region(h("div", { class: "note", role: "status", part: "problem" }));
  /** Of what Save would keep; the id is what Save is described by. */
  readonly #contested = new Region(
    h("div", { class: "lens", id: "contested", part: "contested" }),
  );
  readonly #discard: Ask;
  readonly #reopen: Ask;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ctx: MoreContext) {
    const { t, handle } = ctx;
    this.#discard = new Ask(
      ctx,
      { ask: t.discardAsk, text: t.discardText, yes: t.discard },
      { class: "danger", part: "discard" },
      () => handle.discard(),
    );
    this.#reopen = new Ask(
      ctx,
      { ask: t.reopenAsk, text: t.reopenText, yes: t.reopenYes },
      { class: "line", part: "reopen-all" },
      () => handle.reopen(),
    );
    this.el.append(
      this.#snippets.el,
      this.#save.el,
      this.#problem.el,
      this.#discard.el,
      this.#reopen.el,
      this.#contested.el,
    );
  }

  update(snap: CardSnapshot): void {
    const { ui, t } = this.ctx;
    const free = isOpen(snap) && !isLocked(snap);
    this.#snippets.render(
      snap.snippets.length > 0 ? JSON.stringify([free, snap.snippets]) : "",
      () => this.#kept(snap, free),
    );
    const freshMs = saveFreshMs(snap, Date.now());
    clearTimeout(this.#timer);
    if (freshMs > 0) this.#timer = setTimeout(() => this.ctx.refresh(), freshMs);
    const save = freshMs > 0 ? none : saveTold(snap);
    const key = JSON.stringify([save, isOpen(snap), snap.save.state]);
    this.#save.render(save.state === "none" ? "" : key, () => this.#saveNote(snap, save));
    this.#problem.render(ui.problem ? JSON.stringify(ui.problem) : "", () => [
      h("b", null, ui.problem?.of === "edit" ? t.editRefused : t.requestRefused),
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
    const cells = free ? contestedCells(this.ctx, snap) : [];
    this.#contested.render(cells.join("\n"), () => [
      h("p", null, unlike(), h("span", null, t.contestedNote(cells))),
    ]);
    const may = mayAct(snap);
    this.#discard.update(
      ui.panel === "discard" && may && (isOpen(snap) || snap.status === "settled"),
      snap.sync.online,
    );
    this.#reopen.update(
      ui.panel === "reopen" && may && snap.status === "settled",
      snap.sync.online,
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  focusAsk(panel: "discard" | "reopen"): void {
    (panel === "discard" ? this.#discard : this.#reopen).focus();
  }

  #kept(snap: CardSnapshot, free: boolean): Kid[] {
    const { t, handle } = this.ctx;
    return snap.snippets.map((one) =>
      h(
        "p",
        null,
        h("span", null, t.snippet(visible(one.text)), " ", t.reason(one.code)),
        ...(free
          ? [
              button(t.putBack, () => this.ctx.edit(() => handle.restoreSnippet(one.id)), {
                class: "line",
              }),
            ]
          : []),
        button(t.drop, () => this.ctx.edit(() => handle.dropSnippet(one.id))),
      ),
    );
  }

  /** `save` is what is told of it; an open card's foot puts away what has no button here. */
  #saveNote(snap: CardSnapshot, save: SaveState): Kid[] {
    const { t, handle } = this.ctx;
    const away = (): void =>
      snap.save.state === "blocked" || snap.save.state === "old"
        ? handle.takeBackSave()
        : handle.dismissSave();
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
          lines.length > 0
            ? h("ul", null, ...lines)
            : h("p", null, save.difference.length > 0 ? t.staleSpaces : t.staleNothing),
          ...(save.partial ? [h("p", null, t.stalePartial)] : []),
        ];
      }
      case "resolved": {
        const who =
          save.status === "settled" && save.resolver !== undefined
            ? this.ctx.name(save.resolver)
            : undefined;
        const answer = save.answer ? answerText({ answer: save.answer }) : "";
        const again = isOpen(snap);
        const words = again
          ? [t.resolvedAgain]
          : [
              ...(answer === "" ? [] : [t.resolvedAnswer(visible(answer))]),
              ...(save.status === "settled" ? [t.resolvedText] : []),
            ];
        return [
          h("b", null, again ? t.refusedTitle : t.resolvedTitle(who, save.status)),
          ...(words.length > 0 ? [h("p", null, ...words)] : []),
          h(
            "p",
            { class: "buttons" },
            button(t.close, () => this.ctx.edit(away), { class: "line" }),
          ),
        ];
      }
    }
  }
}

/** The contested cells in words; what does not fit a sentence is counted. */
function contestedCells({ t }: MoreContext, { contested, rows, columns }: CardSnapshot): string[] {
  const names = contested.map((one) =>
    t.cell(labelIn({ rows, columns }, one.option), labelIn({ rows, columns }, one.criterion)),
  );
  const more = names.length - CELLS_MAX;
  return more > 0 ? [...names.slice(0, CELLS_MAX), t.more(more)] : names;
}

const none: SaveState = { state: "none" };

/**
 * What is true of the last Save now. Once the decision is closed there is nothing to keep editing:
 * what was stale, refused or held is then told as overtaken by how it was closed.
 */
function saveTold(snap: CardSnapshot): SaveState {
  const { save, settled, status } = snap;
  if (isOpen(snap) || save.state === "none" || save.state === "resolved") return save;
  if (save.state === "waiting") return none;
  if (status !== "settled" || !settled) return { state: "resolved", status };
  const { resolver, at, answer } = settled;
  return { state: "resolved", status, resolver, at, answer };
}

/** A question before an act that everyone sees: Escape and the first button leave it. */
class Ask {
  readonly el: HTMLElement;
  readonly #keep: HTMLButtonElement;
  readonly #act: HTMLButtonElement;

  constructor(
    private readonly ctx: MoreContext,
    words: { ask: string; text: string; yes: string },
    look: { class: string; part: string },
    act: () => Promise<void>,
  ) {
    this.#keep = button(ctx.t.keepIt, () => ctx.open(null), { class: "line" });
    const run = (): void => {
      ctx.open(null);
      ctx.request(act);
    };
    this.#act = button(words.yes, run, look);
    this.el = h(
      "div",
      { class: "note", role: "group", "aria-label": words.ask, hidden: true },
      h("b", null, words.ask),
      h("p", null, words.text),
      h("p", { class: "buttons" }, this.#keep, this.#act),
    );
    this.el.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      ctx.open(null);
    });
  }

  update(on: boolean, online: boolean): void {
    show(this.el, on);
    set(this.#act, {
      "aria-disabled": online ? null : "true",
      title: online ? null : this.ctx.t.needsConnection,
    });
  }

  focus(): void {
    this.#keep.focus();
  }
}

/** One line of the readable difference: what stood there, and what stands there now. */
function lineOf(ctx: MoreContext, snap: CardSnapshot, one: Difference): HTMLElement[] {
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
  const [row = "", column = ""] = one.where.split("/");
  const where = column === "" ? label(row) : t.contestedTitle(label(row), label(column));
  const word = (value: string | null): string => {
    if (value === null) return one.kind === "mark" ? t.unmarked : t.blankValue;
    if (one.kind === "mark") return t.marks[value as keyof typeof t.marks] ?? value;
    return label(value);
  };
  const name = one.kind === "choice" ? t.choice : where;
  return [pair(`${name}: `, word(one.before), word(one.after))];
}

function change(t: Strings, before: string, after: string): HTMLElement {
  if (before === "") return h("li", null, `${t.added}: `, h("ins", null, t.quote(after)));
  if (after === "") return h("li", null, `${t.removed}: `, h("del", null, t.quote(before)));
  return pair("", before, after);
}

const pair = (name: string, before: string, after: string): HTMLElement =>
  h("li", null, name, h("del", null, before), " → ", h("ins", null, after));
