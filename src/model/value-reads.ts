/** How the templates of a render read one map of their values. */
export interface MapReads {
  /** The keys that they asked for, whether they are there or not. */
  readonly keys: ReadonlySet<string>
  /** True if something went through the whole map: toYaml, range, merge and the like. */
  readonly isWhole: boolean
}

/** How the templates of one render read the map at a path of the root chart's values; undefined where none did. */
export type ValueReads = (path: readonly string[]) => MapReads | undefined

/** The path by which a value is known: globals are one map, whichever chart reads them. */
export function readPath(path: readonly string[]): string {
  return JSON.stringify(path.slice(Math.max(0, path.lastIndexOf('global'))))
}
