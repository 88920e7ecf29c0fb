import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandTable } from '../../src/cli/command-table.ts'
import { StackmasonError, type Diagnostic } from '../../src/model/diagnostic.ts'
import { type Code, errorCodes } from '../../src/model/error-codes.ts'
import type { Ports } from '../../src/model/ports.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import {
  ADDON,
  CANARY,
  type CanaryCase,
  CLUSTER,
  type Files,
  appliedByFlux,
  leaks,
  makeFleet,
  MAP,
  PATCH,
  PLANTED,
  prepareCase,
  STACK,
  UNPLANTED,
  VALUES,
} from './canary-fleet.ts'
import { checkCases } from './canary-check.ts'
import { configurationCases, releaseCases, templateCases } from './canary-releases.ts'
import { publishCases } from './canary-publish.ts'
import { serverCases } from './canary-servers.ts'
import { adoptCases, imageCases, writeCases } from './canary-tools.ts'
import { toolCases, treeCases } from './canary-trees.ts'
import { type CliRun, runCli } from './run-cli.ts'

const template = (by: string): Files => ({ [MAP]: { replace: '{{ .Values.message | quote }}', by } })
const jsonPatch = (operation: string): Files => ({
  ...UNPLANTED,
  [PATCH]: `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: ConfigMap}\n  jsonPatch:\n    ${operation}\n`,
})
const valuesWith = (more: string): Files => ({ [VALUES]: PLANTED + more })

