/**
 * Makes what is packed of the program: `tsx tools/bundle.ts [FOLDER]` puts, into the folder (dist),
 * - `bundle/program.cjs`, the program in one file, and main.js, a few lines that run it as `system/run-compiled.ts` tells;
 * - `bundle/render.cjs` and the like, as much of it as some commands need, which start sooner by that;
 * - `bundle/library.cjs` and index.js, the same for who imports us;
 * - `bundle/thread.cjs`, what of it runs in threads;
 * - `bundle/<package>.cjs`, each npm package in use with all that it needs, so that nothing else has to be installed;
 * - index.d.ts, the types of what the library exports, from what the compiler left in `.cache/types`.
 * What few runs need is evaluated on first use.
 */
import { build, type BuildOptions, type Plugin } from 'esbuild'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandEntries } from '../src/cli/command-table.ts'
import { withSharedShapes } from './shared-shapes.ts'
import { noticesOf, readPackages, type ThirdParty } from './third-party.ts'
import { rollUpTypes } from './type-roll-up.ts'

const root = join(import.meta.dirname, '..')

/** Modules that most runs never reach: evaluated once one of their exports is used, whichever. */
const lazyModules: ReadonlySet<string> = new Set([
  '@bufbuild/cel',
  '@bufbuild/cel/ext',
  ...['Enums', 'Models', 'Serialize', 'Spec'].map((part) => `@cyclonedx/cyclonedx-library/${part}`),
  'ajv',
  'ajv/dist/2019.js',
  'ajv/dist/2020.js',
  'bcryptjs',
  'handlebars',
  're2js',
  'yaml',
  ...[
    'child_process',
    'crypto',
    'https',
    'http',
    'stream',
    'timers/promises',
    'tls',
    'tty',
    'zlib',
    'fs/promises',
    'os',
    'net',
    'dns',
  ].map((name) => `node:${name}`),
])

/** Exports in use of packages that have many more, each with modules of its own. */
const usedExports: ReadonlyMap<string, readonly string[]> = new Map([['@kubernetes/client-node', ['KubeConfig']]])

/** What packages try to use and do without: for forms that we do not write. */
const optionalPackages: ReadonlySet<string> = new Set(['xmlbuilder2', 'libxmljs2', 'ajv-formats-draft2019'])

/** What the program imports: the package, and the names by which it is imported. */
const packages = new Map<string, Set<string>>()

/** Of a file, with that of packages inside of packages. */
const PACKAGE_FOLDER = /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/

const BARE = /^(?!node:)(?:@[^/]+\/)?[^./][^/]*/

/** The package that a name leads into; undefined for a file, and for what Node brings. */
function packageOf(name: string): string | undefined {
  return BARE.exec(name)?.[0]
}

/** The file that a package is put into. */
function fileOf(name: string): string {
  return `${name.replace('@', '').replace('/', '-')}.cjs`
}

/** How a file of the bundle reaches a module of a package. */
function accessOf(name: string): string {
  return `require(${JSON.stringify(`./${fileOf(packageOf(name) ?? name)}`)})[${JSON.stringify(name)}]`
}

const packagesInFilesOfTheirOwn: Plugin = {
  name: 'packages-in-files-of-their-own',
  setup(plugin) {
    plugin.onResolve({ filter: /^[^./]/ }, ({ path, kind, namespace }) => {
      if (namespace !== 'file' || kind === 'entry-point') return undefined
      const name = packageOf(path)
      if (name !== undefined) packages.set(name, (packages.get(name) ?? new Set()).add(path))
      if (kind === 'import-statement' && lazyModules.has(path)) return { path, namespace: 'lazy' }
      return name === undefined ? undefined : { path, namespace: 'package' }
    })
    plugin.onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
      contents: `const get = (_, name) => ${packageOf(path) === undefined ? `require(${JSON.stringify(path)})` : accessOf(path)}[name]\nmodule.exports = Object.create(new Proxy({}, { get }))`,
      resolveDir: root,
    }))
    plugin.onLoad({ filter: /.*/, namespace: 'package' }, ({ path }) => ({
      contents: `module.exports = ${accessOf(path)}`,
      resolveDir: root,
    }))
    plugin.onResolve({ filter: /^\.\// }, ({ path, namespace }) =>
      namespace === 'lazy' || namespace === 'package' ? { path, external: true } : undefined,
    )
  },
}

