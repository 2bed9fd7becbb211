import { expect, it } from "vitest";
import { lastSteps } from "../../../cli/init/next-steps.ts";

it("each command of the last steps has the Region and the profile that init was given", () => {
  const at = { region: "eu-north-1", profile: "work" };
  for (const { commands } of lastSteps("demo", "workers", at))
    for (const command of commands) expect(command).toMatch(/ --region eu-north-1 --profile work$/);
});
