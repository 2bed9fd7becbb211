import type { InstanceId } from "./base/ids.ts";
import { type Duration, seconds } from "./base/time.ts";
import { longestRestWithin } from "./drain/drain-bounds.ts";
import { drainNode } from "./drain/drain-node.flow.ts";
import type { DrainPolicy, DrainSettings } from "./drain/drain-policy.ts";
import { drainSubjects, type OpenSubject } from "./drain-subjects.ts";
import type { EventPorts } from "./interruption/interruption.port.ts";
import type { InterruptionEntry } from "./interruption/interruption-entry.ts";
import type { InterruptionPolicy } from "./interruption/interruption-policy.ts";
import { removeLeftNode } from "./interruption/remove-left-node.flow.ts";
import type { LaunchPorts } from "./launch/launch.port.ts";
import type { LaunchEntry } from "./launch/launch-entry.ts";
import type { LaunchPolicy, LaunchSettings } from "./launch/launch-policy.ts";
import type { HeldPolicy } from "./notice/held-pass.flow.ts";
import type { Journal } from "./notice/journal.port.ts";
import type { NamedCluster } from "./notice/notice.port.ts";
import { ignored, type Pass } from "./notice/outcome.ts";
import type { NoticeDone } from "./notice/pass-entry.ts";
import type { QueueWork, Received } from "./notice/queue-work.flow.ts";
import { isTriedEnough } from "./notice/renewal.ts";
import { type Notice, noticeSubject, noticeTitle, type Outcome } from "./notices.ts";
import type { EventRecorder, OpensConditions } from "./report/report.port.ts";
import type { ReportEntry } from "./report/report-entry.ts";
import type { ReportPolicy } from "./report/report-tools.flow.ts";
import { Reports } from "./report/reports.flow.ts";

/** The policy of this deployment for its notices. */
export interface Policies extends ReportPolicy {
  readonly drain: DrainPolicy;
  readonly launch: LaunchPolicy;
  readonly interruption: InterruptionPolicy;
  /** The heartbeat timeout of the groups' hooks. */
  readonly hookHeartbeat: Duration;
  /** The ARNs that they notify; empty where the function does not know them. */
  readonly hookTargets: readonly string[];
}

/** All entries of the function for notices. */
export type NodeEntry = InterruptionEntry | LaunchEntry | NoticeDone<Outcome> | ReportEntry;

/** The ports of all notices. */
export interface NoticePorts
  extends EventPorts,
    NamedCluster,
    Pick<LaunchPorts, "access" | "roles"> {
  readonly subjects: readonly OpenSubject[];
  readonly events: EventRecorder;
  readonly conditions: OpensConditions;
  readonly journal: Journal<NodeEntry>;
}

const rows = {
  events: drainSubjects.flatMap(({ events }) => events),
  figures: drainSubjects.flatMap(({ figures }) => figures),
};

export function noticeWork(
  policies: Policies,
  ports: NoticePorts,
): QueueWork<Notice, Outcome, NodeEntry> {
  const reports = new Reports({ ...policies, ...ports, rows: async () => rows });
  return {
    pass: policies.drain.pass,
    isTriedEnough,
    run: (received, pass, journal) =>
      reports.about(reportedPass(received, journal), (heard) =>
        workOnNotice(received, inTime(policies, pass), { ...ports, journal: heard }),
      ),
    // EC2 takes the instance in two minutes, and the usual visibility timeout is longer.
    backWithin: ({ kind }) => (kind === "interrupted" ? seconds(10) : "usual"),
    // The hook may not be known yet, and must not run out meanwhile.
    restWithin: (notice) =>
      "action" in notice ? longestRestWithin(policies.hookHeartbeat) : "usual",
    subjectOf: noticeSubject,
    startEntry: ({ content, receives }) => ({
      kind: "pass-started",
      notice: noticeTitle(content),
      receives,
    }),
    endEntry: (notice, outcome) => ({ kind: "notice-done", notice: noticeTitle(notice), outcome }),
    settled: () => reports.settled(),
  };
}

const reportedPass = (
  { content: notice, receives }: Received<Notice>,
  journal: Journal<NodeEntry>,
) => ({
  notice,
  title: noticeTitle(notice),
  instance: noticeSubject(notice).instance ?? ("" as const),
  receives,
  journal,
});

interface NoticePolicies extends Pick<Policies, "interruption"> {
  readonly drain: HeldPolicy<DrainSettings>;
  readonly launch: HeldPolicy<LaunchSettings>;
}

const inTime = (
  { drain, launch, interruption, hookHeartbeat: hookTimeout, hookTargets }: Policies,
  pass: Duration,
): NoticePolicies => ({
  drain: { ...drain, pass, hookTimeout, hookTargets },
  launch: { ...launch, pass, hookTimeout, hookTargets },
  interruption: { ...interruption, pass },
});

async function workOnNotice(
  { content: notice, ...reception }: Received<Notice>,
  { drain, launch, interruption }: NoticePolicies,
  ports: NoticePorts,
): Promise<Pass<Outcome>> {
  switch (notice.kind) {
    case "terminating":
      return removeLeftNode(
        await drainNode(notice, reception, drain, ports),
        notice.action.instance,
        reception.receives,
        { policy: interruption, ports },
      );
    case "test":
      return { kind: "done", outcome: { kind: "tested" } };
    case "unrelated":
      return ignored(notice.reason, "unrelated");
    case "launching": {
      const { registerNode } = await import("./launch/register-node.flow.ts");
      return registerNode(notice, reception, launch, {
        ...ports,
        removeLeft: (instance) => removeLeft(instance, interruption, ports),
      });
    }
    case "interrupted":
    case "at-risk":
    case "block-expiring":
    case "maintenance":
    case "stopping":
    case "stopped": {
      const { workOnEvent } = await import("./interruption/work-on-event.flow.ts");
      return workOnEvent({ notice, ...reception }, interruption, ports);
    }
    default:
      return workOfSubject(notice, drain.settingsFor({}).settings, ports);
  }
}

/** Does what a message of a subject's schedule asks for. */
async function workOfSubject(
  { kind }: Pick<Notice, "kind">,
  settings: DrainSettings,
  { subjects, ...ports }: NoticePorts,
): Promise<Pass<Outcome>> {
  const subject = subjects.find((one) => one.kind === kind);
  if (subject === undefined) return ignored(`nothing is done about ${kind}`, "other");
  const { outcome } = await subject.work(settings, ports);
  return { kind: "done", outcome };
}

/** Removes the node of an instance that is gone: another instance has its name already, so it must not linger. */
async function removeLeft(
  instance: InstanceId,
  policy: InterruptionPolicy,
  ports: NoticePorts,
): Promise<void> {
  const { cleanUp } = await import("./interruption/clean-up.flow.ts");
  await cleanUp({ instance, receives: 2, among: "all", lingers: "not at all" }, policy, ports);
}
