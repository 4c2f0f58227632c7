/** React hooks and components: a provider for the open space, and what follows it. */
export { DecisionCard, DecisionMatrix, DecisionPage, type ElementProps, SaveBar } from "./elements.js";
export {
  type DecisionView,
  DecisionsProvider,
  type DraftEdits,
  useDecision,
  useDecisions,
  useDraft,
  useMark,
  usePresence,
  useSpace,
  useSyncStatus,
} from "./hooks.js";
