import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { pathOf, positionAt } from '../../src/model/source.ts'
import { exampleFleet, handoffs } from '../../tools/fleets/example-fleet.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { tempFolder } from '../support/temp-folder.ts'

const cluster = 'clusters/team-b/batch'
const configMap = (name: string, rest = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${rest}`
const ownAddons = (...names: readonly string[]): string =>
  [
    'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  runtimeValues:\n    Cluster.spec.controlPlaneEndpoint.host: 192.0.2.10\n  addons:\n',
    ...names.map((name) => `    - {name: ${name}, templates: {path: ${name}}}\n`),
  ].join('')
const chart = (name: string): Readonly<Record<string, string>> => ({
  [`${cluster}/${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`,
})

const wayOut = (one: string, other: string): string =>
  `Remove the object from one of the two, by its values or in its template, or switch that addon off: \`enabled: false\` for ${one} or ${other} in clusters/team-b/batch/addons.yaml.`

test.each([
  {
    name: 'of the release and of an own addon',
    files: {
      [`${cluster}/addons.yaml`]: ownAddons('quotas'),
      [`${cluster}/quotas/twice.yaml`]: `# ours\n---\n${configMap('other')}---\n${configMap('cluster-facts')}`,
    },
    at: `${cluster}/quotas/twice.yaml:11:9`,
    message:
      'cluster team-b/batch: ConfigMap kube-system/cluster-facts is in two addons, cluster-addon (providers/docker/classic/cluster-addon/templates/configmap.yaml:4) and quotas (clusters/team-b/batch/quotas/twice.yaml:11)',
    hint: wayOut('cluster-addon', 'quotas'),
  },
  {
    name: 'of two own addons, one of them a chart whose template does not spell the name, in another version of its group',
    files: {
      ...chart('doors'),
      [`${cluster}/doors/templates/a.yaml`]:
        'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: {{ .Release.Namespace }}\n',
      [`${cluster}/addons.yaml`]: `${ownAddons('quotas')}    - {name: doors, chart: {path: doors}}\n`,
      [`${cluster}/quotas/twice.yaml`]:
        'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: kube-system}\n',
    },
    at: `${cluster}/doors/templates/a.yaml:4:12`,
    message:
      'cluster team-b/batch: PodDisruptionBudget kube-system/kube-system is in two addons, quotas (clusters/team-b/batch/quotas/twice.yaml:3) and doors (clusters/team-b/batch/doors/templates/a.yaml:4)',
    hint: wayOut('quotas', 'doors'),
  },
])('an object in two addons of a cluster is an error: $name', async ({ files, at, message, hint }) => {
  const { problems, output } = await rendered(files)
  expect(problems).toEqual([{ code: 'OBJECT_DUPLICATE', severity: 'error', at, message, hint }])
  await expect(readFile(join(output, 'kustomization.yaml'))).rejects.toThrow('ENOENT')
})

test.each([
  {
    name: 'a Secret of two addons that the cluster has already',
    files: {
      [`${cluster}/addons.yaml`]: `${ownAddons('quotas')}  existingSecrets: [{name: door}]\n`,
      [`${cluster}/quotas/twice.yaml`]: 'apiVersion: v1\nkind: Secret\nmetadata: {name: door}\n',
    },
  },
  {
    name: 'test hooks, which no engine gets',
    files: {
      [`${cluster}/addons.yaml`]: ownAddons('quotas', 'more'),
      [`${cluster}/quotas/twice.yaml`]: configMap('door', '  annotations: {helm.sh/hook: test}\n'),
      [`${cluster}/more/twice.yaml`]: configMap('door', '  annotations: {helm.sh/hook: test}\n'),
    },
  },
])('no object of two addons: $name', async ({ files }) => {
  expect((await rendered(files)).problems).toEqual([])
})

const isOurs = ({ code }: Diagnostic): boolean => code === 'OBJECT_DUPLICATE'

async function rendered(
  files: Readonly<Record<string, string>>,
): Promise<{ readonly problems: readonly unknown[]; readonly output: string }> {
  const fleet = exampleFleet(await tempFolder(), { clusters: ['team-b/batch'], handoff: [handoffs.flux] })
  fleet.change({ ...files, [`${cluster}/quotas/quotas.yaml.hbs`]: null, [`${cluster}/values`]: null })
  const run = fleet.render()
  const problems = await run.then(
    ({ findings }) => findings.filter(isOurs),
    () => diagnosticsOf(run),
  )
  return {
    output: fleet.path('rendered'),
    problems: problems.map(({ at, message, ...more }) => {
      const rest = { ...more, message: message.replaceAll(`${fleet.folder}/`, '') }
      if (at === undefined) return rest
      const { line, column } = positionAt(at.source, at.start)
      return { ...rest, at: `${pathOf(at.source).replace(`${fleet.folder}/`, '')}:${String(line)}:${String(column)}` }
    }),
  }
}
