/** Numbers that come again from the same seed (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** A whole number from `low` up to, and not with, `high`. */
  const between = (low, high) => low + Math.floor(next() * (high - low));
  return { next, between, pick: (list) => list[between(0, list.length)] };
}
