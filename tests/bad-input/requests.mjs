/**
 * Every call of the relay, over HTTP and on the socket, as one table: what a good body holds, field
 * by field. From it come the bodies that are wrong in each known way. A new call is covered by one
 * more line here; without the line `http.spec.mjs` fails.
 */

/** Types of JSON that a field is not, by the type that it is. */
const OTHERS = {
  text: [7, true, null, [], {}],
  id: [7, true, null, [], {}, "", "a b", "\u0000", "x".repeat(65), "../x"],
  question: [7, true, [], {}, "no-such-question", "a b", ""],
  op: [7, null, [], {}, "", "short", "no spaces", "x".repeat(65)],
  digest: [7, null, "", "0".repeat(63), "Z".repeat(64)],
  number: ["1", true, null, [], {}, -1, 1.5, 1e300, 2 ** 53],
  flag: ["true", 1, [], {}],
  word: [7, null, [], {}, "no-such-word"],
  list: ["x", 7, {}, [7], [null], [[]]],
  object: ["x", 7, true, [7]],
  instant: [7, "yesterday", "2026-13-01T00:00:00.000Z", {}],
};

/** A field: its type, a good value, and whether it may be missing. */
const field = (type, good, optional = false) => ({ type, good, optional });
const maybe = (type, good) => field(type, good, true);

const op = field("op", undefined);
const generation = maybe("number", 1);

/**
 * `address`: as docs/protocol.md has it. `kind`: of the same request on the socket. `body`: absent =
 * the call takes none. `role`: who may, where a writer may not. `refused`: well-shaped bodies that
 * break a rule, with the code and values of the refusal.
 */
