import { describe, expect, it, onTestFinished, vi } from "vitest";
import { main } from "../../../cli/main.ts";
import { hours } from "../../../lambda/base/time.ts";
import { nodes, pods } from "../../../sandbox/kubernetes/core-resources.ts";
import type { Node } from "../../../sandbox/kubernetes/node.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { largePods } from "../../support/large-pods.ts";
import { type CapturedIo, capturedIo, type Surroundings } from "../captured-io.ts";
import type { Site } from "../connect/a-site.ts";
import { aSite } from "../connect/a-site.ts";
import { aCluster, first } from "../drain/a-cluster.ts";
import { jsonLines } from "../json-lines-schema.ts";
import { aSiteWithUpgrades } from "../upgrade/a-site-with-upgrades.ts";

const { group } = terminateAction;
const leaving = "ip-192-168-18-230.eu-west-1.compute.internal";

interface Told extends CapturedIo {
  readonly code: number;
}

async function plan(argv: readonly string[], surroundings: Surroundings = {}): Promise<Told> {
  const io = capturedIo(surroundings);
  return { ...io, code: await main(["plan", ...argv], io) };
}

const onLeaving = (...argv: readonly string[]) => plan(["--cluster", "demo", leaving, ...argv]);

const marked = {
  "eks-node-lifecycle/marked-at": "2026-03-23T10:00:00.250Z",
  "eks-node-lifecycle/reason": "terminating",
  "eks-node-lifecycle/cordoned": "true",
};
const web = { matchLabels: { app: "web" } };

/** Puts pods of every kind onto a node of the demo. */
function burden({ cluster }: Site): void {
  const at = { namespace: "shop", node: leaving };
  const containers = [{ name: "main", resources: { requests: { cpu: "64", memory: "1Gi" } } }];
  const volumes = [
    { name: "cache", emptyDir: {} },
    { name: "data", hostPath: { path: "/data" } },
  ];
  cluster.addDeployment({
    name: "web",
    namespace: "shop",
    replicas: 2,
    hash: "5d4f",
    pods: ["web-5d4f-1", "web-5d4f-2"].map((name) => ({ name, node: leaving })),
  });
  cluster.addBudget({ name: "web", namespace: "shop", selector: web, maxUnavailable: 0 });
  cluster.addPod({ ...at, name: "twice", labels: { app: "two" } });
  for (const name of ["first", "second"])
    cluster.addBudget({
      name,
      namespace: "shop",
      selector: { matchLabels: { app: "two" } },
      minAvailable: 0,
    });
  cluster.addPod({ ...at, name: "lone", spec: { volumes } });
  cluster.addPod({ ...at, name: "safe", annotations: { "karpenter.sh/do-not-disrupt": "true" } });
  cluster.addStatefulSet({
    name: "big",
    namespace: "shop",
    replicas: 1,
    spec: { containers, terminationGracePeriodSeconds: 3600 },
    pods: [{ name: "big-0", node: leaving }],
  });
}

/** Lets the leaving instance run in a Capacity Block that ends in a day. */
function enterBlock({ aws }: Site): void {
  const block = { type: "capacity-block", state: "active", instanceType: "p5.48xlarge" } as const;
  aws.ec2.reserve({ ...block, id: "cr-0123456789abcdef0", endsIn: hours(24) });
  aws.ec2.enterBlock(terminateAction.instance, "cr-0123456789abcdef0");
}

/** Runs a database and a broker that ask for more grace than a drain has, and that their budgets never let go. */
function quorums({ cluster }: Site): void {
  const namespace = "shop";
  for (const [name, terminationGracePeriodSeconds] of [
    ["db", 3600],
    ["rabbit", 604_800],
  ] as const) {
    const spec = { terminationGracePeriodSeconds };
    const pods = [{ name: `${name}-0`, node: leaving }];
    cluster.addStatefulSet({ name, namespace, replicas: 1, spec, pods });
    const selector = { matchLabels: { app: name } };
    cluster.addBudget({ name, namespace, selector, maxUnavailable: 0 });
  }
}

