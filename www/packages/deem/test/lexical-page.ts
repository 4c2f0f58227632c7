/** A Lexical editor with one fixture card between two paragraphs, for the editor tests. */
import { createEmptyHistoryState, registerHistory } from "@lexical/history";
import { registerRichText } from "@lexical/rich-text";
import { $generateHtmlFromNodes } from "@lexical/html";
import {
  $createParagraphNode,
  $createTextNode,
  $getRoot,
  $getSelection,
  $isNodeSelection,
  createEditor,
} from "lexical";
import { defineElements } from "../src/elements/index.js";
import {
  $createDecisionNode,
  DecisionNode,
  INSERT_DECISION_COMMAND,
  REMOVE_DECISION_COMMAND,
  registerDecisions,
} from "../src/lexical/index.js";
import type { SpaceStore } from "../src/types.js";
import { type CardName, cards } from "./fixture-cards.js";
import { FixtureHandle, snapshotOf } from "./fixture-handle.js";

function start(name: CardName): void {
  defineElements();
  const handle = new FixtureHandle(snapshotOf(cards[name]));
  const store = { space: "s", user: "ana", decision: () => handle } as unknown as SpaceStore;
  const root = document.createElement("div");
  root.contentEditable = "true";
  document.querySelector("main")?.append(root);
  const editor = createEditor({
    namespace: "test",
    nodes: [DecisionNode],
    onError: (error) => {
      throw error;
    },
  });
  registerRichText(editor);
  registerHistory(editor, createEmptyHistoryState(), 0);
  registerDecisions(editor, { store });
  editor.setRootElement(root);
  editor.update(
    () => {
      const node = $createDecisionNode("d1", "Where do we hold the summer workshop?");
      const line = (text: string) => $createParagraphNode().append($createTextNode(text));
      $getRoot().append(line("before"), node, line("after"));
    },
    { discrete: true, tag: "history-merge" },
  );
  const selected = (): string[] =>
    editor.read(() => {
      const selection = $getSelection();
      return $isNodeSelection(selection)
        ? selection.getNodes().map((one) => one.getTextContent())
        : [];
    });
  const card = root.querySelector("decision-card");
  const html = (): string => editor.read(() => $generateHtmlFromNodes(editor));
  const insert = () =>
    editor.dispatchCommand(INSERT_DECISION_COMMAND, { decisionId: "d1", summary: "again" });
  const remove = () => editor.dispatchCommand(REMOVE_DECISION_COMMAND, "d1");
  const json = () => editor.getEditorState().toJSON();
  const text = () => editor.read(() => $getRoot().getTextContent());
  Object.assign(window, { handle, card, editor, root, selected, html, insert, remove, json, text });
}

Object.assign(window, { start });
