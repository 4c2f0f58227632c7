/** The host's node as it was before Deem: an id, a title, and where its answer is to be written. */
import {
  $create,
  $getState,
  $setState,
  createState,
  DecoratorNode,
  type LexicalNode,
  type SerializedLexicalNode,
} from "lexical";

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const idState = createState("id", { parse: text });
const titleState = createState("title", { parse: text });
const targetState = createState("target", { parse: text });

export class QuestionnaireNode extends DecoratorNode<null> {
  override $config() {
    return this.config("questionnaire", {
      extends: DecoratorNode,
      stateConfigs: [
        { flat: true, stateConfig: idState },
        { flat: true, stateConfig: titleState },
        { flat: true, stateConfig: targetState },
      ],
    });
  }

  getQuestionnaireId(): string {
    return $getState(this, idState);
  }

  override getTextContent(): string {
    return $getState(this, titleState);
  }

  /** The host's own frame and title round the card. */
  override createDOM(): HTMLElement {
    const frame = document.createElement("figure");
    frame.className = "questionnaire";
    const caption = document.createElement("figcaption");
    caption.textContent = $getState(this, titleState);
    const card = document.createElement("decision-card");
    card.setAttribute("decision", this.getQuestionnaireId());
    frame.append(caption, card);
    return frame;
  }

  override updateDOM(): false {
    return false;
  }

  override decorate(): null {
    return null;
  }

  override isInline(): false {
    return false;
  }
}

export type SerializedQuestionnaire = SerializedLexicalNode & {
  type: "questionnaire";
  id: string;
  title: string;
  target: string;
};

export function $createQuestionnaireNode(
  id: string,
  title: string,
  target: string,
): QuestionnaireNode {
  const node = $create(QuestionnaireNode);
  $setState(node, idState, id);
  $setState(node, titleState, title);
  $setState(node, targetState, target);
  return node;
}

export function $isQuestionnaireNode(
  node: LexicalNode | null | undefined,
): node is QuestionnaireNode {
  return node instanceof QuestionnaireNode;
}
