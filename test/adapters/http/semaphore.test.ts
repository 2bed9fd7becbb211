import { describe, expect, it } from "vitest";
import { Turnstile } from "../../../lambda/adapters/http/semaphore.ts";

const patient = new AbortController().signal;

/** Enters several in a row and keeps a list of those that got in. */
function queue(turnstile: Turnstile, names: readonly string[]): string[] {
  const entered: string[] = [];
  for (const name of names)
    turnstile.enter(patient).then(
      () => entered.push(name),
      () => undefined,
    );
  return entered;
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a turnstile", () => {
  it("lets in as many as there is room for, in the order of their coming", async () => {
    const turnstile = new Turnstile(() => 2);
    const entered = queue(turnstile, ["a", "b", "c", "d"]);
    await settle();
    expect(entered).toEqual(["a", "b"]);
    turnstile.leave();
    await settle();
    expect(entered).toEqual(["a", "b", "c"]);
    expect(turnstile.inside).toBe(2);
  });

  it("does not let anybody overtake those in line", async () => {
    const turnstile = new Turnstile(() => 1);
    const entered = queue(turnstile, ["a", "b"]);
    turnstile.leave();
    const late = queue(turnstile, ["c"]);
    await settle();
    expect([entered, late]).toEqual([["a", "b"], []]);
  });

  it("gives the place of one who stopped waiting to the next", async () => {
    const turnstile = new Turnstile(() => 1);
    await turnstile.enter(patient);
    const caller = new AbortController();
    const impatient = turnstile.enter(caller.signal);
    const entered = queue(turnstile, ["next"]);
    caller.abort(new RangeError("enough"));
    await expect(impatient).rejects.toEqual(new RangeError("enough"));
    turnstile.leave();
    await settle();
    expect(entered).toEqual(["next"]);
  });

  it("refuses one who stopped waiting before coming", async () => {
    const turnstile = new Turnstile(() => 1);
    await expect(turnstile.enter(AbortSignal.abort())).rejects.toThrow("aborted");
    expect(turnstile.inside).toBe(0);
  });

  it("lets in more when there is more room, at the next occasion", async () => {
    let capacity = 1;
    const turnstile = new Turnstile(() => capacity);
    const entered = queue(turnstile, ["a", "b", "c", "d"]);
    capacity = 3;
    turnstile.leave();
    await settle();
    expect(entered).toEqual(["a", "b", "c", "d"]);
  });

  it("lets everybody in when it is evacuated", async () => {
    const turnstile = new Turnstile(() => 1);
    const entered = queue(turnstile, ["a", "b", "c"]);
    turnstile.evacuate();
    await settle();
    expect(entered).toEqual(["a", "b", "c"]);
  });
});
