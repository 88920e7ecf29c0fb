import type { CheckInputs } from '../../check/check-inputs.ts'
import type { PlacedObject } from '../../check/placed-object.ts'
import type { PolicyObject } from '../../check/policy/policy-file.ts'
import { readBuiltInSchemas } from '../../check/schema/built-in-schemas.ts'
import { findConflictMarker } from '../../codec/text/conflict-marker.ts'
import { decodeUtf8, escapedByteAt } from '../../codec/bytes/utf8.ts'
import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { parseGoJson } from '../../codec/json/go-json.ts'
import { baseName, joinPath, relativePath } from '../../codec/path.ts'
import { positionedFile } from '../../codec/yaml/positioned-file.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { itemsAt, type PathStep, textAt } from '../../model/field.ts'
import type { Fleet } from '../../model/fleet.ts'
import { unreadable } from '../../model/file-problem.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import { FileError, type Files, type Ports } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import { Dict, type Value } from '../../model/value.ts'
import { classTemplateProblem } from '../../render/stack/class-template.ts'

const KUBERNETES = 'templates/kubernetes/schemas.txt'
/** The folder of definitions in the package. */
export const OWN_DEFINITIONS = 'templates/crds'
/** The folder of definitions of the objects that GitOps tools are handed, by tool. */
const HANDOFF_DEFINITIONS = 'templates/definitions'
/** The folder of the fleet, beside stackmason.yaml. */
export const POLICIES = 'policies'
const OBJECT_FILE = /\.(?:ya?ml|json)$/
/** Names that look like those, and that are passed over. */
const NEARLY_OBJECT_FILE = /\.(?:ya?ml|json)(?:\.txt)?$/i
/** No definition that an API server takes is as large: a request has 3 MB at most. */
const MAX_BYTES = 32 * 1024 * 1024

/**
 * Reads what rules of check know besides the units: what comes with the program, and the definitions in folders of the
 * fleet.
 * @throws StackmasonError FILE_UNREADABLE, CONFIG_SYNTAX
 */
export async function readCheckInputs(
  {
    root,
    output,
    schemaFolders,
    managementMinor,
    handoff,
    variableRenames,
  }: Pick<Fleet, 'root' | 'output' | 'schemaFolders' | 'managementMinor' | 'handoff' | 'variableRenames'>,
  { files, packageFiles }: Pick<Ports, 'files' | 'packageFiles'>,
): Promise<CheckInputs> {
  const problems: Diagnostic[] = []
  const definitions: Dict[] = []
  for (const name of await packageFiles.names(OWN_DEFINITIONS)) {
    const path = `${OWN_DEFINITIONS}/${name}`
    const text = decodeUtf8(await packageFiles.read(path))
    definitions.push(...definitionsIn({ name: path, text }, problems))
  }
  const ownDefinitions: PlacedObject[] = []
  const withoutDefinitions: string[] = []
  const unread: Diagnostic[] = []
  for (const folder of schemaFolders) {
    const known = ownDefinitions.length
    for (const path of await filesBelow(folder, files, problems)) {
      const text = await readText(path, files, problems)
      if (text !== undefined) ownDefinitions.push(...placedDefinitionsIn({ name: path, text, path }, problems, unread))
    }
    if (ownDefinitions.length === known) withoutDefinitions.push(relativePath(root, folder))
  }
  const policies = await readPolicies(joinPath(root, POLICIES), files, problems)
  if (problems.length > 0) throw new StackmasonError(problems)
  return {
    builtIn: readBuiltInSchemas(decodeUtf8(await packageFiles.read(KUBERNETES))),
    managementMinor,
    definitions: [...definitions, ...ownDefinitions.map(({ object }) => object)],
    ownDefinitions,
    withoutDefinitions: withoutDefinitions.length > 0 ? withoutDefinitions : undefined,
    unreadDocuments: unread.length > 0 ? unread : undefined,
    renames: variableRenames,
    policies,
    classTemplateProblem,
    tool: handoff?.tool,
    handoffDefinitions: handoff && (await readHandoffDefinitions(handoff.tool, packageFiles)),
    treeFolder: output,
  }
}

/** They are written by a program, as JSON: the reader of YAML takes far longer. */
async function readHandoffDefinitions(tool: GitopsTool, packageFiles: Ports['packageFiles']): Promise<readonly Dict[]> {
  const all = parseGoJson(decodeUtf8(await packageFiles.read(`${HANDOFF_DEFINITIONS}/${tool}.json`)))
  return itemsAt(all).flatMap((one) => (one instanceof Dict ? [one] : []))
}

