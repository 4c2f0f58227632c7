/**
 * Changes of a text field, as pure functions over UTF-16 units. A field shows a text, a person
 * edits
 * it, and the shared text may have moved meanwhile: what the person did is the difference from what
 * the
 * field last *showed*, placed again on what the text is now.
 */

/** At `at`, `drop` units go and `put` comes. */
export interface Splice {
  at: number;
  drop: number;
  put: string;
}

const low = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
};

/**
 * The smallest change from `before` to `after`. `caret` (after the change) places repeated letters:
 * what
 * stands behind it is unchanged where it can be. Never cuts inside a surrogate pair.
 */
export function splice(before: string, after: string, caret = after.length): Splice {
  const shorter = Math.min(before.length, after.length);
  const behind = Math.max(0, Math.min(shorter, after.length - caret));
  let tail = 0;
  while (tail < behind && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail += 1;
  let head = 0;
  while (head < shorter - tail && before[head] === after[head]) head += 1;
  while (
    tail < shorter - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail += 1;
  if (head > 0 && (low(before, head) || low(after, head))) head -= 1;
  if (tail > 0 && (low(before, before.length - tail) || low(after, after.length - tail))) tail -= 1;
  return {
    at: head,
    drop: before.length - tail - head,
    put: after.slice(head, after.length - tail),
  };
}

/**
 * Where a caret at `caret` is after `change`: behind what was put before it, at the edge of what
 * went.
 */
export function moved(caret: number, change: Splice): number {
  if (caret <= change.at) return caret;
  if (caret >= change.at + change.drop) return caret + change.put.length - change.drop;
  return change.at + change.put.length;
}

/**
 * `mine`, made on a text that `theirs` has changed meanwhile, placed on their result: what they
 * took out
 * stays out, what both replaced keeps both texts.
 */
export function rebased(mine: Splice, theirs: Splice): Splice {
  const end = mine.at + mine.drop;
  const theirEnd = theirs.at + theirs.drop;
  const grown = theirs.put.length - theirs.drop;
  if (end <= theirs.at) return mine;
  if (mine.at >= theirEnd) return { ...mine, at: mine.at + grown };
  if (mine.at < theirs.at) return { ...mine, drop: theirs.at - mine.at };
  const at = theirs.at + theirs.put.length;
  return { at, drop: Math.max(0, end - theirEnd), put: mine.put };
}

export function apply(text: string, change: Splice): string {
  return text.slice(0, change.at) + change.put + text.slice(change.at + change.drop);
}

/** The words that differ between two texts, in order: what a person needs to see of a change. */
export function hunks(before: string, after: string): { before: string; after: string }[] {
  const a = before.match(/\S+/g) ?? [];
  const b = after.match(/\S+/g) ?? [];
  const width = b.length + 1;
  // Longest common run of words, from the end; a text has at most 4,000 units, so at most 2,000
  // words.
  const common = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found: { before: string; after: string }[] = [];
  let gone: string[] = [];
  let come: string[] = [];
  const close = (behind?: string): void => {
    // A word or two replaced says little alone: the word behind it comes along.
    const context =
      behind !== undefined &&
      gone.length > 0 &&
      come.length > 0 &&
      Math.min(gone.length, come.length) < 3
        ? [behind.replace(/[\p{P}]+$/u, "")]
        : [];
    if (gone.length + come.length > 0)
      found.push({
        before: [...gone, ...context].join(" "),
        after: [...come, ...context].join(" "),
      });
    gone = [];
    come = [];
  };
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      close(a[i]);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1)))
      gone.push(a[i++] ?? "");
    else come.push(b[j++] ?? "");
  }
  close();
  return found;
}
