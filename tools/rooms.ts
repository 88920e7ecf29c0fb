/**
 * The rooms of `src/`. `npm run docs` writes from this table the rules of imports for lint (`.oxlintrc.rooms.json`),
 * and the tables of rooms in CONTRIBUTING and docs/01. A new room is one line here and a README of five lines in its
 * folder.
 */

/** One folder of `src/`. */
export interface Room {
  readonly name: string
  /** What it is for, as the tables say it. */
  readonly holds: string
  /** Rooms that stand above it in the table: so no circle can be written. */
  readonly mayImport: readonly string[]
  /** True if it may import modules of Node; all others reach the machine through ports. */
  readonly usesNode: boolean
}

const pure = ['model', 'codec']
const made = [...pure, 'generate']
const connected = [...pure, 'network']
const edited = [...pure, 'edit']

/** All rooms, in the order of their floors. A room that has no folder yet keeps its place. */
export const rooms: readonly Room[] = [
  room('model', 'types and value rules, error codes, ports', []),
  room('codec', 'text to values and back', ['model']),
  room('generate', 'values that are generated in the cluster: keys, certificates, derived values', pure),
  room('network', 'transport, credentials, clients of registries and forges', pure),
  room('kube', 'client of API servers', pure),
  room('edit', 'files that people write, changed in place', pure),
  room('sources', 'reads fleets, releases, charts, archives', connected),
  room('render', 'engine, functions, charts, stacks', made),
  room('handoff', 'objects of Flux and Argo CD, order, gates, bindings', made),
  room('check', 'checks a rendered tree', pure),
  room('diff', 'compares rendered trees', pure),
  room('inventory', 'lists what a rendered fleet consists of', pure),
  room('write', 'rendered objects to files', pure),
  room('replay', 'records of runs: what they read, and their results', pure),
  room('publish', 'branches, pull requests, artifacts', connected),
  room('report', 'findings and results to text, JSON, Markdown, HTML and forms of others', pure),
  room('status', 'states of clusters, and why something is not ready', [...pure, 'kube']),
  room('adopt', 'takes over clusters of the Cluster Stack Operator', pure),
  room('build', 'releases from provider directories', edited),
  room('create', 'files of new clusters and stacks', edited),
  room('install', 'objects that install the controller', pure),
  room('pipeline', 'wires the rooms', [
    ...connected,
    'edit',
    'generate',
    'sources',
    'render',
    'handoff',
    'check',
    'diff',
    'inventory',
    'write',
    'replay',
    'publish',
    'report',
    'adopt',
    'build',
    'create',
    'kube',
    'status',
    'install',
  ]),
  room('controller', 'the program in the management cluster', [...made, 'kube']),
  room('cli', 'arguments in, text and exit status out', ['model', 'report', 'pipeline', 'controller']),
  room('system', 'the ports on Node', ['model'], { usesNode: true }),
]

/** Files of `src/` itself that start the program: they build the ports and hand over to cli. */
export const startFiles: Pick<Room, 'mayImport'> & { readonly files: readonly string[] } = {
  files: ['src/program.ts', 'src/main.ts'],
  mayImport: ['model', 'cli', 'system'],
}

/** The program of threads that expand clusters. */
const threadFile: typeof startFiles = {
  files: ['src/thread.ts'],
  mayImport: ['model', 'pipeline', 'system'],
}

/** Folders beside `src/` that tests import from: not the other way round. */
const foldersBesideTests: readonly string[] = ['tools', 'bench']

/** The rooms that data passes in a run of `render`. */
export const stages: readonly string[] = ['sources', 'model', 'render', 'handoff', 'check', 'write']

function room(
  name: string,
  holds: string,
  mayImport: readonly string[],
  { usesNode }: Pick<Room, 'usesNode'> = { usesNode: false },
): Room {
  return { name, holds, mayImport, usesNode }
}

const topFiles = ['**/main.ts', '**/program.ts', '**/thread.ts', '**/index.ts']

/** The rules of imports, as overrides of the configuration of lint. */
export function lintOverrides(): readonly object[] {
  const overrides = rooms.map(({ name, mayImport, usesNode }) =>
    restrict(
      [`src/${name}/**`],
      [
        ...(usesNode ? [] : [{ group: ['node:*'], message: `${name} reaches Node through ports only` }]),
        {
          group: [...roomsBut([name, ...mayImport]), ...topFiles],
          message: `${name} may import ${mayImport.length === 0 ? 'nothing' : `${mayImport.join(', ')} only`}`,
        },
      ],
    ),
  )
  const start = restrict(startFiles.files, [
    { group: roomsBut(startFiles.mayImport), message: 'program.ts builds the ports and hands over to cli' },
  ])
  const thread = restrict(threadFile.files, [
    { group: roomsBut(threadFile.mayImport), message: 'thread.ts lets pipeline answer the messages of system' },
  ])
  const besideTests = foldersBesideTests.map((folder) =>
    restrict(
      [`${folder}/**`],
      [
        {
          group: ['**/test/**', 'vitest'],
          message: `${folder} imports nothing of the tests: both import tools/servers`,
        },
      ],
    ),
  )
  return [...overrides, start, thread, ...besideTests]
}

function restrict(files: readonly string[], patterns: readonly object[]): object {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } }
}

/** Patterns of imports from any other room. By room, not by `../`: that would break one folder deeper. */
function roomsBut(names: readonly string[]): readonly string[] {
  return rooms.filter(({ name }) => !names.includes(name)).map(({ name }) => `**/${name}/**`)
}

/** The table of CONTRIBUTING, of the rooms that have a folder. */
export function roomTable(folders: ReadonlySet<string>): string {
  const rows = rooms
    .filter(({ name }) => folders.has(name))
    .map(({ name, holds, mayImport, usesNode }) => {
      const allowed = mayImport.filter((other) => folders.has(other))
      return `| \`src/${name}\` | ${holds} | ${allowed.join(', ') || 'nothing'} | ${usesNode ? 'yes' : 'no'} |`
    })
  const start = `| \`src/program.ts\` | builds the ports, hands over to cli | ${startFiles.mayImport.join(', ')} | yes |`
  const thread = `| \`src/thread.ts\` | the program of threads that expand clusters | ${threadFile.mayImport.join(', ')} | yes |`
  return ['| room | holds | may import | Node |', '| --- | --- | --- | --- |', ...rows, start, thread].join('\n')
}

/** The way of data through the rooms that have a folder. */
export function stageLine(folders: ReadonlySet<string>): string {
  return ['```', stages.filter((name) => folders.has(name)).join(' → '), '```'].join('\n')
}
