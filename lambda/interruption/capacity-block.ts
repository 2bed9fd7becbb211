import {
  between,
  type Duration,
  earliest,
  type Instant,
  later,
  latest,
  milliseconds,
  minutes,
  seconds,
} from "../base/time.ts";
import { boundsFrom, type DrainBounds } from "../drain/drain-bounds.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";

/** A Capacity Block of EC2: instances that are bought for a time. */
export interface CapacityBlock {
  readonly ends: Instant;
  readonly instanceType: string;
}

// EC2 ends the instances of a block so long before the block ends, and those of UltraServers sooner.
// See https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-how.html
const before = minutes(30);
const beforeOfUltraServers = minutes(60);
const ultraServers = /^(?:p6e-|trn2u\.)/;
// So long before that EC2 sends its event, 40 minutes before the end of a block.
const warning = minutes(10);

/** When EC2 begins to end the instances of a block. */
export const instancesEnd = ({ ends, instanceType }: CapacityBlock): Instant =>
  later(ends, milliseconds(-(ultraServers.test(instanceType) ? beforeOfUltraServers : before)));

/** When the drains of the instances of a block begin: ten minutes before EC2 ends them. */
export const blockDrainFrom = (block: CapacityBlock): Instant =>
  later(instancesEnd(block), milliseconds(-warning));

/** The rest of a notice until these drains begin. SQS counts in whole seconds, so less than one is no rest. */
export function restBeforeDrain(block: CapacityBlock, now: Instant): Duration {
  const wait = between(now, blockDrainFrom(block));
  return wait < seconds(1) ? seconds(0) : wait;
}

const longestRest = minutes(1);

/**
 * The bounds of the drain of an instance in a block: its pods are gone when EC2 begins to end the instances. Where the notice
 * was received later than it should, half of the rest is for budgets.
 */
export function blockBounds(
  block: CapacityBlock,
  { volumeTimeout }: Pick<DrainSettings, "volumeTimeout">,
  { firstReceived, now }: { readonly firstReceived: Instant; readonly now: Instant },
): DrainBounds {
  const begun = blockDrainFrom(block);
  const lengths = {
    toDeadline: warning,
    toHeldUntil: milliseconds(warning + volumeTimeout),
    longestRest,
    leastTry: minutes(1),
  };
  const received = earliest(firstReceived, now);
  return { ...boundsFrom(begun, lengths), cameAt: latest(begun, received) };
}
