/**
 * Makes a release of the commit that is checked out: `tsx tools/release.ts [--dry-run | --snapshot] [FOLDER]` writes, into the folder
 * (dist-release), the npm package, the executables, bills of materials, notes and digests. Equal commits give equal
 * bytes, wherever and whenever they are built. It publishes nothing: what to do with the files is said in the end.
 * `--dry-run` says what is in the way of a release, and what it would hold; `--snapshot` builds whatever is in the way, to
 * try it.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzip } from '../src/codec/bytes/gzip.ts'
import { type TarFile, writeTar } from '../src/codec/bytes/tar.ts'
import { unpinnedImages } from './base-images.ts'
import { billOf, type RuntimeVersions } from './bill-of-materials.ts'
import { bundleProgram } from './bundle.ts'
import { buildExecutable } from './executable.ts'
import { type Architecture, bringNode, nodeVersions } from './node.ts'

const architectures: readonly Architecture[] = ['x64', 'arm64']

function run(command: string, words: readonly string[], cwd: string): string {
  return execFileSync(command, words, { cwd, encoding: 'utf8', maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'inherit'] })
}

function versionOf(root: string): string {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return version
}

/** The section of a version in a changelog, without its heading; undefined where there is none. */
export function notesOf(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1)
  const found = sections.find((section) => /^\[?v?([^\s,\]]+)/.exec(section)?.[1] === version)
  if (found === undefined) return undefined
  return `${found.slice(found.indexOf('\n') + 1).trim()}\n`
}

/** What is in the way of releasing the commit that is checked out, a sentence each. */
export function problemsOf(root: string): readonly string[] {
  const version = versionOf(root)
  const lock: { readonly version: string } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const tag = `v${version}`
  const tagged = run('git', ['tag', '--points-at', 'HEAD'], root).split('\n')
  const problems: readonly (readonly [isOne: boolean, text: string])[] = [
    [run('git', ['status', '--porcelain'], root) !== '', 'there are changes that are not committed'],
    [lock.version !== version, `package-lock.json is of ${lock.version}, package.json of ${version}`],
    [
      notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version) === undefined,
      `CHANGELOG.md has no section "## ${version}"`,
    ],
    [!tagged.includes(tag), `the commit has no tag ${tag}`],
    ...unpinnedImages(readFileSync(join(root, 'Containerfile'), 'utf8')).map(
      (image) => [true, `Containerfile names ${image} without a digest: npx tsx tools/base-images.ts pins it`] as const,
    ),
  ]
  return problems.filter(([isOne]) => isOne).map(([, text]) => text)
}

/** Names of what a release holds. */
function namesOf(version: string): readonly string[] {
  return [
    `stackmason-${version}.tgz`,
    ...architectures.map((architecture) => `stackmason-${version}-linux-${architecture}.tar.gz`),
    `stackmason-${version}.cdx.json`,
    `stackmason-${version}-linux.cdx.json`,
    'release-notes.md',
    'SHA256SUMS',
  ]
}

/** What `npm pack` says of a package. */
interface Listed {
  readonly files: readonly { readonly path: string }[]
}

/** The npm package, as `npm pack` lists it: its own archive depends on its version, on zlib and on modes of files. */
function npmPackage(root: string): Uint8Array {
  // a list, or in newer versions of npm by the name of the package
  const listed: Readonly<Record<string, Listed>> | readonly Listed[] = JSON.parse(
    run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], root),
  )
  const files = Object.values(listed).flatMap((each) => each.files)
  const packed = files
    .map(({ path }) => path)
    .sort()
    .map((path): TarFile => ({
      path: `package/${path}`,
      bytes: readFileSync(join(root, path)),
      ...(path === 'dist/main.js' && { isExecutable: true }),
    }))
  return gzip(writeTar(packed))
}

