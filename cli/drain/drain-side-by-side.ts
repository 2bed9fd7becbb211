import type { Happening } from "../../journal/happening.ts";
import { type Fault, faultOf } from "../../lambda/base/fault.ts";
import type { NodeName } from "../../lambda/base/ids.ts";
import { sideBySide } from "../../lambda/base/side-by-side.ts";
import { later, milliseconds, never } from "../../lambda/base/time.ts";
import { markNode } from "../../lambda/drain/mark-node.flow.ts";
import type { Journal } from "../../lambda/notice/journal.port.ts";
import { noteLines } from "../../lambda/notice/outcome.ts";
import { type ExitCode, worstOf } from "../exit-code.ts";
import { drainNode } from "./drain-passes.ts";
import type { RecordingPorts, ToldEntry } from "./drain-ports.ts";
import { type DrainSite, type DrainWork, portsOf } from "./drain-site.ts";
import { type DrainEnding, endOf } from "./drain-verdict.ts";
import type { NamedNode } from "./targets.ts";

/** Drains nodes, a few at a time, and reports the end of each drain. */
export async function drainSideBySide(
  targets: readonly NamedNode[],
  work: DrainWork,
): Promise<ExitCode> {
  const { request, site } = work;
  const { settings, parallel } = request;
  const from = site.clock.now();
  const rounds = Math.ceil(targets.length / parallel);
  const until = later(from, milliseconds(settings.timeout * rounds));
  const limit = `the ${rounds > 1 ? "last " : ""}drain ends`;
  site.report.start("the drain");
  site.report.begin({ from, until, limit, awaited: "for the API server" });
  site.stopped.addEventListener("abort", () => site.report.warn("stopping", stopping));
  const courses = targets.map((target) => courseOf(target, work));
  const hindrance = targets.length > 1 ? await tryHindrance(courses, work) : undefined;
  const codes = await sideBySide(courses, parallel, (course) => drainOne(course, hindrance, work));
  const ended = targets.map(({ node }) => node.name);
  if (!site.stopped.aborted) await putBack(targets, work, ended);
  return worstOf(codes);
}

/** Puts back what the drains have raised and no longer need, some of which have ended: at a terminal no schedule does. */
export async function putBack(
  targets: readonly NamedNode[],
  all: DrainWork,
  ended: readonly NodeName[],
): Promise<void> {
  const { request, site } = all;
  const ports = portsOf(targets, all, toldCounts(site));
  const work = ports.subjects.map((subject) => subject.work(request.settings, ports, ended));
  const skipped = (await Promise.all(work)).flatMap((done) => done.skipped);
  for (const line of noteLines(skipped)) site.report.warn("raised counts", line);
}

/** Tells the user which counts change. What fails is among what is skipped. */
const toldCounts = ({ report, clock }: DrainSite): Journal<ToldEntry> => ({
  record(entry) {
    if (entry.kind === "making-room")
      report.tell({ ...entry, at: clock.now(), source: "function" });
  },
});

const stopping =
  "no further pod is evicted; requests under way are waited for (Ctrl-C again ends at once)";

/** The work on one node, and its entries so far. */
interface NodeWork {
  readonly target: NamedNode;
  readonly ports: RecordingPorts;
  readonly happenings: readonly Happening[];
}

function courseOf(target: NamedNode, work: DrainWork): NodeWork {
  const happenings: Happening[] = [];
  const journal = journalOf(target, work, (happening) => happenings.push(happening));
  return { target, ports: portsOf([target], work, journal), happenings };
}

/**
 * Marks all nodes before the first drain, so that no evicted pod lands on a node that is drained next. Returns why that
 * failed.
 */
async function tryHindrance(
  courses: readonly NodeWork[],
  { request, site }: DrainWork,
): Promise<Fault | undefined> {
  const { reason, settings } = request;
  const { taints, timeout } = settings;
  const begun = site.clock.now();
  const notBefore = later(begun, milliseconds(-timeout));
  const wish = {
    taints,
    notBefore,
    cause: { reason, deadline: never },
    begun,
    lease: "leave",
  } as const;
  try {
    for (const { target, ports } of courses) await markNode(target.node, wish, ports);
    return undefined;
  } catch (fault) {
    await site.client.settled();
    return faultOf(fault);
  }
}

async function drainOne(
  { target, ports, happenings }: NodeWork,
  hindrance: Fault | undefined,
  work: DrainWork,
): Promise<ExitCode> {
  const { report, remedies, clock } = work.site;
  const { taints } = work.request.settings;
  const from = clock.now();
  const ending = await endingOf(target, ports, { ...work, hindrance });
  const to = clock.now();
  const story = { node: target.node.name, ending, from, to, happenings, taints, remedies };
  const { end, lines } = endOf(story);
  report.end(end, { lines });
  return end.exitCode;
}

async function endingOf(
  target: NamedNode,
  ports: RecordingPorts,
  { request, site, hindrance }: DrainWork & { readonly hindrance: Fault | undefined },
): Promise<DrainEnding> {
  const { settings, reason } = request;
  try {
    if (hindrance !== undefined) throw hindrance;
    const outcome = await drainNode({ ...target, settings, reason }, ports);
    return { kind: "outcome", outcome };
  } catch (cause) {
    if (!site.stopped.aborted) return { kind: "fault", fault: faultOf(cause) };
    await site.client.settled();
    return { kind: "stopped" };
  }
}

/** The journal of one node's drain. Once the user has stopped it, aborted requests are not reported. */
const journalOf = (
  { instance }: NamedNode,
  { site: { report, stopped, clock } }: DrainWork,
  hear: (happening: Happening) => void,
): Journal<ToldEntry> => ({
  record(entry) {
    if (stopped.aborted && entry.kind === "fault") return;
    const happening: Happening = { ...entry, instance, at: clock.now(), source: "function" };
    hear(happening);
    report.tell(happening);
  },
});
