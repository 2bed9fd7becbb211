import { Fault } from "../../lambda/base/fault.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import { type OpenSubject, openSubjects } from "../../lambda/drain-subjects.ts";
import { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import type { ServerClock } from "../../lambda/process/server-clock.ts";
import { type CommandFailure, StoppedCommand } from "../command-failure.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { type Report, reportFor } from "../progress/report.ts";
import { failureBy, type Remedies } from "../remedies.ts";
import { drainPorts, type RecordingPorts } from "./drain-ports.ts";
import { StoppableClient, stoppableClock } from "./stoppable.ts";
import type { AwsAnswer, NamedNode } from "./targets.ts";

/** The cluster of the drains, and the report about them. */
export interface DrainSite {
  readonly client: StoppableClient;
  readonly cluster: KubeCluster;
  readonly subjects: readonly OpenSubject[];
  /** The time of the cluster. */
  readonly clock: ServerClock;
  readonly report: Report;
  readonly stopped: AbortSignal;
  readonly remedies: Remedies;
}

/** The connection to the cluster, and the output. */
interface DrainConnection {
  readonly open: () => ClusterAccess | Promise<ClusterAccess>;
  readonly json: boolean;
  readonly io: Io;
  /** The ways out of faults that the command offers. */
  readonly remedies: Remedies;
}

/** Runs some work in a cluster until the user stops it. Faults are reported with a remedy. */
export async function atSite(
  { open, json, io, remedies }: DrainConnection,
  work: (site: DrainSite) => Promise<ExitCode>,
): Promise<ExitCode> {
  const report = reportFor("drain", json ? "json" : "text", io);
  try {
    const access = await open();
    return await work(siteOf(access, { report, io, remedies })).finally(() => access.close());
  } catch (cause) {
    throw cause instanceof Fault ? failureOf(cause, remedies, io) : cause;
  } finally {
    report.close();
  }
}

const failureOf = (cause: Fault, remedies: Remedies, { interrupted }: Io): CommandFailure =>
  interrupted.aborted
    ? new StoppedCommand("stopped before all was done", "repeat the command to go on", { cause })
    : failureBy(cause, remedies);

function siteOf(
  { client: raw, clock }: ClusterAccess,
  { report, io, remedies }: Pick<DrainConnection, "io" | "remedies"> & { readonly report: Report },
): DrainSite {
  const { interrupted: stopped } = io;
  const client = new StoppableClient(raw, stopped);
  // The informers stop with the drain, so their clock need not be stoppable.
  const cluster = new KubeCluster(client, clock);
  const subjects = openSubjects({ client, cluster, clock: stoppableClock(clock, stopped) });
  return { client, cluster, subjects, clock, report, stopped, remedies };
}

/** The user's request for some nodes. */
export interface RequestedDrains {
  /** The names of nodes, or the ids of their instances. */
  readonly nodes: readonly string[];
  readonly what: "drain" | "dry-run" | "undo";
  readonly settings: DrainSettings;
  /** The reason that the marks of the nodes state. */
  readonly reason: "evacuated" | "requested";
  /** The number of nodes that are drained side by side. */
  readonly parallel: number;
  /** True if AWS is asked about hooks and load balancers. */
  readonly asksAws: boolean;
  readonly connection: Pick<ConnectionOptions, "context" | "kubeconfig" | "profile" | "region">;
}

/** The options that choose what to do. */
export interface Asking {
  readonly dryRun?: true;
  readonly undo?: true;
}

/** The act that these options choose. */
export function whatOf({ dryRun, undo }: Asking): RequestedDrains["what"] {
  if (undo) return "undo";
  return dryRun ? "dry-run" : "drain";
}

/** The act, and its nodes. */
export interface DrainWork {
  readonly request: RequestedDrains;
  readonly site: DrainSite;
  readonly asked: AwsAnswer;
}

/** The ports of the work on these nodes. */
export function portsOf(
  targets: readonly NamedNode[],
  { site, asked }: DrainWork,
  journal: RecordingPorts["journal"],
): RecordingPorts {
  const { subjects, cluster, stopped } = site;
  const clock = stoppableClock(site.clock, stopped);
  return drainPorts({ subjects, cluster, clock, journal, asked, targets });
}
