import { Command, InvalidArgumentError, Option } from "commander";
import { type Duration, seconds, tryDurationOf, wholeSeconds } from "../../lambda/base/time.ts";
import { drainSettings, hookSettings } from "../../lambda/config/settings.ts";
import type { Variables } from "../../lambda/config/variables.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import { tryNearest } from "../../lib/nearest.ts";
import { awsAt } from "../connect/aws-access.ts";
import { atCluster, type ClusterAccess } from "../connect/cluster-access.ts";
import { addConnectionOptions, type ConnectionOptions } from "../connect/connection-options.ts";
import { instancesOf } from "../connect/groups-at.ts";
import { tryUnfit } from "../drain/drain-flags.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import { saidWords, settingsSaid } from "../fleet/said-settings.ts";
import type { Io } from "../io.ts";
import { type Balanced, balanced, unlooked } from "./balancers.ts";
import { blocksOf } from "./blocks.ts";
import { ClusterReader } from "./cluster-reader.ts";
import { addOwnPlanOptions, type OwnPlanOptions, ownPlan } from "./own-plan.ts";
import { planned } from "./plan.ts";
import { planActions, planRightsLines } from "./plan-rights.ts";
import { planSettings, type Wishes } from "./plan-settings.ts";
import { leftOutWords, type PlanScope, scopeOf } from "./scope.ts";
import { writeJson, writePages } from "./write-plan.ts";

const example = `
The plan applies the rules of the drain to the cluster as it is now. It changes nothing. Nodes that you name leave together;
the nodes of a group or of a cluster leave one by one. The plan of a cluster leaves out nodes of Fargate, EKS Auto Mode, EKS
Hybrid Nodes and managed node groups, which no deployment drains. The settings are those of the deployment of --cluster, where it can be
read.

With --cluster, the plan of an Auto Scaling group also shows what an upgrade of all its nodes with the usual options would do,
and when --window opens.

A pod with resource claims finds a place where the driver of its devices has some; a claim that other pods keep binds it to its
node. Where that cannot be known, a remark says so, and the pod counts as placeable.

Without --cluster, nodes and instances are those of the cluster of kubectl's own kubeconfig. A single name without dots is
that of a cluster, unless it is an instance, or as ip-10-0-0-1; --context or --kubeconfig make it that of a node or a group.

In the cluster it needs what follows; with --ask also to create pods/eviction, and to say where room would be made, to read what
lambda/rights/rbac-making-room.yaml names:
${planRightsLines}

In AWS it needs, with --cluster (only the first is required; it says what it could not read for lack of another):
${planActions.map((action) => `  ${action}`).join("\n")}

Examples:
  npx eks-node-lifecycle plan demo
  npx eks-node-lifecycle plan --cluster demo ip-192-168-18-230.eu-west-1.compute.internal
  npx eks-node-lifecycle plan i-07e9ea9eb19a67337
  npx eks-node-lifecycle plan --kubeconfig ~/.kube/config workers --deadline 30m --force never
  npx eks-node-lifecycle plan --kubeconfig ~/.kube/config --json

Exit codes:
  0  reported; every pod would be gone at the deadline
  1  something broke; one line says why
  2  wrong usage
  3  without force a pod would still be there at the deadline`;

/** The command that forecasts the drains of nodes. */
export function planCommand(io: Io, ended: (code: ExitCode) => void): Command {
  const command = addOwnPlanOptions(
    new Command("plan")
      .description(
        "forecast a drain: which pods would not leave, which take long, and how long it takes",
      )
      .argument(
        "[names...]",
        "nodes, instances or one group (of Auto Scaling, or by its label); or the name of a cluster, for all of it",
      )
      .option("--cluster <name>", "the cluster of these nodes, by its name in EKS")
      .option("--deadline <time>", "how long a drain may take, such as 30m", durationOf)
      .addOption(
        new Option("--force <when>", "whether force is allowed").choices(["at-deadline", "never"]),
      )
      .addOption(
        new Option("--tiers <order>", "the order of pods").choices(["critical-last", "none"]),
      )
      .option(
        "--set <KEY=VALUE>",
        "any other setting by its key, such as DRAIN_MODE=evict",
        settingOf,
      )
      .option(
        "--ask",
        "also ask the API server, by dry runs of evictions, what webhooks and namespaces refuse",
      )
      .addHelpText("after", example),
  );
  return addConnectionOptions(command).action(
    async (names: readonly string[], options: PlanOptions) => {
      const where = placeOf(names, options);
      const work = (access: ClusterAccess) => runPlan(where, options, access, io);
      ended(await atCluster(where.cluster || undefined, options, work));
    },
  );
}

interface PlanOptions extends ConnectionOptions, OwnPlanOptions {
  readonly cluster?: string;
  readonly deadline?: Duration;
  readonly force?: DrainSettings["force"];
  readonly tiers?: DrainSettings["tiers"];
  readonly set?: Wishes;
  readonly ask?: boolean;
}

