/**
 * Keeps the page's files, for a reload without a network. `VERSION` and `FILES` are put before this
 * by the build; a new build is a new version, and the old one's files go when it takes over. What
 * is the relay's own (`/v1`, `/yjs`) is never touched: that is the engine's to keep.
 */
/* global VERSION, FILES */
self.addEventListener("install", (event) => {
  const kept = caches.open(VERSION).then((cache) => cache.addAll(FILES));
  event.waitUntil(kept.then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const swept = caches
    .keys()
    .then((names) =>
      Promise.all(
        names
          .filter((name) => name.startsWith("deem-demo-") && name !== VERSION)
          .map((name) => caches.delete(name)),
      ),
    );
  event.waitUntil(swept.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (/^\/(v1|yjs|healthz|metrics)\b/.test(url.pathname)) return;
  if (request.mode === "navigate") event.respondWith(freshPage(request));
  else event.respondWith(keptFile(request));
});

/** The page itself: the newest there is, else the one that was kept. */
async function freshPage(request) {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match("/", { cacheName: VERSION })) ?? Response.error();
  }
}

/** Files carry their content's hash in their names, so what was kept is right. */
async function keptFile(request) {
  return (await caches.match(request, { cacheName: VERSION })) ?? fetch(request);
}
