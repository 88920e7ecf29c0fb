import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { createHookTranslator } from '../../../src/handoff/hooks/translate-hooks.ts'
import type { Manifest } from '../../../src/model/manifest.ts'
import { template } from '../../../src/pipeline/commands/template.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { manifestOf } from '../../render/stack/objects.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'

const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED: hooks of real charts: no ../shared')

async function render(shareFolder: string, chart: string): Promise<readonly Manifest[]> {
  const { output } = await template(
    { chart: join(shareFolder, 'charts', chart), cwd: '/', namespace: 'kube-system', kubeVersion: 'v1.34.0' },
    createNodePorts(),
  )
  return output
    .split(/^---$/m)
    .filter((text) => /^kind:/m.test(text))
    .map((text) => manifestOf(text, chart))
}

const rbac = (name: string): string =>
  ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']
    .map((kind) => `${kind} ${name}`)
    .join(', ')
const left = 'left out, because tests run when somebody asks for them'
const again = {
  flux: 'recreated, and so run again, when the pod template changes',
  argocd: 'named after their content: run once, and again when it changes',
} as const

/** `again` in a line stands for what Jobs become with a GitOps tool. */
const charts: readonly { readonly chart: string; readonly want: readonly string[] }[] = [
  {
    chart: 'prometheus-community--kube-prometheus-stack',
    want: [
      `${left}: ${['ServiceAccount', 'ConfigMap', 'Pod'].map((kind) => `${kind} release-name-grafana-test`).join(', ')}`,
      `applied as ordinary objects: ${rbac('release-name-kube-promethe-admission')}`,
      'again: Job release-name-kube-promethe-admission-create, Job release-name-kube-promethe-admission-patch',
    ],
  },
  {
    chart: 'autoscaler--vertical-pod-autoscaler',
    want: [
      `applied as ordinary objects: ${rbac('release-name-vertical-pod-autoscaler-admission-certgen')}`,
      'again: Job release-name-vertical-pod-autoscaler-admission-certgen-patch, Job release-name-vertical-pod-autoscaler-admission-certgen',
    ],
  },
  { chart: 'stable--elasticsearch', want: [`${left}: Pod release-name-elasticsearch-test`] },
]

describe.runIf(shared !== undefined)('hooks of real charts', () => {
  it.each(charts)('$chart', async ({ chart, want }) => {
    const manifests = await render(shared ?? '', chart)
    for (const tool of ['flux', 'argocd'] as const) {
      const { manifests: kept, report } = createHookTranslator(tool)(manifests)
      const said = report.map(({ message }) =>
        message.replaceAll(/ \([^()]*\)/g, '').replace(`hooks of ${chart} are `, ''),
      )
      expect(said).toEqual(want.map((line) => line.replace(/^again/, again[tool])))
      expect(kept.filter(({ object }) => formatManifestYaml(object).includes('helm.sh/hook'))).toEqual([])
    }
  })
})
