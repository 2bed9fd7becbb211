import { productName } from "../base/contract.ts";
import type { Labels } from "../base/labels.ts";
import { readerIn } from "./form-reader.ts";
import type { Setting, Settings } from "./setting.ts";
import { type Variables, wordsOf } from "./variables.ts";

/** Checks the settings of a deployment, and returns a function that reads the settings of a group from its tags. */
export function settingsByGroup<T>({
  settings,
  variables,
  read,
  tryRefusal,
}: {
  readonly settings: Settings;
  readonly variables: Variables;
  /** Reads all the settings from an environment. */
  read(variables: Variables): T;
  /** Says what a tag would have to be if this deployment forbids what it says; otherwise `undefined`. */
  tryRefusal(key: string, text: string): string | undefined;
}) {
  const usual = read(variables); // a wrong value stops the function when it starts, not when a notice comes
  const rows = Object.values(settings).filter(({ scope }) => scope === "group");
  const expectedOf = ({ key, form }: Setting, text: string): string | undefined => {
    const reading = readerIn(variables, form)(text);
    return (
      tryRefusal(key, text) ?? (reading.kind === "refused" ? wordsOf(reading.expected) : undefined)
    );
  };
  return (tags: Labels) => {
    const said = rows.flatMap((row) => {
      const text = tags[tagOf(row.key)];
      return text === undefined ? [] : [{ key: row.key, text, expected: expectedOf(row, text) }];
    });
    const accepted = said.filter(({ expected }) => expected === undefined);
    const own = Object.fromEntries(accepted.map(({ key, text }) => [key, text]));
    return {
      settings: accepted.length === 0 ? usual : read({ ...variables, ...own }),
      refused: said
        .filter(({ expected }) => expected !== undefined)
        .map(
          ({ key, text, expected }) =>
            `tag ${tagOf(key)}: expected ${expected}, got "${text}"; ignored`,
        ),
    };
  };
}

/** The tag by which a group overrides a setting, such as `eks-node-lifecycle/drain-timeout-seconds`. */
export const tagOf = (key: string): string =>
  `${productName}/${key.toLowerCase().replaceAll("_", "-")}`;
