/** Every word the elements show, in German. */
import type { CardSync, Mark, Status } from "../types.js";
import type { Strings } from "./en-more.js";
import { formats } from "./format.js";

const { number, list, plural, when, day } = formats("de-DE");
const quote = (label: string): string => `„${label}“`;
const quoted = (labels: string[]): string => list(labels.map(quote));

const marks: Record<Mark, string> = { yes: "ja", partly: "teils", no: "nein" };
const unmarked = "nicht bewertet";

const status: Record<Status, string> = {
  open: "Offen",
  reopened: "Wieder offen",
  settled: "Entschieden",
  discarded: "Beiseitegelegt",
  cancelled: "Zurückgezogen",
  expired: "Abgelaufen",
};

const reasons: Strings["reasons"] = {
  "too-long": "Das ist zu lang.",
  character: "Darin ist ein Zeichen, das hier nicht stehen darf.",
  unanswered: "Es gibt noch keine Antwort.",
  "two-choices": "Hier gilt eine Möglichkeit, gewählt sind mehrere.",
  duplicate: "Das gibt es schon.",
  full: "Es ist kein Platz mehr.",
  resolved: "Die Entscheidung ist geschlossen.",
  resolving: "Gerade speichert jemand. Bitte noch einmal versuchen.",
  implementation: "An diesem Dokument wird gearbeitet. Bitte später noch einmal versuchen.",
  unavailable: "Der Server ist nicht erreichbar. Bitte noch einmal versuchen.",
  forbidden: "Das ist hier nicht erlaubt.",
  "old-generation": "Das gehört zu einer früheren Runde dieser Entscheidung.",
  restored: "Der Server wurde aus einer früheren Kopie wiederhergestellt, in der das fehlt.",
  superseded: "Der Text ringsum wurde inzwischen neu geschrieben.",
};

