import { counted, someOf } from "../../lambda/base/counted.ts";
import { between, type Instant } from "../../lambda/base/time.ts";
import type { PromiseTold } from "../json/verify-schema.ts";
import { gone, type Measure, type ProbePod, sightsOf, type Trial } from "./trial.ts";

/** How many pods of the probe its budget keeps ready. */
export const keptReady = 1;

type Finding = Omit<PromiseTold, "promise">;
type Judge = (trial: Trial) => Finding;

/** How the names of the pods begin that the budget counts, and that requests go to. */
export const web = "web";

/** Whether a pod counts for its budget. */
export const isCounted = ({ name, ready, ending }: ProbePod): boolean =>
  name.startsWith(`${web}-`) && ready && !ending;

const kept = (found: string, from?: Instant, to?: Instant): Finding => ({
  state: "kept",
  seconds: from === undefined || to === undefined ? null : between(from, to) / 1000,
  found,
});
const broken = (found: string): Finding => ({ state: "broken", seconds: null, found });
const unseen = (found: string): Finding => ({ state: "unseen", seconds: null, found });

/** The promises, in the order in which an instance meets them. */
const judges: Readonly<Record<string, Judge>> = {
  "launch hook": launchHook,
  registration,
  "mark first": markFirst,
  budget,
  requests,
  volumes,
  release,
  "other nodes": otherNodes,
  size,
};

/** Judges each promise by what was seen from outside. */
export const promisesOf = (trial: Trial): readonly PromiseTold[] =>
  Object.entries(judges).map(([promise, judge]) => ({ promise, ...judge(trial) }));

const states = ({ sights }: Trial) => sightsOf(sights, "state");
const firstState = (trial: Trial, form: RegExp) =>
  states(trial).find(({ state }) => form.test(state));

const inService = /^InService$/;
const held = /^Terminating:Wait$/;
const released = new RegExp(`^(?:Terminating:Proceed|Terminated|${gone})$`);
const over = new RegExp(`^(?:Terminat.*|${gone})$`);

function launchHook(trial: Trial): Finding {
  const { at: from } = firstState(trial, /^Pending:Wait$/) ?? {};
  const { at: serves } = firstState(trial, inService) ?? {};
  const { at: left } =
    states(trial).find(
      ({ at, state }) => from !== undefined && at > from && state !== "Pending:Wait",
    ) ?? {};
  if (from !== undefined && left !== undefined) return kept("held the new instance", from, left);
  if (serves !== undefined) return broken("no hook held the new instance before it was in service");
  return unseen("no instance came so far");
}

function registration(trial: Trial): Finding {
  const { raised, sights } = trial;
  const [{ at: ready } = {}] = sightsOf(sights, "ready");
  const serves = firstState(trial, inService);
  if (serves !== undefined)
    return ready !== undefined && ready <= serves.at
      ? kept("the node was Ready before its instance was in service", raised, ready)
      : broken("the instance was in service before its node was Ready");
  const end = firstState(trial, over);
  return end === undefined
    ? unseen("the instance was not in service in time")
    : broken(`the instance was ${end.state} before it was ever in service`);
}

/** Versions of a cluster count its writes, so that they tell which of two came first. */
function markFirst(trial: Trial): Finding {
  const { ended } = trial;
  if (ended === undefined) return unseen("the instance was not ended");
  const [{ at, version: marked } = {}] = sightsOf(trial.sights, "marked");
  const ways = onNode(trial).map(({ uid }) => wayOf(uid, trial));
  const [first] = ways
    .flatMap((way) => (typeof way === "number" ? [way] : []))
    .toSorted((a, b) => a - b);
  if (ways.includes("vanished")) return broken("a pod was gone without having been told to end");
  if (first === undefined) return broken("no pod of the node was told to end");
  if (marked === undefined) return broken("a pod was told to end, and the node was never marked");
  return marked < first
    ? kept(
        "the node was cordoned and out of load balancers before the first pod was told to end",
        ended,
        at,
      )
    : broken("a pod was told to end before the node was marked");
}

