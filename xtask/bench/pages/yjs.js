/** The same page as `deem.js`, on plain Yjs: the table of the HTML, a text in a cell a mark. */
import { WebsocketProvider } from "y-websocket";
import * as Y from "yjs";

const ask = new URLSearchParams(location.search);
const doc = new Y.Doc();
const url = `${ask.get("relay").replace("http", "ws")}/yjs/demo`;
new WebsocketProvider(url, ask.get("decision"), doc, {
  disableBc: true,
  params: { user: ask.get("user") },
  protocols: ["deem.yjs"],
});
const marks = doc.getMap("marks");
marks.observe((event) => {
  for (const key of event.keysChanged) {
    const cell = document.querySelector(`[data-cell="${key}"]`);
    cell.textContent = marks.get(key) ?? "not marked";
    cell.dataset.mark = marks.get(key) ?? "none";
  }
});
window.isShown = () => document.querySelector('[data-mark="yes"]') !== null;
