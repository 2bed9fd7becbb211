import { resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { LambdaService } from "../../sandbox/lambda/lambda-service.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";

// The functions that CloudFormation calls read nothing before their event.
const bundles = [
  ["access", "event.malformed"],
  ["hooks", "event.malformed"],
  ["node", "config.invalid"],
  ["repair", "config.invalid"],
  ["upgrade", "config.invalid"],
  ["webhook", "config.invalid"],
] as const;

/** The deployed code of a function, without any configuration. */
function unconfigured(name: string) {
  const lines: string[] = [];
  const timeline = new WallTimeline();
  const service = new LambdaService(
    {
      name,
      folder: resolve("dist", name),
      handler: "index.handler",
      environment: { AWS_LAMBDA_LOG_FORMAT: "JSON", AWS_REGION: "" },
      timeout: seconds(30),
      memory: 512,
      concurrency: 1,
    },
    {
      timeline,
      account: { partition: "aws", region: "eu-west-1", id: "123456789012" },
      credentials: () => ({ accessKeyId: "A", secretAccessKey: "s", sessionToken: "t" }),
      log: ({ text }) => lines.push(text),
    },
  );
  onTestFinished(() => {
    service.close();
    timeline.stop();
  });
  return { service, lines };
}

describe.each(bundles)("the bundle of the %s function", (name, said) => {
  it("fails without what it works with, at each invocation, and says what is missing", async () => {
    const { service, lines } = unconfigured(name);
    for (const _ of ["first", "next"])
      expect(await service.invoke({})).toMatchObject({
        kind: "error",
        error: { errorType: "Fault", errorMessage: expect.stringContaining(`${said}: reading `) },
      });
    const faults = lines.filter((line) => line.includes('"kind":"fault"'));
    expect(faults.map((line) => JSON.parse(line))).toEqual(
      Array(said === "config.invalid" ? 2 : 0).fill({
        at: expect.any(String),
        kind: "fault",
        code: said,
        message: expect.stringContaining(`${said}: reading `),
        retryable: false,
      }),
    );
    const errors = lines.filter((line) => line.startsWith('{"timestamp"'));
    expect(errors.map((line) => JSON.parse(line))).toEqual(
      Array(2).fill(
        expect.objectContaining({
          level: "ERROR",
          message: expect.objectContaining({
            errorType: "Fault",
            errorMessage: expect.stringContaining(`${said}: reading `),
          }),
        }),
      ),
    );
  });
});
