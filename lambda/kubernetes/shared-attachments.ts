import { createHash } from "node:crypto";
import type { NodeName } from "../base/ids.ts";
import { type Attachment, mostVolumes } from "../drain/attachment.ts";
import type { WantedAttachments } from "../drain/drain.port.ts";
import { allAttachments, attachmentsNamed } from "./collections.ts";
import type { InformerTools, Listener } from "./informer.ts";
import type { KubeClient } from "./kube-connection.ts";
import { type Followed, SharedInformers } from "./shared-informers.ts";

// Each watch keeps one of the 100 streams of the connection.
const mostWatched = 30;

/** The attachments that are followed for a drain, until it closes them. */
type View = Pick<Followed<Attachment>, "close" | "items">;

/**
 * Follows the attachments of nodes by their names: each with a watch of its own while these are few, else by one watch for
 * all, which tells which to read again. Follows all attachments of the cluster where a node's are not known.
 */
export class SharedAttachments {
  readonly #informers: SharedInformers<Attachment>;
  readonly #news: SharedInformers<Attachment>;
  readonly #client: KubeClient;

  constructor(tools: InformerTools) {
    this.#informers = new SharedInformers(tools);
    this.#news = new SharedInformers(tools);
    this.#client = tools.client;
  }

  /** Follows the attachments of a node; notifies the listener of every change of one. */
  follow({ node, volumes }: WantedAttachments, wakeup: Listener<Attachment>): Promise<View> {
    const own: Listener<Attachment> = {
      notify(news) {
        if (news === "all" || news.some((one) => one.node === node)) wakeup.notify(news);
      },
    };
    if (volumes === "unknown" || volumes.length > mostVolumes)
      return this.#informers.follow(allAttachments, own);
    const names = volumes.flatMap((volume) => tryAttachmentName(volume, node) ?? []);
    const isFew = this.#informers.followed().size + names.length <= mostWatched;
    return isFew ? this.#watch(names, own) : this.#read(names, own);
  }

  async #watch(names: readonly string[], own: Listener<Attachment>): Promise<View> {
    const begun = await Promise.allSettled(
      names.map((name) => this.#informers.follow(attachmentsNamed(name), own)),
    );
    const followed = begun.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const close = (): void => {
      for (const one of followed) one.close();
    };
    for (const one of begun) {
      if (one.status === "fulfilled") continue;
      close();
      throw one.reason;
    }
    return { items: () => followed.flatMap((one) => one.items()), close };
  }

  async #read(names: readonly string[], own: Listener<Attachment>): Promise<View> {
    const { followByReading } = await import("./named-attachments.ts");
    return followByReading(names, own, { client: this.#client, news: this.#news });
  }
}

const csiVolume = /^kubernetes\.io\/csi\/([^^]+)\^(.+)$/;

/**
 * The name of the VolumeAttachment of a volume that a node's status lists; undefined unless a CSI driver attached the
 * volume. The attach/detach controller derives the name from the volume's handle, its driver and the node.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/volume/csi/csi_attacher.go (getAttachmentName)
 */
export function tryAttachmentName(volume: string, node: NodeName): string | undefined {
  const [, driver, handle] = csiVolume.exec(volume) ?? [];
  if (driver === undefined || handle === undefined) return undefined;
  return `csi-${createHash("sha256").update(`${handle}${driver}${node}`).digest("hex")}`;
}
