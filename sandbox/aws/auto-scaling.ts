import { later } from "../../lambda/base/time.ts";
import { inProgress, validationError } from "./aws-error.ts";
import { countedInstances } from "./capacity.ts";
import type { Group, GroupInstance, Hook } from "./group.ts";
import { GroupBalance, LaunchFailures } from "./group-balance.ts";
import { GroupRegister, type InstanceListener, type NewGroup } from "./group-register.ts";
import { changedGroup, changedHook, type GroupChange, type HookUpdate } from "./group-update.ts";
import {
  type ActionAddress,
  InstanceJourneys,
  type JourneyWorld,
  type KnownTokens,
} from "./instance-journeys.ts";
import type { LaunchTemplates } from "./launch-templates.ts";
import { countsToDesired, type JourneyName, journeys, type LifecycleState } from "./lifecycle.ts";
import { type ActionRecord, testNotice } from "./lifecycle-action.ts";
import { ScalingActivities } from "./scaling-activities.ts";
import type { ZonalShifts } from "./zonal-shifts.ts";

/** An instance that joins a group, and the fields that differ from the defaults. */
export type NewMember = Pick<GroupInstance, "group" | "id" | "zone"> & Partial<GroupInstance>;

interface AutoScalingWorld extends Omit<JourneyWorld, "register"> {
  readonly templates: LaunchTemplates;
  readonly zonalShifts: ZonalShifts;
}

/** The Auto Scaling groups of an account. */
export class AutoScaling {
  readonly register: GroupRegister;
  readonly templates: LaunchTemplates;
  readonly activities: ScalingActivities;
  /** The obstacles to launches of groups. */
  readonly failures = new LaunchFailures();
  /** The account's setting, for groups without a maintenance policy. */
  launchBeforeTerminate: "disabled" | "enabled" = "disabled";
  readonly #world: JourneyWorld;
  readonly #journeys: InstanceJourneys;
  readonly #balance: GroupBalance;

