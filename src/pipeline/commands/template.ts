import { JsonError, parseGoJson } from '../../codec/json/go-json.ts'
import { YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { compilePathPattern } from '../../codec/match-path.ts'
import { parseValues } from '../../codec/parse-values.ts'
import { dirName, isInside, joinPath, resolvePath } from '../../codec/path.ts'
import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Chart } from '../../model/chart.ts'
import { advise, StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import { unreadable } from '../../model/file-problem.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import { createTokenTable } from '../../model/token.ts'
import { Dict, type Value } from '../../model/value.ts'
import { formatHelmOutput } from '../../render/chart/format-helm-output.ts'
import { mergeValues } from '../../render/chart/merge-values.ts'
import { applySet, SetError, type SetMode } from '../../render/chart/parse-set.ts'
import { renderReleaseName } from '../../render/chart/release-name.ts'
import { renderChart, type RenderedChart } from '../../render/chart/render-chart.ts'
import { splitManifests } from '../../render/chart/split-manifests.ts'
import { defaultLimits } from '../../render/engine/limits.ts'
import { readChart } from '../../sources/chart/read-chart.ts'

/** The options of `stackmason template`. Lists are in command-line order; Helm's order between them is fixed. */
export interface TemplateOptions {
  /** Absent: `release-name`, as in Helm. */
  readonly releaseName?: string
  /** A folder or a packaged chart. */
  readonly chart: string
  /** The folder that paths are relative to. */
  readonly cwd: string
  /** Absent: `default`. */
  readonly namespace?: string
  /** Files of `-f`; `-` is `stdin`. */
  readonly values?: readonly string[]
  readonly stdin?: Uint8Array
  readonly setJson?: readonly string[]
  readonly set?: readonly string[]
  readonly setString?: readonly string[]
  readonly setFile?: readonly string[]
  readonly setLiteral?: readonly string[]
  readonly includeCrds?: boolean
  readonly noHooks?: boolean
  readonly skipTests?: boolean
  readonly kubeVersion?: string
  readonly apiVersions?: readonly string[]
  readonly showOnly?: readonly string[]
  readonly isUpgrade?: boolean
  readonly skipSchemaValidation?: boolean
  readonly helmVersion?: 3 | 4
  /** A Go template for the name, used in place of `releaseName`. */
  readonly nameTemplate?: string
  /** Write a file for each template below this folder, in place of the text. */
  readonly outputDir?: string
  /** Further flags of `helm template` that were given, with dashes; each is refused with a reason. */
  readonly otherFlags?: readonly string[]
}

/** The output of `helm template` (with an output folder: a line for each file), and the findings on the way. */
export interface TemplateResult {
  readonly output: string
  readonly findings: readonly Diagnostic[]
}

/**
 * Renders one chart as `helm template` does.
 * @throws StackmasonError USAGE, FILE_*, ARCHIVE_*, CHART_*, TEMPLATE_*
 */
export async function template(options: TemplateOptions, ports: Ports): Promise<TemplateResult> {
  refuseFlags(options)
  const findings: Diagnostic[] = []
  const onFinding = (finding: Diagnostic): number => findings.push(finding)
  const { nameTemplate, crypto } = { nameTemplate: options.nameTemplate, crypto: ports.crypto }
  const givenName =
    nameTemplate === undefined ? options.releaseName : renderReleaseName(nameTemplate, { crypto, onFinding })
  const name = checkName(givenName ?? 'release-name')
  const values = await readUserValues(options, ports)
  const chart = await readFinished(resolvePath(options.cwd, options.chart), ports)
  const byFlag = { TEMPLATE_FAIL: () => 'Change the value that it speaks of with --set or -f.' } as const
  const rendered = advise(byFlag, () =>
    renderChart(chart, {
      release: { name, namespace: options.namespace || 'default', isUpgrade: options.isUpgrade === true, revision: 1 },
      values,
      kubeVersion: options.kubeVersion,
      apiVersions: (options.apiVersions ?? []).flatMap((versions) => versions.split(',')),
      helmVersion: options.helmVersion ?? 4,
      includeCrds: options.includeCrds === true,
      hooks: options.noHooks === true ? 'none' : 'all',
      skipTests: options.skipTests === true,
      skipSchemaValidation: options.skipSchemaValidation === true,
      generate: 'seeded',
      crypto: ports.crypto,
      tokens: createTokenTable(),
      onFinding,
      limits: { ...defaultLimits, milliseconds: 30_000 },
      elapsed: ports.clock.monotonic,
      deadline: ports.deadline,
    }),
  )
  const { showOnly = [], outputDir } = options
  if (outputDir !== undefined) {
    const folder = resolvePath(options.cwd, outputDir)
    return { output: await writeFiles(pickDocuments(rendered, showOnly), folder, ports), findings }
  }
  const output = formatHelmOutput(rendered)
  return { output: showOnly.length === 0 ? output : pickManifests(output, showOnly), findings }
}

const cluster = 'stackmason never asks a cluster'
const remote = 'charts are read from disk; fetch the chart first'
const text = 'name the folder of the release with --output-dir'

/** Why flags of `helm template` are refused. */
const refusedFlags: ReadonlyMap<string, string> = new Map([
  ['--validate', cluster],
  ['--dry-run', cluster],
  ['--enable-dns', 'output must not depend on the network'],
  ['--dependency-update', 'vendor the dependencies into charts/ first, so that equal inputs give equal output'],
  ['--generate-name', 'a random name would change the output every time'],
  ['--post-renderer', 'no programs are run; use patches in the fleet'],
  ['--post-renderer-args', 'no programs are run; use patches in the fleet'],
  ['--release-name', text],
  ['--repo', remote],
  ['--version', remote],
  ['--devel', remote],
  ['--verify', remote],
  ['--keyring', remote],
  ['--username', remote],
  ['--password', remote],
  ['--pass-credentials', remote],
  ['--ca-file', remote],
  ['--cert-file', remote],
  ['--key-file', remote],
  ['--plain-http', remote],
  ['--insecure-skip-tls-verify', remote],
  ['--kube-context', cluster],
  ['--kubeconfig', cluster],
  ['--wait', cluster],
  ['--atomic', cluster],
])

/** A chart of a stack has placeholders, which are filled in when a release is built: Helm takes none either. */
async function readFinished(path: string, ports: Ports): Promise<Chart> {
  try {
    return await readChart(path, ports)
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    const hint =
      'The chart is part of a stack, and `<< … >>` is filled in when a release is built: render a cluster that uses it, or try the stack with `stackmason build --dry-run`.'
    throw new StackmasonError(
      error.diagnostics.map((finding) =>
        finding.code === 'CHART_INVALID' && finding.message.includes('"<< ') ? { ...finding, hint } : finding,
      ),
      { cause: error },
    )
  }
}

function refuseFlags({ otherFlags = [] }: TemplateOptions): void {
  const problems = otherFlags.map((flag) => {
    const reason = refusedFlags.get(flag) ?? 'it has no meaning for `stackmason template`'
    return problem('CHART_FLAG_UNSUPPORTED', `${flag} is not supported: ${reason}`)
  })
  if (problems.length > 0) throw new StackmasonError(problems)
}

/** Helm's rule for names of releases (pkg/chart/v2/util, ValidateReleaseName). */
function checkName(name: string): string {
  const pattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
  if (name.length <= 53 && pattern.test(name)) return name
  const rule = 'lower-case letters, digits, dashes and dots, at most 53 of them'
  throw new StackmasonError(problem('USAGE', `${JSON.stringify(name)} is not a release name: ${rule}`))
}

async function readUserValues(options: TemplateOptions, ports: Ports): Promise<Dict> {
  let values = new Dict()
  for (const path of options.values ?? []) values = mergeValues(values, await readValuesFile(path, options, ports))
  for (const expression of options.setJson ?? []) {
    const trimmed = expression.trim()
    if (trimmed.startsWith('{')) values = mergeValues(values, parseJsonMap(trimmed))
    else set(values, expression, { flag: '--set-json', mode: 'json' })
  }
  for (const expression of options.set ?? []) set(values, expression, { flag: '--set', mode: 'typed' })
  for (const expression of options.setString ?? []) set(values, expression, { flag: '--set-string', mode: 'string' })
  for (const expression of options.setFile ?? []) {
    const contents = await readSetFiles(expression, options, ports)
    set(values, expression, { flag: '--set-file', mode: (path) => contents.get(path) ?? '' })
  }
  for (const expression of options.setLiteral ?? []) set(values, expression, { flag: '--set-literal', mode: 'literal' })
  return values
}

function set(
  values: Dict,
  expression: string,
  { flag, mode }: { readonly flag: string; readonly mode: SetMode },
): void {
  try {
    applySet(values, expression, mode)
  } catch (cause) {
    if (!(cause instanceof SetError || cause instanceof JsonError)) throw cause
    throw new StackmasonError(problem('CHART_VALUES_INVALID', `failed parsing ${flag} data: ${cause.message}`), {
      cause,
    })
  }
}

function parseJsonMap(json: string): Dict {
  let value: Value
  try {
    value = parseGoJson(json)
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause
    throw new StackmasonError(
      problem('CHART_VALUES_INVALID', `failed parsing --set-json data JSON: ${cause.message}`),
      { cause },
    )
  }
  return value instanceof Dict ? value : new Dict()
}

/** Reads the files that an expression of `--set-file` names; it is parsed once only to learn the names. */
async function readSetFiles(
  expression: string,
  options: TemplateOptions,
  ports: Ports,
): Promise<ReadonlyMap<string, string>> {
  const paths = new Set<string>()
  const collect = (path: string): string => {
    paths.add(path)
    return ''
  }
  set(new Dict(), expression, { flag: '--set-file', mode: collect })
  const contents = new Map<string, string>()
  for (const path of paths) contents.set(path, decodeUtf8(await readFile(path, options, ports)))
  return contents
}

async function readValuesFile(path: string, options: TemplateOptions, ports: Ports): Promise<Dict> {
  const source: Source = { name: path, text: decodeUtf8(await readFile(path, options, ports)), holds: 'values' }
  try {
    return parseValues(source.text)
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause
    const at = { source, start: cause.offset, end: cause.offset }
    const message = `failed to parse ${path}: ${cause.unquoted}`
    throw new StackmasonError({ code: 'CHART_VALUES_INVALID', severity: 'error', message, at }, { cause })
  }
}

async function readFile(path: string, { cwd, stdin }: TemplateOptions, { files }: Ports): Promise<Uint8Array> {
  if (path.trim() === '-') return stdin ?? new Uint8Array()
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path))
    throw new StackmasonError(
      problem('CHART_FLAG_UNSUPPORTED', `${path} is not supported: values are read from disk only`),
    )
  try {
    return await files.read(resolvePath(cwd, path), 'stream')
  } catch (cause) {
    if (!(cause instanceof FileError)) throw cause
    throw new StackmasonError(unreadable(cause, { what: path, file: path }), { cause })
  }
}

