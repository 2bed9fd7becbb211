// The exports of the package: the construct, and the types of its options.
// biome-ignore-all lint/performance/noBarrelFile: a package has one entry.

export type { GroupTag } from "../lambda/base/ids.ts";
export type { AuthenticationMode } from "../lambda/launch/node-mapping.ts";
export type { ClusterPlace } from "./cluster-place.ts";
export type { RightsApplied } from "./function/cluster-access.ts";
export type { PrivateService } from "./function/private-endpoints.ts";
export type { FunctionOptions } from "./function/queue-function.ts";
export type { QueueOptions } from "./function/work-queue.ts";
export type { ManagedGroup } from "./managed-group.ts";
export { NodeLifecycle } from "./node-lifecycle.ts";
export type { NodeLifecycleProps } from "./node-lifecycle-props.ts";
export type { EventOptions } from "./notice/event-rules.ts";
export type { HookOptions } from "./notice/lifecycle-hooks.ts";
export type { DrainOptions, LaunchOptions, OwnOptions } from "./options/options.ts";
export type { AlarmOptions } from "./watching/alarm-options.ts";
export type { NotifierOptions } from "./watching/notifier.ts";
