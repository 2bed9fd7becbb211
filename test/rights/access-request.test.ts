import { describe, expect, it } from "vitest";
import { readAccessRequest } from "../../lambda/rights/access-request.ts";

const properties = {
  ClusterName: "sample",
  Force: "at-deadline",
  AwsAuth: "none",
  OwnTaint: "",
  Deployer: "a1b2",
};
const stack = "arn:aws:cloudformation:eu-west-1:123456789012:stack/Sample/1a2b";
const invokedFunctionArn = "arn:aws-cn:lambda:cn-north-1:123456789012:function:Deployer";
const context = { invokedFunctionArn };
const account = "arn:aws-cn:iam::123456789012";
const own = { StackId: stack, LogicalResourceId: "AccessRights93470C93" };
const create = { ...own, RequestType: "Create", ResourceProperties: properties };
const update = {
  ...own,
  RequestType: "Update",
  ResourceProperties: properties,
  OldResourceProperties: { ...properties, Deployer: "c3d4" },
};

const choosing = (choice: object) =>
  readAccessRequest({ ...create, ResourceProperties: { ...properties, ...choice } }, context)
    .rights;

describe("a request of CloudFormation", () => {
  it("names the cluster and the rights", () => {
    expect(readAccessRequest(create, context)).toMatchObject({
      clusterName: "sample",
      owner: `${stack}/AccessRights93470C93`,
      physicalId: "eks-node-lifecycle-access-to-sample",
      rights: {
        parts: ["fence", "aws-auth-fence", "event-fence", "rbac", "force"],
        ownTaint: "",
        account,
        nodeRoles: [],
      },
    });
  });

  it("may leave out force, and may name a taint", () => {
    const OwnTaint = "example.com/draining:NoSchedule";
    expect(choosing({ Force: "never", OwnTaint })).toEqual({
      parts: ["fence", "aws-auth-fence", "event-fence", "rbac"],
      ownTaint: "example.com/draining=:NoSchedule",
      account,
      nodeRoles: [],
      outOfService: "never",
      makeRoom: "off",
      conditions: "off",
      force: "never",
    });
  });

  it("may let conditions of nodes be written", () => {
    const { parts, conditions } = choosing({ Conditions: "on" });
    expect([parts.includes("conditions"), conditions]).toEqual([true, "on"]);
  });

  it("may have the agent restarted where nothing else may be deleted, by a repair function alone", () => {
    const SecondOpinion = "restart-agent";
    const partsOf = (properties: object) => choosing(properties).parts.slice(4);
    const restarts = { Repairs: "on", Force: "never", SecondOpinion };
    expect(partsOf(restarts)).toEqual(["repairs", "agent-restart"]);
    expect(partsOf({ ...restarts, Force: "at-deadline" })).toEqual(["repairs", "force"]);
    expect(partsOf({ ...restarts, SecondOpinion: "off" })).toEqual(["repairs"]);
    expect(partsOf({ ...restarts, Repairs: "off" })).toEqual([]);
    expect(() => choosing({ SecondOpinion: "on" })).toThrow(/ResourceProperties\.SecondOpinion/);
  });

  it("may give the upgrade function its rights", () => {
    expect(choosing({ Upgrades: "on" }).parts).toContain("upgrades");
    expect(choosing({ Upgrades: "off" }).parts).not.toContain("upgrades");
  });

  it("may let nodes be removed, and be called out of service", () => {
    const { parts, outOfService } = choosing({ RemoveNode: "stopped", OutOfService: "taint" });
    expect(parts).toContain("node-removal");
    expect(outOfService).toBe("taint");
    expect(choosing({ RemoveNode: "never" }).parts).not.toContain("node-removal");
  });

  it("may let the function record Events; a stack of an older version says nothing of them", () => {
    expect(choosing({ Events: "on" }).parts).toContain("events");
    expect(choosing({ Events: "off" }).parts).not.toContain("events");
    expect(choosing({}).parts).not.toContain("events");
  });

  it.each([
    ["none", []],
    ["read", ["aws-auth-read"]],
    ["edit", ["aws-auth-read", "aws-auth-edit"]],
  ])("says what the function does with aws-auth: %s", (AwsAuth, parts) => {
    const NodeRoles = ["arn:aws-cn:iam::123456789012:role/one"];
    expect(choosing({ AwsAuth, NodeRoles }).parts).toEqual([
      "fence",
      "aws-auth-fence",
      "event-fence",
      "rbac",
      ...parts,
      "force",
    ]);
  });

  it("may ask for a priority level of the function's own", () => {
    const parts = ["fence", "aws-auth-fence", "event-fence", "flow", "rbac", "force"];
    expect(choosing({ ApiPriority: "own" }).parts).toEqual(parts);
    expect(choosing({ ApiPriority: "shared" }).parts).not.toContain("flow");
    expect(() => choosing({ ApiPriority: "first" })).toThrow(/ResourceProperties\.ApiPriority/);
  });

  it("may name the roles of nodes, with their paths", () => {
    const role = (name: string) => `${account}:role/${name}`;
    const NodeRoles = [role("team/one"), role("two")];
    expect(choosing({ NodeRoles }).nodeRoles).toEqual([role("one"), role("two")]);
  });

  it.each([{}, { NodeRoles: [] }])(
    "cannot ask for the rights to edit aws-auth for no role: %j",
    (roles) => {
      expect(() => choosing({ AwsAuth: "edit", ...roles })).toThrow(
        "reading ResourceProperties.NodeRoles: expected the roles that may be mapped in aws-auth, got an empty list",
      );
      expect(choosing({ AwsAuth: "read", ...roles }).nodeRoles).toEqual([]);
    },
  );

  it("cannot say whose roles the function may map: the deployer's own account does", () => {
    const Account = "arn:aws:iam::999988887777";
    expect(choosing({ Account, account: Account }).account).toBe(account);
    for (const wrong of [{}, { invokedFunctionArn: `x${invokedFunctionArn}` }])
      expect(() => readAccessRequest(create, wrong)).toThrow(
        /context\.invokedFunctionArn.*the ARN of a function/,
      );
  });

  it.each(["arn:aws-cn:iam::999988887777:role/nodes", "arn:aws:iam::123456789012:role/nodes"])(
    "cannot name a role of another account or partition: %s",
    (role) => {
      expect(() => choosing({ NodeRoles: [`${account}:role/one`, role] })).toThrow(
        `reading ResourceProperties.NodeRoles: expected roles of ${account} alone, got "${role}"`,
      );
    },
  );

  it("may say that no other stack is to have rights in the cluster, as the template's form does", () => {
    const others = (more: object) => {
      const event = { ...create, ResourceProperties: { ...properties, ...more } };
      return readAccessRequest(event, context).others;
    };
    expect([others({}), others({ Others: "refused" })]).toEqual(["allowed", "refused"]);
    expect(() => others({ Others: "some" })).toThrow(/ResourceProperties\.Others/);
  });

  it.each([
    ["arn:aws:iam::123456789012:role/x', 'y"],
    ["arn:aws:iam::123456789012:role/*"],
    ["arn:aws:sts::123456789012:assumed-role/x/y"],
    [1],
  ])("cannot inject an expression by a role: %j", (role) => {
    expect(() => choosing({ NodeRoles: [role] })).toThrow(
      /ResourceProperties\.NodeRoles\[0\].*the ARN of a role/,
    );
  });

  it.each([
    ["' || true || '"],
    ["x' == 'x"],
    ['draining"}'],
    ["a/b/c"],
    ["draining\n"],
    ["-draining"],
    ["draining"],
    ["draining=true:NoExecute"],
    ["karpenter.sh/disrupted:NoSchedule"],
    ["x=' || true || ':NoSchedule"],
    [undefined],
  ])("cannot inject an expression into the fence: %j", (OwnTaint) => {
    expect(() => choosing({ OwnTaint })).toThrow(
      /ResourceProperties\.OwnTaint.*a taint with a key of your own that evicts no pod/,
    );
  });

  it("cannot choose rights that do not exist", () => {
    expect(() => choosing({ Force: "always" })).toThrow(/ResourceProperties\.Force/);
    expect(() => choosing({ AwsAuth: "all" })).toThrow(/ResourceProperties\.AwsAuth/);
    const objects = [{ apiVersion: "v1", kind: "Secret", metadata: { name: "x" } }];
    expect(choosing({ Manifests: JSON.stringify(objects) })).toEqual(choosing({}));
  });

  it("to delete chooses no rights, whatever its properties say", () => {
    const ResourceProperties = { ClusterName: "sample" };
    const remove = { ...own, RequestType: "Delete", ResourceProperties };
    expect(readAccessRequest(remove, context)).toMatchObject({
      owner: readAccessRequest(create, context).owner,
      rights: {
        parts: [],
        ownTaint: "",
        account: "",
        nodeRoles: [],
        outOfService: "never",
        makeRoom: "off",
        conditions: "off",
        force: "never",
      },
      ifItFails: "keep",
    });
  });
});

