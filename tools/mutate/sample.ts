import { createHash } from "node:crypto";

/** A place in a file; lines and columns as Stryker counts them, which is the same before and after. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** A change of Stryker's to one place of the code. */
export interface Mutant {
  readonly id: string;
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

/** A number from 0 up to 1 that follows from the mutant alone, so that a sample is the same in each run of a commit. */
const drawn = ({ fileName, mutatorName, replacement, location }: Mutant): number => {
  const { start, end } = location;
  const place = [start.line, start.column, end.line, end.column].join(":");
  const from = fileName.slice(fileName.lastIndexOf("/lambda/"));
  const text = [from, place, mutatorName, replacement].join("\n");
  return createHash("sha256").update(text).digest().readUInt32BE() / 2 ** 32;
};

/** What Stryker reads of a checked mutant. */
interface Checked {
  readonly status: "passed" | "compileError";
  readonly reason?: string;
}

const passed: Checked = { status: "passed" };
const outside: Checked = { status: "compileError", reason: "not in the sample" };

/** Whether each mutant is in the sample of this share, from 0 to 1, by its id. */
export const checked = (
  mutants: readonly Mutant[],
  share: number,
): Readonly<Record<string, Checked>> =>
  Object.fromEntries(
    mutants.map((mutant) => [mutant.id, drawn(mutant) < share ? passed : outside]),
  );

const share = Number(process.env["MUTATE_SHARE"] ?? "1");

/** Leaves out the mutants outside of the sample. Stryker has no sample; it leaves out what a checker refuses. */
export const strykerPlugins = [
  {
    kind: "Checker",
    name: "sample",
    value: {
      init: () => Promise.resolve(),
      check: (mutants: readonly Mutant[]) => Promise.resolve(checked(mutants, share)),
      group: (mutants: readonly Mutant[]) => Promise.resolve([mutants.map(({ id }) => id)]),
    },
  },
];
