/**
 * The few DOM helpers the elements share. Data enters the page only as text nodes and attributes.
 */

export type Attrs = Record<string, string | number | boolean | null | undefined>;
export type Kid = Node | string;

/** Makes an element with attributes and children; a string child becomes a text node. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attrs?: Attrs | null,
  ...kids: Kid[]
): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  if (attrs) set(el, attrs);
  el.append(...kids);
  return el;
}

/** Writes attributes that differ: null, undefined and false remove, true writes an empty value. */
export function set(el: Element, attrs: Attrs): void {
  for (const name in attrs) {
    const value = attrs[name];
    if (value === null || value === undefined || value === false) {
      if (el.hasAttribute(name)) el.removeAttribute(name);
      continue;
    }
    const wanted = value === true ? "" : String(value);
    if (el.getAttribute(name) !== wanted) el.setAttribute(name, wanted);
  }
}

/** Writes the text of a leaf element if it differs. */
export function say(el: Element, text: string): void {
  if (el.textContent !== text) el.textContent = text;
}

export function show(el: HTMLElement, on: boolean): void {
  if (el.hidden === on) el.hidden = !on;
}

/**
 * Brings `parent`'s children to `wanted`, in order, moving none that stands right: focus survives.
 */
export function arrange(parent: Element, wanted: readonly Element[]): void {
  const keep = new Set<Element>(wanted);
  for (const child of [...parent.children]) if (!keep.has(child)) child.remove();
  wanted.forEach((el, at) => {
    const now = parent.children[at];
    if (now !== el) parent.insertBefore(el, now ?? null);
  });
}

/** The element of each key, made once: what makes a list focus-stable over changes. */
export class Keyed<E extends Element> {
  readonly #made = new Map<string, E>();

  get(key: string): E | undefined {
    return this.#made.get(key);
  }

  /** Elements for `keys` in order; those of other keys are forgotten. */
  for(keys: readonly string[], make: (key: string) => E): E[] {
    const wanted = new Set(keys);
    for (const key of this.#made.keys()) if (!wanted.has(key)) this.#made.delete(key);
    return keys.map((key) => {
      let el = this.#made.get(key);
      if (el === undefined) this.#made.set(key, (el = make(key)));
      return el;
    });
  }
}

/** A part without inputs: built anew only when what it shows (`key`) has changed. */
export class Region<E extends HTMLElement> {
  #key = "";

  constructor(readonly el: E) {
    el.hidden = true;
  }

  render(key: string, build: () => Kid[]): void {
    if (key === this.#key) return;
    this.#key = key;
    this.el.replaceChildren(...(key === "" ? [] : build()));
    this.el.hidden = key === "";
  }
}

export function button(label: string, act: () => void, attrs?: Attrs): HTMLButtonElement {
  const el = h("button", { type: "button", ...attrs }, label);
  el.addEventListener("click", () => {
    if (el.getAttribute("aria-disabled") !== "true") act();
  });
  return el;
}

const SVG = "http://www.w3.org/2000/svg";

/** A 16 px drawing: `stroke` is drawn as a line, `fill` filled. */
export function icon(stroke: string, fill = ""): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  set(svg, { viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" });
  const line = document.createElementNS(SVG, "path");
  const area = document.createElementNS(SVG, "path");
  set(area, { class: "area" });
  svg.append(line, area);
  redraw(svg, stroke, fill);
  return svg;
}

export function redraw(svg: SVGSVGElement, stroke: string, fill = ""): void {
  const [line, area] = svg.children;
  if (line) set(line, { d: stroke || null });
  if (area) set(area, { d: fill || null });
}
