import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { rawTar, type RawEntry } from '../support/raw-tar.ts'
import {
  ADDON,
  ADDONS,
  CANARY,
  type CanaryCase,
  type CanaryFleet,
  type Files,
  CLUSTER,
  CONFIG,
  appliedByFlux,
  MAP,
  PLANTED,
  STACK,
  UNPLANTED,
  VALUES,
} from './canary-fleet.ts'

const TEMPLATE_ADDON = ['template', ADDON, '-f', VALUES]
const CHART = `${ADDON}/Chart.yaml`
const STAGES = `${STACK}/clusteraddon.yaml`
/** A field of a chart that nobody reads. */
const chart = (more: string): string =>
  `apiVersion: v2\nname: welcome\nversion: 1.0.0\nannotations: {token: ${CANARY}}\n${more}`
const ownAddon = (entry: string): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons:\n    - ${entry}\n`
const template = (text: string): Files => ({ [MAP]: text })
const map = (data: string, name = 'a'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata:\n  ${data}\n`
const hook = (event: string): string =>
  `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n  annotations: {helm.sh/hook: ${event}, token: {{ .Values.password }}}\nspec: {}\n`

/** Runs `template` on a packed chart of these entries. */
function archive(entries: readonly RawEntry[] | Uint8Array): Pick<CanaryCase, 'words' | 'prepare'> {
  const bytes = entries instanceof Uint8Array ? entries : createNodePorts().compression.gzip(rawTar(entries))
  return {
    words: ['template', 'bad.tgz', '-f', VALUES],
    prepare: ({ cwd }) => writeFile(join(cwd, 'bad.tgz'), bytes),
  }
}
const inArchive = (entry: RawEntry): readonly RawEntry[] => [
  { name: 'x/Chart.yaml', data: 'apiVersion: v2\nname: x\nversion: 1.0.0\n' },
  { name: 'x/values.yaml', data: PLANTED },
  entry,
]

/** A second release, v2, of the stack. */
export function secondRelease({ folder }: CanaryFleet): void {
  folder.copy(folder.path(STACK), 'providers/docker/next')
  folder.edit(
    CONFIG,
    '        version: v1\n',
    '        version: v1\n    - name: next\n      providerDirectory:\n        path: providers/docker/next\n        version: v2\n',
  )
  folder.edit('stacks/starter.yaml', '    - v1\n', '    - v1\n    - v2\n')
}

