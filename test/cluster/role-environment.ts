import { hours } from "../../lambda/base/time.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { awsEnvironment } from "../cli/connect/aws-environment.ts";
import type { RealWorld } from "./real-world.ts";

/** The environment of the function's role, which has all the rights that a command needs that only looks. */
export function roleEnvironment({
  aws,
  url,
}: Pick<RealWorld, "aws" | "url">): Readonly<Record<string, string>> {
  const role = aws.iam.createRole(demoNode.role);
  const key = aws.keys.assume({ role, sessionName: "status", duration: hours(1) });
  return awsEnvironment(url, aws.account.region, key);
}
