/** What the first group of an expression matches, for each place in a text where it matches. */
export const firstGroups = (text: string, expression: RegExp): readonly string[] =>
  [...text.matchAll(expression)].map(([, group = ""]) => group);
