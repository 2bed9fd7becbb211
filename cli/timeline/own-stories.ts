import type { Happening } from "../../journal/happening.ts";
import * as subjects from "../subjects.ts";
import type { GroupStory } from "./group-story.ts";

const parts = await Promise.all(Object.values(subjects).map(({ inTimeline }) => inTimeline()));

/** The work on whole groups in a log, and the other entries. */
export function groupStories(happenings: readonly Happening[]) {
  const stories: GroupStory[] = [];
  let others = happenings;
  for (const { storiesIn } of parts) {
    const found = storiesIn(others);
    stories.push(...found.stories);
    others = found.others;
  }
  return { stories, others };
}