/** What a plan says of a namespace with very large pods, or budgets. */
const unreadLines = (told: Told) =>
  told
    .out()
    .split("\n")
    .filter((line) => line.includes("too large"));

describe("the plan of a node where a tenant has very large objects", () => {
  it.each([
    ["the node", ["--cluster", "demo", leaving]],
    ["the cluster", ["demo"]],
  ])("is that of the others, and says what was not read: %s", async (_, argv) => {
    const { cluster } = await aSite();
    for (const pod of largePods(40)) cluster.addPod({ ...pod, namespace: "tenant", node: leaving });
    const values = Array.from({ length: 60_000 }, (_value, at) => `word-${at}`);
    const selector = { matchExpressions: [{ key: "app", operator: "In", values }] };
    for (const name of ["a", "b", "c", "d", "e", "f", "g", "h"])
      cluster.addBudget({ name, namespace: "team", selector, maxUnavailable: 1 });
    cluster.addPod({ name: "theirs", namespace: "team", node: leaving });

    const told = await plan(argv);

    expect(unreadLines(told)).toEqual([
      expect.stringMatching(/budgets of namespace team: .* as if they had none/),
      expect.stringMatching(/pods of namespace tenant: .* they are not in this plan/),
    ]);
    expect(told.out()).not.toContain("large-");
    expect(told.out()).toMatch(/at once: \d pods/);
  });
});

