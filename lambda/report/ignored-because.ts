const causes = [
  ["not managed", / is not managed here \(/],
  ["no group", / is in no Auto Scaling group/],
  ["not held", /^no active lifecycle action |^group \S+ has no hook |^instance \S+ is .*, not /],
  ["dry run", /^a dry run /],
  ["in warm pool", /warm pool|Warmed:/],
] as const;

/** The reason for ignoring a notice as a metric has it: without any names. */
export const ignoredBecause = ({ kind }: { readonly kind: string }, reason: string): string =>
  kind === "unrelated"
    ? "unrelated"
    : (causes.find(([, pattern]) => pattern.test(reason))?.[0] ?? "other");