  constructor({ templates, zonalShifts, ...world }: AutoScalingWorld) {
    this.templates = templates;
    this.register = new GroupRegister(world.timeline, world.account);
    this.#world = { ...world, register: this.register };
    this.#journeys = new InstanceJourneys(this.#world);
    this.activities = new ScalingActivities(world.timeline, (id) => this.#whyAbandoned(id));
    this.register.onChange((instance) => this.activities.hear(instance));
    this.#balance = new GroupBalance({
      ...this.#world,
      templates,
      zonalShifts,
      activities: this.activities,
      failures: this.failures,
      begin: (id, journey) => this.#journeys.begin(id, journey),
      launch: (member) => this.launch(member),
      launchesFirst: () => this.launchBeforeTerminate === "enabled",
      terminate: (id) => this.terminate(id),
    });
    this.register.onChange(({ group, state }) => {
      if (!countsToDesired(state) || state === "InService") this.#balance.soon(group);
    });
  }

  onChange(listener: InstanceListener): void {
    this.register.onChange(listener);
  }

  /** Creates a group, and has it launch instances up to its desired capacity. */
  createGroup(spec: NewGroup): Group {
    const group = this.register.create(spec);
    this.templates.adopt(group.template);
    if (group.overrides !== "no-policy")
      for (const { template } of group.overrides)
        if (template !== "of-policy") this.templates.adopt(template);
    this.#balance.soon(group.name);
    return group;
  }

  /** Adds an instance to a group, in service unless it says otherwise, without any hook. */
  attach(member: NewMember): GroupInstance {
    const instance = this.#join(member, "InService");
    this.#world.ec2Instances.adopt(member.id, member.group);
    this.#makeRoom(member.group);
    return instance;
  }

  /** Launches an instance in a group: into service, or into its warm pool. */
  launch(member: NewMember, journey: JourneyName = "launch", tokens: KnownTokens = {}): void {
    this.#join(member, journeys[journey].start);
    this.#makeRoom(member.group);
    this.#journeys.begin(member.id, journey, tokens);
  }

  /** Takes an instance out of its group: terminates it or returns it to the warm pool. */
  terminate(id: string, tokens: KnownTokens = {}): void {
    const { state, group, health } = this.register.findInstance(id);
    if (state.includes("Terminating") && state !== "Terminating:Retained")
      throw inProgress(`The instance ${id} is terminating already.`);
    const { warmPool } = this.register.findGroup(group);
    const pooled = warmPool.kind === "pool" && warmPool.onScaleIn === "reuse";
    const reused = pooled && health === "healthy";
    const inService = reused ? "return-to-warm-pool" : "terminate";
    const warm = state.startsWith("Warmed:");
    this.#journeys.begin(id, warm ? "terminate-from-warm-pool" : inService, tokens);
  }

  /** Terminates an instance on a user's request; the group may launch a replacement. */
  terminateInstance(id: string, capacity: "decrement" | "keep"): GroupInstance {
    const instance = this.register.findInstance(id);
    const group = this.register.findGroup(instance.group);
    if (instance.state.startsWith("Warmed:"))
      throw validationError(`The instance ${id} is in a warm pool.`);
    if (capacity === "decrement" && countsToDesired(instance.state)) {
      if (group.desired <= group.min)
        throw validationError(
          `Currently, desiredSize equals minSize (${group.min}). Terminating instance without replacement will violate group's min size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.`,
        );
      this.register.put({ ...group, desired: group.desired - 1 });
    }
    this.terminate(id);
    return instance;
  }

  /** Somebody says how an instance fares; the group replaces one in service that is unhealthy. */
  setHealth(id: string, health: GroupInstance["health"], grace: "ignored" | "respected"): void {
    const instance = this.register.findInstance(id);
    const { group, state, joinedAt } = instance;
    if (state.includes("Terminat"))
      throw validationError(`The instance ${id} is not in a state in which its health can be set.`);
    const { healthGrace } = this.register.findGroup(group);
    const isNew = later(joinedAt, healthGrace) > this.#world.timeline.now();
    if (grace === "respected" && health === "unhealthy" && isNew) return;
    this.register.putInstance({ ...instance, health });
    this.#balance.soon(group);
  }

  /** Sends an instance on any journey. */
  begin(id: string, journey: JourneyName, tokens: KnownTokens = {}): void {
    this.#journeys.begin(id, journey, tokens);
  }

  /** Puts a hook on a group, and sends its target a test notification. */
  putHook(groupName: string, change: HookUpdate): void {
    const group = this.register.findGroup(groupName);
    const hook = changedHook(group.hooks, change);
    if (change.targetArn !== undefined) this.#test(group, hook);
    const others = group.hooks.filter(({ name }) => name !== hook.name);
    this.register.put({ ...group, hooks: [...others, hook] });
  }

  /** Deletes a hook of a group, and ends its open lifecycle actions. */
  deleteHook(groupName: string, hookName: string): void {
    const group = this.register.findGroup(groupName);
    const hook = group.hooks.find(({ name }) => name === hookName);
    if (hook === undefined) throw validationError(`Lifecycle hook not found - ${hookName}`);
    this.register.put({ ...group, hooks: group.hooks.filter((other) => other !== hook) });
    this.#journeys.hookDeleted(groupName, hook);
  }

  heartbeat(address: ActionAddress): void {
    this.#journeys.findOpen(address).heartbeat();
  }

  complete(address: ActionAddress, result: string): void {
    if (result !== "ABANDON" && result !== "CONTINUE")
      throw validationError("Lifecycle Action Result must be one of: [ABANDON, CONTINUE]");
    this.#journeys.findOpen(address).finish(result, "call");
  }

  /** The record of every lifecycle action, in the order in which the actions began. */
  actions(): readonly ActionRecord[] {
    return this.#journeys.records();
  }

  /** Sets how many instances a group should have; the group launches or terminates to get there. */
  setDesired(groupName: string, desired: number): void {
    const group = this.register.findGroup(groupName);
    const { min, max } = group;
    const wrong = desired > max ? `above max value ${max}` : `below min value ${min}`;
    if (desired > max || desired < min)
      throw validationError(
        `New SetDesiredCapacity value ${desired} is ${wrong} for the AutoScalingGroup.`,
      );
    this.register.put({ ...group, desired });
    this.#balance.soon(groupName);
  }

  /** Changes what a group launches by, and its sizes. */
  update(groupName: string, change: GroupChange): void {
    const group = this.register.findGroup(groupName);
    this.register.put(changedGroup(group, change, this.templates));
    this.#balance.soon(groupName);
  }

  /** Suspends processes of a group, such as `Launch`, and resumes all others. */
  suspend(groupName: string, suspended: readonly string[]): void {
    this.register.put({ ...this.register.findGroup(groupName), suspended });
    this.#balance.soon(groupName);
  }

  #test(group: Group, { targetArn, roleArn }: Hook): void {
    const { account, timeline, deliver } = this.#world;
    if (targetArn === "") return;
    const told = deliver(targetArn, testNotice(group, account, timeline.now()));
    if (told === "unreachable")
      throw validationError(
        `Unable to publish test message to notification target ${targetArn} using IAM role ${roleArn}. Please check your target and role configuration and try to put lifecycle hook again.`,
      );
  }

  #join(member: NewMember, state: LifecycleState): GroupInstance {
    const template = this.templates.resolved(this.register.findGroup(member.group).template);
    const joinedAt = this.#world.timeline.now();
    const well = { protection: "none", health: "healthy" } as const;
    const { instanceType: type } = template;
    return this.register.putInstance({ type, state, ...well, template, joinedAt, ...member });
  }

  /** An added instance raises the desired capacity, as AttachInstances does; one that replaces another does not. */
  #makeRoom(groupName: string): void {
    const group = this.register.findGroup(groupName);
    const counted = countedInstances(this.register.instancesOf(groupName));
    const { length: staying } = counted.filter(({ health }) => health === "healthy");
    this.register.put({ ...group, desired: Math.max(group.desired, staying) });
  }

  #whyAbandoned(id: string): string {
    const action = this.actions().findLast(({ instanceId }) => instanceId === id);
    const why =
      action?.end.kind === "ended" && action.end.by === "heartbeat-timeout"
        ? "Heartbeat Timeout"
        : "Lifecycle Action Completed with ABANDON Result";
    return `Instance failed to complete user's Lifecycle Action: Lifecycle Action with token ${action?.token} was abandoned: ${why}`;
  }
}
