import { randomUUID } from "node:crypto";
import { later } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import type { Account } from "./account.ts";
import { validationError } from "./aws-error.ts";
import type { Ec2Instances } from "./ec2.ts";
import type { Elb } from "./elb.ts";
import type { ActionResult, GroupInstance, Hook } from "./group.ts";
import type { GroupRegister } from "./group-register.ts";
import { type JourneyName, journeys, type LifecycleState, launches } from "./lifecycle.ts";
import {
  type ActionRecord,
  type ActionSpec,
  LifecycleAction,
  lifecycleNotice,
} from "./lifecycle-action.ts";
import type { Publication } from "./sns.ts";

/** Sends a notification to a hook's target; says whether the target exists. */
export type Deliver = (targetArn: string, publication: Publication) => "delivered" | "unreachable";

/** The needs of the journeys of instances. */
export interface JourneyWorld {
  readonly timeline: Timeline;
  readonly account: Account;
  readonly register: GroupRegister;
  readonly elb: Elb;
  readonly ec2Instances: Ec2Instances;
  readonly deliver: Deliver;
}

/** The address of an action in a call: its token, or the current one of an instance. */
export interface ActionAddress {
  readonly group: string;
  readonly hook: string;
  readonly by: { readonly kind: "instance" | "token"; readonly value: string };
}

/** Tokens that the caller chooses in advance, by the hook's name. */
export type KnownTokens = Readonly<Record<string, string>>;

/** Moves instances through their lifecycle, and holds them at the wait state of every hook. */
export class InstanceJourneys {
  readonly #world: JourneyWorld;
  #actions: readonly LifecycleAction[] = [];

  constructor(world: JourneyWorld) {
    this.#world = world;
  }

  /** The record of every lifecycle action, in the order in which the actions began. */
  records(): readonly ActionRecord[] {
    return this.#actions.map((action) => action.record());
  }

  /** Starts a journey of an instance; all hooks of its transition hold it at the same time. */
  begin(id: string, journey: JourneyName, tokens: KnownTokens = {}): void {
    const { register, elb, ec2Instances } = this.#world;
    const { start, origin } = journeys[journey];
    // An instance that leaves is held by no launch hook any more, and none puts it into service.
    for (const action of this.#actions)
      if (action.open && action.spec.instanceId === id) action.drop("ABANDON", "another-abandoned");
    const { group } = this.#move(id, start);
    if (origin === "WarmPool" && journey === "launch-from-warm-pool") ec2Instances.resume(id);
    const { balancers } = register.findGroup(group);
    const left = origin === "AutoScalingGroup" ? balancers : [];
    // The group deregisters its instance before a hook holds it, and lets its last requests end.
    elb.leave(left, id, () => this.#hold(id, journey, tokens));
  }

  #hold(id: string, journey: JourneyName, tokens: KnownTokens): void {
    const { register } = this.#world;
    const { transition, wait } = journeys[journey];
    const { group } = register.findInstance(id);
    const hooks = register.findGroup(group).hooks.filter((hook) => hook.transition === transition);
    if (hooks.length === 0) {
      this.#proceed(id, journey);
      return;
    }
    this.#move(id, wait);
    const specs = hooks.map((hook) => {
      const token = tokens[hook.name] ?? randomUUID();
      return { token, group, hook, instanceId: id, journey };
    });
    this.#actions = [...this.#actions, ...specs.map((spec) => this.#action(spec))];
    for (const spec of specs) this.#tell(spec);
  }

  /** Finds an open lifecycle action. */
  findOpen({ group, hook, by }: ActionAddress): LifecycleAction {
    const action = this.#actions.find(({ open, spec }) => {
      const named = by.kind === "token" ? spec.token : spec.instanceId;
      return open && spec.group === group && spec.hook.name === hook && named === by.value;
    });
    if (action !== undefined) return action;
    const name = by.kind === "token" ? "token" : "instance ID";
    throw validationError(`No active Lifecycle Action found with ${name} ${by.value}`);
  }

  /** Ends the open actions of a deleted hook: abandons launches and continues terminations. */
  hookDeleted(group: string, { name, transition }: Hook): void {
    const launching = transition === "autoscaling:EC2_INSTANCE_LAUNCHING";
    for (const action of this.#actions) {
      const { spec, open } = action;
      if (!open || spec.group !== group || spec.hook.name !== name) continue;
      action.finish(launching ? "ABANDON" : "CONTINUE", "hook-deleted");
    }
  }

  #action(spec: ActionSpec): LifecycleAction {
    return new LifecycleAction(this.#world.timeline, spec, (result) => this.#ended(spec, result));
  }

  #tell(spec: ActionSpec): void {
    const { timeline, account, deliver } = this.#world;
    if (spec.hook.targetArn === "") return;
    deliver(spec.hook.targetArn, lifecycleNotice(spec, account, timeline.now()));
  }

  #ended({ instanceId, journey }: ActionSpec, result: ActionResult): void {
    const others = this.#actions.filter(({ open, spec }) => open && spec.instanceId === instanceId);
    if (result === "ABANDON") {
      for (const other of others) other.drop("ABANDON", "another-abandoned");
      this.#abandon(instanceId, journey);
    } else if (others.length === 0) this.#proceed(instanceId, journey);
  }

  #abandon(id: string, name: JourneyName): void {
    const { register } = this.#world;
    const { destination, proceed } = journeys[name];
    const { onAbandon } = register.findGroup(register.findInstance(id).group);
    if (launches(name)) {
      const warm = destination === "WarmPool";
      this.#leave(id, warm ? "Warmed:Terminating:Proceed" : "Terminating:Proceed");
    } else if (onAbandon === "retain") this.#move(id, "Terminating:Retained");
    else this.#leave(id, destination === "EC2" ? proceed : "Terminating:Proceed");
  }

  #proceed(id: string, name: JourneyName): void {
    const { register, ec2Instances } = this.#world;
    const { destination, proceed } = journeys[name];
    if (destination === "EC2") {
      this.#leave(id, proceed);
      return;
    }
    const { group } = this.#move(id, proceed);
    const { warmPool } = register.findGroup(group);
    const warmState = warmPool.kind === "pool" ? warmPool.state : "Stopped";
    if (destination === "WarmPool" && warmState !== "Running") ec2Instances.pause(id);
    this.#move(id, destination === "WarmPool" ? `Warmed:${warmState}` : "InService");
  }

  #leave(id: string, state: LifecycleState): void {
    const { timeline, ec2Instances, register } = this.#world;
    const { group } = this.#move(id, state);
    ec2Instances.shutDown(id);
    const { shutdown } = register.findGroup(group);
    timeline.schedule(later(timeline.now(), shutdown), () => {
      ec2Instances.finish(id);
      this.#move(id, "Terminated");
    });
  }

  #move(id: string, state: LifecycleState): GroupInstance {
    const { register } = this.#world;
    return register.putInstance({ ...register.findInstance(id), state });
  }
}
