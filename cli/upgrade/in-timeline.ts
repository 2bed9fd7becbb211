import type { Happening } from "../../journal/happening.ts";
import { upgradePicture } from "../../journal/upgrade/picture.ts";
import { upgradesIn } from "../../journal/upgrade/story.ts";
import type { GroupStory } from "../timeline/group-story.ts";

export function storiesIn(happenings: readonly Happening[]) {
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
