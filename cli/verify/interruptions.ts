import { DescribeInstancesCommand, EC2Client } from "@aws-sdk/client-ec2";
import type { EKSClient } from "@aws-sdk/client-eks";
import type { MetadataBearer, StaticStructureSchema } from "@smithy/types";
import { ask, listIn } from "../../lambda/aws/aws-fault.ts";
import { otherClient, otherCommand } from "../../lambda/aws/other-service.ts";
import type { GroupName, InstanceId } from "../../lambda/base/ids.ts";
import { CommandFailure } from "../command-failure.ts";
import { type AwsAccess, regionOf } from "../connect/aws-access.ts";
import { traceTag } from "./probe.ts";

type RequestFields = Readonly<Record<string, unknown>>;
type StructureMember = StaticStructureSchema[5][number];

const model = "com.amazonaws.fis";
const document = 15;
const answered = ["experiment", "experimentTemplate", "experimentTemplates"];

/** The requests of the API. @see https://docs.aws.amazon.com/fis/latest/APIReference/API_Operations.html */
const requests = {
  GetAction: ["GET", "/actions/{id}"],
  CreateExperimentTemplate: ["POST", "/experimentTemplates"],
  ListExperimentTemplates: ["GET", "/experimentTemplates"],
  DeleteExperimentTemplate: ["DELETE", "/experimentTemplates/{id}"],
  StartExperiment: ["POST", "/experiments"],
  GetExperiment: ["GET", "/experiments/{id}"],
} as const;

const actionId = "aws:ec2:send-spot-instance-interruptions";

/** The fault injection service, which interrupts a Spot Instance as EC2 does: rebalance recommendation, warning, end. */
export class Interruptions {
  readonly #ec2: EC2Client;
  readonly #fis: Promise<EKSClient>;
  readonly #role: string;
  #experiment = "";

  /** The role is the one that the service assumes. */
  constructor(aws: AwsAccess, role: string) {
    this.#ec2 = new EC2Client(aws);
    this.#fis = regionOf(this.#ec2).then((at) => otherClient({ name: "fis", id: "fis" }, at, aws));
    this.#role = role;
  }

  /** Throws if the service or its action is not available. */
  async assertThere(): Promise<void> {
    await this.#ask("GetAction", { id: actionId });
  }

  /** Which of some instances are Spot Instances, and whether EC2 is ending them. */
  async spot(instances: readonly InstanceId[]): Promise<readonly ("down" | "up")[]> {
    const filter = { Name: "instance-id", Values: [...instances] };
    const command = new DescribeInstancesCommand({ Filters: [filter] });
    const found = await ask("describing instances", async (doing) =>
      listIn(await this.#ec2.send(command), "Reservations", doing),
    );
    return found
      .flatMap(({ Instances = [] }) => Instances)
      .filter(({ InstanceLifecycle }) => InstanceLifecycle === "spot")
      .map(({ State }) => (/^(?:pending|running)$/.test(State?.Name ?? "") ? "up" : "down"));
  }

  /** Interrupts an instance. The warning comes a minute after the recommendation, and the end two minutes later. */
  async interrupt(instance: InstanceId, group: GroupName): Promise<void> {
    const [, partition, account] = /^arn:([^:]+):iam::(\d+):/.exec(this.#role) ?? [];
    const region = await regionOf(this.#ec2);
    const arn = `arn:${partition}:ec2:${region}:${account}:instance/${instance}`;
    const target = { resourceType: "aws:ec2:spot-instance", resourceArns: [arn] };
    const parameters = { durationBeforeInterruption: "PT3M" };
    const { experimentTemplate } = await this.#ask("CreateExperimentTemplate", {
      clientToken: instance,
      description: `one interruption for eks-node-lifecycle verify, group ${group}`,
      roleArn: this.#role,
      stopConditions: [{ source: "none" }],
      targets: { one: { ...target, selectionMode: "ALL" } },
      actions: { interrupt: { actionId, parameters, targets: { SpotInstances: "one" } } },
      tags: { [traceTag]: group },
    });
    const { experiment } = await this.#ask("StartExperiment", {
      clientToken: instance,
      experimentTemplateId: Object(experimentTemplate).id,
    });
    this.#experiment = String(Object(experiment).id);
    // An experiment continues without its template.
    await this.forget(group);
  }

  /** Throws if the service failed to interrupt the instance. */
  async assertGoesOn(): Promise<void> {
    const { experiment } = await this.#ask("GetExperiment", { id: this.#experiment });
    const { status, reason = "" } = Object(Object(experiment).state);
    if (status === "failed" || status === "stopped")
      throw new CommandFailure(
        `FIS did not interrupt the instance: the experiment has ${status}: ${reason}`,
        `see that role ${this.#role} trusts fis.amazonaws.com and may do what docs/verify.md says`,
      );
  }

  /** Deletes the experiment templates of a group's trials. */
  async forget(group: GroupName): Promise<void> {
    const { experimentTemplates: found } = await this.#ask("ListExperimentTemplates");
    const all: readonly unknown[] = Array.isArray(found) ? found : [];
    for (const { id, tags } of all.map(Object))
      if (Object(tags)[traceTag] === group) await this.#ask("DeleteExperimentTemplate", { id });
  }

  /** Sends a request like a client of the SDK: docs/decisions/0048-fis-and-arc-are-asked-through-the-client-of-eks.md says why. */
  async #ask(name: keyof typeof requests, input: RequestFields = {}): Promise<RequestFields> {
    const [method, path] = requests[name];
    const types = Object.keys(input).map(
      (field): StructureMember => (field === "id" ? [0, 1] : document),
    );
    const Operation = otherCommand<RequestFields, RequestFields & MetadataBearer>([
      9,
      model,
      name,
      { http: [method, path, 200] },
      () => [3, model, `${name}Request`, 0, Object.keys(input), types],
      () => [3, model, `${name}Response`, 0, answered, answered.map(() => document)],
    ]);
    const client = await this.#fis;
    return ask(`asking FIS for ${name}`, () => client.send(new Operation(input)));
  }
}
