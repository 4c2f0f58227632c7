/** The text of the plan, and which decision stands below which paragraph. */
import seeds from "./seeds.json";

export interface Passage {
  heading?: string;
  text: string;
  /** The short name of the decision that stands below this passage. */
  decision?: string;
}

export const TITLE = "Summer gathering";

export const PLAN: readonly Passage[] = [
  {
    text: "We meet once a year, about forty people, one day of talks and one of walking. The place shapes the rest: food, sleeping, what happens if it rains.",
  },
  {
    heading: "The place",
    text: "Last year we paid for a hall and then stood outside it, because the weather was good and the hall was not. This year we look at four places and judge them by what went wrong: what it cost, who could not come without a car, and where we stood when it rained.",
    decision: "Workshop",
  },
  {
    heading: "Food",
    text: "Cooking together is the part people remember, and the part that wears out the same three of us. We choose the meals we make ourselves; the rest is bread, cheese and whoever passes a shop.",
    decision: "Food",
  },
  {
    heading: "The first evening",
    text: "People arrive between five and nine, tired and hungry. Whatever we do has to work with half of us there.",
    decision: "Opening",
  },
];

/** The design choices of this repository (docs/adr), in a space that holds them. */
export const BUILT = "How Deem is built";
export const BUILT_TEXT =
  "The choices behind Deem itself: what was asked, what each way was judged by, and why one was taken. They stand in docs/adr, where they can be read without this page.";
export const isBuilt = (id: string): boolean => /^adr-\d{4}$/.test(id);

/** A space without a plan of its own starts from an empty page. */
export const OTHER: readonly Passage[] = [
  { text: "This space has no plan yet. Write here, and put decisions where they belong." },
];

export type Seed = (typeof seeds)[number];
export { seeds };
