/**
 * Paths of files in the folders of clusters. A fleet has tens of thousands, and most clusters have files of the same
 * names: each is kept once.
 */
export class ClusterPaths {
  readonly #byCluster = new Map<string, string[]>()
  readonly #names = new Map<string, string>()
  /** The folder of the path before, and the paths in it: most follow others of their cluster. */
  #last: readonly [folder: string, paths: string[]] | undefined

  /** Notes a path below the folder of all clusters; of one in no cluster's folder nothing is kept. */
  note(path: string): void {
    if (this.#last === undefined || !path.startsWith(this.#last[0])) this.#last = this.#placeOf(path)
    if (this.#last === undefined) return
    const [folder, paths] = this.#last
    paths.push(this.#named(path.slice(folder.length)))
  }

  /** The paths of a cluster's files, by its key, relative to its folder. */
  of(cluster: string): readonly string[] {
    return this.#byCluster.get(cluster) ?? []
  }

  #placeOf(path: string): readonly [string, string[]] | undefined {
    const end = path.indexOf('/', path.indexOf('/') + 1)
    if (end === -1) return undefined
    const cluster = path.slice(0, end)
    const paths = this.#byCluster.get(cluster) ?? []
    this.#byCluster.set(cluster, paths)
    return [`${cluster}/`, paths]
  }

  #named(name: string): string {
    const known = this.#names.get(name)
    if (known === undefined) this.#names.set(name, name)
    return known ?? name
  }
}
