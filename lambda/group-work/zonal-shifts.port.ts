/** The zones that a zonal shift moves traffic away from. */
export interface ZonalShifts {
  /** Their ids, such as `euw1-az2`, each once. */
  away(): Promise<readonly string[]>;
}