function settingOf(text: string, before: Wishes = {}): Wishes {
  const [, key, value] = /^([A-Z_]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined || !(key in keys))
    throw new InvalidArgumentError(expectedSetting(text));
  const unfit = tryUnfit(key, value);
  if (unfit !== undefined) throw new InvalidArgumentError(unfit.message);
  return { ...before, [key]: value };
}

/** The setting that the user most likely means, or else all keys. */
function expectedSetting(text: string): string {
  const all = Object.keys(keys);
  const [given = "", ...value] = text.split("=");
  const meant = tryNearest(given.toUpperCase(), all);
  if (meant === undefined) return `Expected KEY=VALUE with one of ${all.join(", ")}.`;
  return `Did you mean ${meant}=${value.length === 0 ? "VALUE" : value.join("=")}?`;
}

const keys: Variables = Object.fromEntries(
  [...Object.values(drainSettings), hookSettings.heartbeat].map(({ key }) => [key, ""]),
);

const wishesIn = ({ deadline, force, tiers, set }: PlanOptions): Wishes => ({
  ...set,
  ...(deadline !== undefined && { [drainSettings.timeout.key]: `${wholeSeconds(deadline)}` }),
  ...(force !== undefined && { [drainSettings.force.key]: force }),
  ...(tiers !== undefined && { [drainSettings.tiers.key]: tiers }),
});

function durationOf(text: string): Duration {
  const found = tryDurationOf(text);
  if (found !== undefined && found >= seconds(30)) return found;
  throw new InvalidArgumentError("expected a time of at least 30s, such as 30m or 1h30m");
}

interface PlanSubject {
  /** Empty if the cluster is that of a kubeconfig. */
  readonly cluster: string;
  readonly names: readonly string[];
}

// See https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html; the name of a node has dots, or begins as EC2 has it.
const nameOfCluster = /^(?!(?:i-[\da-f]{8,17}|ip(?:-\d{1,3}){4})$)[\da-z][\w-]*$/i;

/** A single name is that of a cluster, if it can be. Other names are nodes in the cluster of the kubeconfig, as with `drain`. */
function placeOf(
  names: readonly string[],
  { cluster, kubeconfig, context }: PlanOptions,
): PlanSubject {
  if (cluster !== undefined) return { cluster, names: names.filter((name) => name !== cluster) };
  const [name = "", ...others] = names;
  const isAlone = others.length === 0 && kubeconfig === undefined && context === undefined;
  return isAlone && nameOfCluster.test(name)
    ? { cluster: name, names: [] }
    : { cluster: "", names };
}

async function runPlan(
  { cluster, names }: PlanSubject,
  options: PlanOptions,
  access: ClusterAccess,
  io: Io,
): Promise<ExitCode> {
  const hosts = await new ClusterReader(access).nodes();
  const nodes = hosts.map(({ node }) => node);
  const scope = await scopeOf(names, cluster || access.name, {
    nodes,
    instancesOf: (group) => instancesOf(group, awsAt(options)),
  });
  const wishes = wishesIn(options);
  const settings = await planSettings(cluster, scope.nodes, { ...options, wishes });
  const { parts } = settings;
  const said = parts === "none" ? [] : await settingsSaid(cluster, io.cwd, awsAt(options), parts);
  // Without those that an option overrules.
  const accepted = said.filter(({ key }) => !(key in wishes));
  const asks = options.ask === true ? "each pod" : "nobody";
  const found = await balancedIn(scope, cluster, options);
  const now = access.clock.now();
  const forecasts = planned({ asks, scope, hosts, settings, balanced: found, now }, access);
  const reach = { access, aws: awsAt(options), connection: options };
  const [drains, own, blocks] = await Promise.all([
    forecasts,
    ownPlan({ scope, hosts, cluster, drains: forecasts, settings, ...reach }, options),
    blocksOf(scope, cluster, awsAt(options)),
  ]);
  const stays = drains.forecasts.some(({ pods }) => pods.some(({ fate }) => fate.kind === "never"));
  const code = stays ? exitCodes.notDone : exitCodes.done;
  const plan = {
    ...drains,
    scope,
    own,
    code,
    settings: accepted,
    remarks: [
      ...leftOutWords(scope),
      ...drains.remarks,
      ...saidWords(accepted),
      ...own.remarks,
      ...blocks.remarks,
    ],
    notLookedAt: [...drains.notLookedAt, ...own.notLookedAt, ...blocks.notLookedAt],
  };
  if (options.json === true) writeJson(plan, io);
  else writePages(plan, io);
  return code;
}

/** Load balancers are read for each node, so only for few nodes, and only if a named cluster tells the Region. */
const balancedIn = async (
  scope: PlanScope,
  cluster: string,
  options: PlanOptions,
): Promise<Balanced> =>
  scope.kind === "nodes" && cluster !== ""
    ? balanced(scope.nodes, awsAt(options))
    : unlooked(cluster === "" ? "--cluster" : "name the nodes");
