import { describe } from 'vitest'
import { testGrowth } from '../support/growth.ts'
import { compareTexts, shownTexts, type Texts } from './compare-texts.ts'

interface Trees {
  readonly before: Texts
  readonly after: Texts
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)
const texts = (count: number, make: (index: number) => Texts): Texts =>
  Object.assign({}, ...numbers(count).map(make)) as Texts

const cluster = (name: string, tag: string): Texts => ({
  [`clusters/n/${name}/cluster/cluster-${name}.yaml`]: `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: ${name}, namespace: n}, spec: {topology: {version: v1.33.${tag}}}}`,
  [`clusters/n/${name}/addons/01-cni/a.yaml`]: `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {own: ${name}, tag: "${tag}"}}`,
  [`clusters/n/${name}/addons/01-cni/b.yaml`]: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: b}, spec: {template: {spec: {containers: [{name: c, image: "x:${tag}"}]}}}}`,
})
const release = (namespace: string, version: string): Texts => ({
  [`stacks/${namespace}/docker-a-1-33-${version}/c.yaml`]: `{apiVersion: cluster.x-k8s.io/v1beta1, kind: ClusterClass, metadata: {name: docker-a-1-33-${version}, namespace: ${namespace}}, spec: {variables: [{name: a}]}}`,
})
const list = (field: string, items: readonly string[]): Texts => ({
  'clusters/n/c/addons/01-cni/a.yaml': `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, ${field}: [${items.join(', ')}]}`,
})

describe('trees of twice the size take twice the steps:', () => {
  testGrowth<Trees>(
    [
      {
        what: 'clusters that change in one way',
        make: (count) => ({
          before: texts(count, (index) => cluster(`c${String(index)}`, '1')),
          after: texts(count, (index) => cluster(`c${String(index)}`, '2')),
        }),
      },
      {
        what: 'clusters that each change in another way',
        make: (count) => ({
          before: texts(count, (index) => cluster(`c${String(index)}`, '1')),
          after: texts(count, (index) => cluster(`c${String(index)}`, String(index + 2))),
        }),
      },
      {
        what: 'new clusters',
        make: (count) => ({ before: {}, after: texts(count, (index) => cluster(`c${String(index)}`, '1')) }),
      },
      {
        what: 'new clusters beside as many old ones of another kind',
        make: (count) => ({
          before: texts(count, (index) => cluster(`c${String(index)}`, '1')),
          after: {
            ...texts(count, (index) => cluster(`c${String(index)}`, '1')),
            ...texts(count, (index) => cluster(`d${String(index)}`, String(index))),
          },
        }),
      },
      {
        what: 'clusters that get another name',
        make: (count) => ({
          before: texts(count, (index) => cluster(`c${String(index)}`, String(index))),
          after: texts(count, (index) => cluster(`d${String(index)}`, String(index))),
        }),
      },
      {
        what: 'namespaces with a new release each',
        make: (count) => ({
          before: texts(count, (index) => release(`n${String(index)}`, 'v1')),
          after: texts(count, (index) => release(`n${String(index)}`, 'v2')),
        }),
      },
      {
        what: 'namespaces that are new, with a release each',
        make: (count) => ({
          before: texts(count, (index) => release(`n${String(index)}`, 'v1')),
          after: {
            ...texts(count, (index) => release(`n${String(index)}`, 'v1')),
            ...texts(count, (index) => release(`m${String(index)}`, 'v2')),
          },
        }),
      },
      {
        what: 'texts of lines that are all alike, and of lines that are not',
        make: (count) => {
          const text = (every: number, repeated: number): string =>
            numbers(60 * count)
              .map((index) => (index % every === 0 ? `own ${String(every)}` : `line ${String(index % repeated)}`))
              .join('\\n')
          const map = (every: number): Texts => ({
            'clusters/n/c/addons/01-cni/a.yaml': `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: "${text(every, 7)}", b: "${text(every, 60 * count)}"}}`,
          })
          return { before: map(3), after: map(5) }
        },
      },
      {
        what: 'files of somebody else',
        make: (count) => ({ before: {}, after: texts(count, (index) => ({ [`x/${String(index)}.txt`]: 'x' })) }),
      },
    ],
    ({ before, after }) => shownTexts(before, after),
    60,
  )
})

describe('twice as many new clusters take twice the steps:', () => {
  testGrowth<Trees>(
    [
      {
        what: 'of objects that change, too',
        make: (count) => ({
          before: texts(2 * count, (index) => cluster(`c${String(index)}`, '1')),
          after: {
            ...texts(2 * count, (index) => cluster(`c${String(index)}`, '2')),
            ...texts(4 * count, (index) => cluster(`d${String(index)}`, '2')),
          },
        }),
      },
    ],
    ({ before, after }) => compareTexts(before, after),
    200,
  )
})

describe('lists of twice the size take twice the steps:', () => {
  const items = (count: number, make: (index: number) => string): readonly string[] => numbers(count).map(make)
  testGrowth<Trees>(
    [
      {
        what: 'with names',
        make: (count) => ({
          before: list(
            'env',
            items(count, (index) => `{name: a${String(index)}, value: "1"}`),
          ),
          after: list(
            'env',
            items(count, (index) => `{name: a${String(count - index)}, value: "2"}`),
          ),
        }),
      },
      {
        what: 'sets',
        make: (count) => ({
          before: list(
            'tolerations',
            items(count, (index) => `{key: a${String(index)}}`),
          ),
          after: list(
            'tolerations',
            items(count, (index) => `{key: b${String(index)}}`),
          ),
        }),
      },
      {
        what: 'words in an order',
        make: (count) => ({
          before: list(
            'args',
            items(count, (index) => `a${String(index)}`),
          ),
          after: list(
            'args',
            items(count, (index) => `a${String(count - index)}`),
          ),
        }),
      },
      {
        what: 'maps without a name',
        make: (count) => ({
          before: list(
            'jsonPatches',
            items(count, (index) => `{op: add, value: ${String(index)}}`),
          ),
          after: list(
            'jsonPatches',
            items(count, (index) => `{op: add, value: ${String(index + 1_000_000)}}`),
          ),
        }),
      },
    ],
    ({ before, after }) => compareTexts(before, after),
    500,
  )
})
