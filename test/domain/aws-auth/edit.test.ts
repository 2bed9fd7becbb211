import { describe, expect, it } from "vitest";
import { awsAuthEdit } from "../../../lambda/domain/aws-auth/edit.ts";
import { nodeMapping } from "../../../lambda/domain/launch/node-mapping.ts";
import { arnOf, readable, roleOf } from "./corpus.ts";
import { brokenLaws } from "./laws.ts";
import { unreadable } from "./unreadable.ts";

const linux = nodeMapping(roleOf("node"), "linux");
const windows = nodeMapping(roleOf("node"), "windows");
const textOf = (mapRoles: string, wanted = linux): string => {
  const edit = awsAuthEdit(mapRoles, wanted);
  return edit.kind === "edited" ? edit.text : edit.kind;
};

const entry = `- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: arn:aws:iam::111122223333:role/node
  username: system:node:{{EC2PrivateDNSName}}
`;
const admin = `- rolearn: ${arnOf("admin")}
  username: admin
  groups: [system:masters]
`;

describe("an edit of aws-auth", () => {
  it("adds the entry that a managed node group adds", () => {
    expect(textOf("")).toBe(entry);
    expect(textOf(admin)).toBe(admin + entry);
  });

  it("adds the entry after comments and before blank lines", () => {
    expect(textOf(`${admin}# foot\n\n\n`)).toBe(`${admin}# foot\n${entry}\n\n`);
  });

  it("uses the indent of the list and the line ending of the text", () => {
    const indented = (text: string) => text.replace(/^(?=.)/gm, "    ").replaceAll("\n", "\r\n");

    expect(textOf(indented(admin))).toBe(indented(admin + entry));
  });

  it("leaves a text without a final line break without one", () => {
    expect(textOf(admin.trimEnd())).toBe((admin + entry).trimEnd());
  });

  it("adds to a list in brackets inside the brackets", () => {
    const added = `{"groups": ["system:bootstrappers", "system:nodes"], "rolearn": "${arnOf("node")}", "username": "system:node:{{EC2PrivateDNSName}}"}`;

    expect(textOf('[{rolearn: "x"}, ] # why\n')).toBe(`[{rolearn: "x"}, ${added}, ] # why\n`);
    expect(textOf("[ # none\n]")).toBe(`[${added} # none\n]`);
    expect(textOf("'' # none\n")).toBe(`[${added}] # none\n`);
  });

  it("keeps the final line breaks of a block of text at the end of the list", () => {
    const keeping = `${admin}  note: |+\n    kept\n\n\n`;

    expect(textOf(keeping)).toBe(keeping + entry);
  });

  it("adds the groups that a role for both platforms lacks to its one entry", () => {
    expect(textOf(entry + admin, windows)).toBe(
      entry.replace("  rolearn", "  - eks:kube-proxy-windows\n  rolearn") + admin,
    );
    expect(textOf(textOf(entry, windows), linux)).toBe("already");
  });

  it.each([
    [
      "in lines",
      "\n    - system:nodes # why\n",
      "\n    - system:nodes # why\n    - system:bootstrappers\n",
    ],
    ["in brackets", " [ system:nodes, ]\n", ' [ system:nodes, "system:bootstrappers", ]\n'],
    ["in empty brackets", " [] # why\n", ' ["system:bootstrappers", "system:nodes"] # why\n'],
    [
      "that end in a block of text",
      "\n  - >-\n    system:nodes\n",
      "\n  - >-\n    system:nodes\n  - system:bootstrappers\n",
    ],
  ])("adds a group to groups %s", (_, groups, more) => {
    const before = `- rolearn: ${arnOf("node")}\n  username: system:node:x\n  groups:`;

    expect(textOf(`${before}${groups}${admin}`)).toBe(`${before}${more}${admin}`);
  });

  it("adds no final line break after a group where there was none", () => {
    const before = `- username: system:node:x\n  rolearn: ${arnOf("node")}\n  groups:\n  - system:nodes`;

    expect(textOf(before)).toBe(`${before}\n  - system:bootstrappers`);
  });

  it("adds a second entry where the groups belong to another entry too", () => {
    const shared = `- rolearn: ${arnOf("dev")}\n  username: dev\n  groups: &shared [a]\n`;
    const own = `- rolearn: ${arnOf("node")}\n  username: system:node:{{SessionName}}\n  groups: *shared\n`;

    expect(textOf(shared + own)).toBe(
      shared +
        own +
        entry
          .replace("groups:\n", 'groups:\n  - "a"\n')
          .replace("EC2PrivateDNSName", "SessionName"),
    );
  });

  it("recognises an entry in whatever case its ARN is written, and uses the last of several", () => {
    const capitals = entry.replace("role/node", "Role/NODE");
    const lacking = entry.replace("  - system:nodes\n", "");

    expect(textOf(capitals)).toBe("already");
    expect(textOf(lacking + capitals)).toBe("already");
    expect(textOf(capitals + lacking)).toBe(
      capitals + lacking.replace("bootstrappers\n", "bootstrappers\n  - system:nodes\n"),
    );
  });

  it("does not take a role with a path for the role without", () => {
    const pathed = entry.replace("role/node", "role/team/node");

    expect(textOf(pathed)).toBe(pathed + entry);
  });

  it.each([["admin"], [""]])(
    "leaves a role alone that is mapped to %j, which is not a node",
    (name) => {
      const taken = `${admin}\n- username: "${name}"\n  rolearn: ${arnOf("node")}\n`;

      expect(awsAuthEdit(taken, linux)).toEqual({ kind: "taken", username: name, line: 5 });
    },
  );

  it("accepts an entry with the session name as a node's, because such nodes are named after their instances", () => {
    expect(textOf(entry.replace("EC2PrivateDNSName", "SessionName"))).toBe("already");
  });

  it("writes no text that is too long to be read again", () => {
    const comment = "# a comment that means nothing to anybody\n";
    const full = `${(admin + comment.repeat(7000)).slice(0, 262_143)}\n`;
    const almostFull = `${full.slice(0, -entry.length - 1)}\n`;

    expect(awsAuthEdit(full, linux)).toEqual({
      kind: "unreadable",
      reason: expect.stringMatching(/^262289 characters are more than the 262144 that/),
    });
    expect(textOf(textOf(almostFull))).toBe("already");
  });

  it.each(unreadable)("writes nothing where there is %s", (_, mapRoles, reason) => {
    expect(awsAuthEdit(mapRoles, linux)).toEqual({
      kind: "unreadable",
      reason: expect.stringMatching(reason),
    });
  });
});

describe("an edit of an odd document", () => {
  it.each(readable)("has the expected result: $name", ({ mapRoles, edit }) => {
    expect(awsAuthEdit(mapRoles, linux).kind).toBe(edit);
  });

  it.each(readable)("keeps the laws: $name", ({ mapRoles }) => {
    for (const wanted of [linux, windows])
      expect(brokenLaws(mapRoles, awsAuthEdit(mapRoles, wanted), wanted)).toEqual([]);
  });
});
