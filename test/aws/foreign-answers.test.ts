import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { IAMClient } from "@aws-sdk/client-iam";
import { describe, expect, it, onTestFinished } from "vitest";
import { balancerCalls } from "../../lambda/aws/balancer-calls.ts";
import { Ec2Instances } from "../../lambda/aws/ec2-instances.ts";
import { FullAutoScalingGroups } from "../../lambda/aws/full-auto-scaling-groups.ts";
import { IamRoles, RoleRegistration } from "../../lambda/aws/node-access.ts";
import { Ec2Images } from "../../lambda/aws/upgrade/ec2-images.ts";
import { Ec2LaunchTemplates } from "../../lambda/aws/upgrade/ec2-launch-templates.ts";
import { ArcZonalShifts } from "../../lambda/aws/zonal-shifts.ts";
import { groupName, hookName, instanceId } from "../../lambda/base/ids.ts";
import { instant } from "../../lambda/base/time.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { serve } from "../support/loopback.ts";

const instance = instanceId("i-0123456789abcdef0");
const group = groupName("workers");
const hook = hookName("drain");
const action = { group, hook, instance, token: "unsaid" } as const;
const targetGroup = { kind: "target group", name: "web", id: "arn:web", vpc: "" } as const;
const classic = { ...targetGroup, kind: "classic load balancer" } as const;

const notAsked = () => Promise.reject(new Error("nobody was to be asked"));
const mapsNobody = { register: notAsked, standing: notAsked, has: notAsked };

/** What a function reads of AWS, from an endpoint that answers everything with 200 and this. */
async function answeredWith(body: string, headers = {}) {
  const server = await serve("http", (request, response) => {
    request.resume().on("end", () => response.writeHead(200, headers).end(body));
  });
  onTestFinished(() => server.close());
  const options = {
    endpoint: server.url.href,
    region: "eu-west-1",
    credentials: { accessKeyId: "AKID", secretAccessKey: "secret" },
  };
  const [autoScaling, ec2] = [new AutoScalingClient(options), new EC2Client(options)];
  return {
    groups: new FullAutoScalingGroups(autoScaling),
    balancers: balancerCalls(options),
    instances: new Ec2Instances(ec2),
    images: new Ec2Images(ec2, async () => "absent"),
    templates: new Ec2LaunchTemplates(ec2),
    roles: new IamRoles(new IAMClient(options), systemClock),
    registration: new RoleRegistration({
      eks: new EKSClient(options),
      clusterName: "demo",
      nodeAccess: "auto",
      clock: systemClock,
      awsAuth: mapsNobody,
      entries: mapsNobody,
    }),
    shifts: new ArcZonalShifts("eu-west-1", options),
  };
}

type Answered = Awaited<ReturnType<typeof answeredWith>>;
const reads: Readonly<Record<string, (from: Answered) => Promise<unknown>>> = {
  "in which group an instance is": ({ groups }) => groups.membership(instance),
  "in which groups instances are": ({ groups }) => groups.memberships([instance]),
  "the tags of groups": ({ groups }) => groups.tagsOf([group]),
  "a group": ({ groups }) => groups.group(group),
  "a group with its pool": ({ groups }) => groups.withPool(group),
  "a hook": ({ groups }) => groups.hook(group, hook),
  "a heartbeat": ({ groups }) => groups.heartbeat(action),
  "a completed hook": ({ groups }) => groups.complete(action, "CONTINUE"),
  "an instance": ({ instances }) => instances.describe(instance),
  "the names of instances": ({ instances }) => instances.namesOf([instance]),
  "what target groups there are": ({ balancers }) => balancers["target group"].list(),
  "the targets of a group": ({ balancers }) =>
    balancers["target group"].registered(targetGroup, instance),
  "how long targets stay": ({ balancers }) => balancers["target group"].rules(targetGroup),
  "what classic load balancers there are": ({ balancers }) =>
    balancers["classic load balancer"].list(),
  "the state in a classic load balancer": ({ balancers }) =>
    balancers["classic load balancer"].registered(classic, instance),
  "the managed groups": ({ groups }) => groups.managed([group]),
  "what has happened in a group": ({ groups }) => groups.failures(group, instant(0)),
  "the refreshes of a group": ({ groups }) => groups.refresh(group),
  "an image": ({ images }) => images.image("ami-1"),
  "a version of a launch template": ({ templates }) =>
    templates.version({ template: "lt-0123456789abcdef0", version: 1 }),
  "the role of an instance profile": ({ roles }) => roles.roleIn("nodes"),
};

const page = "<html><head><title>Sign in</title></head><body>no</body></html>";

describe.each(Object.entries(reads))("of an answer about %s", (_, read) => {
  it.each([
    ["a page of a proxy", page],
    ["nothing at all", ""],
    ["half of it", "<DescribeResponse><Describe"],
  ])("that has %s nothing is concluded", async (_has, body) => {
    await expect(read(await answeredWith(body))).rejects.toMatchObject({
      code: "aws.unreachable",
      message: expect.stringMatching(/with an answer that AWS does not give/),
    });
  });
});

describe("an answer with the id of its request", () => {
  it.each(Object.entries(reads))(
    "is of AWS, so that one about %s may leave out an empty list",
    async (_, read) => {
      const answered = await answeredWith("<DescribeResponse/>", { "x-amzn-requestid": "1-2" });
      await expect(read(answered)).resolves.toBeDefined();
    },
  );
});

describe("of an empty answer to a call that speaks JSON nothing is concluded", () => {
  it("about zonal shifts", async () => {
    const { shifts } = await answeredWith("");
    await expect(shifts.away()).rejects.toMatchObject({ code: "aws.unreachable" });
  });

  it("about how a cluster lets nodes in", async () => {
    const { registration } = await answeredWith("");
    const role = { arn: "arn:aws:iam::123456789012:role/node", platform: "linux" } as const;
    await expect(registration.register(role)).rejects.toMatchObject({ code: "aws.unreachable" });
  });
});
