import type { GroupSelector } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { type Duration, type Instant, later } from "../base/time.ts";
import { guard, type HeldByHook, type NotHeld } from "./guard.flow.ts";
import { Heartbeats } from "./heartbeats.flow.ts";
import type { HookKeeper } from "./keeper.flow.ts";
import type { HeldTransition, LifecycleAction } from "./lifecycle-action.ts";
import { logRefused } from "./log-refused.flow.ts";
import type { NamedCluster, PassPorts } from "./notice.port.ts";
import type { Pass } from "./outcome.ts";

/** The settings of a deployment for instances that a hook holds. */
export interface HeldPolicy<Settings> {
  /** The Auto Scaling groups whose instances may be touched. */
  readonly managed: readonly GroupSelector[];
  /** The length of one pass; then the notice returns to the queue. */
  readonly pass: Duration;
  /** The heartbeat timeout of this deployment's hooks. */
  readonly hookTimeout: Duration;
  /** The ARNs that the hooks of this deployment notify; empty where the function does not know them. */
  readonly hookTargets: readonly string[];
  /** The settings of a group with these tags, and which of the tags are refused. */
  settingsFor(tags: Labels): { readonly settings: Settings; readonly refused: readonly string[] };
}

/** A held instance as its pass begins. */
export interface HeldInstance<Settings> {
  readonly held: HeldByHook;
  readonly settings: Settings;
  readonly keeper: HookKeeper;
  readonly passEnds: Instant;
}

/** Calls `goOn` for an instance that its hook holds, with the settings of its group, and `leaveAlone` for any other. */
export async function heldPass<Settings, O>(
  pass: {
    readonly action: LifecycleAction;
    readonly transition: HeldTransition;
    /** The states in which such a hook holds an instance. */
    readonly heldIn: readonly string[];
    readonly policy: HeldPolicy<Settings>;
    /** Does the work of the pass. */
    goOn(instance: HeldInstance<Settings>): Promise<Pass<O>>;
    /** Answers a notice that is not true. */
    leaveAlone(instance: NotHeld): Promise<Pass<O>> | Pass<O>;
  },
  ports: NamedCluster & PassPorts,
): Promise<Pass<O>> {
  const { action, transition, heldIn, policy } = pass;
  const passEnds = later(ports.clock.now(), policy.pass);
  const { managed, hookTargets, hookTimeout: usualTimeout } = policy;
  const held = await guard(
    { action, transition, heldIn, managed, hookTargets, usualTimeout },
    ports,
  );
  if (held.kind === "not-held") return pass.leaveAlone(held);
  const heartbeats = new Heartbeats(action, held.heartbeatTimeout, ports);
  const { onTimeout } = held;
  const keeper = {
    kind: "hook",
    action,
    transition,
    heartbeats,
    onTimeout,
    atDeadline: "go on",
  } as const;
  const { settings } = logRefused(policy.settingsFor(held.tags), action.group, ports);
  return pass.goOn({ held, settings, keeper, passEnds });
}
