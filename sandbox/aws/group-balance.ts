import { type Instant, later, seconds } from "../../lambda/base/time.ts";
import { capacityChange } from "./capacity.ts";
import type { Group, GroupInstance, LaunchTemplate } from "./group.ts";
import type { JourneyWorld } from "./instance-journeys.ts";
import type { LaunchFailures } from "./launch-failures.ts";
import type { LaunchTemplates } from "./launch-templates.ts";
import type { JourneyName } from "./lifecycle.ts";
import type { ScalingActivities } from "./scaling-activities.ts";

/** What a group needs to have as many instances as it should. */
interface BalanceWorld extends Pick<JourneyWorld, "ec2Instances" | "register" | "timeline"> {
  readonly templates: LaunchTemplates;
  readonly activities: ScalingActivities;
  readonly failures: LaunchFailures;
  launch(member: Pick<GroupInstance, "group" | "id" | "template" | "type" | "zone">): void;
  begin(id: string, journey: JourneyName): void;
  terminate(id: string): void;
}

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
    const group = register.findGroup(name);
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
