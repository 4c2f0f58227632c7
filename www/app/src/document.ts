/** The plan: a Lexical document in a document room of the space, with the cards of its decisions. */
import { buildEditorFromExtensions } from "@lexical/extension";
import { RichTextExtension } from "@lexical/rich-text";
import type { Provider } from "@lexical/yjs";
import type { SpaceStore } from "deem";
import {
  DecisionExtension,
  FOCUS_DECISION_COMMAND,
  INSERT_DECISION_COMMAND,
  placedDecisions,
  registerUnplaced,
} from "deem/lexical";
import { DocumentProvider } from "deem/provider";
import {
  $getRoot,
  $getSelection,
  configExtension,
  defineExtension,
  type LexicalEditor,
} from "lexical";
import { Doc } from "yjs";
import { type SharedText, shareText } from "./collaboration.js";
import { colorOf, nameOf } from "./people.js";
import { seedPlan } from "./seed.js";

/** The room's name within the space. */
const NAME = "plan";

export type Unplaced = ReturnType<SpaceStore["decisions"]>;

export class PlanDocument {
  readonly #editor: LexicalEditor;
  readonly #provider: DocumentProvider;
  readonly #text: SharedText;
  #seeded = false;

  /** `changed` is told when the connection of the text or its waiting edits have changed. */
  constructor(
    paper: HTMLElement,
    carets: HTMLElement,
    private readonly store: SpaceStore,
    changed: () => void,
  ) {
    const doc = new Doc();
    this.#provider = new DocumentProvider(store, NAME, doc);
    const provider = this.#provider as unknown as Provider;
    const app = defineExtension({
      name: "deem-app/plan",
      // What is copied in one space is not taken for a card of another.
      namespace: `plan:${store.space}`,
      dependencies: [
        RichTextExtension,
        configExtension(DecisionExtension, {
          store,
          nameOf,
          awareness: this.#provider.awareness,
        }),
      ],
      $initialEditorState: null,
      onError: (error) => reportError(error),
    });
    this.#editor = buildEditorFromExtensions(app);
    this.#editor.setRootElement(paper);
    const writer = { name: nameOf(store.user), color: colorOf(store.user) };
    this.#text = shareText(this.#editor, doc, provider, writer, carets);
    this.#provider.on("synced", () => {
      void this.#begin();
      changed();
    });
    this.#provider.on("unsyncedChanges", changed);
    void this.#provider.whenLoaded.then(changed);
  }

  /** Whether anything can be shown: what the device kept, or what the relay has. */
  get isEmpty(): boolean {
    return this.#text.isEmpty();
  }

  /** Edits of the text that the relay has not acknowledged. */
  get waiting(): number {
    return this.#provider.unsyncedChanges;
  }

  onUnplaced(listener: (unplaced: Unplaced) => void): void {
    registerUnplaced(this.#editor, this.store, listener);
  }

  has(id: string): boolean {
    return placedDecisions(this.#editor).has(id);
  }

  /** Puts a decision where the caret is, else at the end. */
  place(id: string, question: string): void {
    this.#editor.update(
      () => {
        if ($getSelection() === null) $getRoot().selectEnd();
      },
      { discrete: true },
    );
    this.#editor.dispatchCommand(INSERT_DECISION_COMMAND, { decisionId: id, summary: question });
  }

  focus(id: string): void {
    this.#editor.dispatchCommand(FOCUS_DECISION_COMMAND, id);
  }

  /** A room that nobody has written in yet gets the space's first text. */
  async #begin(): Promise<void> {
    if (this.#seeded || !this.#provider.synced || !this.#text.isEmpty()) return;
    this.#seeded = true;
    try {
      await seedPlan(this.store.space, NAME);
    } catch {
      // Away again: the next time the room is reached it is tried again.
      this.#seeded = false;
    }
  }
}
