import { type FaultCode, faultOf } from "../base/fault.ts";
import type { PodUid } from "../base/ids.ts";
import { latest, wholeSeconds } from "../base/time.ts";
import type { Wakeup } from "../base/wakeup.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { Cluster, DrainPorts } from "./drain.port.ts";
import type { DrainEntry } from "./drain-entry.ts";
import type { Evicted, Eviction } from "./eviction.ts";
import { inTurns } from "./hold-reason.ts";
import { isTrusted, type Ledger, ledgerWithLimit, type PodAttempt } from "./ledger.ts";
import { noteAnswer, noteRequest, withdrawn } from "./ledger-notes.ts";
import { type Pod, podTitle } from "./pod.ts";
import { isTerminating } from "./pod-class.ts";
import type { PodRequest } from "./snapshot.ts";

type Refused = Extract<Eviction, { readonly kind: "denied" | "invalid" }>;

/** The faults that concern one pod, not the drain, and what the ledger notes for them. */
const refusals: Partial<Record<FaultCode, Refused["kind"]>> = {
  "cluster.forbidden": "denied",
  "cluster.refused": "invalid",
};

/** The rules for the requests of a pass. */
export interface EvictionRules {
  /** The most requests that may be under way at once. */
  readonly mostAtOnce: number;
  /**
   * The budgets or protection that the deletion of a pod would overrule now; empty if there are
   * none.
   */
  overruled(pod: Pod, ledger: Ledger): string;
  /** Whether a pod is not asked to go now after all; asked directly before the request. */
  holdsBack(request: PodRequest): Promise<boolean>;
  /** Why the deletion of a pod could not wait longer, as the end of a sentence; empty where its grace just fits no longer. */
  whyEarly(pod: Pod): string;
  /** Whether a pod that gets less than its own grace is recorded as one that is forced. */
  tellsCuts(): boolean;
}

interface ForcedPod {
  readonly namespace: string;
  /** How it was forced. */
  readonly lines: readonly string[];
}

/** A request, and what it overruled when it was sent. */
interface SentRequest {
  readonly request: PodRequest;
  readonly past: string;
  /** The drain that has sent it: this one, or another of this process. */
  readonly by: "another" | "this";
}

/** A request that is about to be sent, and the last one for the same pod. */
interface Intended {
  readonly request: PodRequest;
  readonly last: PodAttempt | undefined;
  holdsBack(): Promise<boolean>;
}

/** The requests of one pass to evict or delete pods. They run side by side, so that none delays another. */
export class Evictions {
  readonly #ports: DrainPorts;
  readonly #wakeup: Wakeup;
  readonly #rules: EvictionRules;
  readonly #forced = new Map<PodUid, ForcedPod>();
  readonly #recorded = new Set<string>();
  #ledger: Ledger;
  #progressed = false;
  #failure: { readonly cause: unknown } | undefined;

  constructor(ports: DrainPorts, wakeup: Wakeup, rules: EvictionRules) {
    this.#ports = ports;
    this.#wakeup = wakeup;
    this.#rules = rules;
    this.#ledger = ledgerWithLimit(rules.mostAtOnce);
  }

