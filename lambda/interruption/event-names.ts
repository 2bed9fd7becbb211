/** The names that AWS gives to the event of an instance in a Capacity Reservation which EC2 takes back. */
export const capacityReservationWarnings: readonly string[] = [
  "EC2 Capacity Reservation Instance Interruption Warning",
  "EC2 Interruptible Capacity Reservation Instance Interruption Warning",
];

/** The event of a Capacity Block that ends, by the first of its two names. */
export const blockWarning = "Capacity Block Expiration Warning";

/** The names of the events of a Capacity Block. One that has begun will end, and AWS names both events in two ways. */
export const capacityBlockEvents: readonly string[] = [
  "Capacity Block Delivered",
  "Capacity Block Reservation Delivered",
  blockWarning,
  "Capacity Block Reservation Expiration Warning",
];
