import { describe, expect, test } from 'vitest'
import { findKeptDefaults } from '../../src/check/rules/kept-defaults.ts'
import type { RuleFinding } from '../../src/check/rule.ts'
import { compareTexts } from '../diff/compare-texts.ts'

const PATH = 'clusters/a/one/addons/01-x/x.yaml'

function findingsOf(before: string, after: string): readonly RuleFinding[] {
  return findKeptDefaults(compareTexts({ [PATH]: before }, { [PATH]: after }))
}

const policy = (fields: string, name = 'out'): string =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: ${name}, namespace: default}, spec: {podSelector: {}${fields}}}`
const workload = (kind: string, fields: string): string =>
  `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: app, namespace: default}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {${fields}containers: [{name: c, image: i}]}}}}`
const batch = (kind: string, fields: string): string => {
  const template = `template: {spec: {${fields}restartPolicy: Never, containers: [{name: c, image: i}]}}`
  const spec = kind === 'Job' ? template : `schedule: "@daily", jobTemplate: {spec: {${template}}}`
  return `{apiVersion: batch/v1, kind: ${kind}, metadata: {name: app, namespace: default}, spec: {${spec}}}`
}

// all of them were asked of a real API server, by server-side apply
describe('what the API server filled in stays', () => {
  const NOT_ENFORCED =
    'gets `egress`, which is not enforced: the API server has filled in `policyTypes: [Ingress]`, and that stays → Write `policyTypes: [Ingress, Egress]`.'
  const NOTHING_OUT =
    'loses `egress`, and then lets nothing out: the API server has filled in `policyTypes: [Ingress, Egress]`, and that stays → Write `policyTypes: [Ingress]`.'
  const KEEPS =
    'leaves out the service account admin, and its pods keep it: the API server has written it into two fields, and one of them stays → Write `serviceAccountName: default`.'

  test.each([
    ['rules for what goes out come', policy(''), policy(', egress: [{}]'), `NetworkPolicy default/out ${NOT_ENFORCED}`],
    ['rules for what goes out go', policy(', egress: [{}]'), policy(''), `NetworkPolicy default/out ${NOTHING_OUT}`],
    ...['Deployment', 'StatefulSet', 'DaemonSet'].map((kind) => [
      `the account of a ${kind} goes`,
      workload(kind, 'serviceAccountName: admin, '),
      workload(kind, ''),
      `${kind} default/app ${KEEPS}`,
    ]),
    [
      'an account becomes empty',
      workload('Deployment', 'serviceAccountName: admin, '),
      workload('Deployment', 'serviceAccountName: "", '),
      `Deployment default/app ${KEEPS}`,
    ],
    [
      'an account goes from its older field',
      workload('Deployment', 'serviceAccount: admin, '),
      workload('Deployment', ''),
      `Deployment default/app ${KEEPS}`,
    ],
    [
      'the account of a CronJob goes',
      batch('CronJob', 'serviceAccountName: admin, '),
      batch('CronJob', ''),
      `CronJob default/app ${KEEPS}`,
    ],
  ])('%s', (_, before, after, want) => {
    expect(findingsOf(before ?? '', after ?? '').map(({ message, hint }) => `${message} → ${hint ?? ''}`)).toEqual([
      want,
    ])
  })

  test.each([
    ['an empty list of rules comes', policy(''), policy(', egress: []')],
    ['other rules', policy(', egress: [{}]'), policy(', egress: [{ports: [{port: 1}]}]')],
    ['rules come with types', policy(''), policy(', egress: [{}], policyTypes: [Egress]')],
    ['rules go with types', policy(', egress: [{}], policyTypes: [Egress]'), policy('')],
    ['rules of another policy', policy('', 'one'), policy(', egress: [{}]', 'two')],
    [
      'an account goes from both fields',
      workload('Deployment', 'serviceAccountName: admin, serviceAccount: admin, '),
      workload('Deployment', ''),
    ],
    [
      'another account',
      workload('Deployment', 'serviceAccountName: admin, '),
      workload('Deployment', 'serviceAccountName: other, '),
    ],
    ['the default account goes', workload('Deployment', 'serviceAccountName: default, '), workload('Deployment', '')],
    ['the account of a Job, which cannot change', batch('Job', 'serviceAccountName: admin, '), batch('Job', '')],
  ])('not so: %s', (_, before, after) => {
    expect(findingsOf(before, after)).toEqual([])
  })
})
