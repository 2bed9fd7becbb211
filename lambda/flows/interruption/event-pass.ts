import type { DrainSettings } from "../../domain/drain/drain-policy.ts";
import type { InstanceId } from "../../domain/ids.ts";
import type { Reason } from "../../domain/node/cause.ts";
import { boundsAtStart, type DrainLengths } from "../../domain/notice/drain-bounds.ts";
import type { EventAdmission } from "../../domain/notice/event-admission.ts";
import { hurried } from "../../domain/notice/event-bounds.ts";
import type {
  InterruptionPolicy,
  InterruptionSettings,
} from "../../domain/notice/interruption-policy.ts";
import type { Notice } from "../../domain/notice/notice.ts";
import { done, type Pass } from "../../domain/notice/outcome.ts";
import { later } from "../../domain/time.ts";
import type { Ports } from "../../ports/ports.ts";
import { drainInstance } from "../drain/drain-instance.ts";
import { dryRun } from "../drain/dry-run.ts";
import { admitted } from "./admitted.ts";

/** A notice of one instance that no hook holds, and how often it has been received. */
export interface EventRequest<N extends Notice = Notice> {
  readonly notice: N & { readonly instance: InstanceId };
  readonly receives: number;
}

/** An instance of a managed group, and how its group wants it treated. */
export type GroupInstance = InterruptionSettings & Extract<EventAdmission, { kind: "admitted" }>;

/** Works on a notice that no hook holds if it is about an instance of a managed group; ignores any other, with the reason. */
export async function eventPass(
  { notice: { instance } }: EventRequest,
  policy: InterruptionPolicy,
  { ports, goOn }: { readonly ports: Ports; goOn(found: GroupInstance): Promise<Pass> },
): Promise<Pass> {
  const admission = await admitted(instance, policy, ports);
  if (admission.kind === "refused") return ignored(admission.reason);
  const found = policy.settingsFor(admission.tags);
  if (found.refused.length > 0)
    ports.journal.record({
      kind: "warning",
      about: `group ${admission.group}`,
      warnings: found.refused,
    });
  return goOn({ ...admission, ...found });
}

/** The pass over a notice that nothing is done about. */
export const ignored = (reason: string): Pass => done({ kind: "ignored", reason });

/** Why, how, and for how long an instance is drained that no hook holds. */
export interface EventDrain {
  readonly reason: Reason;
  readonly settings: DrainSettings;
  readonly lengths: DrainLengths;
  readonly policy: InterruptionPolicy;
}

/** Drains an instance that no hook holds, in the little time that it has. */
export function drainInHurry(
  { notice, receives }: EventRequest,
  { reason, lengths, policy, ...drain }: EventDrain,
  ports: Ports,
): Promise<Pass> {
  const { instance } = notice;
  const now = ports.clock.now();
  const settings = hurried(drain.settings, lengths);
  const pass = {
    instance,
    settings,
    keeper: { kind: "none" },
    passEnds: later(now, policy.pass),
  } as const;
  if (settings.mode === "dry-run") return dryRun(pass, ports);
  const start = boundsAtStart(notice, lengths, now);
  return drainInstance({ ...pass, reason, receives, start, peers: [] }, ports);
}
