import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { joinPath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import { formatManifestYaml } from '../../codec/yaml/manifest-yaml.ts'
import { ARTIFACTS, type ArtifactUnit, pinFile } from '../../model/artifact-unit.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import type { Fleet } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import { Dict } from '../../model/value.ts'
import { type ArtifactPin, PIN_HEAD, readPin } from '../../publish/oci/artifact-pin.ts'
import { readCommit, readDiskFile, type Texts } from '../../sources/committed/tree-files.ts'
import { createPinWriter, createUnitDigest, listUnits, readUnit } from './oci-pins.ts'

/** A tree with pins of artifacts. */
export interface PinnedOutput {
  readonly fleet: Fleet
  /** The output folder; absolute. */
  readonly output: string
  /** The revision that a change is to replace; absent: nobody knows what the change is. */
  readonly base: string | undefined
}

/**
 * Finds what is wrong in the folder with the pins: GitOps tools apply all of it, and no rendered file says what it is
 * to hold. A pin fits where its digest follows from the files of its unit; files may have changed since it was written,
 * so an older one may stay as the base has it.
 * @throws StackmasonError HANDOFF_TEMPLATE, CONFIG_UNKNOWN_FILE, FILE_UNREADABLE, BASE_UNKNOWN, GIT_FAILED
 */
export async function checkPins(
  { fleet, output, base }: PinnedOutput,
  ports: Ports,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  const { foreign, pins } = await listPins(output, ports)
  const findings: Diagnostic[] = foreign.map((path) => foreignFile(output, path))
  if (pins.length === 0) return { findings }
  const root = await ports.files.realPath(output)
  const units = byPin(await listUnits(root, ports))
  const folder = { output, folder: ARTIFACTS }
  const before = base === undefined ? undefined : await readCommit(folder, () => true, { base, ports })
  const { oci } = fleet.publish
  const config = oci?.artifacts === 'units' ? oci : undefined
  const write = config && (await createPinWriter(fleet, config, ports))
  const judge = async (path: string, text: string): Promise<Diagnostic | undefined> => {
    const pin = isAlone(path, text) ? readPin(text) : undefined
    const own = units.get(path) ?? []
    const [first] = own
    const about = { output, path, base, isKept: pin !== undefined && isKept(path, { text, before }) }
    if (pin === undefined && (first === undefined || write === undefined)) return foreignFile(output, path)
    if (first === undefined) return about.isKept ? undefined : pinOfNothing(about)
    if (write === undefined) return about.isKept ? undefined : pinLeft(about)
    const texts = pin === undefined ? [] : own.map((unit) => write({ unit, ...pin }))
    const at = texts.findIndex((wanted) => isSame(wanted, text))
    if (pin === undefined || at === -1) return otherPin(about, { unit: first, text, wanted: texts[0] ?? '' })
    const unit = own[at] ?? first
    return about.isKept || (await fits(pin, { root, unit, ports })) ? undefined : unfitPin(about, unit)
  }
  for (const path of pins) {
    const found = await judge(path, await readDiskFile(joinPath(root, path), ports))
    if (found !== undefined) findings.push(found)
  }
  return { findings }
}

/** The files at places of pins, and all else; links are not followed. Paths in the tree. */
async function listPins(
  output: string,
  { files, git }: Pick<Ports, 'files' | 'git'>,
): Promise<{ readonly foreign: readonly string[]; readonly pins: readonly string[] }> {
  const foreign: string[] = []
  const pins: string[] = []
  const top = await files.stat(joinPath(output, ARTIFACTS))
  if (top === undefined) return { foreign, pins }
  if (top.type !== 'directory') return { foreign: [ARTIFACTS], pins }
  const namespaces = await files.entries(joinPath(output, ARTIFACTS))
  const empty = namespaces.length === 0 ? [ARTIFACTS] : []
  for (const namespace of namespaces) {
    const folder = `${ARTIFACTS}/${namespace.name}`
    if (namespace.type !== 'directory') {
      foreign.push(folder)
      continue
    }
    const entries = await files.entries(joinPath(output, folder))
    if (entries.length === 0) empty.push(folder)
    for (const { name, type } of entries)
      (type === 'file' && name.endsWith('.yaml') ? pins : foreign).push(`${folder}/${name}`)
  }
  // git has no empty folders: here a submodule is not checked out, and where Flux looks it may be
  const committed = empty.length === 0 ? undefined : await git.listCommitted(output)
  foreign.push(...empty.filter((folder) => committed?.has(`${folder}/`)))
  return { foreign, pins }
}

/** Units by the path of their pin: the names of a cluster and a stack may lead to one. */
function byPin(units: readonly ArtifactUnit[]): ReadonlyMap<string, readonly ArtifactUnit[]> {
  const found = new Map<string, ArtifactUnit[]>()
  for (const unit of units) found.set(pinFile(unit), [...(found.get(pinFile(unit)) ?? []), unit])
  return found
}

async function fits(
  { digest, origin }: ArtifactPin,
  { root, unit, ports }: { readonly root: string; readonly unit: ArtifactUnit; readonly ports: Ports },
): Promise<boolean> {
  return createUnitDigest(await readUnit(root, unit, ports), ports.crypto)(origin) === digest
}

/** True if the base has the pin just so. */
function isKept(
  path: string,
  { text, before }: { readonly text: string; readonly before: Texts | undefined },
): boolean {
  const known = before?.get(path.slice(ARTIFACTS.length + 1))
  return known !== undefined && isSame(known, text)
}

/** True if two texts are equal but for the line endings of git on Windows. */
function isSame(a: string, b: string): boolean {
  return a === b || a.replaceAll('\r\n', '\n') === b.replaceAll('\r\n', '\n')
}

/** True if a file holds nothing but the object that its path says. */
function isAlone(path: string, text: string): boolean {
  try {
    const object = parseGoYaml(text, { integers: 'int' })
    return (
      object instanceof Dict &&
      textAt(object, 'kind') === 'OCIRepository' &&
      textAt(object, 'apiVersion').startsWith('source.toolkit.fluxcd.io/') &&
      `${ARTIFACTS}/${textAt(object, 'metadata', 'namespace')}/${textAt(object, 'metadata', 'name')}.yaml` === path &&
      isSame(PIN_HEAD + formatManifestYaml(object), text)
    )
  } catch (error) {
    if (error instanceof YamlError) return false
    throw error
  }
}

/** A file that was looked at. */
interface JudgedPin {
  readonly output: string
  readonly path: string
  readonly base: string | undefined
  readonly isKept: boolean
}

/** It goes when Flux has let go of it. */
function pinLeft(about: JudgedPin): Diagnostic {
  const message = 'the fleet pins no artifacts (spec.publish.oci.artifacts), and this is a pin of one'
  return about.base === undefined
    ? finding(about, {
        severity: 'warning',
        message,
        hint: 'Remove it when Flux has applied the tree that does without. `--base origin/main` tells whether this change edits it.',
      })
    : finding(about, { message, hint: restoring(about) })
}

function foreignFile(output: string, path: string): Diagnostic {
  return {
    code: 'OUTPUT_FOREIGN',
    severity: 'error',
    message: `this is no pin of an artifact as \`publish\` writes it, and Flux applies all that lies in ${ARTIFACTS}/`,
    file: joinPath(output, path),
    hint: 'Move it out of the output folder.',
  }
}

function pinOfNothing(about: JudgedPin): Diagnostic {
  const more = about.base === undefined ? ' `--base origin/main` lets it stand until then where the base has it.' : ''
  return finding(about, {
    message: 'this pins an artifact of a cluster or stack that the tree does not have',
    hint: `Remove it; \`stackmason publish\` does that, too.${more}`,
  })
}

function otherPin(
  about: JudgedPin,
  { unit, text, wanted }: { readonly unit: ArtifactUnit; readonly text: string; readonly wanted: string },
): Diagnostic {
  const start = firstDifference(text, wanted)
  return finding(about, {
    ...(about.isKept && { severity: 'warning' }),
    message: `the pin of ${unit.folder} is not what \`publish\` writes there: Flux may get other content by it, or unverified`,
    at: { source: { name: joinPath(about.output, about.path), text }, start, end: start },
    hint: about.isKept
      ? 'The base has it so, too. Let `stackmason publish` write it anew.'
      : about.base === undefined
        ? 'Let `stackmason publish` write it anew. Where settings or templates change, `--base origin/main` lets the pins stand that the base has.'
        : restoring(about),
  })
}

function unfitPin(about: JudgedPin, { folder }: ArtifactUnit): Diagnostic {
  const message = `this pins other content than the tree has: the digest does not follow from the files of ${folder}`
  return about.base === undefined
    ? finding(about, {
        severity: 'warning',
        message,
        hint: 'The next `stackmason publish` pins what the tree has. `--base origin/main` tells whether this change edits the pin.',
      })
    : finding(about, { message, hint: restoring(about) })
}

function restoring({ base = 'HEAD', output, path }: JudgedPin): string {
  const file = shellWord(joinPath(output, path))
  return `Let it be as the base has it, and \`stackmason publish\` write the new one: git checkout ${shellWord(base)} -- ${file}`
}

function finding(
  { output, path }: JudgedPin,
  more: Pick<Diagnostic, 'message' | 'hint' | 'at'> & Partial<Pick<Diagnostic, 'severity'>>,
): Diagnostic {
  return { code: 'OUTPUT_PIN', severity: 'error', file: joinPath(output, path), ...more }
}

/** Where the first line begins that is another one. */
function firstDifference(text: string, wanted: string): number {
  const others = wanted.split(/\r?\n/)
  let start = 0
  for (const [index, line] of text.split('\n').entries()) {
    if (line.replace(/\r$/, '') !== others[index]) return start
    start += line.length + 1
  }
  return text.length
}
