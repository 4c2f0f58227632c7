/** The head of a card: where the decision stands, its short name, who is here. */
import type { CardSnapshot } from "../types.js";
import type { Context } from "./context.js";
import { arrange, button, h, Keyed, say, set, show } from "./dom.js";
import { face, others } from "./people.js";
import { isOpen, mayAct } from "./shown.js";

const FACES_MAX = 4;

export class Head {
  readonly el = h("div", { class: "head", part: "header" });
  readonly pill = h("span", { class: "pill", part: "status" });
  readonly #header = h("span", { class: "header" });
  readonly #faces = h("span", { class: "faces", part: "faces" });
  readonly #more = h("span", { class: "more" });
  readonly #people = new Keyed<HTMLElement>();
  readonly reopen: HTMLButtonElement;

  constructor(private readonly ctx: Context) {
    this.reopen = button(ctx.t.reopen, () => ctx.open("reopen"), { part: "reopen" });
    this.el.append(
      this.pill,
      this.#header,
      h("span", { class: "grow" }),
      this.#faces,
      this.reopen,
    );
  }

  update(snap: CardSnapshot): void {
    const { t, ui } = this.ctx;
    say(this.pill, t.status[snap.status]);
    set(this.pill, { "data-status": snap.status });
    const [first] = snap.definition.questions;
    const header = first?.header ?? "";
    say(this.#header, header);
    show(this.#header, header !== "" && header !== first?.question);
    show(this.reopen, snap.status === "settled" && mayAct(snap));
    set(this.reopen, {
      "aria-disabled": !snap.sync.online || ui.busy ? "true" : null,
      "aria-expanded": String(ui.panel === "reopen"),
      title: snap.sync.online ? null : t.needsConnection,
    });
    const here = isOpen(snap) ? others(snap.presence) : [];
    const named = new Map(here.map((one) => [`${one.person}\n${this.ctx.name(one.person)}`, one]));
    const faces = this.#people.for([...named.keys()].slice(0, FACES_MAX), (key) => {
      const [person = "", name = ""] = key.split("\n");
      return face(person, name);
    });
    say(this.#more, named.size > FACES_MAX ? t.more(named.size - FACES_MAX) : "");
    arrange(this.#faces, named.size > FACES_MAX ? [...faces, this.#more] : faces);
    show(this.#faces, faces.length > 0);
  }
}
