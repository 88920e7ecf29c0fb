import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { kubeBinaries } from '../../tools/kube.ts'
import { hasKube } from '../../tools/servers/kube.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A machine where nothing was built, with these programs in KUBEBUILDER_ASSETS. */
async function useAssets(names: readonly string[], ci: 'CI' | 'at home'): Promise<string> {
  const folder = await tempFolder()
  const assets = join(folder, 'assets')
  await mkdir(assets)
  await Promise.all(names.map((name) => writeFile(join(assets, name), '')))
  vi.stubEnv('KUBEBUILDER_ASSETS', names.length === 0 ? undefined : assets)
  vi.stubEnv('STACKMASON_TEST_CACHE', join(folder, 'cache'))
  vi.stubEnv('CI', ci === 'CI' ? 'true' : undefined)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  return assets
}

/** What is written to the console meanwhile. */
function catchWarnings(): readonly string[] {
  const warnings: string[] = []
  const spy = vi.spyOn(console, 'warn').mockImplementation((text: string) => {
    warnings.push(text)
  })
  onTestFinished(() => {
    spy.mockRestore()
  })
  return warnings
}

const controlPlane = ['etcd', 'kube-apiserver', 'kubectl']

describe('the servers of tests', () => {
  test('are those of KUBEBUILDER_ASSETS', async () => {
    const assets = await useAssets(controlPlane, 'at home')
    expect(kubeBinaries()).toEqual({
      kubeApiserver: join(assets, 'kube-apiserver'),
      etcd: join(assets, 'etcd'),
      kubectl: join(assets, 'kubectl'),
    })
    const warnings = catchWarnings()
    expect(hasKube()).toBe(true)
    expect(warnings).toEqual([])
  })

  test('are none when one of three is missing', async () => {
    await useAssets(['etcd', 'kubectl'], 'at home')
    expect(kubeBinaries()).toBeUndefined()
  })

  test('are missed in one line, by name', async () => {
    await useAssets(controlPlane, 'at home')
    const warnings = catchWarnings()
    expect(hasKube('controllerManager', 'kustomizeController')).toBe(false)
    expect(warnings).toEqual([
      'SKIPPED, no kube-controller-manager, no kustomize-controller: tests on a real API server; npx tsx tools/kube.ts builds what they need',
    ])
  })

  test('must be there in CI', async () => {
    await useAssets([], 'CI')
    expect(() => hasKube()).toThrow('no kube-apiserver: tests on a real API server cannot run')
  })
})
