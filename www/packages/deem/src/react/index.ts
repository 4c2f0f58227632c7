/**
 * React bindings: a provider for the open space, hooks that follow it, and the card as a component.
 */
import {
  createContext,
  createElement,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useSyncExternalStore,
} from "react";
import type { DecisionCard as DecisionCardElement } from "../elements/index.js";
import type {
  CardSnapshot,
  DecisionHandle,
  Presence,
  QuestionDraft,
  SpaceStatus,
  SpaceStore,
} from "../types.js";

const Space = createContext<SpaceStore | null>(null);

export function DecisionsProvider(props: { store: SpaceStore; children?: ReactNode }): ReactNode {
  return createElement(Space.Provider, { value: props.store }, props.children);
}

function useStore(): SpaceStore {
  const store = useContext(Space);
  if (store === null)
    throw new Error("deem: put the component inside <DecisionsProvider store={...}>");
  return store;
}

/** The handle and what it shows now; the snapshot is undefined until the record is known here. */
export function useDecision(id: string): {
  handle: DecisionHandle;
  snapshot: CardSnapshot | undefined;
} {
  const handle = useStore().decision(id);
  useEffect(() => handle.open(), [handle]);
  const read = (): CardSnapshot | undefined => handle.snapshot();
  const snapshot = useSyncExternalStore((listener) => handle.subscribe(listener), read, read);
  return { handle, snapshot };
}

/** The draft of one question of a decision; by default of its first. */
export function useDraft(id: string, question?: string): QuestionDraft | undefined {
  const { snapshot } = useDecision(id);
  return snapshot?.draft[question ?? snapshot.definition.questions[0]?.id ?? ""];
}

/** One cell, and how to set it. */
export function useMark(id: string, option: string, criterion: string) {
  const { handle, snapshot } = useDecision(id);
  const set = (mark: "yes" | "partly" | "no" | null): void =>
    handle.setMark(option, criterion, mark);
  return [snapshot?.marks[`${option}/${criterion}`], set] as const;
}

export function usePresence(id: string): readonly Presence[] {
  return useDecision(id).snapshot?.presence ?? [];
}

export function useSyncStatus(): SpaceStatus {
  const store = useStore();
  const last = useRef<{ key: string; status: SpaceStatus } | null>(null);
  const read = (): SpaceStatus => {
    const status = store.status();
    const key = JSON.stringify(status);
    if (last.current?.key !== key) last.current = { key, status };
    return last.current.status;
  };
  return useSyncExternalStore((listener) => store.subscribe(listener), read, read);
}

/** `<decision-card>`; import `deem/define` once so that the element exists. */
export function DecisionCard(props: {
  decision: string;
  headingLevel?: number;
  nameOf?: (person: string) => string;
}): ReactNode {
  const store = useStore();
  const ref = useRef<DecisionCardElement>(null);
  const { nameOf } = props;
  useEffect(() => {
    const card = ref.current;
    if (card === null) return;
    card.nameOf = nameOf ?? null;
    card.store = store;
  }, [store, nameOf]);
  return createElement("decision-card", {
    ref,
    decision: props.decision,
    "heading-level": props.headingLevel,
  });
}
