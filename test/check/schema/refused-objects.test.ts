import { describe, expect, test } from 'vitest'
import { builtInRules } from '../../../src/check/built-in/built-in-rules.ts'
import { validateObject } from '../../../src/check/schema/validate-object.ts'
import { formatPointer, textAt } from '../../../src/model/field.ts'
import type { LocatedToken } from '../../../src/model/manifest.ts'
import { createTokenTable } from '../../../src/model/token.ts'
import { refusedObjects } from '../../../tools/fleets/refused-objects.ts'
import { trialObjects, trialSchemas } from '../../../tools/fleets/schema-trial.ts'

function problemsOf(text: string, minor = '1.34', late: readonly LocatedToken[] = []): readonly string[] {
  const schemas = trialSchemas(minor, [])
  return trialObjects(text).flatMap(({ ours }) => {
    const found = schemas.find(textAt(ours, 'apiVersion'), textAt(ours, 'kind'))
    if (found.state !== 'known') return [found.state]
    return validateObject(ours, found.schema, late).map(
      ({ kind, path, says }) => `${formatPointer(path)}: ${kind === 'not-allowed' ? says : `${kind} ${says}`}`,
    )
  })
}

const pod = (container: string, more = ''): string =>
  `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: b, ${container}}]${more}}}`
const tokens = createTokenTable()
/** Texts at these places are filled in later. */
const lateAt = (...pointers: readonly string[]): readonly LocatedToken[] =>
  pointers.map((pointer) => ({ pointer, text: '', tokens, written: '' }))

describe('what API servers refuse beyond schemas', () => {
  // the same objects are asked of an API server: test/system/kube-answers.test.ts
  test('each fault, with its place', () => {
    const found = refusedObjects.map(({ name, fault }) => [name, problemsOf(fault)])
    expect(Object.fromEntries(found)).toMatchSnapshot()
    expect(found.filter(([, problems]) => problems?.length === 0)).toEqual([])
  })

  test.each(refusedObjects)('$name: not what is near it', ({ near }) => {
    expect(problemsOf(near)).toEqual([])
  })

  test('in rules for kinds and fields that there are', () => {
    const names = refusedObjects.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(builtInRules.size).toBeGreaterThan(100)
  })
})

const claims =
  '{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}'
const zone =
  '{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {schedule: "TZ=UTC 0 0 * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}}}'

describe('what only some minors refuse', () => {
  test.each<readonly [what: string, text: string, minor: string, problems: readonly string[]]>([
    [
      'names of variables',
      pod('env: [{name: 1A}]'),
      '1.31',
      ['/spec/containers/0/env/0/name: letters, digits, -, _ and ., the first no digit'],
    ],
    ['names of variables, relaxed', pod('env: [{name: 1A}]'), '1.32', []],
    [
      'a container that restarts on its own',
      pod('restartPolicy: Always'),
      '1.33',
      ['/spec/containers/0/restartPolicy: left out: the pod has it'],
    ],
    ['such a container, where the server drops it or keeps it', pod('restartPolicy: Always'), '1.34', []],
    ['claims of devices that the server drops', pod('resources: {claims: [{name: c}]}'), '1.33', []],
    ['a time zone in a schedule', zone, '1.29', ['/spec/schedule: without TZ: the field timeZone names the zone']],
    ['such a zone before', zone, '1.28', []],
    ['storage of a claim, which 1.28 writes as containers do', claims, '1.28', []],
  ])('%s', (_, text, minor, problems) => {
    expect(problemsOf(text, minor)).toEqual(problems)
  })
})

describe('values that are filled in later are not judged', () => {
  const mounted = (name: string): string =>
    pod(
      `env: [{name: A, value: a}], volumeMounts: [{name: w, mountPath: /w}]`,
      `, volumes: [{name: ${name}, emptyDir: {}}]`,
    )
  const deployment =
    '{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: c}}, spec: {containers: [{name: a, image: b}]}}}}'

  test('by what looks at them from above', () => {
    const wrong = ['/spec/containers/0/volumeMounts/0/name: the name of a volume of the pod']
    expect(problemsOf(mounted('v'))).toEqual(wrong)
    expect(problemsOf(mounted('v'), '1.34', lateAt('/spec/volumes/0/name'))).toEqual([])
    expect(problemsOf(deployment, '1.34', lateAt('/spec/template/metadata/labels/a'))).toEqual([])
  })

  test('and what does not depend on them is', () => {
    expect(
      problemsOf(mounted('v'), '1.34', lateAt('/spec/containers/0/env/0/value', '/spec/containers/0/image')),
    ).toEqual(['/spec/containers/0/volumeMounts/0/name: the name of a volume of the pod'])
  })

  test('in a list of which each item keeps a rule', () => {
    const text = pod('name: a', ', dnsConfig: {nameservers: [ns, 10.0.0.1]}').replace(
      'name: a, image: b, name: a',
      'name: a, image: b',
    )
    expect(problemsOf(text)).toEqual(['/spec/dnsConfig/nameservers: a list of which each is an IP address'])
    expect(problemsOf(text, '1.34', lateAt('/spec/dnsConfig/nameservers/0'))).toEqual([])
  })
})