describe("what a failed request has made", () => {
  it("is removed after a Create, because no request to delete it follows", () => {
    expect(readAccessRequest(create, context).ifItFails).toBe("undo");
  });

  it("stays after an Update, because the former deployment needs it", () => {
    expect(readAccessRequest(update, context).ifItFails).toBe("keep");
  });

  it("is removed after an Update that is the first for its cluster", () => {
    const OldResourceProperties = { ...properties, ClusterName: "other" };
    expect(readAccessRequest({ ...update, OldResourceProperties }, context).ifItFails).toBe("undo");
  });
});

describe("the counts that are raised for drains", () => {
  const on = { ...properties, MakeRoom: "annotated" };

  it.each([
    [
      "are put back when no room is made any more",
      { ...update, OldResourceProperties: on },
      "ends",
    ],
    [
      "are put back when all rights go",
      {
        ...update,
        RequestType: "Delete",
        ResourceProperties: on,
        OldResourceProperties: undefined,
      },
      "ends",
    ],
    [
      "stay where room goes on being made",
      { ...update, OldResourceProperties: on, ResourceProperties: on },
      "as before",
    ],
    ["are none where no room was made", update, "as before"],
    ["are none where room is made from now on", { ...create, ResourceProperties: on }, "as before"],
  ])("%s", (_, request, makingRoom) => {
    expect(readAccessRequest(request, context).makingRoom).toBe(makingRoom);
  });
});
