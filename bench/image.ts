/**
 * Builds the controller's image of the Containerfile as an OCI image where there is no container engine and no registry, unpacks it,
 * and starts the program in it, as nobody: what the image holds is enough to run. The steps are read from the
 * Containerfile and carried out on the last commit; for its two base images stands the Node of this machine with the
 * libraries that it needs. Needs root, npm's registry, and umoci (Debian's package of that name, or the path of one).
 *
 *   npx tsx bench/image.ts [umoci]
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [umoci = 'umoci'] = process.argv.slice(2)
const CHROOT = '/usr/sbin/chroot'
const work = mkdtempSync(join(tmpdir(), 'stackmason-image-'))
const [build, image, rootfs] = ['build', 'image', 'unpacked/rootfs'].map((name) => join(work, name)) as [
  string,
  string,
  string,
]
/** Instructions by their words; the first stage ends with the second FROM, the controller's begins with the last. */
const instructions = readFileSync(join(root, 'Containerfile'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    return name === '' ? [] : [{ name, rest }]
  })
const stages = instructions.flatMap(({ name }, index) => (name === 'FROM' ? [index] : []))
const [, second = 0] = stages
const last = stages.at(-1) ?? 0

function run(command: string, words: readonly string[], cwd: string = work): string {
  return execFileSync(command, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

/** The value of an instruction of the controller's stage. */
function said(name: string): string {
  const found = instructions.slice(last).find((instruction) => instruction.name === name)
  if (found === undefined) throw new Error(`the Containerfile says no ${name}`)
  return found.rest
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

/** The Node of this machine, with its libraries, where distroless has it. */
function placeNode(): void {
  const node = run('readlink', ['-f', process.execPath]).trim()
  const libraries = [...run('ldd', [node]).matchAll(/(?:=> )?(\/\S+) \(/g)].map(([, path = '']) => path)
  mkdirSync(join(rootfs, 'nodejs/bin'), { recursive: true })
  cpSync(node, join(rootfs, 'nodejs/bin/node'))
  for (const library of libraries) {
    mkdirSync(join(rootfs, dirname(library)), { recursive: true })
    cpSync(library, join(rootfs, library), { dereference: true })
  }
}

function buildFirstStage(): void {
  mkdirSync(build)
  execFileSync('sh', ['-c', 'git -C "$1" archive HEAD | tar -x -C "$2"', 'sh', root, build])
  for (const { name, rest } of instructions.slice(0, second)) if (name === 'RUN') run('sh', ['-c', rest], build)
}

function packLastStage(): void {
  run(umoci, ['init', '--layout', image])
  run(umoci, ['new', '--image', `${image}:test`])
  run(umoci, ['unpack', '--image', `${image}:test`, join(work, 'unpacked')])
  placeNode()
  const folder = join(rootfs, said('WORKDIR'))
  for (const { name, rest } of instructions.slice(last)) {
    const words = rest.split(' ')
    if (name !== 'COPY' || words.shift() !== '--from=build') continue
    const target = words.pop() ?? ''
    for (const source of words) {
      const to =
        words.length > 1 || target.endsWith('/')
          ? join(folder, target, source.slice('/build/'.length))
          : join(folder, target)
      cpSync(join(build, source.slice('/build'.length)), to, { recursive: true, verbatimSymlinks: true })
    }
  }
  run(umoci, ['repack', '--image', `${image}:test`, join(work, 'unpacked')])
  const entry = (JSON.parse(said('ENTRYPOINT')) as readonly string[]).flatMap((word) => ['--config.entrypoint', word])
  const env = said('ENV')
    .split(' ')
    .flatMap((word) => ['--config.env', word])
  const user = ['--config.user', said('USER'), '--config.workingdir', said('WORKDIR')]
  run(umoci, ['config', '--image', `${image}:test`, ...entry, ...env, ...user])
}

/** What an image's configuration says is to be started. */
interface Runtime {
  readonly args: readonly string[]
  readonly env: readonly string[]
  readonly user: { readonly uid: number; readonly gid: number }
}

/** Starts the program in the image; it can see and change nothing else. */
function start(bundle: string, words: readonly string[], input: string = ''): string {
  const config = JSON.parse(readFileSync(join(bundle, 'config.json'), 'utf8')) as { readonly process: Runtime }
  const { args, env, user } = config.process
  const as = `--userspec=${String(user.uid)}:${String(user.gid)}`
  const { stdout, stderr } = spawnSync(CHROOT, [as, join(bundle, 'rootfs'), ...args, ...words], {
    encoding: 'utf8',
    env: Object.fromEntries(env.map((pair) => pair.split('=') as [string, string])),
    input,
    timeout: 10_000,
  })
  return `${stdout}${stderr}`
}

try {
  buildFirstStage()
  packLastStage()
  const bundle = join(work, 'bundle')
  run(umoci, ['unpack', '--image', `${image}:test`, bundle])
  const layers = bytesBelow(join(image, 'blobs'))
  const app = bytesBelow(join(bundle, 'rootfs/app'))
  console.log(
    `image: ${(layers / 1e6).toFixed(1)} MB packed with the Node of this machine; of that the program takes ${(app / 1e6).toFixed(1)} MB unpacked`,
  )
  console.log(start(bundle, ['version']).trim())
  const manifests = start(bundle, ['controller', 'manifests', '--image', 'registry.example.com/stackmason:0.1.0'])
  console.log(`controller manifests: ${String(manifests.split('\n---\n').length)} objects`)
  const nobody = { server: 'https://127.0.0.1:1' }
  writeFileSync(
    join(bundle, 'rootfs/kubeconfig'),
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'a', cluster: nobody }],
      users: [{ name: 'a', user: { token: 'a' } }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      'current-context': 'a',
    }),
  )
  const log = start(bundle, ['controller', 'run', '--kubeconfig', '/kubeconfig', '--no-lease'])
  console.log(`controller run, where nothing answers, for 10 s:\n${log.trim()}`)
} finally {
  rmSync(work, { recursive: true, force: true })
}
