import { type Fault, faultOf } from "../base/fault.ts";
import { sideBySide } from "../base/side-by-side.ts";
import type { Attachment } from "../drain/attachment.ts";
import type { Collection } from "./collection.ts";
import { allAttachments, attachmentsNamed } from "./collections.ts";
import type { Listener } from "./informer.ts";
import type { KubeClient } from "./kube-connection.ts";
import type { Followed, SharedInformers } from "./shared-informers.ts";

/** Reads attachments by their names, and each again whenever the watch that all drains of a process share tells of it. */
export async function followByReading(
  names: readonly string[],
  wakeup: Listener<Attachment>,
  { client, news }: { readonly client: KubeClient; readonly news: SharedInformers<Attachment> },
): Promise<Pick<Followed<Attachment>, "close" | "items">> {
  const named = new NamedAttachments(names, client, wakeup);
  // The watch begins before the first read, so no change comes between the two.
  const { items: latest, close } = await news.follow(attachmentNews, named);
  const items = (): readonly Attachment[] => {
    latest(); // throws the fault that ended the watch
    return named.items();
  };
  try {
    await named.start();
  } catch (cause) {
    close();
    throw cause;
  }
  return { items, close };
}

/** The changes of VolumeAttachments from now on: its list has none, and only a version, from which the watch goes on. */
const attachmentNews: Collection<Attachment> = {
  ...allAttachments,
  title: "changes of volume attachments",
  start: "listed",
  page: attachmentsNamed("none").page,
};

const readsAtOnce = 20;

/** Attachments that are read by their names, each again whenever there is news of it. */
class NamedAttachments implements Listener<Pick<Attachment, "name">> {
  readonly #names: ReadonlySet<string>;
  readonly #client: KubeClient;
  readonly #wakeup: Listener<Attachment>;
  readonly #found = new Map<string, readonly Attachment[]>();
  readonly #due = new Set<string>();
  #reading = Promise.resolve();
  #fault: Fault | undefined;

  constructor(names: readonly string[], client: KubeClient, wakeup: Listener<Attachment>) {
    this.#names = new Set(names);
    this.#client = client;
    this.#wakeup = wakeup;
  }

  notify(news: readonly Pick<Attachment, "name">[] | "all"): void {
    const names = news === "all" ? this.#names : news.map(({ name }) => name);
    for (const name of names) if (this.#names.has(name)) this.#due.add(name);
    if (this.#due.size > 0) this.#reading = this.#reading.then(() => this.#readDue());
  }

  /** Reads all of them. */
  async start(): Promise<void> {
    this.notify("all");
    await this.#reading;
    this.items();
  }

  /** The attachments as they were last read; throws the fault that a read ended with. */
  items(): readonly Attachment[] {
    if (this.#fault !== undefined) throw this.#fault;
    return [...this.#found.values()].flat();
  }

  async #readDue(): Promise<void> {
    const names = [...this.#due];
    this.#due.clear();
    try {
      await sideBySide(names, readsAtOnce, (name) => this.#read(name));
    } catch (cause) {
      this.#fault = faultOf(cause);
    }
    this.#wakeup.notify("all");
  }

  async #read(name: string): Promise<void> {
    const { title, page } = attachmentsNamed(name);
    const read = await this.#client.ask(`reading ${title}`, (connection) => page(connection, ""));
    this.#found.set(name, read.items);
  }
}