const inputCases: Readonly<Record<string, CanaryCase>> = {
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
      'stackmason.yaml': appliedByFlux,
    },
  },
  'a freeze of nothing': {
    code: 'FREEZE_NOTHING',
    files: {
      'clusters/team-a/web/options.yaml': `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {freeze: true} # token: ${CANARY}\n`,
      'stackmason.yaml': appliedByFlux,
    },
  },
  'a tree that another tool applies': {
    code: 'HANDOFF_TOOL_CHANGES',
    files: {
      'rendered/handoff/team-a/application-team-a.web.yaml': `kind: Application\n# token: ${CANARY}\n`,
      'stackmason.yaml': appliedByFlux,
    },
  },
  'a tool that is retired for no reason': {
    code: 'HANDOFF_TOOL_RETIRED',
    files: { 'stackmason.yaml': { replace: 'spec:\n', by: `spec:\n  retiredTool: flux # token: ${CANARY}\n` } },
  },
  'what pointed another tool at the tree': {
    code: 'HANDOFF_TOOL_LEFT',
    files: {
      'bootstrap/argocd.yaml': `apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {source: {path: rendered/handoff}} # token: ${CANARY}\n`,
    },
  },
  'a label that no API server takes': {
    code: 'OBJECT_NAME_INVALID',
    files: {
      [MAP]: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {a: "{{ .Values.password }}/x"}\n',
    },
  },
  'a path of the handoff that is not there': {
    code: 'HANDOFF_PATH_DIFFERS',
    files: {
      '.git/HEAD': 'ref: refs/heads/main\n',
      'stackmason.yaml': {
        replace: 'spec:\n',
        by: `spec:\n  handoff: {flux: {source: {kind: GitRepository, name: fleet}, path: ./gone}} # token: ${CANARY}\n`,
      },
    },
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
  'a patch that gives the Cluster a class': {
    code: 'PATCH_FAILED',
    files: {
      ...UNPLANTED,
      [PATCH]: `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: Cluster}\n  mergePatch: {spec: {topology: {classRef: {name: ${CANARY}}}}}\n`,
    },
  },
  'a patch that gives the Cluster a field of the server': {
    code: 'PATCH_FAILED',
    files: {
      ...UNPLANTED,
      [PATCH]: `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: Cluster}\n  mergePatch: {metadata: {uid: ${CANARY}}}\n`,
    },
  },
  'a patch that gives the Cluster an address with a port': {
    code: 'CONFIG_INVALID_VALUE',
    files: {
      ...UNPLANTED,
      [PATCH]: `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: Cluster}\n  mergePatch: {spec: {controlPlaneEndpoint: {host: "${CANARY}:6443"}}}\n`,
    },
  },
  'a patch that gives the Cluster networks': {
    code: 'CONFIG_INVALID_VALUE',
    files: {
      ...UNPLANTED,
      [PATCH]: `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: Cluster}\n  mergePatch: {spec: {clusterNetwork: {pods: {cidrBlocks: [${CANARY}]}}}}\n`,
    },
  },
  'a patch that gives the Cluster variables twice': {
    code: 'CONFIG_CONFLICT',
    files: {
      ...UNPLANTED,
      [PATCH]: `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: Cluster}\n  mergePatch: {spec: {topology: {variables: [{name: ${CANARY}, value: a}, {name: ${CANARY}, value: b}]}}}\n`,
    },
  },
  'a patch that makes a list': {
    code: 'OBJECT_INVALID',
    files: jsonPatch(`- {op: add, path: /items, value: [{token: ${CANARY}}, ${CANARY}]}`),
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

const cases: Readonly<Record<string, CanaryCase>> = {
  ...inputCases,
  ...configurationCases,
  ...releaseCases,
  ...templateCases,
  ...treeCases,
  ...toolCases,
  ...serverCases,
  ...publishCases,
  ...imageCases,
  ...adoptCases,
  ...writeCases,
  ...checkCases,
}

/** Runs of each command on a fleet full of secrets; a command without one fails the test below. */
const commands: Readonly<Record<string, readonly (readonly string[])[]>> = {
  adopt: [
    ['adopt', 'secrets.json', '--out', 'adopted'],
    ['adopt', '--compare', 'secrets.json'],
  ],
  build: [['build', STACK, '--out', 'built']],
  cache: [['cache', 'info']],
  check: [['check']],
  completion: [['completion', 'bash']],
  containers: [['containers'], ['containers', '-o', 'names=images.txt', '-o', 'cyclonedx=bom.json']],
  controller: [['controller', 'run', '--kubeconfig', 'broken.yaml']],
  diff: [['diff'], ['diff', 'HEAD', 'render', '--all'], ['diff', 'HEAD', 'render', '-o', 'json']],
  explain: [
    ['explain', 'rendered/clusters/team-a/web/addons/welcome/configmap-kube-system-welcome.yaml'],
    ['explain', 'clusters/team-a/web/values/welcome.yaml:1'],
  ],
  fetch: [['fetch']],
  help: [['help', 'render']],
  images: [['images']],
  init: [['init', '--engine', 'flux', '--repository', `https://user:${CANARY}@host.example/x`]],
  list: [['list']],
  new: [
    ['new', 'cluster', 'team-a/copy', '--like', 'web', '--dry-run'],
    ['new', 'cluster', `team-a/${CANARY}`, '--like', 'web'],
    ['new', 'stack', 'docker/fresh', '--dry-run'],
  ],
  publish: [['publish'], ['publish', '--dry-run']],
  render: [['render'], ['render', '--check']],
  report: [['report'], ['report', '-o', 'html=report.html']],
  status: [
    ['status', '--kubeconfig', 'broken.yaml'],
    ['status', '--kubeconfig', 'broken.yaml', '--definition', 'things.example.com/v1'],
  ],
  template: [
    ['template', ADDON, '-f', 'broken.yaml'],
    ['template', ADDON, '--set', `password=${CANARY},,x`],
    ['template', ADDON, '--set-json', `{"password": "${CANARY}"`],
    ['template', ADDON, '--set-string', `a[=password=${CANARY}`],
  ],
  update: [['update', '--dry-run']],
  variables: [
    ['variables'],
    ['variables', 'web', '-o', 'schema=cluster.json', '-o', 'markdown=variables.md'],
    ['variables', `./${STACK}`],
  ],
  version: [['version']],
}

const withoutReports = new Set(['completion', 'controller', 'help', 'init', 'template'])

/** Codes that no input leads to; the sink is tried with each of them all the same. */
const reasons: Readonly<Partial<Record<Code, string>>> = {
  PUBLISH_TOO_LONG: 'tells lengths alone',
  WRITE_PATH_CONFLICT:
    'a guard of the writer: two objects that are the same are refused as OBJECT_DUPLICATE before a file is named',
  OBJECT_TYPED_LOSS:
    'a guard of the writer: readers of YAML and JSON refuse NaN and infinities, and replace what is not UTF-8, before an object is made',
  PUBLISH_BRANCH_KEPT: 'names a branch of ours, and what the server says as PUBLISH_PROTECTED does',
  PUBLISH_UNFINISHED: 'names branches of ours, ids of commits, and addresses of pull requests that a forge tells',
  PUBLISH_TAG_KEPT: 'names tags that the user gives, and ids of commits',
  PUBLISH_PEOPLE: 'said by a forge, and names what the fleet says',
  PUBLISH_STATUS_FAILED: 'said by a forge, and names what the fleet says',
  PUBLISH_WAVE_STOPPED: 'said by a forge, and names what the fleet says',
  PUBLISH_WAVE_EDIT: 'names a field, and shows its line as a broken cluster.yaml does',
  PUBLISH_AUTO_MERGE: 'said by a forge: a choice among texts of ours',
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
  test.each(Object.entries(cases))('%s', { timeout: 120_000 }, async (_name, given) => {
    const { code, words = ['render'] } = given
    const options = await prepareCase(given)
    const inputs = await filesOf(options.cwd)
    const text = await runCli(words, options)
    expect(leaks(all(text))).toEqual([])
    expect(leaks(await writtenBeside(options.cwd, inputs))).toEqual([])
    const isList = words.includes('-o') || withoutReports.has(words[0] ?? '')
    const inJson = isList ? words : [...words, '--output', 'json']
    const json = given.isLong === true ? [] : [await runCli(inJson, await prepareCase(given))]
    expect(json.flatMap((run) => leaks(all(run)))).toEqual([])
    // notes are told to programs only
    expect([text, ...json].map(all).join('\n')).toContain(code)
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
    return {
      ...ports,
      files: { ...ports.files, read: fail, readKnown: fail, stat: fail, realPath: fail, entries: fail },
    }
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
