declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

/** An EC2 instance, such as `i-07e9ea9eb19a67337`. */
export type InstanceId = Brand<"InstanceId">;
/** An Auto Scaling group, by name. */
export type GroupName = Brand<"GroupName">;
/** A lifecycle hook of a group, by name. */
export type HookName = Brand<"HookName">;
/** The token of one lifecycle action: 36 characters. */
export type ActionToken = Brand<"ActionToken">;
/** A node, by name; a name may come back with another node. */
export type NodeName = Brand<"NodeName">;
/** A node's identity in the cluster: it never comes back. */
export type NodeUid = Brand<"NodeUid">;
/** A pod's identity in the cluster: it never comes back, though its name may. */
export type PodUid = Brand<"PodUid">;

/** Takes a text for an instance id. */
export const instanceId = (text: string): InstanceId => text as InstanceId;
/** Takes a text for a group name. */
export const groupName = (text: string): GroupName => text as GroupName;
/** Takes a text for a hook name. */
export const hookName = (text: string): HookName => text as HookName;
/** Takes a text for an action token. */
export const actionToken = (text: string): ActionToken => text as ActionToken;
/** Takes a text for a node name. */
export const nodeName = (text: string): NodeName => text as NodeName;
/** Takes a text for a node UID. */
export const nodeUid = (text: string): NodeUid => text as NodeUid;
/** Takes a text for a pod UID. */
export const podUid = (text: string): PodUid => text as PodUid;
