import type { InstanceId } from "../base/ids.ts";

/** The peers of an instance in an order that is another one for each instance, so that not all drains mark the same peers first. */
export const inOrderOf = (own: InstanceId, peers: readonly InstanceId[]): readonly InstanceId[] =>
  peers
    .map((peer) => ({ peer, place: mixed(`${own} ${peer}`) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ peer }) => peer);

// FNV-1a.
const mixed = (text: string): number =>
  [...text].reduce(
    (sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 16_777_619),
    2_166_136_261,
  );
