/** The text of the first group of an expression, for each of its matches. */
export const firstGroups = (text: string, expression: RegExp): readonly string[] =>
  [...text.matchAll(expression)].map(([, group = ""]) => group);
