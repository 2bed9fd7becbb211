import { deletionOf, space } from "./matter.ts";
import type { Seen } from "./seen.ts";
import { type Testimony, testimonyOf } from "./testimony.ts";
import type { Question, Witness } from "./witness.ts";

/** Picks the part of an object that is compared. */
export type Look<T = Seen> = (object: T) => unknown;

interface WatchEvent {
  readonly type: string;
  readonly object: Seen;
}

const isBookmark = ({ type }: WatchEvent): boolean => type === "BOOKMARK";

/** Keeps an object's name, and one bookmark as a whole, at the end: how many there are and when is up to the server. */
const eventsOf = (events: readonly WatchEvent[]): unknown => [
  ...events.filter((event) => !isBookmark(event)).map((it) => [it.type, it.object.metadata.name]),
  ...events
    .filter(isBookmark)
    .slice(0, 1)
    .map((it) => [it.type, it.object]),
];

/** Sends requests to an API server, and records what matters of its answers. */
export class Interviewer {
  readonly answers: Record<string, Testimony> = {};
  readonly witness: Witness;

  constructor(witness: Witness) {
    this.witness = witness;
  }

  /** Sends a request and records the answer, or the part of it that `look` picks. */
  async note<T = Seen>(title: string, question: Question, look?: Look<T>): Promise<void> {
    const reply = await this.witness.ask(question);
    if (title in this.answers) throw new Error(`asked twice: ${title}`);
    this.answers[title] = testimonyOf(reply, look as Look<never>);
  }

  /**
   * Runs an action during a watch, reads the watch until it ends by itself, and records its events.
   */
  async noteWatch(
    title: string,
    path: string,
    meanwhile: () => Promise<void> = async () => undefined,
  ): Promise<void> {
    const watched = this.witness.ask({ path });
    for (let wait = 0; wait < 5; wait += 1) await this.witness.pass();
    await meanwhile();
    const { status, headers, body } = await watched;
    const events = body.split("\n").filter(Boolean);
    this.answers[title] = testimonyOf({ status, headers, body: `[${events.join(",")}]` }, eventsOf);
  }

  async get<T = Seen>(path: string): Promise<T> {
    return JSON.parse((await this.witness.ask({ path })).body) as T;
  }

  /** Creates an object, and retries while its new namespace is not ready. */
  async make(path: string, body: object): Promise<void> {
    for (let tries = 0; tries < 100; tries += 1) {
      const { status, body: told } = await this.witness.ask({ method: "POST", path, body });
      if (status === 201) return;
      if (status !== 403) throw new Error(`POST ${path}: ${status} ${told}`);
      await this.witness.pass();
    }
    throw new Error(`POST ${path}: forbidden for ever`);
  }

  async until(path: string, holds: (object: Seen) => boolean): Promise<void> {
    for (let tries = 0; tries < 600; tries += 1) {
      const reply = await this.witness.ask({ path });
      if (reply.status === 200 && holds(JSON.parse(reply.body) as Seen)) return;
      await this.witness.pass();
    }
    throw new Error(`waited in vain for ${path}`);
  }

  async gone(path: string): Promise<void> {
    while ((await this.witness.ask({ path })).status !== 404) await this.witness.pass();
  }

  running(name: string): Promise<void> {
    return this.until(`${space}/pods/${name}`, ({ status }) => status.phase === "Running");
  }

  evict(
    title: string,
    name: string,
    { options }: { readonly options?: object } = {},
  ): Promise<void> {
    const path = `${space}/pods/${name}/eviction`;
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
    const body = options === undefined ? eviction : { ...eviction, deleteOptions: options };
    return this.note(title, { method: "POST", path, body });
  }

  lookAtPod(title: string, name: string): Promise<void> {
    return this.note(title, { path: `${space}/pods/${name}` }, deletionOf);
  }
}
