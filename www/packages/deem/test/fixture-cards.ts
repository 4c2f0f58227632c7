/** Cards in every state, for the element tests and the pictures. */
import type { Contested, Presence, Question, Settled } from "../src/types.js";
import { type Part } from "./fixture-handle.js";

export const workshop: Question = {
  id: "q1",
  header: "Workshop",
  question: "Where do we hold the summer workshop?",
  options: [
    { id: "barn", label: "Barn", description: "The Jansens’ farm, 20 minutes by bus" },
    { id: "library", label: "Library", description: "Main hall and two small rooms" },
    { id: "boathouse", label: "Boathouse", description: "Lovely, no heating" },
  ],
  multiple: false,
  criteria: [
    { id: "price", label: "Price" },
    { id: "reach", label: "Easy to reach" },
    { id: "rain", label: "Rain plan" },
  ],
};

const onboarding: Question = {
  id: "q1",
  header: "Onboarding",
  question: "How should onboarding work?",
  context: "New people arrive by invitation; most of them open the first link on a phone.",
  options: [],
  multiple: false,
  response: "text",
};

const meals: Question = {
  id: "q1",
  header: "Food",
  question: "Which meals do we cook together?",
  options: [
    { id: "fri", label: "Friday supper", description: "Soup and bread, people arrive until nine" },
    { id: "sat", label: "Saturday lunch" },
    { id: "sat2", label: "Saturday supper", description: "The long table, if it stays dry" },
    { id: "sun", label: "Sunday breakfast" },
  ],
  multiple: true,
};

const marks = {
  "barn/price": "yes",
  "barn/reach": "partly",
  "barn/rain": "no",
  "library/price": "partly",
  "library/reach": "yes",
  "library/rain": "yes",
  "boathouse/price": "yes",
  "boathouse/reach": "no",
  "boathouse/rain": "no",
} as const;

const ana: Presence = { person: "ana", name: "Ana", clientId: 1, self: true };
const ben: Presence = {
  person: "ben",
  name: "Ben",
  clientId: 2,
  self: false,
  question: "q1",
  cell: "barn/rain",
};
const cid: Presence = { person: "cid", name: "Cid", clientId: 3, self: false };

const guest = (name: string, at: number): Presence => ({
  person: name.toLowerCase(),
  name,
  clientId: 10 + at,
  self: false,
});

const contested: Contested[] = [
  {
    option: "library",
    criterion: "rain",
    stands: { mark: "yes", by: "ben", at: "2026-10-19T14:18:00.000Z", seq: 12 },
    lost: [{ mark: "no", by: "cid", at: "2026-10-19T14:18:02.000Z", seq: 13 }],
  },
];

const draft = { q1: { mode: "choices" as const, single: "library", picks: [], text: "" } };

const open: Part = {
  questions: [workshop],
  marks,
  draft,
  presence: [ana, ben, cid],
  contested,
  lens: [{ option: "boathouse", behind: ["barn"], flip: ["boathouse/reach"] }],
};

const text =
  "Two short steps: choose a space, invite one person. Everything else waits until it is needed.";

const settled: Settled = {
  generation: 2,
  answer: {
    answers: [
      {
        id: "q1",
        question: workshop.question,
        chosen: [{ id: "library", label: "Library" }],
        marks,
      },
    ],
  },
  resolver: "ana",
  at: "2026-10-19T14:20:00.000Z",
  why: "Everyone reaches it without a car, and we stay dry.",
  whyBy: "ana",
};

const earlier: Settled = {
  generation: 1,
  answer: {
    answers: [
      {
        id: "q1",
        question: workshop.question,
        chosen: [{ id: "barn", label: "Barn" }],
        marks: { "barn/price": "yes", "barn/reach": "yes", "library/price": "no" },
      },
    ],
  },
  resolver: "ben",
  at: "2026-09-02T09:05:00.000Z",
  why: "The farm was free that weekend.",
  whyBy: "ben",
};

const townHall = { id: "town", question: "q1", label: "Town hall" };

