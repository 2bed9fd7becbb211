import { gunzipSync } from "node:zlib";

// A batch of Logs has 1 MB at most before it is compressed.
const maxOutputLength = 10_000_000;

/** Unpacks text that was compressed with gzip and encoded in base64. */
export const unpacked = (data: string): string =>
  gunzipSync(Buffer.from(data, "base64"), { maxOutputLength }).toString("utf8");
