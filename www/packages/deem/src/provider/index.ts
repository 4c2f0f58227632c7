/** Yjs documents in the document rooms of a space: prose beside the decisions, on the same socket. */
import { Doc } from "yjs";
import type { SpaceStore } from "../types.js";
import { DocumentProvider, type DocumentProviderOptions } from "./provider.js";

export {
  DocumentProvider,
  type DocumentProviderOptions,
  type ProviderEvents,
  type ProviderStatus,
} from "./provider.js";

/**
 * What Lexical's `CollaborationPlugin` and `createBinding` take as `providerFactory`: one document
 * per id, that Lexical itself connects.
 */
export function providerFactory(
  store: SpaceStore,
  options: Omit<DocumentProviderOptions, "connect"> = {},
): (id: string, documents: Map<string, Doc>) => DocumentProvider {
  return (id, documents) => {
    const doc = documents.get(id) ?? new Doc();
    documents.set(id, doc);
    return new DocumentProvider(store, id, doc, { ...options, connect: false });
  };
}
