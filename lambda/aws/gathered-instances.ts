import type { Clock } from "../base/clock.port.ts";
import type { InstanceId } from "../base/ids.ts";
import type { Ec2Answer } from "../group/ec2-instance.ts";
import type { HurriedInstances } from "../interruption/interruption.port.ts";
import { Gathering } from "../process/gathering.ts";
import type { Ec2Instances } from "./ec2-instances.ts";

/** Asks EC2 together about instances that have little time: many notices at once must not be what EC2 throttles. */
export class GatheredInstances implements HurriedInstances {
  readonly #instances: Pick<Ec2Instances, "describeSoon">;
  readonly #gathering: Gathering<Awaited<ReturnType<Ec2Instances["describeSoon"]>>>;

  constructor(instances: Pick<Ec2Instances, "describeSoon">, clock: Clock) {
    this.#instances = instances;
    this.#gathering = new Gathering(clock);
  }

  async describe(instance: InstanceId): Promise<Ec2Answer> {
    const found = await this.#gathering.of(instance, (all) => this.#instances.describeSoon(all));
    return found === "throttled" ? found : (found.get(instance) ?? "unknown");
  }
}
