/**
 * The node of a decision in a Lexical document, alone: for every peer, viewer and server that must
 * keep it.
 * It stores which decision stands here and a line for where the record cannot be reached; the
 * record itself
 * comes from the space. It must hold no draft, no answer and no dependency beyond `lexical`.
 */
import {
  $create,
  $getState,
  $setState,
  createState,
  DecoratorNode,
  type DOMConversionOutput,
  type DOMExportOutput,
  type LexicalEditor,
  type LexicalNode,
} from "lexical";

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const decisionState = createState("decisionId", { parse: text });
const summaryState = createState("summary", { parse: text });

/** How an editor's decisions are written out where there is more to say than the summary. */
type Projector = (decisionId: string) => DocumentFragment | null;
const projectors = new WeakMap<LexicalEditor, Projector>();

/** Says how `editor` writes a decision as readable HTML; the extension does this. */
export function projectDecisions(editor: LexicalEditor, projector: Projector): () => void {
  projectors.set(editor, projector);
  return () => projectors.delete(editor);
}

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
    const whole = projectors.get(editor)?.(this.getDecisionId());
    if (whole) el.replaceChildren(whole);
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

/** The card's element with a light DOM that reads without script. */
function element(decisionId: string, summary: string): HTMLElement {
  const el = document.createElement("decision-card");
  el.setAttribute("decision", decisionId);
  const line = document.createElement("p");
  line.textContent = `Decision: ${summary}`;
  el.append(line);
  return el;
}

function $fromElement(el: HTMLElement): DOMConversionOutput {
  const said = el.dataset["summary"] ?? el.querySelector("p, h4")?.textContent ?? "";
  const node = $createDecisionNode(
    el.getAttribute("decision") ?? "",
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
