import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandTable } from '../../src/cli/command-table.ts'
import { StackmasonError, type Diagnostic } from '../../src/model/diagnostic.ts'
import { type Code, errorCodes } from '../../src/model/error-codes.ts'
import type { Ports } from '../../src/model/ports.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type CliRun, runCli } from './run-cli.ts'

/** What no output may show, whatever goes wrong beside it. */
const CANARY = 'hunter2Kanarienvogel'
const CLUSTER = 'clusters/team-a/web/cluster.yaml'
const VALUES = 'clusters/team-a/web/values/welcome.yaml'
const PATCH = 'clusters/team-a/web/patches/p.yaml'
const STACK = 'providers/docker/starter'
const ADDON = `${STACK}/cluster-addon/welcome`
const MAP = `${ADDON}/templates/configmap.yaml`

type Files = Readonly<Record<string, string | { readonly replace: string; readonly by: string }>>

/** Secrets of each form that inputs have; valid, so that a fault beside it is what is reported. */
const PLANTED = [
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

const allForms = (text: string): readonly string[] => {
  const bytes = Buffer.from(text)
  const shifted = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift, 'x'), bytes]).toString('base64')
    return encoded.slice(shift === 0 ? 0 : 4, 4 * Math.floor((bytes.length + shift) / 3))
  })
  return [text.toLowerCase(), ...shifted.map((form) => form.toLowerCase())]
}

function leaks(text: string): readonly string[] {
  return allForms(CANARY)
    .filter((form) => text.toLowerCase().includes(form))
    .map((form) => {
      const at = text.toLowerCase().indexOf(form)
      return text.slice(Math.max(0, at - 80), at + 80)
    })
}

async function makeFleet(files: Files): Promise<string> {
  const folder = await tempFolder()
  await runCli(['init'], { cwd: folder })
  await writeFile(join(folder, VALUES), PLANTED)
  for (const [path, change] of Object.entries(files)) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    const text = typeof change === 'string' ? change : (await readFile(file, 'utf8')).replace(change.replace, change.by)
    await writeFile(file, text)
  }
  return folder
}

interface Case {
  readonly code: Code
  readonly files: Files
  readonly words?: readonly string[]
}

const template = (by: string): Files => ({ [MAP]: { replace: '{{ .Values.message | quote }}', by } })
/** The secret stands nowhere else, so nothing but its own place tells what it is. */
const UNPLANTED: Files = { [VALUES]: 'message: x\n' }
const jsonPatch = (operation: string): Files => ({
  ...UNPLANTED,
  [PATCH]: `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: ConfigMap}\n  jsonPatch:\n    ${operation}\n`,
})
const handedToFlux = {
  replace: 'spec:\n',
  by: 'spec:\n  handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}}}\n',
} as const
const valuesWith = (more: string): Files => ({ [VALUES]: PLANTED + more })