export const cards = {
  choice: {
    ...open,
    sync: { state: "device", pending: 1, online: true },
    rows: [
      ...workshop.options.map((one) => ({ ...one, question: "q1", state: "defined" as const })),
      { ...townHall, state: "pending" },
    ],
  },
  picture: { ...open },
  empty: { questions: [workshop], suggested: { id: "library", label: "Library" } },
  refused: {
    ...open,
    marks: { ...marks, "town/price": "yes", "town/rain": "partly" },
    rows: [
      ...workshop.options.map((one) => ({ ...one, question: "q1", state: "defined" as const })),
      { ...townHall, label: "library ", state: "duplicate", of: "library" },
    ],
    columns: [
      ...(workshop.criteria ?? []).map((one) => ({
        ...one,
        question: "q1",
        state: "defined" as const,
      })),
      { id: "food", question: "q1", label: "Kitchen", state: "defined" },
      { id: "quiet", question: "q1", label: "Quiet at night", state: "defined" },
      { id: "sleep", question: "q1", label: "Sleeping", state: "full" },
    ],
  },
  own: {
    ...open,
    contested: [],
    draft: {
      q1: {
        mode: "custom",
        single: "library",
        picks: [],
        text: "Two half days in the park, with the library as a roof.",
      },
    },
  },
  ownEmpty: {
    ...open,
    contested: [],
    draft: { q1: { mode: "custom", single: null, picks: [], text: "" } },
  },
  multiple: {
    questions: [meals],
    draft: { q1: { mode: "choices", single: null, picks: ["fri", "sat2"], text: "" } },
  },
  written: {
    questions: [onboarding],
    presence: [{ ...cid, question: "q1", field: "text" }],
    draft: { q1: { mode: "custom", single: null, picks: [], text } },
  },
  stale: {
    questions: [{ ...onboarding, context: "" }],
    presence: [cid],
    draft: { q1: { mode: "custom", single: null, picks: [], text } },
    sync: { state: "needs-you", pending: 0, online: true },
    save: {
      state: "stale",
      changed: [{ by: "cid", at: "2026-10-19T14:20:00.000Z", seq: 9 }],
      difference: [
        {
          kind: "text",
          where: "q1",
          before: "Three steps: choose a space, invite one person.",
          after: text,
        },
      ],
    },
  },
  staleChoice: {
    ...open,
    sync: { state: "needs-you", pending: 0, online: true },
    save: {
      state: "stale",
      changed: [{ by: "ben", at: "2026-10-19T14:20:00.000Z", seq: 9 }],
      difference: [
        { kind: "choice", where: "q1", before: "Barn", after: "Library" },
        { kind: "mark", where: "library/rain", before: null, after: "yes" },
      ],
    },
  },
  stalePartial: {
    ...open,
    sync: { state: "needs-you", pending: 0, online: true },
    save: {
      state: "stale",
      partial: true,
      changed: [{ by: "ben", at: "2026-10-19T14:20:00.000Z", seq: 312 }],
      difference: [{ kind: "mark", where: "library/rain", before: null, after: "yes" }],
    },
  },
  waiting: {
    ...open,
    sync: { state: "save-waiting", pending: 2, online: false },
    save: { state: "waiting", since: "2026-10-19T14:20:00.000Z" },
  },
  old: {
    ...open,
    sync: { state: "needs-you", pending: 0, online: true },
    save: { state: "old", since: "2026-10-18T14:20:00.000Z" },
    editable: false,
  },
  blocked: {
    ...open,
    sync: { state: "needs-you", pending: 1, online: true },
    save: { state: "blocked" },
    snippets: [{ id: "s1", code: "too-long", text: "Town hall, with the garden" }],
    editable: false,
  },
  lost: {
    ...open,
    status: "settled",
    settled,
    save: {
      state: "resolved",
      status: "settled",
      resolver: "ana",
      at: settled.at,
      answer: settled.answer,
    },
  },
  invalid: { ...open, save: { state: "refused", code: "invalid", reason: "two-choices" } },
  snippet: {
    ...open,
    sync: { state: "needs-you", pending: 0, online: true },
    snippets: [{ id: "s1", code: "old-generation", text: "Library, Rain plan: no" }],
  },
  full: {
    questions: [
      {
        ...workshop,
        options: [
          ...workshop.options,
          ...["Town hall", "Attic", "Park", "Old mill", "School", "Hotel", "Campsite"].map(
            (label, at) => ({ id: `more${at}`, label }),
          ),
        ],
        criteria: [
          ...(workshop.criteria ?? []),
          { id: "beds", label: "Enough beds for everybody" },
          { id: "food", label: "Kitchen" },
        ],
      },
    ],
    marks,
    draft,
  },
  long: {
    questions: [
      {
        ...workshop,
        header: "A header that does not fit beside the faces of those who are here, whatever the width",
        question:
          "Where do we hold the summer workshop if the farm cannot have us on the second weekend and Donaudampfschifffahrtsgesellschaftskapitänswitwenrente is due?",
        options: [
          {
            id: "barn",
            label: "The barn of the Jansens, with the meadow behind it and the loft above the stable",
            description:
              "Twenty minutes by bus, then ten on foot; the last bus leaves at a quarter to eleven, and somebody has to drive the tables there.",
          },
          { id: "library", label: "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz" },
        ],
        criteria: [
          { id: "price", label: "What it costs each of us in the end" },
          { id: "reach", label: "Erreichbarkeitsgarantieversprechen" },
        ],
      },
    ],
    marks: { "barn/price": "yes" },
    presence: [ana, ben, cid, ...["Dora", "Emil", "Fatma"].map((name, at) => guest(name, at))],
  },
  crowd: {
    ...open,
    presence: [
      ana,
      ben,
      { ...cid, question: "q1", cell: "barn/rain" },
      { ...ben, clientId: 9, person: "dora", name: "Dora", cell: "library/price" },
    ],
  },
  forbidden: {
    ...open,
    editable: false,
    sync: { state: "needs-you", pending: 1, online: true, code: "forbidden" },
  },
  sending: { ...open, sync: { state: "sending", pending: 2, online: true } },
  cannotStore: { ...open, sync: { state: "cannot-store", pending: 2, online: true } },
  notStored: { ...open, sync: { state: "not-stored", pending: 2, online: false } },
  reload: { ...open, editable: false, sync: { state: "reload", pending: 0, online: false } },
  discarded: { ...open, status: "discarded", history: [earlier] },
  expired: { ...open, status: "expired" },
  untouched: { questions: [workshop] },
  offline: { ...open, sync: { state: "device", pending: 2, online: false } },
  settled: {
    ...open,
    status: "settled",
    generation: 2,
    settled,
    history: [earlier],
    contested: [],
    lens: [],
  },
  settledUnseen: {
    ...open,
    status: "settled",
    settled: {
      ...settled,
      shown: { options: ["barn", "library"], criteria: ["price", "reach", "rain"] },
      pressedAt: "2026-10-18T08:00:00.000Z",
    },
    lens: [],
  },
  settledText: {
    questions: [onboarding],
    status: "settled",
    settled: {
      generation: 1,
      answer: { answers: [{ id: "q1", question: onboarding.question, text }] },
      resolver: "cid",
      at: settled.at,
    },
  },
  settledDraftWhy: {
    ...open,
    status: "settled",
    settled: {
      generation: 1,
      answer: settled.answer,
      resolver: "ana",
      at: settled.at,
      why: "The library is the only place that stays dry and that a bus reaches.",
    },
    history: [earlier],
    contested: [],
    lens: [],
  },
  verbatim: {
    questions: [
      {
        id: "q1",
        header: "Run",
        question: "Start the import of 312 orders?",
        context: "It takes about four minutes. Orders that are already here are left alone.",
        options: [
          { id: "yes", label: "Start it" },
          { id: "no", label: "Leave it" },
        ],
        multiple: false,
        verbatim: true,
      },
    ],
  },
  reopened: { questions: [workshop], status: "reopened", generation: 2, history: [earlier] },
  cancelled: { ...open, status: "cancelled", reason: "The funder chose the date for us." },
  viewer: { ...open, editable: false, sync: { state: "read-only", pending: 0, online: true } },
  several: {
    questions: [
      {
        id: "q1",
        header: "Day",
        question: "Which day?",
        options: [
          { id: "sat", label: "Saturday" },
          { id: "sun", label: "Sunday" },
        ],
        multiple: false,
      },
      { ...onboarding, id: "q2", header: "Start", question: "What do we open with?", context: "" },
    ],
  },
} satisfies Record<string, Part>;

export type CardName = keyof typeof cards;
