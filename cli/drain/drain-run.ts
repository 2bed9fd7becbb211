import { milliseconds } from "../../lambda/base/time.ts";
import type { DrainPorts } from "../../lambda/drain/drain.port.ts";
import { exclusionLabel, markedAtAnnotation } from "../../lambda/drain/marking.ts";
import type { Node, Taint } from "../../lambda/drain/node.ts";
import { overOthers } from "../../lambda/drain/over-others.flow.ts";
import { tryKeeping } from "../../lambda/drain/reason.ts";
import { removeMark } from "../../lambda/drain/undo-mark.flow.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import type { Journal } from "../../lambda/notice/journal.port.ts";
import { CommandFailure } from "../command-failure.ts";
import { clockWords } from "../connect/clock-words.ts";
import { type ExitCode, exitCodes, worstOf } from "../exit-code.ts";
import type { Report } from "../progress/report.ts";
import type { ReasonWithRemedy } from "../remedies.ts";
import type { ToldEntry } from "./drain-ports.ts";
import { isUnnoticed, tryRefusalOfNamed, tryUndoRefusal, warningsFor } from "./drain-refusal.ts";
import { drainSideBySide, putBack } from "./drain-side-by-side.ts";
import { type DrainSite, type DrainWork, portsOf, type RequestedDrains } from "./drain-site.ts";
import { openedEnd } from "./drain-verdict.ts";
import { assertGoesOn } from "./stoppable.ts";
import { takeConditionsBack } from "./take-conditions-back.ts";
import {
  type AwsAnswer,
  askAws,
  type NamedNode,
  nodeFactsOf,
  targetsOf,
  UnknownNode,
} from "./targets.ts";
import { tell, tryDrain } from "./try-drain.ts";

/** Drains the named nodes, undoes that, or only reports what a drain would do. */
export async function runDrain(request: RequestedDrains, site: DrainSite): Promise<ExitCode> {
  const targets = await targetsAsNamed(request, site);
  const asked: AwsAnswer = request.asksAws ? await askAws(targets, request.connection) : unasked;
  const now = site.clock.now();
  warnWithoutAws(targets, asked, site.report);
  warnOfClock(site);
  if (request.what === "undo") {
    const { taints } = request.settings;
    for (const target of targets)
      assertNot(tryUndoRefusal(nodeFactsOf(target, asked, now), taints));
    return opened(targets, { request, site, asked });
  }
  for (const target of targets) assertNot(tryRefusalOfNamed(nodeFactsOf(target, asked, now)));
  warnOfHooks(targets, asked, site);
  warnOfManagers(targets, site.report);
  const work = { request: withoutAws(request, asked), site, asked };
  return request.what === "dry-run" ? tried(targets, work) : drainSideBySide(targets, work);
}

const unasked: AwsAnswer = { kind: "unasked", why: "", said: new Map() };

/** The nodes that are named. Where one of them is gone, an undo puts counts back all the same: nothing else would at a terminal. */
const targetsAsNamed = (request: RequestedDrains, site: DrainSite): Promise<readonly NamedNode[]> =>
  targetsOf(request.nodes, site).catch(async (cause: unknown) => {
    if (request.what !== "undo" || !(cause instanceof UnknownNode)) throw cause;
    await putAllBack([], { request, site, asked: unasked });
    throw alsoPutBack(cause, request);
  });

const alsoPutBack = (cause: UnknownNode, { nodes }: RequestedDrains): CommandFailure =>
  new CommandFailure(
    `${cause.message}; no node was opened, and counts are put back as far as no drain needs them`,
    nodes.length > 1
      ? "if the node is gone, repeat the command without it"
      : `if the node is gone, nothing else is to be undone; if it is not, ${cause.remedy}`,
    { cause },
  );

/** Puts counts back that a drain has raised which was stopped, whatever its settings were: no other drain would lower them. */
async function putAllBack(targets: readonly NamedNode[], work: DrainWork): Promise<void> {
  const settings = { ...work.request.settings, makeRoom: "on" } as const;
  // A node whose mark an upgrade keeps is one of a drain that goes on.
  await putBack(targets, { ...work, request: { ...work.request, settings } }, []);
}

function assertNot(refusal: ReasonWithRemedy | undefined): void {
  if (refusal === undefined) return;
  throw new CommandFailure(`${refusal.why}; nothing was touched`, refusal.remedy);
}

