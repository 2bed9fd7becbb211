import { type Attempt, type Ledger, ledgerWithRoom } from "../../domain/drain/ledger.ts";
import { noteAnswer, noteRequest } from "../../domain/drain/ledger-notes.ts";
import type { PodRequest } from "../../domain/drain/snapshot.ts";
import type { Entry } from "../../domain/entry.ts";
import type { Eviction } from "../../domain/pod/eviction.ts";
import { podTitle } from "../../domain/pod/pod.ts";
import { latest, wholeSeconds } from "../../domain/time.ts";
import { type Fault, type FaultCode, faultOf } from "../../fault.ts";
import type { Bell } from "../../ports/bell.ts";
import type { Ports } from "../../ports/ports.ts";
import { faultEntry } from "../fault-entry.ts";
import { evictOrDelete } from "./evict-or-delete.ts";

/** The requests of one pass to let pods go, answered or under way. */
export interface Evictions {
  /** What has been asked and answered so far; throws the fault that a request ended in. */
  ledger(): Ledger;
  /** Asks for all of these and waits for none; the bell rings at every answer. */
  start(requests: readonly PodRequest[]): void;
  /** Whether any pod has started to leave. */
  progressed(): boolean;
}

type Refused = Extract<Eviction, { readonly kind: "denied" | "invalid" }>;

/** The faults that concern one pod, not the drain, and what its ledger has of them. */
const refusals: Partial<Record<FaultCode, Refused["kind"]>> = {
  "cluster.forbidden": "denied",
  "cluster.refused": "invalid",
};

/** Asks pods to go, side by side: one that is held up holds up no other. */
export function evictionsOf(ports: Ports, bell: Bell, mostRoom: number): Evictions {
  const { clock, journal, pause } = ports;
  let ledger = ledgerWithRoom(mostRoom);
  let progressed = false;
  const faults = new Set<string>();
  let failure: { readonly cause: unknown } | undefined;

  const ask = async (request: PodRequest, last: Attempt | undefined): Promise<void> => {
    try {
      const answer = await evictOrDelete(request, last, ports.cluster);
      ledger = noteAnswer(ledger, { pod: request.pod, answer, now: clock.now(), mostRoom });
      pause.extend(ledger.pausedUntil);
      progressed ||= answer.kind === "accepted";
      journal.record(told(request, answer));
    } catch (cause) {
      const fault = faultOf(cause);
      const kind = refusals[fault.code];
      if (kind === undefined) failure = { cause };
      else refused(request, { kind, message: fault.message }, fault);
    } finally {
      bell.ring();
    }
  };

  /** What cannot be done to one pod may yet be done to others, and the deadline still holds: a fault, told once. */
  const refused = (request: PodRequest, answer: Refused, fault: Fault): void => {
    ledger = noteAnswer(ledger, { pod: request.pod, answer, now: clock.now(), mostRoom });
    const title = `${request.verb} ${fault.code}`;
    journal.record(faults.has(title) ? told(request, answer) : faultEntry(fault));
    faults.add(title);
  };

  return {
    ledger() {
      if (failure !== undefined) throw failure.cause;
      return { ...ledger, pausedUntil: latest(ledger.pausedUntil, pause.until()) };
    },
    start(requests) {
      for (const request of requests) {
        const last = ledger.attempts.get(request.pod.uid);
        ledger = noteRequest(ledger, { ...request, now: clock.now() });
        void ask(request, last);
      }
    },
    progressed: () => progressed,
  };
}

function told({ verb, pod, grace }: PodRequest, answer: Eviction): Entry {
  const title = podTitle(pod);
  if (answer.kind !== "accepted" && answer.kind !== "gone")
    return { kind: "pod-refused", pod: title, why: answer.kind, message: answer.message };
  const kind = verb === "evict" ? "pod-evicted" : "pod-deleted";
  const graceSeconds = wholeSeconds(grace === "own" ? pod.grace : grace);
  return { kind, pod: title, node: pod.node, graceSeconds };
}
