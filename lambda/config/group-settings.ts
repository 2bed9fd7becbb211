import * as z from "zod/mini";
import { productName } from "../contract.ts";
import type { Labels } from "../domain/labels.ts";
import { schemaIn } from "./read-settings.ts";
import type { Setting, Settings } from "./setting.ts";
import type { Variables } from "./variables.ts";

/** What a deployment says of some settings, and what its groups may say instead. */
export interface Deployed<T> {
  readonly settings: Settings;
  readonly variables: Variables;
  /** Reads the settings from an environment. */
  read(variables: Variables): T;
  /** What a tag of a group would have to say, where the deployment does not allow what it says; otherwise nothing. */
  tryRefusal(key: string, text: string): string | undefined;
}

/** Reads the settings of a deployment, and gives back what reads those of a group from its tags. */
export function settingsByGroup<T>({ settings, variables, read, tryRefusal }: Deployed<T>) {
  read(variables); // what does not fit is met at the function's start
  const rows = Object.values(settings).filter(({ scope }) => scope === "group");
  const expectedOf = (row: Setting, text: string) =>
    tryRefusal(row.key, text) ??
    z.safeParse(schemaIn(variables, row), text).error?.issues[0]?.message;
  return (tags: Labels) => {
    const said = rows.flatMap((row) => {
      const text = tags[tagOf(row.key)];
      return text === undefined ? [] : [{ key: row.key, text, expected: expectedOf(row, text) }];
    });
    const heeded = said.filter(({ expected }) => expected === undefined);
    const own = Object.fromEntries(heeded.map(({ key, text }) => [key, text]));
    return {
      settings: read({ ...variables, ...own }),
      refused: said
        .filter(({ expected }) => expected !== undefined)
        .map(
          ({ key, text, expected }) =>
            `tag ${tagOf(key)}: expected ${expected}, got "${text}"; ignored`,
        ),
    };
  };
}

/** The tag by which a group says a setting of its own, such as `eks-node-lifecycle/drain-timeout-seconds`. */
export const tagOf = (key: string): string =>
  `${productName}/${key.toLowerCase().replaceAll("_", "-")}`;
