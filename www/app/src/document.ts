/**
 * The plan: a Lexical document with the cards of its decisions in it. Its prose is kept in this
 * browser.
 */
import { buildEditorFromExtensions } from "@lexical/extension";
import { HistoryExtension } from "@lexical/history";
import { $createHeadingNode, RichTextExtension } from "@lexical/rich-text";
import type { SpaceStore } from "deem";
import {
  $createDecisionNode,
  $isDecisionNode,
  DecisionExtension,
  FOCUS_DECISION_COMMAND,
  INSERT_DECISION_COMMAND,
} from "deem/lexical";
import {
  $createParagraphNode,
  $createTextNode,
  $getRoot,
  configExtension,
  defineExtension,
  HISTORY_MERGE_TAG,
  type LexicalEditor,
} from "lexical";
import { nameOf } from "./people.js";
import { BUILT, BUILT_TEXT, isBuilt, OTHER, type Passage, PLAN, TITLE } from "./plan.js";

export class PlanDocument {
  readonly #editor: LexicalEditor;
  readonly #key: string;
  #written: boolean;

  constructor(
    root: HTMLElement,
    private readonly store: SpaceStore,
  ) {
    this.#key = `deem-plan:${store.space}`;
    const kept = localStorage.getItem(this.#key);
    const app = defineExtension({
      name: "deem-app/plan",
      namespace: "plan",
      dependencies: [
        RichTextExtension,
        HistoryExtension,
        configExtension(DecisionExtension, { store, nameOf }),
      ],
      $initialEditorState: kept ?? (() => {}),
      onError: (error) => reportError(error),
    });
    this.#editor = buildEditorFromExtensions(app);
    this.#written = kept !== null;
    this.#editor.setRootElement(root);
    this.#editor.registerUpdateListener(({ editorState, dirtyElements, dirtyLeaves }) => {
      if (this.#written && dirtyElements.size + dirtyLeaves.size > 0)
        localStorage.setItem(this.#key, JSON.stringify(editorState));
    });
  }

  /** Puts each decision that the plan names below its passage, where it does not stand yet. */
  place(): void {
    this.#write();
    this.#placeBuilt();
    const wanted = this.store
      .decisions()
      .filter((one) => PLAN.some((passage) => passage.decision === one.header));
    const here = this.#placed();
    const missing = wanted.filter((one) => !here.has(one.id));
    if (missing.length === 0 || this.store.space !== "demo") return;
    this.#editor.update(
      () => {
        for (const one of [...missing].reverse()) {
          const passage = PLAN.find((each) => each.decision === one.header);
          const blocks = $getRoot().getChildren();
          const at = blocks.findIndex((block) => block.getTextContent() === passage?.text);
          blocks[at]?.insertAfter($createDecisionNode(one.id, one.question));
        }
      },
      { tag: HISTORY_MERGE_TAG },
    );
  }

  /**
   * Brings a decision into view, at the end of the plan if it stands nowhere, and moves the focus
   * in.
   */
  show(id: string, focus: boolean): void {
    const one = this.store.decisions().find((each) => each.id === id);
    if (!this.#placed().has(id)) {
      this.#editor.update(() => $getRoot().selectEnd(), { discrete: true });
      this.#editor.dispatchCommand(INSERT_DECISION_COMMAND, {
        decisionId: id,
        summary: one?.question ?? id,
      });
    }
    requestAnimationFrame(() => {
      document
        .querySelector(`decision-card[decision="${CSS.escape(id)}"]`)
        ?.scrollIntoView({ block: "start" });
      if (focus) this.#editor.dispatchCommand(FOCUS_DECISION_COMMAND, id);
    });
  }

  /** The plan to begin with depends on the decisions, which a first visit does not know at once. */
  #write(): void {
    const all = this.store.decisions();
    if (this.#written || (all.length === 0 && !this.store.status().online)) return;
    this.#written = true;
    const tag = HISTORY_MERGE_TAG;
    const built = all.length > 0 && all.every((one) => isBuilt(one.id));
    if (!built) this.#editor.update(() => write(this.store.space), { tag, discrete: true });
  }

  /** The repository's own choices stand together under a title of their own. */
  #placeBuilt(): void {
    const here = this.#placed();
    const missing = this.store
      .decisions()
      .filter((one) => isBuilt(one.id) && !here.has(one.id))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    if (missing.length === 0) return;
    this.#editor.update(
      () => {
        const root = $getRoot();
        const last = root
          .getChildren()
          .filter($isDecisionNode)
          .filter((block) => isBuilt(block.getDecisionId()))
          .at(-1);
        const cards = missing.map((one) => $createDecisionNode(one.id, one.question));
        if (last) for (const card of cards.reverse()) last.insertAfter(card);
        else {
          const title = $createHeadingNode("h1").append($createTextNode(BUILT));
          const text = $createParagraphNode().append($createTextNode(BUILT_TEXT));
          root.append(title, text, ...cards, $createParagraphNode());
        }
      },
      { tag: HISTORY_MERGE_TAG, discrete: true },
    );
  }

  #placed(): Set<string> {
    return this.#editor.read(() => {
      const ids = $getRoot()
        .getChildren()
        .filter($isDecisionNode)
        .map((node) => node.getDecisionId());
      return new Set(ids);
    });
  }
}

function write(space: string): void {
  const demo = space === "demo";
  const root = $getRoot();
  root.append($createHeadingNode("h1").append($createTextNode(demo ? TITLE : space)));
  const passages: readonly Passage[] = demo ? PLAN : OTHER;
  for (const passage of passages) {
    if (passage.heading !== undefined)
      root.append($createHeadingNode("h2").append($createTextNode(passage.heading)));
    root.append($createParagraphNode().append($createTextNode(passage.text)));
  }
  root.append($createParagraphNode());
}
