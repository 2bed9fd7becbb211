"""Deploys the template for any cluster in moto's CloudFormation, for five clusters, and beside each what the construct
makes for the same cluster. moto has to come to the same resources with the same properties, but for the hooks and what decision 42 says of the ARNs in lists.
Its argument is the folder that test/lib/any-cluster/write-clusters.ts has written."""

import glob
import io
import json
import os
import re
import sys
import zipfile

os.environ.update(AWS_ACCESS_KEY_ID="testing", AWS_SECRET_ACCESS_KEY="testing", MOTO_ALLOW_NONEXISTENT_REGION="true")
import boto3
from moto import mock_aws
from moto.cloudformation.models import cloudformation_backends
from moto.cloudformation import parsing

moto_reads = parsing.clean_json


def clean_json(value, known):
    """What moto makes of a value, without the items of a list that are AWS::NoValue by a condition, which moto leaves in as None."""
    made = moto_reads(value, known)
    if not isinstance(value, list):
        return made
    return [one for one, item in zip(made, value) if one is not None or not (isinstance(item, dict) and "Fn::If" in item)]


parsing.clean_json = clean_json

ACCOUNT = "123456789012"
FUNCTION_ARN = re.compile(r"^arn:aws:lambda:[^:]*:\d+:function:")
ROLE_ID = re.compile(r"\bAROA[A-Z0-9]{16,17}\b")
OWN_ARN = re.compile(r"arn:(?:aws|\*):(autoscaling|ec2):[^:]*:[^:]*:((?:autoScalingGroup:\*:autoScalingGroupName|launch-template)/(?!\*$))")


def deployed(region, name, template, values):
    """The resources of a stack, as moto reads them with its parameters and conditions."""
    # moto runs functions in containers, so nobody would answer for the custom resources.
    simple = json.loads(json.dumps(template))
    for key, resource in template["Resources"].items():
        if resource["Type"].startswith("Custom::"):
            simple["Resources"][key] = {**resource, "Type": "AWS::CloudFormation::WaitConditionHandle"}
    simple = without_unknown(simple, simple["Resources"])
    client = boto3.client("cloudformation", region_name=region)
    parameters = [{"ParameterKey": key, "ParameterValue": value} for key, value in values.items()]
    client.create_stack(StackName=name, TemplateBody=json.dumps(simple), Parameters=parameters, Capabilities=["CAPABILITY_IAM"])
    [stack] = client.describe_stacks(StackName=name)["Stacks"]
    assert stack["StackStatus"] == "CREATE_COMPLETE", (name, stack["StackStatus"], stack.get("StackStatusReason"))
    known = cloudformation_backends[ACCOUNT][region].get_stack(name).resource_map
    made = {one["LogicalResourceId"] for one in client.list_stack_resources(StackName=name)["StackResourceSummaries"]} - {""}  # what a resource brings along
    resources = simple["Resources"]
    wanted = {key for key in resources if "Condition" not in resources[key] or known.lazy_condition_map[resources[key]["Condition"]]}
    assert made <= wanted, (name, made - wanted)
    physical = {known[key].physical_resource_id: key for key in made if getattr(known[key], "physical_resource_id", None)}
    physical.update(NETWORK)
    read = {key: clean_json(resources[key].get("Properties", {}), known) for key in wanted}
    outputs = {one["OutputKey"]: one["OutputValue"] for one in stack.get("Outputs", [])}
    return {key: (resources[key]["Type"], logical(read[key], physical)) for key in wanted}, set(outputs), made


def without_unknown(value, resources):
    """A template in which the attributes of resources that moto does not know are texts."""
    if isinstance(value, list):
        return [without_unknown(one, resources) for one in value]
    if not isinstance(value, dict):
        return value
    name = (value.get("Fn::GetAtt") or [value.get("Ref")])[0]
    if name in resources and parsing.resource_class_from_type(resources[name]["Type"]) is None:
        return ".".join(value.get("Fn::GetAtt", [name]))
    return {key: without_unknown(one, resources) for key, one in value.items()}


def logical(value, physical):
    """A value in which what moto has called a resource is its logical id again."""
    if isinstance(value, dict):
        return {key: logical(one, physical) for key, one in value.items()}
    if isinstance(value, list):
        return [logical(one, physical) for one in value]
    if isinstance(value, str):
        for name, key in sorted(physical.items(), key=lambda pair: -len(pair[0])):
            value = value.replace(name, key)
        value = re.sub(r"EksNodeLifecycle-any-(\w+?)-[A-Z0-9]{1,12}\b", r"\1", value)
    return value


