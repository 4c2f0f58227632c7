/**
 * A decision as the `<Questionnaire>` projection of docs/protocol.md (section 8), byte for byte as
 * `deem-formats` writes it; `tests/fixtures/projections.json` holds both to it. For documents that
 * are kept as Markdown or MDX.
 */
import type { CardSnapshot, Question, QuestionAnswer, Settled } from "./types.js";

/** The projection of a decision, without a line end after its last line. */
export function questionnaire(snap: CardSnapshot): string {
  const standing = snap.status === "settled" ? snap.settled : undefined;
  const saved = attrs({ by: standing?.resolver, at: standing && instant(standing.at) });
  const questions = snap.definition.questions.map((one, place) =>
    questionLines(one, place === 0, standing, snap.history),
  );
  const open = `<Questionnaire${attrs({ id: snap.id, status: snap.status })}${saved}>`;
  return [open, ...questions.flat(), "</Questionnaire>"].join("\n");
}

function questionLines(
  question: Question,
  first: boolean,
  standing: Settled | undefined,
  history: readonly Settled[],
): string[] {
  const why = ({ why: words, whyBy }: Settled): string =>
    first ? attrs({ why: words, whyBy }) : "";
  const kids: string[] = [];
  for (const { id, label, description } of question.options)
    kids.push(`Option${attrs({ id, label, description })}`);
  for (const { id, label } of question.criteria ?? []) kids.push(`Criterion${attrs({ id, label })}`);
  const part = (saved: Settled): QuestionAnswer | undefined =>
    saved.answer.answers.find((answer) => answer.id === question.id);
  const answer = standing && part(standing);
  if (standing && answer) kids.push(`Answer${answered(answer)}${why(standing)}`);
  history.forEach((saved, place) => {
    const earlier = part(saved);
    if (!earlier) return;
    const who = attrs({ by: saved.resolver, at: instant(saved.at) });
    kids.push(`Previous generation="${place + 1}"${answered(earlier)}${who}${why(saved)}`);
  });
  const { id, header, question: prompt, context, multiple, response, verbatim } = question;
  const flags = `${multiple ? " multiple" : ""}${attrs({ response })}${verbatim ? " verbatim" : ""}`;
  const open = `  <Question${attrs({ id, header, prompt, context })}${flags}`;
  const empty = kids.length === 0 && !standing && history.length === 0;
  if (empty) return [`${open}/>`];
  return [`${open}>`, ...kids.map((kid) => `    <${kid}/>`), "  </Question>"];
}

function answered({ chosen, text, marks, suggested }: QuestionAnswer): string {
  const value = chosen ? chosen.map((one) => one.label).join("; ") : (text ?? "");
  // Ids of older records may hold spaces, which would part them here.
  const choices = chosen?.map((one) => escaped(one.id).replaceAll(" ", "&#32;")).join(" ");
  const cells = Object.entries(marks ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  const list = cells.map(([cell, mark]) => `${cell}:${mark}`).join(" ");
  return `${attrs({ value })}${choices === undefined ? "" : ` choices="${choices}"`}${
    marks ? ` marks="${list}"` : ""
  }${suggested ? " suggested" : ""}`;
}

const attrs = (values: Record<string, string | undefined>): string =>
  Object.entries(values)
    .map(([name, value]) => (value === undefined ? "" : ` ${name}="${escaped(value)}"`))
    .join("");

const NAMED: Record<string, string> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };

/** What would end the value or the line, or mean something to MDX, is a character reference. */
const escaped = (text: string): string =>
  text.replace(
    /[&"<>{}\u2028\u2029\ufeff\p{Cc}]/gu,
    (one) => NAMED[one] ?? `&#${one.codePointAt(0)};`,
  );

const instant = (at: string): string => at.replace(".000Z", "Z");
