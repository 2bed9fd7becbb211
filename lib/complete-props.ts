import { Duration } from "aws-cdk-lib";
import { nodeSettings, repairSettings } from "../lambda/config/settings.ts";
import { awsAuthUse, type NodeAdmission } from "../lambda/rights/aws-auth-use.ts";
import { authenticationModeOf } from "./authentication-mode.ts";
import type { Surroundings } from "./cluster-place.ts";
import type { Wanted } from "./function/permission-grant.ts";
import type { NodeLifecycleProps } from "./node-lifecycle-props.ts";
import { environmentOf } from "./options/options.ts";

/** The props with everything in them that other parts of the deployment need to know. */
export type CompleteProps = NodeLifecycleProps &
  Required<Pick<NodeAdmission, "authenticationMode"> & Pick<NodeLifecycleProps, "groups">>;

/** Fills in the authentication mode, which may be left out where CDK knows it, and the groups. */
export const complete = (props: NodeLifecycleProps): CompleteProps => ({
  ...props,
  groups: props.groups ?? [],
  authenticationMode: authenticationModeOf(props.cluster, props.authenticationMode),
});

/** How the cluster admits the roles of nodes. */
export const admissionOf = ({
  authenticationMode,
  launch,
  hooks,
}: CompleteProps): NodeAdmission => ({
  authenticationMode,
  access: launch?.access,
  launching: hooks?.launching,
});

/** What this deployment does that not every deployment does. */
export const wantedBy = (props: CompleteProps): ReadonlySet<Wanted> =>
  new Set([...wantedForLaunches(props), ...wantedForDrains(props), ...wantedForUpgrades(props)]);

function wantedForLaunches(props: CompleteProps): readonly Wanted[] {
  const { authenticationMode, access, launching } = admissionOf(props);
  if (launching === "not held" || access === "at deployment") return [];
  const entries = authenticationMode !== "CONFIG_MAP" && access !== "aws-auth";
  return entries ? ["launches", "access entries"] : ["launches"];
}

const wantedForDrains = ({ drain }: CompleteProps): readonly Wanted[] =>
  drain?.deregister === "if-nobody-does" ? ["deregistration"] : [];

const wantedForUpgrades = ({ launchTemplateVersions }: CompleteProps): readonly Wanted[] =>
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

/** The part of the repair function's environment that says how instances are repaired. */
export const repairSettingsOf = ({ repair = {} }: NodeLifecycleProps) =>
  environmentOf(repairSettings, repair);

/** The rights that the function needs in the cluster, and who applies them. */
export const rightsOf = (props: CompleteProps) => ({
  ...(props.nodeRoles && { nodeRoles: props.nodeRoles }),
  rights: props.rights ?? ("at deployment" as const),
  ...drainRightsOf(props),
  awsAuth: awsAuthUse(admissionOf(props)),
  apiPriority: props.apiPriority ?? ("shared" as const),
  entered: props.launch?.access === "at deployment" ? (props.nodeRoles ?? []) : [],
  taint: props.drain?.taint ?? nodeSettings.drain.taint.default,
  events: props.reports?.kubernetesEvents ?? nodeSettings.reports.kubernetesEvents.default,
  ...leftNodesOf(props),
});

const drainRightsOf = ({ drain }: CompleteProps) => ({
  force: drain?.force ?? nodeSettings.drain.force.default,
  makeRoom: drain?.makeRoom ?? nodeSettings.drain.makeRoom.default,
});

const leftNodesOf = ({ events }: CompleteProps) => ({
  removeNode: events?.removeNode ?? nodeSettings.events.removeNode.default,
  outOfService: events?.outOfService ?? nodeSettings.events.outOfService.default,
});

/** What the functions that work on groups have in common. */
export function groupWork(props: CompleteProps, surroundings: Surroundings) {
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

/** What the repair function has besides. */
export function repairWork(props: CompleteProps, surroundings: Surroundings) {
  const work = groupWork(props, surroundings);
  const { every = Duration.seconds(repairSettings.every.default) } = props.repair ?? {};
  return { ...work, settings: { ...work.settings, ...repairSettingsOf(props) }, every };
}
