import { describe, expect, test } from 'vitest'
import { realFleet, type RealShape } from '../../tools/fleets/real-fleet.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const shared = sharedFolder()
if (shared === undefined)
  console.warn('SKIPPED: placeholders of the real cluster stacks, because ../shared is not there')

interface Row extends RealShape {
  /** Written over the overwrite.yaml of the CNI. */
  readonly overwrite?: string
}

/** Renders two clusters of a real stack that fix no endpoint. */
async function renderFleet({ overwrite, ...shape }: Row): Promise<ReadonlyMap<string, string>> {
  const fleet = realFleet(await tempFolder(), shared ?? '', shape)
  if (overwrite !== undefined) fleet.write('stack/cluster-addon/cni/overwrite.yaml', overwrite)
  await fleet.render()
  return new Map(fleet.filesBelow('rendered').map((path) => [path, fleet.read(`rendered/${path}`)]))
}

/** Paths of files that hold a private key. */
function privateKeys(files: ReadonlyMap<string, string>): readonly string[] {
  // base64 of `-----BEGIN` from each of three places where it can start
  const key = /PRIVATE KEY|LS0tLS1CRUdJTi|0tLS0tQkVHSU4|tLS0tLUJFR0lO/
  return [...files].filter(([, text]) => key.test(text)).map(([path]) => path)
}

/** What one cluster's objects wait for, and what its binding publishes; Flux takes two dollars for one. */
function names(files: ReadonlyMap<string, string>, cluster: string) {
  const addons = [...files].filter(([path]) => path.startsWith(`clusters/team/${cluster}/addons/`))
  const objects = addons.filter(([, text]) => !text.includes('kustomize.toolkit.fluxcd.io/substitute: disabled'))
  const open = objects.flatMap(([, text]) =>
    [...text.matchAll(/\$\$|\$\{(\w+)\}/g)].flatMap(([, name]) =>
      name === undefined || name === 'QUOTE' ? [] : [name],
    ),
  )
  const binding = files.get(`clusters/team/${cluster}/cluster/runtimevalues-${cluster}.yaml`) ?? ''
  const values = binding.slice(binding.indexOf('\n  values:')).matchAll(/^ {4}name: (\w+)$/gm)
  return { open: [...new Set(open)].toSorted(), published: [...values].map(([, name]) => name) }
}

test.each(['-----BEGIN EC PRIVATE KEY-----', 'LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0t'])(
  'a planted key is found: %s',
  (key) => {
    expect(privateKeys(new Map([['a.yaml', `data: {tls.key: ${key}}`]]))).toEqual(['a.yaml'])
  },
)

describe.skipIf(shared === undefined)('the tree of a real stack with an engine', () => {
  test.each<Row & { readonly placeholders: number; readonly secrets: number; readonly values: number }>([
    // its addons read nothing of the running cluster
    { tool: 'flux', provider: 'docker', kubernetes: '1.30.10', placeholders: 0, secrets: 2, values: 0 },
    { tool: 'flux', provider: 'openstack', kubernetes: '1.32.5', placeholders: 18, secrets: 2, values: 1 },
    { tool: 'argocd', provider: 'docker', kubernetes: '1.30.10', placeholders: 0, secrets: 2, values: 0 },
    { tool: 'argocd', provider: 'openstack', kubernetes: '1.32.5', placeholders: 0, secrets: 2, values: 1 },
  ])('$tool, $provider', async ({ placeholders, secrets, values, ...row }) => {
    const files = await renderFleet(row)
    const texts = [...files]
    expect(privateKeys(files)).toEqual([])
    const secretFiles = texts.filter(([, text]) => /^kind: Secret$/m.test(text))
    expect(secretFiles.filter(([, text]) => text.includes('placeholder')).map(([path]) => path)).toEqual([])
    const withPlaceholders = texts.filter(
      ([path, text]) => path.includes('/addons/') && text.includes('${CLUSTER_SPEC_'),
    )
    expect(withPlaceholders.length).toBe(placeholders)
    const bindings = texts.filter(([path]) => path.endsWith('/cluster/runtimevalues-one.yaml')).map(([, text]) => text)
    expect(bindings.length).toBe(1)
    expect(bindings[0]?.match(/^ {2}- data:$/gm)?.length).toBe(secrets)
    expect(
      bindings[0]?.match(/^ {4}name: CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST\n {4}type: host$/gm)?.length ?? 0,
    ).toBe(values)
  })

  const kubeProxyReplacement = `values: |
  cilium:
    kubeProxyReplacement: true
    k8sServiceHost: "{{ .Cluster.spec.controlPlaneEndpoint.host }}"
    k8sServicePort: {{ .Cluster.spec.controlPlaneEndpoint.port }}
`
  const stack = { provider: 'docker', kubernetes: '1.30.10', overwrite: kubeProxyReplacement }

  test('cilium in place of kube-proxy gets host and port through Flux', async () => {
    const files = await renderFleet({ ...stack, tool: 'flux' })
    const daemonSet = files.get('clusters/team/one/addons/01-cni/daemonset-cilium.yaml')
    expect(daemonSet).toContain(`        - name: KUBERNETES_SERVICE_HOST
          value: \${QUOTE}\${CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST}\${QUOTE}
        - name: KUBERNETES_SERVICE_PORT
          value: \${QUOTE}\${CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT}\${QUOTE}
`)
    const { open, published } = names(files, 'one')
    expect(open).toEqual(['CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST', 'CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT'])
    expect(published).toEqual(open)
    // what is planted in the tree alone, the comparison finds
    const planted = new Map([...files, ['clusters/team/one/addons/01-cni/x.yaml', 'a: ${PLANTED} $${TEXT}']])
    expect(names(planted, 'one').open).toContain('PLANTED')
    expect(names(planted, 'one').open).not.toContain('TEXT')
    const handoff = [...files].filter(([path]) => path.startsWith('handoff/team/one/')).map(([, text]) => text)
    expect(handoff.filter((text) => text.includes('substituteFrom:')).length).toBe(1)
  })

  test('and through Argo CD', async () => {
    const files = await renderFleet({ ...stack, tool: 'argocd' })
    const sets = [...files].filter(([, text]) => /^kind: ApplicationSet$/m.test(text)).map(([, text]) => text)
    const filling = sets.filter((text) => text.includes('values.stackmason.dev/CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT'))
    expect(filling.length).toBe(2)
    expect(filling[0]).toContain('/spec/template/spec/containers/0/env/')
  })

  test('a stack that branches on what only the running cluster knows is an error', async () => {
    const overwrite = '{{ if eq .Cluster.status.phase "Provisioned" }}values: ""{{ end }}'
    await expect(renderFleet({ ...stack, overwrite, tool: 'flux' })).rejects.toThrow(
      'eq cannot compare a value that is only known later: Cluster.status.phase',
    )
  })
})
