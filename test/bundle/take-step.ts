import {
  AppsV1Api,
  CoreV1Api,
  createConfiguration,
  PolicyV1Api,
  ResponseContext,
  SelfDecodingBody,
  ServerConfiguration,
  StorageV1Api,
  wrapHttpLibrary,
} from "@kubernetes/client-node";

/** An operation to call, and what the server answers to it. */
export interface Step {
  readonly api: string;
  readonly operation: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly answer: string;
}

/** What the client sent, and what the caller got. */
export interface Taken {
  readonly request: unknown;
  readonly outcome: unknown;
}

const apis = { AppsV1Api, CoreV1Api, PolicyV1Api, StorageV1Api };

/** Calls an operation of client-node without a network, in a bundle or out of it. */
export async function takeStep({ api, operation, given, status, answer }: Step): Promise<Taken> {
  let request: unknown;
  const httpApi = wrapHttpLibrary({
    send(context) {
      request = {
        url: context.getUrl(),
        method: context.getHttpMethod(),
        headers: context.getHeaders(),
        body: context.getBody(),
      };
      const body = new SelfDecodingBody(Promise.resolve(Buffer.from(answer)));
      const headers = { "content-type": "application/json" };
      return Promise.resolve(new ResponseContext(status, headers, body));
    },
  });
  const baseServer = new ServerConfiguration("https://cluster", {});
  const client = new apis[api as keyof typeof apis](createConfiguration({ baseServer, httpApi }));
  const call: (given: unknown) => Promise<unknown> = Reflect.get(client, operation).bind(client);
  const outcome = await call(given).then(
    (read) => ({ read }),
    ({ code, body, message }) => ({ code, body, message }),
  );
  return structuredClone({ request, outcome });
}
