import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { immutableChanges } from '../../tools/fleets/immutable-changes.ts'
import { trialObjects } from '../../tools/fleets/schema-trial.ts'
import { fieldOf, type KubeObject } from '../../tools/servers/kube-client.ts'
import { hasKube, type Kube, startKube } from '../../tools/servers/kube.ts'

describe.runIf(hasKube())('a real API server', () => {
  let kube: Kube

  beforeAll(async () => {
    kube = await startKube()
    await kube.apply([
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } },
    ])
  }, 120_000)
  afterAll(() => kube.close())

  // each case has a name of its own, so that nothing has to be gone before the next
  const cases = immutableChanges.map((change, index) => ({ ...change, id: `case-${String(index)}` }))

  test.each(cases)('$name: refused $isRefused', async ({ id, before, after, isRefused }) => {
    const [first] = await kube.apply([objectOf(before, id)])
    expect(first).toMatchObject({ ok: true })
    const [answer] = await kube.apply([objectOf(after, id)], { dryRun: true })
    expect({ isRefused: answer?.ok === false, status: fieldOf(answer?.body, 'reason') }).toEqual({
      isRefused,
      status: isRefused ? 'Invalid' : undefined,
    })
  })
})

function objectOf(text: string, name: string): KubeObject {
  const [object] = trialObjects(text)
  if (object === undefined) throw new TypeError('no object')
  return { ...object.json, metadata: { ...object.json.metadata, name } }
}
