import { spawn } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compareBytes } from '../../../src/codec/text/text-order.ts'
import type { FluxHandoff } from '../../../src/model/handoff-config.ts'
import type { Unit } from '../../../src/model/handoff.ts'
import { kubeBinaries } from '../../../tools/kube.ts'
import { manifestOf } from '../../render/stack/objects.ts'
import {
  failureOf,
  kustomizationReference,
  startKustomizeController,
  waitFor,
  type Flux,
} from '../../../tools/servers/flux.ts'
import { fieldOf, refusals, type KubeObject } from '../../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../../tools/servers/kube.ts'
import { placeholderManifest } from './placeholder-manifest.ts'
import { writeFluxTree } from './write-flux-tree.ts'
import { contextOf, plainConfig } from './units.ts'

const source = { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' } as const
const config: FluxHandoff = { ...plainConfig, source, retryInterval: '1s', timeout: '4s' }
/** A unit that the controller does not look at. */
const holdLabel = 'test-hold'
/**
 * How many clusters, and how often all of them go through every content. There are always more than the controller works
 * on at once, so that some come late; longer forms say so in the environment.
 */
const sizes = {
  clusters: Number(process.env['FIRST_HOLE_CLUSTERS'] ?? '3'),
  rounds: Number(process.env['FIRST_HOLE_ROUNDS'] ?? '1'),
}

/** What an addon's ConfigMap holds, with placeholders, and what must be applied of it. */
interface Content {
  readonly data: Readonly<Record<string, string>>
  readonly want: Readonly<Record<string, string>>
}

const script = 'echo ${HOME:-x} $1'
const none: Content = { data: { a: 'fixed', script }, want: { a: 'fixed', script } }
const contents = {
  none,
  first: { data: { a: '<<HOST>>', script: 'fixed' }, want: { a: '192.0.2.1', script: 'fixed' } },
  further: {
    data: { a: '<<PORT>>', b: 'at <<HOST>>', script },
    want: { a: '6443', b: 'at 192.0.2.1', script },
  },
  elsewhere: { data: { a: 'fixed', b: '<<PORT>>', script }, want: { a: 'fixed', b: '6443', script } },
} satisfies Readonly<Record<string, Content>>

const clusters = Array.from({ length: sizes.clusters }, (_, index) => `c${String(index)}`)

function unitOf(cluster: string, { data }: Content, isOld: boolean): Unit {
  const yaml = JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: cluster, namespace: 'kube-system', labels: { watched: 'yes' } },
    data,
  })
  const hasPlaceholders = Object.values(data).some((text) => text.includes('<<'))
  return {
    kind: 'addons',
    name: `${cluster}-addons`,
    namespace: 'team-a',
    path: `clusters/team-a/${cluster}/addons`,
    manifests: [hasPlaceholders ? placeholderManifest(yaml) : manifestOf(yaml)],
    cluster: { name: cluster, namespace: 'team-a' },
    target: 'workload',
    gate: 'none',
    dependsOn: [],
    release: 'docker-demo-1-34-v1',
    runtimeValues: cluster,
    isSuspended: false,
    // written by an older version: nothing of what this one adds
    ...(isOld && { isKept: true }),
  }
}

/** The tree in which every cluster has this content. */
function treeOf(content: Content, { isOld = false } = {}): Promise<string> {
  const units = clusters.map((cluster) => unitOf(cluster, content, isOld))
  return writeFluxTree(units, config, contextOf(units))
}

/** Every state that a server had of the objects that are watched, as `kubectl` tells them. */
function record(kubeconfig: string): { readonly states: () => readonly string[]; readonly close: () => void } {
  const { kubectl = '' } = kubeBinaries() ?? {}
  const template = '{.object.metadata.name} {.object.data}{"\\n"}'
  const args = ['get', 'configmaps', '-n', 'kube-system', '-l', 'watched=yes', '--watch', '--output-watch-events']
  const env = { KUBECONFIG: kubeconfig, KUBECACHEDIR: `${kubeconfig}-cache` }
  const child = spawn(kubectl, [...args, '-o', `jsonpath=${template}`], { env })
  let text = ''
  child.stdout.on('data', (part: Buffer) => {
    text += part.toString()
  })
  return { states: () => text.split('\n').filter((line) => line !== ''), close: () => child.kill() }
}

/** One text for all orders of keys. */
function sortedText(data: object): string {
  return JSON.stringify(Object.entries(data).toSorted(([a], [b]) => compareBytes(a, b)))
}

