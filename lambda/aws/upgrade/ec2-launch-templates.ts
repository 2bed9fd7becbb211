import {
  CreateLaunchTemplateVersionCommand,
  DescribeLaunchTemplateVersionsCommand,
  type EC2Client,
  type LaunchTemplateVersion,
} from "@aws-sdk/client-ec2";
import { Fault } from "../../base/fault.ts";
import type { NamedTemplate, TemplateVersion } from "../../group/scaling-group.ts";
import type {
  DescribedVersion,
  LaunchTemplates,
  VersionToMake,
} from "../../upgrade/upgrade.port.ts";
import { ask, listIn } from "../aws-fault.ts";
import { templateAddress } from "../template-address.ts";

const absent = /^InvalidLaunchTemplate(Id|Name)\.(NotFound|VersionNotFound|Malformed)/;

/** The launch templates of an account and Region. */
export class Ec2LaunchTemplates implements LaunchTemplates {
  readonly #client: EC2Client;

  constructor(client: EC2Client) {
    this.#client = client;
  }

  version({ template, version }: NamedTemplate): Promise<DescribedVersion | "absent"> {
    const request = { ...templateAddress(template), Versions: [String(version)] };
    const read = async (doing: string) => {
      const answer = await this.#client.send(new DescribeLaunchTemplateVersionsCommand(request));
      const [found] = listIn(answer, "LaunchTemplateVersions", doing);
      return found === undefined ? "absent" : describedVersion(found);
    };
    return ask(`reading launch template ${template} version ${version}`, read, [absent, "absent"]);
  }

  make({ from, image, description, token }: VersionToMake): Promise<TemplateVersion | "denied"> {
    const doing = `making a version of launch template ${from.template} with ${image}`;
    const command = new CreateLaunchTemplateVersionCommand({
      ...templateAddress(from.template),
      SourceVersion: String(from.version),
      ClientToken: token,
      VersionDescription: description,
      LaunchTemplateData: { ImageId: image },
    });
    const add = async () => {
      const { LaunchTemplateVersion: made } = await this.#client.send(command);
      if (made?.VersionNumber === undefined)
        throw new Fault("aws.refused", `${doing}: EC2 did not tell which version it is`);
      return templateVersion(made);
    };
    return ask(doing, add, [/^UnauthorizedOperation/, "denied"]);
  }
}

const templateVersion = ({
  LaunchTemplateId: id = "",
  VersionNumber: version = 0,
}: LaunchTemplateVersion) => ({
  template: id,
  version,
});

const describedVersion = (found: LaunchTemplateVersion): DescribedVersion => ({
  ...templateVersion(found),
  image: found.LaunchTemplateData?.ImageId ?? "",
  description: found.VersionDescription ?? "",
});
