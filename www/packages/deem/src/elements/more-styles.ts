/** The look of what opens in a card, and of `mode="form"`. */
export const MORE = `
.line-form { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; padding-block: 8px; padding-inline: var(--pad) 12px; border-top: 1px solid var(--line); }
.line-form .room { flex: 1 0 100%; font-size: .8em; color: var(--quiet); } .room[data-full] { color: var(--partly); } .line-form input { flex: 1 1 180px; min-width: 0; width: auto; min-height: 34px; padding: 5px 10px; }
.refused p, .notes .note > p:not(.buttons):has(button) { display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; } .refused span, .note span { flex: 1 1 240px; overflow-wrap: anywhere; }
button.danger { color: var(--no); border-color: currentColor; background: var(--paper); }
.note { padding: 12px var(--pad); border-top: 1px solid var(--line); background: var(--partly-bg); font-size: .9333em; }
.note ul { margin-top: 6px; padding-inline-start: 18px; } .note del { color: var(--quiet); } .note ins { text-decoration: none; }
.note ul + p { margin-top: 6px; } .note li, .note p { overflow-wrap: anywhere; }
.buttons { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 8px; }
.why-line button { min-height: 28px; } .why-line .why[hidden] ~ button { margin-inline-start: -10px; }
.settled .line-form { border: 0; padding-bottom: 0; }
.prev { border-top: 1px solid var(--line); color: var(--quiet); font-size: .8667em; }
.prev summary { padding: 10px var(--pad); cursor: pointer; overflow-wrap: anywhere; border-radius: 8px; outline-offset: -4px !important; } .prev summary:hover { color: var(--ink); }
.prev-list { padding: 0 0 6px; } .entry > p { padding-inline: var(--pad); } .entry { padding-block: 6px 8px; } .entry > p:last-of-type { padding-block-end: 8px; } .entry + .entry { border-top: 1px solid var(--line); } .entry b { color: var(--ink); font-weight: 600; }
.popover { position: absolute; inset: auto; margin: 0; max-width: min(340px, calc(100vw - 16px)); padding: 12px 14px; font-size: .9333em; color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 10px; box-shadow: 0 8px 28px rgb(0 0 0 / .14); }
.popover:has(> .menu) { padding: 4px; } .menu { display: grid; } .menu button { text-align: start; color: var(--ink); }
.said-list { list-style: none; margin-block: 8px 6px; display: grid; gap: 6px; } .said-list li { display: flex; align-items: center; gap: 8px; } .said-list .face { margin: 0; } .said-list time { color: var(--quiet); font-size: .8667em; margin-inline-start: auto; padding-inline-start: 12px; }
.keys { display: grid; grid-template-columns: auto 1fr; gap: 6px 16px; margin-top: 8px; } .keys dd { color: var(--quiet); }
kbd { font: inherit; font-size: .8667em; padding: 1px 6px; border: 1px solid var(--line); border-radius: 5px; background: var(--surface); white-space: nowrap; }
select { appearance: none; width: 100%; min-height: 34px; padding: 0 22px 0 10px; padding-inline: 10px 22px; font: inherit; font-size: .8667em; color: var(--ink); text-align: start; background: none; border: 0; border-radius: 8px; cursor: pointer; }
select:disabled { cursor: default; opacity: 1; } option { color: var(--ink); background: var(--paper); }
.grid[data-form] thead th:not(.corner) { width: clamp(84px, 16cqi, 120px); } .grid[data-form] .mark { width: clamp(84px, 14cqi, 112px); height: auto; min-height: 34px; border: 1px solid var(--edge) !important; }
.grid[data-form] .mark::after { content: ""; position: absolute; inset-inline-end: 11px; width: 5px; height: 5px; margin-top: -3px; border: solid currentColor; border-width: 0 1.5px 1.5px 0; rotate: 45deg; pointer-events: none; }
.grid[data-form] .mark:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 2px; } select:focus-visible { outline: 0; }
@media (forced-colors: active) { .why-line .why ~ button { margin: 0 !important; } }
@container (max-width: 520px) {
  .line-form .room { flex: 1; text-align: end; padding-inline-end: 6px; }
  .prev summary { padding-block: 13px; } .line-form input, .why-line button { min-height: 44px; } .why-line .why ~ button { margin-inline-start: -10px; }
  .grid[data-form] .unlike { top: -17px; inset-inline-end: -22px; } .grid[data-form] [data-here] .unlike { top: 6px; } .grid[data-form] .unlike::after { inset: -12px; } .grid[data-form] td { flex-direction: column; align-items: stretch; gap: 0; padding: 8px 10px 0; } .grid[data-form] td .mark { position: relative; width: 100%; min-height: 44px; border: 0 !important; } .grid[data-form] select { min-height: 44px; padding: 0; } .grid[data-form] .mark::after { inset-inline-end: 3px; } .grid[data-form] td:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 2px; }
}
`;
