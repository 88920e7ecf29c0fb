/** Paths that lie beside each other: numbers of their folder and of their names, and of the first one. */
interface Run {
  readonly folder: number
  readonly names: number
  readonly first: number
}

/**
 * Absolute paths in the order of their UTF-16 code units, each once. Folders of clusters hold files of the same names:
 * each list of names is kept once, and a path is made when it is asked for. A thousand clusters take a megabyte, not
 * twenty.
 */
export class SortedPaths implements Iterable<string> {
  readonly length: number
  private readonly folders: readonly string[]
  private readonly names: readonly (readonly string[])[]
  private readonly runs: readonly Run[]
  /** Made when it is first needed. */
  #byFolder: Map<string, Run[]> | undefined

  constructor(folders: readonly string[], names: readonly (readonly string[])[], runs: readonly Run[]) {
    this.folders = folders
    this.names = names
    this.runs = runs
    const last = runs.at(-1)
    this.length = last === undefined ? 0 : last.first + this.namesOf(last).length
  }

  /** The path at an index below `length`. */
  at(index: number): string {
    const run = this.runs[firstOf(this.runs.length, (at) => (this.runs[at]?.first ?? 0) <= index) - 1]
    const name = run === undefined ? undefined : this.namesOf(run)[index - run.first]
    if (run === undefined || name === undefined) throw new Error(`there is no path ${index} of ${this.length}`)
    return this.pathOf(run, name)
  }

  /** Where a path stands; undefined where it is none of these. */
  indexOf(path: string): number | undefined {
    const slash = path.lastIndexOf('/')
    const name = path.slice(slash + 1)
    for (const run of this.runsOf(path.slice(0, Math.max(0, slash)))) {
      const names = this.namesOf(run)
      const at = firstOf(names.length, (index) => (names[index] ?? '') < name)
      if (names[at] === name) return run.first + at
    }
    return undefined
  }

  /** Where the first path stands that does not come before this one. */
  firstAt(path: string): number {
    const next = firstOf(this.runs.length, (index) => this.firstOf(index) < path)
    const run = this.runs[next - 1]
    if (run === undefined) return 0
    const names = this.namesOf(run)
    return run.first + firstOf(names.length, (index) => this.pathOf(run, names[index] ?? '') < path)
  }

  /** Where the paths below a folder begin, and where they have ended. `0` comes right after `/`. */
  below(folder: string): readonly [from: number, to: number] {
    return [this.firstAt(`${folder}/`), this.firstAt(`${folder}0`)]
  }

  /** Some of them, as a list. */
  slice(from: number, to: number): string[] {
    const paths: string[] = []
    for (const [, path] of this.entries(from, to)) paths.push(path)
    return paths
  }

  /** Each path with its index. */
  *entries(from = 0, to: number = this.length): Generator<readonly [index: number, path: string]> {
    for (const run of this.runs) {
      const names = this.namesOf(run)
      if (run.first >= to) return
      for (let at = Math.max(0, from - run.first); at < names.length && run.first + at < to; at++)
        yield [run.first + at, this.pathOf(run, names[at] ?? '')]
    }
  }

  *[Symbol.iterator](): Generator<string> {
    for (const [, path] of this.entries()) yield path
  }

  /** As lists of texts, for {@link parsePaths}. */
  format(): readonly (readonly string[])[] {
    const runs = this.runs.map(({ folder, names }) => `${folder} ${names}`)
    return [this.folders, this.names.map((names) => names.join('/')), runs]
  }

  private runsOf(folder: string): readonly Run[] {
    if (this.#byFolder === undefined) {
      this.#byFolder = new Map()
      for (const run of this.runs) {
        const known = this.#byFolder.get(this.folders[run.folder] ?? '')
        if (known === undefined) this.#byFolder.set(this.folders[run.folder] ?? '', [run])
        else known.push(run)
      }
    }
    return this.#byFolder.get(folder) ?? []
  }

  private firstOf(index: number): string {
    const run = this.runs[index]
    return run === undefined ? '' : this.pathOf(run, this.namesOf(run)[0] ?? '')
  }

  private namesOf({ names }: Run): readonly string[] {
    return this.names[names] ?? []
  }

  private pathOf({ folder }: Run, name: string): string {
    return `${this.folders[folder] ?? ''}/${name}`
  }
}

/** The first of `length` sorted things that does not come before. */
function firstOf(length: number, isBefore: (index: number) => boolean): number {
  let low = 0
  for (let high = length; low < high;) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}

/** Takes absolute paths in their order, each once. */
export class PathsInOrder {
  private readonly folders: string[] = []
  private readonly names: (readonly string[])[] = []
  private readonly runs: Run[] = []
  private readonly knownFolders = new Map<string, number>()
  private readonly knownNames = new Map<string, number>()
  private folder = ''
  private pending: string[] = []
  private count = 0

  add(path: string): void {
    const slash = path.lastIndexOf('/')
    if (slash === -1) throw new Error(`${path} is no absolute path`)
    const folder = path.slice(0, slash)
    if (folder !== this.folder) this.endRun()
    this.folder = folder
    this.pending.push(path.slice(slash + 1))
    this.count++
  }

  get length(): number {
    return this.count
  }

  end(): SortedPaths {
    this.endRun()
    return new SortedPaths(this.folders, this.names, this.runs)
  }

  private endRun(): void {
    const { pending, folder } = this
    if (pending.length === 0) return
    const names = numberOf(pending.join('/'), this.knownNames)
    if (names === this.names.length) this.names.push(pending)
    const number = numberOf(folder, this.knownFolders)
    if (number === this.folders.length) this.folders.push(folder)
    this.runs.push({ folder: number, names, first: this.count - pending.length })
    this.pending = []
  }
}

/** Absolute paths that are sorted, each once. */
export function pathsInOrder(paths: Iterable<string>): SortedPaths {
  const list = new PathsInOrder()
  for (const path of paths) list.add(path)
  return list.end()
}

/** Reads the lists of `format`. */
export function parsePaths([folders = [], lists = [], texts = []]: readonly (readonly string[])[]): SortedPaths {
  const names = lists.map((list) => list.split('/'))
  const runs: Run[] = []
  let first = 0
  for (const text of texts) {
    const [folder = 0, list = 0] = text.split(' ').map(Number)
    runs.push({ folder, names: list, first })
    first += names[list]?.length ?? 0
  }
  return new SortedPaths(folders, names, runs)
}

/** The number that a text has among others, the next one where it has none. */
function numberOf(text: string, known: Map<string, number>): number {
  const number = known.get(text) ?? known.size
  known.set(text, number)
  return number
}
