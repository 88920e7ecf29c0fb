/**
 * What git takes for the rendered tree of a fleet as it is, and for the same objects in fewer files: one file for each
 * folder that is built by itself, and one for each cluster. Each figure is the median of several runs, one form after
 * the other in each round.
 *
 *   npx tsx bench/tree-forms.ts FOLDER [rounds]        FOLDER: a rendered tree, such as fleet/rendered
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { gitTestEnvironment } from '../tools/servers/git-server.ts'

const [, , given, rounds = '3'] = process.argv
if (given === undefined) throw new Error('usage: tree-forms.ts FOLDER [rounds]')
const source = resolve(given)
const work = mkdtempSync(join(tmpdir(), 'stackmason-forms-'))

/** The texts of a tree by path, and the file that a change of one cluster is in. */
interface Form {
  readonly name: string
  readonly files: ReadonlyMap<string, string>
}

const INDEX = 'kustomization.yaml'

function readTree(): ReadonlyMap<string, string> {
  const paths = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(source.length + 1))
    .filter((path) => !path.startsWith('.stackmason/'))
    .sort()
  return new Map(paths.map((path) => [path, readFileSync(join(source, path), 'utf8')]))
}

/** Puts all files of one group into one, in the order of their paths. */
function joined(files: ReadonlyMap<string, string>, placeOf: (path: string) => string): ReadonlyMap<string, string> {
  const groups = new Map<string, string[]>()
  for (const [path, text] of files) {
    const place = placeOf(path)
    const group = groups.get(place) ?? []
    groups.set(place, group)
    group.push(text)
  }
  return new Map(Array.from(groups, ([place, texts]) => [place, texts.join('---\n')]))
}

function perFolder(path: string): string {
  const isIndex = path.endsWith(INDEX)
  return path.startsWith('clusters/') && !isIndex ? join(dirname(path), 'objects.yaml') : path
}

function perCluster(path: string): string {
  const [top, namespace = '', name = ''] = path.split('/')
  return top === 'clusters' && name !== '' ? `${top}/${namespace}/${name}.yaml` : path
}

function git(folder: string, ...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: folder, env: gitTestEnvironment, encoding: 'utf8', maxBuffer: 2 ** 28 })
}

function timed(work: () => void): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

const steps = ['write', 'add all', 'status', 'add one', 'check out'] as const
type Times = Record<(typeof steps)[number], number>

function measure({ name, files }: Form): Times {
  const folder = join(work, name)
  mkdirSync(folder)
  git(folder, 'init', '--quiet')
  const write = timed(() => {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
  })
  const addAll = timed(() => git(folder, 'add', '--all'))
  git(folder, 'commit', '--quiet', '-m', 'one')
  git(folder, 'gc', '--quiet')
  const status = timed(() => git(folder, 'status', '--short'))
  const isOfCluster = (path: string): boolean => path.startsWith('clusters/') && !path.endsWith(INDEX)
  const [first, text = ''] = [...files].find(([path]) => isOfCluster(path)) ?? []
  if (first === undefined) throw new Error('no cluster in this tree')
  writeFileSync(join(folder, first), `${text}# changed\n`)
  const addOne = timed(() => {
    git(folder, 'add', '--all')
    git(folder, 'commit', '--quiet', '-m', 'two')
  })
  const checkOut = timed(() => git(work, 'clone', '--quiet', '--local', folder, `${folder}-clone`))
  rmSync(folder, { recursive: true })
  rmSync(`${folder}-clone`, { recursive: true })
  return { write, 'add all': addAll, status, 'add one': addOne, 'check out': checkOut }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN
}

const tree = readTree()
const forms: readonly Form[] = [
  { name: 'object', files: tree },
  { name: 'folder', files: joined(tree, perFolder) },
  { name: 'cluster', files: joined(tree, perCluster) },
]
const times = new Map<string, Times[]>(forms.map(({ name }) => [name, []]))
for (let round = 0; round < Number(rounds); round++) for (const form of forms) times.get(form.name)?.push(measure(form))
rmSync(work, { recursive: true })
const base = times.get('object') ?? []
for (const { name, files } of forms) {
  const size = [...files.values()].reduce((sum, text) => sum + text.length, 0)
  const figures = steps.map((step) => {
    const [own, other] = [times.get(name) ?? [], base].map((all) => median(all.map((one) => one[step])))
    return `${step} ${(own ?? NaN).toFixed(0)} ms (${((other ?? NaN) / (own ?? NaN)).toFixed(1)}x)`
  })
  console.log(
    `a file for each ${name}: ${String(files.size)} files, ${(size / 2 ** 20).toFixed(0)} MiB; ${figures.join(', ')}`,
  )
}
