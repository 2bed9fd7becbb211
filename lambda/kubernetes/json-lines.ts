import { ConnectionError } from "../http/connection-error.ts";

/** Reads one JSON value from each line; chunks of bytes may begin and end anywhere. Rests after each chunk. */
export async function* jsonLines(
  chunks: AsyncIterable<Uint8Array>,
  rest: () => Promise<void>,
): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let begun = "";
  for await (const chunk of chunks) {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
    await rest();
  }
  if (begun.trim() === "") return;
  throw new ConnectionError("the answer ends within a line", { reason: "reset" });
}