const cases: Readonly<Record<string, Case>> = {
  'values: a mapping in a value': {
    code: 'CONFIG_SYNTAX',
    files: { [VALUES]: `env:\n  - name: DB_PASSWORD\n    value: ${CANARY} : x\n` },
  },
  'values: an open quote': { code: 'CONFIG_SYNTAX', files: { [VALUES]: `plain: "${CANARY}\n` } },
  'values: an alias that nobody defined': { code: 'CONFIG_SYNTAX', files: { [VALUES]: `password: *${CANARY}\n` } },
  'values: a tag': { code: 'CONFIG_SYNTAX', files: { [VALUES]: `password: !${CANARY} x\n` } },
  'values: a bad escape': { code: 'CONFIG_SYNTAX', files: { [VALUES]: `pwd: "\\q${CANARY}"\n` } },
  'values: wrong indentation': { code: 'CONFIG_SYNTAX', files: { [VALUES]: `a:\n  rootPw: ${CANARY}\n b: 1\n` } },
  'values: a tab': { code: 'CONFIG_SYNTAX', files: { [VALUES]: `a:\n\tpassword: ${CANARY}\n` } },
  'values: a list': { code: 'CONFIG_WRONG_TYPE', files: { [VALUES]: `- ${CANARY}\n` } },
  'values: a key twice': { code: 'CONFIG_DUPLICATE_KEY', files: valuesWith(`password: ${CANARY}2\n`) },
  'values of no addon': { code: 'CONFIG_REFERENCE', files: { 'clusters/team-a/web/values/x.yaml': PLANTED } },
  'an unknown field beside a secret': {
    code: 'CONFIG_UNKNOWN_FIELD',
    files: { 'stackmason.yaml': { replace: 'spec:\n', by: `spec:\n  password: ${CANARY}\n` } },
  },
  'an address with a password': {
    code: 'CONFIG_INVALID_VALUE',
    files: {
      'stackmason.yaml': {
        replace: 'providerDirectory:\n        path: providers/docker/starter\n        version: v1',
        by: `oci:\n        repository: "user:${CANARY}@host/x"`,
      },
    },
  },
  'a field that is missing beside a secret': {
    code: 'CONFIG_MISSING_FIELD',
    files: { 'stackmason.yaml': { replace: 'metadata:\n  name: fleet\n', by: `# token: ${CANARY}\n` } },
  },
  'a secret that stands readable': {
    code: 'SECRET_IN_PLAINTEXT',
    files: {
      [MAP]: 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  a: {{ .Values.password }}\n',
      'stackmason.yaml': handedToFlux,
    },
  },
  'a freeze of nothing': {
    code: 'FREEZE_NOTHING',
    files: {
      'clusters/team-a/web/options.yaml': `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {freeze: true} # token: ${CANARY}\n`,
      'stackmason.yaml': handedToFlux,
    },
  },
  'a tree that another tool applies': {
    code: 'HANDOFF_TOOL_CHANGES',
    files: {
      'rendered/handoff/team-a/application-team-a.web.yaml': `kind: Application\n# token: ${CANARY}\n`,
      'stackmason.yaml': handedToFlux,
    },
  },
  'a tool that is retired for no reason': {
    code: 'HANDOFF_TOOL_RETIRED',
    files: { 'stackmason.yaml': { replace: 'spec:\n', by: `spec:\n  retiredTool: flux # token: ${CANARY}\n` } },
  },
  'a patch of nothing': {
    code: 'PATCH_TARGET_NOT_FOUND',
    files: {
      [PATCH]: `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: Pod}\n  mergePatch:\n    data: {password: ${CANARY}}\n`,
    },
  },
  'a patch that fails': {
    code: 'PATCH_FAILED',
    files: {
      [PATCH]: `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: ConfigMap}\n  jsonPatch:\n    - {op: test, path: /data/password, value: ${CANARY}}\n`,
    },
  },
  'a patch that adds to what is not there': {
    code: 'PATCH_FAILED',
    files: jsonPatch(`- {op: add, path: /gone/password, value: ${CANARY}}`),
  },
  'a patch that adds what no name tells': {
    code: 'PATCH_FAILED',
    files: jsonPatch(`- {op: add, path: /gone/x, value: ${CANARY}}`),
  },
  'a patch that tests in block style': {
    code: 'PATCH_FAILED',
    files: jsonPatch(`- op: test\n      path: /spec/password\n      value: ${CANARY}`),
  },
  'a patch with an unknown field beside the value': {
    code: 'CONFIG_UNKNOWN_FIELD',
    files: jsonPatch(`- {op: add, path: /data/password, value: ${CANARY}, x: 1}`),
  },
  'a patch in the file of a cluster': {
    code: 'CONFIG_UNKNOWN_FIELD',
    files: {
      ...UNPLANTED,
      [CLUSTER]: { replace: 'spec:\n', by: `spec:\n  patch: {op: add, path: /data/password, value: ${CANARY}}\n` },
    },
  },
  'a patch in addons.yaml': {
    code: 'CONFIG_UNKNOWN_FIELD',
    files: {
      ...UNPLANTED,
      'clusters/team-a/web/addons.yaml': `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  patch: {value: ${CANARY}, op: add, path: /data/password}\n`,
    },
  },
  'a patch that is not YAML': {
    code: 'CONFIG_SYNTAX',
    files: { [PATCH]: `kind: Patch\nspec:\n  value: {token: ${CANARY}: x}\n` },
  },
  'a template that ranges over a secret': {
    code: 'TEMPLATE_EXECUTION',
    files: template('{{ range .Values.password }}{{ end }}'),
  },
  'a template that takes a field of a secret': { code: 'TEMPLATE_EXECUTION', files: template('{{ .Values.pwd.x }}') },
  'a template that converts a secret': {
    code: 'TEMPLATE_EXECUTION',
    files: template('{{ .Values.rootPw | mustToDate "2006" }}'),
  },
  'a template that indexes with a secret': {
    code: 'TEMPLATE_EXECUTION',
    files: template('{{ index .Values.env .Values.password }}'),
  },
  'a template that includes by a secret': {
    code: 'TEMPLATE_EXECUTION',
    files: template('{{ include .Values.password . }}'),
  },
  'a template that parses a secret': {
    code: 'TEMPLATE_EXECUTION',
    files: template('{{ tpl (printf "{{ %s" .Values.password) . }}'),
  },
  'a template that fails with all values': {
    code: 'TEMPLATE_FAIL',
    files: template('{{ fail (printf "%v %q" .Values .Values.password) }}'),
  },
  'a template that fails with an encoded secret': {
    code: 'TEMPLATE_FAIL',
    files: template('{{ fail (printf "user:%s" .Values.password | b64enc) }}'),
  },
  'a template that requires with a secret': {
    code: 'TEMPLATE_FAIL',
    files: template('{{ required .Values.rootPw .Values.missing }}'),
  },
  'a template whose output is not YAML': {
    code: 'CHART_OUTPUT_INVALID',
    files: template('{{ .Values.password }}: : x\n  {{ .Values.password }}'),
  },
  'a template with an unknown function': {
    code: 'TEMPLATE_PARSE',
    files: template(
      `{{ .Values.password | ${CANARY.toLowerCase()}x "password: ${CANARY}" }}`.replace(
        `${CANARY.toLowerCase()}x`,
        'nope',
      ),
    ),
  },
  'values against a schema': {
    code: 'CHART_VALUES_SCHEMA',
    files: {
      [`${ADDON}/values.schema.json`]:
        '{"properties": {"password": {"type": "integer"}, "pwd": {"enum": ["a"]}, "rootPw": {"pattern": "^x$"}, "url": {"const": "b"}}}',
    },
  },
  'the values of a chart': {
    code: 'CHART_VALUES_INVALID',
    files: { [`${ADDON}/values.yaml`]: `password: ${CANARY} : x\n` },
  },
  'a chart that is none': {
    code: 'CHART_INVALID',
    files: { [`${ADDON}/Chart.yaml`]: `name: x\npassword: "${CANARY}\n` },
  },
  'an overwrite.yaml that does not parse': {
    code: 'TEMPLATE_PARSE',
    files: { [`${ADDON}/overwrite.yaml`]: `values: |\n  password: {{ nope "${CANARY}" }}\n` },
  },
  'an overwrite.yaml that is not YAML': {
    code: 'CHART_VALUES_INVALID',
    files: { [`${ADDON}/overwrite.yaml`]: `values: |\n  rootPw: ${CANARY} : x\n` },
  },
  'a release without its files': {
    code: 'RELEASE_METADATA_INVALID',
    files: { [`${STACK}/csctl.yaml`]: `config: {token: ${CANARY}}\n` },
  },
  'a version that is none': {
    code: 'RELEASE_NOT_FOUND',
    files: { [CLUSTER]: { replace: '1-34-v1', by: '1-34-v7' } },
  },
  'a chart repository with a password': {
    code: 'DEPENDENCY_UNSUPPORTED',
    words: ['update'],
    files: {
      [`${ADDON}/Chart.yaml`]: `apiVersion: v2\nname: welcome\nversion: v1\ndependencies:\n  - {name: x, version: 1.0.0, repository: "https://user:${CANARY}@host.example"}\n`,
    },
  },
  'an object without a name': {
    code: 'OBJECT_INVALID',
    files: { [MAP]: `apiVersion: v1\nkind: Secret\nmetadata: {}\ndata:\n  x: {{ .Values.password | b64enc }}\n` },
  },
  'an object twice': {
    code: 'OBJECT_DUPLICATE',
    files: {
      [`${ADDON}/templates/two.yaml`]:
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Chart.Name }}}\ndata: {x: {{ .Values.password }}}\n',
    },
  },
  'a file that nothing reads': { code: 'CONFIG_UNKNOWN_FILE', files: { 'clusters/team-a/web/secrets.yaml': PLANTED } },
  'an unknown option': { code: 'USAGE', files: {}, words: ['render', `--password=${CANARY}`] },
}

