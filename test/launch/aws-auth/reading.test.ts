import { describe, expect, it } from "vitest";
import { readAwsAuth } from "../../../lambda/launch/aws-auth/reading.ts";

const arn = "arn:aws:iam::1:role/node";
const entry = { arn, username: "", groups: [] };
const kindOf = (text: string) => readAwsAuth(text).kind;

describe("the reading of aws-auth", () => {
  it.each([
    ["a block that begins with an empty line", `- rolearn: >-\n\n    ${arn}\n`],
    ["a block of two lines", `- rolearn: >-\n    ${arn}\n    more\n`],
    ["a block whose second line is a deeper comment", `- rolearn: >-\n    ${arn}\n     # more\n`],
    ["a block with a comment behind its text", `- rolearn: >-\n    ${arn} # more\n`],
    [
      "a block before a deeper blank line, which is text",
      `- rolearn: >-\n    ${arn}\n      \n  username: u\n`,
    ],
    ["a block after a blank line that is deeper", `- rolearn: >-\n      \n    ${arn}\n`],
    ["a text that is no deeper than its field", `- rolearn:\n  ${arn}\n`],
    ["a text that begins with a digit", "- username: 1e5\n"],
    ["a list of maps", `- rolearn: ${arn}\n  groups:\n    - a: b\n`],
    ["a list in a list", `- rolearn: ${arn}\n  groups:\n    - -\n`],
    ["a field less deep than its item", "- username: u\nrolearn: -\n"],
    ["a field whose value is a dash", `- groups:\n  rolearn: -\n`],
    ["a list in brackets with two words in a text", `- rolearn: ${arn}\n  groups: [a b, c]\n`],
    ["a block of an item", "- rolearn: >-\n    - text\n"],
    ["a block that is no deeper than its field", `- rolearn: >-\n  ${arn}\n`],
    ["a list of different depths", `- rolearn: ${arn}\n  groups:\n    - a\n      - b\n`],
    ["a list with a field in it", `- rolearn: ${arn}\n  groups:\n    - a\n    b: c\n`],
    ["a list below a value", `- rolearn: ${arn}\n  groups: a\n    - b\n`],
    ["a list with a text in it", `- rolearn: ${arn}\n  groups:\n    - a\n    b\n`],
    ["a text of two lines", `- rolearn:\n    ${arn}\n    more\n`],
    ["a block at the end of all text", "- username: u\n  rolearn: >-"],
    ["a block without a text", `- username: u\n  rolearn: >-\n`],
    ["a list less deep than its field", `  - rolearn: ${arn}\n    groups:\n   - b\n`],
  ])("leaves alone, because readers may disagree: %s", (_, text) => {
    expect(kindOf(text)).toBe("unreadable");
  });

  it.each([
    ["no text", "", []],
    ["an empty list", "[]\n", []],
    ["comments", "# nobody\n", []],
    ["items that are no maps", `- a\n-\n- [b]\n- 7\n- rolearn: ${arn}\n`, [entry]],
    ["items of JSON that are no maps", `["a", null, [], 7, {"rolearn": "${arn}"}]`, [entry]],
    [
      "a list in brackets",
      `- rolearn: ${arn}\n  groups: [a, b]\n`,
      [{ ...entry, groups: ["a", "b"] }],
    ],
    [
      "a list of quoted texts in brackets",
      `- rolearn: ${arn}\n  groups: ["b c", 'd']\n`,
      [{ ...entry, groups: ["b c", "d"] }],
    ],
    [
      "blanks in a text of JSON",
      `[{"rolearn":  "${arn}",\n"username": "a b"}]`,
      [{ ...entry, username: "a b" }],
    ],
    ["an item whose SSO is left empty", `- rolearn: ${arn}\n  sso:\n`, [entry]],
    ["a block before a blank line", `- rolearn: >-\n    ${arn}\n\n`, [entry]],
    ["a block of one line", `- rolearn: >-\n    ${arn}\n`, [entry]],
    [
      "a block before another field",
      `- rolearn: >-\n    ${arn}\n  username: u\n`,
      [{ ...entry, username: "u" }],
    ],
    [
      "a block before a comment that is no deeper than its field",
      `- rolearn: >-\n    ${arn}\n  # more\n  username: u\n`,
      [{ ...entry, username: "u" }],
    ],
    ["a text below its field", `- rolearn:\n    ${arn}\n`, [entry]],
    [
      "an item of a list that is empty",
      `- rolearn: ${arn}\n  groups:\n  - a\n  -\n`,
      [{ ...entry, groups: ["a", ""] }],
    ],
    [
      "an escape in JSON",
      `[{"rolearn": "${arn}", "username": "a\\u0026b"}]`,
      [{ ...entry, username: "a&b" }],
    ],
    [
      "a list in the column of its field",
      `- rolearn: ${arn}\n  groups:\n  - a\n`,
      [{ ...entry, groups: ["a"] }],
    ],
    ["an item without a role", "- username: u\n", []],
    ["an item whose role is empty", '- rolearn: ""\n  username: u\n', []],
    ["an item for SSO", `- rolearn: ${arn}\n  sso:\n    accountID: "1"\n`, []],
    ["an item whose SSO is null", `- rolearn: ${arn}\n  sso: null\n`, [entry]],
  ])("reads %s", (_, text, entries) => {
    expect(readAwsAuth(text)).toMatchObject({ kind: "read", entries });
  });

  it.each(["nullable", "x-null", "yesterday", "nobody", "one", "_", "a:b"])(
    "takes %s for a text",
    (username) => {
      const entries = [{ ...entry, username }];
      expect(readAwsAuth(`- rolearn: ${arn}\n  username: ${username}\n`)).toMatchObject({
        entries,
      });
    },
  );

  it.each(["null", "Null", "y", "No", "on", "OFF", "true", "17", '""'])(
    "takes %s for no text, as the authenticator does",
    (username) => {
      const text = `- rolearn: ${arn}\n  username: ${username}\n`;
      expect(readAwsAuth(text)).toMatchObject({ entries: [entry] });
    },
  );

  it.each([
    ["nothing", { kind: "nothing" }, " \n"],
    ["JSON", { kind: "json" }, `[{"rolearn": "${arn}"}]`],
    ["lines with an indent", { kind: "lines", indent: "  " }, `  - rolearn: ${arn}\n`],
    ["lines without one", { kind: "lines", indent: "" }, "# nobody\n"],
  ])("says that it is %s", (_, form, text) => {
    expect(readAwsAuth(text)).toMatchObject({ kind: "read", form });
  });
});
