import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyPolicyCases, serverPolicyAnswers, serverRuleAnswers } from '../../tools/fleets/cel-case-answers.ts'
import { changeCases, policyCases, ruleCases } from '../../tools/fleets/cel-cases.ts'
import { hasKube, type Kube, startKube } from '../../tools/servers/kube.ts'

const kinds = [...ruleCases, ...changeCases]

// what check answers to the same is in test/check/cel-cases.test.ts
describe.runIf(hasKube())('a real API server', () => {
  let kube: Kube
  let refused: readonly string[] = []

  beforeAll(async () => {
    kube = await startKube()
    refused = await applyPolicyCases(policyCases, kube)
  }, 120_000)
  afterAll(() => kube.close())

  test('answers about rules of definitions as the table says', async () => {
    expect(await serverRuleAnswers(kinds, kube)).toEqual(kinds.map(({ answers }) => answers))
  })

  test('refuses the policies that check does not evaluate for that', () => {
    expect(refused).toEqual(policyCases.filter(({ isRefused }) => isRefused === true).map(({ name }) => name))
  })

  test('answers with policies as the table says', async () => {
    const wanted = policyCases.map(({ answers }) =>
      answers.map(({ object, old, says }) => ({ object, ...(old !== undefined && { old }), says })),
    )
    // policies are asked some time after they were applied
    let found = await serverPolicyAnswers(policyCases, kube)
    for (let tries = 0; tries < 15 && JSON.stringify(found) !== JSON.stringify(wanted); tries++) {
      await setTimeout(1000)
      found = await serverPolicyAnswers(policyCases, kube)
    }
    expect(found).toEqual(wanted)
  })
})
