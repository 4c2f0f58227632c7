/** Every word the elements show, in Arabic: right to left, with all six plural forms. */
import type { CardSync, Mark, Status } from "../types.js";
import type { Strings } from "./en-more.js";
import { formats, type Plurals } from "./format.js";

const { number, list, plural, when, day } = formats("ar");
/** What people wrote, as an island of its own direction. */
const iso = (text: string): string => `\u2068${text}\u2069`;
const quote = (label: string): string => `«${iso(label)}»`;
const names = (people: string[]): string => list(people.map(iso));
const quoted = (labels: string[]): string => list(labels.map(quote));

const marks: Record<Mark, string> = { yes: "نعم", partly: "جزئيًا", no: "لا" };
const unmarked = "بلا تقييم";

const status: Record<Status, string> = {
  open: "مفتوح",
  reopened: "أُعيد فتحه",
  settled: "محسوم",
  discarded: "وُضع جانبًا",
  cancelled: "مسحوب",
  expired: "منتهٍ",
};

const reasons: Strings["reasons"] = {
  "too-long": "النص أطول من اللازم.",
  character: "فيه حرف لا تقبله التسميات.",
  unanswered: "لا جواب بعد.",
  "two-choices": "هذا القرار يقبل خيارًا واحدًا، والمختار أكثر من واحد.",
  duplicate: "هذا موجود من قبل.",
  full: "لم يبقَ مكان.",
  resolved: "القرار مغلق.",
  resolving: "شخص آخر يحفظ الآن. حاول مرة أخرى.",
  implementation: "يجري العمل على هذا المستند. حاول لاحقًا.",
  unavailable: "لا يمكن الوصول إلى الخادم. حاول مرة أخرى.",
  forbidden: "هذا غير مسموح لك هنا.",
  "old-generation": "هذا من جولة سابقة لهذا القرار.",
  restored: "استُعيد الخادم من نسخة سابقة لا تتضمن هذا.",
  superseded: "أُعيدت كتابة النص المحيط به في هذه الأثناء.",
};

const ofMarks: Plurals = {
  zero: "لا تقييم",
  one: "تقييم واحد",
  two: "تقييمان",
  few: "# تقييمات",
  many: "# تقييمًا",
  other: "# تقييم",
};

const ofCells: Plurals = {
  zero: "لا خلية",
  one: "خلية واحدة",
  two: "خليتين",
  few: "# خلايا",
  many: "# خلية",
  other: "# خلية",
};

