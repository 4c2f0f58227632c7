/**
 * What happens inside a card is the card's: without these the editor would take Ctrl+Z, Delete or a
 * paste in a cell for its own and change the document round the card (B5.3). Events go on to the
 * host's own listeners.
 */
import {
  $getPreviousSelection,
  $isRangeSelection,
  $setSelection,
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

const CARD = "decision-card, decision-matrix";

/** The card an event comes from, if it comes from inside one. */
export const cardOf = (event: Event | null): HTMLElement | undefined =>
  event
    ?.composedPath()
    .find((at): at is HTMLElement => at instanceof HTMLElement && at.matches(CARD));

const GUARDED = [
  KEY_DOWN_COMMAND,
  BEFORE_INPUT_COMMAND,
  INPUT_COMMAND,
  COPY_COMMAND,
  CUT_COMMAND,
  PASTE_COMMAND,
  DROP_COMMAND,
  DRAGSTART_COMMAND,
  COMPOSITION_START_COMMAND,
  COMPOSITION_END_COMMAND,
] as readonly LexicalCommand<Event | null>[];

/** Keeps the editor from what happens inside cards; for hosts with a node of their own. */
export function guardCards(editor: LexicalEditor): () => void {
  const inCard = (event: Event | null): boolean => cardOf(event) !== undefined;
  return mergeRegister(
    ...GUARDED.map((command) => editor.registerCommand(command, inCard, COMMAND_PRIORITY_CRITICAL)),
    editor.registerCommand(
      CLICK_COMMAND,
      (event) => inCard(event) && $stay(),
      COMMAND_PRIORITY_CRITICAL,
    ),
  );
}

/**
 * Where no text is selected the editor takes a tap for one on text, and before anybody is asked it
 * selects the text nearest to it: with that the focus would leave the card.
 */
function $stay(): true {
  const before = $getPreviousSelection();
  if (!$isRangeSelection(before)) $setSelection(before?.clone() ?? null);
  return true;
}
