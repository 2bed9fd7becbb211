import type { ElasticLoadBalancingV2ClientConfig } from "@aws-sdk/client-elastic-load-balancing-v2";
import type { Clock } from "../base/clock.port.ts";
import { type Instant, later, longest, minutes, seconds } from "../base/time.ts";
import type { TargetGroups } from "../group/group.port.ts";
import type { FoundTargetGroups, TargetGroupHealth, TargetKind } from "../group/target-loss.ts";
import { once } from "../process/once.ts";
import { TtlCache } from "../process/ttl-cache.ts";
import type { TargetGroupReads, UsedGroup } from "./target-group-reads.ts";

// An invocation has two minutes, and an account some thousand target groups: anybody may have a Service make them.
const answersWithin = seconds(20);

/** The targets of a look, and when it ends. */
interface Look {
  readonly ids: ReadonlySet<string>;
  readonly reads: TargetGroupReads;
  readonly until: Instant;
}

/**
 * The target groups of an account and Region. The client is loaded with the first question.
 *
 * They are asked one after the other: AWS allows an account 40 questions at once and then ten a second, of which the drains
 * may need 24 at once.
 */
export class ElbTargetGroups implements TargetGroups {
  readonly #reads: () => Promise<TargetGroupReads>;
  readonly #lists: TtlCache<readonly UsedGroup[]>;
  /** What each target group has said last. It counts where it has none of the targets asked for, or where time is up. */
  readonly #known: TtlCache<TargetGroupHealth>;
  readonly #clock: Pick<Clock, "now">;
  #count = 0;

  constructor(options: ElasticLoadBalancingV2ClientConfig, clock: Pick<Clock, "now">) {
    this.#reads = once(() => load(options));
    this.#clock = clock;
    this.#lists = new TtlCache(clock, () => minutes(5));
    // A target needs some seconds from its registration until it serves: two checks, five seconds apart at the least. Four
    // calls a second at most: an account has 40 at once, and some 10 a second, for all that asks.
    this.#known = new TtlCache(clock, () => longest(seconds(5), seconds(this.#count / 4)));
  }

  async kinds(vpc: string): Promise<ReadonlySet<TargetKind>> {
    return new Set((await this.#used(vpc)).map(({ kind }) => kind));
  }

  async having(
    ids: ReadonlySet<string>,
    kind: TargetKind,
    vpc: string,
  ): Promise<FoundTargetGroups> {
    const reads = await this.#reads();
    const used = await this.#used(vpc);
    this.#count = used.length;
    const look = { ids, reads, until: later(this.#clock.now(), answersWithin) };
    const groups: TargetGroupHealth[] = [];
    let unread = 0;
    for (const group of this.#unknownFirst(used.filter((one) => one.kind === kind))) {
      const now = await this.#healthOf(group, look);
      if (now === "unread") unread += 1;
      else if (has(now, ids)) groups.push(now);
    }
    return { groups, unread };
  }

  /** A look that has had no time for some begins with these. */
  #unknownFirst(groups: readonly UsedGroup[]): readonly UsedGroup[] {
    const place = ({ arn }: UsedGroup): number => (this.#known.find(arn) === undefined ? 0 : 1);
    return groups.toSorted((a, b) => place(a) - place(b));
  }

  /** Asks a target group, unless it had none of these targets a moment ago, or time is up. */
  async #healthOf(
    group: UsedGroup,
    { ids, reads, until }: Look,
  ): Promise<TargetGroupHealth | "unread"> {
    const before = this.#known.find(group.arn);
    if (before !== undefined && !has(await before, ids)) return before;
    if (this.#clock.now() >= until) return before ?? "unread";
    const answer = reads.health(group);
    this.#known.keep(group.arn, answer);
    return answer;
  }

  async #used(vpc: string): Promise<readonly UsedGroup[]> {
    const all = await this.#lists.recall("", async () => (await this.#reads()).list());
    return all.filter((group) => vpc === "" || group.vpc === vpc);
  }
}

const has = ({ targets }: TargetGroupHealth, ids: ReadonlySet<string>): boolean =>
  targets.some(({ id }) => ids.has(id));

async function load(options: ElasticLoadBalancingV2ClientConfig): Promise<TargetGroupReads> {
  const { targetGroupReads } = await import("./target-group-reads.ts");
  return targetGroupReads(options);
}
