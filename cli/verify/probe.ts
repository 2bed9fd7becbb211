import { HttpMethod, type V1Taint } from "@kubernetes/client-node";
import { seconds } from "../../lambda/base/time.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { pathIn } from "../../lambda/kubernetes/api-path.ts";
import type { KubeClient } from "../../lambda/kubernetes/kube-connection.ts";
import { absentIfNotFound, kubeFault } from "../../lambda/kubernetes/kube-fault.ts";
import { readJson, sendRequest } from "../../lambda/kubernetes/send-request.ts";
import { keptReady, web } from "./promises.ts";

/** The namespace of all objects of a trial. To remove it is to remove all of them. */
export const namespace = "eks-node-lifecycle-verify";

/** The tag of a group that allows to undo a trial which was killed. It is removed when nothing is left of the trial. */
export const traceTag = "eks-node-lifecycle/verify";

const disk = "disk";
/** The number of pods that answer requests. */
export const replicas = keptReady + 1;

const owner = { "app.kubernetes.io/managed-by": namespace };
const port = 8080;
const named = (name: string) => ({ "app.kubernetes.io/name": name, ...owner });
const meta = (name: string) => ({ metadata: { name, namespace, labels: named(name) } });

export interface ProbeOptions {
  readonly image: string;
  /** Empty for no claim. */
  readonly storageClass: string;
}

type Aim = Pick<Node, "name" | "taints">;

/** Creates the probe: preferably on one node, and otherwise anywhere. */
export async function makeProbe(client: KubeClient, node: Aim, wish: ProbeOptions): Promise<void> {
  for (const [path, body] of objectsOf(node, wish))
    await client.ask(`creating ${path}`, (connection) =>
      // 409: an earlier request whose answer was lost has created it.
      sendRequest(connection, { method: HttpMethod.POST, path, body, meant: [409] }),
    );
}

function objectsOf(node: Aim, { image, storageClass }: ProbeOptions) {
  const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
  const selector = named(web);
  const all: (readonly [path: string, body: object])[] = [
    ["/api/v1/namespaces", { metadata: { name: namespace, labels: owner } }],
    [
      budgets,
      { ...meta(web), spec: { minAvailable: keptReady, selector: { matchLabels: selector } } },
    ],
    [pathIn(namespace, "services"), { ...meta(web), spec: { selector, ports: [{ port }] } }],
    [apps, deployment(web, node, image)],
  ];
  if (storageClass === "") return all;
  const resources = { requests: { storage: "1Gi" } };
  const spec = { accessModes: ["ReadWriteOnce"], storageClassName: storageClass, resources };
  all.push([pathIn(namespace, "persistentvolumeclaims"), { ...meta(disk), spec }]);
  all.push([apps, deployment(disk, node, image)]);
  return all;
}

/** A folder with one file, which has the name of the pod. */
const served = "/served";

/** After the signal to end, it answers for as long as requests may still be sent to it. */
const serve = `trap 'sleep 15; exit 0' TERM; hostname > ${served}/hostname; httpd -f -p ${port} -h ${served} & wait`;

function deployment(name: typeof disk | typeof web, node: Aim, image: string) {
  const isDisk = name === disk;
  const disks = isDisk ? [{ name, persistentVolumeClaim: { claimName: name } }] : [];
  const volumes = [{ name: "served", emptyDir: { sizeLimit: "1Mi" } }, ...disks];
  const container = {
    name: "probe",
    image,
    command: ["/bin/sh", "-c", serve],
    ports: [{ containerPort: port }],
    readinessProbe: { httpGet: { path: "/hostname", port }, periodSeconds: 1 },
    resources: { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "32Mi" } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [
      { name: "served", mountPath: served },
      ...(isDisk ? [{ name, mountPath: "/disk" }] : []),
    ],
  };
  const spec = { ...placed(node), containers: [container], volumes };
  return {
    ...meta(name),
    spec: {
      replicas: isDisk ? 1 : replicas,
      selector: { matchLabels: named(name) },
      // Two pods with one disk would wait for each other.
      strategy: { type: isDisk ? "Recreate" : "RollingUpdate" },
      template: { metadata: { labels: named(name) }, spec },
    },
  };
}

const placed = ({ name, taints }: Aim) => ({
  automountServiceAccountToken: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: 65534,
    seccompProfile: { type: "RuntimeDefault" },
  },
  terminationGracePeriodSeconds: 30,
  nodeSelector: { "kubernetes.io/os": "linux" },
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          preference: { matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] },
        },
      ],
    },
  },
  tolerations: taints
    .filter(isOwn)
    .map(({ key, value, effect }) => ({ key, operator: "Equal", value, effect })),
});

/** True if a taint is the group's own, and not one that Kubernetes sets and removes. */
const isOwn = ({ key, effect }: Pick<V1Taint, "effect" | "key">): boolean =>
  effect !== "PreferNoSchedule" && !key.startsWith("node.kubernetes.io/");

/** Sends one request to the probe. Returns why it failed; empty if it was answered. */
export type Request = (client: KubeClient) => Promise<string>;

/** Sends a request through the probe's Service, over the proxy of the API server. */
export const throughService: Request = (client) => {
  const path = pathIn(namespace, "services", web, "proxy", "hostname");
  const asked = client.once((connection) =>
    sendRequest(connection, { method: HttpMethod.GET, path }, { limit: seconds(5) }),
  );
  return asked.then(
    () => "",
    (cause: unknown) => kubeFault("asking the probe", cause).message,
  );
};

const path = `/api/v1/namespaces/${namespace}`;

/** Looks for the namespace; `foreign` if no trial has created it. */
export async function findProbe(client: KubeClient): Promise<"absent" | "foreign" | "ours"> {
  const read = await client.ask(`reading namespace ${namespace}`, (connection) =>
    absentIfNotFound(readJson<{ metadata: { labels?: Record<string, string> } }>(connection, path)),
  );
  if (read === "absent") return "absent";
  const { labels = {} } = read.metadata;
  return Object.entries(owner).every(([key, value]) => labels[key] === value) ? "ours" : "foreign";
}

/** Deletes the probe with its namespace. */
export const removeProbe = (client: KubeClient): Promise<unknown> =>
  client.ask(`deleting namespace ${namespace}`, (connection) =>
    sendRequest(connection, { method: HttpMethod.DELETE, path, meant: [404, 409] }),
  );
