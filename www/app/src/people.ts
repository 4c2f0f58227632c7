/** The people of the demo. Under `deem serve --dev` the address says who is here: `?user=ana`. */
const NAMES: Record<string, string> = {
  ana: "Ana",
  ben: "Ben",
  cid: "Cid",
  noor: "Noor",
  ilse: "Ilse",
};

const asked = new URLSearchParams(location.search).get("user");

/** What the address names as a person and cannot be one. */
export const wrongUser = asked === null || /^\S{1,128}$/.test(asked) ? null : asked;

export const user = asked === null || wrongUser !== null ? "ana" : asked;

export const nameOf = (person: string): string => NAMES[person] ?? person;

/** Fills the switcher; choosing someone opens the same page as them. */
export function personSwitcher(select: HTMLSelectElement): void {
  const people = Object.hasOwn(NAMES, user) ? Object.keys(NAMES) : [user, ...Object.keys(NAMES)];
  for (const person of people)
    select.append(new Option(nameOf(person), person, false, person === user));
  select.addEventListener("change", () => {
    const url = new URL(location.href);
    url.searchParams.set("user", select.value);
    location.assign(url);
  });
}
