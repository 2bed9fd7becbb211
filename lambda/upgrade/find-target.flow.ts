import type { DescribedVersion } from "../group/fleets.port.ts";
import type { Issue } from "./issues.ts";
import type { UpgradeTarget } from "./request.ts";
import { descriptionOf } from "./setup.ts";
import type { UpgradeTools } from "./upgrade-tools.flow.ts";

/** Finds the version that a group is to be upgraded to, or makes it; an issue says why there is none. */
export async function findTarget(
  { to, id }: Start,
  current: DescribedVersion,
  tools: UpgradeTools,
): Promise<DescribedVersion | Issue> {
  const { templates, images } = tools.ports;
  const { template } = current;
  switch (to.kind) {
    case "as-it-is":
      return current;
    case "version": {
      const found = await templates.version({ template, version: to.version });
      return found === "absent" ? noSuchVersion(template, to.version) : found;
    }
    case "image":
      return withImage({ image: to.image, id }, current, tools);
    case "parameter": {
      const image = await images.imageIn(to.parameter);
      if (image !== "absent") return withImage({ image, id }, current, tools);
      return { code: "AmiIdNotFound", message: `no parameter ${to.parameter} names an image` };
    }
  }
}

const noSuchVersion = (template: string, version: number | string): Issue => ({
  code: "Ec2LaunchTemplateVersionMismatch",
  message: `template ${template} has no version ${version}`,
});

/** What is wanted, under the id of its upgrade. */
interface Start {
  readonly id: string;
  readonly to: UpgradeTarget;
}

interface Wanted {
  readonly image: string;
  readonly id: string;
}

async function withImage(
  { image, id }: Wanted,
  current: DescribedVersion,
  tools: UpgradeTools,
): Promise<DescribedVersion | Issue> {
  if (current.image === image) return current;
  const issue = await misfitOf(image, current, tools);
  if (issue !== undefined) return issue;
  const description = descriptionOf({ image, from: current.version, upgrade: id });
  const made = await tools.ports.templates.make({ from: current, image, description, token: id });
  return made === "denied" ? mayMakeNone(current) : { ...made, image, description };
}

const mayMakeNone = ({ template, version }: DescribedVersion): Issue => ({
  code: "AccessDenied",
  message: `the function may add no version to ${template}: set "launchTemplateVersions": "made" and deploy, or make the version yourself (aws ec2 create-launch-template-version --launch-template-id ${template} --source-version ${version}) and name it with --launch-template-version`,
});

/** Why instances of the group cannot be launched from an image; `undefined` when they can. */
async function misfitOf(
  wanted: string,
  current: DescribedVersion,
  { ports: { images } }: UpgradeTools,
): Promise<Issue | undefined> {
  const image = await images.image(wanted);
  if (image === "absent") return { code: "AmiIdNotFound", message: `there is no image ${wanted}` };
  if (image.state !== "available")
    return { code: "AmiIdNotFound", message: `image ${wanted} is ${image.state}` };
  const before = current.image === "" ? "absent" : await images.image(current.image);
  if (before === "absent" || before.architecture === image.architecture) return undefined;
  const message = `image ${wanted} is of ${image.architecture}, and the nodes of the group are of ${before.architecture}`;
  return { code: "Ec2LaunchTemplateInvalidConfiguration", message };
}
