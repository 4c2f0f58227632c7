/** Raising a decision: a small form for a written one, or one with options and criteria. */
import type { SpaceStore } from "deem";
import { button, h } from "./dom.js";
import { cuttableFetch } from "./network.js";
import { user } from "./people.js";

export interface NewDecision {
  header?: string;
  question: string;
  context?: string;
  response?: string;
  multiple?: boolean;
  options?: { label: string; description?: string }[];
  criteria?: { label: string }[];
}

const NO_CONNECTION = "No connection. Your text is kept.";
const OPTIONS_MAX = 20;
const CRITERIA_MAX = 5;

/** Commits a decision and gives its id. `op` makes a retry harmless. */
export async function raise(space: string, decision: NewDecision): Promise<string> {
  const op = crypto.randomUUID();
  const response = await cuttableFetch(`/v1/spaces/${encodeURIComponent(space)}/decisions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-deem-user": user },
    body: JSON.stringify({ op, ...decision }),
  });
  const body: { id?: string; message?: string } = await response.json();
  if (!response.ok || body.id === undefined)
    throw new Error(body.message ?? `The relay answered ${response.status}.`);
  return body.id;
}

export class RaiseForm {
  readonly #question = h("textarea", {
    id: "raise-question",
    rows: "2",
    required: "",
    maxlength: "1000",
  });
  readonly #context = h("textarea", { id: "raise-context", rows: "2", maxlength: "1000" });
  readonly #choice = h("input", { type: "radio", name: "kind", checked: "" });
  readonly #written = h("input", { type: "radio", name: "kind" });
  readonly #several = h("input", { type: "checkbox" });
  readonly #options = new Lines("Option", "An alternative", 200, OPTIONS_MAX);
  readonly #criteria = new Lines("Criterion", "What matters, for example price", 40, CRITERIA_MAX);
  readonly #error = h("p", { class: "error", role: "alert", hidden: "" });
  readonly #submit = h("button", { type: "submit", class: "main" }, "Raise it");

  constructor(
    private readonly dialog: HTMLDialogElement,
    private readonly store: SpaceStore,
    private readonly raised: (id: string, question: string) => void,
  ) {
    const choiceOnly = h(
      "div",
      { class: "choice-only" },
      h(
        "fieldset",
        {},
        h("legend", {}, "Options"),
        this.#options.el,
        h("label", { class: "check" }, this.#several, "More than one can be chosen"),
      ),
      h(
        "fieldset",
        {},
        h("legend", {}, "Criteria, if options are to be judged"),
        this.#criteria.el,
      ),
    );
    const form = h(
      "form",
      { method: "dialog" },
      h("h2", { id: "raise-title" }, "Raise a decision"),
      h("label", { for: "raise-question" }, "What do we need to decide?"),
      this.#question,
      h("label", { for: "raise-context" }, "What should people know first? (optional)"),
      this.#context,
      h(
        "fieldset",
        { class: "kinds" },
        h("legend", {}, "Answer"),
        h("label", { class: "check" }, this.#choice, "A choice between options"),
        h("label", { class: "check" }, this.#written, "A written answer"),
      ),
      choiceOnly,
      h(
        "div",
        { class: "raise-foot" },
        this.#error,
        h(
          "p",
          { class: "buttons" },
          button("Cancel", () => this.dialog.close()),
          this.#submit,
        ),
      ),
    );
    for (const radio of [this.#choice, this.#written]) {
      radio.addEventListener("change", () => {
        choiceOnly.hidden = this.#written.checked;
      });
    }
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#send();
    });
    dialog.replaceChildren(form);
  }

  open(): void {
    this.#error.hidden = true;
    this.dialog.showModal();
    this.#question.focus();
  }

  async #send(): Promise<void> {
    const question = this.#question.value.trim();
    if (question === "") return this.#question.focus();
    if (!this.store.status().online) return this.#tell(NO_CONNECTION);
    this.#submit.disabled = true;
    try {
      const id = await this.#commit(question, this.#context.value.trim());
      this.dialog.close();
      for (const field of [this.#question, this.#context]) field.value = "";
      this.#options.clear();
      this.#criteria.clear();
      this.raised(id, question);
    } catch (error) {
      // A request that found no relay fails with a TypeError and no answer.
      const away = error instanceof TypeError || !this.store.status().online;
      const words = error instanceof Error ? error.message : String(error);
      this.#tell(away ? NO_CONNECTION : `Not raised: ${words}`);
    }
    this.#submit.disabled = false;
  }

  #tell(words: string): void {
    this.#error.textContent = words;
    this.#error.hidden = false;
  }

  #commit(question: string, context: string): Promise<string> {
    if (this.#written.checked)
      return this.store.createDecision(question, context === "" ? undefined : context);
    const options = this.#options.labels();
    const criteria = this.#criteria.labels();
    return raise(this.store.space, {
      question,
      multiple: this.#several.checked,
      options: options.map((label) => ({ label })),
      ...(context === "" ? {} : { context }),
      ...(criteria.length === 0 ? {} : { criteria: criteria.map((label) => ({ label })) }),
    });
  }
}

/** A list of short fields that grows as its last one is filled. */
class Lines {
  readonly el = h("div", { class: "lines" });

  constructor(
    private readonly name: string,
    private readonly hint: string,
    private readonly lengthMax: number,
    private readonly linesMax: number,
  ) {
    this.clear();
  }

  clear(): void {
    this.el.replaceChildren();
    this.#add();
    this.#add();
  }

  labels(): string[] {
    return this.#fields()
      .map((field) => field.value.trim())
      .filter((label) => label !== "");
  }

  #fields(): HTMLInputElement[] {
    return [...this.el.querySelectorAll("input")];
  }

  #add(): void {
    const number = this.el.childElementCount + 1;
    if (number > this.linesMax) return;
    const field = h("input", {
      "aria-label": `${this.name} ${number}`,
      placeholder: this.hint,
      maxlength: String(this.lengthMax),
      autocomplete: "off",
    });
    field.addEventListener("input", () => {
      if (this.#fields().at(-1)?.value !== "") this.#add();
    });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      this.#fields()[this.#fields().indexOf(field) + 1]?.focus();
    });
    this.el.append(field);
  }
}
