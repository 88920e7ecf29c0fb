import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusedObjects } from '../../tools/fleets/refused-objects.ts'
import { trialObjects } from '../../tools/fleets/schema-trial.ts'
import type { KubeResult } from '../../tools/servers/kube-client.ts'
import { hasKube, type Kube, startKube } from '../../tools/servers/kube.ts'

// what check says of the same objects: test/check/schema/refused-objects.test.ts
describe.runIf(hasKube())('a real API server', () => {
  let kube: Kube
  beforeAll(async () => {
    kube = await startKube()
    await kube.apply([
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } },
    ])
  }, 120_000)
  afterAll(() => kube.close())

  const ask = async (text: string): Promise<KubeResult | undefined> => {
    const [answer] = await kube.apply(
      trialObjects(text).map(({ json }) => json),
      { dryRun: true },
    )
    return answer
  }

  test.each(refusedObjects)('refuses $name', async ({ fault }) => {
    expect(await ask(fault)).toMatchObject({ ok: false })
  })

  test.each(refusedObjects)('takes what is near $name', async ({ near }) => {
    expect(await ask(near)).toMatchObject({ ok: true })
  })
})
