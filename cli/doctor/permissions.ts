import { IAMClient, paginateSimulatePrincipalPolicy } from "@aws-sdk/client-iam";
import type { Config } from "../../lambda/config/config.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { functionPermissions } from "../../lib/function/function-permissions.ts";
import type { OptionalGrant, PermissionGrant } from "../../lib/function/permission-grant.ts";
import { allOf, regionOf } from "../connect/aws-access.ts";
import { everyOf, type Found, known, mapped } from "../connect/found.ts";
import { roleOf } from "./access.ts";
import { type Present, readOn, readPresent } from "./reading.ts";
import { type Check, type ExaminedSite, holdsLaunches } from "./site.ts";
import { topicKey } from "./topic.ts";
import type { LinkVerdict } from "./verdict.ts";

/** Judges a role by the actions that IAM denies it. */
export const permissionsVerdict = (
  role: string,
  denied: Present<readonly string[]>,
): LinkVerdict => ({
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
  return mapped(everyOf([role, denied]), ([arn, its]) => permissionsVerdict(arn, its));
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
  return mapped(everyOf([ends, denied]), ([[role], its]) => permissionsVerdict(role, its));
};

/** What IAM denies a role of what it needs, each action with its resource. */
export const deniedOf = (
  { aws }: ExaminedSite,
  PolicySourceArn: string,
  needs: readonly PermissionNeed[],
): Promise<Found<Present<readonly string[]>>> =>
  readPresent(`simulating ${PolicySourceArn}`, "iam:SimulatePrincipalPolicy", async () => {
    const client = new IAMClient(aws);
    const asked = needs.map((need) => deniedIn(client, PolicySourceArn, need));
    return [...new Set((await Promise.all(asked)).flat())];
  });

async function deniedIn(
  client: IAMClient,
  PolicySourceArn: string,
  { actions, resources, context }: PermissionNeed,
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

/** Actions that a role needs on resources. */
export interface PermissionNeed {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly context: Readonly<Record<string, string>>;
}

/** The ARNs that grants are on, and what a request has besides them. */
interface GrantScope<Target extends string> {
  readonly arns: Readonly<Partial<Record<Target, readonly string[]>>>;
  readonly contexts: Readonly<Partial<Record<Target, PermissionNeed["context"]>>>;
  readonly wanted: ReadonlySet<OptionalGrant>;
}

/** What a role needs that has these grants; those on nothing are left out. */
export const neededFor = <Target extends string>(
  grants: readonly PermissionGrant<Target>[],
  { arns, contexts, wanted }: GrantScope<Target>,
): readonly PermissionNeed[] =>
  grants
    .filter((grant) => isNeeded(grant, wanted))
    .map(({ actions, on, given }) => ({
      ...{ actions, resources: arns[on] ?? [] },
      context: { ...contexts[on], ...contextOf(given) },
    }))
    .filter(({ resources }) => resources.length > 0);

/** Makes ARNs of an account and Region. */
export type MakeArn = (service: string, resource: string) => string;

/** The ARNs of what every function that drains works on. */
export const commonArns = (arn: MakeArn, cluster: string, groups: readonly ScalingGroup[]) => ({
  any: ["*"],
  cluster: [arn("eks", `cluster/${cluster}`)],
  "classic load balancers": [arn("elasticloadbalancing", "loadbalancer/name")],
  "target groups": [arn("elasticloadbalancing", "targetgroup/name/id")],
  "managed groups": groups.map(({ name }) =>
    arn("autoscaling", `autoScalingGroup:id:autoScalingGroupName/${name}`),
  ),
});

/** The tags of a managed group or of its instances, as the condition keys of a service have them. */
export const tagContext = (
  service: string,
  { managed }: Config["drain"],
): PermissionNeed["context"] =>
  Object.fromEntries(
    managed.flatMap((one) =>
      typeof one === "string" ? [] : [[`${service}:ResourceTag/${one.key}`, one.value]],
    ),
  );

/** What the function's role needs. A simulation cannot know the roles of nodes that a deployment names, so what depends on them is left out. */
function needsOf(site: ExaminedSite): Found<readonly PermissionNeed[]> {
  const { parts, groups, cluster } = site;
  const found = everyOf([
    parts.output("QueueArn"),
    parts.output("DeadLettersArn"),
    groups,
    parts.config,
    cluster,
    parts.output("LogGroupName"),
  ]);
  if (found.kind === "unknown") return found;
  const [queue, deadLetters, managed, config, , logGroup] = found.value;
  const [, partition = "", , region = "", account = ""] = queue.split(":");
  const arn: MakeArn = (service, resource) =>
    `arn:${partition}:${service}:${region}:${account}:${resource}`;
  const arns = {
    ...commonArns(arn, site.name, managed),
    "access entries": [arn("eks", `access-entry/${site.name}/role/${account}/name/id`)],
    "instance profiles": [`arn:${partition}:iam::${account}:instance-profile/name`],
    "log group": [arn("logs", `log-group:${logGroup}:*`)],
    queue: [queue],
    "queue and dead letters": [queue, deadLetters],
  };
  const contexts = { "managed groups": tagContext("autoscaling", config.drain) };
  return known(neededFor(functionPermissions, { arns, contexts, wanted: wantedBy(site) }));
}

/** X-Ray's permissions are there only where `tracing` is on, and nothing depends on them. */
const isNeeded = (
  { actions, roleKey, wanted }: PermissionGrant<string>,
  has: ReadonlySet<OptionalGrant>,
): boolean =>
  roleKey === undefined &&
  !actions.some((action) => action.startsWith("xray:")) &&
  (wanted === undefined || has.has(wanted));

/** What a request has that meets these conditions; a key that must be there is in another one, too. */
const contextOf = ({
  Null: _,
  ...given
}: PermissionGrant<string>["given"] = {}): PermissionNeed["context"] =>
  Object.fromEntries(
    Object.values(given).flatMap((keys) =>
      Object.entries(keys).map(([key, [value = ""]]) => [key, value]),
    ),
  );

/** What this deployment does that not every deployment does, as far as its function tells. */
function wantedBy({
  parts: { config },
  cluster,
  resources,
}: ExaminedSite): ReadonlySet<OptionalGrant> {
  const wanted = new Set<OptionalGrant>();
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
