import { describe, expect, it } from "vitest";
import { Semaphore } from "../../lambda/http/semaphore.ts";

const patient = new AbortController().signal;

/** Lets several callers try to enter one after the other, and lists those that got in. */
function queue(semaphore: Semaphore, names: readonly string[]): string[] {
  const entered: string[] = [];
  for (const name of names)
    semaphore.enter(patient).then(
      () => entered.push(name),
      () => undefined,
    );
  return entered;
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a semaphore", () => {
  it("lets in as many callers as there is room for, in the order in which they came", async () => {
    const semaphore = new Semaphore(() => 2);
    const entered = queue(semaphore, ["a", "b", "c", "d"]);
    await settle();
    expect(entered).toEqual(["a", "b"]);
    semaphore.leave();
    await settle();
    expect(entered).toEqual(["a", "b", "c"]);
    expect(semaphore.inside).toBe(2);
  });

  it("does not let a late caller overtake those that wait", async () => {
    const semaphore = new Semaphore(() => 1);
    const entered = queue(semaphore, ["a", "b"]);
    semaphore.leave();
    const late = queue(semaphore, ["c"]);
    await settle();
    expect([entered, late]).toEqual([["a", "b"], []]);
  });

  it("gives the place of a caller that stops waiting to the next", async () => {
    const semaphore = new Semaphore(() => 1);
    await semaphore.enter(patient);
    const caller = new AbortController();
    const impatient = semaphore.enter(caller.signal);
    const entered = queue(semaphore, ["next"]);
    caller.abort(new RangeError("enough"));
    await expect(impatient).rejects.toEqual(new RangeError("enough"));
    semaphore.leave();
    await settle();
    expect(entered).toEqual(["next"]);
  });

  it("refuses a caller whose signal is already aborted", async () => {
    const semaphore = new Semaphore(() => 1);
    await expect(semaphore.enter(AbortSignal.abort())).rejects.toThrow("aborted");
    expect(semaphore.inside).toBe(0);
  });

  it("lets in more callers at the next chance when there is more room", async () => {
    let capacity = 1;
    const semaphore = new Semaphore(() => capacity);
    const entered = queue(semaphore, ["a", "b", "c", "d"]);
    capacity = 3;
    semaphore.leave();
    await settle();
    expect(entered).toEqual(["a", "b", "c", "d"]);
  });

  it("lets in all callers that wait when it is evacuated", async () => {
    const semaphore = new Semaphore(() => 1);
    const entered = queue(semaphore, ["a", "b", "c"]);
    semaphore.evacuate();
    await settle();
    expect(entered).toEqual(["a", "b", "c"]);
  });
});
