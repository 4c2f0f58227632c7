/**
 * Decisions in a Lexical editor: `DecisionExtension` for editors built from extensions,
 * `registerDecisions` for any other. The editor must have `DecisionNode` among its nodes and the
 * elements must be defined. Tried with lexical 0.52.0 and the stable binding of `@lexical/yjs`;
 * with the experimental second one a peer without the node erases everybody's text.
 */
import {
  defineExtension,
  isLexicalEditor,
  type LexicalEditor,
  mergeRegister,
} from "lexical";
import type { DecisionCard, Strings } from "../elements/index.js";
import type { SpaceStore } from "../types.js";
import { $selectedCard, registerCommands } from "./commands.js";
import { registerFocus } from "./focus.js";
import { guardCards } from "./guards.js";
import { DecisionNode, known } from "./node.js";
import type { Awareness } from "./presence.js";

export {
  FOCUS_DECISION_COMMAND,
  INSERT_DECISION_COMMAND,
  REMOVE_DECISION_COMMAND,
} from "./commands.js";
export { guardCards } from "./guards.js";
export { DECISION } from "./markdown.js";
export { $createDecisionNode, $isDecisionNode, DecisionNode } from "./node.js";
export { placedDecisions, registerUnplaced } from "./placed.js";
export type { Awareness } from "./presence.js";

/** How decisions stand in an editor. */
export interface DecisionsConfig {
  /** The open space the cards take their decisions from, or its promise; null: cards stay plain. */
  store: SpaceStore | Promise<SpaceStore> | null;
  /** The words shown; default: those of the nearest `lang`. */
  strings?: Strings;
  /** How a person's `sub` is shown. */
  nameOf?: (person: string) => string;
  /** The presence of the document's own provider: its field `decision` gets the card one is in. */
  awareness?: Awareness;
}

/** Decisions as an extension of Lexical: the node, the cards and the guards round them. */
export const DecisionExtension = defineExtension({
  name: "deem/decisions",
  nodes: () => [DecisionNode],
  config: { store: null } as DecisionsConfig,
  register: (editor, config) => registerDecisions(editor, config),
});

/**
 * Makes the cards of `editor` live; returns the undoing.
 * @throws Error where the editor is of another copy of lexical, or lacks the node.
 */
export function registerDecisions(editor: LexicalEditor, config: DecisionsConfig): () => void {
  if (!isLexicalEditor(editor))
    throw new Error("deem: this editor is of another copy of lexical. Install lexical 0.52.0 once.");
  if (!editor.hasNodes([DecisionNode]))
    throw new Error("deem: the editor lacks DecisionNode.");
  return mergeRegister(
    guardCards(editor),
    registerCommands(editor),
    registerFocus(editor, config.awareness),
    markSelected(editor),
    liveCards(editor, config),
  );
}

/** Gives each card of the editor what it needs, as soon as the space is open. */
function liveCards(editor: LexicalEditor, { store, strings, nameOf }: DecisionsConfig): () => void {
  let open: SpaceStore | null = null;
  const equip = (el: Element | null): void => {
    if (el) Object.assign(el as DecisionCard, strings && { strings }, nameOf && { nameOf });
    if (el && open) (el as DecisionCard).store = open;
  };
  const opened = (space: SpaceStore | null): void => {
    open = space;
    editor.getRootElement()?.querySelectorAll("decision-card").forEach(equip);
  };
  // Who opens the space hears of its failure; the cards stay plain.
  if (store instanceof Promise) store.then(opened, () => {});
  else open = store;
  const handle = (id: string) => open?.decision(id);
  known.set(editor, {
    html: (id) => handle(id)?.readable(),
    markdown: (id) => handle(id)?.questionnaire(),
    // Before the relay is reached, what this device does not know may still be there.
    gone: (id) => open?.status().online === true && !handle(id)?.snapshot(),
  });
  return mergeRegister(
    editor.registerMutationListener(DecisionNode, (mutations) => {
      for (const key of mutations.keys()) equip(editor.getElementByKey(key));
    }),
    () => known.delete(editor),
  );
}

/** The selected card carries `data-selected`, for the host's style. */
function markSelected(editor: LexicalEditor): () => void {
  let marked: HTMLElement | null = null;
  return editor.registerUpdateListener(({ editorState }) => {
    const node = editorState.read($selectedCard);
    marked?.removeAttribute("data-selected");
    marked = node ? editor.getElementByKey(node.getKey()) : null;
    marked?.setAttribute("data-selected", "");
  });
}
