/**
 * Decisions in a Lexical editor: `DecisionExtension` for editors built from extensions,
 * `registerDecisions` for
 * any other. The editor must have `DecisionNode` among its nodes and the elements must be defined.
 */
import {
  $addUpdateTag,
  $createNodeSelection,
  $createParagraphNode,
  $getNearestNodeFromDOMNode,
  $getRoot,
  $getSelection,
  $insertNodes,
  $isNodeSelection,
  $nodesOfType,
  $setSelection,
  COMMAND_PRIORITY_EDITOR,
  COMMAND_PRIORITY_LOW,
  createCommand,
  defineExtension,
  HISTORY_PUSH_TAG,
  isLexicalEditor,
  KEY_ENTER_COMMAND,
  type LexicalCommand,
  type LexicalEditor,
  mergeRegister,
  SKIP_SCROLL_INTO_VIEW_TAG,
  SKIP_SELECTION_FOCUS_TAG,
} from "lexical";
import type { DecisionCard, Strings } from "../elements/index.js";
import type { SpaceStore } from "../types.js";
import { cardOf, guardCards } from "./guards.js";
import { $createDecisionNode, $isDecisionNode, DecisionNode, projectDecisions } from "./node.js";
import { readable } from "./readable.js";

export { $createDecisionNode, $isDecisionNode, DecisionNode } from "./node.js";
export { readable } from "./readable.js";

export interface DecisionsConfig {
  /** The open space the cards take their decisions from; null while it is being opened. */
  store: SpaceStore | null;
  strings?: Strings;
  nameOf?: (person: string) => string;
}

/** Places a decision at the selection, or selects it where it already stands. Its own undo step. */
export const INSERT_DECISION_COMMAND: LexicalCommand<{ decisionId: string; summary: string }> =
  createCommand("INSERT_DECISION_COMMAND");
/** Takes a decision's card out of the document; its record stays. */
export const REMOVE_DECISION_COMMAND: LexicalCommand<string> =
  createCommand("REMOVE_DECISION_COMMAND");
/** Moves the focus into a decision's card. */
export const FOCUS_DECISION_COMMAND: LexicalCommand<string> =
  createCommand("FOCUS_DECISION_COMMAND");

export const DecisionExtension = defineExtension({
  name: "deem/decisions",
  nodes: () => [DecisionNode],
  config: { store: null } as DecisionsConfig,
  register: (editor, config) => registerDecisions(editor, config),
});

/** Makes the cards of `editor` live; returns the undoing. */
export function registerDecisions(editor: LexicalEditor, config: DecisionsConfig): () => void {
  if (!isLexicalEditor(editor)) {
    throw new Error(
      "deem: this editor is of another copy of lexical. Install lexical 0.52.0 once, beside deem.",
    );
  }
  if (!editor.hasNodes([DecisionNode])) {
    throw new Error(
      "deem: give the editor DecisionNode among its nodes, or use DecisionExtension.",
    );
  }
  return mergeRegister(
    guardCards(editor),
    projectDecisions(editor, (decisionId) => {
      const snap = config.store?.decision(decisionId).snapshot();
      return snap ? readable(snap) : null;
    }),
    editor.registerMutationListener(DecisionNode, (mutations) => {
      for (const [key, mutation] of mutations) {
        if (mutation !== "destroyed") equip(editor.getElementByKey(key), config);
      }
    }),
    editor.registerRootListener((root, before) => {
      before?.removeEventListener("focusin", entered);
      before?.removeEventListener("deem-leave", left);
      root?.addEventListener("focusin", entered);
      root?.addEventListener("deem-leave", left);
    }),
    markSelected(editor),
    editor.registerCommand(INSERT_DECISION_COMMAND, $insert, COMMAND_PRIORITY_EDITOR),
    editor.registerCommand(REMOVE_DECISION_COMMAND, $remove, COMMAND_PRIORITY_EDITOR),
    editor.registerCommand(
      FOCUS_DECISION_COMMAND,
      (id) => focusCard(editor, $find(id)?.getKey()),
      COMMAND_PRIORITY_EDITOR,
    ),
    editor.registerCommand(
      KEY_ENTER_COMMAND,
      (event) => $enter(editor, event),
      COMMAND_PRIORITY_LOW,
    ),
  );

  /** The focus went into a card: the editor selects its node. */
  function entered(event: Event): void {
    const card = cardOf(event);
    if (card) selectCard(editor, card, [SKIP_SELECTION_FOCUS_TAG, SKIP_SCROLL_INTO_VIEW_TAG]);
  }

  /** Escape in a card: back to the editor, with the card selected. */
  function left(event: Event): void {
    const card = cardOf(event);
    if (!card) return;
    event.preventDefault();
    selectCard(editor, card, [SKIP_SCROLL_INTO_VIEW_TAG]);
    editor.getRootElement()?.focus({ preventScroll: true });
  }
}

