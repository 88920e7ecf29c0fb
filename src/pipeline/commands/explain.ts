import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { baseName, dirName, isAbsolutePath, isInside, joinPath, relativePath } from '../../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { type Manifest, objectKey } from '../../model/manifest.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import { KUSTOMIZATION_FILE, OWNER_FILE, parseTreeFile } from '../../model/tree-path.ts'
import type { Locator } from '../../render/explain/locator.ts'
import { findFleet } from '../../sources/fleet/find-fleet.ts'
import { layoutFolder } from '../../write/layout-folder.ts'
import { parseOwner } from '../../write/tree-owner.ts'
import { expandFleet } from '../expand/expand-fleet.ts'
import type { ExpandedFolders } from '../expand/expanded-unit.ts'
import { openFleet } from '../fleet/open-fleet.ts'
import { type ExplainedLine, explainLines } from '../explain/explain-lines.ts'
import { controlFilePurpose, handoffPurpose, INDEX_PURPOSE } from '../explain/file-purpose.ts'
import type { Network } from '../resolve/open-source.ts'
import { ownHead } from '../explain/own-work.ts'

/** The options of `stackmason explain`. */
export interface ExplainOptions {
  /**
   * Absolute; the fleet is the one that the file's tree names, else that of a folder around the file, else around this
   * one.
   */
  readonly start: string
  readonly fleet?: string
  /** A file with values of running clusters; absolute. */
  readonly runtimeValues?: string | undefined
  /** Absolute path of a rendered file. */
  readonly file: string
  /** From 1; absent = every line. */
  readonly line?: number | undefined
  /** Default: online. */
  readonly network?: Network
}

/** The origin of a rendered file and of its lines. */
export interface Explanation {
  /** Absolute path of the fleet's folder. */
  readonly root: string
  /** Relative to the output folder. */
  readonly path: string
  readonly object: string
  /** Release tag or fleet file, and unit. */
  readonly from: string
  readonly unit: string
  readonly template: string
  /** True if the template is one that comes with stackmason. */
  readonly isBuiltIn: boolean
  /** Why stackmason wrote it, where no input says so: for files that are no objects, and what is below `handoff`. */
  readonly purpose?: string | undefined
  /** The rendered file as it stands. */
  readonly source: Source
  readonly lines: readonly ExplainedLine[]
  /** Warnings of reading the fleet. */
  readonly findings: readonly Diagnostic[]
}

/**
 * Says where each line of a rendered file comes from, by rendering its unit again with traces on; reads the inputs,
 * writes nothing.
 * @throws StackmasonError USAGE when the file is not one that the fleet renders; whatever rendering raises
 */
export async function explain(options: ExplainOptions, ports: Ports): Promise<Explanation> {
  const opened = await openFleet({ ...options, fleet: await fleetOf(options, ports) }, ports)
  const { repository } = opened
  const { fleet } = repository
  // those of rendering are about the whole fleet, and `render` shows them
  const findings = opened.findings.all('part')
  const output = joinPath(fleet.root, fleet.output)
  if (!isInside(output, options.file))
    throw notRendered(options.file, `it does not lie in the output folder ${fleet.output}`)
  const path = relativePath(output, options.file)
  const purpose = controlFilePurpose(path)
  if (purpose !== undefined) return ownFile(path, purpose, { options, ports, findings, root: fleet.root })
  const place = parseTreeFile(path)?.folder
  const cluster =
    place?.kind === 'cluster' || place?.kind === 'addons'
      ? repository.clusters.find(({ namespace, name }) => namespace === place.namespace && name === place.name)
      : undefined
  const selection = {
    clusters: cluster === undefined ? [] : [objectPath(cluster)],
    stacks: place?.kind === 'stack' ? stacksOf(repository.clusterStacks, place) : [],
  }
  let found: FoundFile | undefined
  await expandFleet(
    opened,
    { selection, revision: { from: 'disk' }, network: options.network ?? 'online' },
    {
      ports,
      take: (expanded) => {
        found ??= findFile(expanded, path, ports)
      },
    },
  )
  const { manifest, rendered, isKept, locator } = found ?? {}
  if (manifest === undefined) {
    if (found !== undefined && baseName(path) === KUSTOMIZATION_FILE)
      return ownFile(path, INDEX_PURPOSE, { options, ports, findings, root: fleet.root })
    throw notRendered(options.file, 'the fleet renders no such file')
  }
  const source = await readExplained(path, options, ports)
  const lines = explainLines({
    source,
    manifest,
    rendered,
    isKept: isKept === true,
    cluster,
    locator,
    line: options.line,
    fleet,
    named: repository,
  })
  const { from, unit, template, source: written } = manifest.origin
  const why = handoffPurpose(manifest)
  return {
    root: fleet.root,
    path,
    object: `${manifest.kind} ${manifest.namespace === undefined ? '' : `${manifest.namespace}/`}${manifest.name}`,
    from,
    unit,
    template,
    isBuiltIn: written !== undefined && written.path === undefined,
    purpose: why,
    source,
    lines,
    findings,
  }
}

