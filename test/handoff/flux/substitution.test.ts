import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { fillPlaceholders } from '../../../src/handoff/binding/fill-placeholders.ts'
import { guardValues, MISSING } from '../../../src/handoff/flux/guard-values.ts'
import { protectPlaceholders } from '../../../src/handoff/flux/protect-placeholders.ts'
import type { Manifest } from '../../../src/model/manifest.ts'
import { Dict, dict } from '../../../src/model/value.ts'
import { refuseRuntimeValue, runtimePatterns } from '../../../src/model/runtime-value.ts'
import { buildChart } from '../../../src/sources/chart/build-chart.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { substitutionProgram } from '../../../tools/gates.ts'
import { boundCluster } from '../binding/bound-cluster.ts'

/** Path of the program, or undefined with one loud line. @throws Error in CI without it */
function findProgram(): string | undefined {
  const path = substitutionProgram()
  if (path !== undefined) return path
  const message = "previews beside Flux's own substitution: npx tsx tools/gates.ts builds what that needs"
  if (process.env['CI'] !== undefined) throw new Error(message)
  console.warn(`SKIPPED, ${message}`)
  return undefined
}

const program = findProgram()
const at = { source: { name: 'preview.yaml', text: '' }, start: 0, end: 0 }

/** Texts of a chart in which nothing is known only later. */
const texts = [
  '',
  '${HOME}',
  '$',
  '$$',
  'a$',
  '"',
  "'",
  '\\',
  '\\n',
  '\n',
  ' #',
  ': ',
  '-',
  '{',
  '}',
  '${',
  '${A:-b}',
  '%',
  'ü',
  '\t',
  '0x',
  '~',
]

interface Given {
  readonly before: string
  readonly after: string
  readonly host: string
  readonly port: string
  readonly phase: string
}

const overwrite = `host: {{ .Cluster.spec.controlPlaneEndpoint.host }}
port: {{ .Cluster.spec.controlPlaneEndpoint.port }}
phase: {{ .Cluster.status.phase | quote }}
`

function charted({ before, after }: Given) {
  const around = (placeholder: string): string =>
    `{{ printf "%s%v%s" ${JSON.stringify(before)} ${placeholder} ${JSON.stringify(after)} | toJson }}`
  const template = `apiVersion: v1
kind: ConfigMap
metadata: {name: a, annotations: {at: {{ .Values.host | quote }}}}
data:
  host: ${around('.Values.host')}
  port: ${around('.Values.port')}
  phase: ${around('.Values.phase')}
  three: ${around('.Values.host')}
  alone: {{ .Values.phase | toJson }}
  text: {{ .Values.port | quote }}
  number: {{ .Values.port }}
  encoded: {{ .Values.phase | b64enc }}
  list: [${around('.Values.phase')}, {{ int .Values.port }}]
keys:
  {{ ${JSON.stringify(`key ${before}`)} | toJson }}: {{ ${JSON.stringify(after)} | toJson }}
`
  const files = [
    { path: 'Chart.yaml', bytes: encodeUtf8('apiVersion: v2\nname: c\nversion: 1.0.0\n') },
    { path: 'templates/a.yaml', bytes: encodeUtf8(template) },
  ]
  return boundCluster({ chart: buildChart(files, 'c', createNodePorts()), overwrite, tool: 'flux' })
}

function addonOf(folders: readonly { readonly manifests: readonly Manifest[] }[]): Manifest {
  const [manifest] = folders[1]?.manifests ?? []
  if (manifest === undefined) throw new Error('no object')
  return manifest
}

/** The object as a preview has it, and the question what Flux makes of the file. */
function caseOf(given: Given): { readonly want: string; readonly question: object } {
  const bound = charted(given)
  const { host, port, phase } = given
  const values = {
    'Cluster.spec.controlPlaneEndpoint.host': host,
    'Cluster.spec.controlPlaneEndpoint.port': port,
    'Cluster.status.phase': phase,
  }
  const preview = fillPlaceholders(bound, new Map(Object.entries(values).map(([path, value]) => [path, { value, at }])))
  expect(preview.placeholders).toEqual([])
  return {
    want: formatGoJson(addonOf(preview.folders).object),
    question: {
      yaml: formatManifestYaml(protectPlaceholders(addonOf(bound.folders)).object),
      variables: {
        QUOTE: '"',
        CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST: host,
        CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT: port,
        CLUSTER_STATUS_PHASE: phase,
        CLUSTER_STATUS_PHASE_BASE64: Buffer.from(phase).toString('base64'),
      },
    },
  }
}

/** Asks the program about all of them at once; what it cannot fill in is its error. */
function ask(questions: readonly object[]): readonly string[] {
  const input = questions.map((question) => `${JSON.stringify(question)}\n`).join('')
  const output = execFileSync(program ?? '', { input, encoding: 'utf8', maxBuffer: 1e8 })
  return output
    .trimEnd()
    .split('\n')
    .map((line) => {
      const answer = parseGoYaml(line, { integers: 'int' })
      const object = answer instanceof Dict ? answer.get('object') : undefined
      return object instanceof Dict ? formatGoJson(object) : line
    })
}

/** Where the two differ. */
function differences(rows: readonly Given[]): readonly object[] {
  const cases = rows.map(caseOf)
  const answers = ask(cases.map(({ question }) => question))
  return rows.flatMap((given, index) => {
    const [found, want] = [answers[index], cases[index]?.want]
    return found === want ? [] : [{ given, found, want }]
  })
}

