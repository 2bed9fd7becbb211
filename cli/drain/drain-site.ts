import { Fault } from "../../lambda/base/fault.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import type { Ports } from "../../lambda/registrations/ports.ts";
import type { Journal } from "../../lambda/registrations/process.port.ts";
import { type CommandFailure, StoppedCommand } from "../command-failure.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { type Report, reportFor } from "../progress/report.ts";
import { failureBy } from "../remedies.ts";
import { drainPorts } from "./drain-ports.ts";
import { drainRemedies } from "./drain-verdict.ts";
import { StoppableClient, stoppableClock } from "./stoppable.ts";
import type { AwsAnswer, NamedNode } from "./targets.ts";

/** Where drains happen, and who hears of them. */
export interface DrainSite {
  readonly client: StoppableClient;
  readonly cluster: KubeCluster;
  readonly report: Report;
  readonly stopped: AbortSignal;
}

/** How somebody at a terminal reaches a cluster, and wants to be told. */
interface DrainConnection {
  readonly open: () => ClusterAccess | Promise<ClusterAccess>;
  readonly json: boolean;
  readonly io: Io;
}

/** Does some work in a cluster, which a person can stop; faults are told with what that person can do. */
export async function atSite(
  { open, json, io }: DrainConnection,
  work: (site: DrainSite) => Promise<ExitCode>,
): Promise<ExitCode> {
  const report = reportFor("drain", json ? "json" : "text", io);
  try {
    const access = await open();
    return await work(siteOf(access, report, io)).finally(() => access.close());
  } catch (cause) {
    throw cause instanceof Fault ? failureOf(cause, io) : cause;
  } finally {
    report.close();
  }
}

const failureOf = (cause: Fault, { interrupted }: Io): CommandFailure =>
  interrupted.aborted
    ? new StoppedCommand("stopped before all was done", "repeat the command to go on", { cause })
    : failureBy(cause, drainRemedies);

function siteOf({ client: raw }: ClusterAccess, report: Report, io: Io): DrainSite {
  const { interrupted: stopped } = io;
  const client = new StoppableClient(raw, stopped);
  // The informers of the cluster end when the drain does; they need no clock that stops.
  return { client, cluster: new KubeCluster(client, systemClock), report, stopped };
}

/** What a person wants done with some nodes. */
export interface RequestedDrains {
  /** The names of the nodes, or the ids of their instances. */
  readonly nodes: readonly string[];
  readonly what: "drain" | "dry-run" | "undo";
  readonly settings: DrainSettings;
  /** Why, as the marks of the nodes say. */
  readonly reason: "evacuated" | "requested";
  /** How many nodes are drained side by side. */
  readonly parallel: number;
  /** Whether AWS is asked about hooks and load balancers. */
  readonly asksAws: boolean;
  readonly connection: Pick<ConnectionOptions, "context" | "kubeconfig" | "profile" | "region">;
}

/** The options that say what is wanted. */
export interface Asking {
  readonly dryRun?: true;
  readonly undo?: true;
}

/** What is wanted by these options. */
export function whatOf({ dryRun, undo }: Asking): RequestedDrains["what"] {
  if (undo) return "undo";
  return dryRun ? "dry-run" : "drain";
}

/** What is to be done with nodes, and where. */
export interface DrainWork {
  readonly request: RequestedDrains;
  readonly site: DrainSite;
  readonly asked: AwsAnswer;
}

/** What the work on these nodes reaches the world through. */
export function portsOf(
  targets: readonly NamedNode[],
  { site, asked }: DrainWork,
  journal: Journal,
): Ports {
  const { cluster, stopped } = site;
  const clock = stoppableClock(systemClock, stopped);
  return drainPorts({ cluster, clock, journal, asked, targets });
}
