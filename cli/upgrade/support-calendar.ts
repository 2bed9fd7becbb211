/** The days on which EKS ends its support of a version of Kubernetes, such as `2027-03-27`. */
export interface SupportEnds {
  readonly standard: string;
  readonly extended: string;
}

/** The day on which the dates were read. */
const calendarRead = "2026-04-24";

// https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html#kubernetes-release-calendar
const calendar: Readonly<Record<string, SupportEnds>> = {
  "1.30": { standard: "2025-07-23", extended: "2026-07-23" },
  "1.31": { standard: "2025-11-26", extended: "2026-11-26" },
  "1.32": { standard: "2026-03-23", extended: "2027-03-23" },
  "1.33": { standard: "2026-07-29", extended: "2027-07-29" },
  "1.34": { standard: "2026-12-02", extended: "2027-12-02" },
  "1.35": { standard: "2027-03-27", extended: "2028-03-27" },
};

/** The ends of the support of a version; `undefined` if the calendar does not have it. */
export const trySupportEnds = (version: string): SupportEnds | undefined => calendar[version];

/** The same in words. */
export function supportText(version: string): string {
  const ends = trySupportEnds(version);
  return ends === undefined
    ? `when its support ends is not in the calendar that was read on ${calendarRead}`
    : `standard support ends on ${ends.standard}, extended support on ${ends.extended} (calendar of EKS, read on ${calendarRead})`;
}
