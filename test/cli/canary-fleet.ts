import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Code } from '../../src/model/error-codes.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type CliRun, type CliRunOptions, runCli } from './run-cli.ts'

/** What no output may show, whatever goes wrong beside it. */
export const CANARY = 'hunter2Kanarienvogel'
export const CLUSTER = 'clusters/team-a/web/cluster.yaml'
export const VALUES = 'clusters/team-a/web/values/welcome.yaml'
export const ADDONS = 'clusters/team-a/web/addons.yaml'
export const OPTIONS = 'clusters/team-a/web/options.yaml'
export const PATCH = 'clusters/team-a/web/patches/p.yaml'
export const STACK = 'providers/docker/starter'
export const ADDON: string = `${STACK}/cluster-addon/welcome`
export const MAP: string = `${ADDON}/templates/configmap.yaml`
export const CONFIG = 'stackmason.yaml'

/** Files to write; an object changes what is there. */
export type Files = Readonly<Record<string, string | { readonly replace: string; readonly by: string }>>

/** Secrets of each form that inputs have; valid, so that a fault beside it is what is reported. */
export const PLANTED: string = [
  `password: ${CANARY}`,
  'env:',
  '  - name: DB_PASSWORD',
  `    value: ${CANARY}-env`,
  `  - value: "${CANARY}-env2"`,
  '    name: API_TOKEN',
  `pwd: '${CANARY}-pwd'`,
  `rootPw: ${CANARY}-root`,
  `repository: "user:${CANARY}-bare@host.example/x"`,
  `url: https://user:${CANARY}-url@host.example/x`,
  `inline: {token: ${CANARY}-flow, x: 1}`,
  'auth:',
  `  nested: ${CANARY}-nested`,
  'key: |',
  `  ${CANARY}-block`,
  '',
].join('\n')

/** The secret stands nowhere else, so nothing but its own place tells what it is. */
export const UNPLANTED: Files = { [VALUES]: 'message: x\n' }
export const appliedByFlux: { readonly replace: string; readonly by: string } = {
  replace: 'spec:\n',
  by: 'spec:\n  handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}}}\n',
}

/** A fleet full of secrets, and how it is worked on before the run that is looked at. */
export interface CanaryFleet {
  readonly folder: FleetFolder
  readonly cwd: string
  /** Runs the program in the fleet. */
  readonly run: (...words: readonly string[]) => Promise<CliRun>
}

/** An input with secrets, and the code that a run on it ends with or warns of. */
export interface CanaryCase {
  readonly code: Code
  readonly files?: Files
  /** `render` without. */
  readonly words?: readonly string[]
  /** What happens before the run: edits, commits, earlier runs, servers. What it gives changes how the run is made. */
  readonly prepare?: (fleet: CanaryFleet) => Promise<CliRunOptions | void> | void
  /** It takes long, and is run for the text alone: how codes are masked in JSON is tried for each of them. */
  readonly isLong?: boolean
  /** Where output holds what the user asked to have there. */
  readonly stdout?: 'manifests'
}

/** What `stackmason init` writes is the same each time: the files, by path. */
let initial: Promise<Readonly<Record<string, string>>> | undefined

async function initialize(): Promise<Readonly<Record<string, string>>> {
  const folder = new FleetFolder(await tempFolder())
  await runCli(['init'], { cwd: folder.folder })
  return Object.fromEntries(folder.filesBelow('.').map((path) => [path, folder.read(path)]))
}

/** What `stackmason init` writes, with secrets as values of its addon and these files. */
export async function makeFleet(files: Files = {}): Promise<string> {
  const folder = await tempFolder()
  new FleetFolder(folder).change(await (initial ??= initialize()))
  await writeFile(join(folder, VALUES), PLANTED)
  for (const [path, change] of Object.entries(files)) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    const text = typeof change === 'string' ? change : (await readFile(file, 'utf8')).replace(change.replace, change.by)
    await writeFile(file, text)
  }
  return folder
}

/** Makes the fleet of a case and prepares it. */
export async function prepareCase({
  files,
  prepare,
}: Pick<CanaryCase, 'files' | 'prepare'>): Promise<CliRunOptions & { readonly cwd: string }> {
  const cwd = await makeFleet(files)
  const given = await prepare?.({
    folder: new FleetFolder(cwd),
    cwd,
    run: (...words) => runCli(words, { cwd }),
  })
  return { cwd, ...given }
}

const allForms = (text: string): readonly string[] => {
  const bytes = Buffer.from(text)
  const shifted = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift, 'x'), bytes]).toString('base64')
    return encoded.slice(shift === 0 ? 0 : 4, 4 * Math.floor((bytes.length + shift) / 3))
  })
  return [text.toLowerCase(), ...shifted.map((form) => form.toLowerCase()), bytes.toString('hex')]
}

/** Where a text holds the canary, plain or encoded. */
export function leaks(text: string): readonly string[] {
  const lower = text.toLowerCase()
  return allForms(CANARY)
    .filter((form) => lower.includes(form))
    .map((form) => {
      const at = lower.indexOf(form)
      return text.slice(Math.max(0, at - 80), at + 80)
    })
}
