import { Token } from "aws-cdk-lib";
import { Cluster } from "aws-cdk-lib/aws-eks";
import { Construct } from "constructs";
import { nodeSettings } from "../lambda/config/settings.ts";
import { type AuthenticationMode, authenticationModes } from "../lambda/launch/node-mapping.ts";
import { awsAuthUse, makesEntries, type NodeAdmission } from "../lambda/rights/aws-auth-use.ts";
import type { ClusterPlace, FunctionPlace } from "./cluster-place.ts";
import type { OptionalGrant } from "./function/permission-grant.ts";
import type { NodeLifecycleProps } from "./node-lifecycle-props.ts";
import { environmentOf } from "./options/options.ts";
import { Refusal } from "./refusal.ts";

/** The props, completed with what other parts of the deployment need. */
export type CompleteProps = NodeLifecycleProps &
  Required<Pick<NodeAdmission, "authenticationMode"> & Pick<NodeLifecycleProps, "groups">>;

/** Fills in the groups and, if CDK knows it, the authentication mode. */
export const complete = (props: NodeLifecycleProps): CompleteProps => ({
  ...props,
  groups: props.groups ?? [],
  authenticationMode: authenticationModeOf(props.cluster, props.authenticationMode),
});

/** The way in which the cluster gives the roles of nodes access. */
export const admissionOf = ({
  authenticationMode,
  launch,
  hooks,
}: CompleteProps): NodeAdmission => ({
  authenticationMode,
  access: launch?.access,
  launching: hooks?.launching,
});

/** The optional parts of this deployment. */
export const wantedBy = (props: CompleteProps): ReadonlySet<OptionalGrant> =>
  new Set([...wantedForLaunches(props), ...wantedForDrains(props), ...wantedForUpgrades(props)]);

function wantedForLaunches(props: CompleteProps): readonly OptionalGrant[] {
  const admission = admissionOf(props);
  if (admission.launching === "not held" || admission.access === "at deployment") return [];
  return makesEntries(admission) ? ["launches", "access entries"] : ["launches"];
}

const wantedForDrains = ({ drain }: CompleteProps): readonly OptionalGrant[] =>
  drain?.deregister === "if-nobody-does" ? ["deregistration"] : [];

const wantedForUpgrades = ({ launchTemplateVersions }: CompleteProps): readonly OptionalGrant[] =>
  launchTemplateVersions === "made" ? ["new versions"] : [];

/** The part of the function's environment that says how nodes are drained and launched. */
export const settingsOf = ({
  drain = {},
  launch = {},
  events = {},
  hooks = {},
  reports = {},
}: NodeLifecycleProps) => ({
  ...environmentOf(nodeSettings.drain, drain),
  ...environmentOf(nodeSettings.launch, launch),
  ...environmentOf(nodeSettings.events, events),
  ...environmentOf(nodeSettings.hooks, hooks),
  ...environmentOf(nodeSettings.reports, reports),
});

const orUsual = <Value>(row: { readonly default: Value }, option: Value | undefined): Value =>
  option ?? row.default;

/** The rights that the functions need in the cluster, as the deployer gets them, and who applies them. */
export function rightsOf(props: CompleteProps) {
  const { drain = {}, events = {}, reports = {}, launch, hooks, nodeRoles, apiPriority } = props;
  const usual = nodeSettings;
  const makeRoom = orUsual(usual.drain.makeRoom, drain.makeRoom);
  return {
    rights: props.rights ?? ("at deployment" as const),
    entered: launch?.access === "at deployment" ? (nodeRoles ?? []) : [],
    asked: {
      Force: orUsual(usual.drain.force, drain.force),
      AwsAuth: awsAuthUse(admissionOf(props)),
      ...(apiPriority === "own" && { ApiPriority: apiPriority }),
      OwnTaint: orUsual(usual.drain.taint, drain.taint),
      Events: orUsual(usual.reports.kubernetesEvents, reports.kubernetesEvents),
      RemoveNode: orUsual(usual.events.removeNode, events.removeNode),
      OutOfService: orUsual(usual.events.outOfService, events.outOfService),
      ...(makeRoom !== "off" && { MakeRoom: makeRoom }),
      ...(drain.conditions === "on" && { Conditions: drain.conditions }),
      ...(nodeRoles && { NodeRoles: nodeRoles }),
      // A construct that moves to another stack meets itself. Nobody moves a form.
      ...(hooks?.madeAs === "asked" && { Others: "refused" }),
    },
  };
}

export function groupWork(props: CompleteProps, surroundings: FunctionPlace) {
  const { groups, groupTag, nodeRoles, launchTemplates } = props;
  return {
    ...props.function,
    groups,
    surroundings,
    settings: settingsOf(props),
    wanted: wantedBy(props),
    ...(groupTag && { groupTag }),
    ...(nodeRoles && { nodeRoles }),
    ...(launchTemplates && { launchTemplates }),
  };
}

const choice = authenticationModes.map((mode) => JSON.stringify(mode)).join(" or ");

/**
 * The authentication mode of a cluster: as given, or as CDK knows it. Refuses to guess, and refuses a mode that contradicts
 * the cluster.
 */
export function authenticationModeOf(
  cluster: ClusterPlace,
  given: AuthenticationMode | undefined,
): AuthenticationMode {
  const known = knownMode(cluster);
  const mode = given ?? known;
  const name = Token.isUnresolved(cluster.clusterName) ? "" : ` ${cluster.clusterName}`;
  if (mode === undefined)
    throw new Refusal(
      `CDK does not know the authentication mode of the cluster${name}; authenticationMode: ${choice} will do, whichever "aws eks describe-cluster" shows as accessConfig.authenticationMode`,
    );
  if (!authenticationModes.includes(mode))
    throw new Refusal(`there is no authentication mode ${JSON.stringify(mode)}; ${choice} will do`);
  if (known !== undefined && known !== mode)
    throw new Refusal(
      `the cluster${name} has the authentication mode ${JSON.stringify(known)}, not ${JSON.stringify(mode)}; leaving authenticationMode out will do`,
    );
  return mode;
}

/** The mode of a cluster that CDK creates; `undefined` for an imported one. */
function knownMode(cluster: ClusterPlace): AuthenticationMode | undefined {
  // EKS uses this mode for a cluster that is created without one:
  // https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAccessConfigRequest.html
  if (cluster instanceof Cluster) return cluster.authenticationMode ?? "CONFIG_MAP";
  // The newer construct of CDK does not expose its mode, but its resource does.
  const made: object = (Construct.isConstruct(cluster) && cluster.node.defaultChild) || {};
  const config = "accessConfig" in made ? made.accessConfig : undefined;
  if (typeof config !== "object" || config === null) return undefined;
  return authenticationModes.find(
    (mode) => "authenticationMode" in config && mode === config.authenticationMode,
  );
}
