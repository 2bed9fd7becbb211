import { type ClientHttp2Stream, constants } from "node:http2";

/** Who reads a stream: hears of each chunk, and says what to throw when the stream breaks. */
interface ChunkReader {
  heard(): void;
  loss(): unknown;
}

/**
 * The chunks of a stream until it ends or breaks, even if the caller starts to read late.
 *
 * Node's own iterator fails on a stream that was complete before the first read.
 */
export async function* http2Chunks(
  stream: ClientHttp2Stream,
  reader: ChunkReader,
): AsyncGenerator<Uint8Array> {
  let { promise: changed, resolve: change } = Promise.withResolvers<void>();
  for (const event of ["readable", "end", "close"]) stream.on(event, () => change());
  try {
    while (!(stream.readableEnded || stream.destroyed)) {
      const chunk = chunkOf(stream, reader);
      if (chunk !== null) yield chunk;
      else await changed;
      ({ promise: changed, resolve: change } = Promise.withResolvers<void>());
    }
  } finally {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_CANCEL);
  }
  assertComplete(stream, reader);
}

function chunkOf(stream: ClientHttp2Stream, reader: ChunkReader): Uint8Array | null {
  const chunk: Uint8Array | null = stream.read();
  if (chunk !== null) reader.heard();
  return chunk;
}

function assertComplete({ readableEnded, rstCode }: ClientHttp2Stream, reader: ChunkReader): void {
  const isComplete = readableEnded && rstCode === constants.NGHTTP2_NO_ERROR;
  if (!isComplete) throw reader.loss();
}
