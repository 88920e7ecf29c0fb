/**
 * Builds a release of the last commit twice: in other folders, with another clock, umask, locale and time zone. Says how
 * long it takes, and which files differ; ends with 1 if one does.
 *
 *   npx tsx bench/reproducible.ts
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'stackmason-reproducible-'))
/** Others may commit meanwhile. */
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
const DAYS = 400
const clock = join(work, 'clock.mjs')
writeFileSync(
  clock,
  `const now = Date.now
Date.now = () => now() + ${String(DAYS * 86_400_000)}
globalThis.Date = new Proxy(Date, { construct: (of, given) => new of(...(given.length === 0 ? [Date.now()] : given)) })
`,
)

const places: readonly {
  readonly name: string
  readonly umask: string
  readonly env: Readonly<Record<string, string>>
}[] = [
  { name: 'first', umask: '022', env: { TZ: 'UTC', LC_ALL: 'C' } },
  {
    name: 'second-with-a-longer-name',
    umask: '077',
    env: { TZ: 'Pacific/Auckland', LC_ALL: 'tr_TR.UTF-8', NODE_OPTIONS: `--import ${clock}` },
  },
]

/** The lines of SHA256SUMS of a release that was built there. */
function build({ name, umask, env }: (typeof places)[number]): readonly string[] {
  const temporary = join(work, name)
  mkdirSync(temporary)
  const checkout = join(temporary, 'checkout')
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', root, checkout])
  execFileSync('git', ['checkout', '--quiet', commit], { cwd: checkout })
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'))
  const started = performance.now()
  execFileSync(
    'sh',
    ['-c', 'umask "$0"; exec npx tsx tools/release.ts --snapshot "$1"', umask, join(temporary, 'out')],
    {
      cwd: checkout,
      env: { ...process.env, ...env, TMPDIR: temporary },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(0)} s`)
  return readFileSync(join(temporary, 'out/SHA256SUMS'), 'utf8').trim().split('\n')
}

try {
  const [first = [], second = []] = places.map(build)
  const different = first.filter((line) => !second.includes(line))
  for (const line of first) console.log(line)
  console.log(
    different.length === 0 && first.length === second.length ? 'all equal' : `different: ${different.join(', ')}`,
  )
  if (different.length > 0 || first.length !== second.length) process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true })
}
