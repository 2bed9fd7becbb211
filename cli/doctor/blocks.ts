import { counted } from "../../lambda/base/counted.ts";
import { blockWords, groupsInBlocks } from "../connect/blocks-at.ts";
import { everyOf, mapped } from "../connect/found.ts";
import { readOn } from "./reading.ts";
import type { Check, PartOfStack } from "./site.ts";

const hasRule = (resources: readonly PartOfStack[]): boolean =>
  resources.some(({ id, type }) => type === "AWS::Events::Rule" && /CapacityBlock/.test(id));

const undrained = "; nobody drains them, for events.capacityBlock is off";

/** Notes the managed groups whose instances are in Capacity Blocks, and when these end. */
export const blocksCheck: Check = async ({ groups, resources, aws }) =>
  readOn(everyOf([groups, resources]), async ([managed, parts]) =>
    mapped(await groupsInBlocks(aws), (all) => {
      const own = all.filter(({ group }) => managed.some(({ name }) => name === group));
      const count = own.reduce((sum, { instances }) => sum + instances.length, 0);
      return {
        well: `${counted(count, "instance")} of managed groups in Capacity Blocks`,
        problems: [],
        notes: own.map((one) => ({
          found: `${blockWords(one)}${hasRule(parts) ? "" : undrained}`,
          remedy: `have a scheduled action lower group ${one.group} before that, or it launches in vain (docs/capacity-blocks.md#the-groups-scheduled-action)`,
        })),
      };
    }),
  );
