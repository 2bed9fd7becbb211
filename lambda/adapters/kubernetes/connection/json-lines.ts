import { ConnectionError } from "../../http/connection-error.ts";

/** Reads one JSON value from each line; chunks of bytes may begin and end anywhere. */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
  }
  if (rest.trim() === "") return;
  throw new ConnectionError("the answer ends within a line", { reason: "reset" });
}