/** The selected card carries `data-selected`, for the host's style. */
function markSelected(editor: LexicalEditor): () => void {
  let marked: HTMLElement[] = [];
  return editor.registerUpdateListener(({ editorState }) => {
    const selection = editorState.read(() => $getSelection());
    const nodes = $isNodeSelection(selection)
      ? editorState.read(() => selection.getNodes().filter($isDecisionNode))
      : [];
    const now = nodes
      .map((node) => editor.getElementByKey(node.getKey()))
      .filter((el) => el !== null);
    for (const el of marked) if (!now.includes(el)) el.removeAttribute("data-selected");
    for (const el of now) el.setAttribute("data-selected", "");
    marked = now;
  });
}

function equip(el: HTMLElement | null, config: DecisionsConfig): void {
  if (!el) return;
  const { store, strings, nameOf } = config;
  const card = el as DecisionCard;
  if (strings) card.strings = strings;
  if (nameOf) card.nameOf = nameOf;
  if (store) card.store = store;
}

function selectCard(editor: LexicalEditor, card: HTMLElement, tag: string[]): void {
  editor.update(
    () => {
      const node = $getNearestNodeFromDOMNode(card);
      const selection = $getSelection();
      if (!$isDecisionNode(node) || ($isNodeSelection(selection) && selection.has(node.getKey())))
        return;
      const chosen = $createNodeSelection();
      chosen.add(node.getKey());
      $setSelection(chosen);
    },
    { tag },
  );
}

const $find = (decisionId: string): DecisionNode | undefined =>
  $nodesOfType(DecisionNode).find((node) => node.getDecisionId() === decisionId);

function $insert({ decisionId, summary }: { decisionId: string; summary: string }): boolean {
  const found = $find(decisionId);
  if (found) {
    const chosen = $createNodeSelection();
    chosen.add(found.getKey());
    $setSelection(chosen);
    return true;
  }
  $addUpdateTag(HISTORY_PUSH_TAG);
  const node = $createDecisionNode(decisionId, summary);
  if ($getSelection() === null) $getRoot().append(node);
  else $insertNodes([node]);
  if (node.getNextSibling() === null) node.insertAfter($createParagraphNode());
  return true;
}

function $remove(decisionId: string): boolean {
  const node = $find(decisionId);
  if (!node) return false;
  $addUpdateTag(HISTORY_PUSH_TAG);
  node.remove();
  return true;
}

/** Enter on a selected card moves in. */
function $enter(editor: LexicalEditor, event: KeyboardEvent | null): boolean {
  const selection = $getSelection();
  if (!$isNodeSelection(selection)) return false;
  const [node, ...more] = selection.getNodes();
  if (more.length > 0 || !$isDecisionNode(node)) return false;
  event?.preventDefault();
  return focusCard(editor, node.getKey());
}

/**
 * After the update that is under way, and one frame more: the editor writes its own selection
 * first.
 */
function focusCard(editor: LexicalEditor, key: string | undefined): boolean {
  if (key === undefined) return false;
  requestAnimationFrame(() => requestAnimationFrame(() => editor.getElementByKey(key)?.focus()));
  return true;
}