describe("the plan of a node", () => {
  it("tells first what never goes, then what waits or is lost, then the rest as counts", async () => {
    const site = await aSite();
    burden(site);

    const { code, out } = await onLeaving();

    expect(code).toBe(3);
    expect(out()).toMatchInlineSnapshot(`
      "node ip-192-168-18-230.eu-west-1.compute.internal: 4 of 8 pods will not go within 15 min without force
      Will not go within 15 min:
        Pod shop/safe
          protected by its annotation karpenter.sh/do-not-disrupt: true; take the protection away, or let force overrule it
          force deletes it 14 min 30 s after the notice, with 29 s of grace
        Pod shop/twice
          2 budgets select it (shop/first, shop/second), and the API evicts no such pod: leave one
          force deletes it 14 min 30 s after the notice, with 29 s of grace
        Deployment shop/web: web-5d4f-1, web-5d4f-2
          budget shop/web, which can never be met (maxUnavailable 0): raise it
          force deletes it 14 min 30 s after the notice, with 29 s of grace
      Find no place elsewhere:
        StatefulSet shop/big: big-0
          its replacement finds no place: too little cpu and memory (2)
      Lose something:
        StatefulSet shop/big: big-0
          gets 14 min 55 s of its grace of 1 h, which fits with "timeoutSeconds": 4000
        Pod shop/lone
          no controller will put it up again
          the data of its emptyDir volumes is lost
          leaves its data behind: hostPath /data
        Pod shop/safe
          no controller will put it up again
        Pod shop/twice
          no controller will put it up again
      The rest:
        at once: 4 pods; last: 1 critical pod
        left alone: 2 pods of DaemonSets
        longest grace: 1 h of shop/big-0
        at the quickest 15 min: the mark 1 s + budget shop/web 14 min 59 s
        at the longest 15 min: the mark 5 s + budget shop/web 14 min 30 s + rests between passes 25 s
        with force at most 15 min

      the settings are those of stack EksNodeLifecycle-demo
      not looked at: affinity and anti-affinity between pods, topology spread, preferences, host ports, pods that are scheduled as a group, how many volumes a node takes, how pods fit together on one node, priority and preemption, nodes that are yet to come, admission webhooks (--ask)
      "
    `);
  });

  it("says of a grace that is longer than the drain which timeout fits it, or that none does", async () => {
    const site = await aSite();
    quorums(site);

    const { out } = await onLeaving();

    expect(out()).toContain(`\
  StatefulSet shop/db: db-0
    budget shop/db, which can never be met (maxUnavailable 0): raise it
    force deletes it 7 min 30 s after the notice, with 7 min 30 s of grace
    its grace of 1 h fits with "timeoutSeconds": 7200, and what holds it has as long
  StatefulSet shop/rabbit: rabbit-0
    budget shop/rabbit, which can never be met (maxUnavailable 0): raise it
    force deletes it 7 min 30 s after the notice, with 7 min 30 s of grace
    its grace of 168 h fits into no drain, for a hook holds no instance as long; budgets count for half of a drain, 23 h 58 min at most
`);
    const [node] = jsonLines(await onLeaving("--json"));
    const pods = expect.arrayContaining([
      expect.objectContaining({ pod: "shop/db-0", fit: "with-timeout", fitTimeoutSeconds: 7200 }),
      expect.objectContaining({ pod: "shop/rabbit-0", fit: "never", fitTimeoutSeconds: 0 }),
    ]);
    expect(node).toMatchObject({ pods });
  });

  it.each<[string, (node: Node) => Partial<Node>, string]>([
    [
      "somebody has cordoned",
      ({ spec }) => ({ spec: { ...spec, unschedulable: true } }),
      "cordoned by others",
    ],
    [
      "has our mark",
      ({ spec, metadata }) => ({
        spec: { ...spec, unschedulable: true },
        metadata: { ...metadata, annotations: marked },
      }),
      "marked at 2026-03-23T10:00:00Z: terminating",
    ],
  ])("says that a node is closed already that %s, and of no other", async (_, change, words) => {
    const { cluster } = await aSite();
    const open = await onLeaving();
    cluster.store.update({ resource: nodes, name: leaving }, (node) => ({
      ...node,
      ...change(node),
    }));

    expect(open.out()).not.toContain("closed");
    expect((await onLeaving()).out()).toContain(`\n  closed to new pods already: ${words}\n`);
    expect(jsonLines(await onLeaving("--json"))[0]).toMatchObject({ closed: words });
    expect((await plan(["demo"])).out()).toContain(
      `\nclosed to new pods already: ${leaving} (${words})\n`,
    );
  });

  it("is written for programs in the documented form", async () => {
    const site = await aSite();
    burden(site);

    const io = await onLeaving("--json");

    const [node, summary, ...others] = jsonLines(io);
    expect(node).toMatchObject({ kind: "plan", node: leaving, timeoutSeconds: 900 });
    expect(summary).toMatchObject({ kind: "plan-summary", scope: "nodes", exitCode: 3, nodes: 1 });
    expect(others).toEqual([]);
  });

  it("spends what nodes that leave together share once: of three brokers one goes at once", async () => {
    const { cluster } = await aSite();
    const namespace = "kafka";
    const brokers = ["a", "b", "c"].map((zone, index) => ({
      name: `kafka-${index}`,
      node: `n-${zone}`,
    }));
    for (const { node } of brokers) cluster.addNode({ name: node });
    cluster.addStatefulSet({ name: "kafka", namespace, replicas: 3, pods: brokers });
    const selector = { matchLabels: { app: "kafka" } };
    cluster.addBudget({ name: "kafka", namespace, selector, maxUnavailable: 1 });
    const fatesOn = async (...nodes: readonly string[]) => {
      const told = jsonLines(await plan(["--cluster", "demo", ...nodes, "--json"]));
      return told
        .flatMap(
          ({ pods = [] }) => pods as readonly { readonly pod: string; readonly fate: string }[],
        )
        .filter(({ pod }) => pod.startsWith("kafka/"))
        .map(({ fate }) => fate);
    };
    // The disruption controller counts them a moment later.
    await vi.waitFor(async () => expect(await fatesOn("n-a")).toEqual(["goes"]), {
      timeout: 60_000,
    });

    expect(await fatesOn("n-a", "n-b", "n-c")).toEqual(["goes", "waits", "waits"]);
    expect(await fatesOn("n-a", "n-b", "n-a")).toEqual(["goes", "waits"]);
  });

  it("says of a pod that an operator may move once the node is closed that it may be late, and of no other", async () => {
    const { cluster } = await aSite();
    const revision = { "controller-revision-hash": "r-1" };
    const ownerReferences = (kind: string, apiVersion: string) => [
      { apiVersion, kind, name: "owner", uid: `owner-${kind}`, controller: true },
    ];
    const run = (
      name: string,
      app: string,
      kind: string,
      apiVersion: string,
      node: string = leaving,
    ) => {
      const labels = { app, ...revision };
      cluster.addPod({ name, node, labels, ownerReferences: ownerReferences(kind, apiVersion) });
    };
    run("pg-1", "pg-primary", "Cluster", "postgresql.cnpg.io/v1");
    run("manager", "manager", "InstanceManager", "longhorn.io/v1beta2");
    run("acid-0", "acid-master", "StatefulSet", "apps/v1");
    run("acid-1", "acid-replica", "StatefulSet", "apps/v1", "elsewhere");
    run("lone-0", "lone", "ReplicaSet", "apps/v1");
    for (const name of ["pg-primary", "manager", "acid-master", "lone"])
      cluster.addBudget({ name, selector: { matchLabels: { app: name } }, minAvailable: 1 });
    const fates = async () => {
      const [{ pods: own } = {}] = jsonLines(await onLeaving("--json"));
      const told = own as readonly {
        readonly pod: string;
        readonly fate: string;
      }[];
      return Object.fromEntries(told.map(({ pod, fate }) => [pod, fate]));
    };
    const found = {
      "default/pg-1": "late",
      "default/manager": "late",
      "default/acid-0": "late",
      "default/lone-0": "never",
    };
    await vi.waitFor(async () => expect(await fates()).toMatchObject(found), { timeout: 60_000 });
    const { out } = await onLeaving();

    expect(out()).toContain(`\
May be too late:
  StatefulSet default/owner: acid-0
    budget default/acid-master (minAvailable 1), until the operator of StatefulSet default/owner moves it, as it may once the node is closed; if it does not, scale up or relax the budget
`);
    cluster.store.update({ resource: pods, namespace: "default", name: "acid-1" }, (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { ...revision, app: "acid-master" } },
    }));
    await vi.waitFor(
      async () => expect(await fates()).toMatchObject({ "default/acid-0": "goes" }),
      { timeout: 60_000 },
    );
  });

  it("changes nothing, and reads only the pods of nodes that it must", async () => {
    const site = await aSite();

    await onLeaving("--ask");

    const asked = site.cluster.audit.filter(({ user }) => user.username === "person");
    expect(new Set(asked.map(({ verb }) => verb))).toEqual(new Set(["get", "list", "create"]));
    const written = asked.filter(({ verb }) => verb === "create");
    expect(written.length).toBeGreaterThan(0);
    for (const { requestURI } of written) expect(requestURI).toContain("eviction?dryRun=All");
    const lists = asked
      .map(({ requestURI }) => requestURI)
      .filter((uri) => uri.startsWith("/api/v1/pods"));
    for (const uri of lists) expect(uri).toContain("fieldSelector=spec.nodeName%3D");
  });

  it("tells what a webhook refuses if it is asked to", async () => {
    const site = await aSite();
    const message = 'admission webhook "guardian" denied the request: not now';
    const body = { kind: "Status", status: "Failure", code: 400, message };
    site.cluster.failNext({ subresource: "eviction", namespace: "demo" }, { status: 400, body });

    const { code, out } = await onLeaving("--ask");

    expect(code).toBe(3);
    expect(out()).toContain(
      `its eviction is refused (denied): ${message}; ask the owner of the webhook or policy that refuses it`,
    );
  });
});

