/** The keyboard map of the grid (B4), as a function of the key: what it does, without doing it. */
import type { Mark } from "../types.js";

export type GridAction =
  | { kind: "move"; rows: number; columns: number }
  | { kind: "edge"; end: boolean; grid: boolean }
  | { kind: "press"; key: "space" | "enter" }
  | { kind: "mark"; mark: Mark | null }
  | { kind: "help" }
  | { kind: "leave" };

export type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

const MARKS: Record<string, Mark | null> = {
  y: "yes",
  p: "partly",
  n: "no",
  Delete: null,
  Backspace: null,
};

export function gridAction(event: Key, rightToLeft: boolean): GridAction | null {
  const { key } = event;
  const command = event.ctrlKey || event.metaKey;
  if (event.altKey) return null;
  if (key === "Home" || key === "End") return { kind: "edge", end: key === "End", grid: command };
  if (command) return null;
  const forward = rightToLeft ? -1 : 1;
  switch (key) {
    case "ArrowUp":
      return { kind: "move", rows: -1, columns: 0 };
    case "ArrowDown":
      return { kind: "move", rows: 1, columns: 0 };
    case "ArrowRight":
      return { kind: "move", rows: 0, columns: forward };
    case "ArrowLeft":
      return { kind: "move", rows: 0, columns: -forward };
    case " ":
      return { kind: "press", key: "space" };
    case "Enter":
      return { kind: "press", key: "enter" };
    case "?":
      return { kind: "help" };
    case "Escape":
      return { kind: "leave" };
  }
  const mark = MARKS[key.length === 1 ? key.toLowerCase() : key];
  return mark === undefined ? null : { kind: "mark", mark };
}
