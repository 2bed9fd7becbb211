import type { GroupName } from "../base/ids.ts";
import type { UpgradeOptions } from "./options.ts";

/** What the instances of a group are to be launched by after its upgrade. */
export type UpgradeTarget =
  /** A version of the template that the group has: its number, `$Latest` or `$Default`. */
  | { readonly kind: "version"; readonly version: number | "$Default" | "$Latest" }
  /** A new version of that template with this image, `ami-…`. */
  | { readonly kind: "image"; readonly image: string }
  /** A new version with the image that a parameter of SSM names. */
  | { readonly kind: "parameter"; readonly parameter: string }
  /** What the group names already: only instances that are old by it, by hand or by age are replaced. */
  | { readonly kind: "as-it-is" };

/** What somebody wants of the upgrade of a group. */
export type UpgradeCommand =
  | {
      readonly kind: "start";
      /** Eight hexadecimal digits, by which a repeated message is recognised. */
      readonly id: string;
      readonly group: GroupName;
      readonly to: UpgradeTarget;
      readonly options: UpgradeOptions;
    }
  /** Each of these messages carries the upgrade on from then on, so that one whose message is lost can be revived. */
  | {
      readonly kind: "abort" | "pause" | "resume";
      /** Eight hexadecimal digits of its own. */
      readonly id: string;
      readonly group: GroupName;
      /** The upgrade that it is about. */
      readonly of: string;
    };

/** The id of the upgrade that somebody wants something of. */
export const upgradeOf = (command: UpgradeCommand): string =>
  command.kind === "start" ? command.id : command.of;
