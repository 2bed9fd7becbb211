import type { NewsLine } from "./log-batch.ts";

/** The text for each placeholder of a message. */
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

/** The default template: one field for each placeholder. */
export const plainTemplate: unknown = Object.fromEntries(
  placeholders.map((name) => [name, `{{${name}}}`]),
);

const braces = /\{\{(.*?)\}\}/gs;

const titles = { start: "started", block: "is held up", end: "is over" };

/** The texts that replace the placeholders in a message about this news. */
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

/**
 * Replaces the placeholders in all texts of a template, which may be any JSON. The texts that come in are plain: they are
 * read neither as a template nor as JSON.
 */
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

/** An unknown placeholder, and its path in the template. */
export interface WrongPlaceholder {
  readonly path: readonly (number | string)[];
  readonly found: string;
}

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
