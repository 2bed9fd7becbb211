import { type ClientHttp2Stream, constants } from "node:http2";

/**
 * What a stream brings until it ends or breaks, whenever the reading begins.
 *
 * Node's own iterator takes a stream for broken that was complete before anybody read it.
 */
export async function* http2Chunks(stream: ClientHttp2Stream): AsyncGenerator<Uint8Array> {
  let { promise: changed, resolve: change } = Promise.withResolvers<void>();
  for (const event of ["readable", "end", "close"]) stream.on(event, () => change());
  try {
    while (!(stream.readableEnded || stream.destroyed)) {
      const chunk: Uint8Array | null = stream.read();
      if (chunk !== null) yield chunk;
      else await changed;
      ({ promise: changed, resolve: change } = Promise.withResolvers<void>());
    }
  } finally {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_CANCEL);
  }
}
