/**
 * What happens inside a card is the card's: without these the editor would take Ctrl+Z, Delete or a
 * paste in
 * a cell for its own and change the document round the card. Events go on to the host's own
 * listeners.
 */
import {
  BEFORE_INPUT_COMMAND,
  CLICK_COMMAND,
  COMMAND_PRIORITY_CRITICAL,
  COMPOSITION_END_COMMAND,
  COMPOSITION_START_COMMAND,
  COPY_COMMAND,
  CUT_COMMAND,
  DRAGSTART_COMMAND,
  DROP_COMMAND,
  INPUT_COMMAND,
  KEY_DOWN_COMMAND,
  type LexicalCommand,
  type LexicalEditor,
  mergeRegister,
  PASTE_COMMAND,
} from "lexical";

export const CARD = "decision-card, decision-matrix";

/** The card an event comes from, if it comes from inside one. */
export function cardOf(event: Event | null | undefined): HTMLElement | null {
  for (const at of event?.composedPath() ?? []) {
    if (at instanceof HTMLElement && at.matches(CARD)) return at;
  }
  return null;
}

const GUARDED = [
  KEY_DOWN_COMMAND,
  BEFORE_INPUT_COMMAND,
  INPUT_COMMAND,
  COPY_COMMAND,
  CUT_COMMAND,
  PASTE_COMMAND,
  DROP_COMMAND,
  DRAGSTART_COMMAND,
  CLICK_COMMAND,
  COMPOSITION_START_COMMAND,
  COMPOSITION_END_COMMAND,
] as readonly LexicalCommand<Event | null>[];

export function guardCards(editor: LexicalEditor): () => void {
  return mergeRegister(
    ...GUARDED.map((command) =>
      editor.registerCommand(command, (event) => cardOf(event) !== null, COMMAND_PRIORITY_CRITICAL),
    ),
  );
}
