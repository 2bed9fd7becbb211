import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { awsAuthEdit } from "../../../lambda/launch/aws-auth/edit.ts";
import * as shape from "../../../lambda/launch/aws-auth/shape.ts";
import { nodeMapping } from "../../../lambda/launch/node-mapping.ts";
import { admin, arnOf, corpus, managed, roleOf, textsOf } from "./corpus.ts";

const linux = nodeMapping(roleOf("node"), "linux");
const windows = nodeMapping(roleOf("node"), "windows");
const textOf = (mapRoles: string, wanted = linux): string => {
  const edit = awsAuthEdit(mapRoles, wanted);
  return edit.kind === "edited" ? edit.text : edit.kind;
};
const entry = managed("node");
const json = `{"groups": ["system:bootstrappers", "system:nodes"], "rolearn": "${arnOf("node")}", "username": "system:node:{{EC2PrivateDNSName}}"}`;

describe("an edit of aws-auth", () => {
  it.each(corpus)("is $is: $name", ({ mapRoles, is, why }) => {
    const edit = awsAuthEdit(mapRoles, linux);

    expect(edit.kind).toBe(is);
    expect(edit.kind === "unreadable" ? edit.reason : "").toMatch(why);
  });

  it.each(textsOf("edited"))(
    "leaves all as it was, and is not made twice: $name",
    ({ mapRoles }) => {
      const text = textOf(mapRoles, windows);

      const kept = mapRoles.replace(/^\s*((\[\s*\]|null|~)\s*)?$/i, "").replace(/\s*\]\s*$/, "");
      expect(text.startsWith(kept)).toBe(true);
      expect([textOf(text, windows), textOf(text)]).toEqual(["already", "already"]);
    },
  );

  it("appends the entry that a managed node group has", () => {
    expect(textOf("")).toBe(entry);
    expect(textOf("[]\n")).toBe(entry);
    expect(textOf("null\n")).toBe(entry);
    expect(textOf("~")).toBe(entry);
    expect(textOf("# nobody yet -")).toBe(`# nobody yet -\n${entry}`);
    expect(textOf("  # nobody yet\r\n")).toBe(
      `  # nobody yet\r\n${entry.replaceAll("\n", "\r\n")}`,
    );
    expect(textOf(`${admin}# foot\n\n`)).toBe(`${admin}# foot\n\n${entry}`);
    expect(textOf(admin, windows)).toBe(
      admin + entry.replace("  rolearn", "  - eks:kube-proxy-windows\n  rolearn"),
    );
  });

  it("uses the indent of the list and the line ending of the text, and ends the last line", () => {
    const indented = (text: string) => text.replace(/^(?=.)/gm, "    ").replaceAll("\n", "\r\n");

    expect(textOf(indented(admin))).toBe(indented(admin + entry));
    expect(textOf(admin.trimEnd())).toBe(admin + entry);
  });

  it("appends to JSON before its last bracket", () => {
    expect(textOf('[{"a": []}]\n')).toBe(`[{"a": []}, ${json}]\n`);
    expect(textOf("[\n  {}\n]")).toBe(`[\n  {}, ${json}\n]`);
  });

  it("tells which line maps the role to whom, and what it lacks", () => {
    const taken = `${admin}\n- username: x\n  rolearn: ${arnOf("NODE")}\n`;
    expect(awsAuthEdit(taken, linux)).toEqual({ kind: "taken", username: "x", line: 7 });
    const lacks = ["eks:kube-proxy-windows"];
    expect(awsAuthEdit(entry, windows)).toEqual({ kind: "lacking", lacks, line: 4 });
  });

  it.each([
    [managed("x").replace("es\n  role", "es\t\n  role"), 'line 3, from "\\t" on,'],
    [admin.replace("username:", "username :"), 'line 2, from ": admin" on,'],
    [`# head\n\n${admin}  note: |\n    it's\n`, 'line 7, from ": |" on,'],
    [JSON.stringify([{ a: 1 }, { b: 1.5 }], null, 1), 'line 6, from "1.5" on,'],
    [`\n[{}]\n # foot\n`, 'line 3, from "# foot" on,'],
    ["# head\n  &list\n", 'line 2, from "&list" on,'],
    ["[{}]\n\t\n", "the text"],
    ['[{"a": "1", "a": "2"}]', "the text"],
    ['[{"rolearn": "a", "RoleARN": "b"}]', "the text"],
    [`${admin}-\n  - a\n  - b: |-\n    a\n    b\n`, "the item in line 5"],
  ])("says where a text is of no form that it knows: %j", (text, where) => {
    const reason = `${where} belongs neither to a plain list of entries nor to JSON`;
    expect(awsAuthEdit(text, linux)).toEqual({ kind: "unreadable", reason });
  });

  it.each(["node", "no.de+x", "NODE", "n=,@-_", "groups"])(
    "takes no other role for %s, and finds it before whatever may end an ARN",
    (name) => {
      const wanted = nodeMapping(roleOf(name), "linux");
      const named = (one: string) => textOf(admin.replace("role/admin", `role/${one}`), wanted);

      for (const other of [`${name}2`, `x${name}`, `${name}-x`, `${name}.`, `${name}=`])
        expect(named(other)).toMatch(/^- rolearn/);
      for (const own of [name, name.toLowerCase(), `${name},`, `${name} # x`, `x/${name}`])
        expect(named(own)).not.toMatch(/^- rolearn/);
    },
  );

  it("makes no text that is too long to be edited again", () => {
    const full = `${admin}${"# a comment that means nothing\n".repeat(4000)}`.slice(0, 99_999);

    expect(awsAuthEdit(`${full}\n`, linux)).toMatchObject({
      kind: "unreadable",
      reason: expect.stringMatching(/^100145 characters are more than the 100000 that/),
    });
    expect(textOf(textOf(`${full.slice(0, -entry.length)}\n`))).toBe("already");
  });

  // Each of them took minutes where an expression went back over what it had read, time and again.
  it.each([
    ...` ,"['\n\t#`,
    ...'1|null |\\u0026|"a":  |] |\r\n|- |a |a: |- a:\n|- ["a|- {"a" |/node'.split("|"),
  ])("is soon made, whatever the text is full of: %j", (much) => {
    const ends = ["", admin, "[", "- ", '[{"'].flatMap((before) =>
      ["", "x", "]", "}]", '"]'].map((after) => [before, after] as const),
    );
    for (const [before, after] of ends)
      for (const size of [99_000, 256_000])
        expect(textOf(before + much.repeat((size - 200) / much.length) + after)).toBeDefined();
  });
});

describe("the fence around aws-auth", () => {
  const fence = readFileSync("lambda/rights/aws-auth-fence.yaml", "utf8");
  const { strange, ...others } = shape;

  it.each(["nothing", "json", "start", "line"] as const)(
    "has the expression of the function letter by letter: %s",
    (name) => {
      expect(fence).toContain(
        `- name: ${name}\n      expression: >-\n        r"""${others[name]}"""\n`,
      );
    },
  );

  it("has the strange characters of the function", () => {
    const [, literal = ""] = /- name: strange\n {6}expression: '(.*)'\n/.exec(fence) ?? [];
    expect(JSON.parse(literal)).toBe(strange);
  });

  it("looks for the name of a role as the function does", () => {
    const [, rest] = /\+ r'(\(\?:.*\$\))'\)\)/.exec(fence) ?? [];
    expect(shape.naming("role/a.b+C")).toBe(`/a[.]b[+]c${rest}`);
  });
});
