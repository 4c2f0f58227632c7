/** Live cards in a host's own nodes: the store, the elements, and a guard for the keys. */
import "deem/define";
import { createEmptyHistoryState, registerHistory } from "@lexical/history";
import { registerRichText } from "@lexical/rich-text";
import { openSpace, type SpaceStore } from "deem";
import type { DecisionCard } from "deem/element";
import { guardCards } from "deem/lexical";
import {
  $createNodeSelection,
  $createParagraphNode,
  $createTextNode,
  $getNearestNodeFromDOMNode,
  $getRoot,
  $setSelection,
  createEditor,
  type LexicalEditor,
} from "lexical";
import {
  $createQuestionnaireNode,
  $isQuestionnaireNode,
  QuestionnaireNode,
} from "./questionnaire-node.js";

/** Gives each card what it needs, as its node is made; the rest is the card's own. */
function liveCards(editor: LexicalEditor, store: SpaceStore): void {
  guardCards(editor);
  editor.registerMutationListener(QuestionnaireNode, (changes) => {
    for (const key of changes.keys()) {
      const card = editor.getElementByKey(key)?.querySelector<DecisionCard>("decision-card");
      if (card) card.store = store;
    }
  });
  // Escape in a card: the node is selected and the editor has the keys again.
  editor.registerRootListener((root) =>
    root?.addEventListener("deem-leave", (event) => {
      event.preventDefault();
      const { target } = event;
      editor.update(() => {
        const node = target instanceof Node ? $getNearestNodeFromDOMNode(target) : null;
        if (!$isQuestionnaireNode(node)) return;
        const chosen = $createNodeSelection();
        chosen.add(node.getKey());
        $setSelection(chosen);
      });
      root.focus({ preventScroll: true });
    }),
  );
}

const asked = new URLSearchParams(location.search);
const root = document.getElementById("editor");
const editor = createEditor({
  namespace: "host",
  nodes: [QuestionnaireNode],
  onError: (error) => reportError(error),
});
registerRichText(editor);
registerHistory(editor, createEmptyHistoryState(), 300);
editor.setRootElement(root);

const store = openSpace({
  url: location.origin,
  space: asked.get("space") ?? "plan",
  user: asked.get("user") ?? "ada",
});
store.then((open) => liveCards(editor, open), reportError);

editor.update(
  () => {
    const line = (text: string) => $createParagraphNode().append($createTextNode(text));
    const id = asked.get("decision") ?? "";
    $getRoot().append(
      line("The host's text above."),
      $createQuestionnaireNode(id, "Questionnaire 7", "section-2"),
      line("The host's text below."),
    );
  },
  { discrete: true, tag: "history-merge" },
);
Object.assign(window, { editor });
