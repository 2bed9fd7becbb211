import { resolve } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type Duration, seconds } from "../../lambda/base/time.ts";
import type { Credentials } from "../../sandbox/aws/access-keys.ts";
import { LambdaService } from "../../sandbox/lambda/lambda-service.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";
import { account } from "../support/aws-account.ts";

/** Each function, and what it says without what it works with. Those that CloudFormation calls read nothing before their event. */
export const bundles = [
  ["access", "event.malformed"],
  ["hooks", "event.malformed"],
  ["node", "config.invalid"],
  ["repair", "config.invalid"],
  ["upgrade", "config.invalid"],
  ["webhook", "config.invalid"],
] as const;

/** What a bundle runs with; by default as good as nothing. */
export interface Around {
  readonly environment: Readonly<Record<string, string>>;
  readonly key?: Credentials;
  readonly timeout?: Duration;
}

/** The deployed code of a function, until the test ends. */
export function aBundle(name: string, { environment, key, timeout = seconds(30) }: Around) {
  const lines: string[] = [];
  const timeline = new WallTimeline();
  const service = new LambdaService(
    {
      name,
      folder: resolve("dist", name),
      handler: "index.handler",
      environment: { AWS_LAMBDA_LOG_FORMAT: "JSON", ...environment },
      timeout,
      memory: 512,
      concurrency: 1,
    },
    {
      timeline,
      account,
      credentials: () => key ?? { accessKeyId: "A", secretAccessKey: "s", sessionToken: "t" },
      log: ({ text }) => lines.push(text),
    },
  );
  onTestFinished(() => {
    service.close();
    timeline.stop();
  });
  return { service, lines };
}

/** A function without its settings fails at each invocation, and each time says what is missing: in its answer and in its log. */
export async function saysWhatIsMissing(name: string, said: string): Promise<void> {
  const { service, lines } = aBundle(name, { environment: { AWS_REGION: "" } });
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
}
