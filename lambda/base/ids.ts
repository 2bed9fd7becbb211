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
/** A node, by name; another node may have the same name later. */
export type NodeName = Brand<"NodeName">;
/** A node's identity in the cluster: no other node ever has it. */
export type NodeUid = Brand<"NodeUid">;
/** A pod's identity in the cluster: no other pod ever has it, though another may have its name. */
export type PodUid = Brand<"PodUid">;

/** A tag that Auto Scaling groups have. */
export interface GroupTag {
  readonly key: string;
  readonly value: string;
}

/** A group that a deployment may touch, by its name; or all groups that have a tag. */
export type GroupSelector = GroupName | GroupTag;

export const instanceId = (text: string): InstanceId => text as InstanceId;
export const groupName = (text: string): GroupName => text as GroupName;
export const hookName = (text: string): HookName => text as HookName;
export const actionToken = (text: string): ActionToken => text as ActionToken;
export const nodeName = (text: string): NodeName => text as NodeName;
export const nodeUid = (text: string): NodeUid => text as NodeUid;
export const podUid = (text: string): PodUid => text as PodUid;
