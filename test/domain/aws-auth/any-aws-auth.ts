import fc from "fast-check";
import { arnOf } from "./corpus.ts";

const role = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("admin", "ci", "Dev", "ops.2", "n_o+d=e,@x") },
  { weight: 2, arbitrary: fc.constantFrom("node", "NODE", "Node") },
  { weight: 1, arbitrary: fc.constantFrom("team/node", "a/b/admin") },
  { weight: 1, arbitrary: fc.stringMatching(/^[\w+=,.@-]{1,20}$/) },
);
const username = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom("system:node:{{EC2PrivateDNSName}}", "system:node:{{SessionName}}"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("admin", "it's", "{{SessionName}}", "", 'a "b"', "a # b"),
  },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme-ascii" }) },
);
const group = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("system:bootstrappers", "system:nodes") },
  {
    weight: 2,
    arbitrary: fc.constantFrom("system:masters", "eks:kube-proxy-windows", "a", "yes", "42", "~"),
  },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme-ascii" }) },
);
const comment = fc.constantFrom("", "", "", " # why", " # - {a: [", " # it's \u00e9");
const quoted = (text: string): string => JSON.stringify(text);
const singly = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const plainly = (text: string): string =>
  /^[a-z]+:[\w:{}/-]*[\w}]$/i.test(text) ? text : quoted(text);
const style = fc.constantFrom(quoted, singly, plainly);

interface Fields {
  readonly rolearn: string;
  readonly username: string;
  readonly groups: readonly string[];
}

const fields: fc.Arbitrary<Fields> = fc.record({
  rolearn: role.map(arnOf),
  username,
  groups: fc.array(group, { maxLength: 4 }),
});

const named = (name: string): fc.Arbitrary<string> =>
  fc.constantFrom(name, name, name, name.toUpperCase(), quoted(name), singly(name));

/** An entry in braces, which any kind of list may contain. */
const inBraces = fc.tuple(fields, fc.constantFrom(quoted, singly)).map(([entry, put]) => {
  const groups = entry.groups.map(put).join(", ");
  return `{rolearn: ${put(entry.rolearn)}, "username": ${put(entry.username)}, groups: [${groups}]}`;
});

const groupsOf = (groups: readonly string[]): fc.Arbitrary<readonly string[]> =>
  fc
    .tuple(style, comment, fc.constantFrom("", "  "), fc.constantFrom("lines", "brackets"))
    .map(([put, note, indent, form]) =>
      form === "brackets" || groups.length === 0
        ? [` [${groups.map(quoted).join(" , ")}${groups.length > 1 ? "," : ""}]${note}`]
        : [note, ...groups.map((one) => `${indent}- ${put(one)}${note}`)],
    );

/** An entry of several lines, with its fields in any order. */
const inLines = fields.chain((entry) =>
  fc
    .record({
      keys: fc.tuple(named("rolearn"), named("username"), named("groups")),
      put: style,
      notes: fc.tuple(comment, comment),
      groups: groupsOf(entry.groups),
      extra: fc.constantFrom(
        [],
        ["userid: ABC"],
        ["note: |-", "  two", "  lines"],
        ["? why", ": x"],
      ),
      order: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
    })
    .map(({ keys: [arn, user, list], put, notes, groups: [first = "", ...rest], extra, order }) => {
      const parts = [
        [`${arn}: ${put(entry.rolearn)}${notes[0]}`],
        [`${user}: ${put(entry.username)}${notes[1]}`],
        [`${list}:${first}`, ...rest],
        extra,
      ];
      const lines = order.flatMap((at) => parts[at] ?? []);
      return lines.map((line, at) => (at === 0 ? `- ${line}` : `  ${line}`));
    }),
);

const item: fc.Arbitrary<readonly string[]> = fc.oneof(
  { weight: 6, arbitrary: inLines },
  { weight: 2, arbitrary: inBraces.map((entry) => [`- ${entry}`]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ["- just text"],
      ["- # nothing", "  ~"],
      ["- sso:", "    permissionSetName: Admin", '    accountID: "111122223333"', "  username: x"],
      ["- &base {rolearn: x, username: y}", "- <<: *base", "  rolearn: z"],
      ["# between", "- {}", "", "  # indented"],
    ),
  },
);

const list = fc
  .tuple(fc.array(item, { maxLength: 5 }), fc.constantFrom("", "  ", "      "))
  .map(([items, indent]) => items.flat().map((line) => (line === "" ? "" : indent + line)));

const brackets = fc
  .tuple(fc.array(inBraces, { maxLength: 4 }), fc.constantFrom(", ", " ,\n  ", ", # why\n "))
  .map(([items, comma]) => [`[${items.join(comma)}]`]);

/** `mapRoles` in any form that every YAML reader can read. */
export const anyAwsAuth: fc.Arbitrary<string> = fc
  .record({
    head: fc.constantFrom([], [], ["---"], ["# head", ""], ["", "--- # why"]),
    body: fc.oneof({ weight: 5, arbitrary: list }, { weight: 1, arbitrary: brackets }),
    foot: fc.constantFrom([], [""], ["", "", ""], ["# foot"], ["# foot", ""], ["...", ""], ["   "]),
    more: fc.constantFrom([], [], [], ["---", "- second: document", ""]),
    ending: fc.constantFrom("\n", "\n", "\r\n"),
    mark: fc.constantFrom("", "", "", "\ufeff"),
  })
  .map(({ head, body, foot, more, ending, mark }) => {
    const began =
      head.length + body.length > 0 && /---|^ *[-[]/m.test([...head, ...body].join("\n"));
    const lines = [...head, ...body, ...(began ? foot : []), ...more].join("\n");
    return mark + lines.replaceAll("\n", ending);
  });