/** Runs of each command on a fleet full of secrets; a command without one fails the test below. */
const commands: Readonly<Record<string, readonly (readonly string[])[]>> = {
  adopt: [
    ['adopt', 'secrets.json', '--out', 'adopted'],
    ['adopt', '--compare', 'secrets.json'],
  ],
  build: [['build', STACK, '--out', 'built']],
  cache: [['cache', 'info']],
  completion: [['completion', 'bash']],
  explain: [
    ['explain', 'rendered/clusters/team-a/web/addons/welcome/configmap-kube-system-welcome.yaml'],
    ['explain', 'clusters/team-a/web/values/welcome.yaml:1'],
  ],
  fetch: [['fetch']],
  help: [['help', 'render']],
  images: [['images']],
  init: [['init', '--engine', 'flux', '--repository', `https://user:${CANARY}@host.example/x`]],
  list: [['list']],
  render: [['render'], ['render', '--check']],
  template: [
    ['template', ADDON, '-f', 'broken.yaml'],
    ['template', ADDON, '--set', `password=${CANARY},,x`],
    ['template', ADDON, '--set-json', `{"password": "${CANARY}"`],
    ['template', ADDON, '--set-string', `a[=password=${CANARY}`],
  ],
  update: [['update', '--dry-run']],
  version: [['version']],
}

