/** The look of the page of one decision, and of the Save bar. */
export const PLACES = `
:host(decision-page) { margin-block: 0; }
.page { --pad: 12px; max-width: 760px; margin-inline: auto; background: none; border: 0; border-radius: 0; overflow: visible; }
.bar { position: sticky; inset-block-start: 0; z-index: 1; display: flex; align-items: center; gap: 6px; padding: 8px var(--pad); background: var(--paper); border-bottom: 1px solid var(--line); font-size: .9333em; }
.crumbs { display: flex; gap: 8px; align-items: center; flex: 1; min-width: 0; color: var(--quiet); }
::slotted([slot=back]), ::slotted([slot=crumb]) { white-space: nowrap; color: inherit; text-decoration: none; } .page .by > span:not(.extra) + .extra::before { content: none; } .crumb-title::before { content: "/" / ""; margin-inline-end: 8px; color: var(--line); }
.crumb-title { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar-acts { display: flex; flex-wrap: wrap; align-items: center; justify-content: flex-end; gap: 6px; }
.page .head { padding-block-start: 22px; } .page .head > .header { display: none; }
.settler { display: inline-flex; align-items: center; gap: 8px; } .settler .face { margin: 0; }
.page .question { font-size: 1.7333em; line-height: 1.25; letter-spacing: -.015em; margin-block: 4px 16px; }
.page .body { border-block-end: 1px solid var(--line); } .page .grid thead th:last-child, .page .grid td:last-child { padding-inline-end: 6px; }
.page .body:has(.field:not([hidden]):only-child) { border: 0; }
.page > .acts { padding: 8px 2px 0; } .page .notes .note { margin: 0 var(--pad) 14px; border: 1px solid transparent; border-radius: 10px; }
.page .settled:has(> :not([hidden])) { display: block; padding-bottom: 4px; } .page .by { border: 0; padding-top: 10px; } .page .by:not(:has(.extra)), .page .by > :not(.extra) { display: none; } .page .bar [part=reopen] { border-color: var(--line); color: var(--ink); } .page .prev { border: 0; }
.link { overflow-wrap: anywhere; user-select: all; } .page-notes { padding: 26px var(--pad) 0; } .notes-title { margin: 0 0 6px; font-size: 1.0667em; font-weight: 600; }
button.placeholder { width: 100%; padding: 0; text-align: start; font-size: 1em; } button.placeholder:hover { background: none !important; }
:host(save-bar) { position: sticky; inset-block-end: 0; z-index: 2; margin: 0; } @media (min-width: 641px) { :host(save-bar:not([wide])) { display: none; } }
.save-bar { color: var(--ink); background: var(--paper); border-top: 1px solid var(--line); box-shadow: 0 -6px 24px rgb(0 0 0 / .08); padding: 10px 14px calc(10px + env(safe-area-inset-bottom)); }
.bar-list ul { list-style: none; display: grid; gap: 6px; } .bar-list { margin: -10px -14px 10px; padding: 10px 14px; background: var(--partly-bg); font-size: .8667em; } .bar-list li { display: flex; align-items: center; gap: 10px; } .bar-list span { flex: 1; overflow-wrap: anywhere; }
.bar-line { display: flex; align-items: center; gap: 12px; } .bar-words { flex: 1; display: grid; min-width: 0; } .bar-count { font-size: .9333em; font-weight: 600; } .bar-words .state { padding: 0; align-items: baseline; } .bar-words .state svg { translate: 0 2px; }
.save-bar button { min-height: 44px; } @media (max-width: 360px) { .bar-count { display: none; } }
@container (max-width: 520px) {
  .page .bar { flex-wrap: wrap; } .page .bar > [part=menu] { margin-inline-start: -8px; } .page .crumbs { flex: 1 0 100%; } .page .crumb-title { display: none; } .bar-acts { flex: 1; flex-wrap: nowrap; } .bar-acts .state { flex: 1; min-width: 0; } .bar-acts button { white-space: normal; }
}
`;
