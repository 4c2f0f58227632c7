/**
 * A decision as plain HTML that reads without script: what leaves a document by copy or export, and
 * what a server puts into `<decision-card>`. Text only; marks as words.
 */
import type { CardSnapshot, Question } from "./types.js";

/** An element with its children; a string is text. */
export type Readable = string | ReadableElement;

/** The tag, then the children. */
export interface ReadableElement extends ReadonlyArray<Readable> {
  readonly 0: string;
}

/** What a decision says, as a list of elements. */
export function readable(snap: CardSnapshot): Readable[] {
  const { settled } = snap;
  const out = snap.definition.questions.flatMap((question): Readable[] => {
    const answer = settled?.answer.answers.find((one) => one.id === question.id);
    const chosen = new Set(answer?.chosen?.map((option) => option.id));
    const marks = answer?.marks ?? settled?.marks ?? snap.marks;
    return [
      ["h4", question.question],
      ...(question.context ? [["p", question.context] as const] : []),
      ...options(question, chosen, marks),
      ...(answer?.text === undefined ? [] : [["p", answer.text] as const]),
    ];
  });
  const why = settled?.why ? ` ${settled.why}` : "";
  return [...out, ["p", settled ? `Settled by ${settled.resolver}, ${settled.at}.${why}` : "Open."]];
}

function options(
  question: Question,
  chosen: ReadonlySet<string>,
  marks: CardSnapshot["marks"],
): Readable[] {
  if (question.options.length === 0) return [];
  const label = (id: string, text: string): Readable =>
    chosen.has(id) ? ["strong", `${text} (chosen)`] : text;
  const criteria = question.criteria ?? [];
  if (criteria.length === 0)
    return [["ul", ...question.options.map((one) => ["li", label(one.id, one.label)] as const)]];
  const head = ["tr", ["th", "Option"], ...criteria.map((one) => ["th", one.label] as const)] as const;
  const body = question.options.map(
    (option) =>
      [
        "tr",
        ["th", label(option.id, option.label)],
        ...criteria.map((one) => ["td", marks[`${option.id}/${one.id}`] ?? ""] as const),
      ] as const,
  );
  return [["table", ["thead", head], ["tbody", ...body]]];
}

const NAMED: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** The same as text, where there is no document: on a server. */
export const readableHtml = (one: Readable): string =>
  typeof one === "string"
    ? one.replace(/[&<>]/g, (char) => NAMED[char] ?? char)
    : `<${one[0]}>${one.slice(1).map(readableHtml).join("")}</${one[0]}>`;