/** The pods that were on the node when its instance was ended. */
function onNode({ sights, ended, node }: Trial): readonly ProbePod[] {
  const before = sightsOf(sights, "pods").filter(({ at }) => ended !== undefined && at <= ended);
  return before.at(-1)?.pods.filter((pod) => pod.node === node) ?? [];
}

/** The version at which a pod was told to end. */
function wayOf(uid: string, { sights }: Trial): number | "stayed" | "vanished" {
  const all = sightsOf(sights, "pods");
  const ending = all.flatMap(({ pods }) => pods.filter((pod) => pod.uid === uid && pod.ending));
  const [{ version } = {}] = ending;
  if (version !== undefined) return version;
  return all.at(-1)?.pods.some((pod) => pod.uid === uid) ? "stayed" : "vanished";
}

function budget({ sights, probed, ended }: Trial): Finding {
  if (probed === undefined || ended === undefined) return unseen("the instance was not ended");
  const counts = sightsOf(sights, "pods")
    .filter(({ at }) => at >= probed)
    .map(({ pods }) => pods.filter(isCounted).length);
  const least = Math.min(...counts);
  const words = `never fewer than ${least} of the pods that its budget counts were ready`;
  return least >= keptReady
    ? kept(words)
    : broken(`${counted(least, "pod")} ready, and the budget keeps ${keptReady}`);
}

function requests({ sights, ended }: Trial): Finding {
  const all = sightsOf(sights, "request");
  const failures = all.map(({ failure }) => failure).filter((failure) => failure !== "");
  const [first, last] = [all[0], all.at(-1)];
  if (ended === undefined || first === undefined) return unseen("the instance was not ended");
  return failures.length === 0
    ? kept(`all ${all.length} requests were answered`, first.at, last?.at)
    : broken(
        `${failures.length} of ${all.length} requests failed: ${someOf([...new Set(failures)], 3)}`,
      );
}

function volumes(trial: Trial): Finding {
  const { sights, claim, ended } = trial;
  if (claim === "without a claim")
    return { state: "left out", seconds: null, found: "no storage class was named" };
  const all = sightsOf(sights, "volumes");
  const free = firstState(trial, released);
  if (ended === undefined || free === undefined) return unseen("the instance was not released");
  if (all.every((one) => one.volumes.length === 0))
    return unseen("no volume was attached to the node");
  const last = all.findLast(({ at }) => at <= free.at);
  return last === undefined || last.volumes.length === 0
    ? kept("all volumes were detached before the instance was released", ended, last?.at)
    : broken(`still attached when the instance was released: ${someOf(last.volumes)}`);
}

function release(trial: Trial): Finding {
  const { ended, sights, node } = trial;
  if (ended === undefined) return unseen("the instance was not ended");
  const free = firstState(trial, released);
  const wait = firstState(trial, held);
  if (wait === undefined) return broken("no hook held the instance before it ended");
  if (free === undefined) return broken("the hook was not completed in time");
  const empty = sightsOf(sights, "pods").find(
    ({ at, pods }) => at > ended && !pods.some((pod) => pod.node === node),
  );
  return empty !== undefined && empty.at <= free.at
    ? kept("the instance was released after the last pod was gone", ended, free.at)
    : broken("the instance was released while pods were on its node");
}

function otherNodes({ sights }: Trial): Finding {
  const touched = [...new Set(sightsOf(sights, "touched").map(({ node }) => node))];
  return touched.length === 0
    ? kept("no other node was cordoned or marked")
    : broken(`cordoned or marked meanwhile: ${someOf(touched)}`);
}

function size({ before, after }: Trial): Finding {
  if (after === undefined) return unseen("the trial did not come to its end");
  return same(before, after)
    ? kept(`the group has ${words(after)}, as before`)
    : broken(`the group has ${words(after)}; it had ${words(before)}`);
}

const same = (one: Measure, other: Measure): boolean => words(one) === words(other);
const words = ({ min, max, desired, inService: count }: Measure): string =>
  `sizes ${min}/${desired}/${max} and ${counted(count, "instance")} in service`;
