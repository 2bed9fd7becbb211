import { KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";

/** A server with pods of these sizes, and what was asked of it: the limit of each page, and the bytes that were read. */
export function serving(...sizes: readonly number[]) {
  const limits: number[] = [];
  const read: number[] = [];
  const bodyOf = async function* (from: number, limit: number) {
    yield Buffer.from(
      `{"metadata":{"resourceVersion":"5","continue":"${from + limit < sizes.length ? from + limit : ""}"},"items":[`,
    );
    for (const [index, size] of sizes.slice(from, from + limit).entries()) {
      const name = `pod-${from + index}`;
      const metadata = { namespace: "tenant", name, uid: name, labels: { big: "x".repeat(size) } };
      const chunk = Buffer.from((index > 0 ? "," : "") + JSON.stringify({ metadata, spec: {} }));
      read.push(chunk.length);
      yield chunk;
    }
    yield Buffer.from("]}");
  };
  const endpoint = new URL("https://127.0.0.1:9");
  const address = { endpoint, certificateAuthority: undefined, userAgent: "test" };
  const connection = new KubeConnection(address, async () => "a token", {
    async request({ path }) {
      const query = new URL(path, endpoint).searchParams;
      limits.push(Number(query.get("limit")));
      const from = Number(query.get("continue") ?? 0);
      return { status: 200, headers: {}, body: bodyOf(from, Number(query.get("limit"))) };
    },
    open: () => Promise.reject(new Error("there is no socket to open")),
    close: () => undefined,
  });
  return { connection, limits, read };
}
