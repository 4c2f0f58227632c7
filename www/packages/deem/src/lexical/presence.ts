/** Which card a person is in, in the presence of the host's own document. */

/** What is needed of the `Awareness` of y-protocols. */
export interface Awareness {
  /** What this person says of themselves, or null. */
  getLocalState(): object | null;
  /** Says one thing more. */
  setLocalStateField(field: string, value: unknown): void;
  /** Listens to changes. */
  on(event: "update", listener: () => void): void;
  /** Stops listening. */
  off(event: "update", listener: () => void): void;
}

/** The field of a person's state that holds the id of the card they are in, or null. */
const FIELD = "decision";

/**
 * Keeps the field in the local state: Lexical's binding replaces the whole state when it starts and
 * at every change of the selection (B5.8).
 */
export function keepPresence(awareness: Awareness) {
  let decision: string | null = null;
  const assert = (): void => {
    const state: { [FIELD]?: unknown } | null = awareness.getLocalState();
    // No state at all means "away" and stays so.
    if (state && state[FIELD] !== decision) awareness.setLocalStateField(FIELD, decision);
  };
  awareness.on("update", assert);
  assert();
  return {
    set: (id: string | null): void => {
      decision = id;
      assert();
    },
    stop: (): void => awareness.off("update", assert),
  };
}
