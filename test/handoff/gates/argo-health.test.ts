import { expect, test } from 'vitest'
import { argoHealthConfig } from '../../../src/handoff/gates/argo-health.ts'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'

test('the ConfigMap has a key for each script, and no engine may delete it', () => {
  const { object, ...rest } = argoHealthConfig('argocd', [
    {
      name: 'templates/handoff/argocd/health/cluster.x-k8s.io_Cluster.lua',
      text: 'return {\n  status = "Healthy",\n}\n',
    },
    { name: 'stackmason.dev_RuntimeValues.lua', text: 'return {}\n' },
  ])
  expect(rest).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'argocd-cm',
    namespace: 'argocd',
    origin: { from: 'handoff', unit: 'gates', template: 'handoff/argocd/health' },
  })
  expect(formatManifestYaml(object)).toBe(`apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-cm
  namespace: argocd
  labels:
    app.kubernetes.io/name: argocd-cm
    app.kubernetes.io/part-of: argocd
  annotations:
    argocd.argoproj.io/sync-options: ServerSideApply=true,Prune=false,Delete=false
data:
  resource.customizations.health.cluster.x-k8s.io_Cluster: |
    return {
      status = "Healthy",
    }
  resource.customizations.health.stackmason.dev_RuntimeValues: |
    return {}
`)
})
