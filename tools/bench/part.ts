import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** The figures of one measurement, as a part of the benchmark prints them. */
export type Figures = Readonly<Record<string, number | string>>;

/** A part of the benchmark: a command that prints a line of JSON for each measurement. */
export interface Part {
  readonly command: readonly string[];
  /** The columns of its table: the heading, and the figure. */
  readonly columns: readonly (readonly [heading: string, figure: string])[];
}

/** Runs a part; what it prints besides figures goes to the terminal. */
export async function run({ command: [, ...args] }: Part): Promise<readonly Figures[]> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const figures: Figures[] = [];
  for await (const line of createInterface(child.stdout)) {
    process.stdout.write(`${line}\n`);
    if (line.startsWith("{")) figures.push(JSON.parse(line) as Figures);
  }
  if (figures.length === 0) throw new Error(`${args.join(" ")} has printed no figures`);
  return figures;
}

/** The figures as a table in Markdown. */
export function tableOf({ columns }: Pick<Part, "columns">, figures: readonly Figures[]): string {
  const line = (cells: readonly unknown[]): string => `| ${cells.join(" | ")} |`;
  const rows = figures.map((one) => line(columns.map(([, name]) => one[name] ?? "")));
  return [line(columns.map(([heading]) => heading)), line(columns.map(() => "---:")), ...rows].join(
    "\n",
  );
}
