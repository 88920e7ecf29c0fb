import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { type RunCli, runCli as runFromSource } from './run-cli.ts'

const CLUSTER = 'clusters/team-a/web/cluster.yaml'
const ADDON = 'providers/docker/starter/cluster-addon/welcome'

/** Files to write into what `stackmason init` wrote; an object changes what is there. */
export type Files = Readonly<Record<string, string | { readonly replace: string; readonly by: string }>>

/** An addon of the user's own that is one template. */
function ownTemplate(text: string): Files {
  return {
    'clusters/team-a/web/addons.yaml':
      'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons: [{name: notes, templates: {path: notes}}]\n',
    'clusters/team-a/web/notes/map.hbs': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes}\n${text}`,
  }
}

/** Mistakes in a fleet, by what they are. */
export const brokenFleets: Readonly<Record<string, Files>> = {
  'a mistyped field': { 'stackmason.yaml': { replace: 'providerDirectory:', by: 'providerDirectry:' } },
  'a wrong type': { [CLUSTER]: { replace: 'replicas: 2', by: 'replicas: two' } },
  'a duplicate key': { [CLUSTER]: { replace: '  name: web\n', by: '  name: web\n  name: wob\n' } },
  'not YAML': { [CLUSTER]: { replace: '      name: docker', by: '     name: docker' } },
  'a release that nobody offers': { [CLUSTER]: { replace: '1-34-v1', by: '1-34-v7' } },
  'a version that the release does not have': { [CLUSTER]: { replace: 'version: v1.34.7', by: 'version: v1.34.8' } },
  'a value for an addon that does not exist': { 'clusters/team-a/web/values/welcom.yaml': 'a: 1\n' },
  'a field that only the running cluster knows': {
    [`${ADDON}/overwrite.yaml`]: 'values: |\n  cluster: {{ .Cluster.spec.controlPlaneEndpoint.host }}\n',
  },
  'a template that fails': {
    [`${ADDON}/templates/configmap.yaml`]: {
      replace: '.Values.message | quote',
      by: 'required "say something" .Values.missing',
    },
  },
  'a template that does not parse': {
    [`${ADDON}/templates/configmap.yaml`]: { replace: '{{ .Values.message', by: '{{ .Values.message | nonsense' },
  },
  'a secret in the excerpt': { 'clusters/team-a/web/values/welcome.yaml': 'password: "hunter2\n' },
  'a patch that cannot be applied': {
    'clusters/team-a/web/patches/p.yaml':
      'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: ConfigMap}\n  jsonPatch:\n    - op: remove\n      path: /data/absent\n',
  },
  'a helper without a value': ownTemplate('data: {{yaml}}\n'),
  'a helper of a name that is not there': ownTemplate('data: {{yaml cluster.metadata.lables}}\n'),
  'a helper that does not exist': ownTemplate('data: {{#unles true}}x{{/unles}}\n'),
  'a template that logs': ownTemplate('data: {{log "x"}}\n'),
  'a regular expression that does not parse': {
    [`${ADDON}/templates/configmap.yaml`]: {
      replace: '.Values.message | quote',
      by: 'mustRegexMatch "(" .Values.message',
    },
  },
  ...Object.fromEntries(
    ['draft-07/schema', 'draft/2019-09/schema', 'draft/2020-12/schema'].map((draft) => [
      `a value that a schema of ${draft.replace('/schema', '').replace('/', ' ')} refuses`,
      {
        [`${ADDON}/values.schema.json`]: JSON.stringify({
          $schema: `${draft === 'draft-07/schema' ? 'http' : 'https'}://json-schema.org/${draft}`,
          properties: { message: { type: 'string', pattern: '^[a-z]+$', maxLength: 3 } },
        }),
      },
    ]),
  ),
  'a condition of a stage': {
    'providers/docker/starter/clusteraddon.yaml': {
      replace: '      action: apply\n',
      by: '      action: apply\n      waitForPostCondition:\n        objects:\n          - key: x\n            apiVersion: v1\n            kind: ConfigMap\n            name: welcome\n            namespace: kube-system\n        conditions: "true"\n',
    },
  },
}

/** Runs `render` in a fresh fleet with the mistake, and gives all that a user sees. */
export async function seenOf(files: Files, runCli: RunCli = runFromSource): Promise<string> {
  const folder = await tempFolder()
  await runCli(['init'], { cwd: folder })
  for (const [path, change] of Object.entries(files)) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    const text = typeof change === 'string' ? change : (await readFile(file, 'utf8')).replace(change.replace, change.by)
    await writeFile(file, text)
  }
  const { status, stdout, stderr } = await runCli(['render', '-q'], { cwd: folder })
  expect(stdout).toBe('')
  return `${stderr}exit status ${String(status)}\n`
}

/** The golden of a mistake. */
export function goldenOfMistake(name: string): string {
  return `../golden/findings/${name.replaceAll(' ', '-')}.txt`
}
