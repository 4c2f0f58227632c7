/**
 * `<decision-page>`: one decision on a page of its own, on the paper: the bar with its acts, a
 * status row, the question, the control, and the notes (D11.1). What belongs to the host has a slot:
 * `back`, `crumb`, `status`, `research`, `findings`, `takes`, `notes`.
 */
import { enMore, type Strings } from "../locale/en-more.js";
import type { CardSnapshot, DecisionHandle } from "../types.js";
import { DecisionCard, type Parts } from "./card.js";
import { button, h, Region, say, set, show } from "./dom.js";
import { face } from "./people.js";
import { PLACES } from "./place-styles.js";
import { adopt } from "./styles.js";

interface PageParts {
  title: HTMLElement;
  acts: HTMLElement;
  by: Region<HTMLElement>;
  notesTitle: HTMLElement;
  placeholder: HTMLButtonElement;
  notes: HTMLSlotElement;
}

/** `<decision-page>`: one decision as a page of its own. */
/**
 * `<decision-page decision="ID">`: as a card, with the attribute `href` (the page's own address, for
 * its link) and the slots above. Fires `deem-add-note` when a person wants to write the first note.
 */
export class DecisionPage extends DecisionCard {
  #page: PageParts | null = null;
  #watch: MutationObserver | null = null;

  /** Where this page is, for its link; by the attribute `href`, else the address of the window. */
  get href(): string {
    return new URL(this.getAttribute("href") ?? "", document.baseURI).href;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#watch?.disconnect();
    this.#watch = null;
  }

  protected override get levelUsual(): number {
    return 1;
  }

  protected override reset(): void {
    super.reset();
    this.#page = null;
  }

  protected override update(snap: CardSnapshot, handle: DecisionHandle): void {
    super.update(snap, handle);
    const page = this.#page;
    const ctx = this.parts?.ctx;
    if (!page || !ctx) return;
    say(page.title, snap.definition.questions[0]?.question ?? "");
    set(page.notesTitle, { "aria-level": Math.min(6, this.headingLevel + 1) });
    const settled = snap.status === "settled" ? snap.settled : undefined;
    const who = settled ? ctx.name(settled.resolver) : "";
    page.by.render(settled ? JSON.stringify([settled, who]) : "", () => {
      if (!settled) return [];
      const mark = face(settled.resolver, who);
      set(mark, { role: null, "aria-label": null, "aria-hidden": "true" });
      return [mark, h("span", null, this.#words.settledOn(who, ctx.t.day(settled.at)))];
    });
    this.#noted();
  }

  protected override lay(parts: Parts): Node[] {
    const { head, question, about, body, settled, history, notes, foot, card } = parts;
    const t = this.#words;
    adopt(this.root, PLACES);
    const page = (this.#page = {
      title: h("span", { class: "crumb-title", dir: "auto" }),
      acts: h("span", { class: "bar-acts" }),
      by: new Region(h("span", { class: "settler", part: "settler" })),
      notesTitle: h("h2", { class: "notes-title" }, t.notes),
      placeholder: button(t.addNote, () => this.#addNote(), { class: "placeholder" }),
      notes: slot("notes"),
    });
    page.notes.addEventListener("slotchange", () => this.#noted());
    card.classList.add("page");
    set(page.notesTitle, { id: "notes-title" });
    page.acts.append(
      foot.sync.el,
      slot("research"),
      foot.keep,
      foot.takeBack,
      foot.save,
      foot.off,
      head.reopen,
    );
    const crumbs = h("span", { class: "crumbs" }, slot("back"), slot("crumb"), page.title);
    const bar = h("div", { class: "bar", part: "bar" }, crumbs, parts.menu, page.acts);
    head.pill.after(page.by.el, slot("status"));
    const added = h(
      "section",
      { class: "page-notes", "aria-labelledby": "notes-title", part: "notes" },
      page.notesTitle,
      page.placeholder,
      page.notes,
    );
    return [
      bar,
      head.el,
      question,
      about.el,
      notes,
      body,
      foot.left,
      settled.el,
      history,
      slot("findings"),
      slot("takes"),
      added,
    ];
  }

  protected override menuPlace(): null {
    return null;
  }

  protected override menuFirst({ more, menu }: Parts): HTMLElement[] {
    const t = this.#words;
    const { href } = this;
    const tell = (words: string): void => {
      more?.popover.show(menu, t.copyLink, "status", [h("span", { class: "link" }, words)]);
      menu.focus();
    };
    // A page without a clipboard (plain HTTP, or not allowed) shows the link to be copied by hand.
    const copy = (): void => {
      const written = navigator.clipboard?.writeText(href) ?? Promise.reject(new Error("none"));
      void written.then(
        () => tell(t.linkCopied),
        () => tell(href),
      );
    };
    return [button(t.copyLink, copy, { part: "copy-link" })];
  }

  get #words(): Strings {
    return { ...enMore, ...this.strings };
  }

  /** The host's notes, or what invites to the first one. */
  #noted(): void {
    const page = this.#page;
    if (!page) return;
    const assigned = page.notes.assignedElements();
    this.#watch ??= new MutationObserver(() => this.#noted());
    this.#watch.disconnect();
    for (const el of assigned)
      this.#watch.observe(el, { childList: true, subtree: true, characterData: true });
    const empty = assigned.every((el) => blank(el) && !el.matches(":focus-within"));
    show(page.placeholder, empty);
  }

  /** Into the host's field for notes; a host without one is asked to open it. */
  #addNote(): void {
    const field = this.#page?.notes
      .assignedElements()
      .flatMap((el) => [el, ...el.querySelectorAll("*")])
      .find((el) => el instanceof HTMLElement && (el.isContentEditable || el.matches("textarea")));
    if (field instanceof HTMLElement) field.focus();
    this.dispatchEvent(new CustomEvent("deem-add-note", { bubbles: true, composed: true }));
    this.#noted();
  }
}

const slot = (name: string): HTMLSlotElement => h("slot", { name });

const blank = (el: Element): boolean =>
  (el.textContent ?? "").trim() === "" &&
  !(el instanceof HTMLTextAreaElement && el.value !== "") &&
  !el.querySelector("img, table, svg, video, hr, input");