/** The documents of the named templates, in Helm's form (pkg/cmd/template.go, --show-only). */
function pickManifests(output: string, showOnly: readonly string[]): string {
  const manifests = splitManifests(output).flatMap((manifest) => {
    const path = /# Source: [^/]+\/(.+)/.exec(manifest.text)?.[1]
    return path === undefined ? [] : [{ text: manifest.text, path }]
  })
  const picked = showOnly.flatMap((pattern) => {
    const matches = compilePathPattern(pattern.replaceAll('\\', '/'))
    const found = manifests.filter(({ path }) => matches(path))
    if (found.length === 0) throw new StackmasonError(problem('USAGE', `could not find template ${pattern} in chart`))
    return found
  })
  return picked.map((manifest) => `---\n${manifest.text}\n`).join('')
}

/**
 * One file for each template, below the folder (Helm pkg/cmd/template.go, --output-dir). Returns what Helm prints: the
 * files written.
 */
async function writeFiles(documents: readonly TemplateDocument[], folder: string, { files }: Ports): Promise<string> {
  const texts = new Map<string, string>()
  for (const { path, text } of documents) {
    const target = joinPath(folder, path)
    if (!isInside(folder, target)) {
      throw new StackmasonError(problem('FILE_OUTSIDE', `${JSON.stringify(path)} leads out of the output folder`))
    }
    texts.set(target, `${texts.get(target) ?? ''}---\n# Source: ${path}\n${text}\n`)
  }
  for (const path of texts.keys()) await refuseLinks(path, folder, files)
  for (const [path, content] of texts) await files.write(path, encodeUtf8(content))
  return [...texts.keys()].map((path) => `wrote ${path}\n`).join('')
}

