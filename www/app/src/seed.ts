/**
 * The first text of a space, written once: the relay takes a whole document from an admin only while
 * the room is empty, so of two pages that find it empty one is refused, and nothing stands there twice.
 */
import { $createHeadingNode, HeadingNode, QuoteNode } from "@lexical/rich-text";
import { createYjsBinding, type Provider, syncLexicalUpdateToYjs } from "@lexical/yjs";
import { $createDecisionNode, DecisionNode } from "deem/lexical";
import { $createParagraphNode, $createTextNode, $getRoot, createEditor } from "lexical";
import { Doc, encodeStateAsUpdate } from "yjs";
import { cuttableFetch } from "./network.js";
import { user } from "./people.js";
import { type Plan, planFor } from "./plan.js";

interface Listed {
  id: string;
  definition: { questions: { question: string }[] };
}

/** Writes the space's first text, unless somebody was faster. */
export async function seedPlan(space: string, name: string): Promise<void> {
  const address = `/v1/spaces/${encodeURIComponent(space)}`;
  const headers = { "x-deem-user": user, "x-deem-role": "admin" };
  const listed = await cuttableFetch(`${address}/decisions`, { headers });
  if (!listed.ok) return;
  const { decisions } = (await listed.json()) as { decisions: Listed[] };
  const questions = new Map(
    decisions.map((one) => [one.id, one.definition.questions[0]?.question ?? one.id]),
  );
  const body = updateOf(planFor(space, [...questions.keys()]), questions);
  await cuttableFetch(`${address}/docs/${name}`, {
    method: "PUT",
    headers: { ...headers, "content-type": "application/octet-stream" },
    body,
  });
}

/** The plan as one update of a Yjs document, as the editors of the page bind it. */
function updateOf(
  plan: Plan,
  questions: ReadonlyMap<string, string>,
): Uint8Array<ArrayBuffer> {
  const doc = new Doc();
  const editor = createEditor({ nodes: [HeadingNode, QuoteNode, DecisionNode] });
  const binding = createYjsBinding({ editor, id: "text", doc, docMap: new Map([["text", doc]]) });
  const nobody = { awareness: { getLocalState: () => null, getStates: () => new Map() } };
  editor.registerUpdateListener((update) =>
    syncLexicalUpdateToYjs(
      binding,
      nobody as unknown as Provider,
      update.prevEditorState,
      update.editorState,
      update.dirtyElements,
      update.dirtyLeaves,
      update.normalizedNodes,
      update.tags,
    ),
  );
  editor.update(() => $write(plan, questions), { discrete: true });
  return encodeStateAsUpdate(doc) as Uint8Array<ArrayBuffer>;
}

function $write(plan: Plan, questions: ReadonlyMap<string, string>): void {
  const root = $getRoot();
  root.append($createHeadingNode("h1").append($createTextNode(plan.title)));
  for (const { heading, text, decisions = [] } of plan.passages) {
    if (heading !== undefined)
      root.append($createHeadingNode("h2").append($createTextNode(heading)));
    root.append($createParagraphNode().append($createTextNode(text)));
    for (const id of decisions) {
      const question = questions.get(id);
      if (question !== undefined) root.append($createDecisionNode(id, question));
    }
  }
  root.append($createParagraphNode());
}
