import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasKube, type Kube, startKube } from '../../tools/servers/kube.ts'
import { kubeBinaries } from '../../tools/kube.ts'
import { fieldOf, type KubeObject } from '../../tools/servers/kube-client.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

const project = join(import.meta.dirname, '../..')
const [FLUX, ARGO] = ['kustomize-controller', 'argocd-controller']

const map = (name: string, data: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
})
const workload = (names: readonly string[]): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: names.map((name) => ({ name, image: 'example.com/web:1' })) },
    },
  },
})

const hasJq = ((): boolean => {
  try {
    execFileSync('jq', ['--version'])
    return true
  } catch {
    return false
  }
})()
if (!hasKube() || !hasJq)
  console.warn('SKIPPED: the fields of a tool that is gone, because kube-apiserver or jq is not there')

describe.skipIf(!hasKube() || !hasJq)('a tool that has gone', { timeout: 120_000 }, () => {
  const folder = tempFolderForFile()
  let kube: Kube

  beforeAll(async () => {
    kube = await startKube()
    mkdirSync(join(folder, 'tree'))
    for (const object of [map('a', {}), map('b', {}), workload([])]) {
      const { apiVersion, kind, metadata } = object
      writeFileSync(
        join(folder, 'tree', `${kind}-${metadata.name}.yaml`),
        JSON.stringify({ apiVersion, kind, metadata }),
      )
    }
    writeFileSync(join(folder, 'tree/kustomization.yaml'), 'resources: []\n')
  })
  afterAll(async () => {
    await kube.close()
  })

  /** Runs what docs/19-life-of-a-cluster.md gives. */
  function giveUp(old: string, now: string): void {
    const page = readFileSync(join(project, 'docs/19-life-of-a-cluster.md'), 'utf8')
    const [, script = ''] = /```sh\n(give_up\(\) [^]*?\n\}\n)/.exec(page) ?? []
    expect(script).toContain('--server-side')
    const env = { ...process.env, PATH: `${dirname(kubeBinaries()?.kubectl ?? '')}:${String(process.env['PATH'])}` }
    const run = `${script}give_up ${kube.kubeconfig} tree ${old} ${now}`
    execFileSync('bash', ['-c', run], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  const seen = async (object: KubeObject, path: string): Promise<unknown> => fieldOf(await kube.get(object), path)
  const names = async (): Promise<unknown> => {
    const containers = await seen(workload([]), 'spec.template.spec.containers')
    return Array.isArray(containers) ? containers.map((one) => fieldOf(one, 'name')) : containers
  }

  test.each([
    [FLUX, ARGO],
    [ARGO, FLUX],
  ])('%s keeps nothing that %s removes, once it has given up its fields', async (old, now) => {
    const whole = [map('a', { one: '1', two: '2' }), map('b', { one: '1' }), workload(['web', 'side'])]
    await kube.apply(whole, { fieldManager: old })
    // the new tool has not come to b yet
    await kube.apply([map('a', { one: '1', two: '2' }), workload(['web', 'side'])], { fieldManager: now })
    // while both own it, nothing that is removed goes
    await kube.apply([map('a', { one: '1' })], { fieldManager: now })
    expect(await seen(map('a', {}), 'data')).toEqual({ one: '1', two: '2' })
    await kube.apply([map('a', { one: '1', two: '2' })], { fieldManager: now })

    giveUp(old, now)
    expect(await seen(map('a', {}), 'data')).toEqual({ one: '1', two: '2' })
    expect(await seen(map('b', {}), 'data')).toEqual({ one: '1' })
    expect(await names()).toEqual(['web', 'side'])

    await kube.apply([map('a', { one: '1' }), workload(['web'])], { fieldManager: now })
    expect(await seen(map('a', {}), 'data')).toEqual({ one: '1' })
    expect(await names()).toEqual(['web'])
    for (const object of whole) await kube.remove(object)
  })
})
