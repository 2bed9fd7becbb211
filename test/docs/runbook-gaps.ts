import { readMarkdown, type Section } from "./read-markdown.ts";

/** The names that an on-call engineer may look up. */
export interface Lookup {
  readonly faults: readonly string[];
  readonly outcomes: readonly string[];
}

const parts = ["Means", "Did", "Check", "Fix"];

/** What a runbook lacks, and what is in it although it should not be. */
export function runbookGaps(text: string, { faults, outcomes }: Lookup): readonly string[] {
  const { sections } = readMarkdown(text);
  const told = sections.flatMap((section) => {
    const [, fault = "", outcome = ""] =
      /^(?:`?([a-z]+\.[a-z-]+)`?|Outcome `([a-z-]+)`)$/.exec(section.title) ?? [];
    const known = fault === "" ? outcomes.includes(outcome) : faults.includes(fault);
    return fault + outcome === "" ? [] : [{ name: fault + outcome, known, section }];
  });
  const names = told.map(({ name }) => name);
  return [
    ...[...faults, ...outcomes]
      .filter((it) => !names.includes(it))
      .map((it) => `${it}: no heading`),
    ...names.filter((it, at) => names.indexOf(it) !== at).map((it) => `${it}: two headings`),
    ...told.filter(({ known }) => !known).map(({ name }) => `${name}: is nothing that happens`),
    ...told.flatMap(({ name, section }) => partGaps(name, section)),
  ];
}

function partGaps(name: string, { body }: Section): readonly string[] {
  const present = [...body.matchAll(/^\*\*(\w+)\.\*\* \S/gm)].map(([, part]) => part);
  const all = present.join() === parts.join();
  return all ? [] : [`${name}: has ${present.join(", ") || "nothing"}, not ${parts.join(", ")}`];
}
