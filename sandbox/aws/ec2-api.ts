import {
  DescribeCapacityReservations$,
  type DescribeCapacityReservationsRequest,
  DescribeInstanceStatus$,
  type DescribeInstanceStatusRequest,
  DescribeInstances$,
  type DescribeInstancesRequest,
  type Filter,
  type Instance,
  RebootInstances$,
  type RebootInstancesRequest,
  type Reservation,
  type CapacityReservation as WireReservation,
} from "@aws-sdk/client-ec2";
import { type Account, arnOf } from "./account.ts";
import { AwsError } from "./aws-error.ts";
import type { CapacityReservation, Ec2, Ec2Instance, InstanceState } from "./ec2.ts";
import { type Operation, operation } from "./operation.ts";
import { page } from "./page.ts";
import { zoneId } from "./zonal-shifts.ts";

/** @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceState.html */
const stateCodes: Readonly<Record<InstanceState, number>> = {
  pending: 0,
  running: 16,
  "shutting-down": 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

/** EC2 answers in lower case; its model spells the value with a capital. */
const windows = "windows" as "Windows";

const reservedIn = ({ reservation }: Ec2Instance): Pick<Instance, "CapacityReservationId"> =>
  reservation === "" ? {} : { CapacityReservationId: reservation };

function wireInstance(instance: Ec2Instance): Instance {
  const { id, zone, state, platform, profileArn, lifecycle, tags } = instance;
  const gone = state === "terminated";
  return {
    InstanceId: id,
    ImageId: instance.imageId,
    InstanceType: instance.type as Instance["InstanceType"],
    State: { Code: stateCodes[state], Name: state },
    PrivateDnsName: gone ? "" : instance.privateDnsName,
    PrivateIpAddress: gone ? undefined : instance.privateIp,
    VpcId: gone ? undefined : instance.vpc,
    LaunchTime: new Date(instance.launchedAt),
    Placement: { AvailabilityZone: zone, AvailabilityZoneId: zoneId(zone), Tenancy: "default" },
    Platform: platform === "windows" ? windows : undefined,
    PlatformDetails: platform === "windows" ? "Windows" : "Linux/UNIX",
    IamInstanceProfile: gone || profileArn === "" ? undefined : { Arn: profileArn },
    HibernationOptions: { Configured: instance.hibernation === "configured" },
    InstanceLifecycle: lifecycle === "on-demand" ? undefined : lifecycle,
    ...reservedIn(instance),
    Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
  };
}

/** Whether an instance passes a filter, of which the function sends only lists of ids. */
function passes({ id, reservation }: Ec2Instance, { Name, Values = [] }: Filter): boolean {
  if (Name === "instance-id") return Values.includes(id);
  if (Name === "capacity-reservation-id") return Values.includes(reservation);
  throw new AwsError("InvalidParameterValue", `The filter '${Name}' is invalid`);
}

function describe(ec2: Ec2, { id: OwnerId }: Account, request: DescribeInstancesRequest) {
  const { InstanceIds: ids = [], Filters = [], MaxResults, NextToken } = request;
  const candidates = ids.length > 0 ? ids.map((id) => ec2.find(id)) : ec2.all();
  const found = candidates.filter((instance) =>
    Filters.every((filter) => passes(instance, filter)),
  );
  const { items, next } = page(found, { size: MaxResults ?? 1000, token: NextToken });
  const reservations = items.map(
    (instance): Reservation => ({
      ReservationId: instance.id.replace("i-", "r-"),
      OwnerId,
      Instances: [wireInstance(instance)],
    }),
  );
  return { Reservations: reservations, NextToken: next };
}

const wireReservation = (reservation: CapacityReservation): WireReservation => ({
  CapacityReservationId: reservation.id,
  InstanceType: reservation.instanceType,
  State: reservation.state,
  EndDate: new Date(reservation.ends),
  EndDateType: "limited",
  ReservationType: reservation.type,
});

/** An id that EC2 does not know is an error, unlike one in a filter. */
function describeReservations(
  ec2: Ec2,
  { CapacityReservationIds: ids, Filters: filters = [] }: DescribeCapacityReservationsRequest,
) {
  const all = ec2.reservations();
  const missing = ids?.find((id) => !all.some((one) => one.id === id));
  if (missing !== undefined)
    throw new AwsError(
      "InvalidCapacityReservationId.NotFound",
      `The Capacity Reservation '${missing}' does not exist`,
    );
  const asked = all.filter(
    ({ id, state }) =>
      (ids?.includes(id) ?? true) &&
      filters.every(({ Name, Values = [] }) => Name === "state" && Values.includes(state)),
  );
  return { CapacityReservations: asked.map(wireReservation) };
}

/** Without `IncludeAllInstances` EC2 tells the status of running instances alone. */
function describeStatus(ec2: Ec2, request: DescribeInstanceStatusRequest) {
  const { InstanceIds: ids = [], IncludeAllInstances: all = false } = request;
  const candidates = ids.length > 0 ? ids.map((id) => ec2.find(id)) : ec2.all();
  const shown = candidates.filter(({ state }) => all || state === "running");
  return {
    InstanceStatuses: shown.map(({ id, zone, state }) => ({
      InstanceId: id,
      AvailabilityZone: zone,
      InstanceState: { Code: stateCodes[state], Name: state },
      Events: ec2.scheduled(id).map((event) => ({
        InstanceEventId: event.id,
        Code: event.code,
        Description: event.description,
        NotBefore: new Date(event.notBefore),
      })),
    })),
  };
}

/** An instance that a request names, as a resource with its condition keys. */
function resourceOf(ec2: Ec2, account: Account, id: string) {
  const { tags = {} } = ec2.tryFind(id) ?? {};
  const keys = Object.entries(tags).flatMap(([key, value]) => [
    [`ec2:ResourceTag/${key}`, value],
    [`aws:ResourceTag/${key}`, value],
  ]);
  return { resource: arnOf(account, "ec2", `instance/${id}`), context: Object.fromEntries(keys) };
}

/** The operations of EC2 on instances that the sandbox supports. */
export const ec2Operations = (ec2: Ec2, account: Account): readonly Operation[] => [
  operation<DescribeInstancesRequest>("ec2", DescribeInstances$, (request) =>
    describe(ec2, account, request),
  ),
  operation<DescribeCapacityReservationsRequest>("ec2", DescribeCapacityReservations$, (request) =>
    describeReservations(ec2, request),
  ),
  operation<DescribeInstanceStatusRequest>("ec2", DescribeInstanceStatus$, (request) =>
    describeStatus(ec2, request),
  ),
  operation<RebootInstancesRequest>(
    "ec2",
    RebootInstances$,
    ({ InstanceIds: ids = [] }) => {
      for (const { id } of ids.map((one) => ec2.find(one))) ec2.reboot(id);
    },
    ({ InstanceIds: ids = [] }) => ids.map((id) => resourceOf(ec2, account, id)),
  ),
];
