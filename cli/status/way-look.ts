import type { Clock } from "../../lambda/base/clock.port.ts";
import { minutes } from "../../lambda/base/time.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { TtlCache } from "../../lambda/process/ttl-cache.ts";
import type { Found } from "../connect/found.ts";
import { known } from "../connect/found.ts";
import { stackCheck } from "../doctor/cluster.ts";
import { mappingCheck } from "../doctor/function.ts";
import { hooksCheck } from "../doctor/hooks.ts";
import { type ExaminedSite, stackParts } from "../doctor/site.ts";
import { subscriptionCheck } from "../doctor/topic.ts";
import type { LinkVerdict } from "../doctor/verdict.ts";
import type { Gap } from "./gap-schema.ts";
import type { BrokenLink } from "./status-schema.ts";

/**
 * The broken links on the way of a notice to the function, and the facts that could not be read.
 */
export interface Way {
  readonly broken: readonly BrokenLink[];
  readonly gaps: readonly Gap[];
}

/** The links of `doctor` without which no notice comes to the function: it reads few things for them. */
const checks = {
  stack: stackCheck,
  hooks: hooksCheck,
  subscription: subscriptionCheck,
  mapping: mappingCheck,
};

/** Looks at the way of a notice at most once a minute, because a watched status would take the calls that drains need. */
export function wayLook(
  site: Pick<ExaminedSite, "aws" | "name" | "parts">,
  clock: Pick<Clock, "now">,
) {
  const seen = new TtlCache<Way>(clock, () => minutes(1));
  return (groups: Found<readonly ScalingGroup[]>): Promise<Way> =>
    seen.recall("way", async () => {
      const resources = await stackParts(site.parts, site.aws);
      const whole = { ...site, groups, resources, otherGroups: known([]), settings: [] };
      const looked = Object.entries(checks).map(
        async ([link, check]) => [link, await check(whole)] as const,
      );
      return wayOf(await Promise.all(looked));
    });
}

function wayOf(looked: readonly (readonly [string, Found<LinkVerdict>])[]): Way {
  return {
    broken: looked.flatMap(([link, verdict]) =>
      verdict.kind === "known" ? verdict.value.problems.map((one) => ({ link, ...one })) : [],
    ),
    // The gaps of the function and of the queue name what the stack lacks.
    gaps: looked.flatMap(([source, verdict]) =>
      verdict.kind === "unknown" && verdict.lack === "unread"
        ? [{ source, hides: "details", why: verdict.why, remedy: verdict.remedy }]
        : [],
    ),
  };
}
