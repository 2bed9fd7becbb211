import { describe, expect, it } from "vitest";
import { tryRoleArn } from "../../lambda/base/role-arn.ts";

describe("the ARN of a role", () => {
  it.each([
    "aws",
    "aws-cn",
    "aws-us-gov",
    "aws-iso",
    "aws-iso-b",
    "aws-iso-e",
    "aws-iso-f",
    "aws-eusc",
  ])("is accepted in the partition %s", (partition) => {
    const arn = `arn:${partition}:iam::111122223333:role/node`;

    expect(tryRoleArn(arn)).toBe(arn);
  });

  it.each([
    ["arn:aws:iam::111122223333:role/team/node", "arn:aws:iam::111122223333:role/node"],
    ["arn:aws:iam::111122223333:role/a/b/c-d/Node", "arn:aws:iam::111122223333:role/Node"],
    [
      "arn:aws-cn:iam::111122223333:role/aws-service-role/eks/N",
      "arn:aws-cn:iam::111122223333:role/N",
    ],
    [
      "arn:aws:iam::111122223333:role/team/n_o+d=e,1.2@x-y",
      "arn:aws:iam::111122223333:role/n_o+d=e,1.2@x-y",
    ],
  ])("loses its path, which STS leaves out: %s", (arn, without) => {
    expect(tryRoleArn(arn)).toBe(without);
  });

  it.each([
    ["that of an instance profile", "arn:aws:iam::111122223333:instance-profile/node"],
    ["that of a session", "arn:aws:sts::111122223333:assumed-role/node/i-0123456789abcdef0"],
    ["that of a user", "arn:aws:iam::111122223333:user/node"],
    ["that of the account", "arn:aws:iam::111122223333:root"],
    ["without an account", "arn:aws:iam::aws:role/node"],
    ["that of another service", "arn:aws:eks::111122223333:role/node"],
    ["without a name", "arn:aws:iam::111122223333:role/team/"],
    ["one with a space in its name", "arn:aws:iam::111122223333:role/my node"],
    ["one of two lines", "arn:aws:iam::111122223333:role/node\nx"],
    ["that of another cloud", "arn:azure:iam::111122223333:role/node"],
    ["only a name", "node"],
  ])("is refused when it is %s", (_, arn) => {
    expect(tryRoleArn(arn)).toBeUndefined();
  });
});
