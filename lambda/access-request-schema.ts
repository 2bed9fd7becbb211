import * as z from "zod/mini";
import type { ClusterObject } from "./domain/cluster-object.ts";
import { read, readJson } from "./read-schema.ts";

/** What CloudFormation wants of the access to a cluster. */
export interface AccessRequest {
  readonly clusterName: string;
  /** The objects that are to be there, and those that were before. */
  readonly wanted: readonly ClusterObject[];
  readonly former: readonly ClusterObject[];
  /** Whether what a change that failed has made stays. */
  readonly ifItFails: "keep" | "undo";
  /** By which CloudFormation knows it again. */
  readonly physicalId: string;
}

const text = z.string("text");
const properties = z.object({ ClusterName: text, Manifests: text }, "an object");

const requestSchema = z.object(
  {
    RequestType: z.enum(["Create", "Update", "Delete"], '"Create", "Update" or "Delete"'),
    ResourceProperties: properties,
    OldResourceProperties: z.optional(properties),
  },
  "an object",
);

const objects = z.array(
  z.looseObject(
    {
      apiVersion: text,
      kind: text,
      metadata: z.looseObject({ name: text, namespace: z._default(z.optional(text), "") }),
    },
    "a Kubernetes object",
  ),
  "a list of Kubernetes objects",
);

/** Reads a request of CloudFormation's custom resource. */
export function readAccessRequest(event: unknown): AccessRequest {
  const { RequestType: type, ...request } = read(requestSchema, event, "");
  const { ClusterName: clusterName, Manifests: manifests } = request.ResourceProperties;
  const present = manifestsOf(manifests, "ResourceProperties.Manifests");
  const old = request.OldResourceProperties;
  const isUpdate = type === "Update" && old?.ClusterName === clusterName;
  const gone = type === "Delete";
  return {
    clusterName,
    wanted: gone ? [] : present,
    former: gone
      ? present
      : isUpdate
        ? manifestsOf(old.Manifests, "OldResourceProperties.Manifests")
        : [],
    // CDK's provider drops the Delete that follows a failed Create; a failed Update is sent back.
    ifItFails: gone || isUpdate ? "keep" : "undo",
    physicalId: `eks-node-lifecycle-access-to-${clusterName}`,
  };
}

const manifestsOf = (json: string, path: string): readonly ClusterObject[] =>
  read(objects, readJson(json, path), path).map(({ metadata: { name, namespace }, ...body }) => ({
    kind: body.kind,
    apiVersion: body.apiVersion,
    name,
    namespace: namespace ?? "",
    body: { ...body, metadata: namespace ? { name, namespace } : { name } },
  }));
