// Upgrades in each command. Each part loads its modules late, because all together take long.
export const inDeadLetters = () => import("./in-dead-letters.ts");
export const inDoctor = () => import("./in-doctor.ts");
export const inDrain = () => import("./in-drain.ts");
export const inOutput = () => import("./in-output.ts");
export const inStatus = () => import("./in-status.ts");
export const inTimeline = () => import("./in-timeline.ts");
export const inVerify = () => import("./in-verify.ts");