const withoutReports = new Set(['completion', 'help', 'init', 'template'])

/** Codes whose trigger no planted text reaches; the sink is tried with each of them all the same. */
const reasons: Readonly<Partial<Record<Code, string>>> = reasonsFor({
  'names files, folders and fixed words alone; no text of an input comes near':
    'CONFIG_NOT_FOUND RELEASE_NAME_INVALID RELEASE_INCOMPLETE RELEASE_MISMATCH RELEASE_BUILD_TEMPLATE RELEASE_UNKNOWN_HOOK RELEASE_STAGE_NOT_EXPRESSED RELEASE_UNUSED_ADDON RELEASE_FILE_IGNORED RELEASE_TOO_LARGE FILE_UNREADABLE FILE_OUTSIDE RELEASE_TAG_SKIPPED STACK_UNNEEDED RELEASE_IN_USE CHART_NOT_INSTALLABLE CHART_DEPENDENCY_MISSING CHART_KUBE_VERSION CHART_FLAG_UNSUPPORTED CONFIG_CONFLICT VERSION_REFUSED',
  'names an entry of an archive, never its content':
    'ARCHIVE_INVALID ARCHIVE_PATH_TRAVERSAL ARCHIVE_LINK ARCHIVE_SPECIAL_FILE ARCHIVE_TOO_LARGE ARCHIVE_DUPLICATE_ENTRY',
  'needs a server; what servers and git say about credentials is tried in test/sources':
    'FETCH_FAILED FETCH_TIMEOUT FETCH_TLS FETCH_PLAIN_HTTP FETCH_UNAUTHORIZED FETCH_CREDENTIALS FETCH_NOT_FOUND FETCH_RATE_LIMITED FETCH_REFUSED FETCH_INVALID FETCH_TOO_LARGE FETCH_DIGEST_MISMATCH FETCH_OFFLINE GIT_FAILED SIGNATURE_MISSING SIGNATURE_INVALID CACHE_FAILED DEPENDENCY_NOT_FOUND DEPENDENCY_LOCK_STALE',
  'repeats the finding for which a release is skipped, under a code that is tried itself': 'RELEASE_SKIPPED',
  'names releases, digests and places of the lock alone':
    'LOCK_MISSING LOCK_MISMATCH LOCK_INVALID BUILD_INPUT_INVALID BUILD_NO_CHANGE BUILD_TAG_EXISTS BASE_UNUSED BASE_UNKNOWN ACKNOWLEDGEMENT_UNUSED',
  'names a template and a limit, or the function that was called':
    'TEMPLATE_LIMIT_STEPS TEMPLATE_LIMIT_DEPTH TEMPLATE_LIMIT_OUTPUT TEMPLATE_LIMIT_TIME TEMPLATE_TOKEN_REFUSED TEMPLATE_NOT_DETERMINISTIC TEMPLATE_TOKEN_HASHED TEMPLATE_GENERATED_SECRET ADDON_TEMPLATE API_VERSION_UNDECLARED',
  'names objects and fields, never their values':
    'SECRET_OUTSIDE_SECRET SECRET_NOT_MADE BINDING_NAME_TAKEN BINDING_TOO_LARGE SECRET_NOT_DECRYPTED OBJECT_DEFERRED_KEY OBJECT_TEST_HOOK NODE_IMAGE_UNKNOWN NODE_IMAGE_MISMATCH NODE_IMAGE_NAMESPACE NODE_IMAGE_UPLOADS NODE_IMAGE_EXPORT HOOK_TRANSLATED HOOK_LEFT_OUT RUNTIME_VALUE_UNKNOWN OBJECT_SCOPE_UNKNOWN OBJECT_TYPED_LOSS HANDOFF_TEMPLATE HANDOFF_NAME_TOO_LONG HANDOFF_NAME_CONFLICT HANDOFF_UNIT_CHANGES HANDOFF_OBJECT_STAYS HANDOFF_WAITS_FOR_CONFIRMATION HOLE_NOT_PATCHABLE NODE_IMAGE_SKIPPED NODE_IMAGE_OPTION NAMESPACE_MISSING',
  'names clusters, units and versions of the committed tree':
    'UPGRADE_SKIPS_MINOR UPGRADE_CHANGES_STACK UPGRADE_GOES_BACK UPGRADE_NOT_UNDER_WAY UPGRADE_STEP_PAST DECOMMISSION_UNDER_WAY STEPS_TOGETHER CLUSTER_ORPHANED CLUSTER_AUTOSCALED',
  'names paths of the output folder':
    'WRITE_NOT_OWNED WRITE_HAND_EDITED WRITE_EMPTY WRITE_INTERRUPTED WRITE_BUSY WRITE_PATH_CONFLICT WRITE_FAILED WRITE_OTHER_FLEET RENDER_STALE INIT_FILE_EXISTS',
  'names objects of the management cluster; their contents are tried with the command below':
    'ADOPT_INPUT_INVALID ADOPT_FILE_EXISTS ADOPT_SOURCE_UNKNOWN ADOPT_LEFT_OUT ADOPT_NOT_READY',
  'a defect of ours: any text, which only the sink can keep': 'INTERNAL',
})

