/** A Lexical editor of React with StrictMode, as `LexicalComposer` makes it, with one fixture card. */
import { LexicalComposer } from "@lexical/react/LexicalComposer";
import { useLexicalComposerContext } from "@lexical/react/LexicalComposerContext";
import { ContentEditable } from "@lexical/react/LexicalContentEditable";
import { LexicalErrorBoundary } from "@lexical/react/LexicalErrorBoundary";
import { HistoryPlugin } from "@lexical/react/LexicalHistoryPlugin";
import { RichTextPlugin } from "@lexical/react/LexicalRichTextPlugin";
import { $createParagraphNode, $createTextNode, $getRoot, type LexicalEditor } from "lexical";
import { createElement as h, type ReactNode, StrictMode, useEffect } from "react";
import { createRoot, type Root } from "react-dom/client";
import { defineElements } from "../../src/elements/index.js";
import {
  $createDecisionNode,
  $isDecisionNode,
  DecisionNode,
  INSERT_DECISION_COMMAND,
  registerDecisions,
} from "../../src/lexical/index.js";
import type { SpaceStore } from "../../src/types.js";
import { cards } from "../fixture-cards.js";
import { FixtureHandle, snapshotOf } from "../fixture-handle.js";

const line = (text: string) => $createParagraphNode().append($createTextNode(text));

function Decisions({ store }: { store: SpaceStore }): ReactNode {
  const [editor] = useLexicalComposerContext();
  useEffect(() => {
    Object.assign(window, { editor, ...tools(editor) });
    return registerDecisions(editor, { store });
  }, [editor, store]);
  return null;
}

function Editor({ store }: { store: SpaceStore }): ReactNode {
  const initialConfig = {
    namespace: "react",
    nodes: [DecisionNode],
    onError: (error: Error) => {
      throw error;
    },
    editorState: () => {
      $getRoot().append(line("before"), $createDecisionNode("d1", "Where?"), line("after"));
    },
  };
  const contentEditable = h(ContentEditable, { "aria-label": "Plan" });
  return h(
    LexicalComposer,
    { initialConfig },
    h(RichTextPlugin, { contentEditable, ErrorBoundary: LexicalErrorBoundary }),
    h(HistoryPlugin),
    h(Decisions, { store }),
  );
}

const tools = (editor: LexicalEditor) => ({
  insert: (decisionId: string) =>
    editor.dispatchCommand(INSERT_DECISION_COMMAND, { decisionId, summary: "again" }),
  blocks: () =>
    editor.read(() =>
      $getRoot()
        .getChildren()
        .map((one) => ($isDecisionNode(one) ? `#${one.getDecisionId()}` : one.getTextContent())),
    ),
});

let root: Root | undefined;

function start(): void {
  defineElements();
  const handle = new FixtureHandle(snapshotOf(cards.own));
  const store = {
    space: "s",
    user: "ana",
    decision: () => handle,
    decisions: () => [],
    status: () => ({ online: true }),
    subscribe: () => () => {},
  } as unknown as SpaceStore;
  const place = document.querySelector("main");
  if (!place) return;
  root = createRoot(place);
  root.render(h(StrictMode, null, h(Editor, { store })));
  Object.assign(window, { handle, leave: () => root?.unmount() });
}

Object.assign(window, { start });
