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
    ["a block of an item", "- rolearn: >-\n    - text\n"],
    ["a block that is no deeper than its field", `- rolearn: >-\n  ${arn}\n`],
    ["a list of different depths", `- rolearn: ${arn}\n  groups:\n    - a\n      - b\n`],
    ["a list with a field in it", `- rolearn: ${arn}\n  groups:\n    - a\n    b: c\n`],
    ["a list below a value", `- rolearn: ${arn}\n  groups: a\n    - b\n`],
    ["a list with a text in it", `- rolearn: ${arn}\n  groups:\n    - a\n    b\n`],
    ["a text of two lines", `- rolearn:\n    ${arn}\n    more\n`],
    ["a block without a text", `- username: u\n  rolearn: >-\n`],
    ["a list less deep than its field", `  - rolearn: ${arn}\n    groups:\n   - b\n`],
  ])("leaves alone, because readers may disagree: %s", (_, text) => {
    expect(kindOf(text)).toBe("unreadable");
  });

  it.each([
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
});
