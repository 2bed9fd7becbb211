// @ts-nocheck
export default function handler(): void {}
