import { expect } from "vitest";
import { doAsPrinted, remedyBelow } from "./as-printed.ts";
import { anOnCallSite, type OnCallOptions, type OnCallSite } from "./on-call-site.ts";

/** What `status` and `doctor` print. */
export interface Screens {
  readonly status: string;
  readonly doctor: string;
}

/** Something that is broken, what the first two commands say of it, and how it ends. */
export interface Trouble {
  readonly options?: OnCallOptions;
  readonly breaking: (site: OnCallSite) => unknown;
  /** Whether the instance is held while it is broken, or Auto Scaling ends instances without anybody. @default "held" */
  readonly instance?: "held" | "in service";
  /** How the caller reaches the cluster. @default as the function does */
  readonly by?: (site: OnCallSite) => readonly string[];
  readonly says: { readonly status?: RegExp; readonly doctor?: RegExp };
  /** The links that `doctor` calls broken. @default none */
  readonly broken?: readonly string[];
  /** The links of which `doctor` cannot know because of that. @default none */
  readonly unknown?: readonly string[];
  /** What would be untrue on either screen. */
  readonly untrue: readonly RegExp[];
  readonly remedy: (site: OnCallSite, screens: Screens) => unknown;
  /** How the notice of the instance ends then. @default "drained" */
  readonly outcome?: string;
}

/** What is untrue while nobody drains the node. */
export const nobodyDrains = [
  /left until its deadline/,
  /, or in \d/,
  /it is deleted past/,
  /^ {2}marked/m,
];

/** Does the remedy that `doctor` prints for a link. */
export const asDoctorSays =
  (link: string) =>
  (site: OnCallSite, { doctor }: Screens) =>
    doAsPrinted(remedyBelow(doctor, new RegExp(`^(broken|note) +${link}:`)), site);

/** The first two commands of somebody who is called. */
async function look(site: OnCallSite, { by = () => [] }: Trouble): Promise<Screens> {
  const { out: status } = await site.run("status", "sample", ...by(site));
  const { out: doctor } = await site.run("doctor", "sample", ...by(site));
  return { status, doctor };
}

const anything = /(?:)/;
const usual = { broken: [], unknown: [], instance: "held", outcome: "drained" };
const patience = { timeout: 120_000, interval: 500 };

/** The links that `doctor` says something of, such as `broken`. */
const linksIn = ({ doctor }: Screens, state: string): readonly string[] =>
  [...doctor.matchAll(new RegExp(`^${state} +(.*?):`, "gm"))].map(([, link = ""]) => link);

/** The screens that show the cause, and nothing untrue. */
async function causeShown(site: OnCallSite, trouble: Trouble): Promise<Screens> {
  const { status = anything, doctor = anything } = trouble.says;
  const { broken, unknown } = { ...usual, ...trouble };
  let screens: Screens = { status: "", doctor: "" };
  const seen = async () => {
    screens = await look(site, trouble);
    // A machine that stalls for a moment has a slow API server then.
    return { ...screens, links: [linksIn(screens, "broken"), linksIn(screens, "unknown")] };
  };
  await expect.poll(seen, patience).toEqual({
    status: expect.stringMatching(status),
    doctor: expect.stringMatching(doctor),
    links: [broken, unknown],
  });
  for (const wrong of trouble.untrue)
    expect([screens.status, screens.doctor]).not.toContainEqual(expect.stringMatching(wrong));
  return screens;
}

/** Breaks a deployment, and does what the first two commands say until the instance has ended well and all links are well. */
export async function handled(trouble: Trouble): Promise<void> {
  const { instance, outcome } = { ...usual, ...trouble };
  const site = await anOnCallSite(trouble.options);
  await trouble.breaking(site);
  if (instance === "held") site.terminate();

  const screens = await causeShown(site, trouble);
  await trouble.remedy(site, screens);
  if (instance === "in service") site.terminate();

  await expect.poll(site.outcomes, patience).toContain(outcome);
  const after = await look(site, trouble);
  expect(after.status).toMatch(/^sample: 0 instances held, .* 0 dead letters\n/);
  expect(after.status).not.toMatch(/^broken|deadline/m);
  expect(after.doctor).toContain("\nsample: 28 of 28 links are well\n");
  expect(linksIn(after, "note")).toEqual([]);
}
