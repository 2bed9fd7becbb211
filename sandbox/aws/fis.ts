import { type Duration, later, milliseconds, minutes } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import type { AutoScaling } from "./auto-scaling.ts";
import { AwsError } from "./aws-error.ts";
import type { Ec2 } from "./ec2.ts";
import type { Iam } from "./iam.ts";
import { type Operation, type OperationSchema, operation } from "./operation.ts";

/** EC2's event about a Spot Instance. */
export interface SpotEvent {
  readonly "detail-type": string;
  readonly detail: { readonly "instance-id": string; readonly "instance-action"?: "terminate" };
}

/** A template: which instances end, and how many minutes after its start. */
export interface ExperimentTemplate {
  readonly id: string;
  readonly roleArn: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly instances: readonly string[];
  readonly lasts: number;
}

/** The state of an experiment. */
export interface Experiment {
  readonly id: string;
  readonly state: { readonly status: "failed" | "running"; readonly reason: string };
}

interface FisWorld {
  readonly timeline: Timeline;
  readonly iam: Iam;
  readonly ec2: Ec2;
  readonly autoScaling: AutoScaling;
}

/** The fault injection service, as far as it interrupts Spot Instances. */
export class Fis {
  readonly #world: FisWorld;
  readonly #templates = new Map<string, ExperimentTemplate>();
  readonly #experiments = new Map<string, Experiment>();
  readonly #listeners: ((event: SpotEvent) => void)[] = [];
  #made = 0;
  /** The length of a minute in an experiment. */
  minute: Duration = minutes(1);

  constructor(world: FisWorld) {
    this.#world = world;
  }

  /** Hears what EC2 tells EventBridge of the instances. */
  onEvent(listener: (event: SpotEvent) => void): void {
    this.#listeners.push(listener);
  }

  templates(): readonly ExperimentTemplate[] {
    return [...this.#templates.values()];
  }

  makeTemplate(template: Omit<ExperimentTemplate, "id">): ExperimentTemplate {
    const made = { ...template, id: this.#id() };
    this.#templates.set(made.id, made);
    return made;
  }

  deleteTemplate(id: string): void {
    this.#templates.delete(this.#template(id).id);
  }

  /** Starts an experiment; what is wrong with its role or its targets is told only afterwards. */
  start(templateId: string): Experiment {
    const { roleArn, instances, lasts } = this.#template(templateId);
    const { iam, ec2 } = this.#world;
    const isSpot = (id: string) => ec2.tryFind(id)?.lifecycle === "spot";
    const reason =
      iam.tryFindRole(roleArn)?.service !== "fis"
        ? "Unable to assume role."
        : instances.every(isSpot)
          ? ""
          : "Target resolution returned empty set.";
    const status = reason === "" ? "running" : "failed";
    const experiment = { id: this.#id(), state: { status, reason } } as const;
    this.#experiments.set(experiment.id, experiment);
    if (status === "running") for (const id of instances) this.#interrupt(id, lasts);
    return experiment;
  }

  experiment(id: string): Experiment {
    return this.#experiments.get(id) ?? notFound(id);
  }

  #template(id: string): ExperimentTemplate {
    return this.#templates.get(id) ?? notFound(id);
  }

  #id(): string {
    this.#made += 1;
    return `EXT${String(this.#made).padStart(15, "0")}`;
  }

  /** Advice to rebalance at once, a warning two minutes before the end, and the end, whatever a hook says. */
  #interrupt(instance: string, lasts: number): void {
    const { ec2, autoScaling } = this.#world;
    this.#after(0, () => this.#tell("EC2 Instance Rebalance Recommendation", instance));
    this.#after(lasts - 2, () => this.#tell("EC2 Spot Instance Interruption Warning", instance));
    this.#after(lasts, () => {
      if (ec2.tryFind(instance)?.state !== "running") return;
      ec2.setState(instance, "shutting-down");
      const member = autoScaling.register.instances().find(({ id }) => id === instance);
      if (member?.state === "InService") autoScaling.setHealth(instance, "unhealthy", "ignored");
    });
  }

  #after(count: number, act: () => void): void {
    const { timeline } = this.#world;
    timeline.schedule(later(timeline.now(), milliseconds(count * this.minute)), act);
  }

  #tell(type: string, id: string): void {
    const action = type.endsWith("Warning") ? ({ "instance-action": "terminate" } as const) : {};
    for (const hear of this.#listeners)
      hear({ "detail-type": type, detail: { "instance-id": id, ...action } });
  }
}

function notFound(id: string): never {
  throw new AwsError("ResourceNotFoundException", `${id} not found.`, { status: 404 });
}

const model = "com.amazonaws.fis";

/** The model of an operation, in the form of the SDK's own. @see https://docs.aws.amazon.com/fis/latest/APIReference/API_Operations.html */
const schemaOf = (name: string, method: string, path: string): OperationSchema => [
  9,
  model,
  name,
  { http: [method, path, 200] },
  () => [3, model, `${name}Request`, 0, ["id"], [[0, 1]]],
  "unit",
];

const spotAction = "aws:ec2:send-spot-instance-interruptions";

interface TemplateRequest {
  readonly roleArn: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly targets: Readonly<Record<string, { readonly resourceArns?: readonly string[] }>>;
  readonly actions: Readonly<
    Record<
      string,
      { readonly actionId: string; readonly parameters: { readonly [key: string]: string } }
    >
  >;
}

function made(fis: Fis, { roleArn, tags = {}, targets, actions }: TemplateRequest) {
  const [action] = Object.values(actions);
  const [target] = Object.values(targets);
  const [, lasts] =
    /^PT([2-9]|1[0-5])M$/.exec(action?.parameters["durationBeforeInterruption"] ?? "") ?? [];
  if (action?.actionId !== spotAction || lasts === undefined || target?.resourceArns === undefined)
    throw new AwsError("ValidationException", "The input fails to satisfy the constraints.");
  const instances = target.resourceArns.map((arn) => arn.replace(/^.*\//, ""));
  return fis.makeTemplate({ roleArn, tags, instances, lasts: Number(lasts) });
}

/** The operations of the fault injection service that the sandbox supports. */
export function fisOperations(fis: Fis): readonly Operation[] {
  const op = <Input>(name: string, method: string, path: string, run: (input: Input) => object) =>
    operation<Input>("fis", schemaOf(name, method, path), run);
  const templates = "/experimentTemplates";
  type Named = { readonly id: string };
  return [
    op<Named>("GetAction", "GET", "/actions/{id}", ({ id }) => ({ action: { id } })),
    op("ListExperimentTemplates", "GET", templates, () => ({
      experimentTemplates: fis.templates().map(({ id, tags }) => ({ id, tags })),
    })),
    op<TemplateRequest>("CreateExperimentTemplate", "POST", templates, (request) => ({
      experimentTemplate: { id: made(fis, request).id },
    })),
    op<Named>("DeleteExperimentTemplate", "DELETE", `${templates}/{id}`, ({ id }) => {
      fis.deleteTemplate(id);
      return { experimentTemplate: { id } };
    }),
    op<{ experimentTemplateId: string }>("StartExperiment", "POST", "/experiments", (request) => ({
      experiment: fis.start(request.experimentTemplateId),
    })),
    op<Named>("GetExperiment", "GET", "/experiments/{id}", ({ id }) => ({
      experiment: fis.experiment(id),
    })),
  ];
}
