/**
 * Decisions in Markdown and MDX (B5.9): the whole projection is written, and of what is read the id
 * alone counts: the record comes from the space.
 */
import { $getEditor, type ElementNode, type LexicalNode } from "lexical";
import { $createDecisionNode, $isDecisionNode, DecisionNode, known } from "./node.js";

const NAMED: Record<string, string> = { amp: "&", quot: '"', lt: "<", gt: ">" };

const plain = (text = ""): string =>
  text.replace(/&#?(\w+);/g, (all, name: string) =>
    Number(name) ? String.fromCharCode(Number(name)) : (NAMED[name] ?? all),
  );

const escaped = (text: string): string =>
  text.replace(/[&"<>{}\n\r]/g, (one) => `&#${one.charCodeAt(0)};`);

/** What is known without the record, in the same shape. */
const outline = (id: string, summary: string): string =>
  `<Questionnaire id="${escaped(id)}">\n<Question prompt="${escaped(summary)}"/>\n</Questionnaire>`;

/**
 * A transformer for `$convertToMarkdownString` and `$convertFromMarkdownString` of
 * `@lexical/markdown`: put it before those that read HTML.
 */
export const DECISION = {
  type: "multiline-element" as const,
  dependencies: [DecisionNode],
  export: (node: LexicalNode): string | null => {
    if (!$isDecisionNode(node)) return null;
    const id = node.getDecisionId();
    return known.get($getEditor())?.markdown(id) ?? outline(id, node.getSummary());
  },
  regExpStart: /^\s*<Questionnaire\b(.*)/,
  regExpEnd: /<\/Questionnaire>\s*$/,
  replace: (
    root: ElementNode,
    _children: LexicalNode[] | null,
    start: string[],
    _end: string[] | null,
    between: string[] | null,
  ): boolean => {
    const text = [start[1], ...(between ?? [])].join("\n");
    const id = /^[^>]*?\sid="([^"]+)"/.exec(text)?.[1];
    if (!id) return false;
    const prompt = /<Question\b[^>]*?\sprompt="([^"]*)"/.exec(text)?.[1];
    root.append($createDecisionNode(plain(id), plain(prompt)));
    return true;
  },
};