/** @throws StackmasonError USAGE for a line past its end */
async function readExplained(path: string, { file, line }: ExplainOptions, ports: Ports): Promise<Source> {
  const text = decodeUtf8(await ports.files.read(file))
  const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  if (line !== undefined && (line < 1 || line > count)) throw pastEnd(file, count, line)
  return { name: path, text }
}

interface OwnFileContext {
  readonly options: ExplainOptions
  readonly ports: Ports
  readonly findings: readonly Diagnostic[]
  readonly root: string
}

/** A file that no input has: every line of it is ours. */
async function ownFile(
  path: string,
  purpose: string,
  { options, ports, findings, root }: OwnFileContext,
): Promise<Explanation> {
  const source = await readExplained(path, options, ports)
  const texts = source.text.replace(/\n$/, '').split('\n')
  const lines = texts
    .map((text, index): ExplainedLine => ({
      line: index + 1,
      text,
      templates: [],
      by: ownHead(text, index + 1) ?? 'stackmason',
      placeholders: [],
      patches: [],
    }))
    .filter(({ line }) => options.line === undefined || line === options.line)
  return {
    root,
    path,
    object: path,
    from: 'stackmason',
    unit: '',
    template: '',
    isBuiltIn: false,
    purpose,
    source,
    lines,
    findings,
  }
}

async function fleetOf({ fleet, file, start }: ExplainOptions, ports: Ports): Promise<string> {
  if (fleet !== undefined) return findFleet(fleet, ports)
  const around = dirName(file)
  const named = await fleetOfTree(around, ports)
  if (named !== undefined) return named
  try {
    return await findFleet(around, ports)
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return findFleet(start, ports)
  }
}

/** The stackmason.yaml that the tree around a folder names as its own, if it is there. */
async function fleetOfTree(around: string, { files }: Pick<Ports, 'files'>): Promise<string | undefined> {
  for (let folder = around; ; folder = dirName(folder)) {
    const marker = joinPath(folder, OWNER_FILE)
    if ((await files.stat(marker))?.type === 'file') {
      const { file: named } = parseOwner(decodeUtf8(await files.read(marker)))
      const file = named === undefined || isAbsolutePath(named) ? undefined : joinPath(folder, named)
      return file !== undefined && (await files.stat(file))?.type === 'file' ? file : undefined
    }
    if (dirName(folder) === folder) return undefined
  }
}

function stacksOf(
  stacks: readonly {
    readonly namespace: string
    readonly name: string
    readonly provider: string
    readonly stack: string
  }[],
  { namespace, tag }: { readonly namespace: string; readonly tag: string },
): readonly string[] {
  return stacks
    .filter((stack) => stack.namespace === namespace && tag.startsWith(`${stack.provider}-${stack.stack}-`))
    .map(objectPath)
}

function pastEnd(file: string, count: number, line: number): StackmasonError {
  return new StackmasonError({
    code: 'USAGE',
    severity: 'error',
    message: `${file} has no line ${String(line)}`,
    hint: `Its last line is ${String(count)}.`,
  })
}

function notRendered(file: string, reason: string): StackmasonError {
  return new StackmasonError({
    code: 'USAGE',
    severity: 'error',
    message: `there is nothing to explain: ${reason}`,
    file,
    hint: 'Name the file of an object in the output folder of this fleet.',
  })
}

/** The folder of a rendered file, and the object in it. */
interface FoundFile {
  /** Undefined for files that are no objects. */
  readonly manifest: Manifest | undefined
  /** The object as it was rendered, before it was handed over. */
  readonly rendered: Manifest | undefined
  readonly isKept: boolean
  /** Knows the objects of its cluster or class. */
  readonly locator: Locator | undefined
}

function findFile(
  { folders, rendered, isKept, locator }: ExpandedFolders,
  path: string,
  { crypto }: Pick<Ports, 'crypto'>,
): FoundFile | undefined {
  const folder = folders.find((candidate) => candidate.path === dirName(path))
  if (folder === undefined) return undefined
  const named = layoutFolder(folder.path, folder.manifests, crypto)
  const manifest = named.find(({ fileName }) => path === `${folder.path}/${fileName}`)?.manifest
  const before = rendered
    .find((candidate) => candidate.path === folder.path)
    ?.manifests.find((candidate) => manifest !== undefined && objectKey(candidate) === objectKey(manifest))
  return { manifest, rendered: before, isKept, locator }
}
