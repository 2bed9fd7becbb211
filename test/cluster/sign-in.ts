import { vi } from "vitest";
import { hours } from "../../lambda/base/time.ts";
import { awsEnvironment } from "../cli/connect/aws-environment.ts";
import type { RealWorld } from "./real-world.ts";

/** Somebody with a role signs in to AWS: the SDK finds the world by the environment of this process. */
export function signIn({ aws, url }: Pick<RealWorld, "aws" | "url">): void {
  const role = aws.iam.createRole({ name: "somebody", path: "/" });
  const key = aws.keys.assume({ role, sessionName: "test", duration: hours(1) });
  for (const [name, value] of Object.entries(awsEnvironment(url, aws.account.region, key)))
    vi.stubEnv(name, value);
}
