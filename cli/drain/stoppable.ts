import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../lambda/base/clock.port.ts";
import { Fault } from "../../lambda/base/fault.ts";
import type { Instant } from "../../lambda/base/time.ts";
import type { Wakeup } from "../../lambda/base/wakeup.ts";
import type { KubeCall, KubeClient } from "../../lambda/kubernetes/kube-connection.ts";

/** The client of a cluster until the user stops the work. After that no request starts, and those under way are finished. */
export class StoppableClient implements KubeClient {
  readonly #client: KubeClient;
  readonly #stopped: AbortSignal;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(client: KubeClient, stopped: AbortSignal) {
    this.#client = client;
    this.#stopped = stopped;
  }

  ask<T>(doing: string, call: KubeCall<T>): Promise<T> {
    return this.#tracked(() => this.#client.ask(doing, this.#unlessStopped(call)));
  }

  once<T>(call: KubeCall<T>): Promise<T> {
    return this.#tracked(() => this.#client.once(this.#unlessStopped(call)));
  }

  /** Waits until all requests are answered, and their callers have handled the answers. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    await setImmediate();
  }

  #unlessStopped<T>(call: KubeCall<T>): KubeCall<T> {
    return (connection) => {
      assertGoesOn(this.#stopped);
      return call(connection);
    };
  }

  async #tracked<T>(send: () => Promise<T>): Promise<T> {
    assertGoesOn(this.#stopped);
    const sent = send();
    this.#underWay.add(sent);
    try {
      return await sent;
    } finally {
      this.#underWay.delete(sent);
    }
  }
}

/** A clock whose sleepers throw a fault once the user stops the work. */
export const stoppableClock = (clock: Clock, stopped: AbortSignal): Clock => ({
  now: () => clock.now(),
  async sleep(until: Instant, wakeup: Wakeup): Promise<void> {
    assertGoesOn(stopped);
    const ring = () => wakeup.notify();
    stopped.addEventListener("abort", ring, { once: true });
    await clock.sleep(until, wakeup);
    stopped.removeEventListener("abort", ring);
    assertGoesOn(stopped);
  },
});

/** Throws once the user has stopped the work. */
export function assertGoesOn(stopped: AbortSignal): void {
  if (stopped.aborted) throw new Fault("internal.unexpected", "somebody has stopped this command");
}
