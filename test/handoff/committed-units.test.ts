import { describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { isSuspendedInTree, unitsBefore, waitsForConditions } from '../../src/handoff/committed-units.ts'
import type { Manifest } from '../../src/model/manifest.ts'
import { Dict } from '../../src/model/value.ts'

function unit(apiVersion: string, kind: string, spec: string): Manifest {
  const object = parseGoYaml(`{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: a}, spec: ${spec}}`)
  if (!(object instanceof Dict)) throw new Error('no object')
  return { apiVersion, kind, name: 'a', object, origin: { from: 'a', unit: 'committed', template: 'a' } }
}

const flux = (spec: string): Manifest => unit('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', spec)
const argo = (spec: string, kind = 'Application'): Manifest => unit('argoproj.io/v1alpha1', kind, spec)

describe('what the committed objects of a GitOps tool say of units', () => {
  test.each([
    { name: 'a Kustomization', object: flux('{}'), want: false },
    { name: 'one that is suspended', object: flux('{suspend: true}'), want: true },
    { name: 'one that says so in text', object: flux('{suspend: "true"}'), want: false },
    { name: 'an Application', object: argo('{syncPolicy: {automated: {}}}'), want: false },
    { name: 'one without automated sync', object: argo('{syncPolicy: {syncOptions: []}}'), want: true },
    { name: 'an ApplicationSet', object: argo('{}', 'ApplicationSet'), want: false },
    { name: 'another object', object: unit('v1', 'ConfigMap', '{suspend: true}'), want: false },
  ])('is it suspended: $name', ({ object, want }) => {
    expect(isSuspendedInTree([flux('{}'), object])).toBe(want)
  })

  test.each([
    { name: 'none', object: flux('{kubeConfig: {}, dependsOn: [], healthChecks: []}'), want: false },
    { name: 'a unit before it', object: flux('{kubeConfig: {}, dependsOn: [{name: b}]}'), want: true },
    { name: 'a health check', object: flux('{kubeConfig: {}, healthChecks: [{kind: Pod}]}'), want: true },
    { name: 'in the management cluster', object: flux('{dependsOn: [{name: b}]}'), want: false },
    { name: 'an Application', object: argo('{dependsOn: [{name: b}]}'), want: false },
  ])('does it wait for a condition: $name', ({ object, want }) => {
    expect(waitsForConditions([object])).toBe(want)
  })

  test.each([
    {
      name: 'its Kustomization',
      object: flux('{path: ./rendered/stacks/a/b, dependsOn: [{name: c}, {name: d}]}'),
      want: ['c', 'd'],
    },
    { name: 'another one', object: flux('{path: ./rendered/stacks/a/other-b, dependsOn: [{name: c}]}'), want: [] },
    { name: 'one that waits for nothing', object: flux('{path: ./rendered/stacks/a/b}'), want: [] },
    { name: 'an Application', object: argo('{path: rendered/stacks/a/b, dependsOn: [{name: c}]}'), want: [] },
  ])('what a stack waits for: $name', ({ object, want }) => {
    expect(unitsBefore([object], 'stacks/a/b')).toEqual(want)
  })
})