export function calls({ option, criterion, digest }) {
  const marking = { set: "mark", option, criterion, mark: "yes" };
  return [
    {
      address: "POST /v1/spaces/{space}/decisions",
      kind: "question:open",
      body: {
        op,
        header: maybe("text", "Where"),
        question: field("text", "Where do we meet?"),
        context: maybe("text", "In June"),
        response: maybe("word", undefined),
        multiple: maybe("flag", false),
        options: maybe("list", [{ label: "Barn" }, { label: "Library", description: "Quiet" }]),
        criteria: maybe("list", [{ label: "Price" }]),
        anchor: maybe("anything", { block: 3 }),
      },
      refused: [
        [{ question: " " }, "invalid", { reason: "blank", field: "question" }],
        [{ question: "q".repeat(1001) }, "invalid", { reason: "too-long", max: 1000 }],
        [{ header: "h".repeat(81) }, "invalid", { reason: "too-long", max: 80 }],
        [{ question: "a\u202eb" }, "invalid", { reason: "character" }],
        [{ options: [{ label: "A" }, { label: " a " }] }, "invalid", { reason: "not-unique" }],
        [{ criteria: [] }, "invalid", { reason: "empty-list" }],
        [{ options: [{ label: "A", colour: 1 }] }, "malformed", {}],
        [{ criteria: [{ label: "P", description: "d" }] }, "malformed", {}],
      ],
    },
    {
      address: "POST .../decisions/{id}/edit",
      kind: "question:edit",
      body: {
        op,
        generation,
        question: maybe("question", undefined),
        edits: field("list", [marking]),
      },
      refused: [
        [{ generation: 7 }, "stale", { generation: 1 }],
        [{ edits: [{ ...marking, option: "none" }] }, "invalid", { reason: "unknown-option" }],
        [{ edits: [{ ...marking, criterion: "none" }] }, "invalid", { reason: "unknown-criterion" }],
        [{ edits: [{ set: "choice", option: "none" }] }, "invalid", { reason: "unknown-option" }],
        [{ edits: [marking, { set: "choice", option: "none" }] }, "invalid", {}],
        [{ edits: [{ ...marking, mark: "perhaps" }] }, "malformed", {}],
        [{ edits: [{ ...marking, by: "ada" }] }, "malformed", {}],
        [{ edits: [{ set: "mark" }] }, "malformed", {}],
        [{ edits: [{ set: "everything" }] }, "malformed", {}],
        [{ edits: [{ set: "pick", option, on: "yes" }] }, "malformed", {}],
        [{ edits: [{ set: "text", text: 7 }] }, "malformed", {}],
        [{ edits: Array(1001).fill(marking) }, "invalid", { field: "edits", reason: "too-long", max: 1000 }],
      ],
    },
    {
      address: "POST .../decisions/{id}/options",
      kind: "question:option",
      // On the socket the key is the token (P3).
      body: {
        op: { ...op, onlyHttp: true },
        key: field("text", "key-of-option"),
        question: maybe("question", undefined),
        label: field("text", "Town hall"),
        description: maybe("text", "Two rooms"),
      },
      refused: [
        [{ label: "\t" }, "invalid", { reason: "blank", field: "label" }],
        [{ label: "x".repeat(201) }, "invalid", { reason: "too-long", max: 200 }],
        [{ label: "a\u200bb" }, "invalid", { reason: "character" }],
        [{ label: "BARN" }, "duplicate", { of: option }],
        [{ key: "short" }, "invalid", { field: "key" }],
        [{ key: "no spaces here" }, "invalid", { field: "key" }],
        [{ key: "x".repeat(65) }, "invalid", { field: "key" }],
      ],
    },
    {
      address: "POST .../decisions/{id}/criteria",
      kind: "question:criterion",
      body: {
        op: { ...op, onlyHttp: true },
        key: field("text", "key-of-criterion"),
        question: maybe("question", undefined),
        label: field("text", "Room"),
      },
      refused: [
        [{ label: "" }, "invalid", { reason: "blank" }],
        [{ label: "x".repeat(41) }, "invalid", { reason: "too-long", max: 40 }],
        [{ label: "price" }, "duplicate", { of: criterion }],
        [{ description: "none" }, "malformed", {}],
      ],
    },
    {
      address: "POST .../decisions/{id}/suggest",
      kind: "question:suggest",
      user: "asker",
      body: { op, generation: field("number", 1), option: field("id-or-null", option) },
      refused: [
        [{ option: "none" }, "invalid", { reason: "unknown-option" }],
        [{ generation: 2 }, "stale", { generation: 1 }],
      ],
    },
    {
      address: "POST .../decisions/{id}/save",
      kind: "question:submit",
      body: {
        op,
        generation: field("number", 1),
        digest: field("digest", digest),
        shown: maybe("object", { options: [option], criteria: [criterion] }),
        seq: maybe("number", undefined),
        pressedAt: maybe("instant", undefined),
      },
      refused: [
        [{}, "invalid", { reason: "unanswered" }],
        [{ digest: "0".repeat(64) }, "stale", { generation: 1, changed: [], partial: true }],
        [{ generation: 2 }, "stale", { generation: 1 }],
        [{ shown: { options: [option], rows: [] } }, "malformed", {}],
        [{ shown: { options: [7], criteria: [] } }, "malformed", {}],
      ],
    },
    {
      address: "POST .../decisions/{id}/reopen",
      kind: "question:reopen",
      body: { op, generation },
      refused: [[{}, "not-decided", {}]],
    },
    {
      address: "POST .../decisions/{id}/discard",
      kind: "question:discard",
      body: { op, generation },
      refused: [[{ generation: 2 }, "stale", { generation: 1 }]],
    },
    {
      address: "POST .../decisions/{id}/cancel",
      kind: "question:cancel",
      user: "asker",
      body: { op, generation, reason: maybe("text", "Too late") },
      refused: [[{ generation: 2 }, "stale", { generation: 1 }]],
    },
    {
      address: "POST .../decisions/{id}/why",
      kind: "question:why",
      body: { op, generation, text: field("text", "Because") },
      refused: [[{}, "not-decided", {}]],
    },
    {
      address: "POST .../decisions/{id}/late",
      kind: "question:late",
      body: {
        op,
        generation: field("number", 1),
        text: maybe("text", "My answer"),
        answer: maybe("object", undefined),
      },
      refused: [[{}, "not-decided", {}]],
    },
    {
      address: "POST .../decisions/{id}/import",
      kind: "question:import",
      role: "admin",
      body: { op, card: field("object", undefined) },
      refused: [
        [{ card: {} }, "malformed", {}],
        [{ card: { id: "other", definition: {}, settled: [], standing: "open" } }, "malformed", {}],
      ],
    },
    {
      address: "PUT .../docs/{name}",
      role: "admin",
      bytes: true,
    },
    { address: "GET /v1/spaces/{space}/decisions", query: ["status=none", "status="] },
    { address: "GET .../decisions/{id}", query: [] },
    {
      address: "GET /v1/spaces/{space}/log",
      query: ["since=x", "since=-1", "since=1.5", "since=18446744073709551616", "wait=x", "wait=-1"],
    },
    { address: "GET /healthz", open: true },
    { address: "GET /metrics", open: true },
    { address: "GET /v1/connect", door: true },
    { address: "GET /yjs/{space}/{decision}", door: true },
  ];
}

