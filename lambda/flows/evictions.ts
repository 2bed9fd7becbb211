import type { Bell } from "../bell.ts";
import type { Eviction } from "../domain/eviction.ts";
import { emptyLedger, type Ledger, noteAnswer, noteAsked } from "../domain/ledger.ts";
import { type Pod, podTitle } from "../domain/pod.ts";
import type { Ports } from "../ports.ts";

/** The evictions of one pass, answered or under way. */
export interface Evictions {
  /** What has been asked and answered so far; throws the fault that an eviction ended in. */
  ledger(): Ledger;
  /** Asks for the eviction of these pods and waits for none; the bell rings at every answer. */
  start(pods: readonly Pod[]): void;
  /** Whether any pod has started to leave. */
  progressed(): boolean;
}

/** Evicts pods side by side: a pod that is held up holds up no other. */
export function evictionsOf({ cluster, clock, journal }: Ports, bell: Bell): Evictions {
  let ledger = emptyLedger;
  let progressed = false;
  let failure: { readonly cause: unknown } | undefined;

  const evict = async (pod: Pod): Promise<void> => {
    try {
      const answer = await cluster.evict(pod, "own");
      ledger = noteAnswer(ledger, { pod, answer, now: clock.now() });
      progressed ||= answer.kind === "accepted";
      journal.record(told(pod, answer));
    } catch (cause) {
      failure = { cause };
    } finally {
      bell.ring();
    }
  };

  return {
    ledger() {
      if (failure !== undefined) throw failure.cause;
      return ledger;
    },
    start(pods) {
      for (const pod of pods) {
        ledger = noteAsked(ledger, pod, clock.now());
        void evict(pod);
      }
    },
    progressed: () => progressed,
  };
}

const told = (pod: Pod, answer: Eviction) =>
  answer.kind === "accepted" || answer.kind === "gone"
    ? ({ kind: "pod-evicted", pod: podTitle(pod), node: pod.node } as const)
    : ({
        kind: "pod-refused",
        pod: podTitle(pod),
        why: answer.kind,
        message: answer.message,
      } as const);
