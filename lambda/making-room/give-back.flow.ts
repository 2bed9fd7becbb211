import { answeredBy } from "../base/answered-by.ts";
import { sleepFor } from "../base/clock.port.ts";
import { faultOf } from "../base/fault.ts";
import type { NodeName } from "../base/ids.ts";
import { sideBySide } from "../base/side-by-side.ts";
import { earliest, type Instant, later, minutes, seconds } from "../base/time.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { Note } from "../notice/outcome.ts";
import type { RoomPorts } from "./making-room.port.ts";
import { isOurs } from "./next-room-step.ts";
import {
  isOwn,
  longestReconcile,
  reconcileSurge,
  type SurgeContext,
  surgeContextOf,
} from "./reconcile-surge.flow.ts";
import { recordAnnotation, recordAt, recordLabel } from "./record.ts";
import { type RoomState, refused } from "./room-refusal.ts";
import { type RoomRef, type Workload, workloadTitle } from "./workload.ts";

/** The workloads with records, after their counts were put back. */
interface GivenBack {
  /** The workloads that had one. */
  readonly noted: readonly Workload[];
  /** The workloads that could not be looked at or put back, with reasons. */
  readonly skipped: readonly Note[];
  /** The workloads whose counts have to go back, and what they wait for. */
  readonly waiting: readonly Standing[];
}

const namespacesAtOnce = 10;
// Writes of a few namespaces may hang for half a minute each.
const longestTurn = seconds(15);
const longestPutBack = minutes(1);

/**
 * Puts back all replicas that are no longer needed, until a moment: each namespace by itself, for one tenant must not stop the
 * others. Each time another one is the first.
 */
async function giveBack(context: SurgeContext, until: Instant): Promise<GivenBack> {
  const { records, skipped } = await context.workloads.records();
  const spaces = [...Map.groupBy(records, ({ namespace }) => namespace)];
  const first = context.ports.clock.now() % Math.max(1, spaces.length);
  const inTurn = [...spaces.slice(first), ...spaces.slice(0, first)];
  const given = await sideBySide(inTurn, namespacesAtOnce, ([namespace, some]) =>
    giveBackIn(namespace, some, until, context),
  );
  return {
    noted: given.flatMap((one) => one.noted),
    skipped: [...skipped, ...given.flatMap((one) => one.skipped)],
    waiting: given.flatMap((one) => one.waiting),
  };
}

/** Puts back the counts of one namespace, for a short while at most. */
async function giveBackIn(
  namespace: string,
  records: readonly RoomRef[],
  until: Instant,
  context: SurgeContext,
): Promise<GivenBack> {
  const { clock } = context.ports;
  const now = clock.now();
  const ends = earliest(until, later(now, longestTurn));
  const given =
    now < until ? await answeredBy(ends, giveBackBy(records, context), clock) : "unanswered";
  if (given !== "unanswered") return given;
  return { noted: [], skipped: [{ about: `namespace ${namespace}`, why: noTime }], waiting: [] };
}

const noTime = "no time was left";

/** Puts back the counts that the records of one namespace name. */
async function giveBackBy(records: readonly RoomRef[], context: SurgeContext): Promise<GivenBack> {
  const { workloads, skipped } = await context.workloads.recordedBy(records);
  const noted = workloads.filter((one) => isNoted(one, context.ports.clock.now()));
  const states = await giveBackOneByOne(noted, context);
  const refusals = states.filter(({ kind }) => kind === "refused").map(noteOf);
  const waiting = states.filter(({ isHindered }) => isHindered);
  return { noted, skipped: [...skipped, ...refusals], waiting };
}

/** Whether a workload has a record that reads as ours, or has lost it, or its autoscaler has one. Anybody in a namespace may write anything else there. */
const isNoted = (workload: Workload, now: Instant): boolean =>
  isOurs(workload) &&
  (workload.isLabelled ||
    [workload, ...workload.scalers].some((one) => recordAt(now, one.annotations) !== undefined));

/** How a workload stands after its count was put back, as far as possible. */
interface Standing extends RoomState {
  readonly about: string;
  /** Whether it is the surge of a drain of this process. */
  readonly isOwn: boolean;
}

const noteOf = ({ about, why }: Standing): Note => ({ about, why });

async function giveBackOneByOne(
  some: readonly Workload[],
  context: SurgeContext,
): Promise<readonly Standing[]> {
  const { clock } = context.ports;
  const ends = later(clock.now(), longestReconcile);
  const states: Standing[] = [];
  for (const workload of some) {
    const isLate = clock.now() >= ends;
    const state = isLate
      ? refused(noTime)
      : await reconcileSurge(workload, context).catch(asRefusal);
    states.push({ ...state, about: titleIn(workload), isOwn: isOwn(workload, context) });
  }
  return states;
}

const asRefusal = (cause: unknown): RoomState => refused(faultOf(cause).message);

const titleIn = (workload: Workload): string => `${workload.namespace}/${workloadTitle(workload)}`;

/**
 * Puts back all counts that any process has raised for a drain that no longer needs them, and returns what it could not
 * read or put back. To a command the drains of some nodes are known to be over.
 */
export async function putRoomBack(
  settings: DrainSettings,
  ports: RoomPorts & Pick<SurgeContext, "known">,
  over?: readonly NodeName[],
): Promise<readonly Note[]> {
  if (settings.makeRoom === "off") return [];
  try {
    const until = later(ports.clock.now(), longestPutBack);
    const context = await surgeContextOf("none", settings, ports, over);
    const { skipped, waiting } = await giveBack(context, until);
    const own = waiting.filter(({ isOwn }) => isOwn);
    const others = waiting.filter(({ isOwn }) => !isOwn);
    return someNotes([...own.map(noteOf), ...skipped, ...others.map(noteOf)]);
  } catch (cause) {
    ports.journal.record(faultEntry(cause));
    return [{ about: "", why: faultOf(cause).message }];
  }
}

const mostNotes = 5;

const [longestAbout, longestWhy] = [120, 200];

/** The first notes, and how many more there are: a log line has room for few, and others may have made them long. */
const someNotes = (all: readonly Note[]): readonly Note[] =>
  someOfNotes(
    all.map(({ about, why }) => ({
      about: about.slice(0, longestAbout),
      why: why.slice(0, longestWhy),
    })),
  );

const someOfNotes = (notes: readonly Note[]): readonly Note[] =>
  notes.length <= mostNotes
    ? notes
    : [...notes.slice(0, mostNotes), { about: "", why: `and ${notes.length - mostNotes} more` }];

const mostLooks = 12;
const restBetweenLooks = seconds(5);

/**
 * Puts back all raised replicas, whatever drains are under way, because the right to do so is about to be removed. It ends
 * within two minutes, and returns what is left: an editor of a workload can keep a record there for ever.
 */
export async function giveAllBack(context: SurgeContext): Promise<readonly Note[]> {
  const { clock } = context.ports;
  const ends = later(clock.now(), longestPutBack);
  for (let looks = 1; ; looks += 1) {
    const { noted, skipped } = await giveBack(context, later(ends, longestTurn));
    const named = new Set(skipped.map(({ about }) => about));
    const raised = noted.map(titleIn).filter((title) => !named.has(title));
    const left = [...skipped, ...raised.map((about) => ({ about, why: stillRaised }))];
    if (left.length === 0 || looks > mostLooks || clock.now() >= ends) return someNotes(left);
    await sleepFor(restBetweenLooks, clock);
  }
}

const stillRaised = `its count may still be raised; put it and its autoscaler back, and remove the annotation ${recordAnnotation} and the label ${recordLabel}`;