/** True for a file of the fleet's own policies, by its path relative to stackmason.yaml. */
export function isPolicyFile(path: string): boolean {
  return path.startsWith(`${POLICIES}/`) && OBJECT_FILE.test(path)
}

/** True for a file that may hold objects, by its name. */
export function isObjectFile(path: string): boolean {
  return OBJECT_FILE.test(path)
}

/**
 * The files of a folder that may hold objects, by path relative to `root`, `''` for none; those that cannot be read are
 * not there.
 */
export async function readObjectTexts(
  folder: string,
  root: string,
  { files }: Pick<Ports, 'files'>,
  isWanted: (path: string) => boolean = () => true,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  if ((await files.stat(folder))?.type !== 'directory') return texts
  for (const path of await filesBelow(folder, files, [])) {
    const name = root === '' ? path : relativePath(root, path)
    const text = isWanted(name) ? await readText(path, files, []) : undefined
    if (text !== undefined) texts.set(name, text)
  }
  return texts
}

/** The names of the CustomResourceDefinitions of a text, as far as it can be read. */
export function definedNames(text: string): readonly string[] {
  return definitionsIn({ name: '', text }, []).map((definition) => textAt(definition, 'metadata', 'name'))
}

/** The policies of the fleet, by the folder that says whose API servers they are for. */
async function readPolicies(folder: string, files: Files, problems: Diagnostic[]): Promise<readonly PolicyObject[]> {
  const type = (await files.stat(folder))?.type
  if (type === undefined) return []
  const found: PolicyObject[] = []
  // of a file, or whatever else it is, that says so
  for (const path of await filesBelow(folder, files, problems)) {
    const text = await readText(path, files, problems)
    if (text === undefined) continue
    const [first = ''] = path.slice(folder.length + 1).split('/')
    const servers = first === 'management' || first === 'workload' ? first : 'all'
    const source: Source = { name: path, text, path }
    for (const document of documentsIn(source, problems))
      for (const { object, path: steps } of listedIn(document.value))
        found.push({ object, servers, at: placesIn(source, document, steps) })
  }
  return found
}

/** The objects of a document, those of a list as `kubectl get` writes it; of what is none, one that has nothing. */
function listedIn(value: Value): readonly { readonly object: Dict; readonly path: readonly PathStep[] }[] {
  if (!(value instanceof Dict)) return [{ object: new Dict(), path: [] }]
  if (!textAt(value, 'kind').endsWith('List') || !Array.isArray(value.get('items')))
    return [{ object: value, path: [] }]
  return itemsAt(value, 'items').map((item, index) => ({
    object: item instanceof Dict ? item : new Dict(),
    path: ['items', index],
  }))
}

async function filesBelow(folder: string, files: Files, problems: Diagnostic[]): Promise<readonly string[]> {
  try {
    const found: string[] = []
    for (const { name, type } of await files.entries(folder)) {
      const path = joinPath(folder, name)
      if (type === 'directory') found.push(...(await filesBelow(path, files, problems)))
      else if (type === 'file' && OBJECT_FILE.test(name)) found.push(path)
      else if (type === 'file' && NEARLY_OBJECT_FILE.test(name)) problems.push(passedOver(path))
      // one that is not read would not guard; a text for people may be a link
      else if (type !== 'file' && (OBJECT_FILE.test(name) || !name.includes('.') || (await leadsToFolder(path, files))))
        problems.push(unreadable(new FileError('wrong-type', path, { found: type }), { what: 'the file', file: path }))
    }
    return found
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    problems.push(unreadable(error, { what: 'the folder', file: folder }))
    return []
  }
}

/** True of a link to a folder, and of one that leads back to itself. */
async function leadsToFolder(path: string, files: Files): Promise<boolean> {
  try {
    return (await files.stat(await files.realPath(path)))?.type === 'directory'
  } catch (error) {
    if (error instanceof FileError) return error.reason !== 'not-found'
    throw error
  }
}

function passedOver(file: string): Diagnostic {
  return {
    code: 'CONFIG_UNKNOWN_FILE',
    severity: 'error',
    message: `${baseName(file)} would not be read: names of files with objects end with .yaml, .yml or .json`,
    file,
    hint: 'Rename it, or move it out of the folder.',
  }
}