describe("the settings of a plan", () => {
  const timeoutOf = (io: CapturedIo) => {
    const [{ timeoutSeconds } = {}] = jsonLines(io);
    return timeoutSeconds;
  };

  it("are those of the deployment, which the group's tags overrule", async () => {
    const site = await aSite({ settings: { DRAIN_TIMEOUT_SECONDS: "240" } });
    expect(timeoutOf(await onLeaving("--json"))).toBe(240);

    const { register } = site.aws.autoScaling;
    const key = "eks-node-lifecycle/drain-timeout-seconds";
    for (const group of register.groups())
      register.put({ ...group, tags: [{ key, value: "120", propagated: false }] });

    expect(timeoutOf(await onLeaving("--json"))).toBe(120);
    expect(timeoutOf(await onLeaving("--json", "--deadline", "10m"))).toBe(600);
  });

  it("are the defaults where no deployment is found, and the plan says so", async () => {
    const site = await aSite({ settings: { DRAIN_TIMEOUT_SECONDS: "240" } });
    const { out } = await onLeaving("--stack", "none");

    expect(site.url).not.toBe("");
    expect(out()).toContain("not deployed yet (no stack none): planned with the defaults\n");
  });

  it("may be set one by one, and a wrong one is told with what it may be", async () => {
    await aSite();

    const { out } = await onLeaving("--set", "DRAIN_MODE=cordon-only");
    const wrong = await onLeaving("--set", "DRAIN_MODE=evicted");
    const unknown = await onLeaving("--set", "DRAIN_MODES=evict");
    const strange = await onLeaving("--set", "COLOUR=red");

    expect(out()).toContain("this deployment only cordons; set DRAIN_MODE to evict");
    const endless = await onLeaving("--set", "HOOK_HEARTBEAT_SECONDS=abc");
    expect([wrong.code, wrong.err()]).toEqual([2, expect.stringContaining("DRAIN_MODE")]);
    expect([endless.code, endless.err()]).toEqual([
      2,
      expect.stringMatching(/HOOK_HEARTBEAT_SECONDS: expected a .*, got "abc"/),
    ]);
    expect(strange.err()).toContain("with one of DRAIN_TIMEOUT_SECONDS, DRAIN_FORCE");
    expect([unknown.code, unknown.err()]).toEqual([
      2,
      expect.stringContaining("Did you mean DRAIN_MODE=evict?"),
    ]);
  });
});

