import { openSpace } from "deem";
import { DecisionsProvider } from "deem/react";
import "deem/define";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.js";

// One space for the whole page, opened once and outside of React: StrictMode mounts everything twice.
const asked = new URLSearchParams(location.search);
const store = await openSpace({
  url: location.origin,
  space: asked.get("space") ?? "demo",
  user: asked.get("user") ?? "ada",
});

const root = document.getElementById("app");
if (!root) throw new Error("index.html has no #app");
createRoot(root).render(
  <StrictMode>
    <DecisionsProvider store={store}>
      <App />
    </DecisionsProvider>
  </StrictMode>,
);