  /** The requests so far and their answers; throws the fault if a request ended in one. */
  ledger(): Ledger {
    if (this.#failure !== undefined) throw this.#failure.cause;
    const pausedUntil = latest(this.#ledger.pausedUntil, this.#ports.pause.until());
    return { ...this.#ledger, pausedUntil };
  }

  /** Whether any pod has started to leave. */
  progressed(): boolean {
    return this.#progressed;
  }

  /** The pods that were deleted past a budget or a protection, or whose grace was cut, one line each. */
  forced(): readonly string[] {
    return inTurns([...this.#forced.values()]).flatMap(({ lines }) => lines);
  }

  /** Sends all of these requests and waits for none; every answer wakes the drain. */
  start(requests: readonly PodRequest[]): void {
    for (const request of requests) {
      const last = this.#ledger.attempts.get(request.pod.uid);
      const past =
        request.verb === "delete" ? this.#rules.overruled(request.pod, this.#ledger) : "";
      const now = this.#ports.clock.now();
      this.#ledger = noteRequest(this.#ledger, { ...request, now });
      void this.#send(request, past, last);
    }
  }

  async #send(request: PodRequest, past: string, last: PodAttempt | undefined): Promise<void> {
    const { cluster, podRequests } = this.#ports;
    const holdsBack = () => this.#rules.holdsBack(request);
    let by: SentRequest["by"] = "another";
    try {
      if (isUnproven(request, last)) return await this.#look(request, past);
      const answer = await podRequests.recall(titleOf(request), () => {
        by = "this";
        return evictOrDelete({ request, last, holdsBack }, cluster);
      });
      if (answer.kind === "held-back") this.#ledger = withdrawn(this.#ledger, request.pod, last);
      else this.#answered({ request, past, by }, answer);
    } catch (cause) {
      this.#failed(request, past, cause);
    } finally {
      this.#wakeup.notify();
    }
  }

  /** Looks whether the last request for a pod has taken effect. Only the pod is the proof, not the answer. */
  async #look(request: PodRequest, past: string): Promise<void> {
    const seen = await this.#ports.cluster.lookUp(request.pod);
    const isThere = seen.kind === "there";
    if (!isThere || isTerminating(seen.pod)) {
      const answer = isThere ? ({ kind: "accepted" } as const) : seen;
      return this.#answered({ request, past: "", by: "another" }, answer);
    }
    this.#ports.podRequests.forget(titleOf(request));
    this.#forced.delete(request.pod.uid);
    this.#answered({ request, past, by: "this" }, withoutEffect(request));
  }

  #answered({ request, past, by }: SentRequest, answer: Eviction): void {
    const { pod } = request;
    this.#note(pod, answer);
    this.#ports.pause.extend(this.#ledger.pausedUntil);
    this.#progressed ||= answer.kind === "accepted";
    if (by === "this") this.#ports.journal.record(entryOf(request, answer, past));
    if (answer.kind !== "accepted") return;
    if (past !== "") this.#force(pod, `deleted past ${past}${this.#rules.whyEarly(pod)}`);
    if (by === "this" && this.#rules.tellsCuts()) this.#tellCut(request);
  }

  #tellCut({ pod, grace }: PodRequest): void {
    const own = wholeSeconds(pod.grace);
    const left = grace === "own" ? own : wholeSeconds(grace);
    if (left >= own) return;
    const title = podTitle(pod);
    const { node, uid } = pod;
    const fields = { pod: title, node, graceSeconds: left, ownSeconds: own, uid };
    this.#ports.journal.record({ kind: "grace-cut", ...fields });
    this.#force(pod, `its grace cut to ${left} s of ${own} s`);
  }

  #force(pod: Pod, how: string): void {
    const { uid, namespace } = pod;
    const lines = this.#forced.get(uid)?.lines ?? [];
    this.#forced.set(uid, { namespace, lines: [...lines, `${podTitle(pod)}: ${how}`] });
  }

  /** Notes a failed request. If it concerns this pod alone, the drain goes on with the others, up to its deadline. */
  #failed(request: PodRequest, past: string, cause: unknown): void {
    const { code, message } = faultOf(cause);
    const kind = refusals[code];
    if (kind === undefined) {
      this.#failure = { cause };
      return;
    }
    const answer = { kind, message };
    this.#note(request.pod, answer);
    const fault = {
      ...faultEntry(cause),
      message: past === "" ? message : `${message} (it would go past ${past})`,
    };
    this.#ports.journal.record(
      this.#isFirst(`${request.verb} ${code}`) ? fault : entryOf(request, answer, past),
    );
  }

  #note(pod: Pod, answer: Eviction): void {
    const now = this.#ports.clock.now();
    this.#ledger = noteAnswer(this.#ledger, {
      pod,
      answer,
      now,
      mostAtOnce: this.#rules.mostAtOnce,
    });
  }

  /** Whether the journal has no fault of this title yet. */
  #isFirst(title: string): boolean {
    const first = !this.#recorded.has(title);
    this.#recorded.add(title);
    return first;
  }
}

/** Whether the last request of this kind was accepted, and the pod does not show it. */
const isUnproven = ({ verb, pod }: PodRequest, last: PodAttempt | undefined): boolean =>
  isTrusted(last) && (verb === "evict" || (last?.verb === "delete" && !isTerminating(pod)));

const namesOf = { evict: "evictions", delete: "deletions" } as const;

const withoutEffect = ({ verb }: PodRequest): Eviction => ({
  kind: "without-effect",
  message: `accepted, but the pod is not terminating: does a webhook make ${namesOf[verb]} dry runs?`,
});

const titleOf = ({ verb, pod, grace }: PodRequest): string =>
  verb === "delete" ? `delete ${pod.uid} ${wholeSeconds(grace)}` : `evict ${pod.uid}`;

function entryOf({ verb, pod, grace }: PodRequest, answer: Eviction, past: string): DrainEntry {
  const title = podTitle(pod);
  if (answer.kind !== "accepted" && answer.kind !== "gone")
    return {
      kind: "pod-refused",
      pod: title,
      verb,
      past,
      why: answer.kind,
      message: answer.message,
    };
  const graceSeconds = wholeSeconds(grace === "own" ? pod.grace : grace);
  const fields = { pod: title, node: pod.node, graceSeconds };
  return verb === "evict"
    ? { kind: "pod-evicted", ...fields }
    : { kind: "pod-deleted", ...fields, past, uid: pod.uid };
}

/**
 * Evicts one pod, or deletes it by force.
 *
 * Before a second eviction the drain looks up the pod: if the pod is gone or terminating, another eviction would still
 * use up its budget. Four cases need no look-up: after throttling the last request did not get through, a budget
 * that refused has taken nothing, one without effect was looked up just now, and a deletion cannot wait because of the
 * deadline.
 */
async function evictOrDelete(
  { request, last, holdsBack }: Intended,
  cluster: Cluster,
): Promise<Evicted> {
  const evict = () => cluster.evict(request.pod, request.grace, holdsBack);
  if (request.verb === "delete") return cluster.remove(request.pod, request.grace);
  if (last?.answer.kind === "without-effect") return evictProvably(request, evict, cluster);
  const seen = hasNoEffect(last) ? "as known" : await cluster.lookUp(request.pod);
  if (seen === "as known") return evict();
  if (seen.kind !== "there") return seen;
  return isTerminating(seen.pod) ? { kind: "accepted" } : evict();
}

/** Evicts a pod of which an earlier eviction had no effect, and looks at once: a true eviction shows before its answer. */
async function evictProvably(
  request: PodRequest,
  evict: () => Promise<Evicted>,
  cluster: Cluster,
): Promise<Evicted> {
  const answer = await evict();
  if (answer.kind !== "accepted") return answer;
  const seen = await cluster.lookUp(request.pod);
  return seen.kind !== "there" || isTerminating(seen.pod) ? answer : withoutEffect(request);
}

const hasNoEffect = (last: PodAttempt | undefined): boolean =>
  last === undefined || ["blocked", "throttled"].includes(last.answer.kind);
