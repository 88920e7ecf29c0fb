import { describe, expect, test } from 'vitest'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import { setInstanceLabel } from '../../../src/render/stack/instance-label.ts'
import { objectOf } from './objects.ts'

const label = '"clusterstack.x-k8s.io/instance":"owned"'

describe('setInstanceLabel', () => {
  const rows: readonly { readonly name: string; readonly input: string; readonly want: string }[] = [
    {
      name: 'a plain object gets the label beside its own',
      input: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {x: z}}}',
      want: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{${label},"x":"z"},"name":"a"}}`,
    },
    {
      name: 'a Deployment gets it on the pod template too',
      input: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 1}}',
      want: `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"labels":{${label}},"name":"a"},"spec":{"replicas":1,"template":{"metadata":{"labels":{${label}}}}}}`,
    },
    {
      name: 'a Job does, a CronJob does not',
      input: '{apiVersion: batch/v1, kind: Job, metadata: {name: a}}',
      want: `{"apiVersion":"batch/v1","kind":"Job","metadata":{"labels":{${label}},"name":"a"},"spec":{"template":{"metadata":{"labels":{${label}}}}}}`,
    },
    {
      name: 'CronJob',
      input: '{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}}',
      want: `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"labels":{${label}},"name":"a"}}`,
    },
    {
      name: 'a kind of that name in another group is left alone',
      input: '{apiVersion: example.com/v1, kind: Deployment, metadata: {name: a}}',
      want: `{"apiVersion":"example.com/v1","kind":"Deployment","metadata":{"labels":{${label}},"name":"a"}}`,
    },
    {
      name: 'an old API version without selector gets one that lacks the label',
      input:
        '{apiVersion: apps/v1beta1, kind: Deployment, metadata: {name: a}, spec: {template: {metadata: {labels: {x: z}}}}}',
      want: `{"apiVersion":"apps/v1beta1","kind":"Deployment","metadata":{"labels":{${label}},"name":"a"},"spec":{"selector":{"matchLabels":{"x":"z"}},"template":{"metadata":{"labels":{${label},"x":"z"}}}}}`,
    },
  ]
  test.each(rows)('$name', ({ input, want }) => {
    const object = objectOf(input)
    const before = formatGoJson(object)
    expect(formatGoJson(setInstanceLabel(object))).toBe(want)
    expect(formatGoJson(object)).toBe(before)
  })
})
