import { expect, it } from "vitest";
import { otherStacks } from "../../lambda/rights/other-stacks.ts";

const stack = (name: string, partition = "aws", region = "eu-west-1") =>
  `arn:${partition}:cloudformation:${region}:123456789012:stack/${name}/1a2b-3c4d`;
const claim = (name: string) => `${stack(name)}/AccessRights93470C93`;
const china = stack("Beijing", "aws-cn", "cn-north-1");

it.each([
  ["are none without a claim", [], []],
  ["are each named once", [claim("One"), `${stack("One")}/Other`, claim("Two")], ["One", "Two"]],
  ["are none where the stack itself has a claim", [claim("One"), `${stack("Own")}/Older`], []],
  ["leave out a claim by hand", ["0.1.0", claim("One")], ["One"]],
  ["leave out what only contains a stack's id", [`x${claim("One")}`, stack("Two")], []],
])("the other stacks %s", (_, claims, names) => {
  expect(otherStacks(claims, claim("Own"))).toEqual(names.map((name) => stack(name)));
});

it("stacks of other partitions are named too", () => {
  expect(otherStacks([`${china}/AccessRights`], claim("Own"))).toEqual([china]);
});
