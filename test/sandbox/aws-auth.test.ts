import { describe, expect, it } from "vitest";
import { tryMapByConfigMap } from "../../sandbox/aws/aws-auth.ts";

const identity = {
  canonicalArn: "arn:aws:iam::123456789012:role/node",
  accountId: "123456789012",
  sessionName: "i-07e9ea9eb19a67337",
  accessKeyId: "ASIAEXAMPLE",
};

const roles = (mapRoles: string) => tryMapByConfigMap({ mapRoles }, identity);

describe("aws-auth", () => {
  it("maps a role by its ARN, whatever the case of ARN and keys", () => {
    const found = roles(`
- rOlEaRn: arn:aws:iam::123456789012:Role/NODE
  UsErNaMe: one
  gRoUpS: [a, b]
`);

    expect(found).toMatchObject({ username: "one", groups: ["a", "b"] });
  });

  it("takes the last of several entries for one ARN, and merges nothing", () => {
    const found = roles(`
- {rolearn: "arn:aws:iam::123456789012:role/node", username: first, groups: [a]}
- {rolearn: "arn:aws:iam::123456789012:role/NODE", username: last, groups: [b]}
`);

    expect(found).toMatchObject({ username: "last", groups: ["b"] });
  });

  it("skips an entry that is invalid and keeps the others", () => {
    const found = roles(`
- username: nobody
- just a text
- {rolearn: "arn:aws:iam::123456789012:role/node", username: both, sso: {accountID: "1"}}
- {rolearn: "arn:aws:iam::123456789012:role/node", username: good, groups: system:nodes}
`);

    expect(found).toMatchObject({ username: "good", groups: [] });
  });

  it.each([
    [
      "has a tab for indentation",
      '- rolearn: "arn:aws:iam::123456789012:role/node"\n\tusername: x\n',
    ],
    ["never closes a bracket", '[{rolearn: "arn:aws:iam::123456789012:role/node", username: x'],
    [
      "is good but for its last line",
      '- {rolearn: "arn:aws:iam::123456789012:role/node", username: x}\n- {"\n',
    ],
    ["is a map", 'rolearn: "arn:aws:iam::123456789012:role/node"'],
    ["is empty", "  \n"],
    ["is two quotes", '""'],
  ])("maps nobody if a section %s", (_, mapRoles) => {
    expect(roles(mapRoles)).toBeUndefined();
  });
});
