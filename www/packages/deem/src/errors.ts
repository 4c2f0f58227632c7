import type { DeemErrorShape } from "./types.js";

/** A refusal or failure with its code of codes.json and the values that explain it. */
export class DeemError extends Error implements DeemErrorShape {
  /** A code of codes.json, or `closed`. */
  readonly code: string;
  [value: string]: unknown;

  constructor(shape: { code: string; message?: string; [value: string]: unknown }) {
    super(shape.message ?? shape.code);
    Object.assign(this, shape);
    this.name = "DeemError";
    this.code = shape.code;
  }
}

function isShape(value: unknown): value is { code: string; message?: string } {
  return typeof (value as { code?: unknown } | null | undefined)?.code === "string";
}

/** What the engine threw, as a `DeemError` where it is one. */
export function asDeemError(thrown: unknown): unknown {
  if (thrown instanceof Error || !isShape(thrown)) return thrown;
  return new DeemError({ ...thrown });
}
