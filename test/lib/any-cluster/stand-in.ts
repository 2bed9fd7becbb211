import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { runInNewContext } from "node:vm";
import { isMap, isSame, type Json, type JsonMap } from "../../../tools/generate/template/json.ts";

type Resources = Readonly<Record<string, JsonMap>>;

/** What runs when somebody calls a function. */
interface Code {
  readonly archive: string;
  /** Its bucket and the key there. */
  readonly place: string;
  readonly bytes: Buffer;
  readonly settings: string;
}

interface Deployed {
  latest: Code;
  readonly versions: Code[];
  alias: number;
}

/** The resources that call functions, and where they name them. */
const callers: Readonly<Record<string, string>> = {
  "AWS::Lambda::EventSourceMapping": "FunctionName",
  "AWS::Logs::SubscriptionFilter": "DestinationArn",
  "Custom::EksNodeLifecycleAccess": "ServiceToken",
  "Custom::EksNodeLifecycleHooks": "ServiceToken",
};

/**
 * A stand-in for CloudFormation and Lambda, as far as code goes: functions take archives from a bucket, the function in
 * the template publishes versions, and every resource waits for those that it names. It calls what a caller names
 * after each step, as queues do at any time.
 */
export class StandIn {
  readonly #buckets = new Map<string, ReadonlyMap<string, Buffer>>();
  #before: Resources = {};
  /** What a failed update has changed so far, and what failed it. */
  readonly #tried = new Set<string>();
  readonly #functions = new Map<string, Deployed>();
  readonly #callers = new Map<string, Json>();
  readonly #versions = new Map<string, number>();
  readonly #ever: Code[] = [];

  constructor(bucket: ReadonlyMap<string, Buffer>) {
    this.fill(bucket);
  }

  /** Puts other archives in the place of those in a bucket, or in every bucket that has none of its own. */
  fill(bucket: ReadonlyMap<string, Buffer>, name = ""): void {
    this.#buckets.set(name, bucket);
  }

  /** All code that has been called at any time so far. */
  called(): readonly Code[] {
    return [...this.#ever];
  }

  /** Creates or updates the stack; says why that fails. */
  async deploy(resources: Resources): Promise<string> {
    this.#ever.length = 0;
    this.#tried.clear();
    for (const id of inOrder(resources)) {
      const its = resources[id] ?? {};
      // An alias changes with the answer that has its version.
      if (isSame(its, this.#before[id]) && its["Type"] !== "AWS::Lambda::Alias") {
        this.#callAll();
        continue;
      }
      this.#tried.add(id);
      const reason = await this.#make(id, its, resources);
      this.#callAll();
      if (reason !== "complete") return reason;
    }
    this.#before = resources;
    return "complete";
  }

  /** Goes back after a failed update, or goes on with that; says why it cannot. */
  async goBack(): Promise<string> {
    this.#ever.length = 0;
    this.#callAll();
    for (const id of inOrder(this.#before).filter((one) => this.#tried.has(one))) {
      const reason = await this.#make(id, this.#before[id] ?? {}, this.#before);
      this.#callAll();
      if (reason !== "complete") return reason;
      this.#tried.delete(id);
    }
    return "complete";
  }

  /** Deletes the stack. */
  async remove(): Promise<string> {
    for (const [id, its] of Object.entries(this.#before))
      if (its["Type"] === "Custom::EksNodeLifecycleVersion") {
        const { Status, Reason } = await this.#ask("Delete", id, its, this.#before);
        if (Status !== "SUCCESS") return Reason ?? "";
      }
    return "complete";
  }

  async #make(id: string, its: JsonMap, resources: Resources): Promise<string> {
    const { Type, Properties = {} } = its;
    const type = typeof Type === "string" ? Type : "";
    if (type === "Custom::EksNodeLifecycleVersion") return this.#version(id, its, resources);
    return isMap(Properties) ? this.#put(id, type, Properties) : "complete";
  }

  #put(id: string, type: string, its: JsonMap): string {
    const { [type]: named } = callers;
    if (named !== undefined) this.#callers.set(id, its[named] ?? "");
    if (type === "AWS::Lambda::Function") return this.#upload(id, its);
    if (type === "AWS::Lambda::Alias") this.#point(its);
    return "complete";
  }

  async #version(id: string, its: JsonMap, resources: Resources): Promise<string> {
    const request = id in this.#before ? "Update" : "Create";
    const { Status, Reason = "", Data } = await this.#ask(request, id, its, resources);
    if (Status !== "SUCCESS") return Reason;
    this.#versions.set(id, Number(Data?.Version));
    return "complete";
  }

  /** CloudFormation has Lambda fetch an archive only where its place is another. */
  #upload(id: string, { Code, ...settings }: JsonMap): string {
    const { S3Bucket = "", S3Key } = isMap(Code ?? "") ? (Code as JsonMap) : {};
    if (typeof S3Key !== "string" || typeof S3Bucket !== "string") return "complete";
    const place = [S3Bucket, S3Key].join("/");
    const before = this.#functions.get(id);
    const bytes =
      before?.latest.place === place ? before.latest.bytes : this.#fetched(S3Bucket, S3Key);
    if (bytes === undefined) return `S3 Error Code: NoSuchKey: ${place}`;
    const latest = { archive: S3Key, place, bytes, settings: JSON.stringify(settings) };
    if (before === undefined) this.#functions.set(id, { latest, versions: [], alias: 0 });
    else before.latest = latest;
    return "complete";
  }

  /** Has Lambda fetch the archive of a function again, as somebody does by hand. */
  updateCode(id: string): void {
    const its = this.#functions.get(id);
    const [bucket = "", key = ""] = its?.latest.place.split("/") ?? [];
    const bytes = this.#fetched(bucket, key);
    if (its !== undefined && bytes !== undefined) its.latest = { ...its.latest, bytes };
  }

  #fetched(bucket: string, key: string): Buffer | undefined {
    return (this.#buckets.get(bucket) ?? this.#buckets.get(""))?.get(key);
  }

  #point({ FunctionName, FunctionVersion }: JsonMap): void {
    const its = this.#functions.get(idIn(FunctionName ?? ""));
    const version = this.#versions.get(idIn(FunctionVersion ?? ""));
    if (its === undefined || version === undefined) throw new Error("an alias of nothing");
    its.alias = version;
  }