function reasonsFor(groups: Readonly<Record<string, string>>): Partial<Record<Code, string>> {
  const all = Object.entries(groups).flatMap(([reason, codes]) => codes.split(' ').map((code) => [code, reason]))
  return Object.fromEntries(all) as Partial<Record<Code, string>>
}

/** Everything that a run left outside of the tree: the lock, files of the cache, drafts. */
async function writtenBeside(folder: string, inputs: ReadonlySet<string>): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !inputs.has(path) && !/\/(?:rendered|built|providers)\//.test(path))
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n')
}

async function filesOf(folder: string): Promise<ReadonlySet<string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  return new Set(names.map((entry) => join(entry.parentPath, entry.name)))
}

const all = ({ stdout, stderr }: CliRun): string => `${stdout}\n${stderr}`

describe('a canary beside the fault stays unseen:', () => {
  test.each(Object.entries(cases))('%s', { timeout: 60_000 }, async (_name, { code, files, words }) => {
    const cwd = await makeFleet(files)
    const inputs = await filesOf(cwd)
    const text = await runCli(words ?? ['render'], { cwd })
    const json = await runCli(words ?? ['render', '--output', 'json'], { cwd })
    expect(leaks(all(text))).toEqual([])
    expect(leaks(all(json))).toEqual([])
    expect(leaks(await writtenBeside(cwd, inputs))).toEqual([])
    expect(all(text)).toContain(code)
  })
})

