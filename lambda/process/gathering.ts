import { type Clock, sleepFor } from "../base/clock.port.ts";
import type { InstanceId } from "../base/ids.ts";
import { milliseconds } from "../base/time.ts";

// The messages of a batch are read side by side, within far less.
const gathered = milliseconds(5);

/** Asks about instances of the same moment together. The answer is about all of them. */
export class Gathering<Answer> {
  readonly #clock: Clock;
  #open: { readonly instances: Set<InstanceId>; readonly answer: Promise<Answer> } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(
    instance: InstanceId,
    ask: (instances: readonly InstanceId[]) => Promise<Answer>,
  ): Promise<Answer> {
    this.#open ??= this.#begin(ask);
    this.#open.instances.add(instance);
    return this.#open.answer;
  }

  #begin(ask: (instances: readonly InstanceId[]) => Promise<Answer>) {
    const instances = new Set<InstanceId>();
    const later = async () => {
      await sleepFor(gathered, this.#clock);
      this.#open = undefined;
      return ask([...instances]);
    };
    return { instances, answer: later() };
  }
}
