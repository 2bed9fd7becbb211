import type { IncomingMessage, RequestListener } from "node:http";
import { text } from "node:stream/consumers";

interface Held {
  version: number;
  readonly annotations: Map<string, string>;
}

interface Asked {
  readonly annotations?: Readonly<Record<string, string | null>>;
  readonly resourceVersion?: string;
}

/** An API server that keeps objects and their claims, and refuses what a test tells it to. */
export class AccessServer {
  readonly asked: string[] = [];
  readonly #held = new Map<string, Held>();
  #refusal: (() => number | undefined) | undefined;
  #between: ((what: string) => void) | undefined;
  #versions = 0;

  /** From now on, refuses each request with the status that this gives, if it gives one. */
  refuse(status: () => number | undefined): void {
    this.#refusal = status;
  }

  /** Does something just before the server works on a request. */
  before(between: (what: string) => void): void {
    this.#between = between;
  }

  /** The claims on the object at a path; `undefined` without an object. */
  claims(path: string): readonly string[] | undefined {
    const held = this.#held.get(path);
    return held && [...held.annotations.values()];
  }

  /** Writes an object as somebody else would. */
  write(path: string, annotations: Readonly<Record<string, string | null>> = {}): void {
    change(this.#held.get(path) ?? this.#make(path), { annotations });
  }

  /** Removes an object as somebody else would. */
  remove(path: string): void {
    this.#held.delete(path);
  }

  readonly answer: RequestListener = async (request, response) => {
    const { method = "", url = "" } = request;
    const path = url.replace(/\?.*/, "");
    const said = await text(request);
    const what = method === "PATCH" ? verbOf(request) : method;
    this.asked.push(`${what} ${path}`);
    this.#between?.(what);
    const status = this.#refusal?.() ?? this.#done(what, path, said === "" ? {} : JSON.parse(said));
    response.writeHead(status, { "content-type": "application/json" });
    const held = this.#held.get(path);
    response.end(JSON.stringify(status < 300 && held ? objectOf(held) : refused(status)));
  };

  #done(what: string, path: string, body: unknown): number {
    const held = this.#held.get(path);
    if (what === "APPLY") {
      if (held === undefined) this.#make(path);
      return held === undefined ? 201 : 200;
    }
    if (held === undefined) return 404;
    return what === "GET" ? 200 : this.#written(what, path, askedIn(body));
  }

  #written(what: string, path: string, asked: Asked): number {
    const held = this.#held.get(path) ?? this.#make(path);
    const { resourceVersion = `${held.version}` } = asked;
    if (resourceVersion !== `${held.version}`) return 409;
    if (what === "DELETE") this.#held.delete(path);
    else change(held, asked);
    return 200;
  }

  #make(path: string): Held {
    this.#versions += 1000;
    const made = { version: this.#versions, annotations: new Map<string, string>() };
    this.#held.set(path, made);
    return made;
  }
}

const verbOf = ({ headers }: IncomingMessage): string =>
  headers["content-type"] === "application/apply-patch+yaml" ? "APPLY" : "MERGE";

function askedIn(body: unknown): Asked {
  const { metadata, preconditions } = body as { metadata?: Asked; preconditions?: Asked };
  return metadata ?? preconditions ?? {};
}

function change(held: Held, { annotations = {} }: Asked): void {
  for (const [key, value] of Object.entries(annotations))
    if (value === null) held.annotations.delete(key);
    else held.annotations.set(key, value);
  held.version += 1;
}

const objectOf = ({ version, annotations }: Held) => ({
  metadata: {
    resourceVersion: `${version}`,
    ...(annotations.size > 0 && { annotations: Object.fromEntries(annotations) }),
  },
});

const refused = (status: number) => ({ kind: "Status", message: `told ${status}` });