  /** Calls everything that a resource calls by now, and what a provider calls in its turn. */
  #callAll(): void {
    for (const target of this.#callers.values()) this.#call(target);
  }

  #call(target: Json): void {
    const id = idIn(target);
    const its = this.#functions.get(id.replace(/Alias$/, ""));
    if (its === undefined) throw new Error(`${JSON.stringify(target)} is called, and is not there`);
    const code = id.endsWith("Alias") ? its.versions[its.alias - 1] : its.latest;
    if (code === undefined) throw new Error(`${id} has no version yet`);
    if (!this.#ever.includes(code)) this.#ever.push(code);
    const { Environment } = JSON.parse(code.settings) as {
      Environment?: { Variables: Readonly<Record<string, Json>> };
    };
    const { USER_ON_EVENT_FUNCTION_ARN: next } = Environment?.Variables ?? {};
    if (next !== undefined) this.#call(next);
  }

  /** @see https://docs.aws.amazon.com/lambda/latest/api/API_PublishVersion.html */
  #publish({ FunctionName = "", CodeSha256 }: Readonly<Record<string, string>>) {
    const its = this.#functions.get(FunctionName);
    if (its === undefined) throw new Error(`Function not found: ${FunctionName}`);
    const own = createHash("sha256").update(its.latest.bytes).digest("base64");
    if (CodeSha256 !== own)
      throw new Error(
        `CodeSHA256 (${CodeSha256}) is different from current CodeSHA256 in $LATEST (${own}). Please try again with the CodeSHA256 in $LATEST.`,
      );
    const { bytes, settings } = its.versions.at(-1) ?? {};
    if (bytes !== its.latest.bytes || settings !== its.latest.settings)
      its.versions.push(its.latest);
    return { Version: `${its.versions.length}`, CodeSha256: own };
  }

  /** Runs the function whose code is in the template. */
  async #ask(RequestType: string, id: string, its: JsonMap, resources: Resources) {
    const { Properties } = resources["CodePublisher"] as JsonMap & {
      readonly Properties: { readonly Code: { readonly ZipFile: string } };
    };
    const { FunctionName, ...others } = its["Properties"] as JsonMap;
    const answers: string[] = [];
    const server = createServer((incoming, response) => {
      let body = "";
      incoming.on("data", (part: Buffer) => (body += part.toString()));
      incoming.on("end", () => {
        answers.push(body);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { handler } = this.#loaded(Properties.Code.ZipFile);
    await handler({
      RequestType,
      LogicalResourceId: id,
      RequestId: "1",
      StackId: "stack",
      ResponseURL: `http://127.0.0.1:${port}/`,
      ResourceProperties: { ...others, FunctionName: idIn(FunctionName ?? "") },
    });
    await new Promise((resolve) => server.close(resolve));
    return JSON.parse(answers[0] ?? "{}") as {
      readonly Status: string;
      readonly Reason?: string;
      readonly Data?: { readonly Version?: string };
    };
  }

  #loaded(code: string): { handler: (event: object) => Promise<void> } {
    const require = createRequire(import.meta.url);
    const publish = (input: Readonly<Record<string, string>>) => this.#publish(input);
    const sdk = {
      LambdaClient: class {
        async send(command: { readonly run: () => object }): Promise<object> {
          return command.run();
        }
      },
      PublishVersionCommand: class {
        readonly run: () => object;
        constructor(input: Readonly<Record<string, string>>) {
          this.run = () => publish(input);
        }
      },
      GetFunctionConfigurationCommand: class {
        readonly run = () => ({ State: "Active" });
      },
    };
    const given: Readonly<Record<string, unknown>> = {
      "@aws-sdk/client-lambda": sdk,
      "node:https": require("node:http"),
    };
    const exports = { handler: async (_: object): Promise<void> => undefined };
    runInNewContext(code, {
      exports,
      Buffer,
      Error,
      JSON,
      Promise,
      require: (name: string) => given[name] ?? require(name),
    });
    return exports;
  }
}

/** The id that a reference names. */
function idIn(value: Json): string {
  const { Ref: ref, "Fn::GetAtt": of } = isMap(value) ? value : {};
  const id = ref ?? (Array.isArray(of) ? of[0] : undefined);
  if (typeof id !== "string") throw new Error(`${JSON.stringify(value)} is no reference`);
  return id;
}

/** The ids of all resources, each behind those that it names or comes after. */
function inOrder(resources: Resources): readonly string[] {
  const order = new Set<string>();
  const visit = (id: string): void => {
    if (order.has(id) || resources[id] === undefined) return;
    const { DependsOn = [], Properties = {}, Metadata = {} } = resources[id];
    const after = [DependsOn].flat().filter((one) => typeof one === "string");
    for (const other of [...after, ...namesIn([Properties, Metadata])]) visit(other);
    order.add(id);
  };
  for (const id of Object.keys(resources)) visit(id);
  return [...order];
}

const namesIn = (value: Json): readonly string[] =>
  [...JSON.stringify(value).matchAll(/{"(?:Ref":|Fn::GetAtt":\[)"(\w+)"/g)].flatMap(
    ([, name]) => name ?? [],
  );
