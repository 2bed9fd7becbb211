import type { Bell } from "../../../../lambda/ports/bell.ts";

/** The body of a watch that never ends by itself: it sends each line as soon as the bell rings for it. */
export async function* watchBody(
  lines: string[],
  bell: Bell,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  while (!signal.aborted) {
    bell.heard();
    for (const line of lines.splice(0)) yield Buffer.from(line);
    await new Promise<void>((resolve) => {
      bell.onRing(resolve);
      signal.addEventListener("abort", () => resolve());
    });
  }
}
