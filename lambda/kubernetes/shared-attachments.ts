import { createHash } from "node:crypto";
import type { NodeName } from "../base/ids.ts";
import type { Attachment } from "../drain/attachment.ts";
import type { WantedAttachments } from "../drain/drain.port.ts";
import type { Collection } from "./collection.ts";
import { allAttachments, attachmentsNamed } from "./collections.ts";
import type { InformerTools, Listener } from "./informer.ts";
import { type Followed, SharedInformers } from "./shared-informers.ts";

// Each watch keeps one of the 100 streams of the connection.
const mostNames = 30;

/** Follows the attachments of nodes: each by its name while these are known and few, else all attachments of the cluster. */
export class SharedAttachments {
  readonly #informers: SharedInformers<Attachment>;

  constructor(tools: InformerTools) {
    this.#informers = new SharedInformers(tools);
  }

  /** Follows the attachments of a node; notifies the listener of every change of one. */
  async follow(
    wanted: WantedAttachments,
    wakeup: Listener<Attachment>,
  ): Promise<Pick<Followed<Attachment>, "close" | "items">> {
    const own: Listener<Attachment> = {
      notify(news) {
        if (news === "all" || news.some(({ node }) => node === wanted.node)) wakeup.notify(news);
      },
    };
    const begun = await Promise.allSettled(
      this.#collectionsFor(wanted).map((collection) => this.#informers.follow(collection, own)),
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

  #collectionsFor({ node, volumes }: WantedAttachments): readonly Collection<Attachment>[] {
    if (volumes === "unknown") return [allAttachments];
    const names = volumes.flatMap((volume) => tryAttachmentName(volume, node) ?? []);
    const followed = this.#informers.followed();
    const isFew = followed.size + names.length <= mostNames;
    return isFew ? names.map(attachmentsNamed) : [allAttachments];
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
