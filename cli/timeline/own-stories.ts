import type { Happening } from "../../journal/happening.ts";
import * as subjects from "../subjects.ts";

const parts = await Promise.all(Object.values(subjects).map(({ inTimeline }) => inTimeline()));

type Part = (typeof parts)[number];

/** Work on a whole group, of whichever subject. */
export type OwnStory = ReturnType<Part["storiesIn"]>["stories"][number];

/** What a log tells of work on whole groups, and what else it tells. */
export function groupStories(happenings: readonly Happening[]) {
  const stories: OwnStory[] = [];
  let others = happenings;
  for (const { storiesIn } of parts) {
    const found = storiesIn(others);
    stories.push(...found.stories);
    others = found.others;
  }
  return { stories, others };
}
