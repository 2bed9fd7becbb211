import type { Labels } from "../../lambda/base/labels.ts";

/** Work on a whole group, beside which no trial begins. */
export interface GroupWork {
  /** Such as `an upgrade`. */
  readonly called: string;
  readonly isOn: (tags: Labels) => boolean;
}
