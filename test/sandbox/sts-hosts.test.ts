import { describe, expect, it } from "vitest";
import { stsHostRefusal } from "../../sandbox/aws/credentials/sts-hosts.ts";

const own = "own";

describe("an STS host", () => {
  it.each([
    ["aws", "sts.amazonaws.com", own],
    ["aws", "sts.eu-west-1.amazonaws.com", own],
    ["aws", "sts.ap-southeast-3.amazonaws.com", own],
    ["aws", "sts-fips.us-west-2.amazonaws.com", own],
    ["aws", "sts.us-west-2.api.aws", own],
    ["aws", "sts.not-a-region.amazonaws.com", own],
    ["aws-cn", "sts.cn-north-1.amazonaws.com.cn", own],
    ["aws-cn", "sts.cn-north-1.api.amazonwebservices.com.cn", own],
    ["aws-cn", "sts.not-a-region.amazonaws.com.cn", "not-a-region"],
    ["aws-us-gov", "sts.us-gov-east-1.amazonaws.com", own],
    ["aws-iso", "sts.us-iso-east-1.c2s.ic.gov", own],
  ])("of partition %s is %s", (partition, host, region) => {
    expect(stsHostRefusal(host, { partition, region })).toBeUndefined();
  });

  it.each([
    ["aws-cn", "sts.amazonaws.com", "global endpoint unsupported in partition aws-cn"],
    ["aws-us-gov", "sts.amazonaws.com", "global endpoint unsupported in partition aws-us-gov"],
    ["aws-moon", "sts.amazonaws.com", "global endpoint unsupported in partition aws-moon"],
    ["aws", "google.com", "invalid host format: google.com"],
    ["aws", "website.amazonaws.com", 'unexpected hostname "website.amazonaws.com"'],
    ["aws", "sts.amazonaws.com.cn", "unexpected hostname"],
    ["aws", "sts.cn-north-1.amazonaws.com.cn", "partition {aws} does not support hostname"],
    ["aws", "sts.cn-north-1.api.amazonwebservices.com.cn", "partition {aws} does not support"],
    ["aws-cn", "sts-fips.us-east-1.amazonaws.com", "partition {aws-cn} does not support"],
    ["aws-cn", "sts.us-west-2.amazonaws.com.cn", "unexpected hostname"],
    ["aws-iso-b", "sts.us-isob-east-1.amazonaws.com.cn", "unexpected hostname"],
    ["aws", "sts.eu-west-1.amazonaws.com:443", "unexpected hostname"],
    ["aws", "sts.eu_west.amazonaws.com", "invalid region identifier format provided: eu_west"],
    ["aws", "vpce-0a1b-2c3d.sts.eu-west-1.vpce.amazonaws.com", "unexpected hostname"],
  ])("of partition %s is not %s", (partition, host, reason) => {
    expect(stsHostRefusal(host, { partition, region: "eu-north-1" })).toContain(reason);
  });
});
