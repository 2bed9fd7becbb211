// @ts-nocheck
import { chunk } from "lodash";

export const pairs = (pods: readonly string[]): string[][] => chunk(pods, 2);
