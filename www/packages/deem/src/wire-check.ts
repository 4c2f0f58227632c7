/**
 * That the hand-written shapes of `types.ts` are those of the Rust types: a difference does not
 * compile. Nothing of this is left at run time.
 */
import type * as Facade from "./types.js";
import type * as Wire from "./wire.js";

type Fits<A, B> = [A, keyof A] extends [B, keyof B] ? true : false;
type Same<A, B> = Fits<A, B> extends true ? Fits<B, A> : false;
type Holds<T extends true> = T;

/** One line a shape. */
export type Checked = [
  Holds<Same<Facade.Mark, Wire.Mark>>,
  Holds<Same<Facade.Status, Wire.Status>>,
  Holds<Same<Facade.OptionDef, Wire.OptionDef>>,
  Holds<Same<Facade.Criterion, Wire.Criterion>>,
  Holds<Same<Facade.Question, Wire.Question>>,
  Holds<Same<Facade.Definition, Wire.Definition>>,
  Holds<Same<Facade.QuestionAnswer, Wire.QuestionAnswer>>,
  Holds<Same<Facade.Answer, Wire.Answer>>,
  Holds<Same<Facade.Settled, Wire.Settled>>,
  Holds<Same<Facade.RowState, Wire.RowState>>,
  Holds<Same<Facade.Row, Wire.RowView>>,
  Holds<Same<Facade.QuestionDraft, Wire.QuestionView>>,
  Holds<Same<Facade.SyncState, Wire.SyncState>>,
  Holds<Same<Facade.CardSync, Wire.SyncView>>,
  Holds<Same<Facade.Difference, Wire.Difference>>,
  Holds<Same<Facade.SaveState, Wire.SaveView>>,
  Holds<Same<Facade.Snippet, Wire.SnippetView>>,
  Holds<Same<Facade.Presence, Wire.PresenceView>>,
  Holds<Same<Facade.Contested, Wire.Contested>>,
  Holds<Same<Facade.LensEntry, Wire.LensView>>,
  Holds<Same<Facade.CardSnapshot, Wire.CardSnapshot>>,
  Holds<Same<ReturnType<Facade.SpaceStore["decisions"]>[number], Wire.Listed>>,
];
