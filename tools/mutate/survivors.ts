/** What Stryker tells of a change once it is tried. */
interface Tried {
  readonly status: string;
  readonly fileName: string;
  readonly location: { readonly start: { readonly line: number } };
  readonly replacement?: string;
}

/** Tells of each survivor at once: a run may take an hour. */
const onMutantTested = ({ status, fileName, location, replacement = "" }: Tried): void => {
  if (status !== "Survived" && status !== "NoCoverage") return;
  process.stdout.write(`lives: ${fileName}:${location.start.line} → ${replacement}\n`);
};

export const strykerPlugins = [{ kind: "Reporter", name: "survivors", value: { onMutantTested } }];
