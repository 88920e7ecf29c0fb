import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { packageFolder } from '../cli/run-cli.ts'

const page = readFileSync(join(packageFolder, 'docs/42-access.md'), 'utf8')

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

function rulesOf(text: string): readonly Rule[] {
  const [, block = ''] = /^```yaml\n(.*?)^```/ms.exec(text) ?? []
  const [role] = parseAllDocuments(block).map((document): { readonly rules?: readonly Rule[] } => document.toJS())
  return role?.rules ?? []
}

/** `kind.group` of what Flux applies to the management cluster in the units of a fleet. */
function kindsBelow(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'))
  const managed = files.filter((path) => /^(?:stacks|clusters\/[^/]+\/[^/]+\/cluster)\/.*\.yaml$/.test(path))
  const objects = managed
    .filter((path) => !path.endsWith('/kustomization.yaml'))
    .flatMap((path) => parseAllDocuments(readFileSync(join(folder, path), 'utf8')))
    .map((document): { readonly apiVersion: string; readonly kind: string } => document.toJS())
  return [
    ...new Set(
      objects.map(({ apiVersion, kind }) => `${kind}.${apiVersion.includes('/') ? apiVersion.split('/')[0] : ''}`),
    ),
  ].sort()
}

function isAllowed(kind: string, rules: readonly Rule[]): boolean {
  const [name = '', ...group] = kind.split('.')
  const plurals = ['', 's', 'es'].map((end) => `${name.toLowerCase()}${end}`)
  return rules.some(
    ({ apiGroups, resources, verbs }) =>
      apiGroups.includes(group.join('.')) &&
      (resources.includes('*') || plurals.some((plural) => resources.includes(plural))) &&
      // server-side apply, health, pruning
      ['get', 'list', 'watch', 'create', 'patch', 'delete'].every((verb) => verbs.includes(verb)),
  )
}

/** The owners of a path: those of the last line that matches it. */
function ownersOf(path: string): readonly string[] {
  const [, block = ''] = /^```text\n(# CODEOWNERS.*?)^```/ms.exec(page) ?? []
  const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const matching = lines
    .map((line) => line.split(/\s+/))
    .filter(([pattern = '']) => {
      if (pattern === '*') return true
      if (pattern.startsWith('/')) return `/${path}`.startsWith(pattern)
      return path.split('/').includes(pattern)
    })
  return matching.at(-1)?.slice(1) ?? []
}

describe('rights', () => {
  test('the role of the page suffices for all kinds that the example fleet applies', () => {
    const kinds = kindsBelow(join(packageFolder, 'rendered'))
    expect(kinds).toContain('Cluster.cluster.x-k8s.io')
    expect(kinds).toContain('RuntimeValues.stackmason.dev')
    expect(kinds.filter((kind) => !isAllowed(kind, rulesOf(page)))).toEqual([])
  })

  test.each(['Image.openstack.k-orc.cloud', 'NodeImageGate.stackmason.dev', 'ConfigMap.', 'Secret.'])('%s', (kind) => {
    expect(isAllowed(kind, rulesOf(page))).toBe(true)
  })

  test('StorageMigration.stackmason.dev, by a rule of its own, which most fleets leave out', () => {
    const rules = rulesOf(page)
    const others = rules.filter(({ resources }) => !resources.includes('storagemigrations'))
    expect(rules.length - others.length).toBe(1)
    expect([rules, others].map((some) => isAllowed('StorageMigration.stackmason.dev', some))).toEqual([true, false])
    expect(others.filter((rule) => isAllowed('NodeImageGate.stackmason.dev', [rule]))).toHaveLength(1)
  })

  test.each(['Deployment.apps', 'Namespace.', 'ClusterRole.rbac.authorization.k8s.io'])(
    'nothing more: not %s',
    (kind) => {
      expect(isAllowed(kind, rulesOf(page))).toBe(false)
    },
  )

  test.each([
    ['stackmason.yaml', '@platform'],
    ['stackmason.lock', '@platform'],
    ['stacks/starter.yaml', '@platform'],
    ['clusters/values/cni.yaml', '@platform'],
    ['clusters/team-a/web/cluster.yaml', '@team-a'],
    ['clusters/team-a/web/options.yaml', '@platform'],
    ['clusters/team-b/shop/values/cni.yaml', '@team-b'],
    ['rendered/clusters/team-a/web/cluster/cluster-web.yaml', '@team-a'],
    ['rendered/handoff/team-a/web/kustomization.yaml', '@platform'],
  ])('%s belongs to %s', (path, owner) => {
    expect(ownersOf(path)).toEqual([owner])
  })
})
