import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { ClusterNode } from "../../../test/cluster/control-plane-options.ts";
import type { RealWorld } from "../../../test/cluster/real-world.ts";
import type { Contender } from "../contenders.ts";
import { type MetadataService, startMetadataService } from "./metadata-service.ts";

type ControlPlane = RealWorld["controlPlane"];

interface Handler {
  readonly metadata: MetadataService;
  /** Waits until it has written these words, and returns the time. */
  written(words: string): Promise<number>;
  stop(): Promise<void>;
}

/**
 * AWS Node Termination Handler with its defaults, as it runs on each node: it has started before the time counts, and asks the
 * instance metadata service every two seconds.
 */
export function terminationHandler(binary: string): Contender {
  let handler: Handler | undefined;
  return {
    name: "Node Termination Handler",
    userAgent: `${basename(binary)}/`,
    async prepare({ controlPlane }, node) {
      handler = await startHandler(binary, controlPlane, node);
    },
    async drain() {
      if (handler === undefined) throw new Error("Node Termination Handler has not been prepared");
      handler.metadata.interrupt();
      const done = await handler.written("Node successfully cordoned and drained");
      await handler.stop();
      return done;
    },
  };
}

async function startHandler(
  binary: string,
  controlPlane: ControlPlane,
  { name, instanceId }: ClusterNode,
): Promise<Handler> {
  const metadata = await startMetadataService(instanceId);
  const { hostname, port } = new URL(controlPlane.url);
  const folder = await serviceAccountOf(controlPlane);
  const { PATH } = process.env;
  const child = spawn("unshare", [...inFolder, folder, binary], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH,
      NODE_NAME: name,
      INSTANCE_METADATA_URL: metadata.url,
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
    },
  });
  process.once("exit", () => child.kill());
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
  });
  const handler: Handler = {
    metadata,
    async written(words) {
      while (!output.includes(words)) {
        if (hasEnded(child)) throw new Error(`${binary} has ended:\n${output}`);
        await setTimeout(20);
      }
      return Date.now();
    },
    async stop() {
      child.kill();
      await once(child, "exit");
      metadata.close();
    },
  };
  await handler.written("has started successfully");
  return handler;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

// It looks for its service account in /var/run alone, so it gets a /var/run that no other process sees.
const inFolder = [
  "--mount",
  "--map-root-user",
  "sh",
  "-c",
  'mount --bind "$0" /var/run && exec "$1"',
];

/** Makes a service account with the rights that the chart gives; returns a folder with its token, to be mounted. */
async function serviceAccountOf(controlPlane: ControlPlane): Promise<string> {
  await controlPlane.apply(rights);
  const folder = join(controlPlane.folder, "termination-handler");
  const secrets = join(folder, "secrets/kubernetes.io/serviceaccount");
  await mkdir(secrets, { recursive: true });
  const token = await controlPlane.kubectlText("create", "token", "termination-handler");
  await writeFile(join(secrets, "token"), token.trim(), { mode: 0o600 });
  await writeFile(join(secrets, "ca.crt"), controlPlane.certificateAuthority);
  return folder;
}

// Not in kube-system, whose service accounts the audit log leaves out.
const rights = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: termination-handler, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: termination-handler}
rules:
- {apiGroups: [""], resources: [nodes], verbs: [get, list, patch, update]}
- {apiGroups: [""], resources: [pods], verbs: [get, list]}
- {apiGroups: [""], resources: [pods/eviction], verbs: [create]}
- {apiGroups: [apps], resources: [daemonsets], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: termination-handler}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: termination-handler}
subjects: [{kind: ServiceAccount, name: termination-handler, namespace: default}]
`;
