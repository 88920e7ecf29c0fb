import { cp, readFile, readdir, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createTokenTable } from '../../src/model/token.ts'
import { parseReleaseTag } from '../../src/model/release-name.ts'
import type { Release } from '../../src/model/release.ts'
import { Dict } from '../../src/model/value.ts'
import { build, type BuildOptions, type BuildResult } from '../../src/pipeline/commands/build.ts'
import { render } from '../../src/pipeline/commands/render.ts'
import { formatHelmOutput } from '../../src/render/chart/format-helm-output.ts'
import { renderChart } from '../../src/render/chart/render-chart.ts'
import { missingDependencies } from '../../src/sources/dependency/missing-dependencies.ts'
import { readRelease } from '../../src/sources/release/read-release.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { at } from '../../tools/fleets/stack-folder.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ports = createNodePorts()
const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED: building real stacks needs the shared data (STACKMASON_SHARED)')
const stacks = join(shared ?? '', 'cluster-stacks')

function run(directory: string, output: string, options: Partial<BuildOptions> = {}): Promise<BuildResult> {
  return build(
    {
      directory,
      output,
      version: { mode: 'hash' },
      rows: 'none',
      push: false,
      index: false,
      overwrite: false,
      dryRun: false,
      network: 'offline',
      start: output,
      plainHttp: false,
      ...options,
    },
    ports,
  )
}

/**
 * Everything that the charts of a release render to, in order; charts whose dependencies are not vendored are named
 * only.
 */
function rendered(release: Release): readonly string[] {
  const charts = [
    { chart: release.clusterClass, name: 'class' },
    ...release.addons.map(({ chart, name, overwrite }) => ({ chart, name: `${name} ${overwrite?.text ?? ''}` })),
  ]
  return charts.map(({ chart, name }) => {
    if (missingDependencies(chart).length > 0) return `${name}: not vendored`
    const tokens = createTokenTable()
    const options = {
      release: { name: 'r', namespace: 'n', isUpgrade: false, revision: 1 },
      values: new Dict(),
      kubeVersion: release.kubernetesVersion,
      helmVersion: 4,
      includeCrds: true,
      hooks: 'all',
      skipTests: false,
      skipSchemaValidation: false,
      generate: 'token',
      crypto: ports.crypto,
      tokens,
      onFinding: () => undefined,
    } as const
    return `${name}\n${formatHelmOutput(renderChart(chart, options))}`
  })
}

// Tags and file names of the first three are those that csctl 66dc97a made of them, and so are hashes.json and
// metadata.yaml; it does not know the name of the others' configuration. Those list stages under a hook that does not
// exist.
const rows: readonly {
  readonly folder: string
  readonly tag: string
  readonly hash: string
  readonly beside: readonly string[]
  readonly findings: readonly string[]
}[] = [
  {
    folder: 'providers/docker/scs',
    tag: 'docker-scs-1-30-v0-sha-d2lgujm',
    hash: 'd2lgujmpaticdl7mpnct8bzls3xudync2wtveiqe',
    beside: [],
    findings: ['RELEASE_FILE_IGNORED'],
  },
  {
    folder: 'providers/openstack/scs',
    tag: 'openstack-scs-1-32-v0-sha-sjl0coz',
    hash: 'sjl0coze4axzhdrahdv3ic5tppichafv8pr5ee7g',
    beside: [],
    findings: [],
  },
  {
    folder: 'providers/openstack/scs2',
    tag: 'openstack-scs2-1-34-v0-sha-azlfam7',
    hash: 'azlfam7rgn823z07ougej26xmpzsohlj0tvr4s0njis',
    beside: [],
    findings: [],
  },
  {
    folder: 'cso-test/1/docker/ferrol/1-27',
    tag: 'docker-ferrol-1-27-v0-sha-owuvcxr',
    hash: 'owuvcxrhkfyynvvzfzv4tibeo5gj6hjkezdp2kpyzw',
    beside: ['node-images.yaml'],
    findings: ['RELEASE_UNKNOWN_HOOK'],
  },
  {
    folder: 'cso-test/2/docker/ferrol/1-27',
    tag: 'docker-ferrol-1-27-v0-sha-jrybnli',
    hash: 'jrybnlisx0mfouungtkf5nv5sevxsze4lohyw8znyc4',
    beside: ['node-images.yaml'],
    findings: ['RELEASE_UNKNOWN_HOOK', 'RELEASE_UNUSED_ADDON'],
  },
]

