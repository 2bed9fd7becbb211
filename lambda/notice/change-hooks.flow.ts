import { type Clock, sleepFor } from "../base/clock.port.ts";
import { Fault } from "../base/fault.ts";
import type { GroupName } from "../base/ids.ts";
import { later, seconds } from "../base/time.ts";
import type { GroupHook, GroupHooks } from "./group-hooks.port.ts";
import { type HookPlace, placesOf, type TakenPlace, takenPlaces } from "./hook-places.ts";
import type { HooksRequest } from "./hooks-request.ts";

interface Ports {
  readonly hooks: GroupHooks;
  readonly clock: Clock;
}

// IAM knows roles late that the same stack has made, and Auto Scaling sends a test message with the hooks' role at once.
const retriesFor = seconds(60);
const pause = seconds(5);

/**
 * Puts the hooks of a request, then removes its unwanted ones. Each put is tried for a minute, and so are all removals
 * together; if a put fails for good, the groups get back what they had where the request says so.
 *
 * Throws before the first put if a group does not exist, or has a hook of the same name that notifies none of our
 * topics. Replacing such a hook would take another deployment's drains, and removing ours later would leave the group
 * without one.
 */
export async function changeHooks(request: HooksRequest, ports: Ports): Promise<void> {
  const { added, kept, unwanted, topics, ifItFails } = request;
  const places = await withRetries(() => foundPlaces(added, ports.hooks), ports.clock);
  assertFree(takenPlaces(places, topics));
  try {
    for (const hook of [...added, ...(await stillOurs(kept, topics, ports))])
      await withRetries(() => ports.hooks.put(hook), ports.clock);
  } catch (cause) {
    if (ifItFails === "undo") await undo(places, ports).catch(() => undefined);
    throw cause;
  }
  await forEach(unwanted, (hook) => ports.hooks.remove(hook), ports.clock);
}

/** The present hooks with the names of new ones. Throws if a group does not exist: it may be new, so callers try again. */
async function foundPlaces(
  wanted: readonly GroupHook[],
  hooks: GroupHooks,
): Promise<readonly HookPlace[]> {
  const places = placesOf(wanted, await hooksOf(wanted, hooks));
  const missing = places.filter(({ found }) => found === "no group");
  if (missing.length === 0) return places;
  const names = [...new Set(missing.map(({ wanted: { group } }) => group))];
  throw new Fault(
    "aws.refused",
    `giving groups their hooks: ${shortList(names)}: not in this account and Region; correct the list of groups`,
  );
}

/** No change that was good once is refused: a hook whose group is gone, or which others have by now, is left to them. */
async function stillOurs(
  kept: readonly GroupHook[],
  topics: readonly string[],
  { hooks, clock }: Ports,
): Promise<readonly GroupHook[]> {
  const places = placesOf(kept, await withRetries(() => hooksOf(kept, hooks), clock));
  const taken = new Set(takenPlaces(places, topics).map(({ wanted }) => wanted));
  return places.flatMap(({ wanted, found }) =>
    found === "no group" || taken.has(wanted) ? [] : [wanted],
  );
}

async function hooksOf(wanted: readonly GroupHook[], hooks: GroupHooks) {
  const has = new Map<GroupName, Awaited<ReturnType<GroupHooks["of"]>>>();
  for (const group of new Set(wanted.map((hook) => hook.group)))
    has.set(group, await hooks.of(group));
  return has;
}

function assertFree(taken: readonly TakenPlace[]): void {
  if (taken.length === 0) return;
  const found = taken.map(
    ({ found: { group, name, target } }) =>
      `hook ${name} of group ${group} notifies ${target || "nobody"}`,
  );
  throw new Fault(
    "hook.taken",
    `giving groups their hooks: ${shortList(found)}, not this stack: nothing was changed`,
  );
}

const mostNamed = 5;

/** CloudFormation takes a reason of some 4 kB. */
function shortList(texts: readonly string[]): string {
  const more = texts.length > mostNamed ? [`and ${texts.length - mostNamed} more`] : [];
  return [...texts.slice(0, mostNamed), ...more].join(", ");
}

/** Tries again, for some time, what fails. */
async function withRetries<Result>(call: () => Promise<Result>, clock: Clock): Promise<Result> {
  const until = later(clock.now(), retriesFor);
  for (;;) {
    try {
      return await call();
    } catch (cause) {
      if (clock.now() >= until) throw cause;
    }
    await sleepFor(pause, clock);
  }
}

/** Gives all groups back what they had. */
const undo = (places: readonly HookPlace[], { hooks, clock }: Ports): Promise<void> =>
  forEach(
    places,
    ({ wanted, found }) => (typeof found === "string" ? hooks.remove(wanted) : hooks.put(found)),
    clock,
  );

/**
 * Makes all changes, trying again for a minute those that fail. A hook that stays would hold instances until it times out,
 * so one that cannot be changed keeps none of the others.
 */
async function forEach<Item>(
  all: readonly Item[],
  change: (item: Item) => Promise<void>,
  clock: Clock,
): Promise<void> {
  const until = later(clock.now(), retriesFor);
  for (let left = all; ; ) {
    const failures = new Map<Item, unknown>();
    for (const one of left) await change(one).catch((cause) => failures.set(one, cause));
    const [cause] = failures.values();
    if (failures.size === 0) return;
    if (clock.now() >= until) throw cause;
    left = [...failures.keys()];
    await sleepFor(pause, clock);
  }
}
