import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { locateChanges } from '../../src/pipeline/compare/locate-changes.ts'
import { positionAt } from '../../src/model/source.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { manyClusters } from '../../tools/fleets/many-clusters.ts'
import { runCli } from '../cli/run-cli.ts'
import { compareTexts } from '../diff/compare-texts.ts'
import { tempFolder } from '../support/temp-folder.ts'

const OWN = 'clusters/team-a/c01/own/objects.yaml'
const deployment = (label: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: app, namespace: default}
spec:
  selector:
    matchLabels: {app: ${label}}
  template: {metadata: {labels: {app: ${label}}}, spec: {containers: [{name: c, image: "i:1"}]}}
`

/** `CODE file:line:column (clusters)` of what changes; a base is committed before. */
async function places(
  before: (fleet: FleetFolder) => void,
  change: (fleet: FleetFolder) => void,
): Promise<readonly string[]> {
  const fleet = await manyClusters(join(await tempFolder(), 'fleet'), 4)
  before(fleet)
  await fleet.render()
  fleet.commit()
  change(fleet)
  const { stdout } = await runCli(['check', '-o', 'json'], { cwd: fleet.folder })
  const { findings }: { readonly findings: readonly Found[] } = JSON.parse(stdout)
  return findings
    .filter(({ code }) =>
      /^(?:FIELD_IMMUTABLE|REPLICAS_ZERO|OBJECT_DELETED|DEFINITION_NARROWED|KUBERNETES_STEP_REFUSED|CLUSTER_DELETED)$/.test(
        code,
      ),
    )
    .map(({ code, file: path = '-', line, column, revision, about = [] }) => {
      const file = revision === undefined ? path : `${revision}:${path}`
      const place = line === undefined ? file : `${file}:${String(line)}:${String(column)}`
      return `${code} ${place} (${about.map(({ cluster }) => cluster).join(', ')})`
    })
}

interface Found {
  readonly code: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly revision?: string
  readonly about?: readonly { readonly cluster: string }[]
}

const own = (text: string) => (fleet: FleetFolder) => {
  fleet.write(
    'clusters/team-a/c01/addons.yaml',
    'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [{name: own, templates: {path: own}}]}\n',
  )
  fleet.write(OWN, text)
}

const noWorkers =
  (...clusters: readonly string[]) =>
  (fleet: FleetFolder): void => {
    for (const cluster of clusters)
      fleet.edit(`clusters/${cluster}/cluster.yaml`, 'name: md-0, replicas: 3', 'name: md-0, replicas: 0')
  }

describe('a finding about a change stands where', () => {
  test('the field is written', async () => {
    expect(await places(own(deployment('a')), own(deployment('b')))).toEqual([
      `FIELD_IMMUTABLE ${OWN}:6:24 (team-a/c01)`,
    ])
    expect(await places(() => undefined, noWorkers('team-a/c01'))).toEqual([
      'REPLICAS_ZERO clusters/team-a/c01/cluster.yaml:10:82 (team-a/c01)',
    ])
  })

  test('each cluster says it, for what is its own', async () => {
    expect(await places(() => undefined, noWorkers('team-a/c01', 'team-b/c03'))).toEqual([
      'REPLICAS_ZERO clusters/team-a/c01/cluster.yaml:10:82 (team-a/c01)',
      'REPLICAS_ZERO clusters/team-b/c03/cluster.yaml:10:82 (team-b/c03)',
    ])
  })

  test('all say it, for what many have, and nowhere if each says it itself', async () => {
    const both = (label: string, path: string) => (fleet: FleetFolder) => {
      for (const cluster of ['team-a/c01', 'team-b/c03']) {
        fleet.write(
          `clusters/${cluster}/addons.yaml`,
          `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [{name: own, templates: {path: ${path}}}]}\n`,
        )
        fleet.write(
          path.startsWith('..') ? 'clusters/shared/objects.yaml' : `clusters/${cluster}/own/objects.yaml`,
          deployment(label),
        )
      }
    }
    expect(await places(both('a', '../../shared'), both('b', '../../shared'))).toEqual([
      'FIELD_IMMUTABLE clusters/shared/objects.yaml:6:24 (team-a/c01, team-b/c03)',
    ])
    expect(await places(both('a', 'own'), both('b', 'own'))).toEqual(['FIELD_IMMUTABLE - (team-a/c01, team-b/c03)'])
  })

  test('a definition or a version is written', async () => {
    const definition = (fields: string): string =>
      `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec: {group: example.com, scope: Namespaced, names: {kind: Thing, plural: things}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {${fields}}}}}}}]}\n`
    const both = (fields: string) => (fleet: FleetFolder) => {
      for (const cluster of ['team-a/c01', 'team-b/c03'])
        fleet.write(
          `clusters/${cluster}/addons.yaml`,
          'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [{name: own, templates: {path: ../../shared}}]}\n',
        )
      fleet.write('clusters/shared/d.yaml', definition(fields))
    }
    expect(await places(both('a: {type: string}, b: {type: string}'), both('a: {type: string}'))).toEqual([
      'DEFINITION_NARROWED clusters/shared/d.yaml:4:1 (team-a/c01, team-b/c03)',
    ])
    const upgrade = (fleet: FleetFolder): void => {
      fleet.edit('clusters/team-a/c01/cluster.yaml', 'small-1-32-v1', 'small-1-34-v1')
      fleet.edit('clusters/team-a/c01/cluster.yaml', 'v1.32.5', 'v1.34.1')
    }
    expect(await places(() => undefined, upgrade)).toEqual([
      'KUBERNETES_STEP_REFUSED clusters/team-a/c01/cluster.yaml:8:14 (team-a/c01)',
    ])
  })

  test('the file was that is gone', async () => {
    expect(
      await places(
        () => undefined,
        (fleet) => fleet.remove('clusters/team-b/c03'),
      ),
    ).toEqual(['CLUSTER_DELETED HEAD:rendered/clusters/team-b/c03/cluster/cluster-c03.yaml:4:1 (team-b/c03)'])
    const claim =
      'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: default}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n'
    expect(await places(own(`${deployment('a')}---\n${claim}`), own(deployment('a')))).toEqual([
      'OBJECT_DELETED HEAD:rendered/clusters/team-a/c01/addons-own/own/persistentvolumeclaim-data.yaml:4:1 (team-a/c01)',
    ])
  })

  test('it is rendered, if no input is known', async () => {
    const path = 'clusters/team-a/c01/addons/01-x/deployment-app.yaml'
    const { changes } = compareTexts({ [path]: deployment('a') }, { [path]: deployment('b') })
    const object = changes[0]?.after
    if (object === undefined) throw new Error('nothing changes')
    const [found] = await locateChanges(
      [
        {
          finding: { code: 'FIELD_IMMUTABLE', severity: 'error', message: 'm', file: `/fleet/rendered/${path}` },
          changed: { object, path: ['spec', 'selector', 'matchLabels', 'app'], isShared: false },
        },
      ],
      {
        origins: { locate: () => undefined },
        tree: {
          label: '',
          files: new Map(),
          read: (paths) => Promise.resolve(new Map([...paths].map((one) => [one, `# head\n${deployment('b')}`]))),
        },
        before: { label: 'HEAD', files: new Map(), read: () => Promise.resolve(new Map()) },
        output: '/fleet/rendered',
        inputs: '/fleet/clusters',
      },
    )
    const { at, file } = found ?? {}
    expect({
      file,
      name: at?.source.name,
      holds: at?.source.holds,
      ...(at && positionAt(at.source, at.start)),
    }).toEqual({ file: undefined, name: `/fleet/rendered/${path}`, holds: 'values', line: 7, column: 19 })
  })
})
