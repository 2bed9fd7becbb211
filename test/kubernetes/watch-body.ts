import type { Wakeup } from "../../lambda/base/wakeup.ts";

/** The body of a watch that never ends by itself: when the wakeup rings, it sends the lines that there are. */
export async function* watchBody(
  lines: string[],
  wakeup: Wakeup,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  while (!signal.aborted) {
    wakeup.consume();
    if (lines.length > 0) yield Buffer.from(lines.splice(0).join(""));
    await new Promise<void>((resolve) => {
      wakeup.onNotify(resolve);
      signal.addEventListener("abort", () => resolve());
    });
  }
}
