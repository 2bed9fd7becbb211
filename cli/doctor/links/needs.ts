import {
  functionPermissions,
  type NodeTarget,
} from "../../../lib/function/function-permissions.ts";
import type { PermissionGrant, Wanted } from "../../../lib/function/permission-grant.ts";
import type { QueueTarget } from "../../../lib/function/queue-permissions.ts";
import { type Found, known } from "../../connect/found.ts";
import { both } from "../reading.ts";
import { holdsLaunches, type Site } from "../site.ts";

/** Actions that a role needs on resources. */
export interface Need {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly context: Readonly<Record<string, string>>;
}

type Target = NodeTarget | QueueTarget;
type Arns = Readonly<Partial<Record<Target, readonly string[]>>>;

/** What the function's role needs. A simulation cannot know the roles of nodes that a deployment names, so what depends on them is left out. */
export function needsOf(site: Site): Found<readonly Need[]> {
  const { parts, groups, cluster } = site;
  const found = both(
    both(both(parts.output("QueueArn"), parts.output("DeadLettersArn")), groups),
    both(both(parts.config, cluster), parts.output("LogGroupName")),
  );
  if (found.kind === "unknown") return found;
  const [[[queue, deadLetters], managed], [[config], logGroup]] = found.value;
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
    "log group": [arn("logs", `log-group:${logGroup}:*`)],
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
