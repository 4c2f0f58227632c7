/**
 * The stable binding of `@lexical/yjs` without React: an editor and a Yjs document kept equal, the
 * carets of others, and an undo of one's own steps.
 */
import {
  createUndoManager,
  createYjsBinding,
  initLocalState,
  type Provider,
  setLocalStateFocus,
  syncCursorPositions,
  syncLexicalUpdateToYjs,
  syncYjsChangesToLexical,
} from "@lexical/yjs";
import {
  BLUR_COMMAND,
  CAN_REDO_COMMAND,
  CAN_UNDO_COMMAND,
  COMMAND_PRIORITY_EDITOR,
  FOCUS_COMMAND,
  type LexicalEditor,
  mergeRegister,
  REDO_COMMAND,
  SKIP_COLLAB_TAG,
  UNDO_COMMAND,
} from "lexical";
import { type Doc, type Transaction, UndoManager, type YEvent } from "yjs";

/** How this person is shown to the others. */
export interface Writer {
  name: string;
  color: string;
}

/** Where `@lexical/react` puts the undo manager, and where `deem/lexical` looks for it. */
const UNDO_MANAGER = Symbol.for("@lexical/yjs/UndoManager");

export interface SharedText {
  /** Whether the shared document has no block. */
  isEmpty(): boolean;
  stop(): void;
}

/**
 * Shares the text of `editor` through `doc`. Call it before the provider has anything to tell: what
 * is in the document by then is not shown.
 */
export function shareText(
  editor: LexicalEditor,
  doc: Doc,
  provider: Provider,
  writer: Writer,
  carets: HTMLElement | null = null,
): SharedText {
  const documents = new Map([["text", doc]]);
  const binding = createYjsBinding({ editor, id: "text", doc, docMap: documents });
  binding.cursorsContainer = carets;
  const shared = binding.root.getSharedType();
  const changed = (events: YEvent<never>[], { origin }: Transaction): void => {
    if (origin === binding) return;
    syncYjsChangesToLexical(binding, provider, events, origin instanceof UndoManager);
  };
  shared.observeDeep(changed as never);
  const present = (): void => syncCursorPositions(binding, provider);
  provider.awareness.on("update", present);
  initLocalState(provider, writer.name, writer.color, false, {});
  const focus = (on: boolean) => (): boolean => {
    setLocalStateFocus(provider, writer.name, writer.color, on, {});
    return false;
  };
  const stop = mergeRegister(
    editor.registerUpdateListener((update) => {
      const { prevEditorState, editorState, dirtyElements, dirtyLeaves, normalizedNodes, tags } =
        update;
      if (tags.has(SKIP_COLLAB_TAG)) return;
      syncLexicalUpdateToYjs(
        binding,
        provider,
        prevEditorState,
        editorState,
        dirtyElements,
        dirtyLeaves,
        normalizedNodes,
        tags,
      );
    }),
    editor.registerCommand(FOCUS_COMMAND, focus(true), COMMAND_PRIORITY_EDITOR),
    editor.registerCommand(BLUR_COMMAND, focus(false), COMMAND_PRIORITY_EDITOR),
    undoOf(editor, createUndoManager(binding, shared)),
    () => provider.awareness.off("update", present),
    () => shared.unobserveDeep(changed as never),
  );
  return { isEmpty: () => shared.length === 0, stop };
}

/** Ctrl+Z takes back one's own steps, never those of others. */
function undoOf(editor: LexicalEditor, manager: UndoManager): () => void {
  const holder = editor as { [UNDO_MANAGER]?: UndoManager };
  holder[UNDO_MANAGER] = manager;
  const tell = (): void => {
    editor.dispatchCommand(CAN_UNDO_COMMAND, manager.undoStack.length > 0);
    editor.dispatchCommand(CAN_REDO_COMMAND, manager.redoStack.length > 0);
  };
  for (const event of ["stack-item-added", "stack-item-popped", "stack-cleared"] as const)
    manager.on(event, tell);
  const step = (run: () => unknown) => (): boolean => {
    run();
    return true;
  };
  return mergeRegister(
    editor.registerCommand(UNDO_COMMAND, step(() => manager.undo()), COMMAND_PRIORITY_EDITOR),
    editor.registerCommand(REDO_COMMAND, step(() => manager.redo()), COMMAND_PRIORITY_EDITOR),
    () => {
      delete holder[UNDO_MANAGER];
      manager.destroy();
    },
  );
}
