/**
 * What opens beside a part of a card: who said what, the keyboard map, the menu. In the top layer,
 * one at a time.
 */
import type { CardSnapshot } from "../types.js";
import type { MoreContext } from "./context.js";
import { button, h, type Kid, say } from "./dom.js";
import { face } from "./people.js";
import { isLocked } from "./shown.js";

const GAP_PX = 8;

export class Popover {
  readonly el = h("div", { class: "popover", popover: "auto", part: "popover" });
  #anchor: HTMLElement | null = null;

  constructor() {
    this.el.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      event.preventDefault();
      this.close(true);
    });
    this.el.addEventListener("toggle", () => {
      if (!this.open) this.#anchor?.removeAttribute("aria-expanded");
    });
  }

  get open(): boolean {
    return this.el.isConnected && this.el.matches(":popover-open");
  }

  show(anchor: HTMLElement, label: string, role: string, kids: Kid[]): void {
    this.close(false);
    this.el.setAttribute("role", role);
    this.el.setAttribute("aria-label", label);
    this.el.replaceChildren(...kids);
    this.#anchor = anchor;
    // Measured at the corner, where its own place does not narrow it.
    this.el.style.left = this.el.style.top = "0";
    this.el.showPopover();
    const at = anchor.getBoundingClientRect();
    const own = this.el.getBoundingClientRect();
    const from = getComputedStyle(anchor).direction === "rtl" ? at.right - own.width : at.left;
    const left = Math.max(GAP_PX, Math.min(from, innerWidth - own.width - GAP_PX));
    const below = at.bottom + GAP_PX + own.height <= innerHeight || at.top < own.height;
    const top = below ? at.bottom + GAP_PX : at.top - own.height - GAP_PX;
    this.el.style.left = `${left + scrollX}px`;
    this.el.style.top = `${top + scrollY}px`;
  }

  close(refocus: boolean): boolean {
    if (!this.open) return false;
    this.el.hidePopover();
    if (refocus) this.#anchor?.focus();
    return true;
  }
}

/** Who said what of a contested cell (D12.2), with one ordinary mark to restore what lost. */
export function contestedKids(
  ctx: MoreContext,
  snap: CardSnapshot,
  option: string,
  criterion: string,
  done: () => void,
): Kid[] {
  const { t } = ctx;
  const found = snap.contested.find((one) => one.option === option && one.criterion === criterion);
  if (!found) return [];
  const label = (id: string): string =>
    [...snap.rows, ...snap.columns].find((row) => row.id === id)?.label ?? id;
  const entries = [...found.lost, found.stands];
  const lines = entries.map((entry) => {
    const name = ctx.name(entry.by);
    const mark = face(entry.by, name);
    mark.setAttribute("aria-hidden", "true");
    mark.removeAttribute("role");
    return h(
      "li",
      null,
      mark,
      h("span", null, t.contestedSaid(name, entry.mark)),
      h("time", { datetime: entry.at }, t.when(entry.at)),
    );
  });
  const lost = [...new Set(found.lost.map((entry) => entry.mark))].filter(
    (mark) => mark !== found.stands.mark,
  );
  const restore = isLocked(snap)
    ? []
    : lost.map((mark) =>
        button(
          t.setTo(mark),
          () => {
            ctx.mark([{ option, criterion, mark }]);
            done();
          },
          { class: "line" },
        ),
      );
  return [
    h("b", null, t.contestedTitle(label(option), label(criterion))),
    h("ul", { class: "said-list" }, ...lines),
    h("p", null, t.contestedStands(found.stands.mark)),
    ...(restore.length > 0 ? [h("p", { class: "buttons" }, ...restore)] : []),
  ];
}

export function helpKids(ctx: MoreContext): Kid[] {
  const list = h("dl", { class: "keys" });
  for (const [keys, act] of ctx.t.help) {
    const term = h("dt");
    for (const key of keys) term.append(h("kbd", null, key), " ");
    list.append(term, h("dd", null, act));
  }
  const title = h("b");
  say(title, ctx.t.keyboard);
  return [title, list];
}