describe.runIf(shared !== undefined)('a real stack', () => {
  test.each(rows)(
    '$folder is built, read back, and renders to the same',
    async ({ folder, tag, hash, beside, findings: expected }) => {
      const output = await tempFolder()
      const directory = join(stacks, folder)
      const { releases, findings } = await run(directory, output)
      expect(findings.map(({ code }) => code)).toEqual(expected)
      const [release] = releases
      expect(release).toMatchObject({ tag, hash })
      const prefix = release?.tag.replace(/-v0-.*/, '') ?? ''
      const version = release?.versions.clusterStack ?? ''
      const names = [
        'clusteraddon.yaml',
        'hashes.json',
        'metadata.yaml',
        `${prefix}-cluster-addon-${version}.tgz`,
        `${prefix}-cluster-class-${version}.tgz`,
      ]
      expect(await readdir(join(output, release?.tag ?? ''))).toEqual([...names, ...beside].sort())
      const name = parseReleaseTag(release?.tag ?? '')
      const built = await readRelease({ type: 'directory', name: 'built', path: output, at }, name, ports)
      // what the build has left out is not in the release
      expect(built.findings.map(({ code }) => code)).toEqual(expected.filter((code) => code !== 'RELEASE_FILE_IGNORED'))
      const lying = await readRelease({ type: 'providerDirectory', name: 'lying', path: directory, at }, name, ports)
      expect(built.release).toMatchObject({
        kubernetesVersion: lying.release.kubernetesVersion,
        components: lying.release.components,
        form: lying.release.form,
      })
      expect(
        Object.values(built.release.stages)
          .flat()
          .map(({ addon, action }) => `${addon} ${action}`),
      ).toEqual(
        Object.values(lying.release.stages)
          .flat()
          .map(({ addon, action }) => `${addon} ${action}`),
      )
      expect(rendered(built.release)).toEqual(rendered(lying.release))
      expect(rendered(built.release)[0]).toContain('kind: ClusterClass')
    },
  )

  test('scs2 is built for each row of its table', async () => {
    const output = await tempFolder()
    const { releases, findings } = await run(join(stacks, 'providers/openstack/scs2'), output, {
      version: { mode: 'stable' },
      rows: 'all',
    })
    expect(findings).toEqual([])
    expect(releases.map(({ tag, kubernetesVersion }) => `${tag} ${kubernetesVersion}`)).toEqual([
      'openstack-scs2-1-32-v1 v1.32.13',
      'openstack-scs2-1-33-v1 v1.33.10',
      'openstack-scs2-1-34-v1 v1.34.7',
    ])
    const asked: Record<string, string> = {}
    for (const { tag } of releases) {
      const { release, findings: found } = await readRelease(
        { type: 'directory', name: 'built', path: output, at },
        parseReleaseTag(tag),
        ports,
      )
      expect(found).toEqual([])
      asked[tag] = release.addons
        .flatMap(({ chart }) =>
          chart.metadata.dependencies.map((dependency) => `${dependency.name} ${dependency.version}`),
        )
        .join(', ')
    }
    expect(asked).toEqual({
      'openstack-scs2-1-32-v1':
        'openstack-cloud-controller-manager 2.32.1, cilium 1.18.9, openstack-cinder-csi 2.32.2, metrics-server 3.13.0',
      'openstack-scs2-1-33-v1':
        'openstack-cloud-controller-manager 2.33.1, cilium 1.18.9, openstack-cinder-csi 2.33.1, metrics-server 3.13.0',
      'openstack-scs2-1-34-v1':
        'openstack-cloud-controller-manager 2.34.2, cilium 1.18.9, openstack-cinder-csi 2.34.3, metrics-server 3.13.0',
    })
  })
})

test('a fleet renders the same from built releases as from their provider directories', async () => {
  const folder = await tempFolder()
  await cp(join(packageFolder, 'examples/fleet'), folder, { recursive: true })
  for (const [stack, version] of [
    ['demo', 'v3'],
    ['classic', 'v1'],
  ] as const) {
    const { findings } = await run(join(folder, 'providers/docker', stack), join(folder, 'releases'), {
      version: { mode: 'explicit', clusterStack: version },
    })
    expect(findings).toEqual([])
  }
  const fleet = join(folder, 'stackmason.yaml')
  const text = (await readFile(fleet, 'utf8')).replace('../../rendered', 'rendered')
  const options = { start: folder, clusters: [], stacks: [], check: false, allowEmpty: false, overwriteEdited: false }
  await writeFile(fleet, text)
  await render(options, ports, () => undefined)
  await writeFile(
    fleet,
    text
      .replace(/ {4}- name: demo\n[^]*version: v1\n/, '    - name: built\n      directory:\n        path: releases\n')
      .replaceAll(/source: (?:demo|classic)/g, 'source: built'),
  )
  const again = await render({ ...options, check: true }, ports, () => undefined)
  expect(existsSync(join(folder, 'rendered/clusters'))).toBe(true)
  expect(again.files.unchanged).toBeGreaterThan(20)
  expect([...again.changes]).toEqual([])
})
