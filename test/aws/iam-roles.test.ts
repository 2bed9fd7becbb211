import { describe, expect, it } from "vitest";
import { IamRoles } from "../../lambda/aws/node-access.ts";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { aServedAccount } from "../support/aws-account.ts";

async function anAccount() {
  const { aws, iam, timeline } = await aServedAccount();
  const role = aws.iam.createRole({ name: "node", path: "/team/" });
  const profile = aws.iam.createInstanceProfile({ name: "nodes", path: "/other/" }, [role]);
  const asked = () => aws.calls.of("GetInstanceProfile").length;
  return { aws, timeline, role, profile, asked, roles: new IamRoles(iam, timeline) };
}

describe("the role in an instance profile", () => {
  it("is read once in five minutes, because IAM throttles early", async () => {
    const { roles, profile, timeline, asked } = await anAccount();

    await Promise.all([roles.roleIn(profile.arn), roles.roleIn(profile.arn)]);
    timeline.pass(minutes(4));
    await roles.roleIn(profile.arn);
    expect(asked()).toBe(1);

    timeline.pass(minutes(1));
    await roles.roleIn(profile.arn);
    expect(asked()).toBe(2);
  });

  it.each(["without a role", "not there"])(
    "is looked for again five seconds later if there was none: the profile is %s",
    async (state) => {
      const { aws, roles, role, timeline, asked } = await anAccount();
      const late = { name: "late", path: "/" };
      if (state === "without a role") aws.iam.createInstanceProfile(late, []);
      const arn = aws.iam.instanceProfileArn("late");
      expect(await roles.roleIn(arn)).toBe("none");

      timeline.pass(seconds(4));
      expect(await roles.roleIn(arn)).toBe("none");
      expect(asked()).toBe(1);

      aws.iam.createInstanceProfile(late, [role]);
      timeline.pass(seconds(1));
      expect(await roles.roleIn(arn)).toBe(role.arn);
    },
  );
});