describe('every code', () => {
  const triggered = new Set(Object.values(cases).map(({ code }) => code))

  test('has a case here, or a reason why it has none', () => {
    const codes = Object.keys(errorCodes) as readonly Code[]
    expect(codes.filter((code) => triggered.has(code) === (reasons[code] !== undefined))).toEqual([])
  })

  /** Fails at the first question about a file, as `code` with all that a finding can hold. */
  function failing(code: Code): Ports {
    const ports = createNodePorts()
    const base64 = Buffer.from(`user:${CANARY}`).toString('base64')
    const said = `said ${CANARY}, "${CANARY}x", ${base64} and https://u:${encodeURIComponent(CANARY)}@h/`
    const source = { name: 'f.yaml', text: `a: 1\nb: ${CANARY}\npassword: ${CANARY}\n` }
    const at = { source, start: 5, end: 9 }
    const found: Diagnostic = { code, severity: 'error', message: said, at, trace: [{ what: said, at }], hint: said }
    const fail = (): never => {
      throw new StackmasonError(found)
    }
    return { ...ports, files: { ...ports.files, read: fail, stat: fail, realPath: fail, entries: fail } }
  }

  test.each(Object.keys(errorCodes) as readonly Code[])('%s passes the one place that masks', async (code) => {
    const ports = failing(code)
    const outside = { ports, cwd: '/nowhere', environment: { REGISTRY_PASSWORD: CANARY } }
    const plain = await runCli(['render'], outside)
    const json = await runCli(['render', '--output', 'json'], outside)
    expect(all(plain)).toContain(code)
    expect(all(json)).toContain(code)
    expect([...leaks(all(plain)), ...leaks(all(json))]).toEqual([])
  })
})

describe('every command', () => {
  test('has runs here', () => {
    expect(Object.keys(commands)).toEqual(commandTable.map(({ name }) => name).sort())
  })

  const runs = Object.values(commands).flat()
  test.each(runs)('%s %s %s %s', { timeout: 60_000 }, async (...words) => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `s`, namespace: 'a' }, data: {} }
    const cwd = await makeFleet({
      'broken.yaml': `env:\n  - name: DB_PASSWORD\n    value: ${CANARY} : x\n`,
      'secrets.json': JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [{ ...secret, data: { value: Buffer.from(CANARY).toString('base64'), token: CANARY } }],
      }),
    })
    await runCli(['render', '-q'], { cwd })
    const inputs = await filesOf(cwd)
    const given = words.filter((word) => word !== undefined)
    const json = withoutReports.has(given[0] ?? '') ? [] : [await runCli([...given, '--output', 'json'], { cwd })]
    const shown = [await runCli(given, { cwd }), ...json]
    expect(shown.flatMap((run) => leaks(all(run)))).toEqual([])
    expect(leaks(await writtenBeside(cwd, inputs))).toEqual([])
  })
})
