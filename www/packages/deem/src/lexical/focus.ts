/** The way of the focus into a card and out of it (B5.4). */
import {
  $getNearestNodeFromDOMNode,
  type LexicalEditor,
  mergeRegister,
  SKIP_SCROLL_INTO_VIEW_TAG,
  SKIP_SELECTION_FOCUS_TAG,
} from "lexical";
import { $select, $selectedCard } from "./commands.js";
import { cardOf } from "./guards.js";
import { $isDecisionNode } from "./node.js";
import { type Awareness, keepPresence } from "./presence.js";

export function registerFocus(editor: LexicalEditor, awareness: Awareness | undefined): () => void {
  const presence = awareness && keepPresence(awareness);

  /** The focus moved within the editor: a card that it is in is selected. */
  const moved = (event: Event): void => {
    const card = event.type === "focusin" ? cardOf(event) : undefined;
    presence?.set(card?.getAttribute("decision") ?? null);
    if (card) select(editor, card, [SKIP_SELECTION_FOCUS_TAG]);
  };

  /** Escape in a card: back to the editor, with the card selected. */
  const left = (event: Event): void => {
    const card = cardOf(event);
    if (!card) return;
    event.preventDefault();
    select(editor, card, []);
    editor.getRootElement()?.focus({ preventScroll: true });
  };

  const listeners = [
    ["focusin", moved],
    ["focusout", moved],
    ["deem-leave", left],
  ] as const;
  return mergeRegister(
    editor.registerRootListener((root, before) => {
      for (const [kind, listener] of listeners) {
        before?.removeEventListener(kind, listener);
        root?.addEventListener(kind, listener);
      }
    }),
    () => presence?.stop(),
  );
}

function select(editor: LexicalEditor, card: HTMLElement, tags: string[]): void {
  editor.update(
    () => {
      const node = $getNearestNodeFromDOMNode(card);
      if ($isDecisionNode(node) && !node.is($selectedCard())) $select(node);
    },
    { tag: [SKIP_SCROLL_INTO_VIEW_TAG, ...tags] },
  );
}
