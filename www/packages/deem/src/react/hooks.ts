/** Hooks. What they give is the same object until something of it changed. */
import {
  createContext,
  createElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from "react";
import type {
  CardSnapshot,
  DecisionHandle,
  Mark,
  Presence,
  QuestionDraft,
  SpaceStatus,
  SpaceStore,
} from "../types.js";

const Space = createContext<SpaceStore | null>(null);
const NOBODY: readonly Presence[] = [];

/** Gives the open space to everything inside. It does not close it: who opened it does. */
export function DecisionsProvider(props: { store: SpaceStore; children?: ReactNode }): ReactNode {
  return createElement(Space.Provider, { value: props.store }, props.children);
}

/** The space of the nearest `DecisionsProvider`. */
export function useSpace(): SpaceStore {
  const store = useContext(Space);
  if (store === null)
    throw new Error("deem: put the component inside <DecisionsProvider store={...}>");
  return store;
}

/** The handle of a decision; its draft is live while a component that asks for it is mounted. */
function useHandle(id: string): DecisionHandle {
  const handle = useSpace().decision(id);
  useEffect(() => handle.open(), [handle]);
  return handle;
}

/** Follows one part of what a card shows. The part must be the same while nothing of it changed. */
function usePart<T>(handle: DecisionHandle, part: (snapshot: CardSnapshot | undefined) => T): T {
  const subscribe = useCallback((listener: () => void) => handle.subscribe(listener), [handle]);
  const read = (): T => part(handle.snapshot());
  return useSyncExternalStore(subscribe, read, read);
}

/** What `useDecision` gives. */
export interface DecisionView {
  /** Edits and acts. */
  handle: DecisionHandle;
  /** Everything a card shows; undefined until the record is known on this device. */
  snapshot: CardSnapshot | undefined;
}

/** One decision: what its card shows, and how to change it. */
export function useDecision(id: string): DecisionView {
  const handle = useHandle(id);
  return { handle, snapshot: usePart(handle, whole) };
}

const whole = (snapshot: CardSnapshot | undefined): CardSnapshot | undefined => snapshot;

/** The decisions of the space that are known here, newest first. */
export function useDecisions(): ReturnType<SpaceStore["decisions"]> {
  const store = useSpace();
  const read = () => store.decisions();
  return useSyncExternalStore((listener) => store.subscribe(listener), read, read);
}

/** How the draft of one question is edited. */
export interface DraftEdits {
  /** Sets or clears the single choice. */
  choose(option: string | null): void;
  /** Sets or clears one of several picks. */
  pick(option: string, on: boolean): void;
  /** The whole text as the field shows it; `caret` in UTF-16 units places repeated letters. */
  setText(text: string, caret?: number): void;
  /** Says which side counts: own words, or the choices. */
  setMode(mode: "choices" | "custom"): void;
  /** Claims the revision that is displayed (D4.2). */
  save(): void;
}

/** The draft of one question, by default of the first, and its edits. */
export function useDraft(
  id: string,
  question?: string,
): readonly [QuestionDraft | undefined, DraftEdits] {
  const handle = useHandle(id);
  const draft = usePart(
    handle,
    (snapshot) => snapshot?.draft[question ?? snapshot.definition.questions[0]?.id ?? ""],
  );
  const edits = useMemo<DraftEdits>(
    () => ({
      choose: (option) => handle.choose(option, question),
      pick: (option, on) => handle.pick(option, on),
      setText: (text, caret) => handle.setText(text, caret, question),
      setMode: (mode) => handle.setMode(mode, question),
      save: () => handle.save(),
    }),
    [handle, question],
  );
  return [draft, edits];
}

/** One cell, and how to set it; a component with it is drawn again only when that mark changes. */
export function useMark(
  id: string,
  option: string,
  criterion: string,
): readonly [Mark | undefined, (mark: Mark | null) => void] {
  const handle = useHandle(id);
  const mark = usePart(handle, (snapshot) => snapshot?.marks[`${option}/${criterion}`]);
  const set = useCallback(
    (next: Mark | null) => handle.setMark(option, criterion, next),
    [handle, option, criterion],
  );
  return [mark, set];
}

/** Who works at the decision now and where, this person included (`self`). */
export function usePresence(id: string): readonly Presence[] {
  return usePart(useHandle(id), (snapshot) => snapshot?.presence ?? NOBODY);
}

/** Whether the space is synced, and what waits. */
export function useSyncStatus(): SpaceStatus {
  const store = useSpace();
  const last = useRef<{ key: string; status: SpaceStatus } | null>(null);
  const read = (): SpaceStatus => {
    const status = store.status();
    const key = JSON.stringify(status);
    if (last.current?.key !== key) last.current = { key, status };
    return last.current.status;
  };
  return useSyncExternalStore((listener) => store.subscribe(listener), read, read);
}
