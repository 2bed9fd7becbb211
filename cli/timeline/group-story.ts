import type { Picture } from "../../journal/picture.ts";

/** Work on a whole group, as a log tells of it. */
export interface GroupStory extends Picture {
  readonly kind: "upgrade-timeline";
  readonly id: string;
  /** The name of the work. */
  readonly work: string;
}
