import { HttpMethod, type V1Taint } from "@kubernetes/client-node";
import { seconds } from "../../lambda/base/time.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { pathIn } from "../../lambda/kubernetes/core-path.ts";
import type { KubeClient } from "../../lambda/kubernetes/kube-client.ts";
import { absentIfNotFound, kubeFault } from "../../lambda/kubernetes/kube-fault.ts";
import { readJson, sendRequest } from "../../lambda/kubernetes/send-request.ts";
import { keptReady, web } from "./promises.ts";

/** The namespace that everything of a trial is in, so that its end is the end of all of it. */
export const namespace = "eks-node-lifecycle-verify";

const disk = "disk";
/** How many pods answer requests. */
export const replicas = keptReady + 1;

const owner = { "app.kubernetes.io/managed-by": namespace };
const port = 8080;
const labelsOf = (name: string) => ({ "app.kubernetes.io/name": name, ...owner });

/** What the probe is made for. */
export interface ProbeWish {
  readonly image: string;
  /** Empty where no claim is wanted. */
  readonly storageClass: string;
}

type Aim = Pick<Node, "name" | "taints">;

/** Makes the probe: most of all on one node, and in the end anywhere. */
export async function makeProbe(client: KubeClient, node: Aim, wish: ProbeWish): Promise<void> {
  for (const [path, body] of objectsOf(node, wish)) await create(client, path, body);
}

const create = (client: KubeClient, path: string, body: object): Promise<unknown> =>
  client.ask(`creating ${path}`, (connection) =>
    // 409: a request before this one has been answered too late, and made it.
    sendRequest(connection, { method: HttpMethod.POST, path, body, meant: [409] }),
  );

function objectsOf(node: Aim, wish: ProbeWish): readonly (readonly [path: string, body: object])[] {
  const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
  const metadata = { name: web, namespace, labels: labelsOf(web) };
  const selector = labelsOf(web);
  const all = [
    ["/api/v1/namespaces", { metadata: { name: namespace, labels: owner } }],
    [budgets, { metadata, spec: { minAvailable: keptReady, selector: { matchLabels: selector } } }],
    [pathIn(namespace, "services"), { metadata, spec: { selector, ports: [{ port }] } }],
    [apps, deployment(web, replicas, podSpec(node, wish))],
  ] as const;
  if (wish.storageClass === "") return all;
  const claim = { claimName: disk };
  const spec = podSpec(node, wish);
  const withVolume = {
    ...spec,
    containers: spec.containers.map((one) => ({
      ...one,
      volumeMounts: [{ name: disk, mountPath: "/disk" }],
    })),
    volumes: [{ name: disk, persistentVolumeClaim: claim }],
  };
  const ask = {
    accessModes: ["ReadWriteOnce"],
    storageClassName: wish.storageClass,
    resources: { requests: { storage: "1Gi" } },
  };
  return [
    ...all,
    [
      pathIn(namespace, "persistentvolumeclaims"),
      { metadata: { name: disk, namespace, labels: labelsOf(disk) }, spec: ask },
    ],
    [apps, { ...deployment(disk, 1, withVolume) }],
  ];
}

const deployment = (name: string, count: number, spec: object) => ({
  metadata: { name, namespace, labels: labelsOf(name) },
  spec: {
    replicas: count,
    selector: { matchLabels: labelsOf(name) },
    // Two pods with one disk would wait for each other.
    strategy: { type: name === disk ? "Recreate" : "RollingUpdate" },
    template: { metadata: { labels: labelsOf(name) }, spec },
  },
});

/** When it is told to end, it answers for as long as others may still send it requests. */
const serve = `trap 'sleep 15; exit 0' TERM; httpd -f -p ${port} -h /etc & wait`;

const podSpec = ({ name, taints }: Aim, { image }: ProbeWish) => ({
  automountServiceAccountToken: false,
  securityContext: {
    ...{ runAsNonRoot: true, runAsUser: 65534, seccompProfile: { type: "RuntimeDefault" } },
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
  containers: [
    {
      name: "probe",
      image,
      command: ["/bin/sh", "-c", serve],
      ports: [{ containerPort: port }],
      readinessProbe: { httpGet: { path: "/hostname", port }, periodSeconds: 1 },
      resources: { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "32Mi" } },
      securityContext: {
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
        capabilities: { drop: ["ALL"] },
      },
    },
  ],
});

/** A taint of the group's nodes, and none that Kubernetes sets and takes away. */
const isOwn = ({ key, effect }: Pick<V1Taint, "effect" | "key">): boolean =>
  effect !== "PreferNoSchedule" && !key.startsWith("node.kubernetes.io/");

/** Sends one request to the probe through its Service, as the API server passes it on; says why it failed, or nothing. */
export async function tryRequest(client: KubeClient): Promise<string> {
  const path = pathIn(namespace, "services", web, "proxy", "hostname");
  try {
    await client.once((connection) =>
      sendRequest(connection, { method: HttpMethod.GET, path }, { limit: seconds(5) }),
    );
    return "";
  } catch (cause) {
    return kubeFault("asking the probe", cause).message;
  }
}

/** Whether the namespace is there, and whose it is. */
export async function findProbe(client: KubeClient): Promise<"absent" | "foreign" | "ours"> {
  const path = `/api/v1/namespaces/${namespace}`;
  const read = await client.ask(`reading namespace ${namespace}`, (connection) =>
    absentIfNotFound(readJson<{ metadata: { labels?: Record<string, string> } }>(connection, path)),
  );
  if (read === "absent") return "absent";
  const { labels = {} } = read.metadata;
  return Object.entries(owner).every(([key, value]) => labels[key] === value) ? "ours" : "foreign";
}

/** Has the probe removed, with all that is in its namespace. */
export const removeProbe = (client: KubeClient): Promise<unknown> =>
  client.ask(`deleting namespace ${namespace}`, (connection) =>
    sendRequest(connection, {
      ...{ method: HttpMethod.DELETE, path: `/api/v1/namespaces/${namespace}` },
      meant: [404, 409],
    }),
  );
