import { IAMClient, paginateSimulatePrincipalPolicy } from "@aws-sdk/client-iam";
import {
  functionPermissions,
  type NodeTarget,
} from "../../../lib/function/function-permissions.ts";
import type { PermissionGrant, Wanted } from "../../../lib/function/permission-grant.ts";
import type { QueueTarget } from "../../../lib/function/queue-permissions.ts";
import { type Found, known } from "../../connect/found.ts";
import { judged, type Verdict } from "../finding.ts";
import { both, type Present, readOn, readPresent } from "../reading.ts";
import { type Check, holdsLaunches, type Site } from "../site.ts";
import { topicKey } from "./topic.ts";

/** Actions that a role needs on resources. */
export interface Need {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly context: Readonly<Record<string, string>>;
}

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
  const { parts } = site;
  const role: Found<string> =
    parts.function.kind === "unknown" ? parts.function : known(parts.function.value.Role ?? "");
  const needs = both(role, needsOf(site));
  const denied = await readOn(needs, ([arn, wanted]) => deniedOf(site, arn, wanted));
  return judged("permissions", both(role, denied), ([arn, its]) => permissionsVerdict(arn, its));
};

/** Whether the policies of the hooks' role allow to publish to the topic, and to use its key. */
export const hooksRoleCheck: Check = async (site) => {
  const { parts } = site;
  const ends = both(
    both(parts.output("HooksRoleArn"), parts.output("TopicArn")),
    await topicKey(site),
  );
  const denied = await readOn(ends, ([[role, topic], key]) =>
    deniedOf(site, role, [
      { actions: ["sns:Publish"], resources: [topic], context: {} },
      ...(key.startsWith("arn:")
        ? [{ actions: ["kms:Decrypt", "kms:GenerateDataKey"], resources: [key], context: {} }]
        : []),
    ]),
  );
  return judged("hooks' role", both(ends, denied), ([[[role]], its]) =>
    permissionsVerdict(role, its),
  );
};

/** What IAM denies a role of what it needs, each action with its resource. */
const deniedOf = (
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
  const ContextEntries = Object.entries(context).map(([ContextKeyName, value]) => ({
    ...{ ContextKeyName, ContextKeyValues: [value] },
    ContextKeyType: "string" as const,
  }));
  const request = { PolicySourceArn, ActionNames: [...actions], ResourceArns: [...resources] };
  const denied: string[] = [];
  for await (const { EvaluationResults: results = [] } of paginateSimulatePrincipalPolicy(
    { client },
    { ...request, ...(ContextEntries.length > 0 && { ContextEntries }) },
  ))
    for (const { EvalActionName: action, EvalResourceName: on, EvalDecision: verdict } of results)
      if (verdict !== "allowed") denied.push(`${action} on ${on}`);
  return denied;
}

type Target = NodeTarget | QueueTarget;
type Arns = Readonly<Partial<Record<Target, readonly string[]>>>;

/** What the function's role needs. A simulation cannot know the roles of nodes that a deployment names, so what depends on them is left out. */
function needsOf(site: Site): Found<readonly Need[]> {
  const { parts, groups, cluster } = site;
  const found = both(
    both(both(parts.output("QueueArn"), parts.output("DeadLettersArn")), groups),
    both(parts.config, cluster),
  );
  if (found.kind === "unknown") return found;
  const [[[queue, deadLetters], managed], [config]] = found.value;
  const [, partition = "", , region = "", account = ""] = queue.split(":");
  const arn = (service: string, resource: string) =>
    `arn:${partition}:${service}:${region}:${account}:${resource}`;
  const arns: Arns = {
    any: ["*"],
    cluster: [arn("eks", `cluster/${site.name}`)],
    "access entries": [arn("eks", `access-entry/${site.name}/role/${account}/name/id`)],
    "classic load balancers": [arn("elasticloadbalancing", "loadbalancer/name")],
    "target groups": [arn("elasticloadbalancing", "targetgroup/name/id")],
    "instance profiles": [`arn:${partition}:iam::${account}:instance-profile/name`],
    "managed groups": managed.map(({ name }) =>
      arn("autoscaling", `autoScalingGroup:id:autoScalingGroupName/${name}`),
    ),
    queue: [queue],
    "queue and dead letters": [queue, deadLetters],
  };
  const context = Object.fromEntries(
    config.drain.managed.flatMap((one) =>
      typeof one === "string" ? [] : [[`autoscaling:ResourceTag/${one.key}`, one.value]],
    ),
  );
  const wanted = wantedBy(site);
  return known(
    functionPermissions
      .filter((grant) => isNeeded(grant, wanted))
      .map(({ actions, on, given }) => ({
        ...{ actions, resources: arns[on] ?? [] },
        context: { ...(on === "managed groups" && context), ...contextOf(given) },
      }))
      .filter(({ resources }) => resources.length > 0),
  );
}

/** X-Ray's permissions are there only where `tracing` is on, and nothing depends on them. */
const isNeeded = (
  { actions, roleKey, wanted }: PermissionGrant<Target>,
  has: ReadonlySet<Wanted>,
): boolean =>
  roleKey === undefined &&
  !actions.some((action) => action.startsWith("xray:")) &&
  (wanted === undefined || has.has(wanted));

const contextOf = (given: PermissionGrant<Target>["given"] = {}): Need["context"] =>
  Object.fromEntries(
    Object.values(given).flatMap((keys) =>
      Object.entries(keys).map(([key, [value = ""]]) => [key, value]),
    ),
  );

/** What this deployment does that not every deployment does, as far as its function tells. */
function wantedBy({ parts: { config }, cluster, resources }: Site): ReadonlySet<Wanted> {
  const wanted = new Set<Wanted>();
  if (config.kind === "unknown") return wanted;
  const { drain, nodeAccess } = config.value;
  if (drain.settingsFor({}).settings.deregister !== "never") wanted.add("deregistration");
  if (!holdsLaunches({ resources }) || nodeAccess === "at deployment") return wanted;
  wanted.add("launches");
  const mode =
    cluster.kind === "known" && cluster.value !== "gone"
      ? cluster.value.accessConfig?.authenticationMode
      : undefined;
  if (mode !== "CONFIG_MAP" && nodeAccess !== "aws-auth") wanted.add("access entries");
  return wanted;
}
