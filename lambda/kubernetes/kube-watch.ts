import { LongAnswer } from "../http/long-answer.ts";
import { ConnectionError } from "../http/lost-connection.ts";
import { type TransportResponse, wholeBody } from "../http/transport.ts";
import { RefusedRequest } from "./refused-request.ts";

/** The query of a watch, such as `fieldSelector`, `resourceVersion` and `timeoutSeconds`. */
export type WatchQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** A path with a query; what is undefined is left out of it. */
export function pathWith(path: string, query: WatchQuery): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? path : `${path}?${search}`;
}

/** The path and query of the request that begins a watch of a collection, such as `/api/v1/pods`. */
export const watchPath = (collection: string, query: WatchQuery): string =>
  pathWith(collection, { ...query, watch: true });

/** The events of a watch until the server ends it; throws a refusal. */
export async function watchEvents(answer: TransportResponse): Promise<AsyncGenerator<unknown>> {
  const { status, headers, body } = answer;
  if (status === 200) return jsonLines(body);
  const text = (await wholeBody(body)).toString();
  throw new RefusedRequest(status, text, headers);
}

// etcd keeps objects of up to 1.5 MB, and JSON may have six letters for a byte.
const longestLine = 16_000_000;

/** Reads one JSON value from each line; chunks of bytes may begin and end anywhere. */
async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  const begun = new BegunLine();
  for await (const chunk of chunks) {
    const [end = "", ...lines] = decoder.decode(chunk, { stream: true }).split("\n");
    begun.add(end);
    for (const next of lines) {
      const line = begun.take();
      if (line.trim() !== "") yield JSON.parse(line);
      begun.add(next);
    }
  }
  if (begun.take().trim() === "") return;
  throw new ConnectionError("the answer ends within a line", { reason: "reset" });
}

/** A line of which the end is still to come. One of a megabyte comes in a hundred parts, which are put together once. */
class BegunLine {
  readonly #parts: string[] = [];
  #length = 0;

  add(part: string): void {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length > longestLine) throw new LongAnswer(longestLine);
  }

  take(): string {
    this.#length = 0;
    return this.#parts.splice(0).join("");
  }
}