describe.runIf(hasKube('kustomizeController'))(
  'placeholders that come and go under the real kustomize-controller',
  () => {
    let kube: Kube

    beforeAll(async () => {
      kube = await startKube()
      await kube.createNamespaces(['flux-system', 'team-a'])
    }, 120_000)
    afterAll(() => kube.close())

    // the second begins with what the first leaves: content of an older version, as its own first commit has it
    describe.each([true, false])('strict: %s', (isStrict) => {
      let flux: Flux
      let recorder: ReturnType<typeof record>
      const root = kustomizationReference('flux-system', 'root')

      beforeAll(async () => {
        flux = await startKustomizeController(kube, {
          args: [`--watch-label-selector=!${holdLabel}`, `--concurrent=${String(Math.max(1, sizes.clusters - 1))}`],
          featureGates: { StrictPostBuildSubstitutions: isStrict },
        })
        recorder = record(kube.kubeconfig)
        await giveKubeconfigs()
        await publishValues({ HOST: '192.0.2.1' })
        await holdRoot(false)
      }, 240_000)
      afterAll(async () => {
        recorder.close()
        await flux.close()
      })

      async function giveKubeconfigs(): Promise<void> {
        const secrets = clusters.map((cluster): KubeObject => {
          const metadata = { name: `${cluster}-kubeconfig`, namespace: 'team-a' }
          return { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { value: kube.kubeconfigText } }
        })
        expect(refusals(await kube.apply(secrets))).toEqual([])
      }

      async function publishValues(data: Readonly<Record<string, string>>): Promise<void> {
        const maps = clusters.map((name): KubeObject => {
          const labels = { 'reconcile.fluxcd.io/watch': 'Enabled' }
          return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'team-a', labels }, data }
        })
        expect(refusals(await kube.apply(maps))).toEqual([])
      }

      /** The root is stuck, or applies what the source holds. */
      async function holdRoot(isHeld: boolean): Promise<void> {
        const labels = isHeld ? { [holdLabel]: 'yes' } : {}
        const { interval, retryInterval, timeout } = { ...config, interval: '1h' }
        const spec = { interval, retryInterval, timeout, path: './rendered/handoff', prune: true, sourceRef: source }
        const object = { ...root, metadata: { ...root.metadata, labels }, spec }
        expect(refusals(await kube.apply([object]))).toEqual([])
        await setTimeout(300)
      }

      async function publish(content: Content, options?: { readonly isOld: boolean }): Promise<void> {
        await flux.publish(source, await treeOf(content, options))
      }

      async function untilApplied({ want }: Content): Promise<void> {
        const text = sortedText(want)
        for (const name of clusters) {
          const reference = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'kube-system' } }
          const until = (object: KubeObject | undefined): boolean => sortedText(fieldOf(object, 'data') ?? {}) === text
          await waitFor(kube, reference, { until })
        }
      }

      async function untilAllFail(text: string): Promise<void> {
        for (const cluster of clusters) {
          const until = (object: KubeObject | undefined): boolean => failureOf(object)?.includes(text) ?? false
          await waitFor(kube, kustomizationReference('team-a', `${cluster}-addons`), { until })
        }
      }

      function wrongStates(): readonly string[] {
        const wanted = new Set(Object.values(contents).map(({ want }) => JSON.stringify(want)))
        return recorder.states().filter((line) => !wanted.has(line.slice(line.indexOf(' ') + 1)))
      }

      test('a tree of an older version: the root stuck at the first placeholder applies nothing, then all of it', async () => {
        await publish(contents.none, { isOld: true })
        await untilApplied(contents.none)
        await holdRoot(true)
        await publish(contents.first)
        await untilAllFail('is missing for replacement source')
        await holdRoot(false)
        await untilApplied(contents.first)
        expect(wrongStates()).toEqual([])
      }, 60_000)

      test('a further placeholder waits for its value; back to none while the root is stuck, and to others', async () => {
        await publish(contents.further)
        await untilAllFail(isStrict ? '"PORT"' : 'cannot start any token')
        await publishValues({ HOST: '192.0.2.1', PORT: '6443' })
        await untilApplied(contents.further)
        await holdRoot(true)
        await publish(contents.none)
        await untilApplied(contents.none)
        await publish(contents.elsewhere)
        await untilApplied(contents.elsewhere)
        await holdRoot(false)
        await publish(contents.none)
        await untilApplied(contents.none)
        expect(wrongStates()).toEqual([])
      }, 60_000)

      test('every order of contents, and content of an older version again', async () => {
        for (let round = 0; round < sizes.rounds; round++)
          for (const content of [contents.first, contents.elsewhere, contents.none, contents.further, contents.none]) {
            await publish(content)
            await untilApplied(content)
          }
        await holdRoot(true)
        await publish(contents.none, { isOld: true })
        await untilAllFail('no matches for Id ConfigMap')
        await holdRoot(false)
        await untilApplied(contents.none)
        expect(wrongStates()).toEqual([])
        expect(recorder.states().length).toBeGreaterThan(clusters.length)
      }, 600_000)
    })
  },
)
