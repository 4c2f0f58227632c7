/** Makes an element with attributes and children; a string child becomes a text node. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attrs: Record<string, string> = {},
  ...kids: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs)) el.setAttribute(name, value);
  el.append(...kids);
  return el;
}

export function button(label: string, act: () => void, kind = ""): HTMLButtonElement {
  const el = h("button", { type: "button", class: kind }, label);
  el.addEventListener("click", act);
  return el;
}

/** An element of the page that must be there. */
export function part<E extends HTMLElement>(id: string, type: new () => E): E {
  const el = document.getElementById(id);
  if (!(el instanceof type)) throw new Error(`the page has no #${id}`);
  return el;
}
