/**
 * Writes what is generated of the documentation and of lint: commands, configuration, errors, rooms. Run it after
 * changing what they describe: `npm run docs`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'prettier'
import type { CommandSpec } from '../src/cli/arguments/command-spec.ts'
import { commandTable } from '../src/cli/command-table.ts'
import { formatCommandHelp } from '../src/cli/help-command/format-help.ts'
import { metricTable } from '../src/controller/metrics/metric-table.ts'
import { argoRules, features, knownSources, leaseRules, type RoleRule } from '../src/install/roles.ts'
import { errorCodes } from '../src/model/error-codes.ts'
import { describeRules } from '../src/pipeline/commands/check.ts'
import { templateFields } from '../src/report/pull-request/template-fields.ts'
import { forgeTables } from './forge-tables.ts'
import { manPage } from './man-page.ts'
import { lintOverrides, roomTable, stageLine } from './rooms.ts'
import { supportTables } from './support-tables.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The generated pages: path from the project's root, and text. */
export async function generatePages(): Promise<ReadonlyMap<string, string>> {
  const pages = [
    ['docs/03-configuration.md', configurationPage()],
    ['docs/04-commands.md', commandsPage()],
    ['docs/06-errors.md', errorsPage()],
  ] as const
  const written = new Map<string, string>()
  for (const [path, text] of pages) written.set(path, await format(text, { parser: 'markdown', printWidth: 120 }))
  const folders = new Set(readdirSync(join(root, 'src')).filter((name) => !name.includes('.')))
  const blocks = [
    ['CONTRIBUTING.md', 'tools/rooms.ts', roomTable(folders)],
    ['docs/01-concepts.md', 'tools/rooms.ts', stageLine(folders)],
    ['docs/25-check.md', 'src/check/rules.ts', ruleList()],
    ['docs/22-controller.md', 'src/install/roles.ts', rolesTable()],
    ['docs/22-controller.md', 'src/controller/metrics/metric-table.ts', metricsTable()],
    ['docs/31-pull-requests.md', 'src/report/pull-request/template-fields.ts', templateFieldsTable()],
    ['docs/15-flux.md', 'templates/handoff/flux', templateTexts('templates/handoff/flux')],
    ['docs/18-argocd.md', 'templates/handoff/argocd', templateTexts('templates/handoff/argocd')],
    ['docs/31-pull-requests.md', 'templates/publish', templateTexts('templates/publish')],
    ['docs/30-forges.md', 'src/model/forge.ts', forgeTables()],
    ['docs/41-support-matrix.md', 'tools/support-tables.ts', supportTables(root)],
  ] as const
  for (const [page, source, block] of blocks) {
    written.set(
      page,
      await withBlock(written.get(page) ?? readFileSync(join(root, page), 'utf8'), { page, source, block }),
    )
  }
  const overrides = lintOverrides().map((override) => JSON.stringify(override))
  const { version }: { readonly version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const shown = commandTable.filter(({ isHidden }) => isHidden !== true)
  written.set('man/stackmason.1', manPage(shown, version))
  written.set('.oxlintrc.rooms.json', `{"plugins":[],"overrides":[\n${overrides.join(',\n')}\n]}\n`)
  return written
}

/** Text of a page that is made from a source. */
interface PageBlock {
  readonly page: string
  readonly source: string
  readonly block: string
}

/** A page whose other lines people write, with its generated block made anew. */
async function withBlock(text: string, { page, source, block }: PageBlock): Promise<string> {
  const [start, end] = [`<!-- Generated from ${source} by \`npm run docs\` -->`, '<!-- / -->']
  const [before, old, ...after] = text.split(start)
  const rest = old?.split(end)
  if (before === undefined || rest === undefined || rest.length < 2 || after.length > 0)
    throw new Error(`${page} has no block to write from ${source}`)
  const written = await format(block, { parser: 'markdown', printWidth: 120 })
  return `${before}${start}\n\n${written}\n${end}${rest.slice(1).join(end)}`
}

/** The built-in templates of a folder: a fleet that replaces one begins with its text. */
function templateTexts(folder: string): string {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.hbs'))
    .toSorted()
    .map((name) => `\`${folder}/${name}\`:\n\n\`\`\`text\n${readFileSync(join(root, folder, name), 'utf8')}\`\`\``)
    .join('\n\n')
}

function ruleList(): string {
  return describeRules()
    .map(({ code, severity, isOptIn, summary, explanation }) =>
      [`### ${code}`, `_${severity}${isOptIn === true ? ', off by default' : ''}._ ${summary}`, ...explanation].join(
        '\n\n',
      ),
    )
    .join('\n\n')
}

function rolesTable(): string {
  const options = { sources: knownSources, migrated: ['<resource>.<group>'], lease: 'stackmason-controller' }
  const row = (feature: string, { group, resources, verbs, names = [], why }: RoleRule): string => {
    const shown = resources.map((resource) => {
      const [plural = '', ...subresource] = resource.split('/')
      return `\`${[group === '' ? plural : `${plural}.${group}`, ...subresource].join('/')}\``
    })
    const only = names.length === 0 ? '' : ` of ${names.map((name) => `\`${name}\``).join(', ')}`
    return `| ${feature} | ${shown.join(', ')}${only} | ${verbs.join(', ')} | ${why} |`
  }
  const rows = [
    ...features.flatMap(({ name, rules }) => rules(options).map((rule) => row(name, rule))),
    ...argoRules.map((rule) => row('argocd, in the namespace of Argo CD', rule)),
    ...leaseRules(options).map((rule) => row('all, in its own namespace', rule)),
  ]
  return ['| feature | on | may | for |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

function metricsTable(): string {
  const rows = Object.entries(metricTable).map(([name, { type, labels, help }]) => {
    const shown = labels.map((label) => `\`${label}\``).join(', ')
    return `| \`${name}\` | ${type} | ${shown} | ${help} |`
  })
  return ['| metric | is a | labels | tells |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

function templateFieldsTable(): string {
  const rows = Object.entries(templateFields).map(([name, tells]) => `| \`${name}\` | ${tells} |`)
  return ['| name | is |', '| --- | --- |', ...rows].join('\n')
}

const generatedBy = '<!-- Generated by `npm run docs`; change what it describes instead. -->'

function commandsPage(): string {
  return [
    '# Commands',
    generatedBy,
    'Data goes to standard output; progress, findings and errors to standard error. Every command ends with 0 when all is fine (there may be ' +
      'warnings), with 1 for differences or errors in the input, and with 2 for wrong usage or a failure.',
    'Colours and the progress bar appear on a terminal only. `NO_COLOR` switches colours off, `CI` the bar. Values under keys that look ' +
      'sensitive are masked in excerpts; in files of values and of runtime values all are.',
    ...commandTable.map(commandSection),
    '## Report',
    '`stackmason render -o json` writes a `RenderReport` ([schema](../schemas/render-report.json)): `status` is `rendered`, `current`, `stale`, ' +
      '`sharded` or `failed`; `findings` carry a [code](06-errors.md), a place, and what to do.',
    '`explain` writes an `Explanation` ([schema](../schemas/explanation.json)), `version` a `Version` ([schema](../schemas/version.json)).',
    'Every other command with `-o json` that ends without a result writes a `FailureReport` ([schema](../schemas/failure-report.json)) with the same ' +
      'findings. Wrong usage that is found before a command begins is text on standard error.',
    '',
  ].join('\n\n')
}

function commandSection(command: CommandSpec): string {
  return [`## ${command.name}`, '```text', formatCommandHelp(command).trimEnd(), '```'].join('\n')
}

function errorsPage(): string {
  const sections = Object.entries(errorCodes).map(
    ([code, { summary, fix }]) => `## ${code}\n\n${withoutTags(summary)}\n\n_What to do:_ ${withoutTags(fix)}`,
  )
  return [
    '# Errors and warnings',
    generatedBy,
    'Every finding has one of these codes. Codes are never renamed or reused. A finding names file, line and column where there is one; in ' +
      '`-o json` all of it is in `findings`. `file` is relative to the working folder where it lies below that; a file in an archive is ' +
      '`<archive>!/<path in it>`. The line `for …`, in JSON `about`, says which clusters, addons and releases it is about: equal findings are one. ' +
      'Notes ask for nothing: text counts them, JSON has them in full. Warnings can be [acknowledged](02-fleet-repository.md#warnings-that-you-accept) until a day.',
    ...sections,
    '',
  ].join('\n\n')
}

/** Text that forges show as it is: of `<name>` outside of code they make an element, which nobody sees. */
function withoutTags(text: string): string {
  return text.replaceAll(/`[^`]*`|</g, (part) => (part === '<' ? '\\<' : part))
}

interface Schema {
  readonly title?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly const?: string | number
  readonly enum?: readonly (string | number)[]
  readonly default?: unknown
  readonly pattern?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly $ref?: string
  readonly definitions?: Readonly<Record<string, Schema>>
}

const documented: readonly (readonly [string, string])[] = [
  ['fleet', 'stackmason.yaml'],
  ['clusterstack', 'stacks/<name>.yaml'],
  ['addons', 'addons.yaml'],
  ['cluster-options', 'clusters/<namespace>/<cluster>/options.yaml'],
  ['patch', 'patches/<name>.yaml'],
]

function configurationPage(): string {
  return [
    '# Configuration',
    generatedBy,
    'Every field of the files that people write. Unknown fields and duplicate keys are errors. A Cluster document is checked against ' +
      "Cluster API's own schema ([v1beta1](../schemas/cluster-v1beta1.json), [v1beta2](../schemas/cluster-v1beta2.json)); values files may " +
      'hold any map. [The fleet repository](02-fleet-repository.md) explains how the files work together.',
    ...documented.flatMap(([name, file]) => {
      const schema: Schema = JSON.parse(readFileSync(join(root, 'schemas', `${name}.json`), 'utf8'))
      const rows = fieldRows(schema, { path: '', root: schema, isRequired: true })
      return [
        `## ${schema.title ?? name}`,
        `\`${file}\` · [schema](../schemas/${name}.json)`,
        schema.description ?? '',
        ['| field | type | |', '| --- | --- | --- |', ...rows].join('\n'),
      ]
    }),
    '',
  ].join('\n\n')
}

