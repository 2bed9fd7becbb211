import type { Happening } from "../../journal/happening.ts";
import type { Picture } from "../../journal/picture.ts";
import { upgradePicture } from "../../journal/upgrade/picture.ts";
import { upgradesIn } from "../../journal/upgrade/story.ts";

/** Work on a whole group, as a log tells of it. */
export interface GroupStory extends Picture {
  readonly kind: "upgrade-timeline";
  readonly id: string;
  /** What the work is called. */
  readonly work: string;
}

/** What a log tells of work on whole groups, and what else it tells. */
export function groupStories(happenings: readonly Happening[]) {
  const { upgrades, others } = upgradesIn(happenings);
  const stories = upgrades.map(
    (one): GroupStory => ({
      kind: "upgrade-timeline",
      work: "upgrade",
      id: one.id,
      ...upgradePicture(one),
    }),
  );
  return { stories, others };
}