let serial = 0;
/** An operation id that was never used. */
export const freshOp = () => `bad-op-${(serial += 1)}`;

/** A body with a good value in every field that has one. */
export function goodBody(call, { socket = false } = {}) {
  const body = {};
  for (const [name, { type, good, onlyHttp }] of Object.entries(call.body)) {
    if (type === "op") {
      if (!(socket && onlyHttp)) body[name] = freshOp();
    } else if (good !== undefined) body[name] = good;
  }
  return body;
}

/** `[what is wrong, body as text]` of every body that has the wrong shape. */
export function* misshapen(call, options = {}) {
  const good = () => goodBody(call, options);
  for (const [name, { type, optional, onlyHttp }] of Object.entries(call.body)) {
    if (options.socket && onlyHttp) continue;
    if (!optional) {
      const { [name]: _, ...rest } = good();
      yield [`${name} is missing`, rest];
    }
    for (const value of OTHERS[type === "id-or-null" ? "id" : type] ?? []) {
      if (value === null && (optional || type === "id-or-null")) continue;
      yield [`${name} is ${JSON.stringify(value).slice(0, 30)}`, { ...good(), [name]: value }];
    }
  }
  yield ["a field nobody knows", { ...good(), surprise: 1 }];
}

/** `[what is wrong, bytes]` of what is no JSON object of the right names at all. */
export function* unreadable(call) {
  const good = JSON.stringify(goodBody(call));
  const [name] = Object.keys(call.body);
  yield ["nothing", ""];
  yield ["no JSON", "save it, please"];
  yield ["a truncated body", good.slice(0, -2)];
  yield ["two bodies", good + good];
  yield ["a list", `[${good}]`];
  yield ["null", "null"];
  yield ["a text", JSON.stringify(good)];
  yield ["a name that stands twice", good.replace("{", `{"${name}":${JSON.stringify(freshOp())},`)];
  yield ["a name that stands twice inside", good.replace("{", '{"x":{"a":1,"a":2},')];
  yield ["nested 100,000 deep", `{"${name}":${"[".repeat(100_000)}${"]".repeat(100_000)}}`];
  yield ["a lone surrogate", good.replace("{", '{"x":"\\ud800",')];
  yield ["a low surrogate first", good.replace("{", '{"x":"\\udc00\\ud800",')];
  yield ["no UTF-8", Buffer.concat([Buffer.from('{"x":"'), Buffer.of(0xff), Buffer.from('"}')])];
  yield ["a number beyond all", good.replace("{", '{"x":1e999,')];
  yield ["a byte order mark", `\ufeff${good}`];
  yield ["not a number", good.replace("{", '{"x":NaN,')];
}
