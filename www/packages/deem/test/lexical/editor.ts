/** A Lexical editor with one fixture card between two paragraphs, for the editor tests. */
import { buildEditorFromExtensions } from "@lexical/extension";
import { createEmptyHistoryState, registerHistory } from "@lexical/history";
import { $generateHtmlFromNodes, $generateNodesFromDOM } from "@lexical/html";
import {
  $convertFromMarkdownString,
  $convertToMarkdownString,
  HEADING,
  type Transformer,
} from "@lexical/markdown";
import { HeadingNode, QuoteNode, RichTextExtension, registerRichText } from "@lexical/rich-text";
import {
  $createParagraphNode,
  $createTextNode,
  $getRoot,
  $getSelection,
  $insertNodes,
  $isNodeSelection,
  $isRangeSelection,
  configExtension,
  createEditor,
  defineExtension,
  type LexicalEditor,
} from "lexical";
import { createEditor as createSecondEditor } from "lexical?second";
import { defineElements } from "../../src/elements/index.js";
import {
  $createDecisionNode,
  $isDecisionNode,
  DECISION,
  DecisionExtension,
  DecisionNode,
  FOCUS_DECISION_COMMAND,
  INSERT_DECISION_COMMAND,
  REMOVE_DECISION_COMMAND,
  registerDecisions,
  registerUnplaced,
} from "../../src/lexical/index.js";
import { questionnaire } from "../../src/questionnaire.js";
import type { CardSnapshot, SpaceStore, Status } from "../../src/types.js";
import { type CardName, cards } from "../fixture-cards.js";
import { FixtureHandle, snapshotOf } from "../fixture-handle.js";

const transformers: Transformer[] = [DECISION, HEADING];
const NODES = [DecisionNode, HeadingNode, QuoteNode];

/** A space that holds one decision, d1, in memory. */
function fixtureStore(handle: FixtureHandle, holds = true): SpaceStore {
  const nothing = (): undefined => undefined;
  const none = {
    snapshot: nothing,
    questionnaire: nothing,
    readable: nothing,
    setPresence: nothing,
    subscribe: () => nothing,
    open: () => nothing,
  };
  return {
    space: "s",
    user: "ana",
    decision: (id: string) => (holds && id === "d1" ? handle : { ...none, id }),
    decisions: () =>
      holds ? [{ id: "d1", status: "open", header: "Workshop", question: "Where?" }] : [],
    status: () => ({ state: "synced", pending: 0, online: true, others: [] }),
    subscribe: () => () => {},
  } as unknown as SpaceStore;
}

const line = (text: string) => $createParagraphNode().append($createTextNode(text));

function newEditor(): LexicalEditor {
  const editor = createEditor({
    namespace: "test",
    nodes: NODES,
    onError: (error) => {
      throw error;
    },
  });
  registerRichText(editor);
  registerHistory(editor, createEmptyHistoryState(), 0);
  return editor;
}

interface StartOptions {
  extension?: boolean;
  later?: boolean;
  empty?: boolean;
  holds?: boolean;
}

function start(name: CardName, options: StartOptions = {}): void {
  defineElements();
  const handle = new FixtureHandle(snapshotOf(cards[name]));
  const store = fixtureStore(handle, options.holds);
  const root = document.createElement("div");
  root.contentEditable = "true";
  root.setAttribute("aria-label", "Plan");
  document.querySelector("main")?.append(root);
  let editor: LexicalEditor;
  let opened = (): void => {};
  let stop = (): void => {};
  if (options.extension) {
    const app = defineExtension({
      name: "test/app",
      namespace: "test",
      dependencies: [RichTextExtension, configExtension(DecisionExtension, { store })],
      $initialEditorState: () => {},
    });
    editor = buildEditorFromExtensions(app);
  } else {
    editor = newEditor();
    const later = new Promise<SpaceStore>((resolve) => {
      opened = () => resolve(store);
    });
    stop = registerDecisions(editor, { store: options.later ? later : store });
  }
  editor.setRootElement(root);
  editor.update(
    () => {
      $getRoot().clear().append(line("before"));
      if (!options.empty)
        $getRoot().append($createDecisionNode("d1", "Where do we hold the summer workshop?"));
      $getRoot().append(line("after"));
    },
    { discrete: true, tag: "history-merge" },
  );
  let unplaced: string[] = [];
  registerUnplaced(editor, store, (list) => {
    unplaced = list.map((one) => one.id);
  });
  const card = root.querySelector("decision-card");
  Object.assign(window, { handle, card, editor, root, opened, stop, unplaced: () => unplaced });
  Object.assign(window, tools(editor));
}

/** What the tests ask of an editor and do to it. */
function tools(editor: LexicalEditor) {
  const discrete = (run: () => void): void => editor.update(run, { discrete: true });
  return {
    selected: (): string[] =>
      editor.read(() => {
        const selection = $getSelection();
        return $isNodeSelection(selection)
          ? selection.getNodes().map((one) => one.getTextContent())
          : [];
      }),
    chosenText: (): string =>
      editor.read(() => {
        const selection = $getSelection();
        return $isRangeSelection(selection) ? selection.getTextContent() : "";
      }),
    html: () => editor.read(() => $generateHtmlFromNodes(editor)),
    markdown: () => editor.read(() => $convertToMarkdownString(transformers)),
    fromMarkdown: (text: string) =>
      discrete(() => $convertFromMarkdownString(text, transformers)),
    fromHtml: (text: string) =>
      discrete(() => {
        const dom = new DOMParser().parseFromString(text, "text/html");
        $getRoot().clear().select();
        $insertNodes($generateNodesFromDOM(editor, dom));
      }),
    insert: (decisionId = "d1") =>
      editor.dispatchCommand(INSERT_DECISION_COMMAND, { decisionId, summary: "again" }),
    remove: () => editor.dispatchCommand(REMOVE_DECISION_COMMAND, "d1"),
    enterCard: () => editor.dispatchCommand(FOCUS_DECISION_COMMAND, "d1"),
    json: () => editor.getEditorState().toJSON(),
    text: () => editor.read(() => $getRoot().getTextContent()),
    /** The blocks of the document in order; a card by its id. */
    blocks: () =>
      editor.read(() =>
        $getRoot()
          .getChildren()
          .map((one) => ($isDecisionNode(one) ? `#${one.getDecisionId()}` : one.getTextContent())),
      ),
    moveCardToEnd: () =>
      discrete(() => {
        const node = $getRoot().getChildren().find($isDecisionNode);
        if (node) $getRoot().append(node);
      }),
    caretAtEnd: () => discrete(() => void $getRoot().selectEnd()),
    caretIn: (index: number) => discrete(() => void $getRoot().getChildAtIndex(index)?.selectEnd()),
  };
}

/** What is said to a host that installed lexical twice, or forgot the node. */
function complaint(kind: "second" | "without"): string {
  const editor =
    kind === "second"
      ? createSecondEditor({ namespace: "other" })
      : createEditor({ namespace: "without" });
  try {
    registerDecisions(editor, { store: null });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "";
}

/** A case of the table of projections: {id, status, definition, saved}, the last saved standing. */
function write(projection: {
  id: string;
  status: Status;
  definition: CardSnapshot["definition"];
  saved: { answer: unknown; by: string; at: string; why?: string; whyBy?: string }[];
}): string {
  const { id, status, definition } = projection;
  const history = projection.saved.map(({ by, ...saved }) => ({ ...saved, resolver: by }));
  const settled = status === "settled" ? history.pop() : undefined;
  return questionnaire({ id, status, definition, history, settled } as unknown as CardSnapshot);
}

Object.assign(window, { start, complaint, write });
