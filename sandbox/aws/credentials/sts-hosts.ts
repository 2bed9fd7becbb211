/** The partition and Region where a verifier of tokens runs. */
export interface VerifierPlace {
  readonly partition: string;
  readonly region: string;
}

interface Partition {
  readonly regions: RegExp;
  readonly domain: string;
  readonly dualStack: string;
}

/** @see https://github.com/aws/aws-sdk-go-v2/blob/main/internal/endpoints/awsrulesfn/partitions.json */
const commercial: Partition = {
  regions: /^(us|eu|ap|sa|ca|me|af|il|mx)-\w+-\d+$/,
  domain: "amazonaws.com",
  dualStack: "api.aws",
};

const partitions: Readonly<Record<string, Partition>> = {
  aws: commercial,
  "aws-cn": {
    regions: /^cn-\w+-\d+$/,
    domain: "amazonaws.com.cn",
    dualStack: "api.amazonwebservices.com.cn",
  },
  "aws-us-gov": { regions: /^us-gov-\w+-\d+$/, domain: "amazonaws.com", dualStack: "api.aws" },
  "aws-iso": { regions: /^us-iso-\w+-\d+$/, domain: "c2s.ic.gov", dualStack: "" },
  "aws-iso-b": { regions: /^us-isob-\w+-\d+$/, domain: "sc2s.sgov.gov", dualStack: "" },
  "aws-iso-e": { regions: /^eu-isoe-\w+-\d+$/, domain: "cloud.adc-e.uk", dualStack: "" },
  "aws-iso-f": { regions: /^us-isof-\w+-\d+$/, domain: "csp.hci.ic.gov", dualStack: "" },
  "aws-eusc": {
    regions: /^eusc-\w+-\w+-\d+$/,
    domain: "amazonaws.eu",
    dualStack: "api.amazonwebservices.eu",
  },
};

const regionForm = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/;

const hostsIn = (service: string, region: string, { domain, dualStack }: Partition) =>
  [domain, dualStack].filter(Boolean).map((suffix) => `${service}.${region}.${suffix}`);

/** An unknown partition has no hosts. */
const partitionOf = ({ partition }: VerifierPlace): Partition =>
  partitions[partition] ?? { regions: /^$/, domain: "", dualStack: "" };

/** The hosts the SDK would use for a Region; the SDK treats an unknown Region as commercial. */
function resolvedHosts(region: string): readonly string[] {
  const known = Object.values(partitions).find(({ regions }) => regions.test(region));
  const partition = known ?? commercial;
  return [...hostsIn("sts", region, partition), ...hostsIn("sts-fips", region, partition)];
}

/** The Region of an STS host: its second label, or `global`. */
export const stsRegion = (host: string): string =>
  host === "sts.amazonaws.com" ? "global" : (host.split(".")[1] ?? "");

function regionalRefusal(host: string, region: string, place: VerifierPlace): string | undefined {
  if (!regionForm.test(region)) return `invalid region identifier format provided: ${region}`;
  const own = partitionOf(place);
  if (!resolvedHosts(region).includes(host))
    return hostsIn("sts", place.region, own).includes(host)
      ? undefined
      : `unexpected hostname ${JSON.stringify(host)} in pre-signed URL`;
  return [own.domain, own.dualStack].includes(host.split(".").slice(2).join("."))
    ? undefined
    : `partition {${place.partition}} does not support hostname ${host}`;
}

/**
 * Why a host is not an STS endpoint for a verifier; undefined if it is one.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/master/pkg/token/token.go
 */
export function stsHostRefusal(host: string, place: VerifierPlace): string | undefined {
  if (host.split(".").length < 3)
    return `could not parse region for pre-signed URL ${host}, invalid host format: ${host}`;
  const region = stsRegion(host);
  if (region !== "global") return regionalRefusal(host, region, place);
  return partitionOf(place) === commercial
    ? undefined
    : `global endpoint unsupported in partition ${place.partition}`;
}
