import type { Happening } from "../../journal/happening.ts";
import type { GroupStory } from "../timeline/group-story.ts";

const none: readonly GroupStory[] = [];

/** A repair is shown with the drain of its node. */
export const storiesIn = (happenings: readonly Happening[]) => ({
  stories: none,
  others: happenings,
});
