import { Duration } from "aws-cdk-lib";
import { nodeSettings } from "../lambda/config/settings.ts";
import { awsAuthUse, type NodeAdmission } from "../lambda/domain/rights/aws-auth-use.ts";
import { authenticationModeOf } from "./authentication-mode.ts";
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

/** What the function does in addition to drains. */
export function wantedBy(props: CompleteProps): ReadonlySet<Wanted> {
  const { authenticationMode, access, launching } = admissionOf(props);
  if (launching === "not held" || access === "at deployment") return new Set();
  const entries = authenticationMode !== "CONFIG_MAP" && access !== "aws-auth";
  return new Set(entries ? ["launches", "access entries"] : ["launches"]);
}

/** The part of the function's environment that says how nodes are drained and launched. */
export const settingsOf = ({ drain = {}, launch = {}, hooks = {} }: NodeLifecycleProps) => ({
  ...environmentOf(nodeSettings.drain, drain),
  ...environmentOf(nodeSettings.launch, launch),
  ...environmentOf(nodeSettings.hooks, hooks),
});

/** How long drains and launches may take. */
export const timeoutsOf = ({ drain = {}, launch = {} }: NodeLifecycleProps) => ({
  drain: drain.timeout ?? Duration.seconds(nodeSettings.drain.timeout.default),
  launch: launch.timeout ?? Duration.seconds(nodeSettings.launch.timeout.default),
});

/** The rights that the function needs in the cluster, and who applies them. */
export const rightsOf = (props: CompleteProps) => ({
  ...(props.nodeRoles && { nodeRoles: props.nodeRoles }),
  rights: props.rights ?? ("at deployment" as const),
  force: props.drain?.force ?? nodeSettings.drain.force.default,
  awsAuth: awsAuthUse(admissionOf(props)),
  apiPriority: props.apiPriority ?? ("shared" as const),
  entered: props.launch?.access === "at deployment" ? (props.nodeRoles ?? []) : [],
  taint: props.drain?.taint ?? nodeSettings.drain.taint.default,
});
