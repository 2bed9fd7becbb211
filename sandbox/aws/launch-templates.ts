import {
  CreateLaunchTemplateVersion$,
  type CreateLaunchTemplateVersionRequest,
  DescribeLaunchTemplateVersions$,
  type DescribeLaunchTemplateVersionsRequest,
  type LaunchTemplateVersion,
} from "@aws-sdk/client-ec2";
import type { Instant } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import { type Account, arnOf } from "./account.ts";
import { AwsError } from "./aws-error.ts";
import type { LaunchTemplate } from "./group.ts";
import { type Operation, operation } from "./operation.ts";
import { page } from "./page.ts";

/** One version of a launch template. */
export interface TemplateVersion {
  readonly template: LaunchTemplate;
  readonly number: number;
  readonly description: string;
  readonly madeAt: Instant;
}

/** The name of a template in a request: its id or its name. */
export interface TemplateAddress {
  readonly LaunchTemplateId?: string | undefined;
  readonly LaunchTemplateName?: string | undefined;
}

interface History {
  readonly versions: readonly TemplateVersion[];
  readonly byDefault: number;
}

/** The launch templates of an account, with all their versions. */
export class LaunchTemplates {
  readonly #timeline: Timeline;
  readonly #histories = new Map<string, History>();
  readonly #made = new Map<string, TemplateVersion>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** Adds the version that a group names, unless it is there; a launch configuration has none. */
  adopt(template: LaunchTemplate): void {
    if (template.kind === "configuration") return;
    const known = this.#histories.get(template.id);
    const versions = known?.versions ?? [];
    const number = template.version.startsWith("$") ? 1 : Number(template.version);
    const there = versions.some((version) => version.number === number);
    if (there || (versions.length > 0 && template.version.startsWith("$"))) return;
    const added = { template, number, description: "", madeAt: this.#timeline.now() };
    this.#put(template.id, {
      versions: [...versions, added].toSorted((a, b) => a.number - b.number),
      byDefault: known?.byDefault ?? number,
    });
  }

  /** Makes a version that differs from another in what is given. */
  make(
    address: TemplateAddress,
    spec: {
      readonly source: string;
      readonly imageId: string | undefined;
      readonly instanceType: string | undefined;
      readonly description: string;
      /** The same token makes a version once. */
      readonly token: string;
    },
  ): TemplateVersion {
    const { id, history } = this.#find(address);
    const earlier = this.#made.get(spec.token);
    if (spec.token !== "" && earlier !== undefined) return earlier;
    const { template } = versionIn(history, spec.source, address);
    const number = 1 + Math.max(...history.versions.map((version) => version.number));
    const { imageId = template.imageId, instanceType = template.instanceType, description } = spec;
    const version = {
      template: { ...template, imageId, instanceType, version: String(number) },
      number,
      description,
      madeAt: this.#timeline.now(),
    };
    this.#put(id, { ...history, versions: [...history.versions, version] });
    this.#made.set(spec.token, version);
    return version;
  }

  /** All versions of a template, the newest first, and which of them is the default. */
  versions(address: TemplateAddress): readonly TemplateVersion[] {
    return this.#find(address).history.versions.toReversed();
  }

  isDefault({ template, number }: TemplateVersion): boolean {
    return this.#histories.get(template.id)?.byDefault === number;
  }

  /** A version of a template: a number, `$Latest` or `$Default`. */
  version(address: TemplateAddress, version: string): TemplateVersion {
    return versionIn(this.#find(address).history, version, address);
  }

  /** The same; undefined where there is no such template or version. */
  tryVersion(address: TemplateAddress, version: string): TemplateVersion | undefined {
    try {
      return this.version(address, version);
    } catch {
      return undefined;
    }
  }

  /** The template that a group launches by now: with the number of its version. */
  resolved(template: LaunchTemplate): LaunchTemplate {
    if (template.kind === "configuration") return template;
    const { number, ...same } = this.version({ LaunchTemplateId: template.id }, template.version);
    return { ...same.template, version: String(number) };
  }

  #find(address: TemplateAddress): { readonly id: string; readonly history: History } {
    const { LaunchTemplateId: wantedId, LaunchTemplateName: wantedName } = address;
    for (const [id, history] of this.#histories)
      if (wantedId === id || wantedName === history.versions[0]?.template.name)
        return { id, history };
    if (wantedId === undefined)
      throw new AwsError(
        "InvalidLaunchTemplateName.NotFoundException",
        `The specified launch template, with template name ${wantedName}, does not exist.`,
      );
    throw new AwsError(
      "InvalidLaunchTemplateId.NotFound",
      `The specified launch template, with template ID ${wantedId}, does not exist.`,
    );
  }

  #put(id: string, history: History): void {
    this.#histories.set(id, history);
  }
}

