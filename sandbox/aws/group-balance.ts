import { type Instant, later, seconds } from "../../lambda/base/time.ts";
import { capacityChange } from "./capacity.ts";
import type { Group, GroupInstance, LaunchTemplate } from "./group.ts";
import type { JourneyWorld } from "./instance-journeys.ts";
import type { LaunchTemplates } from "./launch-templates.ts";
import type { JourneyName } from "./lifecycle.ts";
import type { ScalingActivities } from "./scaling-activities.ts";
import type { ZonalShifts } from "./zonal-shifts.ts";

/** Why a group cannot launch an instance. */
type LaunchTrouble = "addresses" | "capacity" | "limit";

/** Launches that will fail. */
interface PlannedTrouble {
  readonly why: LaunchTrouble;
  /** @default all */
  readonly zones?: readonly string[];
  /** @default for ever */
  readonly times?: number;
}

interface LaunchAttempt {
  readonly zone: string;
  readonly zones: readonly string[];
  readonly type: string;
}

/** Auto Scaling's own words for each trouble. */
const messages: Readonly<Record<LaunchTrouble, (attempt: LaunchAttempt) => string>> = {
  addresses: ({ zone }) =>
    `There are not enough free addresses in subnet 'subnet-0a1b2c3d4e5f6071${zone.slice(-1)}' to satisfy the requested number of instances.`,
  capacity: ({ zone, zones, type }) => {
    const others = zones.filter((other) => other !== zone).join(", ");
    return `We currently do not have sufficient ${type} capacity in the Availability Zone you requested (${zone}). Our system will be working on provisioning additional capacity. You can currently get ${type} capacity by not specifying an Availability Zone in your request or choosing ${others}.`;
  },
  limit: () =>
    "You have requested more vCPU capacity than your current vCPU limit of 32 allows for the instance bucket that the specified instance type belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.",
};

/** The failures to launch that a test plans. */
export class LaunchFailures {
  readonly #plans: { readonly trouble: PlannedTrouble; left: number }[] = [];

  plan(trouble: PlannedTrouble): void {
    this.#plans.push({ trouble, left: trouble.times ?? Number.POSITIVE_INFINITY });
  }

  /** From now on, launches succeed. */
  clear(): void {
    this.#plans.length = 0;
  }

  /** Why this launch fails; undefined if it succeeds. */
  take(attempt: LaunchAttempt): string | undefined {
    const due = this.#plans.find(
      ({ trouble, left }) => left > 0 && (trouble.zones?.includes(attempt.zone) ?? true),
    );
    if (due === undefined) return undefined;
    due.left -= 1;
    return `${messages[due.trouble.why](attempt)} Launching EC2 instance failed.`;
  }
}

/** The needs of a group that balances its capacity. */
interface BalanceWorld extends Pick<JourneyWorld, "ec2Instances" | "register" | "timeline"> {
  readonly templates: LaunchTemplates;
  readonly zonalShifts: ZonalShifts;
  readonly activities: ScalingActivities;
  readonly failures: LaunchFailures;
  launch(member: Pick<GroupInstance, "group" | "id" | "template" | "type" | "zone">): void;
  begin(id: string, journey: JourneyName): void;
  /** Whether groups without a maintenance policy launch before they terminate. */
  launchesFirst(): boolean;
  terminate(id: string): void;
}

/** What the account's setting means. @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-launch-before-terminate-account-setting.html */
const launchFirst = { kind: "bounds", min: 100, max: 110 } as const;

/** After a launch that failed in all zones, a group waits so long, in the sandbox. */
const retryTime = seconds(60);

/** Has groups launch and terminate instances until they have as many as they should. */
export class GroupBalance {
  readonly #world: BalanceWorld;
  readonly #launchesAgain = new Map<string, Instant>();

  constructor(world: BalanceWorld) {
    this.#world = world;
  }

  /** The group checks its capacity after the effects of this instant that are already due. */
  soon(group: string): void {
    const { timeline } = this.#world;
    timeline.schedule(timeline.now(), () => this.#balance(group));
  }

  #balance(name: string): void {
    const { register } = this.#world;
    const group = this.#asIsNow(register.findGroup(name));
    const instances = register.instancesOf(name);
    const { terminate, launchIn } = capacityChange(group, instances);
    if (!group.suspended.includes("Terminate"))
      for (const { id } of terminate) this.#world.terminate(id);
    if (group.suspended.includes("Launch")) return;
    const warm = instances.filter(({ state }) =>
      /^Warmed:(Stopped|Running|Hibernated)$/.test(state),
    );
    for (const [index, zone] of launchIn.entries()) {
      const ready = warm[index];
      if (ready !== undefined) this.#world.begin(ready.id, "launch-from-warm-pool");
      else this.#launch(group, zone);
    }
  }

  /** A group with the zones in which it may launch, and the policy by which it replaces instances. */
  #asIsNow(group: Group): Group {
    const { zonalShifts, launchesFirst } = this.#world;
    const bySetting = group.maintenance.kind === "none" && launchesFirst();
    return {
      ...group,
      zones: zonalShifts.open(group.arn, group.zones),
      maintenance: bySetting ? launchFirst : group.maintenance,
    };
  }

  /** Launches an instance in this zone, or in another where this one has no capacity. */
  #launch(group: Group, wanted: string): void {
    const { timeline, ec2Instances, failures, activities } = this.#world;
    if (timeline.now() < (this.#launchesAgain.get(group.name) ?? 0)) return;
    const { template, type } = this.#launchedBy(group);
    const zones = [wanted, ...group.zones.filter((zone) => zone !== wanted)];
    for (const zone of zones) {
      const trouble = failures.take({ zone, zones: group.zones, type });
      if (trouble === undefined) {
        const started = ec2Instances.start(group, { ...template, instanceType: type }, zone);
        this.#world.launch({ ...started, group: group.name, template, type });
        return;
      }
      const cause = `At ${new Date(timeline.now()).toISOString()} an instance was started in response to a difference between desired and actual capacity.`;
      activities.failed({ group: group.name, zone, cause }, trouble);
    }
    this.#later(group.name);
  }

  #later(group: string): void {
    const { timeline } = this.#world;
    const again = later(timeline.now(), retryTime);
    this.#launchesAgain.set(group, again);
    timeline.schedule(again, () => this.#balance(group));
  }

  #launchedBy({ template, overrides }: Group): { template: LaunchTemplate; type: string } {
    const { templates } = this.#world;
    const [first] = overrides === "no-policy" ? [] : overrides;
    const named = first === undefined || first.template === "of-policy" ? template : first.template;
    const resolved = templates.resolved(named);
    return { template: resolved, type: first?.type ?? resolved.instanceType };
  }
}