def comparable(value):
    """A value without the intended differences: the ARNs in lists, their fence, that a form takes no cluster of another stack, numbers that a parameter makes texts, and the ids of roles, which are random."""
    if isinstance(value, dict):
        entries = {key: comparable(one) for key, one in value.items() if key not in ("aws:RequestedRegion", "Others")}
        return {key: one for key, one in entries.items() if not (key in ("Condition", "StringEquals") and one == {})}
    if isinstance(value, list):
        versions = [one for one in value if isinstance(one, str) and one.endswith(":*") and one[:-2] in value]  # of a function that its caller may call
        value = [one for one in value if one not in versions]
        return comparable(value[0]) if len(value) == 1 else [comparable(one) for one in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return OWN_ARN.sub(r"arn:*:\1:*:*:\2", FUNCTION_ARN.sub("", ROLE_ID.sub("AROA", value))) if isinstance(value, str) else value


def in_network(region, template, values):
    """The template and the parameters with ids of a VPC that is there, and the code in its bucket."""
    ec2 = boto3.client("ec2", region_name=region)
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    ids = {"vpc-0123456789abcdef0": vpc, "sg-0123456789abcdef0": ec2.create_security_group(GroupName="cluster", Description="cluster", VpcId=vpc)["GroupId"]}
    for number in (0, 1):
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{number}.0/24")["Subnet"]["SubnetId"]
        ids[f"subnet-0123456789abcdef{number}"] = subnet
    s3 = boto3.client("s3", region_name="us-east-1")
    s3.create_bucket(Bucket=f"code-{region}")
    archive = io.BytesIO()
    zipfile.ZipFile(archive, "w").writestr("index.cjs", "")
    for key in set(re.findall(r"[0-9a-f]{64}\.zip", json.dumps(template))):
        s3.put_object(Bucket=f"code-{region}", Key=key, Body=archive.getvalue())
    text = json.dumps([template, values])
    for old, new in ids.items():
        text = text.replace(old, new)
    NETWORK.clear()
    NETWORK.update({new: old for old, new in ids.items()})
    return json.loads(text)


NETWORK = {}


def is_hook(key, kind):
    return kind == "AWS::AutoScaling::LifecycleHook" or key.startswith("NodeLifecycleHooksAsked")


FUNCTION = r"\w*(?:Function|Deployer|onEvent)[0-9A-F]{8}"


def unchecked(value, key=""):
    """A template in which functions are called as the construct has them called: moto knows no code, and refuses some aliases."""
    if isinstance(value, list):
        return [unchecked(one, key) for one in value if not (isinstance(one, str) and re.fullmatch(FUNCTION + "Alias", one))]
    if not isinstance(value, dict):
        return "$LATEST" if key == "Qualifier" else value
    called = re.fullmatch(f"({FUNCTION})Alias", str(value.get("Ref")))
    if called:
        return {"Ref": called[1]} if key == "FunctionName" else {"Fn::GetAtt": [called[1], "Arn"]}
    if json.dumps(value).endswith('":checked"]]}'):
        return value["Fn::Join"][1][0]
    return {name: unchecked(one, name) for name, one in value.items() if not re.fullmatch(f"CodePublisher.*|{FUNCTION}(?:Alias|Published|Version)", name)}


def main(folder):
    template = unchecked(json.load(open(f"{folder}/template.json")))
    shared = json.load(open(f"{folder}/key.json"))  # a key for the Region
    compared = 0
    for path in sorted(glob.glob(f"{folder}/cluster-*.json")):
        cluster = json.load(open(path))
        region = cluster["region"]
        results = []
        for its, values in ((cluster["template"], {}), (template, cluster["values"])):
            with mock_aws():
                its, values = in_network(region, its, values)
                scaling = boto3.client("autoscaling", region_name=region)
                scaling.create_launch_configuration(LaunchConfigurationName="any", ImageId="ami-12345678", InstanceType="t3.micro")
                for group in filter(None, cluster["values"].get("GroupNames", "").split(",")):
                    scaling.create_auto_scaling_group(AutoScalingGroupName=group, LaunchConfigurationName="any", MinSize=0, MaxSize=0, AvailabilityZones=[f"{region}a"])
                stacks = boto3.client("cloudformation", region_name=region)
                stacks.create_stack(StackName="EksNodeLifecycleKey", TemplateBody=json.dumps(shared))
                NETWORK[stacks.list_exports()["Exports"][0]["Value"]] = "the key of the Region"
                results.append(deployed(region, "EksNodeLifecycle-any", its, values))
        (other, theirs, _), (own, outputs, made) = results
        ours = {key: (one[0], comparable(one[1])) for key, one in own.items() if not is_hook(key, one[0])}
        constructs = {key: (one[0], comparable(one[1])) for key, one in other.items() if not is_hook(key, one[0])}
        assert ours.keys() == constructs.keys(), ours.keys() ^ constructs.keys()
        for key in ours:
            assert ours[key] == constructs[key], f"{path}: {key}\n{json.dumps(ours[key])}\n{json.dumps(constructs[key])}"
        assert outputs == theirs, outputs ^ theirs
        compared += len(ours)
        print(f"{path}: {len(own)} resources, of which moto has made {len(made)}; {len(ours)} equal those of the construct")
    assert compared > 100, compared


main(sys.argv[1])
