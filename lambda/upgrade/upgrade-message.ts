import { groupField } from "../base/field.ts";
import type { GroupName } from "../base/ids.ts";
import { malformed } from "../base/malformed.ts";
import { read, within } from "../base/read.ts";
import { field, made, oneOf, orDefault, record, text } from "../base/schema.ts";
import { type OptionWords, optionWords, readOptions, type UpgradeOptions } from "./options.ts";

const idField = text("eight hexadecimal digits", /^[\da-f]{8}$/);

const command = record({
  upgrade: oneOf("start", "pause", "resume", "abort", "rollback"),
  id: idField,
  group: groupField,
});

const about = record({ of: idField });

const versionForm = /^(?:\$Latest|\$Default|[1-9]\d{0,8})$/;

const target = {
  version: made(
    record({ version: text("the number of a version, $Latest or $Default", versionForm) }),
    ({ version }) => ({ kind: "version", version: versionOf(version) }) as const,
  ),
  image: made(
    record({
      image: text("the id of an image such as ami-0123456789abcdef0", /^ami-[\da-f]{8,17}$/),
    }),
    ({ image }) => ({ kind: "image", image }) as const,
  ),
  parameter: made(
    record({ parameter: text("the name of an SSM parameter", /^\/?[\w./-]{1,1000}$/) }),
    ({ parameter }) => ({ kind: "parameter", parameter }) as const,
  ),
  "as-it-is": () => ({ kind: "as-it-is" }) as const,
};

const versionOf = (version: string) =>
  version === "$Latest" || version === "$Default" ? version : Number(version);

const targetKind = record({
  to: record({ kind: oneOf("version", "image", "parameter", "as-it-is") }),
});

const words = field('an object of texts such as {"max-unavailable": "2"}', (value) =>
  isWords(value) ? value : undefined,
);

const isWords = (value: unknown): value is OptionWords =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((word) => typeof word === "string");

const optionsField = record({ options: orDefault(words, {}) });

/** Reads a command for the upgrade of a group from a message. A fault names the field that is wrong, and what it has to be. */
export function readUpgrade(value: unknown, path: string): UpgradeCommand {
  const { upgrade: kind, id, group } = read(command, value, path);
  if (kind !== "start") return { kind, id, group, of: read(about, value, path).of };
  const { to } = read(targetKind, value, path);
  const chosen = read(record({ to: target[to.kind] }), value, path);
  const { options } = read(optionsField, value, path);
  const reading = readOptions(options);
  if (reading.kind === "read") return { kind, id, group, to: chosen.to, options: reading.options };
  const { name, text: found, expected } = reading;
  throw malformed(within(path, ["options", name]), expected, found);
}

export function upgradeMessage(command: UpgradeCommand): string {
  const { kind: upgrade, id, group } = command;
  if (command.kind !== "start") return JSON.stringify({ upgrade, id, group, of: command.of });
  const options = optionWords(command.options);
  return JSON.stringify({ upgrade, id, group, to: written(command.to), options });
}

const written = (to: UpgradeTarget) =>
  to.kind === "version" ? { ...to, version: String(to.version) } : to;

/** The launch source of a group's instances after its upgrade. */
export type UpgradeTarget =
  /** A version of the template that the group has: its number, `$Latest` or `$Default`. */
  | { readonly kind: "version"; readonly version: number | "$Default" | "$Latest" }
  /** A new version of that template with this image, `ami-…`. */
  | { readonly kind: "image"; readonly image: string }
  /** A new version with the image that a parameter of SSM names. */
  | { readonly kind: "parameter"; readonly parameter: string }
  /**
   * The current source of the group. Instances are replaced that are of another version, are marked
   * by hand, or are too old.
   */
  | { readonly kind: "as-it-is" };

export type UpgradeCommand =
  | {
      readonly kind: "start";
      /** Eight hexadecimal digits, by which a repeated message is recognised. */
      readonly id: string;
      readonly group: GroupName;
      readonly to: UpgradeTarget;
      readonly options: UpgradeOptions;
    }
  /** Each of these messages takes over the upgrade, so that an upgrade whose message was lost can be revived. */
  | {
      readonly kind: "abort" | "pause" | "resume" | "rollback";
      /** Eight hexadecimal digits of its own. */
      readonly id: string;
      readonly group: GroupName;
      /** The upgrade that it is about. */
      readonly of: string;
    };

export type StartCommand = Extract<UpgradeCommand, { readonly kind: "start" }>;

/** The id of the upgrade that a command is about. */
export const upgradeOf = (command: UpgradeCommand): string =>
  command.kind === "start" ? command.id : command.of;
