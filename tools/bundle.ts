/**
 * Makes the program start fast, after `tsc`: `tsx tools/bundle.ts` puts dist/main.js and all that it imports into a few files, so that Node opens four
 * instead of three hundred, and evaluates the largest dependencies on first use. The library (dist/index.js) stays as compiled.
 */
import { build, type Plugin } from 'esbuild'
import { join } from 'node:path'

/** Modules that most runs never reach, and what stands in for each: `require` inside a function is evaluated on the first call. */
const lazyModules: ReadonlyMap<string, string> = new Map([
  ['ajv', `export function Ajv(options) { return new (require('ajv').Ajv)(options) }`],
  [
    'ajv/dist/2019.js',
    `export function Ajv2019(options) { return new (require('ajv/dist/2019.js').Ajv2019)(options) }`,
  ],
  [
    'ajv/dist/2020.js',
    `export function Ajv2020(options) { return new (require('ajv/dist/2020.js').Ajv2020)(options) }`,
  ],
  ['handlebars', `export default { create: () => require('handlebars').create() }`],
  ['re2js', `export const RE2JS = new Proxy({}, { get: (_, name) => require('re2js').RE2JS[name] })`],
])

const evaluateOnFirstUse: Plugin = {
  name: 'evaluate-on-first-use',
  setup(plugin) {
    plugin.onResolve({ filter: /^(?:ajv|handlebars|re2js)/ }, ({ path, kind }) =>
      kind === 'import-statement' && lazyModules.has(path) ? { path, namespace: 'lazy' } : undefined,
    )
    plugin.onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
      contents: lazyModules.get(path) ?? '',
      resolveDir: root,
    }))
  },
}

const root = join(import.meta.dirname, '..')
await build({
  entryPoints: [join(root, 'dist/main.js')],
  outdir: join(root, 'dist'),
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  chunkNames: 'bundle/[name]-[hash]',
  // they stay where they are installed: Node need not even read them
  external: ['ajv', 'handlebars', 're2js', 'undici', 'simple-git', 'octokit', 'fflate'],
  banner: {
    js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
  },
  plugins: [evaluateOnFirstUse],
  logLevel: 'warning',
})
