import { createHash, randomUUID } from "node:crypto";

/** The number of objects in a cluster. */
export interface Scale {
  readonly nodes: number;
  readonly pods: number;
  readonly budgets: number;
  readonly attachments: number;
}

type Stored = readonly [key: string, object: object];

const batch = 100;
const namespaces = 250;
const made = new Date().toISOString();
const namespaceOf = (index: number): string => `team-${index % namespaces}`;
const apps = 20;
const appOf = (index: number): string => `application-${Math.floor(index / namespaces) % apps}`;
const nodeOf = (index: number): string =>
  `ip-10-${(index >> 16) & 255}-${(index >> 8) & 255}-${index & 255}.eu-west-1.compute.internal`;
const meta = (name: string, more: object = {}) => ({
  name,
  uid: randomUUID(),
  creationTimestamp: made,
  ...more,
});
/** Labels or annotations. */
const filler = (count: number, prefix: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `example.com/${prefix}-${index}`,
      `a-value-as-long-as-usual-${prefix}-${index}`,
    ]),
  );

/** Without its namespace, the status of a budget could not be written. */
const namespaceObject = (index: number): Stored => [
  `/registry/namespaces/${namespaceOf(index)}`,
  {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: meta(namespaceOf(index)),
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  },
];

/** A node of some 15 kB as the kubelet of a node that runs many images reports it; no pod is scheduled to it. */
const node = (index: number): Stored => [
  `/registry/minions/${nodeOf(index)}`,
  {
    apiVersion: "v1",
    kind: "Node",
    metadata: meta(nodeOf(index), { labels: filler(25, "label"), annotations: filler(20, "note") }),
    spec: {
      providerID: `aws:///eu-west-1a/i-${index.toString(16).padStart(17, "a")}`,
      taints: [{ key: "example.com/full", effect: "NoSchedule" }],
    },
    status: {
      conditions: ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({
        type,
        status: type === "Ready" ? "True" : "False",
        reason: "KubeletReports",
        message: `the kubelet reports ${type}`,
        lastHeartbeatTime: made,
        lastTransitionTime: made,
      })),
      images: Array.from({ length: 50 }, (_, image) => ({
        names: [
          digestOf(`${image}`),
          `registry.example.com/team/application-${image}:v1.2.${image}`,
        ],
        sizeBytes: 123_456_789,
      })),
    },
  },
];

const digestOf = (text: string): string =>
  `registry.example.com/team/application@sha256:${createHash("sha256").update(text).digest("hex")}`;

const pod = (index: number, { nodes }: Scale): Stored => {
  const name = `application-${index}`;
  const namespace = namespaceOf(index);
  const conditions = ["PodScheduled", "Initialized", "ContainersReady", "Ready"];
  return [
    `/registry/pods/${namespace}/${name}`,
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: meta(name, {
        namespace,
        labels: { app: appOf(index), ...filler(5, "label") },
        annotations: filler(5, "note"),
      }),
      spec: {
        nodeName: nodeOf(index % nodes),
        containers: [{ name: "main", image: "registry.example.com/team/application:v1" }],
        terminationGracePeriodSeconds: 30,
      },
      status: {
        phase: "Running",
        startTime: made,
        conditions: conditions.map((type) => ({ type, status: "True", lastTransitionTime: made })),
      },
    },
  ];
};

/** A budget of some 1.9 kB that selects pods of its namespace. */
const budget = (index: number): Stored => {
  const namespace = namespaceOf(index);
  const name = `budget-${index}`;
  return [
    `/registry/poddisruptionbudgets/${namespace}/${name}`,
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: meta(name, { namespace, generation: 1, annotations: filler(22, "note") }),
      spec: { minAvailable: 1, selector: { matchLabels: { app: appOf(index) } } },
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1, expectedPods: 0 },
    },
  ];
};

/** An attachment of some 1.3 kB. */
const attachment = (index: number, { nodes }: Scale): Stored => {
  const name = `csi-${createHash("sha256").update(`${index}`).digest("hex")}`;
  return [
    `/registry/volumeattachments/${name}`,
    {
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttachment",
      metadata: meta(name, {
        annotations: filler(12, "note"),
        finalizers: ["external-attacher/ebs-csi-aws-com"],
      }),
      spec: {
        attacher: "ebs.csi.aws.com",
        nodeName: nodeOf(index % nodes),
        source: { persistentVolumeName: `pvc-${index}` },
      },
      status: { attached: true },
    },
  ];
};

function* objectsOf(scale: Scale): Generator<Stored> {
  for (let index = 0; index < namespaces; index += 1) yield namespaceObject(index);
  for (let index = 0; index < scale.nodes; index += 1) yield node(index);
  for (let index = 0; index < scale.pods; index += 1) yield pod(index, scale);
  for (let index = 0; index < scale.budgets; index += 1) yield budget(index);
  for (let index = 0; index < scale.attachments; index += 1) yield attachment(index, scale);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/**
 * Fills a cluster with objects that no kubelet works on. They are written into etcd, which takes seconds where the API
 * server takes many minutes.
 */
export async function fillCluster(etcd: string, scale: Scale): Promise<void> {
  let puts: object[] = [];
  const flush = async (): Promise<void> => {
    const body = JSON.stringify({ success: puts });
    puts = [];
    const answer = await fetch(`${etcd}/v3/kv/txn`, { method: "POST", body });
    if (!answer.ok) throw new Error(`etcd answered ${answer.status}: ${await answer.text()}`);
  };
  for (const [key, object] of objectsOf(scale)) {
    puts.push({ requestPut: { key: base64(key), value: base64(JSON.stringify(object)) } });
    if (puts.length === batch) await flush();
  }
  if (puts.length > 0) await flush();
}
