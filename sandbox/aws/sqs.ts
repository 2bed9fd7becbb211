import type { Timeline } from "../timeline.ts";
import { type Account, arnOf } from "./account.ts";
import { MoveTasks } from "./move-tasks.ts";
import { Queue, type QueueSettings, queueDefaults } from "./queue.ts";
import { noSuchQueue } from "./sqs-errors.ts";

/** The name of a queue, and the settings in which it differs from the defaults. */
export type QueueSpec = Pick<QueueSettings, "name"> & Partial<Omit<QueueSettings, "arn" | "name">>;

/** The queues of an account. */
export class Sqs {
  readonly #timeline: Timeline;
  readonly #account: Account;
  readonly #queues = new Map<string, Queue>();
  readonly moves: MoveTasks;

  constructor(timeline: Timeline, account: Account) {
    this.#timeline = timeline;
    this.#account = account;
    this.moves = new MoveTasks(timeline, () => [...this.#queues.values()]);
  }

  createQueue(spec: QueueSpec): Queue {
    const arn = arnOf(this.#account, "sqs", spec.name);
    const queue = new Queue(this.#timeline, { ...queueDefaults, ...spec, arn });
    this.#queues.set(spec.name, queue);
    return queue;
  }

  /** Finds a queue by name. */
  findQueue(name: string): Queue {
    const queue = this.#queues.get(name);
    if (queue === undefined) throw noSuchQueue();
    return queue;
  }

  /** Finds a queue by its URL, whatever host the URL names. */
  findByUrl(url: string): Queue {
    const [, account, name] = /^https?:\/\/[^/]+\/(\d{12})\/([\w-]+)$/.exec(url) ?? [];
    if (account !== this.#account.id || name === undefined) throw noSuchQueue();
    return this.findQueue(name);
  }

  tryFindByArn(arn: string): Queue | undefined {
    return [...this.#queues.values()].find(({ settings }) => settings.arn === arn);
  }

  /** The URL that a queue has on a server. The SDK sends its calls to the host in this URL. */
  urlOf(name: string, host: string): string {
    return `http://${host}/${this.#account.id}/${name}`;
  }
}
