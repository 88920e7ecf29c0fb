import { describe, expect, test } from 'vitest'
import { compareTexts, type Texts } from './compare-texts.ts'

const ADDON = 'clusters/a/one/addons/01-cni'
const first = '{apiVersion: v1, kind: ConfigMap, metadata: {name: first}}'
const more = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: more}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: Group, name: "system:unauthenticated"}]
`
const indented = more.replaceAll(/^(?=.)/gm, '  ')
const list = (names: string, rest = ''): string =>
  `{apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization, resources: [${names}]${rest}}`

/** What is said of each change, and of what could not be compared. */
function saidOf(before: Texts, after: Texts): readonly string[] {
  const { changes, facts } = compareTexts(before, after)
  return [
    ...changes.map(({ change, before: old, after: now, reasons = [] }) =>
      [`${change} ${(now ?? old)?.name ?? ''}`, ...reasons.map(({ risk, text }) => `${risk}: ${text}`)].join(', '),
    ),
    ...facts.unread.map(({ change, path, reason }) => `${change} ${path.slice(path.lastIndexOf('/') + 1)}: ${reason}`),
  ]
}

const MORE = ['added more, widens-rights: Group system:unauthenticated as cluster-admin']

describe('a file is taken apart as kustomize does', () => {
  const CUT = ['changed x.yaml: kustomize does not read all of its documents']
  const BAD = ['changed x.yaml: kustomize takes nothing but a comment behind ---']
  test.each([
    ['behind ---', `---\n${more}`, MORE],
    ['behind --- and a comment', `--- # more\n${more}`, MORE],
    ['that is indented', `---\n${indented}`, MORE],
    ['in flow style', `---\n  {apiVersion: v1, kind: ConfigMap,\n metadata: {name: more}}\n`, ['added more']],
    ['with line ends of Windows', `---\r\n${more.replaceAll('\n', '\r\n')}`, MORE],
    ['behind ... and ---', `...\n---\n${more}`, MORE],
    ['behind comments', `---\n# a\n  # b\n---\n# c\n${indented}`, MORE],
    ['behind ... alone', `...\n${more}`, CUT],
    ['behind a last --- without a line end', '--- ', []],
    ['on the line of its ---', `--- {apiVersion: v1, kind: ConfigMap, metadata: {name: more}}\n`, BAD],
    ['with a tag on the line of its ---', `--- !!map\n${more}`, BAD],
    ['that is empty', '---\n# nothing\n---\n', []],
  ])('a document %s', (_, text, want) => {
    expect(saidOf({ [`${ADDON}/x.yaml`]: `${first}\n` }, { [`${ADDON}/x.yaml`]: `${first}\n${text}` })).toEqual(want)
  })

  test('an indented document before others', () => {
    const path = `${ADDON}/x.yaml`
    expect(saidOf({ [path]: `${first}\n` }, { [path]: `${indented}---\n${first}\n` })).toEqual(MORE)
  })

  test.each([
    ['List', MORE],
    ['ClusterRoleBindingList', MORE],
    ['Listed', ['added all']],
  ])('items of a %s', (kind, want) => {
    const text = `apiVersion: v1\nkind: ${kind}\nmetadata: {name: all}\nitems:\n- ${indented.trim()}\n`
    expect(saidOf({}, { [`${ADDON}/x.yaml`]: text })).toEqual(want)
  })

  test('a list of another kind whose items are none is an object or cannot be read', () => {
    const text = (items: string): string => `{apiVersion: x.io/v1, kind: AllowList, metadata: {name: some}${items}}`
    expect(saidOf({}, { [`${ADDON}/x.yaml`]: text('') })).toEqual(['added some'])
    expect(saidOf({}, { [`${ADDON}/x.yaml`]: text(', items: {}') })).toEqual(['added x.yaml: its items are no list'])
  })
})

describe('a list that names what lies outside of its folder', () => {
  const path = `${ADDON}/kustomization.yaml`
  test.each([
    ['another cluster’s addon', 'x.yaml, ../../../two/addons/01-cni', ['lists ../../../two/addons/01-cni']],
    ['a way around', 'x.yaml, ./y/../../z', ['lists ./y/../../z']],
    ['a folder of its own', 'x.yaml, ./y/../z', []],
    ['a name with dots', 'x.yaml, ..y', []],
  ])('%s', (_, names, texts) => {
    const want = texts.length === 0 ? [] : ['changed kustomization.yaml, redirects: ' + texts.join()]
    expect(saidOf({ [path]: list('x.yaml') }, { [path]: list(names) })).toEqual(want)
    expect(saidOf({}, { [path]: list(names) })).toEqual(want.map((text) => text.replace('changed', 'added')))
  })

  test('of the units: addons of a workload cluster on the management cluster', () => {
    const [before, after] = [list('team-a'), list('team-a, ../clusters/a/one/addons')]
    const units = 'handoff/kustomization.yaml'
    expect(saidOf({ [units]: before }, { [units]: after })).toEqual([
      'changed kustomization.yaml, redirects: lists ../clusters/a/one/addons',
    ])
    expect(saidOf({ [units]: after }, { [units]: before })).toEqual([
      'changed kustomization.yaml, redirects: no longer lists ../clusters/a/one/addons',
    ])
  })
})

