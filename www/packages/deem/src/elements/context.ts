/**
 * What every part of a card is given: the decision, the words, and where this tab left the card.
 */
import type { FirstStrings } from "../locale/en.js";
import type { Strings } from "../locale/en-more.js";
import type { CardSnapshot, DecisionHandle, DeemErrorShape, Mark } from "../types.js";

/** The option column of a row, where a cell position needs a column. */
export const OPTION_COLUMN = "";
/** The row of the answer in own words. */
export const OWN_ROW = "*own";

export type Panel = "option" | "criterion" | "why" | "discard" | "reopen";

/**
 * Where this tab left a card. It belongs to the decision, not to the element: a card that is moved
 * in a
 * document becomes a new element and goes on where it was.
 */
export interface ViewState {
  cell: { row: string; column: string } | null;
  panel: Panel | null;
  /** What is half typed in a panel's field. */
  typed: Partial<Record<Panel, string>>;
  historyOpen: boolean;
  /** The card that has the focus: one that is moved in the document takes it along. */
  focused: HTMLElement | null;
  /** The generation whose draft this tab has edited. */
  edited: number | null;
  /** Why the last edit or request here did not happen. */
  problem: { of: "edit" | "request"; code: string } | null;
  busy: boolean;
}

const states = new WeakMap<DecisionHandle, ViewState>();

export function viewState(handle: DecisionHandle): ViewState {
  let state = states.get(handle);
  if (state === undefined) {
    state = {
      cell: null,
      panel: null,
      typed: {},
      historyOpen: false,
      focused: null,
      edited: null,
      problem: null,
      busy: false,
    };
    states.set(handle, state);
  }
  return state;
}

/** Did this tab edit the draft that is open now? Without making a state for every card there is. */
export const isEdited = (handle: DecisionHandle, generation: number): boolean =>
  states.get(handle)?.edited === generation;

export interface Context {
  /** The words of what is seen at first; what opens later has them all. */
  readonly t: FirstStrings;
  /** How marks are set: by the keys of a grid, or by one select per cell. */
  readonly mode: "grid" | "form";
  readonly handle: DecisionHandle;
  readonly ui: ViewState;
  snapshot(): CardSnapshot;
  /** The person as shown. */
  name(person: string): string;
  /** Makes a local edit; what it refuses is shown in the card. */
  edit(run: () => void): void;
  /** Sets marks, as one edit. */
  mark(cells: readonly { option: string; criterion: string; mark: Mark | null }[]): void;
  /** Makes a request of the relay; while it runs its buttons are off, its refusal is shown. */
  request(run: () => Promise<void>): void;
  /** Opens a panel, or closes it with null. */
  open(panel: Panel | null): void;
  /** Shows again what is shown. */
  refresh(): void;
  /** Leaves the card for what is around it. */
  leave(): void;
}

export interface MoreContext extends Context {
  readonly t: Strings;
}

export function codeOf(error: unknown): string {
  const shape = error as Partial<DeemErrorShape> | null;
  if (shape && typeof shape === "object") {
    if (shape.code === "invalid" && typeof shape["reason"] === "string") return shape["reason"];
    if (typeof shape.code === "string") return shape.code;
  }
  return "unknown";
}
