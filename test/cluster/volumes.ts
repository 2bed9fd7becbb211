import { setTimeout } from "node:timers/promises";
import {
  StorageV1Api,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
  type V1Pod,
  type V1VolumeAttachment,
} from "@kubernetes/client-node";
import type { ActionRecord } from "../../sandbox/aws/lifecycle-action.ts";
import { attachmentName } from "../../sandbox/kubernetes/volume-drafts.ts";
import type { DrainSite } from "./drain-site.ts";
import type { Workload } from "./manifests.ts";

const size = { storage: "1Gi" };
const accessModes = ["ReadWriteOnce"];
const storageClassName = "none";

/** A namespace, by whose name volumes are told apart. */
type Named = Pick<DrainSite, "name">;

const volumeOf = (site: Named, name: string) => `${site.name}-${name}`;

/** A volume with its bound claim, as a driver would create them. */
export const volume = (site: Named, name: string): V1PersistentVolume => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: volumeOf(site, name) },
  spec: {
    accessModes,
    capacity: size,
    storageClassName,
    claimRef: { name, namespace: site.name },
    hostPath: { path: `/tmp/${volumeOf(site, name)}` },
  },
});

export const claim = (site: Named, name: string): V1PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: site.name },
  spec: {
    accessModes,
    resources: { requests: size },
    storageClassName,
    volumeName: volumeOf(site, name),
  },
});

const attachment = (site: DrainSite, name: string): V1VolumeAttachment => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttachment",
  metadata: { name: attachmentName(volumeOf(site, name), site.name) },
  spec: {
    attacher: "ebs.csi.aws.com",
    nodeName: site.name,
    source: { persistentVolumeName: volumeOf(site, name) },
  },
});

/** Attaches a volume to the node that no pod of it uses, and returns the volume's name. */
export async function attachVolume(site: DrainSite, name: string): Promise<string> {
  await site.apply(volume(site, name), claim(site, name), attachment(site, name));
  return volumeOf(site, name);
}

/** Runs a pod with a volume of its own that is attached to the node, and returns the volume's name. */
export async function runWithVolume(
  site: DrainSite,
  name: string,
  workload: Partial<Workload> = {},
): Promise<string> {
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: name } }];
  const attached = await attachVolume(site, name);
  const pod: V1Pod = site.pod(name, { ...workload, spec: { ...workload.spec, volumes } });
  await site.run(pod);
  return attached;
}

/** Detaches a volume after a while, and returns the action as it was until then. */
export async function detachedLate(site: DrainSite, detached: string): Promise<ActionRecord> {
  // A drain that does not wait for the volume completes its hook meanwhile.
  await setTimeout(2000);
  const action = site.action();
  const name = attachmentName(detached, site.name);
  await site.world.controlPlane.api(StorageV1Api).deleteVolumeAttachment({ name });
  return action;
}
