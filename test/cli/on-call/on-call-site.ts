import { main } from "../../../cli/main.ts";
import { eksToken } from "../../../lambda/aws/eks-token.ts";
import { systemClock } from "../../../lambda/process/system-clock.ts";
import { nodeOf } from "../../../sandbox/scenarios/demo-ng-group.ts";
import { populateWorkloads } from "../../../sandbox/scenarios/demo-ng-workloads.ts";
import type { Synthesised } from "../../../sandbox/stack/deploy-template.ts";
import type { Cancel } from "../../../sandbox/timeline.ts";
import { aDoctorSite, sampleWith } from "../../lib/doctor/doctor-site.ts";
import { sample } from "../../lib/synthesised.ts";
import { sampleInstances } from "../../lib/used-scenario.ts";
import { capturedIo } from "../captured-io.ts";
import { kubeconfigFile } from "../connect/kubeconfig-file.ts";
import { folderForTest } from "../folder-for-test.ts";
import { aDoor } from "./door.ts";

const { leaving } = sampleInstances;
const instances = Object.values(sampleInstances);
const everything = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];

/** The instance that terminates, and its node. */
export const ending = { instance: leaving.id, node: nodeOf(leaving) };

/** The sample's stack with the settings of the trial. */
export const onCallStack = (change: Parameters<typeof sampleWith>[0] = {}): Synthesised =>
  sampleWith({
    drain: { ...sample.drain, mode: "evict", timeoutSeconds: 300, force: "never" },
    events: { ...sample.events, removeNode: "never" }, // or the notice of each drain comes back once, after a minute
    ...change,
  });

const usual = onCallStack();

/** The file of the cluster, from which the stack comes. */
const clusterFile = (change: object = {}) => {
  const { cluster, nodeRoleArns, launchTemplateIds, groups } = sample;
  const drain = { mode: "evict", timeoutSeconds: 300, force: "never" };
  const events = { removeNode: "never" };
  const place = { cluster: { ...cluster, region: "eu-west-1" }, groups };
  return JSON.stringify({ ...place, nodeRoleArns, launchTemplateIds, drain, events, ...change });
};

/** How a site differs from one that is well. */
export interface OnCallOptions {
  readonly synthesised?: Synthesised;
  /** The group of the instances. @default that of the stack */
  readonly group?: string;
  readonly functions?: "idle" | "work";
}

/** The sample's stack with three nodes and their pods, and a person who may do everything there. */
export async function anOnCallSite({
  synthesised = usual,
  group = "workers",
  functions = "work",
}: OnCallOptions = {}) {
  const door = await aDoor();
  let served = { endpoint: "", certificateAuthority: "" };
  const site = await aDoctorSite({
    synthesised,
    functions,
    rights: everything,
    populate({ aws, cluster }) {
      served = aws.eks.findCluster("sample");
      door.leadTo(served.endpoint);
      aws.eks.updateCluster("sample", { endpoint: door.url });
      for (const one of instances)
        cluster.addNode({ name: nodeOf(one), providerID: `aws:///${one.zone}/${one.id}` });
      populateWorkloads(cluster, sampleInstances, ["leaving", "neighbour", "farther"]);
      if (group !== "workers")
        aws.autoScaling.createGroup({
          name: group,
          zones: ["eu-west-1a"],
          launches: "never",
          tags: [{ key: "kubernetes.io/cluster/sample", value: "owned", propagated: false }],
        });
      for (const { id, ip, zone } of instances) {
        aws.ec2.run({ id, zone, privateIp: ip });
        aws.autoScaling.attach({ id, zone, group });
      }
      aws.autoScaling.setDesired(group, instances.length);
    },
  });
  const token = await eksToken({
    clusterName: "sample",
    region: site.aws.account.region,
    credentials: async () => site.key,
    now: systemClock.now,
  });
  /** Runs a command in a folder with the cluster's file, changed so. */
  const runWith = async (change: object, ...words: readonly string[]) => {
    const io = capturedIo({ cwd: folderForTest({ "clusters/sample.json": clusterFile(change) }) });
    const code = await main(words, io);
    return { code, out: io.out(), err: io.err() };
  };
  return {
    ...site,
    door,
    /** Calls off the faults of the API server. */
    faults: [] as Cancel[],
    runWith,
    run: (...words: readonly string[]) => runWith({}, ...words),
    /** A kubeconfig of somebody who reaches the API server by another way than the function. */
    kubeconfig: kubeconfigFile(served, { token }),
    /** Has Auto Scaling terminate the instance. */
    terminate: () => site.aws.autoScaling.terminateInstance(ending.instance, "decrement"),
    /** How the notices have ended, without those of tests. */
    outcomes: () =>
      site
        .happenings()
        .flatMap((one) => (one.kind === "notice-done" ? [one.outcome.kind] : []))
        .filter((kind) => kind !== "tested"),
  };
}

/** How often a fault strikes until it is called off. */
export const many = { times: Number.POSITIVE_INFINITY };

/** Ends the faults of the API server. */
export const callOff = ({ faults }: Pick<OnCallSite, "faults">): void => {
  for (const end of faults) end();
};

/** A deployment that somebody on call looks after. */
export type OnCallSite = Awaited<ReturnType<typeof anOnCallSite>>;