describe("the plan of many nodes", () => {
  it("ranks the workloads that would hold the nodes of a cluster, on one page", async () => {
    const site = await aSite();
    burden(site);

    const { code, out } = await plan(["demo"]);

    expect(code).toBe(3);
    expect(out()).toMatchInlineSnapshot(`
      "cluster demo: 3 nodes, 12 pods to move; 1 node would not be drained in time without force
      These workloads would hold a drain until its deadline:
        1. Deployment shop/web: 2 pods on 1 node
          budget shop/web, which can never be met (maxUnavailable 0): raise it
        2. Pod shop/safe: 1 pod on 1 node
          protected by its annotation karpenter.sh/do-not-disrupt: true; take the protection away, or let force overrule it
        3. Pod shop/twice: 1 pod on 1 node
          2 budgets select it (shop/first, shop/second), and the API evicts no such pod: leave one
      These nodes take longest:
        ip-192-168-18-230.eu-west-1.compute.internal: 15 min
        ip-192-168-43-17.eu-west-1.compute.internal: 6 s to 1 min 12 s
        ip-192-168-77-142.eu-west-1.compute.internal: 6 s to 35 s
      The rest:
        at once: 8 pods
        after a wait: 0 pods
        without a place elsewhere: 1 pod
        put up again by nobody: 3 pods
        with local data that is lost: 1 pod

      Kubernetes 1.36: when its support ends is not in the calendar that was read on 2026-04-24
        these nodes hold up a rollback to 1.35:
          eks-demo-ng-02c1ba5d-75b6-fbdf-4569-aa31827ad412: 3 nodes with a kubelet newer than 1.35
        no node holds up the next version, 1.37

      the settings are those of stack EksNodeLifecycle-demo
      not looked at: affinity and anti-affinity between pods, topology spread, preferences, host ports, pods that are scheduled as a group, how many volumes a node takes, how pods fit together on one node, priority and preemption, nodes that are yet to come, load balancers (name the nodes), admission webhooks (--ask)
      "
    `);
  });

  it("leaves out the nodes of a cluster that EKS or nobody drains, unless they are named", async () => {
    const { cluster } = await aSite();
    const compute = "eks.amazonaws.com/compute-type";
    const strict = { matchLabels: { app: "held" } };
    for (const [name, labels] of [
      ["fargate-ip-10-0-0-1", { [compute]: "fargate" }],
      ["i-00000000000000aaa", { [compute]: "auto" }],
      ["mi-00000000000000bbb", { [compute]: "hybrid" }],
      ["managed-1", { "eks.amazonaws.com/nodegroup": "workers" }],
      ["managed-2", { "eks.amazonaws.com/nodegroup": "workers" }],
    ] as const) {
      cluster.addNode({ name, labels });
      cluster.addPod({ name: `held-${name}`, node: name, labels: { app: "held" } });
    }
    cluster.addBudget({ name: "held", selector: strict, maxUnavailable: 0 });

    const all = await plan(["demo"]);

    expect(all.code).toBe(0);
    expect(all.out()).toContain("cluster demo: 3 nodes, ");
    expect(all.out()).toContain(
      "left out, because others drain them: 1 node of EKS Auto Mode, 1 node of EKS Hybrid Nodes, 1 node of Fargate, 2 nodes of managed node groups; name a node or a group to plan it all the same",
    );
    expect(all.out()).toContain("No workload would hold a drain until its deadline.");
    expect((await plan(["--cluster", "demo", "workers"])).out()).toContain(
      "group workers: 2 nodes",
    );
    expect((await plan(["--cluster", "demo", "managed-1"])).code).toBe(3);
  });

  it("is that of a group, by its label", async () => {
    const site = await aSite();
    site.cluster.addNode({ name: "lonely", labels: { "eks.amazonaws.com/nodegroup": "workers" } });

    const { code, out } = await plan(["--cluster", "demo", "workers"]);

    expect(code).toBe(0);
    expect(out()).toContain("group workers: 1 node, 0 pods to move; 0 nodes would not be drained");
  });

  it("is that of an Auto Scaling group, by its name and its instances", async () => {
    const { cluster } = await aSite();
    cluster.addNode({ name: "stranger" });

    const { code, out } = await plan(["--cluster", "demo", group]);

    expect(code).toBe(0);
    expect(out()).toContain(`group ${group}: 3 nodes, `);
    expect(out()).toContain("load balancers (name the nodes)");
  });

  it("tells what an upgrade of all nodes of the group would do, as `upgrade --dry-run` does", async () => {
    await aSiteWithUpgrades();
    const dryRun = capturedIo();
    const words = ["--launch-template-version", "2", "--dry-run", "--drain-timeout", "15m"];

    const people = await plan(["--cluster", "demo", group, "--deadline", "15m"]);
    const program = await plan(["--cluster", "demo", group, "--deadline", "15m", "--json"]);
    const code = await main(["upgrade", group, ...words, "--cluster", "demo", "--json"], dryRun);

    expect([people.code, code]).toEqual([3, 3]);
    const [told] = jsonLines(program).filter(({ kind }) => kind === "upgrade-plan");
    expect(told).toMatchObject({
      surge: 6,
      batch: 1,
      blockers: [{ budgets: ["demo/nginx-demo"] }],
    });
    expect([told]).toEqual(jsonLines(dryRun));
    expect(people.out()).toContain(`If all its nodes were upgraded:\n  ${group}: `);
    expect(people.out()).toContain("would block it on");
  });

  it("tells that an upgrade of the group is refused, and none of its nodes, if it belongs to a service", async () => {
    const { aws } = await aSiteWithUpgrades();
    const { register } = aws.autoScaling;
    register.put({ ...register.findGroup(group), operator: "batch.amazonaws.com" });

    const program = jsonLines(await plan(["--cluster", "demo", group, "--json"]));

    expect(program.filter(({ kind }) => kind === "upgrade-plan")).toEqual([]);
    expect(program.at(-1)).toMatchObject({
      remarks: expect.arrayContaining([
        `an upgrade is refused: group ${group} belongs to the service batch.amazonaws.com (its Operator), which alone may change it`,
      ]),
    });
  });

  it("tells when the window of such an upgrade opens, which is none where no upgrade is told", async () => {
    await aSiteWithUpgrades();
    const day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][(new Date().getUTCDay() + 3) % 7];
    const window = ["--window", `${day} 00:00-01:00`];

    const closed = await plan(["--cluster", "demo", group, ...window]);
    const nodes = await plan(["--cluster", "demo", ...window]);
    const wrong = await plan(["--cluster", "demo", group, "--window", "Someday 1:00"]);

    expect(closed.out()).toMatch(/nothing begins before \d{4}-\S+T00:00:00\.000Z, when the main/);
    expect(nodes.out()).toContain("the upgrade of the group (--window: no Auto Scaling group");
    expect([wrong.code, wrong.err()]).toEqual([2, expect.stringContaining("Sat-Sun/22:00-06:00")]);
  });

  it("tells by group which nodes hold up another version of Kubernetes, and until when this one has support", async () => {
    const { cluster } = await aSite();
    const old = { kubeletVersion: "v1.33.9", runtime: "containerd://1.7.29" };
    cluster.addNode({ name: "old", labels: { "eks.amazonaws.com/nodegroup": "web" }, ...old });
    const fargate = { "eks.amazonaws.com/compute-type": "fargate" };
    const theirs = { kubeletVersion: "v1.35.1", osImage: "Amazon Linux 2", runtime: old.runtime };
    cluster.addNode({ name: "fargate-1", labels: fargate, ...theirs });

    const all = await plan(["demo"]);
    const one = await plan(["--cluster", "demo", group, "--json"]);
    const nodes = await plan(["--cluster", "demo", leaving, "--json"]);

    expect(all.out()).toContain(
      [
        "Kubernetes 1.36: when its support ends is not in the calendar that was read on 2026-04-24",
        "  these nodes hold up a rollback to 1.35:",
        `    ${group}: 3 nodes with a kubelet newer than 1.35`,
        "  these nodes hold up the next version, 1.37:",
        "    web: 1 node with a kubelet more than 3 minor versions older than 1.37",
        "    web: 1 node with containerd 1.x, which kubelets from 1.36 on do not take",
      ].join("\n"),
    );
    const rollback = { holds: "previous", version: "1.35", reason: "newer-kubelet" };
    expect(jsonLines(one).at(-1)).toMatchObject({
      versions: [{ ...rollback, group, nodes: 3 }],
    });
    expect(jsonLines(nodes).at(-1)).toMatchObject({ versions: [] });
  });

  it("says that it could not read the version of the control plane, and plans the rest", async () => {
    const { cluster } = await aSite();
    cluster.failNext({ path: "/version" }, { status: 403 }, { times: 9 });

    const { code, out } = await plan(["--cluster", "demo", group]);

    expect(code).toBe(0);
    expect(out()).toMatch(/not looked at: .*versions of Kubernetes \(/s);
  });

  it("says nothing of an upgrade where EKS does it, and why where Auto Scaling does not answer", async () => {
    const { aws } = await aSite();
    const { register } = aws.autoScaling;
    const key = "eks:nodegroup-name";
    const put = (tags: readonly { key: string; value: string; propagated: boolean }[]) =>
      register.put({ ...register.findGroup(group), tags });

    put([{ key, value: "workers", propagated: false }]);
    const managed = await plan(["--cluster", "demo", group]);
    put([]);
    aws.authorize = ({ action }) => (action.endsWith("Instances") ? "denied" : "allowed");
    const denied = await plan(["--cluster", "demo", group]);

    expect(managed.code).toBe(0);
    expect(managed.out()).not.toContain("upgraded:");
    expect(denied.out()).not.toContain("upgraded:");
    expect(denied.out()).toMatch(/not looked at: .*the upgrade of the group \(/s);
  });

  it("says why Auto Scaling does not tell of a name that no label has, and not that there is no such group", async () => {
    const { aws } = await aSite();
    aws.authorize = ({ action }) => (action.startsWith("autoscaling") ? "denied" : "allowed");

    const { code, err } = await plan(["--cluster", "demo", group]);

    expect(code).toBe(1);
    expect(err()).toMatch(
      /^no node or label is named .*, and Auto Scaling does not say whether a group is: .*; allow autoscaling:DescribeAutoScalingGroups.*\n$/,
    );
  });

  it("says of a group whose instances are no nodes of the cluster that it is none", async () => {
    const { aws } = await aSite();
    aws.autoScaling.createGroup({ name: "theirs", zones: ["eu-west-1a"] });

    const { code, err } = await plan(["--cluster", "demo", "theirs"]);

    expect([code, err()]).toEqual([1, expect.stringContaining("has no node of group theirs")]);
  });

  it("takes instances for nodes, and says what is meant by a name that there is not", async () => {
    await aSite();

    const known = await plan(["--cluster", "demo", "i-07e9ea9eb19a67337"]);
    const near = await plan(["--cluster", "demo", leaving.replace("230", "231")]);
    const none = await plan(["--cluster", "demo", "web"]);

    expect(known.out()).toContain(`node ${leaving}`);
    expect([near.code, near.err()]).toEqual([
      1,
      expect.stringContaining(`did you mean ${leaving}?`),
    ]);
    expect(none.err()).toContain("the cluster has no node, instance or group web");
  });

  it("are all those that say they run on an instance, for a kubelet may register with another's provider ID", async () => {
    const { cluster } = await aSite();
    const { spec } = cluster.store.get<Node>({ resource: nodes, name: leaving });
    for (const name of ["an-impostor", "the-impostor"]) cluster.addNode({ name, ...spec });

    const { out } = await plan(["--cluster", "demo", "i-07e9ea9eb19a67337"]);

    for (const name of ["an-impostor", leaving, "the-impostor"])
      expect(out()).toContain(`node ${name}`);
  });

  it("are looked for in the cluster of kubectl's own kubeconfig, where none is named", async () => {
    const { kubeconfig } = await aCluster();
    vi.stubEnv("KUBECONFIG", kubeconfig);
    onTestFinished(() => void vi.unstubAllEnvs());

    expect((await plan([first])).out()).toContain(`node ${first}`);
    expect((await plan([])).out()).toContain("cluster demo: 2 nodes");
  });

  it("are nodes with a private DNS name of EC2, also where one is named without its domain", async () => {
    const { cluster, kubeconfig } = await aCluster();
    cluster.addNode({ name: "ip-10-0-0-9", providerID: "aws:///eu-west-1a/i-00000000000000009" });
    vi.stubEnv("KUBECONFIG", kubeconfig);
    onTestFinished(() => void vi.unstubAllEnvs());

    const { code, out, err } = await plan(["ip-10-0-0-9"]);

    expect(code, err()).toBe(0);
    expect(out()).toContain("node ip-10-0-0-9");
  });
});

describe("plan of nodes in a Capacity Block", () => {
  const words = new RegExp(
    `group ${group}: 1 instance in Capacity Block cr-0123456789abcdef0, which ends at \\S+; EC2 ends them from \\S+ on, and their drains begin at \\S+`,
  );
  const unwrapped = (text: string) => text.replaceAll(/\s+/g, " ");

  it("says when it ends, of the cluster, the group and the node, and of no other node", async () => {
    enterBlock(await aSite());

    for (const names of [["demo"], ["--cluster", "demo", group], ["--cluster", "demo", leaving]])
      expect(unwrapped((await plan(names)).out()), names.join(" ")).toMatch(words);
    const other = "ip-192-168-43-17.eu-west-1.compute.internal";
    const told = await plan(["--cluster", "demo", other]);
    expect(told.err()).toBe("");
    expect(told.out()).not.toContain("Capacity Block");
  });

  it("says which right it needs for that, and tells the rest", async () => {
    const site = await aSite();
    enterBlock(site);
    const { authorize } = site.aws;
    site.aws.authorize = (request) =>
      request.action === "ec2:DescribeCapacityReservations" ? "denied" : authorize(request);

    const { code, out } = await plan(["demo"]);

    expect(code).toBe(0);
    expect(unwrapped(out())).toMatch(
      /Capacity Blocks \(.*; allow ec2:DescribeCapacityReservations, or sign in/,
    );
  });
});
