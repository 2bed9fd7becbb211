import type { KubeResponse } from "../../sandbox/kubernetes/api/exchange.ts";
import type { Life } from "./life.ts";

type Stream = Extract<KubeResponse, { readonly kind: "stream" }>;

/**
 * Yields the chunks of a watch as they come, and nothing more once the function's process has died.
 */
export async function* streamOf(
  stream: Stream,
  signal: AbortSignal,
  life: Life,
): AsyncGenerator<Uint8Array> {
  const chunks: string[] = [];
  let state: "ended" | "open" = "open";
  let wake = (): void => undefined;
  const cancel = stream.open({
    write(chunk) {
      chunks.push(chunk);
      wake();
    },
    end() {
      state = "ended";
      wake();
    },
  });
  life.onEnd(cancel);
  signal.addEventListener("abort", () => wake());
  try {
    for (;;) {
      for (const next of chunks.splice(0)) yield Buffer.from(next);
      if (signal.aborted) throw signal.reason;
      if (isOver(state)) return;
      await life.bound(
        new Promise<void>((resolve) => {
          wake = resolve;
        }),
      );
    }
  } finally {
    cancel();
  }
}

const isOver = (state: "ended" | "open"): boolean => state === "ended";
