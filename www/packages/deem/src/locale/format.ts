/** Numbers, lists, plurals and instants of one language, by the platform's own tables. */

/** Words by plural category; a language gives those it has, `other` always. `#` is the number. */
export type Plurals = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

export interface Formats {
  number(n: number): string;
  list(items: string[]): string;
  plural(n: number, forms: Plurals): string;
  /** An RFC 3339 instant as a person reads it, without the year where it is this one. */
  when(at: string): string;
  /** Its day alone. */
  day(at: string): string;
}

export function formats(locale: string): Formats {
  const numbers = new Intl.NumberFormat(locale);
  const lists = new Intl.ListFormat(locale, { type: "conjunction" });
  const rules = new Intl.PluralRules(locale);
  const number = (n: number): string => numbers.format(n);
  const dated = (at: string, time: Intl.DateTimeFormatOptions): string => {
    const date = new Date(at);
    if (Number.isNaN(date.getTime())) return at;
    const year: Intl.DateTimeFormatOptions =
      date.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" };
    const options: Intl.DateTimeFormatOptions = { day: "numeric", month: "short", ...year };
    const day = date.toLocaleDateString(locale, options);
    return time.hour ? `${day} ${date.toLocaleTimeString(locale, time)}` : day;
  };
  return {
    number,
    list: (items) => lists.format(items),
    plural: (n, forms) => (forms[rules.select(n)] ?? forms.other).replace("#", number(n)),
    when: (at) => dated(at, { hour: "2-digit", minute: "2-digit" }),
    day: (at) => dated(at, {}),
  };
}
