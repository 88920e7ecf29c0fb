import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { positionAt } from '../../src/model/source.ts'
import { check, type CheckOptions } from '../../src/pipeline/commands/check.ts'
import { hintOf } from '../../src/report/hint-of.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { lab, labFleet } from '../../tools/fleets/lab-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A change of the lab that a rule judges. */
export interface LabRow {
  readonly name: string
  /** Files to write; null removes one. */
  readonly files?: Readonly<Record<string, string | null>> | undefined
  /** Lines of YAML below `spec` of stackmason.yaml. */
  readonly spec?: readonly string[] | undefined
  /** `severity CODE file:line:column message [subject] → hint`, in order. */
  readonly found: readonly string[]
}

/** The findings of a check of the lab, changed, each as one line. */
export async function checkLab({ files = {}, spec = [] }: Pick<LabRow, 'files' | 'spec'>): Promise<readonly string[]> {
  const fleet = labFleet(await tempFolder(), spec)
  fleet.change(files)
  return checkFleet(fleet)
}

/** The same for objects of the addon, in flow style, without their places. */
export async function checkObjects(
  objects: readonly string[],
  { files = {}, spec = [] }: Pick<LabRow, 'files' | 'spec'> = {},
): Promise<readonly string[]> {
  const template = objects.map((object) => `---\n${object}\n`).join('')
  const lines = await checkLab({ files: { [lab.template]: template, [lab.defaults]: '', ...files }, spec })
  return lines
    .filter((line) => !line.startsWith('note SCHEMA_MISSING '))
    .map((line) => line.replace(/ \S+:\d+:\d+ /, ' ').replace(' [team/one web]', ''))
}

/** The findings of a check of a fleet, each as one line. */
export async function checkFleet(fleet: FleetFolder, options: Partial<CheckOptions> = {}): Promise<readonly string[]> {
  const whole = { start: fleet.folder, clusters: [], stacks: [] }
  const { findings } = await check({ ...whole, ...options }, fleet.ports, () => undefined)
  return findings.map((finding) => lineOf(finding, fleet.folder))
}

function lineOf(finding: Diagnostic, folder: string): string {
  const { severity, code, message, at, file, about } = finding
  const source = at?.source.path ?? at?.source.name ?? file ?? ''
  const { line, column } = at === undefined ? { line: 0, column: 0 } : positionAt(at.source, at.start)
  const place = at === undefined ? source : `${source}:${String(line)}:${String(column)}`
  const subject = [about?.release, about?.cluster, about?.addon].filter((part) => part !== undefined).join(' ')
  return `${severity} ${code} ${place} ${message} [${subject}] → ${hintOf(finding)}`.replaceAll(`${folder}/`, '')
}