function versionIn(
  { versions, byDefault }: History,
  wanted: string,
  { LaunchTemplateId: id, LaunchTemplateName: name }: TemplateAddress,
): TemplateVersion {
  const named = { $Latest: versions.at(-1)?.number, $Default: byDefault }[wanted];
  const number = named ?? Number(wanted);
  const found = versions.find((version) => version.number === number);
  if (found !== undefined) return found;
  throw new AwsError(
    "InvalidLaunchTemplateId.VersionNotFound",
    `Could not find the specified version ${wanted} for the launch template with ${id === undefined ? `name ${name}` : `ID ${id}`}.`,
  );
}

/** The operations of EC2 on launch templates that the sandbox supports. */
export const launchTemplateOperations = (
  templates: LaunchTemplates,
  account: Account,
): readonly Operation[] => [
  operation<DescribeLaunchTemplateVersionsRequest>(
    "ec2",
    DescribeLaunchTemplateVersions$,
    (request) => describe(templates, request),
  ),
  operation<CreateLaunchTemplateVersionRequest>(
    "ec2",
    CreateLaunchTemplateVersion$,
    (request) => create(templates, request),
    ({ LaunchTemplateId: id = "*" }) => arnOf(account, "ec2", `launch-template/${id}`),
  ),
];

function describe(templates: LaunchTemplates, request: DescribeLaunchTemplateVersionsRequest) {
  const { Versions: wanted, MaxResults = 200, NextToken: token } = request;
  const found = wanted?.map((version) => templates.version(request, version));
  const { items, next } = page(found ?? templates.versions(request), { size: MaxResults, token });
  const wired = items.map((version) => wireVersion(templates, version));
  return { LaunchTemplateVersions: wired, NextToken: next };
}

function create(templates: LaunchTemplates, request: CreateLaunchTemplateVersionRequest) {
  const { SourceVersion: source, LaunchTemplateData: data, ClientToken: token = "" } = request;
  // The sandbox needs no versions that are made of nothing.
  if (source === undefined)
    throw new AwsError("MissingParameter", "The sandbox makes versions of a SourceVersion only.");
  const made = templates.make(request, {
    source,
    imageId: data?.ImageId,
    instanceType: data?.InstanceType,
    description: request.VersionDescription ?? "",
    token,
  });
  return { LaunchTemplateVersion: wireVersion(templates, made) };
}

function wireVersion(templates: LaunchTemplates, version: TemplateVersion): LaunchTemplateVersion {
  const { id, name, profileArn, imageId, instanceType } = version.template;
  return {
    LaunchTemplateId: id,
    LaunchTemplateName: name,
    VersionNumber: version.number,
    ...(version.description !== "" && { VersionDescription: version.description }),
    CreateTime: new Date(version.madeAt),
    DefaultVersion: templates.isDefault(version),
    LaunchTemplateData: {
      ...(profileArn !== "" && { IamInstanceProfile: { Arn: profileArn } }),
      ...(imageId !== "" && { ImageId: imageId }),
      InstanceType: instanceType as "m6i.large",
    },
  };
}
