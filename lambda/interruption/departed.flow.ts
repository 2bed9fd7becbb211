import type { InstanceId } from "../base/ids.ts";
import type { Membership } from "../notice/lifecycle-action.ts";
import type { Ports } from "../registrations/ports.ts";
import { admissionsOf } from "./admitted.flow.ts";
import type { EventAdmission } from "./event-admission.ts";
import type { InterruptionPolicy } from "./interruption-policy.ts";

/** Whether an instance may be cleaned up after that may have left its group already: then EC2 still tells which group it was in. */
export const departed = (
  instance: InstanceId,
  { managed }: Pick<InterruptionPolicy, "managed">,
  { departures, groups, instances: ec2 }: Ports,
): Promise<EventAdmission> =>
  departures.of(instance, async (instances) => {
    const members = await groups.memberships(instances);
    const others = instances.filter((one) => !members.has(one));
    const former = others.length === 0 ? new Map() : await ec2.groupsOf(others);
    const left = Array.from(former, ([one, group]): [InstanceId, Membership] => [
      one,
      { kind: "member", group, state: "" },
    ]);
    return admissionsOf({ instances, found: new Map([...members, ...left]) }, managed, groups);
  });
