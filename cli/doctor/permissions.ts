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

/** Checks that the policies of the function's role allow its calls. */
export const permissionsCheck: Check = async (site) => {
  const role = roleOf(site);
  const needs = everyOf([role, needsOf(site)]);
  const denied = await readOn(needs, ([arn, wanted]) => deniedOf(site, arn, wanted));
  return mapped(everyOf([role, denied]), ([arn, its]) => permissionsVerdict(arn, its));
};

/** Checks that the policies of the hooks' role allow it to publish to the topic and to use its key. */
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
      ...(key.startsWith("arn:") ? [useOf(key)] : []),
    ]),
  );
  return mapped(everyOf([ends, denied]), ([[role], its]) => permissionsVerdict(role, its));
};

/** The use of a KMS key by SNS on behalf of a role that publishes. */
const useOf = (key: string): PermissionNeed => ({
  actions: ["kms:Decrypt", "kms:GenerateDataKey"],
  resources: [key],
  context: { "kms:ViaService": `sns.${key.split(":")[3]}.amazonaws.com` },
});

/** The actions that IAM denies a role, each with its resource. */
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
  // Service control policies deny by these keys, and a negated condition also matches a request without the key.
  const every = {
    "aws:RequestedRegion": await regionOf(client),
    "aws:SecureTransport": "true",
    "aws:PrincipalArn": PolicySourceArn,
    "aws:PrincipalAccount": PolicySourceArn.split(":")[4] ?? "",
  };
  const ContextEntries = Object.entries({ ...every, ...context }).map(
    ([ContextKeyName, value]) => ({
      ContextKeyName,
      ContextKeyValues: [value],
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

/** The needs of a role with these grants; grants without a resource are left out. */
export const neededFor = <Target extends string>(
  grants: readonly PermissionGrant<Target>[],
  arns: Readonly<Partial<Record<Target, readonly string[]>>>,
  contexts: Readonly<Partial<Record<Target, PermissionNeed["context"]>>>,
  wanted: ReadonlySet<OptionalGrant>,
): readonly PermissionNeed[] =>
  grants
    .filter((grant) => isNeeded(grant, wanted))
    .map(({ actions, on, given }) => ({
      actions,
      resources: arns[on] ?? [],
      context: { ...contexts[on], ...contextOf(given) },
    }))
    .filter(({ resources }) => resources.length > 0);

export type MakeArn = (service: string, resource: string) => string;

/** The ARNs that every function which drains works on. */
export const commonArns = (arn: MakeArn, cluster: string, groups: readonly ScalingGroup[]) => ({
  any: ["*"],
  cluster: [arn("eks", `cluster/${cluster}`)],
  "classic load balancers": [arn("elasticloadbalancing", "loadbalancer/name")],
  "target groups": [arn("elasticloadbalancing", "targetgroup/name/id")],
  "managed groups": groups.map(({ name }) =>
    arn("autoscaling", `autoScalingGroup:id:autoScalingGroupName/${name}`),
  ),
});

/** The tags of a managed group or its instances, as condition keys of a service. */
export const tagContext = (
  service: string,
  { managed }: Config["drain"],
): PermissionNeed["context"] =>
  Object.fromEntries(
    managed.flatMap((one) =>
      typeof one === "string" ? [] : [[`${service}:ResourceTag/${one.key}`, one.value]],
    ),
  );

/**
 * The needs of the function's role. The simulation cannot know the node roles that a deployment names, so actions on them
 * are left out.
 */
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
  return known(neededFor(functionPermissions, arns, contexts, wantedBy(site)));
}

/** The permissions for X-Ray exist only if `tracing` is on, and nothing depends on them. */
const isNeeded = (
  { actions, roleKey, wanted }: PermissionGrant<string>,
  has: ReadonlySet<OptionalGrant>,
): boolean =>
  roleKey === undefined &&
  !actions.some((action) => action.startsWith("xray:")) &&
  (wanted === undefined || has.has(wanted));

/**
 * The context keys of a request that meets these conditions. A key that only has to be present gets its value from another
 * condition.
 */
const contextOf = ({
  Null: _,
  ...given
}: PermissionGrant<string>["given"] = {}): PermissionNeed["context"] =>
  Object.fromEntries(
    Object.values(given).flatMap((keys) =>
      Object.entries(keys).map(([key, [value = ""]]) => [key, value]),
    ),
  );

/** The optional parts of this deployment, as far as its function tells. */
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
