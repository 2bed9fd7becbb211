import type { NewsLine } from "./log-batch.ts";

/** What a message says, by the placeholder that stands for it. */
export type Filling = Readonly<Record<(typeof placeholders)[number], string>>;

/** The placeholders that a template may have, in double braces. */
export const placeholders = [
  "advice",
  "cluster",
  "group",
  "instance",
  "kind",
  "node",
  "text",
  "time",
  "title",
  "tone",
] as const;

/** The template of those who give none: a field for each placeholder. */
export const plainTemplate: unknown = Object.fromEntries(
  placeholders.map((name) => [name, `{{${name}}}`]),
);

const braces = /\{\{(.*?)\}\}/gs;

const titles = { start: "started", block: "is held up", end: "is over" };

/** What the news of a cluster fill in. */
export const fillingOf = (cluster: string, { about, ...news }: NewsLine): Filling => ({
  advice: news.advice,
  cluster,
  group: about.group ?? "",
  instance: about.instance ?? "",
  kind: news.news,
  node: news.node,
  text: news.text,
  time: news.since,
  title: `The drain of node ${news.node} ${titles[news.news]} (cluster ${cluster})`,
  tone: news.tone,
});

/** A template, which is any JSON, with every placeholder in its texts filled in. What is filled in is never read as a template, nor as JSON. */
export function filled(template: unknown, filling: Filling): unknown {
  if (typeof template === "string")
    return template.replace(braces, (all, name: string) => {
      const known = knownName(name);
      return known === undefined ? all : filling[known];
    });
  if (Array.isArray(template)) return template.map((item) => filled(item, filling));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [key, filled(value, filling)]),
  );
}

const knownName = (name: string) => placeholders.find((one) => one === name.trim());

/** A placeholder that nobody can fill in, and where it stands. */
export interface WrongPlaceholder {
  readonly path: readonly (number | string)[];
  readonly found: string;
}

/** Finds the placeholders in a template that nobody can fill in. */
export function wrongPlaceholders(template: unknown): readonly WrongPlaceholder[] {
  if (typeof template === "string")
    return [...template.matchAll(braces)]
      .filter(([, name = ""]) => knownName(name) === undefined)
      .map(([found]) => ({ path: [], found }));
  if (typeof template !== "object" || template === null) return [];
  const entries = Array.isArray(template) ? [...template.entries()] : Object.entries(template);
  return entries.flatMap(([key, value]) =>
    wrongPlaceholders(value).map(({ path, found }) => ({ path: [key, ...path], found })),
  );
}