/** Of the files of one package: other packages that the program has, too, are taken from theirs. */
function withOthers(own: string): Plugin {
  return {
    name: 'other-packages',
    setup(plugin) {
      plugin.onResolve({ filter: /^[^./]/ }, ({ path, pluginData, resolveDir }) => {
        const name = packageOf(path)
        if (pluginData === 'again' || name === undefined) return undefined
        if (name !== own && packages.get(name)?.has(path) === true) return { path, namespace: 'package' }
        if (optionalPackages.has(name)) return { path, external: true }
        if (name !== own || !usedExports.has(path)) return undefined
        // no module of it does anything but define what it exports
        return plugin
          .resolve(path, { resolveDir, kind: 'import-statement', pluginData: 'again' })
          .then((found) => ({ ...found, sideEffects: false }))
      })
      plugin.onLoad({ filter: /.*/, namespace: 'package' }, ({ path }) => ({
        contents: `module.exports = ${accessOf(path)}`,
        resolveDir: root,
      }))
      plugin.onResolve({ filter: /^\.\// }, ({ path, namespace, resolveDir }) => {
        if (namespace === 'package') return { path, external: true }
        if (!usedExports.has(own) || !resolveDir.endsWith(`node_modules/${own}/dist`)) return undefined
        return { path: resolve(resolveDir, path), sideEffects: false }
      })
    },
  }
}

const options = {
  bundle: true,
  write: false,
  metafile: true,
  // names of files stand in what is bundled
  absWorkingDir: root,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  minifyWhitespace: true,
  // what is imported when it is needed is required then: code that V8 stored has lost how it imports
  supported: { 'dynamic-import': false },
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions

/** Folders of the npm packages of which something was bundled, from the root. */
const folders = new Set<string>()

/** One file of all that an entry imports. */
async function bundled(entry: BuildOptions): Promise<string> {
  const { outputFiles, metafile } = await build({ ...entry, ...options })
  const [output] = outputFiles
  if (output === undefined) throw new Error('nothing was bundled')
  for (const { inputs } of Object.values(metafile.outputs))
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = PACKAGE_FOLDER.exec(file)?.[0]
      if (folder !== undefined && bytesInOutput > 0) folders.add(folder)
    }
  return output.text
}

/** What stands in place of a command. */
const flagsOfTheProgram: readonly string[] = ['--help', '-h', '--version', '-v']

/** Files of the program that hold the code of some commands alone, by those. Who starts another takes the whole. */
export const filesOfCommands: ReadonlyMap<string, readonly string[]> = new Map([
  ['render.cjs', ['render']],
  // asked for while somebody types
  ['words.cjs', ['__complete', 'completion', 'help', 'version', ...flagsOfTheProgram]],
])

/** The first words for which a run keeps compiled code. */
export const firstWords: readonly string[] = [...commandEntries.map(({ spec }) => spec.name), ...flagsOfTheProgram]

/** Leaves out commands that are started from another file. */
function withCommands(names: readonly string[]): Plugin {
  return {
    name: 'some-commands',
    setup(plugin) {
      plugin.onResolve({ filter: /-command\/command\.ts$/ }, ({ path }) =>
        names.some((name) => path.endsWith(`/${name.replace(/^_+/, '')}-command/command.ts`))
          ? undefined
          : { path, namespace: 'elsewhere' },
      )
      plugin.onLoad({ filter: /.*/, namespace: 'elsewhere' }, ({ path }) => ({
        contents: `throw new Error(${JSON.stringify(`${path} is not in this file`)})`,
      }))
    },
  }
}

