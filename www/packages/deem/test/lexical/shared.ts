/**
 * A plan whose prose is shared, with a live card in it: over a document room of the relay, over
 * Hocuspocus or over y-websocket. The card's draft always goes through the relay.
 */
import { HocuspocusProvider } from "@hocuspocus/provider";
import { registerRichText } from "@lexical/rich-text";
import type { Provider } from "@lexical/yjs";
import { openSpace, type SpaceStore } from "deem";
import { defineElements } from "deem/element";
import {
  $isDecisionNode,
  DecisionNode,
  INSERT_DECISION_COMMAND,
  REMOVE_DECISION_COMMAND,
  registerDecisions,
} from "deem/lexical";
import { DocumentProvider } from "deem/provider";
import {
  $createParagraphNode,
  $createTextNode,
  $getRoot,
  createEditor,
  type LexicalEditor,
  REDO_COMMAND,
  UNDO_COMMAND,
} from "lexical";
import { WebsocketProvider } from "y-websocket";
import { Doc, encodeStateAsUpdate } from "yjs";
import { shareText } from "../../../../app/src/collaboration.js";

interface StartOptions {
  user: string;
  space: string;
  prose: { kind: "relay" | "hocuspocus" | "y-websocket"; url: string; name: string };
  /** Whether the editor has the node and its cards; a peer of an older release has neither. */
  node?: boolean;
}

type SharedProvider = Provider & { synced: boolean };

/** The shapes differ a little from Lexical's in what their listeners may return. */
function providerOf(options: StartOptions, store: SpaceStore, doc: Doc): SharedProvider {
  const { kind, url, name } = options.prose;
  if (kind === "hocuspocus")
    return new HocuspocusProvider({ url, name, document: doc }) as unknown as SharedProvider;
  if (kind === "y-websocket") {
    const made = new WebsocketProvider(url, name, doc, { disableBc: true });
    return made as unknown as SharedProvider;
  }
  return new DocumentProvider(store, name, doc) as unknown as SharedProvider;
}

async function start(options: StartOptions): Promise<void> {
  defineElements();
  const root = document.createElement("div");
  root.contentEditable = "true";
  document.querySelector("main")?.append(root);
  const errors: string[] = [];
  const editor = createEditor({
    namespace: "shared",
    nodes: options.node === false ? [] : [DecisionNode],
    onError: (error) => errors.push(error.message),
  });
  registerRichText(editor);
  const store = await openSpace({ url: location.origin, space: options.space, user: options.user });
  const doc = new Doc();
  const provider = providerOf(options, store, doc);
  const { awareness } = provider;
  if (options.node !== false) registerDecisions(editor, { store, awareness: awareness as never });
  editor.setRootElement(root);
  shareText(editor, doc, provider, { name: options.user, color: "#2f5bd7" });
  Object.assign(window, { editor, root, store, doc, provider, errors, ...tools(editor, doc) });
  Object.assign(window, { states: () => [...awareness.getStates().values()] });
}

function tools(editor: LexicalEditor, doc: Doc) {
  const discrete = (run: () => void): void => editor.update(run, { discrete: true });
  return {
    write: (...lines: string[]) =>
      discrete(() => {
        $getRoot().clear();
        for (const text of lines)
          $getRoot().append($createParagraphNode().append($createTextNode(text)));
      }),
    addLine: (text: string) =>
      discrete(() => void $getRoot().append($createParagraphNode().append($createTextNode(text)))),
    caretIn: (index: number) => discrete(() => void $getRoot().getChildAtIndex(index)?.selectEnd()),
    insert: (decisionId: string, summary: string) =>
      editor.dispatchCommand(INSERT_DECISION_COMMAND, { decisionId, summary }),
    remove: (id: string) => editor.dispatchCommand(REMOVE_DECISION_COMMAND, id),
    undo: () => editor.dispatchCommand(UNDO_COMMAND, undefined),
    redo: () => editor.dispatchCommand(REDO_COMMAND, undefined),
    blocks: () =>
      editor.read(() =>
        $getRoot()
          .getChildren()
          .map((one) => ($isDecisionNode(one) ? `#${one.getDecisionId()}` : one.getTextContent())),
      ),
    /** What the shared document holds, whatever this editor can show of it. */
    raw: () => new TextDecoder("latin1").decode(encodeStateAsUpdate(doc)),
  };
}

Object.assign(window, { start });