interface TemplateDocument {
  readonly path: string
  readonly text: string
}

/** The documents of the named templates; all when none is named. */
function pickDocuments(
  { crds, manifests, hooks }: RenderedChart,
  showOnly: readonly string[],
): readonly TemplateDocument[] {
  const documents = [...crds, ...manifests, ...hooks]
  if (showOnly.length === 0) return documents
  return showOnly.flatMap((pattern) => {
    const matches = compilePathPattern(pattern.replaceAll('\\', '/'))
    const found = documents.filter(({ path }) => matches(path.slice(path.indexOf('/') + 1)))
    if (found.length === 0) throw new StackmasonError(problem('USAGE', `could not find template ${pattern} in chart`))
    return found
  })
}

function problem(code: Code, message: string): Diagnostic {
  return { code, severity: 'error', message }
}

/** Nothing is written through a link below the folder: a chart names the paths. */
async function refuseLinks(path: string, folder: string, files: Ports['files']): Promise<void> {
  for (let part = path; isInside(folder, part) && part !== folder; part = dirName(part)) {
    if ((await files.stat(part))?.type !== 'link') continue
    const hint = 'Remove the link, or name another folder.'
    const message = 'there is a link where a file or folder would be written'
    throw new StackmasonError({ code: 'FILE_OUTSIDE', severity: 'error', message, file: part, hint })
  }
}
