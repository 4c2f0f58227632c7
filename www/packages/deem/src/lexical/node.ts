/**
 * The node of a decision in a Lexical document, alone: for every peer, viewer and server that must
 * keep it. It stores which decision stands here and a line for where the record cannot be reached;
 * the record itself comes from the space. It must hold no draft, no answer and no dependency beyond
 * `lexical`.
 *
 * Tried with a peer that lacks it: under the stable binding of `@lexical/yjs` such a peer loses
 * nothing while it reads, but one that came later cannot show the document, and what it types may
 * stand in place of a paragraph; under the experimental second binding it erases everybody's text.
 */
import {
  $create,
  $getEditor,
  $getState,
  $hasUpdateTag,
  $setState,
  createState,
  DecoratorNode,
  type DOMConversionOutput,
  type DOMExportOutput,
  type LexicalEditor,
  type LexicalNode,
  PASTE_TAG,
} from "lexical";
import type { Readable } from "../readable.js";

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const decisionState = createState("decisionId", { parse: text });
const summaryState = createState("summary", { parse: text });

/** What an editor that is connected to a space knows of its decisions. */
export interface Known {
  /** As readable HTML, where the record is known. */
  html(decisionId: string): readonly Readable[] | undefined;
  /** As a `<Questionnaire>`. */
  markdown(decisionId: string): string | undefined;
  /** Whether the space is known to have no such decision. */
  gone(decisionId: string): boolean;
}

/** Filled by the extension; an editor with the node alone is not in it. */
export const known = new WeakMap<LexicalEditor, Known>();

/** A decision in the document: its id and a summary to read where the record is not reached. */
export class DecisionNode extends DecoratorNode<null> {
  override $config() {
    return this.config("decision", {
      extends: DecoratorNode,
      stateConfigs: [
        { flat: true, stateConfig: decisionState },
        { flat: true, stateConfig: summaryState },
      ],
      importDOM: {
        "decision-card": (el: HTMLElement) =>
          el.hasAttribute("decision") ? { conversion: $fromElement, priority: 1 as const } : null,
      },
    });
  }

  /** The id of the decision. */
  getDecisionId(): string {
    return $getState(this, decisionState);
  }

  /** The question, as it was when the node was made. */
  getSummary(): string {
    return $getState(this, summaryState);
  }

  override createDOM(): HTMLElement {
    return element(this.getDecisionId(), this.getSummary());
  }

  override updateDOM(previous: this): boolean {
    return previous.getDecisionId() !== this.getDecisionId();
  }

  override exportDOM(editor: LexicalEditor): DOMExportOutput {
    const el = element(this.getDecisionId(), this.getSummary());
    const whole = known.get(editor)?.html(this.getDecisionId());
    if (whole) el.replaceChildren(...whole.map(written));
    return { element: el };
  }

  override getTextContent(): string {
    return `[Decision: ${this.getSummary()}]`;
  }

  override decorate(): null {
    return null;
  }

  override isInline(): false {
    return false;
  }
}

const written = (one: Readable): Node | string => {
  if (typeof one === "string") return one;
  const el = document.createElement(one[0]);
  el.append(...one.slice(1).map(written));
  return el;
};

/** The card's element with a light DOM that reads without script. */
function element(decisionId: string, summary: string): HTMLElement {
  const el = document.createElement("decision-card");
  el.setAttribute("decision", decisionId);
  el.append(written(["p", `Decision: ${summary}`]));
  return el;
}

function $fromElement(el: HTMLElement): DOMConversionOutput {
  const id = el.getAttribute("decision") ?? "";
  // Pasted into a space that does not have it: what the card said comes in as text (B5.5).
  if ($hasUpdateTag(PASTE_TAG) && known.get($getEditor())?.gone(id)) return { node: null };
  const said = el.querySelector("p, h4")?.textContent ?? "";
  const node = $createDecisionNode(
    id,
    said.replace(/^Decision: /, ""),
  );
  // The projection's own text stays out of the document: the node stands for it.
  return { node, after: () => [] };
}

export function $createDecisionNode(decisionId: string, summary: string): DecisionNode {
  const node = $create(DecisionNode);
  $setState(node, decisionState, decisionId);
  $setState(node, summaryState, summary);
  return node;
}

export function $isDecisionNode(node: LexicalNode | null | undefined): node is DecisionNode {
  return node instanceof DecisionNode;
}
