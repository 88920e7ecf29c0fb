/**
 * Makes the program start fast, after `tsc`: `tsx tools/bundle.ts [FOLDER]` puts main.js of the folder (dist) and all
 * that it imports into one file, and a few lines in the place of main.js that run it as `system/run-compiled.ts` tells.
 * What few runs need is evaluated on first use. The library (index.js) stays as compiled.
 */
import { build, type Plugin } from 'esbuild'
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { commandEntries } from '../src/cli/command-table.ts'

const dist = resolve(process.argv[2] ?? join(import.meta.dirname, '../dist'))

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

const evaluateOnFirstUse: Plugin = {
  name: 'evaluate-on-first-use',
  setup(plugin) {
    plugin.onResolve({ filter: /.*/ }, ({ path, kind }) =>
      kind === 'import-statement' && lazyModules.has(path) ? { path, namespace: 'lazy' } : undefined,
    )
    plugin.onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
      contents: `const get = (_, name) => require(${JSON.stringify(path)})[name]\nmodule.exports = Object.create(new Proxy({}, { get }))`,
      resolveDir: dist,
    }))
  },
}

const program = await build({
  entryPoints: [join(dist, 'program.js')],
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  minifyWhitespace: true,
  define: { 'import.meta.url': 'importMetaUrl' },
  // they stay where they are installed: Node need not even read them
  external: [
    '@bufbuild/cel',
    '@bufbuild/cel/ext',
    '@cyclonedx/cyclonedx-library',
    '@kubernetes/client-node',
    'ajv',
    'bcryptjs',
    'handlebars',
    're2js',
    'undici',
    'simple-git',
    'octokit',
    'fflate',
    'pino',
    'prom-client',
    'yaml',
  ],
  plugins: [evaluateOnFirstUse],
  logLevel: 'warning',
})
const [output] = program.outputFiles
if (output === undefined) throw new Error('nothing was bundled')
mkdirSync(join(dist, 'bundle'), { recursive: true })
// Code that V8 stored has lost how it imports (Node says that no callback was specified), so the module that runs it
// does that in its place. The first line is for the operating system.
const body = output.text.replace(/^#!.*\n/, '').replaceAll(/\bimport\((?="[@a-z:/_-]+"\))/g, 'importModule(')
if (/[^.\w]import\(/.test(body)) throw new Error('the bundle imports what is not known while it is built')
// who evaluates it may take the program instead of starting it: so do tests that bring streams, clocks and servers of
// their own
const start = 'use = (program) => program.startProgram()'
const text = `(function (require, importMetaUrl, importModule, ${start}) {const module = {};${body};use(module.exports)})\n`
if (/[^\0-\x7f]/.test(text)) throw new Error('the bundle must be ASCII: it is read as such')
writeFileSync(join(dist, 'bundle/program.cjs'), text)
const sha256 = createHash('sha256').update(text).digest('hex')

await build({
  stdin: {
    contents: `#!/usr/bin/env node
import { runCompiled } from './system/run-compiled.js'
runCompiled({
  file: new URL('bundle/program.cjs', import.meta.url),
  start: import.meta.url,
  importModule: (name) => import(name),
  sha256: '${sha256}',
  commands: ${JSON.stringify(commandEntries.map(({ spec }) => spec.name))},
})`,
    resolveDir: dist,
  },

  outfile: join(dist, 'main.js'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  minifyWhitespace: true,
  logLevel: 'warning',
})
