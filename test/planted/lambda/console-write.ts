// @ts-nocheck
export function tell(): void {
  console.log("drained");
}
