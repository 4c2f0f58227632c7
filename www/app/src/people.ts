/**
 * The people of the demo. Under `deem serve --dev` the address says who is here: `?user=demo:Ada`;
 * anybody else may be named as well.
 */
const ROSTER = ["demo:Ada", "demo:Ben", "demo:Ilse", "demo:Noor", "demo:Sam"];

const COLORS = ["#2f5bd7", "#4b7a2b", "#a3492f", "#7a4bb0", "#8a5a00"];

const asked = new URLSearchParams(location.search).get("user");

/** What the address names as a person and cannot be one. */
export const wrongUser = asked === null || /^\S{1,128}$/.test(asked) ? null : asked;

export const user = asked === null || wrongUser !== null ? "demo:Ada" : asked;

export function nameOf(person: string): string {
  const plain = person.replace(/^demo:/, "");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** The colour of a person's caret. */
export const colorOf = (person: string): string =>
  COLORS[(ROSTER.indexOf(person) + COLORS.length) % COLORS.length] ?? "#2f5bd7";

/** Somebody of the roster who is not `person`. */
export const somebodyElse = (person: string): string =>
  ROSTER.find((one) => one !== person) ?? "demo:Ben";

/** This page as somebody else. */
export function pageOf(person: string): URL {
  const url = new URL(location.href);
  url.searchParams.set("user", person);
  return url;
}

/** Fills the switcher; choosing someone opens the same page as them. */
export function personSwitcher(select: HTMLSelectElement): void {
  const people = ROSTER.includes(user) ? ROSTER : [user, ...ROSTER];
  for (const person of people)
    select.append(new Option(nameOf(person), person, false, person === user));
  select.addEventListener("change", () => location.assign(pageOf(select.value)));
}
