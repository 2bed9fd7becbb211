import { roleField } from "../base/field.ts";
import { malformed } from "../base/malformed.ts";
import { read } from "../base/read.ts";
import { anyText, listOf, oneOf, open, optional, orDefault, record, text } from "../base/schema.ts";
import { ownTaintField } from "../drain/own-taint-field.ts";
import { type Rights, rightsFor } from "./rights.ts";

/** CloudFormation's request for the function's access to a cluster. */
export interface AccessRequest {
  readonly clusterName: string;
  /** The deployment's resource, by a name that no other resource has and that never changes. */
  readonly owner: string;
  readonly rights: Rights;
  /** Rights that another stack has given in this cluster. */
  readonly others: "allowed" | "refused";
  /** `ends` if raised replica counts have to be put back now, because later nobody may do it. */
  readonly makingRoom: "as before" | "ends";
  /** The fate of what a failed change has created. */
  readonly ifItFails: "keep" | "undo";
  /** The id by which CloudFormation recognises the resource. */
  readonly physicalId: string;
}

const makeRoom = orDefault(oneOf("off", "annotated", "on"), "off");
const others = orDefault(oneOf("allowed", "refused"), "allowed");
const place = open({
  ClusterName: anyText("the name of a cluster"),
  MakeRoom: makeRoom,
  Others: others,
});

const requestSchema = record({
  RequestType: oneOf("Create", "Update", "Delete"),
  StackId: text("the id of a stack", /./),
  LogicalResourceId: text("the logical id of a resource", /./),
  ResourceProperties: place,
  OldResourceProperties: optional(place),
});

const rightsSchema = record({
  Force: oneOf("at-deadline", "never"),
  AwsAuth: oneOf("none", "read", "edit"),
  ApiPriority: orDefault(oneOf("own", "shared"), "shared"),
  OwnTaint: ownTaintField,
  // A stack that goes back to an older version has none of these.
  Events: orDefault(oneOf("off", "on"), "off"),
  RemoveNode: orDefault(oneOf("never", "stopped", "terminated"), "never"),
  MakeRoom: makeRoom,
  Conditions: orDefault(oneOf("off", "on"), "off"),
  OutOfService: orDefault(oneOf("never", "taint"), "never"),
  Upgrades: orDefault(oneOf("off", "on"), "off"),
  Repairs: orDefault(oneOf("off", "on"), "off"),
  SecondOpinion: orDefault(oneOf("off", "restart-agent"), "off"),
  NodeRoles: orDefault(listOf(roleField, "a list of the ARNs of roles"), []),
});

const contextSchema = record({
  invokedFunctionArn: text("the ARN of a function", /^arn:aws[a-z-]*:lambda:[^:]*:\d{12}:/),
});

const none: Rights = {
  parts: [],
  ownTaint: "",
  account: "",
  nodeRoles: [],
  outOfService: "never",
  makeRoom: "off",
  conditions: "off",
  force: "never",
};

/** Reads a request of CloudFormation's custom resource. The context says whose function it is, which no invoker can change. */
export function readAccessRequest(event: unknown, context: unknown): AccessRequest {
  const request = read(requestSchema, event, "");
  const { RequestType: type, ResourceProperties: properties } = request;
  const { ClusterName: clusterName } = properties;
  const before = request.OldResourceProperties?.ClusterName ?? clusterName;
  const isFirst = type === "Create" || before !== clusterName;
  const { MakeRoom: was } = request.OldResourceProperties ?? properties;
  const rights = type === "Delete" ? none : wantedRights(properties, context);
  const isOver = was !== "off" && !rights.parts.includes("making-room");
  return {
    clusterName,
    owner: `${request.StackId}/${request.LogicalResourceId}`,
    rights,
    others: properties.Others,
    makingRoom: isOver ? "ends" : "as before",
    // CDK's provider drops the Delete that follows a failed Create. After a failed Update CloudFormation sends another,
    // with the old properties.
    ifItFails: isFirst ? "undo" : "keep",
    physicalId: `eks-node-lifecycle-access-to-${clusterName}`,
  };
}

/** The rights that a request chooses, for roles of the account that the function itself is in: the cluster is in the same. */
function wantedRights(properties: unknown, context: unknown): Rights {
  const chosen = read(rightsSchema, properties, "ResourceProperties");
  const { invokedFunctionArn } = read(contextSchema, context, "context");
  const [, partition, , , id] = invokedFunctionArn.split(":");
  if (chosen.AwsAuth === "edit" && chosen.NodeRoles.length === 0)
    throw malformed(
      "ResourceProperties.NodeRoles",
      "the roles that may be mapped in aws-auth",
      chosen.NodeRoles,
    );
  const account = `arn:${partition}:iam::${id}`;
  const foreign = chosen.NodeRoles.find((role) => !role.startsWith(`${account}:`));
  if (foreign !== undefined)
    throw malformed("ResourceProperties.NodeRoles", `roles of ${account} alone`, foreign);
  return rightsFor({
    force: chosen.Force,
    awsAuth: chosen.AwsAuth,
    removeNode: chosen.RemoveNode,
    events: chosen.Events,
    makeRoom: chosen.MakeRoom,
    conditions: chosen.Conditions,
    apiPriority: chosen.ApiPriority,
    ownTaint: chosen.OwnTaint,
    outOfService: chosen.OutOfService,
    upgrades: chosen.Upgrades,
    repairs: chosen.Repairs,
    secondOpinion: chosen.SecondOpinion,
    account,
    nodeRoles: chosen.NodeRoles,
  });
}