interface Place {
  readonly path: string
  readonly root: Schema
  readonly isRequired: boolean
}

function fieldRows(given: Schema, { path, root: whole, isRequired }: Place): readonly string[] {
  const schema = resolve(given, whole)
  const own = path === '' ? [] : [fieldRow(schema, path, isRequired)]
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    fieldRows(child, {
      path: path === '' ? name : `${path}.${name}`,
      root: whole,
      isRequired: schema.required?.includes(name) === true,
    }),
  )
  const items =
    schema.items === undefined ? [] : fieldRows(schema.items, { path: `${path}[]`, root: whole, isRequired: false })
  return [...own, ...below, ...items.filter((row) => !row.startsWith(`| \`${path}[]\` |`))]
}

function resolve(schema: Schema, whole: Schema): Schema {
  const name = schema.$ref?.replace('#/definitions/', '')
  return name === undefined ? schema : { ...whole.definitions?.[name], ...schema }
}

function fieldRow(schema: Schema, path: string, isRequired: boolean): string {
  const notes = [
    schema.description ?? '',
    ...(isRequired ? ['Required.'] : []),
    ...(schema.const === undefined ? [] : [`Always \`${String(schema.const)}\`.`]),
    ...(schema.enum === undefined ? [] : [`One of ${schema.enum.map((value) => `\`${String(value)}\``).join(', ')}.`]),
    ...(schema.default === undefined ? [] : [`Default: \`${JSON.stringify(schema.default)}\`.`]),
    ...(schema.pattern === undefined ? [] : [`Pattern: \`${schema.pattern.replaceAll('|', '\\|')}\`.`]),
  ]
  const type = schema.type ?? (schema.const === undefined ? '' : typeof schema.const)
  return `| \`${path}\` | ${typeof type === 'string' ? type : type.join(' or ')} | ${notes.filter((note) => note !== '').join(' ')} |`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of await generatePages()) writeFileSync(join(root, path), text)
}
