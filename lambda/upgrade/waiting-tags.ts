import type { Labels } from "../base/labels.ts";
import { type Instant, timestamp, tryInstantOf } from "../base/time.ts";
import { wordsIn, written } from "../group/tag-words.ts";
import { tagPrefix } from "../group/upgrade-tags.ts";
import { tryEnded } from "./ended-tags.ts";

/** The tag that says that an upgrade waits for its maintenance window, and has changed nothing yet. */
export const waitingKey = `${tagPrefix}-waiting`;

/** An upgrade that waits for its maintenance window. */
export interface Waiting {
  readonly id: string;
  /** When the window opens. */
  readonly until: Instant;
}

/** Writes that an upgrade waits into the tags of its group. */
export const waitingTags = ({ id, until }: Waiting): Labels => ({
  [waitingKey]: written({ id, until: timestamp(until) }),
});

/** Reads which upgrade of a group waits; a pass may have written so after somebody has called that off. */
export function tryWaiting(tags: Labels): Waiting | undefined {
  const words = wordsIn(tags[waitingKey] ?? "");
  const id = words.get("id") ?? "";
  const until = tryInstantOf(words.get("until") ?? "");
  const ended = tryEnded(tags);
  const isOver = ended !== undefined && [ended.id, ...ended.earlier].includes(id);
  return until === undefined || id === "" || isOver ? undefined : { id, until };
}