function warnWithoutAws(targets: readonly NamedNode[], asked: AwsAnswer, report: Report): void {
  if (asked.kind === "unasked" && asked.why !== "")
    report.warn("without AWS", `${unlooked(targets, asked)} (${asked.why})`);
}

function warnOfClock({ clock, report }: DrainSite): void {
  const words = clockWords(clock.difference());
  if (words !== "") report.warn("clock", `${words}, whose time counts`);
}

function warnOfHooks(
  targets: readonly NamedNode[],
  asked: AwsAnswer,
  { clock, report }: DrainSite,
): void {
  const held = targets.filter((one) => isUnnoticed(nodeFactsOf(one, asked, clock.now())));
  for (const { node, instance } of held)
    report.warn(
      `node ${node.name}`,
      `its hook holds ${instance}, and the function has not begun with it: drain it here, and send its notice again with \`resend ${instance} --cluster NAME\`, so that the hook is completed`,
    );
}

function warnOfManagers(targets: readonly NamedNode[], report: Report): void {
  for (const { node } of targets)
    for (const warning of warningsFor(node)) report.warn(`node ${node.name}`, warning);
}

const unlooked = ({ length }: readonly NamedNode[], { said }: AwsAnswer): string =>
  `load balancers are not looked at${said.size < length ? ", nor hooks" : ""}`;

/** Without AWS, a drain does not wait for load balancers. */
const withoutAws = (request: RequestedDrains, { kind }: AwsAnswer): RequestedDrains =>
  kind === "asked"
    ? request
    : { ...request, settings: { ...request.settings, targetTimeout: milliseconds(0) } };

const silent: Journal<ToldEntry> = { record: () => undefined };

/** Removes our marks from nodes, and reports the state of each. */
export async function opened(targets: readonly NamedNode[], work: DrainWork): Promise<ExitCode> {
  const { request, site, asked } = work;
  const ports = portsOf(targets, work, silent);
  for (const target of targets) {
    const assertStill = (node: Node) =>
      assertNot(tryUndoRefusal(nodeFactsOf({ ...target, node }, asked, site.clock.now())));
    const how = await openNode(target.node, request.settings.taints, assertStill, ports);
    await takeConditionsBack(target.node, site);
    site.report.end(openedEnd(target.node.name, how));
  }
  await putAllBack(targets, work);
  return exitCodes.done;
}

/** Reports for each pod of the nodes what a drain would do, and changes nothing. */
export async function tried(targets: readonly NamedNode[], work: DrainWork): Promise<ExitCode> {
  const { request, site } = work;
  const codes: ExitCode[] = [];
  for (const target of targets) {
    const faults: ToldEntry[] = [];
    const record = (entry: ToldEntry) => void (entry.kind === "fault" && faults.push(entry));
    const ports = portsOf([target], work, { record });
    const run = await tryDrain({ ...target, settings: request.settings }, ports);
    assertGoesOn(site.stopped);
    tell(run, site.report);
    codes.push(faults.length > 0 ? exitCodes.fault : run.exitCode);
  }
  return worstOf(codes);
}

/** Removes our mark from a node, and returns the node's state in words. `assertStill` throws if the user may not remove the mark as it is now. */
async function openNode(
  { name, annotations }: Node,
  taints: readonly Taint[],
  assertStill: (node: Node) => void,
  ports: DrainPorts,
): Promise<string> {
  const { cluster, clock } = ports;
  const answer = await overOthers(async () => {
    const node = await cluster.node(name);
    // Another process, or our own request whose answer was lost, may have removed the mark.
    if (node === "absent" || !(markedAtAnnotation in node.annotations)) return "gone";
    assertStill(node);
    return removeMark(node, taints, ports);
  }, clock);
  const again = "look who does, and repeat the command";
  if (answer === "changed")
    throw new CommandFailure(`others keep writing node ${name}; its mark is still there`, again);
  const node = await cluster.node(name);
  if (node === "absent") return `node ${name} is gone`;
  if (node.unschedulable && tryKeeping(node, drainReasons) !== undefined)
    return `our mark is removed from node ${name}; it stays cordoned, because an upgrade drains it`;
  if (node.unschedulable)
    return `our mark is removed from node ${name}; it stays cordoned, as it was before`;
  const label = exclusionLabel in node.labels ? `; it keeps its own label ${exclusionLabel}` : "";
  const open = markedAtAnnotation in annotations ? "open again" : "open: it had no mark of ours";
  return `node ${name} is ${open}${label}`;
}
