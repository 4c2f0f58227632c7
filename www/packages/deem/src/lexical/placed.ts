/** Which decisions of a space stand in the document, and which stand nowhere: the unplaced tray. */
import { $nodesOfType, type LexicalEditor, mergeRegister } from "lexical";
import type { SpaceStore } from "../types.js";
import { DecisionNode } from "./node.js";

type Listed = ReturnType<SpaceStore["decisions"]>;

/** The ids of the decisions that stand in the document. */
export function placedDecisions(editor: LexicalEditor): Set<string> {
  return editor.read(() => new Set($nodesOfType(DecisionNode).map((one) => one.getDecisionId())));
}

/**
 * Calls `listener` with the decisions that stand nowhere in the document, newest first, now and
 * whenever they change.
 */
export function registerUnplaced(
  editor: LexicalEditor,
  store: SpaceStore,
  listener: (unplaced: Listed) => void,
): () => void {
  let told = "";
  const tell = (): void => {
    const placed = placedDecisions(editor);
    const unplaced = store.decisions().filter((one) => !placed.has(one.id));
    const key = JSON.stringify(unplaced);
    if (key === told) return;
    told = key;
    listener(unplaced);
  };
  tell();
  return mergeRegister(
    editor.registerMutationListener(DecisionNode, tell, { skipInitialization: true }),
    store.subscribe(tell),
  );
}