export const ar: Strings = {
  lang: "ar",
  dir: "rtl",
  status,
  marks,
  unmarked,

  option: "الخيار",
  matrix: "الخيارات والمعايير",
  ownWords: "بكلماتي",
  keptText: (text) => `محفوظ ولا يُحتسب: ${iso(text)}`,
  kept: "محفوظ ولا يُحتسب",
  suggestedTag: "مقترح",
  advice: (label) => `المقترح: ${iso(label)}. لا يُحتسب إلا إذا حفظت.`,
  answer: "الجواب",
  answerIn: "الجواب بكلماتك",
  count: (used, most) => `${number(used)} من ${number(most)}`,
  rowState: {
    defined: "",
    pending: "لم يُشارك بعد",
    duplicate: "موجود من قبل",
    full: "لا مكان",
    "key-spent": "مرفوض",
    invalid: "مرفوض",
  },
  addedUnseen: "أُضيف أثناء الحفظ",

  addOption: "إضافة خيار",
  addCriterion: "إضافة معيار",
  optionHint: "خيار آخر",
  criterionHint: "ما المهم هنا؟ السعر مثلًا",
  add: "إضافة",
  done: "تم",
  mostOptions: (most) => `الحد الأقصى للخيارات ${number(most)}.`,
  mostCriteria: (most) => `الحد الأقصى للمعايير ${number(most)}.`,
  duplicateRow: (label, of) => `لم يُضف ${quote(label)}: هو موجود هنا باسم ${quote(of)}.`,
  fullRow: (label, most) => `لم يُضف ${quote(label)}: العدد بلغ ${number(most)}.`,
  refusedRow: (label) => `لم يُضف ${quote(label)}.`,
  itsMarks: (said) => `تقييمك له: ${said}.`,
  carry: (n, of) => `نقل ${plural(n, { ...ofMarks, two: "تقييمين" })} إلى ${quote(of)}`,
  hide: "إخفاء",

  here: (people) => `هنا الآن: ${names(people)}`,
  more: (n) => `+${number(n)}`,

  quote,
  behind: (options, on) =>
    on.length > 0
      ? ` أضعف من ${quoted(options)} في ${quoted(on)}، وليس أقوى في شيء.`
      : ` ليس أقوى من ${quoted(options)} في شيء، وأضعف في بعضها.`,
  flip: (cells) => ` يتغير ذلك بتغيير ${plural(cells.length, ofMarks)}: ${list(cells)}.`,
  flipThere: (option) => ` يتغير ذلك بتغيير تقييم ${quote(option)} هناك وحده.`,
  cell: (option, criterion) => `${quote(option)} في ${quote(criterion)}`,
  equal: (criteria) => `كل الخيارات متساوية في ${quoted(criteria)}.`,

  contestedLabel: "من قال ماذا",
  contestedTitle: (option, criterion) => `${iso(option)}، ${iso(criterion)}`,
  contestedSaid: (who, mark) =>
    mark === null ? `مسحه ${iso(who)}` : `قال ${iso(who)}: ${marks[mark]}`,
  contestedStands: (mark) =>
    `في الوقت نفسه. القائم الآن: ${mark === null ? unmarked : marks[mark]}.`,
  contestedShort: (parts, mark) =>
    `${list(parts)}، في الوقت نفسه؛ القائم الآن: ${mark === null ? unmarked : marks[mark]}`,
  contestedNote: (cells) =>
    `قُيّم تقييمًا مختلفًا في الوقت نفسه: ${list(cells)}. يُبقي الحفظ ما يظهر الآن.`,
  contestedAnswer: (question) => `في ${quote(question)} خانات قُيّمت تقييمًا مختلفًا في الوقت نفسه.`,
  setTo: (mark) => (mark === null ? "مسح التقييم" : `اجعله: ${marks[mark]}`),

  sync: (s: CardSync) => {
    const waits = s.pending > 0 ? ` · للإرسال: ${number(s.pending)}` : "";
    if (s.state === "synced" && !s.online) return "بلا اتصال · لا شيء للإرسال";
    const state = s.state === "cannot-store" && !s.online ? "device" : s.state;
    const text = {
      synced: "متزامن",
      device: `محفوظ على هذا الجهاز${waits}`,
      sending: "جارٍ الإرسال",
      "save-waiting": "الحفظ ينتظر",
      "needs-you": s.code === "forbidden" ? "لم يعد لك أن تغيّره" : "يحتاج إليك",
      "cannot-store": "الخادم لا يستطيع التخزين، وهو محفوظ هنا",
      "not-stored": "غير مخزّن",
      "read-only": "نسخة للقراءة فقط",
      reload: "أعد التحميل للتحديث",
    }[state];
    return s.online || s.state === "reload" ? text : `${text} · بلا اتصال`;
  },

  save: "حفظ",
  saveShown: "احفظ ما يظهر الآن",
  saveNow: "احفظه الآن",
  keepEditing: "متابعة التحرير",
  takeBack: "سحب الحفظ",
  close: "إغلاق",
  nothingToSave: {
    picked: "لم يُختر شيء بعد",
    written: "لم يُكتب شيء بعد",
    own: "كلماتك فارغة",
    several: "لم يكتمل الجواب بعد",
  },
  saveOnItsWay: "حفظك في الطريق",
  waitingTitle: "حفظك ينتظر الاتصال.",
  waitingText: (since) =>
    `ضُغط في ${iso(since)}. الجواب مثبت كما حفظته ويُرسل وحده. اسحبه لتتابع التحرير.`,
  oldTitle: "حفظك ينتظر منذ أكثر من يوم.",
  oldText: (since) => `ضُغط في ${iso(since)}. انظر إليه مرة أخرى، ثم احفظه أو اسحبه.`,
  blockedTitle: "حفظك متوقف.",
  blockedText: "رُفض تغيير قبله. اسحب الحفظ، ثم عالج المذكور هنا.",
  staleTitle: (people) =>
    `لم يُحفظ: تغيّر الجواب بعد أن قرأته. من غيّره: ${people.length > 0 ? names(people) : "شخص آخر"}.`,
  stalePartial:
    "ما قرأته قديم ولم يعد معروفًا كله: ربما غيّره آخرون أيضًا. اقرأ الجواب كاملًا قبل الحفظ.",
  staleNothing: "لا فرق الآن عما قرأته.",
  staleSpaces: "الفرق في المسافات أو فواصل الأسطر فقط.",
  resolvedTitle: (who, now) =>
    who === undefined
      ? `لم يُحفظ. حالة القرار الآن: ${status[now]}.`
      : `لم يُحفظ: حسمه ${iso(who)} أولًا.`,
  resolvedAnswer: (answer) => `الجواب هو ${quote(answer)}. `,
  resolvedText: "أعد فتح القرار لتغييره.",
  resolvedAgain: "أُغلق القرار أولًا. وهو مفتوح من جديد بمسودة جديدة.",
  refusedTitle: "لم يُحفظ.",
  added: "أُضيف",
  removed: "أُزيل",
  choice: "الاختيار",
  blankValue: "لا شيء",

  snippet: (text) => `محفوظ لك: ${quote(text)}.`,
  putBack: "أعده إلى مكانه",
  drop: "اتركه",

  reasons,
  reason: (code) => (reasons as Record<string, string>)[code] ?? `رُفض: ${code}.`,
  editRefused: "لم يتم هذا التغيير.",
  requestRefused: "لم يتم ذلك.",

  settledBy: (who, at) => `${iso(who)}، ${iso(at)}`,
  pressed: (at) => `ضُغط في ${iso(at)}، قبل عودة الاتصال`,
  imported: "مستورد",
  asSuggested: "كما اقتُرح",
  whyBy: (who) => `السبب بقلم ${iso(who)}`,
  whyDraft: "سبب مقترح، لم يتبنّه أحد بعد",
  addWhy: "إضافة سبب",
  editWhy: "تحرير",
  why: "السبب، في سطر واحد",
  saveWhy: "حفظ السبب",
  cancel: "إلغاء",
  earlier: "سابقًا: ",
  earlierItem: (answer, who, at) => `${iso(answer)}، ${iso(who)}، ${iso(at)}`,
  noAnswer: "بلا جواب",
  withdrawnBecause: (reason) => `مسحوب: ${iso(reason)}`,

  reopen: "إعادة الفتح",
  needsConnection: "هذا يحتاج إلى اتصال.",
  menu: "المزيد",
  keyboard: "لوحة المفاتيح",
  discard: "وضع القرار جانبًا",
  discardMenu: "وضع القرار جانبًا…",
  discardAsk: "هل يوضع هذا القرار جانبًا؟",
  discardText: "لا يمكن فتحه بعد ذلك. الأجوبة السابقة تبقى في السجل، والمسودة تزول.",
  reopenAsk: "هل يُعاد الفتح للجميع؟",
  reopenText: "ينتقل الجواب إلى السجل وتبدأ مسودة جديدة فارغة.",
  reopenYes: "إعادة الفتح للجميع",
  keepIt: "اتركه كما هو",

  help: [
    [["الأسهم"], "التنقل"],
    [["Home", "End"], "أول الصف أو آخره"],
    [["Ctrl Home", "Ctrl End"], "أول خلية أو آخر خلية"],
    [["المسافة"], "اختيار خيار، أو التقييم التالي"],
    [["Enter"], "التقييم التالي"],
    [["y", "p", "n"], "نعم، جزئيًا، لا"],
    [["Delete"], "مسح التقييم"],
    [["Ctrl Z"], "التراجع عن آخر تغيير لك"],
    [["Esc"], "مغادرة الجدول"],
  ],

  announce: (who, did) => {
    const acts = [
      ...(did.cells > 0 ? [`تقييم ${plural(did.cells, ofCells)}`] : []),
      ...(did.choice ? ["تغيير الاختيار"] : []),
      ...(did.text ? ["تغيير الجواب"] : []),
    ];
    return `${who.length > 0 ? names(who) : "شخص آخر"}: ${list(acts)}`;
  },
  announceSettled: (who) => `حسمه ${iso(who)}`,

  notes: "الملاحظات",
  addNote: "إضافة ملاحظة",
  copyLink: "نسخ الرابط",
  linkCopied: "نُسخ الرابط.",
  settledOn: (who, at) => `${iso(who)}، ${iso(at)}`,

  lost: (n) =>
    `فُقد من هذا الجهاز: ${plural(n, {
      zero: "لا تغيير",
      one: "تغيير واحد",
      two: "تغييران",
      few: "# تغييرات",
      many: "# تغييرًا",
      other: "# تغيير",
    })}.`,
  toSave: (n) =>
    plural(n, {
      zero: "لا أجوبة للحفظ",
      one: "جواب واحد للحفظ",
      two: "جوابان للحفظ",
      few: "# أجوبة للحفظ",
      many: "# جوابًا للحفظ",
      other: "# جواب للحفظ",
    }),
  saveAll: (n) =>
    plural(n, {
      zero: "حفظ",
      one: "حفظ",
      two: "حفظ جوابين",
      few: "حفظ # أجوبة",
      many: "حفظ # جوابًا",
      other: "حفظ # جواب",
    }),
  staleAnswer: (question) => `تغيّر ${quote(question)} بعد أن قرأته.`,
  heldAnswer: (question) => `${quote(question)} يحتاج إليك.`,
  blankAnswer: (question) => `${quote(question)} بلا جواب بعد.`,
  look: "عرض",

  unsupported: {
    wasm: "هذه الصفحة لا تسمح بـ WebAssembly، لذلك يمكن قراءة القرار هنا ولا يمكن تغييره.",
    browser: "هذا المتصفح قديم ولا يستطيع تغيير القرار هنا. القراءة ممكنة.",
    failed: "تعذّر فتح القرار هنا. هكذا كان عند كتابة الصفحة.",
    unknown: "لا يوجد قرار كهذا في هذه المساحة، أو لا يحق لك الاطلاع عليه.",
    unreached: "لا يوجد اتصال، وهذا القرار ليس على هذا الجهاز بعد. تجري إعادة المحاولة.",
  },

  list,
  when,
  day,
};
