/** The text of the plan, and which decisions stand below which paragraph. */

export interface Passage {
  heading?: string;
  text: string;
  /** The decisions that stand below this passage. */
  decisions?: readonly string[];
}

export interface Plan {
  title: string;
  passages: readonly Passage[];
}

/** The design choices of this repository (docs/adr), for a space that holds them. */
export const BUILT: Plan = {
  title: "How Deem is built",
  passages: [
    {
      text: "These are the choices behind Deem itself: what was asked, what each way was judged by, and why one was taken. They stand in docs/adr as well, where they can be read without this page. The text is shared, so change it; a card changes only by its own rules.",
    },
    {
      heading: "Still open",
      text: "Three things are not decided. Mark what you know and leave a cell empty where you do not: an empty cell does not mean no. Whoever presses Save settles it for everyone.",
      decisions: ["adr-0015", "adr-0016", "adr-0014"],
    },
    {
      heading: "What a Save means",
      text: "A Save names what was on the screen, and the relay refuses it if the draft has moved since. What it acknowledges is on disk before anybody else sees it.",
      decisions: ["adr-0004", "adr-0012"],
    },
    {
      heading: "Where things are kept",
      text: "One folder, one writer, and nothing acknowledged is ever lost. A browser keeps what it typed until the relay has said that it has it.",
      decisions: ["adr-0001", "adr-0013", "adr-0003", "adr-0011"],
    },
    {
      heading: "One draft, many hands",
      text: "A reopened decision starts over with an empty draft, and nothing from outside gets into a draft unread.",
      decisions: ["adr-0006", "adr-0005"],
    },
    {
      heading: "In the browser",
      text: "The same rules run in the page and on the relay. What waits, stores and reconnects round them is a thin shell.",
      decisions: ["adr-0007", "adr-0008", "adr-0017", "adr-0018"],
    },
    {
      heading: "On the wire",
      text: "The relay believes a token and nothing else about who speaks, and reads every frame itself.",
      decisions: ["adr-0009", "adr-0010"],
    },
  ],
};

/** A space without a plan of its own starts from an empty page. */
export const otherPlan = (space: string): Plan => ({
  title: space,
  passages: [
    { text: "This space has no plan yet. Write here, and put decisions where they belong." },
  ],
});

/** The plan to begin with in a space that has these decisions. */
export function planFor(space: string, decisions: readonly string[]): Plan {
  const choices = decisions.filter((id) => /^adr-\d{4}$/.test(id));
  if (choices.length === 0) return otherPlan(space);
  const placed = new Set(BUILT.passages.flatMap((passage) => passage.decisions ?? []));
  const later = choices.filter((id) => !placed.has(id)).sort();
  if (later.length === 0) return BUILT;
  const since = { heading: "Decided since", text: "These came after this text.", decisions: later };
  return { ...BUILT, passages: [...BUILT.passages, since] };
}
