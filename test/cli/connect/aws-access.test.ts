import { expect, it } from "vitest";
import { awsAt } from "../../../cli/connect/aws-access.ts";

it("no call of a command waits for ever for AWS", async () => {
  const { requestHandler } = awsAt({ region: "eu-west-1" });

  expect(requestHandler).toEqual({
    connectionTimeout: 3000,
    requestTimeout: 30_000,
    throwOnRequestTimeout: true,
  });
});