const plain: Given = { before: '', after: '', host: '192.0.2.1', port: '6443', phase: 'Provisioned' }

describe.runIf(program !== undefined)("a preview is what Flux's own substitution makes of the file", () => {
  test('around a placeholder, and in it', () => {
    const rows: readonly Given[] = [
      ...texts.flatMap((text) => [
        { ...plain, before: text },
        { ...plain, after: text },
      ]),
      ...['::1', '[::1]', '1e3', '0x1F', '2024-01-01', 'a.example', '0', '0o7', '1::2'].map((host) => ({
        ...plain,
        host,
      })),
      ...[
        'true',
        'null',
        '~',
        '1e3',
        'a: b',
        'a #b',
        '{a}',
        '- x',
        '&x',
        '*x',
        '%x',
        '!',
        '$HOME',
        '${HOME}',
        '$$',
        ' a ',
        'ü',
        '$',
        '---',
        '|',
      ].map((phase) => ({ ...plain, phase })),
      ...['1', '65535'].map((port) => ({ ...plain, port })),
    ]
    expect(differences(rows)).toEqual([])
  })

  test('and a value that is missing or empty makes no object, also where Flux is not strict', () => {
    const manifest = addonOf(charted(plain).folders)
    const names = ['CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST', 'CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT']
    const yaml = formatManifestYaml(guardValues(manifest, names).object)
    // a name without a value is an empty text for Flux when it is not strict
    const answers = ask(
      [
        ['192.0.2.1', '6443'],
        ['', '6443'],
        ['192.0.2.1', ''],
        ['', ''],
      ].map((texts) => {
        const values = Object.fromEntries(names.map((name, index) => [name, texts[index]]))
        const others = { CLUSTER_STATUS_PHASE: '', CLUSTER_STATUS_PHASE_BASE64: '', MISSING, QUOTE: '"' }
        return { yaml, variables: { ...others, ...values } }
      }),
    )
    expect(answers.map((answer) => /"stackmason.dev\/values":"filled"|YAMLToJSON/.exec(answer)?.[0])).toEqual([
      '"stackmason.dev/values":"filled"',
      'YAMLToJSON',
      'YAMLToJSON',
      'YAMLToJSON',
    ])
  })

  test('with texts and values at random', () => {
    const text = fc.oneof(
      fc.constantFrom(...texts),
      fc.array(fc.constantFrom(...texts), { maxLength: 5 }).map((parts) => parts.join('')),
      fc.string({ unit: 'grapheme-ascii', maxLength: 12 }),
    )
    const given = fc.record({
      before: text,
      after: text,
      host: fc.constantFrom('192.0.2.1', '2001:db8::1', 'api.example', '1e3', '0x1F'),
      port: fc.integer({ min: 1, max: 65_535 }).map(String),
      phase: fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
        .filter((value) => new RegExp(`^${runtimePatterns.string}$`, 'u').test(value)),
    })
    // a block that starts with a tab is what Flux itself writes and cannot read (go-yaml); see docs/14
    const isReadable = ({ before, after }: Given): boolean => ![before, after].some((part) => part.startsWith('\t'))
    expect(differences(fc.sample(given.filter(isReadable), { seed: 20_261_122, numRuns: 150 }))).toEqual([])
  })

  // the ends of what YAML 1.2 takes (nb-char), and of what is a break to it
  test('with every text that is a value, and none with a character that YAML does not take', () => {
    const codes = [
      [0x00, 0x07, 0x09, 0x0a, 0x0d, 0x1f, 0x20, 0x7e, 0x7f, 0x80, 0x84, 0x85, 0x86, 0x90, 0x9f, 0xa0, 0xad],
      [0x2027, 0x2028, 0x2029, 0x202a, 0xd7ff, 0xe000, 0xfefe, 0xfeff, 0xff00, 0xfffd, 0xfffe, 0xffff],
      [0x10000, 0x1fffe, 0x1ffff, 0x10ffff],
    ].flat()
    const characters = codes.map((code) => String.fromCodePoint(code))
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: ${QUOTE}${TEXT}${QUOTE}\n'
    const answers = ask(
      characters.map((character) => ({ yaml, variables: { QUOTE: '"', TEXT: `eu${character}west` } })),
    )
    const isRead = codes.filter((_, index) => answers[index]?.includes(`"k":"eu${characters[index] ?? ''}west"`))
    const isValue = codes.filter(
      (_, index) => refuseRuntimeValue('string', `eu${characters[index] ?? ''}west`) === undefined,
    )
    expect(isValue.filter((code) => !isRead.includes(code))).toEqual([])
    // YAML has a byte order mark at the beginning alone (nb-char)
    expect(isRead.filter((code) => !isValue.includes(code))).toEqual([0xfeff])
  })

  test.each(['\tx\ny', '\n\tx', ' \tx\n', '\tx', '\t', 'x\n\t'])('Kustomize reads %j', (text) => {
    const object = dict([
      ['apiVersion', 'v1'],
      ['kind', 'ConfigMap'],
      ['metadata', dict([['name', 'a']])],
      ['data', dict([['text', text]])],
    ])
    expect(ask([{ yaml: formatManifestYaml(object), variables: {} }])).toEqual([formatGoJson(object)])
  })

  test('a name that nothing has a value for fails, as strict substitution has it', () => {
    const { question } = caseOf(plain)
    const [answer] = ask([{ ...question, variables: { QUOTE: '"' } }])
    expect(answer).toMatch(/variable not set \(strict mode\)/)
  })
})