/** Faults of the fleet's own files. */
export const configurationCases: Readonly<Record<string, CanaryCase>> = {
  'a folder without a fleet': { code: 'CONFIG_NOT_FOUND', prepare: ({ folder }) => folder.remove(CONFIG) },
  'two documents in one file': {
    code: 'CONFIG_CONFLICT',
    prepare: ({ folder }) => folder.write(CONFIG, `${folder.read(CONFIG)}---\ntoken: ${CANARY}\n`),
  },
  'another version than the fleet wants': {
    code: 'VERSION_REFUSED',
    prepare: ({ folder }) => folder.edit(CONFIG, /requiredVersion: .*/, `requiredVersion: 9.9.9\n# token: ${CANARY}`),
  },
  'a class that is not a release': {
    code: 'RELEASE_NAME_INVALID',
    files: {
      [CLUSTER]: {
        replace: 'name: docker-starter-1-34-v1',
        by: `name: docker-starter-1-34-vv1\n      # token: ${CANARY}`,
      },
    },
  },
  'values that are not there': {
    code: 'FILE_UNREADABLE',
    words: ['template', ADDON, '--set', `password=${CANARY}`, '-f', 'nowhere.yaml'],
  },
  'templates outside of the fleet': {
    code: 'FILE_OUTSIDE',
    files: { [ADDONS]: ownAddon(`{name: x, templates: {path: ../../../..}} # token: ${CANARY}`) },
  },
  'an acknowledgement of nothing': {
    code: 'ACKNOWLEDGEMENT_UNUSED',
    files: {
      [CONFIG]: {
        replace: 'spec:\n',
        by: `spec:\n  acknowledged:\n    - {code: HOOK_LEFT_OUT, reason: "because", until: "2999-01-01"} # token: ${CANARY}\n`,
      },
    },
  },
  'an own template that reads a field of a secret': {
    code: 'ADDON_TEMPLATE',
    files: {
      [ADDONS]: ownAddon('{name: notes, templates: {path: notes}}'),
      'clusters/team-a/web/values/notes.yaml': PLANTED,
      'clusters/team-a/web/notes/map.hbs': map('a: {{values.password.first}}'),
    },
  },
  'an own template that reads a field of a value without a telling name': {
    code: 'ADDON_TEMPLATE',
    files: {
      ...UNPLANTED,
      [ADDONS]: ownAddon('{name: notes, templates: {path: notes}}'),
      'clusters/team-a/web/values/notes.yaml': `words: [${CANARY}]\n`,
      'clusters/team-a/web/notes/map.hbs': map('a: {{values.words.first}}'),
    },
  },
  'an own template that calls a partial by a value': {
    code: 'ADDON_TEMPLATE',
    files: {
      ...UNPLANTED,
      [ADDONS]: ownAddon('{name: notes, templates: {path: notes}}'),
      'clusters/team-a/web/values/notes.yaml': `word: ${CANARY}\n`,
      'clusters/team-a/web/notes/map.hbs': map('a: {{> (lookup values "word")}}'),
    },
  },
  'an own template that gives no YAML': {
    code: 'OBJECT_INVALID',
    files: {
      ...UNPLANTED,
      [ADDONS]: ownAddon('{name: notes, templates: {path: notes}}'),
      'clusters/team-a/web/values/notes.yaml': `word: ${CANARY}\n`,
      'clusters/team-a/web/notes/map.hbs': map('a: *{{values.word}}'),
    },
  },
  'a template of the handoff that is not safe': {
    code: 'HANDOFF_TEMPLATE',
    files: {
      [CONFIG]: appliedByFlux,
      'templates/handoff/flux/kustomization.yaml.hbs': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {password: ${CANARY}}\n`,
    },
  },
}

/** Faults of releases, their charts and archives. */
export const releaseCases: Readonly<Record<string, CanaryCase>> = {
  'a release without its class': {
    code: 'RELEASE_INCOMPLETE',
    prepare: ({ folder }) => folder.remove(`${STACK}/cluster-class`),
  },
  'a class chart of another name': {
    code: 'RELEASE_MISMATCH',
    files: {
      [`${STACK}/cluster-class/Chart.yaml`]: `apiVersion: v2\nname: other\nversion: v1\nannotations: {token: ${CANARY}}\n`,
    },
  },
  'a placeholder that does not parse': {
    code: 'RELEASE_BUILD_TEMPLATE',
    files: { [`${ADDON}/values.yaml`]: `password: ${CANARY}\nurl: << .Nope "token=${CANARY}" >>\n` },
  },
  'stages of a hook that is none': {
    code: 'RELEASE_UNKNOWN_HOOK',
    files: { [STAGES]: { replace: 'BeforeClusterUpgrade:', by: `BeforeClusterUpgrad: # token: ${CANARY}` } },
  },
  'a condition that Flux cannot take': {
    code: 'RELEASE_STAGE_NOT_EXPRESSED',
    files: {
      [CONFIG]: appliedByFlux,
      [STAGES]: {
        replace: '      action: apply\n',
        by: `      action: apply\n      waitForPostCondition:\n        objects:\n          - {key: x, apiVersion: v1, kind: ConfigMap, name: welcome, namespace: kube-system}\n        conditions: "x.data.password == '${CANARY}' && nope(x)"\n`,
      },
    },
  },
  'an addon that no stage applies': {
    code: 'RELEASE_UNUSED_ADDON',
    files: {
      [`${STACK}/cluster-addon/spare/Chart.yaml`]: 'apiVersion: v2\nname: spare\nversion: v1\n',
      [`${STACK}/cluster-addon/spare/values.yaml`]: PLANTED,
    },
  },
  'values that nothing reads': {
    code: 'RELEASE_FILE_IGNORED',
    files: { [`${STACK}/cluster-addon-values.yaml`]: PLANTED },
  },
  'a file that is too large': {
    code: 'RELEASE_TOO_LARGE',
    files: { [STAGES]: `# token: ${CANARY}\n`.repeat(60_000) },
  },
  'a release that cannot be rendered and is not used': {
    code: 'RELEASE_SKIPPED',
    prepare: (fleet) => {
      secondRelease(fleet)
      fleet.folder.write(
        'providers/docker/next/cluster-class/templates/odd.yaml',
        `{{ fail (printf "password: %s" "${CANARY}") }}\n`,
      )
    },
  },
  'a library chart': {
    code: 'CHART_NOT_INSTALLABLE',
    files: { [CHART]: chart('type: library\n') },
    words: TEMPLATE_ADDON,
  },
  'a chart without its dependency': {
    code: 'CHART_DEPENDENCY_MISSING',
    files: { [CHART]: chart(`dependencies:\n  - {name: x, version: 1.0.0, tags: [${CANARY}]}\n`) },
    words: TEMPLATE_ADDON,
  },
  'a chart for other versions of Kubernetes': {
    code: 'CHART_KUBE_VERSION',
    files: { [CHART]: chart('kubeVersion: ">=1.99.0"\n') },
  },
  'a flag that makes no sense here': {
    code: 'CHART_FLAG_UNSUPPORTED',
    words: ['template', ADDON, '--set', `password=${CANARY}`, '--validate'],
  },
  'an archive that is none': { code: 'ARCHIVE_INVALID', ...archive(Buffer.from(`token: ${CANARY}\n`)) },
  'an archive that ends early': {
    code: 'ARCHIVE_INVALID',
    ...archive(createNodePorts().compression.gzip(rawTar(inArchive({ name: 'x/y', data: PLANTED })).subarray(0, 2000))),
  },
  'an archive with a path that leads out': {
    code: 'ARCHIVE_PATH_TRAVERSAL',
    ...archive(inArchive({ name: '../x', data: PLANTED })),
  },
  'an archive with a link': {
    code: 'ARCHIVE_LINK',
    ...archive(inArchive({ name: 'x/y', flag: '2', link: `/run/secrets?token=${CANARY}` })),
  },
  'an archive with a pipe': { code: 'ARCHIVE_SPECIAL_FILE', ...archive(inArchive({ name: 'x/y', flag: '6' })) },
  'an archive with a path twice': {
    code: 'ARCHIVE_DUPLICATE_ENTRY',
    ...archive(inArchive({ name: 'x/values.yaml', data: `password: ${CANARY}2\n` })),
  },
  'an archive that unpacks to too much': {
    code: 'ARCHIVE_TOO_LARGE',
    ...archive(inArchive({ name: 'x/y', data: `token: ${CANARY}\n`.repeat(400_000) })),
  },
}

/** Faults of templates and of what they give. */
export const templateCases: Readonly<Record<string, CanaryCase>> = {
  'a template that does not come to an end': {
    code: 'TEMPLATE_LIMIT_STEPS',
    files: template(
      '{{ range until 1000 }}{{ range until 1000 }}{{ range until 1000 }}{{ $x := $.Values.password }}{{ end }}{{ end }}{{ end }}\n',
    ),
  },
  'templates that include each other': {
    code: 'TEMPLATE_LIMIT_DEPTH',
    files: template('{{ define "x" }}{{ $x := .Values.password }}{{ include "x" . }}{{ end }}{{ include "x" . }}\n'),
  },
  'a template that writes too much': {
    code: 'TEMPLATE_LIMIT_OUTPUT',
    files: template('{{ repeat 100000000 .Values.password }}\n'),
  },
  'a template that takes too long': {
    code: 'TEMPLATE_LIMIT_TIME',
    files: template('a: {{ .Values.password | sha256sum }}\n'),
    prepare: () => {
      const ports = createNodePorts()
      const hash: typeof ports.crypto.hash = (algorithm, bytes) => {
        if (Buffer.from(bytes).toString() === CANARY) for (;;);
        return ports.crypto.hash(algorithm, bytes)
      }
      const within: typeof ports.deadline.within = (_, work) => ports.deadline.within(300, work)
      return Promise.resolve({
        ports: { ...ports, crypto: { ...ports.crypto, hash }, deadline: { ...ports.deadline, within } },
      })
    },
  },
  'a template that must know what is known later': {
    code: 'TEMPLATE_TOKEN_REFUSED',
    files: {
      [CONFIG]: appliedByFlux,
      [`${ADDON}/overwrite.yaml`]: `values: |\n  password: ${CANARY}\n  host: {{ .Cluster.spec.controlPlaneEndpoint.host }}\n`,
      [MAP]: map('a: {{ mustRegexMatch .Values.password .Values.host }}'),
    },
  },
  'a template that hashes what is known later': {
    code: 'TEMPLATE_TOKEN_HASHED',
    files: {
      [CONFIG]: appliedByFlux,
      [`${ADDON}/overwrite.yaml`]: `values: |\n  password: ${CANARY}\n  host: {{ .Cluster.spec.controlPlaneEndpoint.host }}\n`,
      [MAP]: map('a: {{ printf "%s%s" .Values.password .Values.host | sha256sum }}'),
    },
  },
  'a template that asks for the time': {
    code: 'TEMPLATE_NOT_DETERMINISTIC',
    files: template(map('a: {{ printf "%s %s" .Values.password (now | toString) | quote }}')),
  },
  'a template that makes a secret': {
    code: 'TEMPLATE_GENERATED_SECRET',
    files: template(
      'apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: "{{ randAlphaNum 8 }}", b: {{ .Values.password }}}\n',
    ),
  },
  'a secret that is made, outside of a Secret': {
    code: 'SECRET_OUTSIDE_SECRET',
    files: {
      [CONFIG]: appliedByFlux,
      [MAP]: map('a: "{{ printf "%s%s" .Values.password (randAlphaNum 8) }}"'),
    },
  },
  'a secret that is made, in the subject of a certificate outside of a Secret': {
    code: 'SECRET_OUTSIDE_SECRET',
    files: {
      [CONFIG]: appliedByFlux,
      [MAP]: map(
        'a: {{ (genSelfSignedCert (printf "%s%s" .Values.password (randAlphaNum 8)) nil nil 9).Cert | quote }}',
      ),
    },
  },
  'a class that makes a secret': {
    code: 'SECRET_NOT_MADE',
    files: {
      [CONFIG]: appliedByFlux,
      [`${STACK}/cluster-class/values.yaml`]: PLANTED,
      [`${STACK}/cluster-class/templates/made.yaml`]:
        'apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: "{{ randAlphaNum 8 }}", b: {{ .Values.password }}}\n',
    },
  },
  'a name that is known later': {
    code: 'OBJECT_DEFERRED_KEY',
    files: {
      [CONFIG]: appliedByFlux,
      [MAP]: map('a: {{ .Values.password }}', '{{ printf "x-%s" (randAlphaNum 8 | lower) }}'),
    },
  },
  'a test with a random name': {
    code: 'OBJECT_TEST_HOOK',
    files: {
      [CONFIG]: appliedByFlux,
      [MAP]: hook('test').replace('name: a', 'name: "a-{{ randAlphaNum 8 | lower }}"'),
    },
  },
  'a hook that is applied': {
    code: 'HOOK_TRANSLATED',
    files: { [CONFIG]: appliedByFlux, [MAP]: hook('post-install') },
  },
  'a hook that is left out': { code: 'HOOK_LEFT_OUT', files: { [CONFIG]: appliedByFlux, [MAP]: hook('pre-delete') } },
  'a field that only the running cluster knows': {
    code: 'RUNTIME_VALUE_UNKNOWN',
    files: {
      [`${ADDON}/overwrite.yaml`]: `values: |\n  password: ${CANARY}\n  host: {{ .Cluster.spec.controlPlaneEndpoint.host }}\n`,
    },
  },
  'a kind that nobody knows': {
    code: 'OBJECT_SCOPE_UNKNOWN',
    files: template(
      'apiVersion: example.org/v1\nkind: Odd\nmetadata: {name: a}\nspec: {token: {{ .Values.password }}}\n',
    ),
  },
  'a namespace that nobody makes': {
    code: 'NAMESPACE_MISSING',
    files: template(map('a: {{ .Values.password }}', 'a, namespace: nowhere')),
  },
  'an API that nobody declares': {
    code: 'API_VERSION_UNDECLARED',
    files: template(
      `{{ if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" }}\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: a}\nspec: {token: {{ .Values.password }}}\n{{ end }}\n`,
    ),
  },
  'a Secret that is encrypted with nothing to decrypt it': {
    code: 'SECRET_NOT_DECRYPTED',
    files: {
      [CONFIG]: appliedByFlux,
      [MAP]: `apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: "ENC[AES256_GCM,data:${CANARY}]"}\nsops: {mac: "ENC[${CANARY}]", version: 3.9.0}\n`,
    },
  },
  'an object with the name of the published values': {
    code: 'BINDING_NAME_TAKEN',
    files: {
      [CONFIG]: appliedByFlux,
      [`${ADDON}/overwrite.yaml`]: 'values: |\n  cluster: "{{ .Cluster.spec.controlPlaneEndpoint.host }}"\n',
      [CLUSTER]: {
        replace: 'apiVersion:',
        by: `apiVersion: v1\nkind: Secret\nmetadata: {name: web, namespace: team-a}\nstringData: {a: ${CANARY}}\n---\napiVersion:`,
      },
    },
  },
}
