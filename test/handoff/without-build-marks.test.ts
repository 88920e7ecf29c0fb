import { describe, expect, test } from 'vitest'
import { createAnnotator as argocd } from '../../src/handoff/argocd/annotate-manifest.ts'
import { createAnnotator as flux } from '../../src/handoff/flux/annotate-manifest.ts'
import { dictAt } from '../../src/model/field.ts'
import type { Manifest } from '../../src/model/manifest.ts'
import { manifestOf } from './steps/sample-cluster.ts'

const LOCAL = 'config.kubernetes.io/local-config'

const tools: readonly (readonly [tool: string, annotate: (manifest: Manifest) => Manifest])[] = [
  ['Flux', (manifest) => flux()(manifest, { isSubstituted: false, isProtected: false })],
  ['Argo CD', (manifest) => argocd()(manifest, { kind: 'addons' })],
  ['Argo CD, decommissioned', (manifest) => argocd()(manifest, { kind: 'cluster', mayDelete: 'cluster' })],
]

describe.each(tools)('kustomize neither drops nor renames what %s is given', (_, annotate) => {
  test.each([
    ['ConfigMap', 'v1', `{${LOCAL}: "true", a: b}`, ['a']],
    ['ConfigMap', 'v1', `{${LOCAL}: ""}`, undefined],
    ['ConfigMap', 'v1', '{internal.config.kubernetes.io/needsHashSuffix: enabled, a: b}', ['a']],
    ['ConfigMap', 'v1', '{internal.config.kubernetes.io/previousNames: x}', undefined],
    ['Cluster', 'cluster.x-k8s.io/v1beta2', `{${LOCAL}: "true", a: b}`, ['a']],
    ['ConfigMap', 'v1', '{config.kubernetes.io/depends-on: x}', ['config.kubernetes.io/depends-on']],
  ])('%s %s %s', (kind, apiVersion, annotations, wanted) => {
    const manifest = manifestOf(
      `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x, annotations: ${annotations}}}`,
    )
    const found = dictAt(annotate(manifest).object, 'metadata', 'annotations')
    // what the tool itself sets is not in question
    const own = found && [...found.keys()].filter((name) => !name.startsWith('argocd.argoproj.io/'))
    expect(own?.length === 0 ? undefined : own).toEqual(wanted)
  })

  test('what has none stays the same manifest', () => {
    const manifest = manifestOf('{apiVersion: v1, kind: ConfigMap, metadata: {name: x, annotations: {a: b}}}')
    expect(annotate(manifest)).toBe(manifest)
  })
})
