import { counted, someOf } from "../../lambda/base/counted.ts";
import type { InstanceId, NodeName } from "../../lambda/base/ids.ts";
import { between, type Instant, never } from "../../lambda/base/time.ts";
import type { Sizes } from "../../lambda/group/scaling-group.ts";
import type { PromiseFound } from "../json/verify-schema.ts";

/** A pod of the probe, as a watch reports it. */
export interface ProbePod {
  readonly uid: string;
  readonly name: string;
  readonly node: string;
  readonly ready: boolean;
  readonly ending: boolean;
  /** The resource version at which it got this state. */
  readonly version: number;
}

/** The state of everything at some instant, as seen from outside. */
export interface Observation {
  readonly at: Instant;
  /**
   * The state of the trial's instance in its group: empty before the group has it, `ended by EC2` once EC2 ends an
   * interrupted one, and `gone` once it has left the group.
   */
  readonly state: string;
  readonly node: {
    readonly ready: boolean;
    /** The resource version at which the node was cordoned and taken out of load balancers; 0 before. */
    readonly marked: number;
  };
  readonly pods: readonly ProbePod[];
  readonly volumes: readonly string[];
  /** Other nodes that were cordoned or marked since the trial began, except those that their group ends. */
  readonly touched: readonly string[];
}

/** The sizes of a group, and how many instances are in service. */
export interface Measure extends Sizes {
  readonly inService: number;
}

/** The steps and observations of a trial. `undefined` stands for a step that has not happened. */
export interface Trial {
  readonly sights: readonly Observation[];
  /** The requests to the probe; `failure` is empty if one was answered. */
  readonly requests: readonly { readonly at: Instant; readonly failure: string }[];
  readonly before: Measure;
  readonly raised: Instant;
  /** Empty if no volume is tried. */
  readonly storageClass: string;
  instance?: InstanceId;
  node?: NodeName;
  /** When the whole probe was ready, and requests began. */
  probed?: Instant;
  /** When AWS was called to end the instance. */
  ended?: Instant;
  after?: Measure;
}

/** The number of the probe's pods that its budget keeps ready. */
export const keptReady = 1;

/** The prefix of the names of the pods that the budget counts and that requests go to. */
export const web = "web";

export const isCounted = ({ name, ready, ending }: ProbePod): boolean =>
  name.startsWith(`${web}-`) && ready && !ending;

type PromiseFinding = Omit<PromiseFound, "promise">;

const kept = (found: string, from?: Instant, to?: Instant): PromiseFinding => ({
  state: "kept",
  seconds: from === undefined || to === undefined ? null : between(from, to) / 1000,
  found,
});
const broken = (found: string): PromiseFinding => ({ state: "broken", seconds: null, found });
const unseen = (found: string): PromiseFinding => ({ state: "unseen", seconds: null, found });

interface EndedTrial extends Trial {
  readonly ended: Instant;
}

const isEnded = (trial: Trial): trial is EndedTrial => trial.ended !== undefined;
const onceEnded = (judge: (trial: EndedTrial) => PromiseFinding) => (trial: Trial) =>
  isEnded(trial) ? judge(trial) : unseen("the instance was not ended");

/** The promises, in the order in which an instance meets them. */
const judges: Readonly<Record<string, (trial: Trial) => PromiseFinding>> = {
  "launch hook": launchHook,
  registration,
  "mark first": onceEnded(markFirst),
  budget: onceEnded(budget),
  requests: onceEnded(requests),
  volumes: (trial) =>
    trial.storageClass === ""
      ? { state: "left out", seconds: null, found: "no storage class was named" }
      : onceEnded(volumes)(trial),
  release: onceEnded(release),
  "other nodes": otherNodes,
  size,
};

/** Judges each promise by the observations. */
export const promisesOf = (trial: Trial): readonly PromiseFound[] =>
  Object.entries(judges).map(([promise, judge]) => ({ promise, ...judge(trial) }));

const first = ({ sights }: Trial, form: RegExp) => sights.find(({ state }) => form.test(state));

function launchHook(trial: Trial): PromiseFinding {
  const held = first(trial, /^(?!Pending$|$)/);
  const left = trial.sights.find(({ at, state }) => held && at > held.at && state !== held.state);
  if (held?.state === "Pending:Wait" && left)
    return kept("held the new instance", held.at, left.at);
  return first(trial, /^InService$/)
    ? broken("no hook held the new instance before it was in service")
    : unseen("no instance came so far");
}

