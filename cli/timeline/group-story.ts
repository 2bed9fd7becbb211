import type { Picture } from "../../journal/picture.ts";

/** Work on a whole group, as a log tells of it. */
export interface GroupStory<Kind extends string> extends Picture {
  readonly kind: Kind;
  readonly id: string;
  /** What the work is called. */
  readonly work: string;
}
