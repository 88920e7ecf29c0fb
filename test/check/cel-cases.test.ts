import { describe, expect, test } from 'vitest'
import { isRefusedCase, policyAnswers, ruleAnswers } from '../../tools/fleets/cel-case-answers.ts'
import { changeCases, policyCases, ruleCases } from '../../tools/fleets/cel-cases.ts'

const kinds = [...ruleCases, ...changeCases]

describe('rules in CEL, as an API server answers', () => {
  test.each(kinds)('$name', (given) => {
    expect(ruleAnswers(given, kinds)).toEqual(given.answers)
  })
})

describe('policies, as an API server answers', () => {
  test('those that it refuses', () => {
    expect(policyCases.filter(isRefusedCase)).toEqual(policyCases.filter(({ isRefused }) => isRefused === true))
  })

  test.each(policyCases)('$name', (given) => {
    expect(policyAnswers(given)).toEqual(
      given.answers.map(({ unknown, ...answer }) =>
        unknown === undefined ? answer : { ...answer, says: [], unknown },
      ),
    )
  })
})
