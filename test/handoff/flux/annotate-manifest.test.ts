import { describe, expect, test } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { createAnnotator } from '../../../src/handoff/flux/annotate-manifest.ts'
import { fieldAt, textAt } from '../../../src/model/field.ts'
import { objectOf } from '../../render/stack/objects.ts'
import { placeholderManifest } from './placeholder-manifest.ts'

const PRUNE = 'kustomize.toolkit.fluxcd.io/prune'
const SUBSTITUTE = 'kustomize.toolkit.fluxcd.io/substitute'

describe('annotations for Flux', () => {
  const object = (apiVersion: string, kind: string, annotations = ''): string =>
    `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x${annotations === '' ? '' : `, annotations: {${annotations}}`}}}`
  const rows: readonly { readonly name: string; readonly yaml: string; readonly want: 'disabled' | '' }[] = [
    { name: 'a Cluster of v1beta1', yaml: object('cluster.x-k8s.io/v1beta1', 'Cluster'), want: 'disabled' },
    { name: 'a Cluster of v1beta2', yaml: object('cluster.x-k8s.io/v1beta2', 'Cluster'), want: 'disabled' },
    { name: 'a Cluster of somebody else', yaml: object('postgresql.cnpg.io/v1', 'Cluster'), want: '' },
    { name: 'a Namespace', yaml: object('v1', 'Namespace'), want: 'disabled' },
    { name: 'a Namespace of somebody else', yaml: object('example.org/v1', 'Namespace'), want: '' },
    { name: 'a CRD', yaml: object('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), want: 'disabled' },
    { name: 'kept by Helm', yaml: object('v1', 'Secret', 'helm.sh/resource-policy: keep'), want: 'disabled' },
    {
      name: 'kept by Helm, as Helm reads it',
      yaml: object('v1', 'Secret', 'helm.sh/resource-policy: " Keep "'),
      want: 'disabled',
    },
    { name: 'another policy', yaml: object('v1', 'Secret', 'helm.sh/resource-policy: drop'), want: '' },
    { name: 'a claim of storage', yaml: object('v1', 'PersistentVolumeClaim'), want: 'disabled' },
    { name: 'storage', yaml: object('v1', 'PersistentVolume'), want: 'disabled' },
    { name: 'a node image', yaml: object('openstack.k-orc.cloud/v1alpha1', 'Image'), want: 'disabled' },
    { name: 'anything else', yaml: object('apps/v1', 'DaemonSet'), want: '' },
  ]
  const pruneOf = (yaml: string, isProtected: boolean, isOrphaned = false): string =>
    textAt(
      createAnnotator()(placeholderManifest(yaml), { isSubstituted: false, isProtected, isOrphaned }).object,
      'metadata',
      'annotations',
      PRUNE,
    )

  test.each(rows)('pruning of $name', ({ yaml, want }) => {
    expect(pruneOf(yaml, true)).toBe(want)
    // a decommission is about the Cluster, not about what else lies beside it
    expect(pruneOf(yaml, false)).toBe(yaml.includes('apiVersion: cluster.x-k8s.io/') ? '' : want)
    expect(pruneOf(yaml, true, true)).toBe('disabled')
  })

  test.each(['annotations', 'labels'])(
    'what would be lost for good is never made anew, whatever its %s say',
    (field) => {
      const FORCE = 'kustomize.toolkit.fluxcd.io/force'
      const forced = (apiVersion: string, kind: string): string =>
        textAt(
          createAnnotator()(
            placeholderManifest(
              `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x, ${field}: {${FORCE}: enabled}}}`,
            ),
            { isSubstituted: false, isProtected: true },
          ).object,
          'metadata',
          field,
          FORCE,
        )
      expect(forced('cluster.x-k8s.io/v1beta2', 'Cluster')).toBe('disabled')
      expect(forced('v1', 'PersistentVolumeClaim')).toBe('disabled')
      expect(forced('batch/v1', 'Job')).toBe('enabled')
    },
  )

  test.each(['annotations', 'labels'])('an object with placeholders is filled in, whatever its %s say', (field) => {
    const yaml = `{apiVersion: v1, kind: ConfigMap, metadata: {name: x, ${field}: {${SUBSTITUTE}: disabled, a: b}}, data: {a: "<<HOST>>"}}`
    const annotate = createAnnotator()
    const { object } = annotate(placeholderManifest(yaml), { isSubstituted: true, isProtected: true })
    expect(unguarded(formatManifestYaml(object))).toBe(`apiVersion: v1
kind: ConfigMap
metadata:
  name: x
  ${field}:
    a: b
data:
  a: \${QUOTE}\${HOST}\${QUOTE}
`)
  })

  test('other annotations stay, and the manifest that was given is not changed', () => {
    const manifest = placeholderManifest(object('v1', 'Namespace', 'a: b'))
    const annotated = createAnnotator()(manifest, { isSubstituted: true, isProtected: true })
    expect(annotated.object.get('metadata')).toEqual(
      objectOf(`{name: x, annotations: {a: b, ${PRUNE}: disabled, ${SUBSTITUTE}: disabled}}`),
    )
    expect(manifest.object).toEqual(objectOf(object('v1', 'Namespace', 'a: b')))
  })

  test('a manifest stays shared, with and without substitution', () => {
    const annotate = createAnnotator()
    const manifest = placeholderManifest(object('v1', 'ConfigMap'))
    const mode = { isSubstituted: true, isProtected: true }
    expect(annotate(manifest, mode)).toBe(annotate(manifest, { ...mode }))
    expect(annotate(manifest, { ...mode, isSubstituted: false })).toBe(manifest)
  })
})

/** The text without the annotation that guards values, which has a test of its own. */
function unguarded(text: string): string {
  return text.replace(
    /(?:^ {2}annotations:\n(?= {4}stackmason\.dev\/values: .*\n(?! {4})))?^ {4}stackmason\.dev\/values: .*\n/m,
    '',
  )
}

test.each([
  { yaml: '{a: <<HOST>>, b: "<<HOST>>:<<PORT>>"}', want: '${MISSING:${#HOST}}${MISSING:${#PORT}}filled' },
  { yaml: '{a: <<PORT:integer>>}', want: '${MISSING:${#PORT}}filled' },
  { yaml: '{a: "${HOST}"}', want: undefined },
])('the values of $yaml are guarded', ({ yaml, want }) => {
  const manifest = placeholderManifest(`{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: ${yaml}}`)
  const { object } = createAnnotator()(manifest, { isSubstituted: true, isProtected: true })
  expect(fieldAt(object, 'metadata', 'annotations', 'stackmason.dev/values')).toBe(want)
})

describe('substitution by Flux', () => {
  const rows: readonly { readonly name: string; readonly yaml: string; readonly want: string }[] = [
    {
      name: 'an object without placeholders is left alone',
      yaml: 'data:\n  a: echo ${HOME} $$\n',
      want: 'metadata:\n  name: x\n  annotations:\n    kustomize.toolkit.fluxcd.io/substitute: disabled\ndata:\n  a: echo ${HOME} $$\n',
    },
    {
      name: 'bare text gets quotes that come from a variable',
      yaml: 'data:\n  a: <<HOST>>\n  b: https://<<HOST>>:<<PORT>>\n',
      want: 'metadata:\n  name: x\ndata:\n  a: ${QUOTE}${HOST}${QUOTE}\n  b: ${QUOTE}https://${HOST}:${PORT}${QUOTE}\n',
    },
    {
      name: 'an integer stays bare',
      yaml: 'spec:\n  port: <<PORT:integer>>\n',
      want: 'metadata:\n  name: x\nspec:\n  port: ${PORT}\n',
    },
    {
      name: 'text that has quotes anyway',
      yaml: `data:\n  a: "x: <<HOST>>"\n  b: "# <<HOST>>"\n  c: "<<HOST>> "\n`,
      want: "metadata:\n  name: x\ndata:\n  a: 'x: ${HOST}'\n  b: '# ${HOST}'\n  c: '${HOST} '\n",
    },
    {
      name: 'text of several lines',
      yaml: 'data:\n  a: |\n    server: <<HOST>>\n    cost: $5\n',
      want: 'metadata:\n  name: x\ndata:\n  a: |\n    server: ${HOST}\n    cost: $$5\n',
    },
    {
      name: 'every other dollar is doubled, in keys too',
      yaml: 'metadata: {name: x, labels: {}}\ndata:\n  ${K}: $\n  a: cost $<<HOST>> ${HOME} $$ <<HOST>>$\n  b: $1\n',
      want:
        'metadata:\n  name: x\n  labels: {}\ndata:\n  $${K}: $$\n' +
        '  a: ${QUOTE}cost $$${HOST} $${HOME} $$$$ ${HOST}$$${QUOTE}\n  b: $$1\n',
    },
    {
      name: 'quotes and backslashes of bare text are escaped for the quotes to come',
      yaml: `data:\n  a: 'say "<<HOST>>" \\d'\n`,
      want: 'metadata:\n  name: x\ndata:\n  a: ${QUOTE}say \\"${HOST}\\" \\\\d${QUOTE}\n',
    },
    {
      name: 'lists',
      yaml: 'spec:\n- --host=<<HOST>>\n- $HOME\n',
      want: 'metadata:\n  name: x\nspec:\n- ${QUOTE}--host=${HOST}${QUOTE}\n- $$HOME\n',
    },
  ]
  test.each(rows)('$name', ({ yaml, want }) => {
    const head = 'apiVersion: v1\nkind: ConfigMap\n'
    const manifest = placeholderManifest(`${head}${yaml.startsWith('metadata') ? '' : 'metadata: {name: x}\n'}${yaml}`)
    const annotated = createAnnotator()(manifest, { isSubstituted: true, isProtected: true })
    expect(unguarded(formatManifestYaml(annotated.object))).toBe(head + want)
    for (const { written } of annotated.deferred ?? []) expect(written).toContain('${')
  })
})