async function readText(path: string, files: Files, problems: Diagnostic[]): Promise<string | undefined> {
  try {
    const size = (await files.stat(path))?.size ?? 0
    if (size <= MAX_BYTES) {
      const text = decodeUtf8(await files.read(path))
      const escaped = escapedByteAt(text)
      if (escaped === undefined) return text
      problems.push(notUtf8({ name: path, text, path }, escaped))
      return undefined
    }
    const message = `the file is too large for definitions: ${String(size)} bytes`
    problems.push({ code: 'FILE_UNREADABLE', severity: 'error', message, file: path })
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    problems.push(unreadable(error, { what: 'the file', file: path }))
  }
  return undefined
}

/** The CustomResourceDefinitions of a text. What else can be read in it is nothing to us. */
function definitionsIn(source: Source, problems: Diagnostic[]): readonly Dict[] {
  return placedDefinitionsIn(source, problems).map(({ object }) => object)
}

function placedDefinitionsIn(
  source: Source,
  problems: Diagnostic[],
  unread: Diagnostic[] = [],
): readonly PlacedObject[] {
  const faults = (text: string): Diagnostic[] => (definitionKind.test(text) ? problems : unread)
  return documentsIn(source, problems, faults).flatMap((document) => {
    const { value } = document
    if (!(value instanceof Dict) || textAt(value, 'apiVersion') !== 'apiextensions.k8s.io/v1') return []
    if (textAt(value, 'kind') !== 'CustomResourceDefinition') return []
    return [{ object: value, at: placesIn(source, document, []) }]
  })
}

const definitionKind = /["']?kind["']?:[ \t]*["']?CustomResourceDefinition\b/

/** A document of a text, and its part of it. */
interface DocumentPart {
  readonly value: Value
  readonly start: number
  readonly end: number
}

/** The places of the object that stands at `steps` of a document: its text is read again when one is asked for. */
function placesIn(source: Source, { start, end }: DocumentPart, steps: readonly PathStep[]): PlacedObject['at'] {
  return (path, part) => {
    const document = positionedFile(source).documents.find(
      ({ value, span }) => value !== null && span.start >= start && span.start < end,
    )
    return document?.spanOf([...steps, ...path], part) ?? { source, start, end: start }
  }
}

/**
 * The values of the documents of a text that are not empty. What is wrong with one that cannot be read goes to
 * `faultsOf` it; what comes behind one of `problems` is not read.
 */
function documentsIn(
  source: Source,
  problems: Diagnostic[],
  faultsOf: (document: string) => Diagnostic[] = () => problems,
): readonly DocumentPart[] {
  const found: DocumentPart[] = []
  let start = 0
  for (const document of source.text.split(/^(?=---(?:[ \t].*)?$)/m)) {
    const end = start + document.length
    try {
      const value = parseGoYaml(document, { integers: 'int' })
      if (value !== null) found.push({ value, start, end })
    } catch (error) {
      if (!(error instanceof YamlError)) throw error
      const faults = faultsOf(document)
      // of many in a file the first: each would be looked up among all
      if (faults.at(-1)?.at?.source !== source) faults.push(yamlFault(source, { start, end }, error))
      if (faults === problems) break
    }
    start = end
  }
  return found
}

/** The words of the reader that knows places, for the part of a text that the other one cannot read. */
function yamlFault(source: Source, { start, end }: Omit<DocumentPart, 'value'>, { offset }: YamlError): Diagnostic {
  const marker = findConflictMarker(source)
  if (marker !== undefined) return { code: 'CONFIG_SYNTAX', severity: 'error', ...marker }
  const told = positionedFile(source).problems.filter(({ severity }) => severity === 'error')
  const within = told.find(({ at }) => at !== undefined && at.start >= start && at.start <= end)
  const at = { source, start: start + offset, end: start + offset }
  const message = 'this is not YAML that can be read'
  return within ?? told[0] ?? { code: 'CONFIG_SYNTAX', severity: 'error', message, at }
}

function notUtf8(source: Source, start: number): Diagnostic {
  return {
    code: 'CONFIG_SYNTAX',
    severity: 'error',
    message: 'the file is not UTF-8 text',
    at: { source, start, end: start + 1 },
    hint: 'Save it with UTF-8 encoding.',
  }
}
