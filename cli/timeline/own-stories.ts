import type { Happening } from "../../journal/happening.ts";
import * as subjects from "../subjects.ts";
import type { GroupStory } from "./group-story.ts";

const parts = await Promise.all(Object.values(subjects).map(({ inTimeline }) => inTimeline()));

/** What a log tells of work on whole groups, and what else it tells. */
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
