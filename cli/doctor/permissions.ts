import { IAMClient, paginateSimulatePrincipalPolicy } from "@aws-sdk/client-iam";
import { allOf } from "../connect/all-of.ts";
import { regionOf } from "../connect/aws-access.ts";
import { everyOf, type Found } from "../connect/found.ts";
import { roleOf } from "./access.ts";
import { judged, type Verdict } from "./finding.ts";
import { type Need, needsOf } from "./needs.ts";
import { type Present, readOn, readPresent } from "./reading.ts";
import type { Check, Site } from "./site.ts";
import { topicKey } from "./topic.ts";

/** Judges a role by the actions that IAM denies it. */
export const permissionsVerdict = (role: string, denied: Present<readonly string[]>): Verdict => ({
  well: `${role}, as IAM simulates it`,
  problems:
    denied === "gone"
      ? [{ found: `role ${role} is not there`, remedy: "delete the stack and deploy it again" }]
      : denied.map((action) => ({
          found: `the policies of role ${role} do not allow ${action}`,
          remedy: `allow it: remove the Deny or the permissions boundary that takes it away, or attach the policy of the template again`,
        })),
});

/** Whether the policies of the function's role allow what it calls. */
export const permissionsCheck: Check = async (site) => {
  const role = roleOf(site);
  const needs = everyOf([role, needsOf(site)]);
  const denied = await readOn(needs, ([arn, wanted]) => deniedOf(site, arn, wanted));
  const known = everyOf([role, denied]);
  return judged("permissions", known, ([arn, its]) => permissionsVerdict(arn, its));
};

/** Whether the policies of the hooks' role allow to publish to the topic, and to use its key. */
export const hooksRoleCheck: Check = async (site) => {
  const { parts } = site;
  const ends = everyOf([
    parts.output("HooksRoleArn"),
    parts.output("TopicArn"),
    await topicKey(site),
  ]);
  const denied = await readOn(ends, ([role, topic, key]) =>
    deniedOf(site, role, [
      { actions: ["sns:Publish"], resources: [topic], context: {} },
      ...(key.startsWith("arn:")
        ? [{ actions: ["kms:Decrypt", "kms:GenerateDataKey"], resources: [key], context: {} }]
        : []),
    ]),
  );
  return judged("hooks' role", everyOf([ends, denied]), ([[role], its]) =>
    permissionsVerdict(role, its),
  );
};

/** What IAM denies a role of what it needs, each action with its resource. */
export const deniedOf = (
  { aws }: Site,
  PolicySourceArn: string,
  needs: readonly Need[],
): Promise<Found<Present<readonly string[]>>> =>
  readPresent(`simulating ${PolicySourceArn}`, "iam:SimulatePrincipalPolicy", async () => {
    const client = new IAMClient(aws);
    const asked = needs.map((need) => deniedIn(client, PolicySourceArn, need));
    return [...new Set((await Promise.all(asked)).flat())];
  });

async function deniedIn(
  client: IAMClient,
  PolicySourceArn: string,
  { actions, resources, context }: Need,
): Promise<readonly string[]> {
  // Organisations deny by these keys, and a Deny of what is not so also fits a request without the key.
  const every = {
    "aws:RequestedRegion": await regionOf(client),
    "aws:SecureTransport": "true",
    "aws:PrincipalArn": PolicySourceArn,
    "aws:PrincipalAccount": PolicySourceArn.split(":")[4] ?? "",
  };
  const ContextEntries = Object.entries({ ...every, ...context }).map(
    ([ContextKeyName, value]) => ({
      ...{ ContextKeyName, ContextKeyValues: [value] },
      ContextKeyType: "string" as const,
    }),
  );
  const request = { PolicySourceArn, ActionNames: [...actions], ResourceArns: [...resources] };
  const results = await allOf(
    paginateSimulatePrincipalPolicy({ client }, { ...request, ContextEntries }),
    ({ EvaluationResults }) => EvaluationResults,
  );
  return results
    .filter(({ EvalDecision: verdict }) => verdict !== "allowed")
    .map(({ EvalActionName: action, EvalResourceName: on }) => `${action} on ${on}`);
}
