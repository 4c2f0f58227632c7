/**
 * The look of the elements. A host sets `--deem-*` variables and parts; colours follow the host's
 * `color-scheme`. The private names below are those variables with their defaults.
 */
const TOKENS = `
:host {
  display: block; margin-block: var(--deem-gap, 18px); text-align: start; white-space: normal; cursor: auto;
  font: inherit; font-size: var(--deem-font-size, .9375rem); line-height: 1.5; letter-spacing: normal;
  --paper: var(--deem-paper, light-dark(#ffffff, #17181b));
  --surface: var(--deem-surface, light-dark(#fbfbfa, #1d1f23));
  --sunken: var(--deem-sunken, light-dark(#f1f1ee, #26282e));
  --line: var(--deem-line, light-dark(#e4e3df, #33363d));
  --edge: var(--deem-edge, light-dark(#8b8e94, #7d8189));
  --ink: var(--deem-ink, light-dark(#1f2124, #ecebe8));
  --quiet: var(--deem-quiet, light-dark(#62656b, #a3a6ad));
  --accent: var(--deem-accent, light-dark(#2f5bd7, #8fb0ff));
  --on-accent: var(--deem-on-accent, light-dark(#ffffff, #10131a));
  --yes: var(--deem-yes, light-dark(#1b7f4b, #6fd3a0));
  --yes-bg: var(--deem-yes-bg, light-dark(#e3f4ea, #17382a));
  --partly: var(--deem-partly, light-dark(#8a5a00, #f0bf62));
  --partly-bg: var(--deem-partly-bg, light-dark(#fbf0d9, #3b2f15));
  --no: var(--deem-no, light-dark(#b3303b, #ff9aa0));
  --no-bg: var(--deem-no-bg, light-dark(#fbe6e7, #43202a));
  --pad: 18px;
  --tint: color-mix(in oklab, var(--accent) 7%, transparent);
}
:host([hidden]), [hidden] { display: none !important; }
*, ::before, ::after { box-sizing: border-box; }
[dir=auto]:not(textarea) { text-align: -webkit-match-parent; text-align: match-parent; }
p, ul, dl, dd, fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
.vh { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;

const FRAME = `
.card { container-type: inline-size; color: var(--ink); background: var(--surface); border: 1px solid var(--line); border-radius: var(--deem-radius, 12px); overflow: clip; }
.bare { background: none; border: 0; } .bare > :not(.body, .popover, .vh) { display: none; }
.head { display: flex; align-items: center; gap: 10px; min-height: 44px; padding: 8px var(--pad) 0; color: var(--quiet); font-size: .8667em; }
.head > .pill, .head > .header { padding-block: 6px; }
.head button { min-height: 32px; margin-block: -2px; } .head button:last-of-type { margin-inline-end: -8px; }
.pill { display: inline-flex; align-items: center; gap: 6px; white-space: nowrap; }
.pill::before { content: ""; width: 12px; height: 12px; border-radius: 50%; border: 2px solid var(--accent); }
.pill[data-status=settled]::before { border: 6px solid var(--yes); }
.pill:is([data-status=discarded], [data-status=cancelled], [data-status=expired])::before { border-color: var(--quiet); }
.header { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
.grow { flex: 1; }
.faces { display: flex; align-items: center; padding-inline-start: 5px; }
.more { padding-inline-start: 4px; }
.face { flex: none; width: 22px; height: 22px; border-radius: 50%; display: grid; place-items: center; font-size: 10px; font-weight: 600; line-height: 1; color: #fff; background: var(--who); border: 2px solid var(--surface); margin-inline-start: -5px; }
.question { font-size: 1.2em; line-height: 1.35; font-weight: 600; letter-spacing: -.005em; margin: 4px var(--pad) 12px; overflow-wrap: anywhere; border-radius: 4px; outline-offset: 3px; }
.subquestion { font-weight: 600; padding: 10px var(--pad); border-top: 1px solid var(--line); }
.context, .advice { margin: -6px var(--pad) 12px; color: var(--quiet); white-space: pre-line; overflow-wrap: anywhere; }
.advice { margin-block: 0 12px; font-size: .8667em; }
[data-dir=ltr] :is(.lens span, .note :is(p, b, li), .refused span, .by span, .reason, summary) { direction: ltr; unicode-bidi: isolate; }
.tag { font-size: .8em; font-weight: 400; color: var(--quiet); }
`;

const GRID = `
.grid { width: 100%; border-collapse: collapse; position: relative; z-index: 0; }
.grid thead th { width: clamp(58px, 12.5cqi, 92px); padding: 0 4px 8px; font-size: .8em; line-height: 1.25; font-weight: 500; color: var(--quiet); text-align: center; vertical-align: bottom; overflow-wrap: anywhere; hyphens: auto; }
.grid thead th .tag { display: block; font-size: 1em; font-style: italic; }
.grid thead .corner { width: auto; }
.grid thead th:last-child { padding-inline-end: 14px; }
.grid tbody tr, .row { border-top: 1px solid var(--line); }
.grid tbody th { padding: 0; font-weight: 400; text-align: start; }
.on { background: var(--tint); }
@container (min-width: 520.1px) { .grid .on { background: none; } .on th { position: relative; } .on th::before { content: ""; position: absolute; inset-block: 0; inset-inline-start: 0; z-index: -1; width: 100cqi; background: var(--tint); } }
.option { display: flex; gap: 12px; padding-block: 12px; padding-inline: var(--pad) 8px; }
.grid[data-live] .option, .choices .option:has(:enabled) { cursor: pointer; }
.words { display: block; min-width: 0; overflow-wrap: anywhere; }
.label { font-weight: 500; } .on .label { font-weight: 600; }
.line .tag { margin-inline-start: 4px; }
.about { display: block; color: var(--quiet); font-size: .8667em; line-height: 1.4; }
input[type=radio], input[type=checkbox] { appearance: none; flex: none; width: 18px; height: 18px; margin: 2px 0 0; border: 1.5px solid var(--edge); border-radius: 50%; background: none; cursor: inherit; display: grid; place-items: center; }
input[type=radio]:checked { border: 5.5px solid var(--accent); }
input[type=checkbox] { border-radius: 5px; }
input[type=checkbox]:checked { border: 9px solid var(--accent); position: relative; }
input[type=checkbox]:checked::before { content: ""; position: absolute; width: 4px; height: 8px; margin-top: -2px; border: solid var(--on-accent); border-width: 0 2px 2px 0; rotate: 45deg; }
[data-kept] .label { color: var(--quiet); font-weight: 400; } [data-kept] input:checked { border-color: var(--edge); }
.grid td { position: relative; padding: 6px 4px; text-align: center; }
.grid td:last-child { padding-inline-end: 14px; }
.grid[data-live]:not([aria-readonly]) td { cursor: pointer; }
.mark { position: relative; display: inline-grid; place-items: center; width: 44px; height: 34px; border-radius: 8px; color: var(--quiet); border: 1px dashed var(--line); vertical-align: middle; }
svg { width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
.area { fill: currentColor; stroke: none; }
[data-mark=none] svg { opacity: .7; }
[data-mark=yes] { --c: var(--yes); --b: var(--yes-bg); } [data-mark=partly] { --c: var(--partly); --b: var(--partly-bg); } [data-mark=no] { --c: var(--no); --b: var(--no-bg); }
:is([data-mark=yes], [data-mark=partly], [data-mark=no]) .mark { color: var(--c); background: var(--b); border: 1px solid transparent; }
.grid[data-live]:not([aria-readonly]) td:hover .mark { border: 1px solid color-mix(in oklab, currentColor 45%, transparent); }
td:focus, th:focus { outline: none; }
td:focus-visible .mark, .question:focus-visible, button:focus-visible, textarea:focus-visible, .line-form input:focus-visible, summary:focus-visible, .choices input:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
th:focus-visible .option { outline: 2px solid var(--accent); outline-offset: -4px; border-radius: 10px; }
[data-here] .mark { box-shadow: 0 0 0 2px var(--who); }
.mark .face { position: absolute; top: -9px; inset-inline-end: -9px; width: 18px; height: 18px; font-size: 9px; font-weight: 700; border: 0; }
.unlike { position: absolute; top: -6px; inset-inline-end: -6px; flex: none; width: 18px; height: 18px; display: grid; place-items: center; border-radius: 50%; color: var(--ink); background: var(--surface); border: 1.5px solid; }
.unlike svg { width: 11px; height: 11px; stroke-width: 2.25; opacity: 1; }
.unlike::after { content: ""; position: absolute; inset: -6px; }
[data-here] .unlike { inset-inline: -6px auto; }
.lens .unlike { position: relative; inset: 0; }
`;

const PARTS = `
.field { padding: 0 var(--pad) 12px; } .row ~ .field, .grid ~ .field, .choices ~ .field { padding-inline-start: calc(var(--pad) + 30px); background: var(--tint); }
textarea, .line-form input { display: block; width: 100%; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: 8px; padding: 10px 12px; }
textarea { min-height: 84px; resize: vertical; field-sizing: content; max-height: 60vh; }
textarea:read-only { background: none; border-style: dashed; }
::placeholder { color: var(--quiet); opacity: 1; }
.count { margin-top: 6px; font-size: .8em; color: var(--quiet); } .count[data-full] { color: var(--partly); font-weight: 600; }
.said { padding: 2px var(--pad) 14px; white-space: pre-line; overflow-wrap: anywhere; }
.grid ~ .said, .choices ~ .said { padding-inline-start: calc(var(--pad) + 30px); background: var(--tint); }
.lens, .refused { border-top: 1px solid var(--line); padding: 9px var(--pad); font-size: .8667em; color: var(--quiet); text-wrap: pretty; }
.lens p { display: flex; gap: 8px; padding-block: 1px; } .lens b { color: var(--ink); font-weight: 600; }
.foot { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 6px; padding: 10px 12px 12px; padding-inline: 8px 12px; border-top: 1px solid var(--line); }
.off { font-size: .8667em; color: var(--quiet); padding-inline: 6px; }
.acts { display: flex; flex-wrap: wrap; gap: 0 2px; }
.end { display: flex; flex-wrap: wrap; justify-content: flex-end; align-items: center; gap: 6px; margin-inline-start: auto; min-width: 0; }
button { font: inherit; font-size: .9333em; min-height: 34px; padding: 0 10px; border-radius: 8px; border: 1px solid transparent; background: none; color: var(--quiet); cursor: pointer; white-space: nowrap; }
button:hover:not([aria-disabled], :disabled) { background: var(--sunken); color: var(--ink); }
button.line { border-color: var(--line); color: var(--ink); background: var(--paper); }
button.save { background: var(--accent); color: var(--on-accent); font-weight: 600; padding: 0 18px; }
button.save:hover:not([aria-disabled]) { background: color-mix(in oklab, var(--accent) 88%, var(--ink)); color: var(--on-accent); }
button[aria-disabled=true], button:disabled { cursor: default; opacity: .6; }
button.save[aria-disabled=true] { opacity: 1; background: var(--sunken); color: var(--quiet); }
.state { display: inline-flex; align-items: center; gap: 6px; font-size: .8667em; color: var(--quiet); padding-inline: 6px; }
.state svg { flex: none; width: 14px; height: 14px; } .state:is([data-state=needs-you], [data-state=not-stored], [data-state=cannot-store]) { color: var(--partly); }
.by { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 8px; padding: 12px var(--pad) 0; border-top: 1px solid var(--line); font-size: .9333em; color: var(--quiet); }
.by .face { margin: 0; } .extra:not(:first-child)::before { content: "· " / ""; }
.settled { padding-bottom: 12px; } .settled:not(:has(> :not([hidden]))) { display: none; }
.why-line { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 8px; padding-block: 6px 0; padding-inline: var(--pad) 10px; }
p.why { overflow-wrap: anywhere; } .settled > p.why { padding: 6px var(--pad) 0; }
.plain { padding: 14px var(--pad); overflow: auto; } .plain:not(:has(.reason)):has(slot:empty) { border-style: dashed; }
.reason { margin-top: 10px; padding-top: 10px; border-top: 1px solid var(--line); font-size: .8667em; color: var(--quiet); }
.in-field:not(:empty)::before { content: "· " / ""; }
`;

/**
 * Under 520 px a row becomes a group: the option, then its marks as chips that carry their
 * criterion's name.
 */
const NARROW = `
@container (max-width: 520px) {
  .grid thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .grid, .grid tbody { display: block; }
  .grid tbody tr { display: grid; grid-template-columns: 1fr 1fr; gap: 6px; padding: 0 14px 12px; }
  .grid tbody tr:not(:has(td)) { padding-block-end: 0; }
  .grid tbody th { grid-column: 1 / -1; margin-inline: -14px; }
  .option { min-height: 44px; padding-inline-end: 18px; }
  .grid tr:has(td) .option { padding-block-end: 6px; }
  .grid td, .grid td:last-child { display: flex; flex-direction: row-reverse; align-items: center; justify-content: flex-end; gap: 8px; min-height: 44px; min-width: 0; padding: 4px 10px; border-radius: 8px; border: 1px dashed var(--line); text-align: start; }
  .grid td::before { content: attr(data-label); font-size: .8667em; line-height: 1.2; color: var(--ink); min-width: 0; overflow-wrap: anywhere; }
  .grid td:is([data-mark=yes], [data-mark=partly], [data-mark=no]) { background: var(--b); border: 1px solid transparent; }
  .grid[data-live]:not([aria-readonly]) td:hover .mark { border: 0; }
  td .mark { position: static; flex: none; width: 18px; height: 18px; background: none !important; border: 0 !important; box-shadow: none !important; outline: 0 !important; }
  td:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  td[data-here] { box-shadow: 0 0 0 2px var(--who); }
  .mark .face { inset-inline-end: -6px; } .grid td[data-contested] { padding-inline-end: 28px !important; } .mark .unlike { top: calc(50% - 9px); inset-inline: auto 6px; } .unlike::after { inset: -13px; }
  .row ~ .field, .grid ~ .field, .choices ~ .field, .grid ~ .said, .choices ~ .said { padding-inline-start: var(--pad); }
  .head { gap: 6px; } .head .grow { margin-inline-start: -6px; } .head button { padding-inline: 6px; } .head button + button { margin-inline-start: -4px; } .head button:last-of-type { margin-inline-end: -6px; }
  button, .head button { min-height: 44px; }
  .question, .context, .words, .grid td::before, .said, p.why { overflow-wrap: break-word; hyphens: auto; }
  .foot { padding-inline: 12px; gap: 8px 6px; } .foot .acts { flex: 1 0 100%; margin-inline: -4px; } .acts button { padding-inline: 8px; }
  .foot .end { flex: 1 1 auto; } .foot .state { flex: 99 1 auto; padding-inline: 2px; } .foot .save { flex: 1 1 92px; }
}
`;

const MEDIA = `
@media (forced-colors: active) {
  .acts { gap: 4px 6px; } .head { padding-bottom: 6px; } .head button { margin: 0 !important; } input[type=checkbox]:checked { border-width: 1.5px; } input[type=checkbox]:checked::before { border-color: CanvasText; } .mark, .face { border: 1px solid CanvasText; } .on { outline: 2px solid Highlight; outline-offset: -2px; } [data-here] .mark { outline: 2px solid CanvasText; }
  td:focus-visible .mark, th:focus-visible .option { outline-color: Highlight; } button { border-color: ButtonBorder; } button.placeholder { border: 0; }
  @container (max-width: 520px) { td[data-here] { outline: 2px solid CanvasText; } }
}
@media (prefers-reduced-motion: no-preference) { .mark, .grid td, .grid tbody tr, .row, button { transition: background-color .12s ease-out; } }
`;

/** What every card needs to be seen. */
export const CARD = TOKENS + FRAME + GRID + PARTS + NARROW + MEDIA;

const made = new Map<string, CSSStyleSheet>();

/** Gives `root` a sheet, after those it has; one sheet for all elements of a page. */
export function adopt(root: ShadowRoot, css: string): void {
  let sheet = made.get(css);
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    made.set(css, sheet);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}