export const de: Strings = {
  lang: "de",
  dir: "ltr",
  status,
  marks,
  unmarked,

  option: "Möglichkeit",
  matrix: "Möglichkeiten und Kriterien",
  ownWords: "Eigene Worte",
  keptText: (text) => `Bleibt erhalten, zählt nicht: ${text}`,
  kept: "bleibt erhalten, zählt nicht",
  suggestedTag: "vorgeschlagen",
  advice: (label) => `Vorschlag: ${label}. Er zählt nur, wenn du speicherst.`,
  answer: "Antwort",
  answerIn: "Antwort in eigenen Worten",
  count: (used, most) => `${number(used)} von ${number(most)}`,
  rowState: {
    defined: "",
    pending: "noch nicht geteilt",
    duplicate: "schon da",
    full: "kein Platz",
    "key-spent": "abgelehnt",
    invalid: "abgelehnt",
  },
  addedUnseen: "kam während des Speicherns dazu",

  addOption: "Möglichkeit hinzufügen",
  addCriterion: "Kriterium hinzufügen",
  optionHint: "Noch eine Möglichkeit",
  criterionHint: "Worauf kommt es an? Zum Beispiel der Preis",
  add: "Hinzufügen",
  done: "Fertig",
  mostOptions: (most) => `Mehr als ${number(most)} Möglichkeiten gehen nicht.`,
  mostCriteria: (most) => `Mehr als ${number(most)} Kriterien gehen nicht.`,
  duplicateRow: (label, of) =>
    `${quote(label)} kam nicht dazu: Das gibt es schon als ${quote(of)}.`,
  fullRow: (label, most) => `${quote(label)} kam nicht dazu: Es sind schon ${number(most)}.`,
  refusedRow: (label) => `${quote(label)} kam nicht dazu.`,
  itsMarks: (said) => `Deine Bewertung: ${said}.`,
  carry: (n, of) =>
    `${plural(n, { one: "# Bewertung", other: "# Bewertungen" })} zu ${quote(of)} übernehmen`,
  hide: "Ausblenden",

  here: (names) => list(names) + plural(names.length, { one: " ist hier", other: " sind hier" }),
  more: (n) => `+${number(n)}`,

  quote,
  behind: (options, on) =>
    on.length > 0
      ? ` ist bei ${quoted(on)} schlechter als ${quoted(options)} und nirgends besser.`
      : ` ist nirgends besser als ${quoted(options)} und irgendwo schlechter.`,
  flip: (cells) =>
    plural(cells.length, {
      one: " Eine andere Bewertung würde das ändern",
      other: " # andere Bewertungen würden das ändern",
    }) + `: ${list(cells)}.`,
  flipThere: (option) => ` Eine andere Bewertung von ${quote(option)} dort würde das ändern.`,
  cell: (option, criterion) => `${quote(option)} bei ${quote(criterion)}`,
  equal: (criteria) => `Bei ${quoted(criteria)} sind alle Möglichkeiten gleich.`,

  contestedLabel: "Wer was gesagt hat",
  contestedTitle: (option, criterion) => `${option}, ${criterion}`,
  contestedSaid: (who, mark) =>
    mark === null ? `${who} hat geleert` : `${who} sagt ${marks[mark]}`,
  contestedStands: (mark) =>
    `Zur selben Zeit. Es gilt: ${mark === null ? unmarked : marks[mark]}.`,
  contestedShort: (parts, mark) =>
    `${list(parts)}, zur selben Zeit; es gilt: ${mark === null ? unmarked : marks[mark]}`,
  contestedNote: (cells) =>
    `Zur selben Zeit verschieden bewertet: ${list(cells)}. Speichern behält, was zu sehen ist.`,
  contestedAnswer: (question) =>
    `Bei ${quote(question)} sind Zellen zur selben Zeit verschieden bewertet worden.`,
  setTo: (mark) => (mark === null ? "Leeren" : `Auf ${marks[mark]} setzen`),

  sync: (s: CardSync) => {
    const waits = s.pending > 0 ? ` · ${number(s.pending)} zu senden` : "";
    if (s.state === "synced" && !s.online) return "Offline · nichts zu senden";
    const state = s.state === "cannot-store" && !s.online ? "device" : s.state;
    const text = {
      synced: "Abgeglichen",
      device: `Auf diesem Gerät gesichert${waits}`,
      sending: "Wird gesendet",
      "save-waiting": "Speichern wartet",
      "needs-you": s.code === "forbidden" ? "Du darfst hier nicht mehr ändern" : "Braucht dich",
      "cannot-store": "Der Server kann nicht speichern, hier bleibt es erhalten",
      "not-stored": "Nicht gesichert",
      "read-only": "Nur zum Lesen",
      reload: "Zum Aktualisieren neu laden",
    }[state];
    return s.online || s.state === "reload" ? text : `${text} · offline`;
  },

  save: "Speichern",
  saveShown: "Speichern, was jetzt da steht",
  saveNow: "Jetzt speichern",
  keepEditing: "Weiter bearbeiten",
  takeBack: "Zurücknehmen",
  close: "Schließen",
  nothingToSave: {
    picked: "Noch nichts gewählt",
    written: "Noch nichts geschrieben",
    own: "Eigene Worte fehlen",
    several: "Noch nicht alles beantwortet",
  },
  saveOnItsWay: "Wird gerade gespeichert",
  waitingTitle: "Das Speichern wartet auf eine Verbindung.",
  waitingText: (since) =>
    `Gedrückt am ${since}. Die Antwort ist so festgehalten und geht von selbst hinaus. Nimm sie zurück, um weiter zu bearbeiten.`,
  oldTitle: "Das Speichern wartet seit mehr als einem Tag.",
  oldText: (since) =>
    `Gedrückt am ${since}. Sieh noch einmal hin, dann speichere oder nimm zurück.`,
  blockedTitle: "Das Speichern ist angehalten.",
  blockedText:
    "Eine Änderung davor wurde abgelehnt. Nimm das Speichern zurück und kläre dann, was hier steht.",
  staleTitle: (names) =>
    `Nicht gespeichert: ${names.length > 0 ? list(names) : "Jemand"} hat die Antwort geändert, nachdem du sie gelesen hast.`,
  stalePartial:
    "Was du gelesen hast, ist nicht mehr ganz bekannt: Auch andere können es geändert haben. Lies die ganze Antwort, bevor du speicherst.",
  staleNothing: "Jetzt steht darin wieder, was du gelesen hast.",
  staleSpaces: "Nur Leerzeichen oder Zeilenumbrüche sind anders.",
  resolvedTitle: (who, now) =>
    who === undefined
      ? `Nicht gespeichert. Stand der Entscheidung: ${status[now]}.`
      : `Nicht gespeichert: ${who} war schneller.`,
  resolvedAnswer: (answer) => `Die Antwort ist ${quote(answer)}. `,
  resolvedText: "Öffne die Entscheidung wieder, um sie zu ändern.",
  resolvedAgain: "Die Entscheidung war schon geschlossen. Jetzt ist sie wieder offen, von vorn.",
  refusedTitle: "Nicht gespeichert.",
  added: "dazu",
  removed: "weg",
  choice: "Wahl",
  blankValue: "nichts",

  snippet: (text) => `Für dich aufgehoben: ${quote(text)}.`,
  putBack: "Wieder einsetzen",
  drop: "Verwerfen",

  reasons,
  reason: (code) => (reasons as Record<string, string>)[code] ?? `Abgelehnt: ${code}.`,
  editRefused: "Diese Änderung ging nicht.",
  requestRefused: "Das ging nicht.",

  settledBy: (who, at) => `${who}, ${at}`,
  pressed: (at) => `gedrückt am ${at}, bevor die Verbindung wieder da war`,
  imported: "übernommen",
  asSuggested: "wie vorgeschlagen",
  whyBy: (who) => `Begründung von ${who}`,
  whyDraft: "Eine entworfene Begründung, noch niemandes Worte",
  addWhy: "Begründung hinzufügen",
  editWhy: "Bearbeiten",
  why: "Die Begründung, in einer Zeile",
  saveWhy: "Begründung speichern",
  cancel: "Abbrechen",
  earlier: "Früher: ",
  earlierItem: (answer, who, at) => `${answer}, von ${who}, ${at}`,
  noAnswer: "keine Antwort",
  withdrawnBecause: (reason) => `Zurückgezogen: ${reason}`,

  reopen: "Wieder öffnen",
  needsConnection: "Dafür braucht es eine Verbindung.",
  menu: "Mehr",
  keyboard: "Tastatur",
  discard: "Beiseitelegen",
  discardMenu: "Beiseitelegen …",
  discardAsk: "Diese Entscheidung beiseitelegen?",
  discardText:
    "Sie lässt sich nicht wieder öffnen. Frühere Antworten bleiben im Verlauf, der Entwurf geht verloren.",
  reopenAsk: "Für alle wieder öffnen?",
  reopenText: "Die Antwort geht in den Verlauf, und ein neuer, leerer Entwurf beginnt.",
  reopenYes: "Für alle wieder öffnen",
  keepIt: "So lassen",

  help: [
    [["Pfeile"], "Bewegen"],
    [["Pos1", "Ende"], "Zum Anfang oder Ende der Zeile"],
    [["Strg Pos1", "Strg Ende"], "Zur ersten oder letzten Zelle"],
    [["Leertaste"], "Möglichkeit wählen oder nächste Bewertung"],
    [["Eingabe"], "Nächste Bewertung"],
    [["y", "p", "n"], "Ja, teils, nein"],
    [["Entf"], "Bewertung leeren"],
    [["Strg Z"], "Letzte eigene Änderung rückgängig"],
    [["Esc"], "Tabelle verlassen"],
  ],

  announce: (who, did) => {
    const acts = [
      ...(did.cells > 0
        ? [plural(did.cells, { one: "# Zelle bewertet", other: "# Zellen bewertet" })]
        : []),
      ...(did.choice ? ["die Wahl geändert"] : []),
      ...(did.text ? ["die Antwort geändert"] : []),
    ];
    const people = who.length > 0 ? list(who) : "Jemand";
    return `${people} ${who.length > 1 ? "haben" : "hat"} ${list(acts)}`;
  },
  announceSettled: (who) => `Entschieden von ${who}`,

  notes: "Notizen",
  addNote: "Notiz hinzufügen",
  copyLink: "Link kopieren",
  linkCopied: "Der Link ist kopiert.",
  settledOn: (who, at) => `von ${who}, ${at}`,

  lost: (n) =>
    plural(n, {
      one: "# Änderung ist von diesem Gerät verschwunden.",
      other: "# Änderungen sind von diesem Gerät verschwunden.",
    }),
  toSave: (n) => plural(n, { one: "# Antwort zu speichern", other: "# Antworten zu speichern" }),
  saveAll: (n) => plural(n, { one: "Speichern", other: "# Antworten speichern" }),
  staleAnswer: (question) => `${quote(question)} hat sich geändert, nachdem du es gelesen hast.`,
  heldAnswer: (question) => `${quote(question)} braucht dich.`,
  blankAnswer: (question) => `${quote(question)} hat noch keine Antwort.`,
  look: "Ansehen",

  unsupported: {
    wasm: "Diese Seite lässt WebAssembly nicht zu. Die Entscheidung kann hier gelesen, aber nicht geändert werden.",
    browser: "Dieser Browser ist zu alt, um die Entscheidung zu ändern. Lesen geht.",
    failed:
      "Die Entscheidung ließ sich hier nicht öffnen. So sah sie aus, als die Seite geschrieben wurde.",
    unknown: "Diese Entscheidung gibt es in diesem Bereich nicht, oder sie ist nicht für Sie bestimmt.",
    unreached: "Keine Verbindung, und die Entscheidung liegt noch nicht auf diesem Gerät. Neuer Versuch läuft.",
  },

  list,
  when,
  day,
};
