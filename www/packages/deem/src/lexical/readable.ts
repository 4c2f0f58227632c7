/**
 * A decision as plain HTML that reads without script: what leaves the document by copy or export.
 */
import type { CardSnapshot, Question } from "../types.js";

function tag(name: string, ...kids: (Node | string)[]): HTMLElement {
  const el = document.createElement(name);
  el.append(...kids);
  return el;
}

/** Text nodes only; marks as words. */
export function readable(snap: CardSnapshot): DocumentFragment {
  const out = document.createDocumentFragment();
  for (const question of snap.definition.questions) {
    out.append(tag("h4", question.question));
    if (question.context) out.append(tag("p", question.context));
    const settled = snap.settled?.answer.answers.find((answer) => answer.id === question.id);
    const marks = settled?.marks ?? snap.settled?.marks ?? snap.marks;
    const chosen = new Set((settled?.chosen ?? []).map((option) => option.id));
    out.append(...options(question, chosen, marks));
    if (settled?.text !== undefined) out.append(tag("p", settled.text));
  }
  const { settled } = snap;
  if (settled)
    out.append(
      tag(
        "p",
        `Settled by ${settled.resolver}, ${settled.at}.${settled.why ? ` ${settled.why}` : ""}`,
      ),
    );
  else out.append(tag("p", "Open."));
  return out;
}

function options(
  question: Question,
  chosen: ReadonlySet<string>,
  marks: CardSnapshot["marks"],
): HTMLElement[] {
  if (question.options.length === 0) return [];
  const label = (id: string, text: string): Node | string =>
    chosen.has(id) ? tag("strong", `${text} (chosen)`) : text;
  const criteria = question.criteria ?? [];
  if (criteria.length === 0)
    return [
      tag("ul", ...question.options.map((option) => tag("li", label(option.id, option.label)))),
    ];
  const head = tag(
    "tr",
    tag("th", "Option"),
    ...criteria.map((criterion) => tag("th", criterion.label)),
  );
  const body = question.options.map((option) =>
    tag(
      "tr",
      tag("th", label(option.id, option.label)),
      ...criteria.map((one) => tag("td", marks[`${option.id}/${one.id}`] ?? "")),
    ),
  );
  return [tag("table", tag("thead", head), tag("tbody", ...body))];
}
