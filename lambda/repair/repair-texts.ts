import { counted } from "../base/counted.ts";
import type { GroupName } from "../base/ids.ts";
import { type Instant, inSeconds, timestamp } from "../base/time.ts";
import type { RepairBrake } from "./brakes.ts";
import type { IllInstance } from "./repair-plan.ts";
import type { LeftAlone } from "./survey.ts";

/**
 * The state of an ill instance, in words: when it is repaired, what is under way, which brakes hold the repair, or why
 * it is left alone.
 */
export function repairStateText({ verdict, action, target: { group } }: IllInstance): string {
  switch (verdict.kind) {
    case "waits":
      return `${repairWords[action]} at ${shortTime(verdict.until)}, unless it is well by then`;
    case "repairs":
      return `${repairWords[verdict.step.kind]} now`;
    case "asks":
      return `only its node monitoring agent calls it ill, so the agent is restarted first; ${repairWords[verdict.step.kind]} if it still does so then`;
    case "leaving":
      return `${group} replaces it already`;
    case "rebooting":
      return `reboots, and has to be well by ${shortTime(verdict.until)}`;
    case "held":
      return `held: ${verdict.brakes.map((brake) => brakeText(brake, group)).join("; and ")}`;
    case "left-alone":
      return `left alone: ${leftAloneText(verdict.because, group)}`;
  }
}

const shortTime = (at: Instant): string => inSeconds(timestamp(at));

/** The names of repairs, for people. */
export const repairWords = { reboot: "rebooted", replace: "replaced" } as const;

/** Why an ill instance is left alone, for people. */
function leftAloneText(because: LeftAlone, group: GroupName): string {
  switch (because.kind) {
    case "launching":
      return `its launch is not complete (${because.state})`;
    case "warm-pool":
      return `it is in the warm pool of ${group} (${because.state})`;
    case "standby":
      return `somebody has put it on standby (${because.state})`;
    case "leaving":
      return `it leaves ${group} for another reason (${because.state})`;
    case "protected":
      return `it is protected from scale-in; remove the protection to have it repaired`;
    case "marked":
      return `it is drained for another reason: ${because.reason}`;
    case "no-provider-id":
      return "its node has no provider ID of EC2, so it could not be drained; see why no cloud controller gives it one";
    case "other-provider-id":
      return `its node has the provider ID ${because.providerId} of another, so it could not be drained; see why its kubelet registers with that`;
    case "cordoned":
      return "somebody has cordoned its node; uncordon it to have it repaired";
  }
}

/** Why a brake holds a repair, and what to do about it, for people. */
export function brakeText(brake: RepairBrake, group: GroupName): string {
  switch (brake.kind) {
    case "dry-run":
      return `repairs of ${group} are only reported; set repair.mode to repair, and drain.mode to another than dry-run`;
    case "at-once": {
      const { underWay, allowed } = brake;
      return `${counted(underWay, "repair")} of ${group} under way, at most ${allowed} at once; waits for them, or raise repair.atOnce`;
    }
    case "per-hour": {
      const { begun, allowed } = brake;
      return `${counted(begun, "repair")} of ${group} within the last hour, at most ${allowed}; waits, or raise repair.perHour`;
    }
    case "ill-share": {
      const { where, ill, of, allowed } = brake;
      return `${ill} of ${counted(of, "instance")} of ${where} are ill, more than ${allowed}, so the cause is not the node; find it, or raise repair.mostIll`;
    }
    case "settings":
      return `tags of ${group} are not understood: ${brake.refused.join("; ")}; correct or remove them`;
    case "refresh":
      return `an instance refresh of ${group} is active; waits for its end`;
    case "suspended": {
      const processes = brake.processes.join(", ");
      return `${processes} suspended for ${group}; resume ${brake.processes.length === 1 ? "it" : "them"}`;
    }
    case "activity-failed":
      return `a scaling activity of ${group} failed at ${shortTime(brake.at)}: ${brake.message}; repair that, then a launch has to succeed or an hour to pass`;
    case "zone-ill":
      return `all ${brake.ill} instances in ${brake.zone} are ill, so the cause is the zone; waits until one of them is well`;
    case "zone-shifted":
      return `traffic is shifted away from ${brake.zone}; waits for the end of the zonal shift`;
    case "maintenance": {
      const { since, reason } = brake;
      const because = reason === "" ? "" : ` (${reason})`;
      return `somebody works on the node since ${shortTime(since)}: its condition MaintenanceInProgress is True${because}; waits until they take it back`;
    }
    case "targets":
      return `${brake.reasons.join("; ")}; waits for their first health checks`;
    case "same-cause": {
      const { times, cause, version, until } = brake;
      return `${counted(times, "repair")} of replacements in ${group} in a row were for ${cause}, launched by ${version}, so replacing does not help; repair the template, or wait until ${shortTime(until)}`;
    }
    case "unmatched-nodes": {
      const [first = ""] = brake.nodes;
      return `${counted(brake.nodes.length, "node")} without a provider ID, such as ${first}, may run on it; see why no cloud controller gives it one, or delete it`;
    }
    case "no-nodes":
      return `none of the ${counted(brake.instances, "instance")} of ${brake.where} has a node, so the cause is not the instance; see that they join this cluster, or tag the group kubernetes.io/cluster/<name of the cluster>`;
    case "upgrade":
      return `${group} is upgraded; waits for the end of the upgrade, or abort it`;
  }
}
