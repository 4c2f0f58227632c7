/**
 * The page without a network: a service worker keeps its files, the space keeps its records and
 * waiting edits, the document provider keeps the text. So a reload shows everything again.
 */
export async function keepFiles(): Promise<void> {
  if (!("serviceWorker" in navigator) || import.meta.env.DEV) return;
  try {
    await navigator.serviceWorker.register(new URL("sw.js", document.baseURI));
  } catch {
    // Not allowed here: the page works, but not after a reload without a network.
  }
}
