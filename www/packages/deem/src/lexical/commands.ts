/** Placing, removing and entering cards. */
import {
  $addUpdateTag,
  $createNodeSelection,
  $createParagraphNode,
  $createRangeSelectionFromDom,
  $getRoot,
  $getSelection,
  $insertNodes,
  $isNodeSelection,
  $nodesOfType,
  $setSelection,
  CLICK_COMMAND,
  COMMAND_PRIORITY_LOW,
  createCommand,
  HISTORY_PUSH_TAG,
  KEY_ENTER_COMMAND,
  type LexicalCommand,
  type LexicalEditor,
  mergeRegister,
} from "lexical";
import { $createDecisionNode, $isDecisionNode, DecisionNode } from "./node.js";

/** Places a decision at the selection, or selects it where it already stands. Its own undo step. */
export const INSERT_DECISION_COMMAND: LexicalCommand<{ decisionId: string; summary: string }> =
  createCommand("INSERT_DECISION_COMMAND");
/** Takes a decision's cards out of the document; its record stays. Its own undo step. */
export const REMOVE_DECISION_COMMAND: LexicalCommand<string> =
  createCommand("REMOVE_DECISION_COMMAND");
/** Moves the focus into a decision's card. */
export const FOCUS_DECISION_COMMAND: LexicalCommand<string> =
  createCommand("FOCUS_DECISION_COMMAND");

export function registerCommands(editor: LexicalEditor): () => void {
  const at = <T>(command: LexicalCommand<T>, run: (payload: T) => boolean): (() => void) =>
    editor.registerCommand(command, run, COMMAND_PRIORITY_LOW);
  return mergeRegister(
    at(INSERT_DECISION_COMMAND, (what) => $insert(editor, what.decisionId, what.summary)),
    at(REMOVE_DECISION_COMMAND, (id) => $remove(editor, id)),
    at(FOCUS_DECISION_COMMAND, (id) => focusCard(editor, $all(id)[0])),
    at(KEY_ENTER_COMMAND, (event) => $enter(editor, event)),
    at(CLICK_COMMAND, () => $click(editor)),
  );
}

const $all = (decisionId: string): DecisionNode[] =>
  $nodesOfType(DecisionNode).filter((node) => node.getDecisionId() === decisionId);

export function $select(node: DecisionNode): void {
  const chosen = $createNodeSelection();
  chosen.add(node.getKey());
  $setSelection(chosen);
}

function $insert(editor: LexicalEditor, decisionId: string, summary: string): boolean {
  const [found] = $all(decisionId);
  if (found) {
    $select(found);
    return true;
  }
  $ownStep(editor);
  const node = $createDecisionNode(decisionId, summary);
  if ($getSelection() === null) $getRoot().append(node);
  else $insertNodes([node]);
  if (node.getNextSibling() === null) node.insertAfter($createParagraphNode());
  return true;
}

function $remove(editor: LexicalEditor, decisionId: string): boolean {
  const nodes = $all(decisionId);
  if (nodes.length === 0) return false;
  $ownStep(editor);
  for (const node of nodes) node.remove();
  return true;
}

/** Where `@lexical/react` keeps the undo manager of a shared document. */
const UNDO_MANAGER = Symbol.for("@lexical/yjs/UndoManager");

/** The update under way is an undo step: in the history, and in that of a shared document. */
function $ownStep(editor: LexicalEditor): void {
  $addUpdateTag(HISTORY_PUSH_TAG);
  const part = (): void =>
    (editor as { [UNDO_MANAGER]?: { stopCapturing(): void } })[UNDO_MANAGER]?.stopCapturing();
  part();
  editor.update(() => {}, { onUpdate: part });
}

/** The card that is selected, if it is one and alone. */
export function $selectedCard(): DecisionNode | undefined {
  const selection = $getSelection();
  const [node, more] = $isNodeSelection(selection) ? selection.getNodes() : [];
  return !more && $isDecisionNode(node) ? node : undefined;
}

/** Enter on a selected card moves in. */
function $enter(editor: LexicalEditor, event: KeyboardEvent | null): boolean {
  const node = $selectedCard();
  if (node) event?.preventDefault();
  return focusCard(editor, node);
}

/** A quick click into the text comes before the browser tells of its caret: it is asked. */
function $click(editor: LexicalEditor): boolean {
  if ($selectedCard()) $setSelection($createRangeSelectionFromDom(getSelection(), editor));
  return false;
}

/**
 * After the update that is under way, and one frame more: the editor writes its own selection
 * first, and a card that was just placed is live then.
 */
function focusCard(editor: LexicalEditor, node: DecisionNode | undefined): boolean {
  if (!node) return false;
  const focus = (): void => editor.getElementByKey(node.getKey())?.focus();
  editor.update(() => {}, { onUpdate: () => requestAnimationFrame(focus) });
  return true;
}