function executableArchive(root: string, architecture: Architecture, executable: Uint8Array): Uint8Array {
  const node = bringNode(nodeVersions.lts, architecture)
  const notices = readFileSync(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
  const ofNode = `${'-'.repeat(80)}\nNode.js ${nodeVersions.lts.version}\n\n${readFileSync(join(node, 'LICENSE'), 'utf8')}`
  return gzip(
    writeTar([
      ...['LICENSE', 'NOTICE'].map((name) => ({ path: name, bytes: readFileSync(join(root, name)) })),
      { path: 'THIRD-PARTY-NOTICES.txt', bytes: Buffer.from(`${notices}\n${ofNode}`) },
      { path: 'stackmason', bytes: executable, isExecutable: true },
      { path: 'stackmason.1', bytes: readFileSync(join(root, 'man/stackmason.1')) },
    ]),
  )
}

/** Builds all of a release from the tree that this file is in, which has its packages installed. */
async function build(root: string, to: string): Promise<void> {
  const version = versionOf(root)
  run('npm', ['run', '--silent', 'build'], root)
  const dist = join(root, 'dist')
  const again = mkdtempSync(join(tmpdir(), 'stackmason-bundle-'))
  const { packages } = await bundleProgram(again)
  rmSync(again, { recursive: true })
  const node = join(bringNode(nodeVersions.lts), 'node')
  const runtime: RuntimeVersions = JSON.parse(run(node, ['-p', 'JSON.stringify(process.versions)'], root))
  const written = new Map<string, Uint8Array>()
  written.set(`stackmason-${version}.tgz`, npmPackage(root))
  for (const architecture of architectures) {
    const archive = executableArchive(root, architecture, await buildExecutable(architecture, dist))
    written.set(`stackmason-${version}-linux-${architecture}.tar.gz`, archive)
  }
  written.set(`stackmason-${version}.cdx.json`, Buffer.from(billOf(version, packages)))
  written.set(`stackmason-${version}-linux.cdx.json`, Buffer.from(billOf(version, packages, runtime)))
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  written.set('release-notes.md', Buffer.from(notesOf(changelog, version) ?? notesOf(changelog, 'Unreleased') ?? ''))
  const digests = [...written].map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
  written.set('SHA256SUMS', Buffer.from(digests.join('')))
  mkdirSync(to, { recursive: true })
  for (const [name, bytes] of written) writeFileSync(join(to, name), bytes)
}

/** Builds a release of the last commit of a repository, in a folder of its own where its packages are installed anew. */
export function buildRelease(root: string, to: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'stackmason-release-'))
  try {
    const archive = join(folder, 'tree.tar')
    run('git', ['archive', `--output=${archive}`, 'HEAD'], root)
    const tree = join(folder, 'tree')
    mkdirSync(tree)
    run('tar', ['-xf', archive, '-C', tree], folder)
    run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--silent'], tree)
    run('npx', ['tsx', 'tools/release.ts', '--build', resolve(to)], tree)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function main(words: readonly string[]): Promise<void> {
  const root = join(import.meta.dirname, '..')
  const [to = 'dist-release'] = words.filter((word) => !word.startsWith('--'))
  if (words.includes('--build')) return build(root, to)
  const version = versionOf(root)
  const problems = problemsOf(root)
  for (const problem of problems) console.error(`not ready: ${problem}`)
  if (words.includes('--dry-run')) {
    console.log(
      `Would write to ${to}:\n${namesOf(version)
        .map((name) => `  ${name}\n`)
        .join('')}Nothing was written.`,
    )
    if (problems.length > 0) process.exitCode = 1
  } else if (problems.length === 0 || words.includes('--snapshot')) {
    if (existsSync(to)) throw new Error(`${to} is there already`)
    buildRelease(root, to)
    console.log(
      [
        `Wrote ${to}. To publish it:`,
        `  git push origin v${version}`,
        `  npm publish ${to}/stackmason-${version}.tgz`,
        `  and a release v${version} of the forge with release-notes.md and all files of ${to}`,
      ].join('\n'),
    )
  } else process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2))