function registration(trial: Trial): PromiseFinding {
  const serves = first(trial, /^InService$/);
  const ready = trial.sights.find(({ node }) => node.ready);
  const over = first(trial, /^(?:Terminat|gone)/);
  if (serves && ready && ready.at <= serves.at)
    return kept("the node was Ready before its instance was in service", trial.raised, ready.at);
  if (serves) return broken("the instance was in service before its node was Ready");
  return over
    ? broken(`the instance was ${over.state} before it was ever in service`)
    : unseen("the instance was not in service in time");
}

/** Resource versions count the writes of a cluster, so they tell which of two came first. */
function markFirst({ sights, ended, node }: EndedTrial): PromiseFinding {
  const there = sights.findLast(({ at }) => at <= ended)?.pods.filter((pod) => pod.node === node);
  const own = new Set(there?.map(({ uid }) => uid));
  const ending = sights.flatMap(({ pods }) => pods.filter((pod) => pod.ending && own.has(pod.uid)));
  const known = new Set([...ending, ...(sights.at(-1)?.pods ?? [])].map(({ uid }) => uid));
  const begun = Math.min(...ending.map(({ version }) => version));
  const mark = sights.find((one) => one.node.marked > 0);
  if ([...own].some((uid) => !known.has(uid)))
    return broken("a pod disappeared without terminating first");
  if (ending.length === 0) return broken("no pod of the node began to terminate");
  if (!mark) return broken("a pod began to terminate, and the node was never marked");
  if (mark.node.marked >= begun)
    return broken("a pod began to terminate before the node was marked");
  const words =
    "the node was cordoned and out of load balancers before the first pod began to terminate";
  return kept(words, ended, mark.at);
}

function budget({ sights, probed, ended }: EndedTrial): PromiseFinding {
  const since = sights.filter(({ at }) => at >= (probed ?? ended));
  const least = Math.min(...since.map(({ pods }) => pods.filter(isCounted).length));
  return least >= keptReady
    ? kept(`never fewer than ${least} of the pods that its budget counts were ready`)
    : broken(`${counted(least, "pod")} ready, and the budget keeps ${keptReady}`);
}

function requests({ requests: all }: EndedTrial): PromiseFinding {
  const failures = all.map(({ failure }) => failure).filter((failure) => failure !== "");
  const first = someOf([...new Set(failures)], 3);
  if (all.length === 0) return unseen("no request was sent");
  return failures.length === 0
    ? kept(`all ${all.length} requests were answered`, all[0]?.at, all.at(-1)?.at)
    : broken(`${failures.length} of ${all.length} requests failed: ${first}`);
}

/** When nothing holds the instance any more: its hook is completed, or EC2 ends it in spite of a hook. */
const freed = (trial: Trial) =>
  first(trial, /^(?:Terminating:Proceed|Terminated|gone|ended by EC2)$/);

function volumes(trial: EndedTrial): PromiseFinding {
  const { sights, ended } = trial;
  const free = freed(trial);
  const last = sights.findLastIndex((one) => one.volumes.length > 0);
  if (!free) return unseen("the instance was not released");
  if (last < 0) return unseen("no volume was attached to the node");
  return free.volumes.length === 0
    ? kept(
        "all volumes were detached before the instance was released",
        ended,
        sights[last + 1]?.at,
      )
    : broken(`still attached when the instance was released: ${someOf(free.volumes)}`);
}

function release(trial: EndedTrial): PromiseFinding {
  const { sights, ended, node } = trial;
  const [held, free] = [first(trial, /^Terminating:Wait$/), freed(trial)];
  const how = free?.state === "ended by EC2" ? free.state : "released";
  const isOff = (pods: Observation["pods"]) => pods.every((pod) => pod.node !== node);
  const empty = sights.find(({ at, pods }) => at > ended && isOff(pods))?.at ?? never;
  if (!free)
    return held
      ? broken("the hook was not completed in time")
      : unseen("nothing ended the instance in time");
  if (how === "released" && !held) return broken("no hook held the instance before it ended");
  return empty <= free.at
    ? kept(`the instance was ${how} after the last pod was gone`, ended, free.at)
    : broken(`the instance was ${how} while pods were on its node`);
}

function otherNodes({ sights }: Trial): PromiseFinding {
  const { touched = [] } = sights.at(-1) ?? {};
  return touched.length === 0
    ? kept("no other node was cordoned or marked")
    : broken(`cordoned or marked meanwhile: ${someOf(touched)}`);
}

function size({ before, after }: Trial): PromiseFinding {
  if (after === undefined) return unseen("the trial did not come to its end");
  const [was, is] = [before, after].map(
    ({ min, max, desired, inService }) =>
      `sizes ${min}/${desired}/${max} and ${counted(inService, "instance")} in service`,
  );
  return was === is
    ? kept(`the group has ${is}, as before`)
    : broken(`the group has ${is}; it had ${was}`);
}