describe('files that are none of a rendered tree', () => {
  const said = (path: string): readonly string[] => saidOf({}, { [path]: 'x' })
  const STRANGE = 'it is no file of a rendered tree'
  test.each([
    [`${ADDON}/.stackmason-x.yaml`, [`added .stackmason-x.yaml: ${STRANGE}`]],
    [`${ADDON}/.stackmason-tree`, [`added .stackmason-tree: ${STRANGE}`]],
    [`${ADDON}/.stackmason-inventory.yaml`, [`added .stackmason-inventory.yaml: ${STRANGE}`]],
    ['extra/kustomization.yaml', [`added kustomization.yaml: ${STRANGE}`]],
    ['.stackmason-tree', []],
    [`${ADDON}/sub/`, ['added : it is a submodule']],
  ])('%s', (path, want) => {
    expect(said(path)).toEqual(want)
  })

  describe('the pin of an artifact', () => {
    const [pin, stack] = ['artifacts/a/one.yaml', 'artifacts/a/stack-x-v1.yaml']
    const OLD = `apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata:
  name: one
  namespace: a
  annotations:
    org.opencontainers.image.created: "2026-11-29T12:00:00Z"
    org.opencontainers.image.revision: main@sha1:${'0'.repeat(40)}
spec:
  ref:
    digest: sha256:${'0'.repeat(64)}
  url: oci://registry.example.com/fleet/clusters/a/one
  verify:
    provider: cosign
`
    const newer = OLD.replaceAll(/0{40,64}|12(?=:)/g, '1')
    const elsewhere = newer.replace('registry.example.com/fleet', 'evil.example').replace(/ {2}verify:[^]*/, '')
    const OTHER = 'changed one, redirects: url, redirects: ref, lowers-guard: verify gone'
    const files = { [`${ADDON}/x.yaml`]: '1', 'stacks/a/x-v1/x.yaml': '1' }
    const edited = { [`${ADDON}/x.yaml`]: '2', 'stacks/a/x-v1/x.yaml': '2' }
    const unread = ['changed x.yaml: it holds no object', 'changed x.yaml: it holds no object']

    test.each<[string, Texts, Texts, readonly string[]]>([
      ['alone', { ...files, [pin]: OLD }, { ...files, [pin]: newer }, ['changed one, redirects: ref']],
      ['elsewhere', { ...files, [pin]: OLD }, { ...files, [pin]: elsewhere }, [OTHER]],
      ['that follows', { ...files, [pin]: OLD, [stack]: OLD }, { ...edited, [pin]: newer, [stack]: newer }, unread],
      ['that does more than follow', { ...files, [pin]: OLD }, { ...edited, [pin]: elsewhere }, [OTHER, ...unread]],
      ['of a new cluster', { ...files }, { ...edited, [pin]: OLD }, unread],
      ['that is new alone', { ...files }, { ...files, [pin]: OLD }, ['added one']],
      ['that goes alone', { ...files, [pin]: OLD }, { ...files }, ['removed one']],
      [
        'that is none any more',
        { ...files, [pin]: OLD },
        { ...files, [pin]: 'x' },
        ['changed one.yaml: it holds no object'],
      ],
      ['that has company', { ...files, [pin]: OLD }, { ...files, [pin]: `${OLD}---\n${more}` }, MORE],
      [
        'in company that follows',
        { ...files, [pin]: OLD },
        { ...edited, [pin]: `${newer}---\n${more}` },
        ['changed one, redirects: ref', ...MORE, ...unread],
      ],
      ['beside another object', files, { ...files, 'artifacts/a/more.yaml': more }, MORE],
      [
        'beside one further below',
        files,
        { ...files, 'artifacts/a/b/more.yaml': more },
        [`added more.yaml: ${STRANGE}`],
      ],
      ['beside one further above', files, { ...files, 'artifacts/more.yaml': more }, [`added more.yaml: ${STRANGE}`]],
      [
        'beside a list',
        files,
        { ...files, 'artifacts/a/kustomization.yaml': list('x') },
        [`added kustomization.yaml: ${STRANGE}`],
      ],
    ])('%s', (_, before, after, want) => {
      expect(saidOf(before, after)).toEqual(want)
    })
  })

  test('an inventory of an older version goes unseen, and so does a submodule that is not checked out', () => {
    expect(saidOf({ [`${ADDON}/.stackmason-inventory.yaml`]: 'x', [`${ADDON}/sub/`]: 'x' }, {})).toEqual([])
  })
})