/** One file of our own code, which stands where `importMetaUrl` says; ASCII, because it is read as such. */
async function ownFile(source: string, plugins: readonly Plugin[] = []): Promise<string> {
  const text = await bundled({
    entryPoints: [join(root, 'src', source)],
    define: { 'import.meta.url': 'importMetaUrl' },
    plugins: [...plugins, packagesInFilesOfTheirOwn],
  })
  // what esbuild leaves of other characters stands in regular expressions, where escapes mean the same
  const script = text
    .replace(/^#!.*\n/, '')
    .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return withSharedShapes(script)
}

async function packageFile(name: string, modules: ReadonlySet<string>): Promise<string> {
  const names = [...modules].sort()
  const used = usedExports.get(name)
  const contents =
    used === undefined
      ? `module.exports = { ${names.map((path) => `get ${JSON.stringify(path)}() { return require(${JSON.stringify(path)}) }`).join(', ')} }`
      : `import { ${used.join(', ')} } from ${JSON.stringify(name)}\nmodule.exports = { ${JSON.stringify(name)}: { ${used.join(', ')} } }`
  return bundled({ stdin: { contents, resolveDir: root }, plugins: [withOthers(name)] })
}

/**
 * What modules are by themselves, and a function or a script is not: without it, functions that are called on a text get
 * an object. The program takes no directive within, because one of its parameters has a default.
 */
const STRICT = '"use strict";'

/** What a bundle is made of, and offers. */
export interface Bundled {
  /** Names that the library exports. */
  readonly exported: readonly string[]
  readonly packages: readonly ThirdParty[]
}

/**
 * sha256 of all that decides what a run comes to, hex: the program, its threads and packages, templates, schemas, and
 * the version. Another package of the same program may render something else.
 */
export function programDigest(bundle: string): string {
  const folders = { bundle, schemas: join(root, 'schemas'), templates: join(root, 'templates') }
  const files = new Map([['package.json', join(root, 'package.json')]])
  for (const [part, folder] of Object.entries(folders))
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name)
      if (entry.isFile() && entry.name !== 'library.cjs') files.set(join(part, relative(folder, file)), file)
    }
  const hash = createHash('sha256')
  for (const [name, file] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const bytes = readFileSync(file)
    hash.update(`${name} ${String(bytes.length)} `).update(bytes)
  }
  return hash.digest('hex')
}

/** A file that was made of the program. */
interface ProgramFile {
  readonly name: string
  /** Of the file, hex. */
  readonly sha256: string
  /** The commands that it is for; absent: all. */
  readonly commands?: readonly string[] | undefined
}

/** Makes a file of the program, or of these commands of it. */
async function programFile(bundle: string, name: string, commands?: readonly string[]): Promise<ProgramFile> {
  // who evaluates it may take the program instead of starting it: so do tests that bring streams, clocks and servers of
  // their own
  const start = 'use = (program, digest) => program.startProgram({ digest })'
  const own = await ownFile('program.ts', commands === undefined ? [] : [withCommands(commands)])
  // a function of its own for the modules: a name at the top of one of them would stand for the parameter
  const modules = `const module = {};(() => {${own}})()`
  const program = `${STRICT}(function (require, importMetaUrl, ${start}, digest) {${modules};use(module.exports, digest)})\n`
  writeFileSync(join(bundle, name), program)
  return { name, sha256: createHash('sha256').update(program).digest('hex'), commands }
}

/** Puts the program and its packages into a folder, with their licences. */
export async function bundleProgram(dist: string): Promise<Bundled> {
  const bundle = join(dist, 'bundle')
  mkdirSync(bundle, { recursive: true })
  const [program, ...parts] = [
    await programFile(bundle, 'program.cjs'),
    ...(await Promise.all([...filesOfCommands].map(([name, commands]) => programFile(bundle, name, commands)))),
  ]
  const here = `${STRICT}const importMetaUrl = require('node:url').pathToFileURL(require('node:path').join(__dirname, '../index.js')).href\n`
  writeFileSync(join(bundle, 'library.cjs'), `${here}${await ownFile('index.ts')}`)
  writeFileSync(join(bundle, 'thread.cjs'), `${STRICT}${await ownFile('thread.ts')}`)
  for (const [name, modules] of packages) writeFileSync(join(bundle, fileOf(name)), await packageFile(name, modules))

  await build({
    stdin: {
      contents: `#!/usr/bin/env node
import { runCompiled } from '../src/system/run-compiled.ts'
const parts = ${JSON.stringify(parts)}
const { name, sha256 } = parts.find(({ commands }) => commands.includes(process.argv[2])) ?? ${JSON.stringify(program)}
runCompiled({
  file: new URL('bundle/' + name, import.meta.url),
  start: import.meta.url,
  sha256,
  digest: '${programDigest(bundle)}',
  commands: ${JSON.stringify(firstWords)},
})`,
      resolveDir: import.meta.dirname,
    },
    outfile: join(dist, 'main.js'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minifyWhitespace: true,
    logLevel: 'warning',
  })
  const used = readPackages(root, [...folders])
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), noticesOf(used))
  const library: object = createRequire(import.meta.url)(join(bundle, 'library.cjs'))
  return { exported: Object.keys(library).sort(), packages: used }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = resolve(process.argv[2] ?? join(root, 'dist'))
  const { exported } = await bundleProgram(dist)
  writeFileSync(
    join(dist, 'index.js'),
    `import library from './bundle/library.cjs'\nexport const { ${exported.join(', ')} } = library\n`,
  )
  writeFileSync(join(dist, 'index.d.ts'), rollUpTypes(join(root, '.cache/types/index.d.ts')))
}
