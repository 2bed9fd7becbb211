import type { InstanceId } from "../../lambda/base/ids.ts";
import { milliseconds } from "../../lambda/base/time.ts";
import { drainPolicyIn } from "../../lambda/config/policies.ts";
import type { DrainPolicy } from "../../lambda/drain/drain-policy.ts";
import { admission, heldTerminating } from "../../lambda/notice/admission.ts";
import { type Notice, noticeTitle, readNotice } from "../../lambda/notices.ts";
import { awsAt } from "../connect/aws-access.ts";
import { clusterAt } from "../connect/cluster-access.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";
import { deploymentAt } from "../connect/deployment-at.ts";
import { type Found, mapped, unknown } from "../connect/found.ts";
import { type ExitCode, exitCodes, worstOf } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { SavedMessage } from "../replay/saved-event-schema.ts";
import { drainPorts } from "./drain-ports.ts";
import { atSite, type DrainSite } from "./drain-site.ts";
import { assertGoesOn } from "./stoppable.ts";
import { type AwsAnswer, askAws, type NamedNode, severalText, targetsAt } from "./targets.ts";
import { tell, tryDrain } from "./try-drain.ts";

/** Tries a saved event on a real cluster, and changes nothing there. */
export async function replayOnCluster(
  replay: ConnectionOptions & {
    readonly messages: readonly SavedMessage[];
    readonly cluster?: string;
  },
  io: Io,
): Promise<ExitCode> {
  const { messages, cluster, ...connection } = replay;
  const open = () => clusterAt(cluster, connection);
  return atSite({ open, json: connection.json === true, io, remedies: {} }, async (site) => {
    const policy = await policyOf(cluster, connection);
    return tryEvent({ messages, connection, policy }, site);
  });
}

async function policyOf(cluster: string | undefined, connection: ConnectionOptions) {
  if (cluster === undefined) return unknown("no --cluster is named", "name it with --cluster");
  const { config } = await deploymentAt(cluster, awsAt(connection), connection);
  return mapped(config, ({ drain }) => drain);
}

/** A saved event to try on a cluster. */
export interface TriedEvent {
  readonly messages: readonly SavedMessage[];
  readonly connection: Pick<ConnectionOptions, "profile" | "region">;
  /** The drain policy of the deployment, if it can be read. */
  readonly policy: Found<DrainPolicy>;
}

/**
 * Reports what the function would do for a saved event with the nodes concerned. It changes nothing: it writes neither to
 * the cluster nor to AWS.
 */
async function tryEvent(event: TriedEvent, site: DrainSite): Promise<ExitCode> {
  if (event.policy.kind === "unknown")
    site.report.warn("settings", `those of a new deployment (${event.policy.why})`);
  const codes: ExitCode[] = [];
  for (const { message, place } of event.messages)
    codes.push(await tryNotice(readNotice(JSON.parse(message), place), event, site));
  return worstOf(codes);
}

async function tryNotice(notice: Notice, event: TriedEvent, site: DrainSite): Promise<ExitCode> {
  const title = noticeTitle(notice);
  const instances = drainedBy(notice);
  if (instances.length === 0) site.report.warn(title, "the function drains no node for it");
  const codes: ExitCode[] = [];
  for (const instance of instances) {
    const targets = await targetsAt(instance, site);
    const [target] = targets;
    if (target === undefined || targets.length > 1) {
      site.report.warn(title, unclear(instance, targets));
      codes.push(exitCodes.notDone);
    } else codes.push(await tryOn(target, notice, event, site));
  }
  return worstOf(codes);
}

const unclear = (instance: InstanceId, targets: readonly NamedNode[]): string =>
  targets.length === 0
    ? `the cluster has no node of ${instance}, so the function would drain nothing`
    : `${severalText(targets)} say that they run on ${instance}: the function would drain the one that EC2 names`;

/** The instances whose nodes a notice may drain. */
function drainedBy(notice: Notice): readonly InstanceId[] {
  switch (notice.kind) {
    case "terminating":
      return [notice.action.instance];
    case "maintenance":
      return notice.instances;
    case "block-expiring":
      return notice.instance === "each" ? [] : [notice.instance];
    case "interrupted":
    case "at-risk":
    case "stopping":
      return [notice.instance];
    default:
      return [];
  }
}

async function tryOn(
  target: NamedNode,
  notice: Notice,
  event: TriedEvent,
  site: DrainSite,
): Promise<ExitCode> {
  const { subjects, cluster, clock, report } = site;
  const asked = await askAws([target], event.connection);
  for (const doubt of doubtsOf(notice, event, asked)) report.warn(noticeTitle(notice), doubt);
  const journal = { record: () => undefined };
  const ports = drainPorts({ subjects, cluster, clock, journal, asked, targets: [target] });
  const policy = event.policy.kind === "known" ? event.policy.value : drainPolicyIn({}, []);
  const settings = { ...policy.settingsFor({}).settings, targetTimeout: milliseconds(0) };
  const run = await tryDrain({ ...target, settings }, ports);
  assertGoesOn(site.stopped);
  tell(run, report);
  return run.exitCode;
}

/** Why the function might not drain for a notice. */
function doubtsOf(notice: Notice, { policy }: TriedEvent, asked: AwsAnswer): readonly string[] {
  if (notice.kind === "at-risk")
    return ["the function only cordons for it, unless EVENT_REBALANCE is drain"];
  if (notice.kind !== "terminating") return [];
  if (asked.kind === "unasked")
    return [`whether a hook holds the instance is not known (${asked.why})`];
  const { action } = notice;
  const managed = policy.kind === "known" ? policy.value.managed : [action.group];
  const { membership = "unasked" } = asked.said.get(action.instance) ?? {};
  if (membership === "unasked") return [];
  const admitted = admission({ action, heldIn: heldTerminating, membership, managed, tags: {} });
  return admitted.kind === "refused"
    ? [`the function would ignore it now: ${admitted.reason}; here is what it would do otherwise`]
    : [];
}
