import { describe, expect, it } from "vitest";
import { tryMapByConfigMap } from "../../sandbox/aws/aws-auth.ts";

const roles = (mapRoles: string) =>
  tryMapByConfigMap({ mapRoles }, "arn:aws:iam::123456789012:role/node");

describe("aws-auth", () => {
  it("takes the last of several entries for one ARN, whatever its case, and merges nothing", () => {
    const found = roles(`
- {rolearn: "arn:aws:iam::123456789012:role/node", username: first, groups: [a]}
- {rolearn: "arn:aws:iam::123456789012:role/NODE", username: last, groups: [b]}
- username: nobody
`);

    expect(found).toEqual({ username: "last", groups: ["b"] });
  });

  it.each([
    [
      "is good but for its last line",
      '- {rolearn: "arn:aws:iam::123456789012:role/node", username: x}\n- {"\n',
    ],
    ["is a map", 'rolearn: "arn:aws:iam::123456789012:role/node"'],
    ["is empty", "  \n"],
  ])("maps nobody if a section %s", (_, mapRoles) => {
    expect(roles(mapRoles)).toBeUndefined();
  });
});
