import { formatGoYaml } from '../../codec/go-yaml/go-yaml-format.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import type { Lock, LockedDependency, LockedRelease } from '../../model/lock.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'

const HEAD = `# Written by \`stackmason update\`; commit it, never edit it. After a merge conflict take both sides and run \`stackmason update\`.
apiVersion: stackmason.dev/v1alpha1
kind: Lock
`

const RELEASES = 'releases:\n'

/**
 * The comment is part of the layout: git takes two places for one when no more than three equal lines lie between them.
 */
const DEPENDENCIES = `# Charts that own addons take from a repository, or charts depend on and do not carry.
# Name, repository and request are what these ask for; the rest is what that resolved to.
dependencies:
`

/**
 * The text of stackmason.lock: equal locks give equal bytes, whatever the order of their entries. Laid out for merges
 * by line. Entries are blocks between blank lines; the first and the last line of a block stand in no other block, and
 * so do enough in between, so that two blocks which two branches add at one place stay whole when git takes both
 * (`merge=union`). The end mark keeps what is added last apart from what is changed last.
 * @throws Error when a credential would get into it, which is a defect
 */
export function formatLock(lock: Lock): string {
  const releases = sorted(lock.releases, ({ name, source }) => [name, source])
  const dependencies = sorted(lock.dependencies, ({ name, repository, request }) => [name, repository, request])
  const lists = [RELEASES, ...releases.map(formatRelease), DEPENDENCIES, ...dependencies.map(formatDependency)]
  const text = [HEAD, ...lists, '...\n'].join('\n')
  if (/:\/\/[^\s/?#]*@/.test(text)) throw new Error('an address with credentials was about to be locked')
  return text
}

function formatRelease(release: LockedRelease): string {
  const { name, source, kubernetesVersion, stacks, from, addons, revision, ref, assets, digest } = release
  const assetLines = sorted([...assets], ([asset]) => [asset]).map((pair) => `      ${pair.map(scalar).join(': ')}\n`)
  return [
    `  - name: ${scalar(name)}\n`,
    `    source: ${scalar(source)}\n`,
    `    kubernetesVersion: ${scalar(kubernetesVersion)}\n`,
    `    stacks: [${sorted([...stacks], (stack) => [stack])
      .map(inFlow)
      .join(', ')}]\n`,
    `    from: ${scalar(from.includes('://') ? shownUrl(from) : from)}\n`,
    `    addons: {${sorted([...addons], ([addon]) => [addon])
      .map((pair) => pair.map(inFlow).join(': '))
      .join(', ')}}\n`,
    ...(revision === undefined ? [] : [`    revision: ${scalar(revision)}\n`]),
    ...(ref === undefined ? [] : [`    ref: ${scalar(ref)}\n`]),
    ...(assetLines.length === 0 ? [] : ['    assets:\n', ...assetLines]),
    `    digest: ${scalar(digest)}\n`,
  ].join('')
}

/** The address comes first: several versions of one chart differ in it, not in the name. */
function formatDependency({ name, repository, request, version, url, revision, digest }: LockedDependency): string {
  return [
    `  - url: ${scalar(shownUrl(url))}\n`,
    `    name: ${scalar(name)}\n`,
    `    repository: ${scalar(shownUrl(repository))}\n`,
    `    request: ${scalar(request)}\n`,
    `    version: ${scalar(version)}\n`,
    ...(revision === undefined ? [] : [`    revision: ${scalar(revision)}\n`]),
    `    digest: ${scalar(digest)}\n`,
  ].join('')
}

function sorted<Item>(items: readonly Item[], keys: (item: Item) => readonly string[]): readonly Item[] {
  return items.toSorted((a, b) => {
    const others = keys(b)
    for (const [index, key] of keys(a).entries()) {
      const order = compareBytes(key, others[index] ?? '')
      if (order !== 0) return order
    }
    return 0
  })
}

/** One line, quoted where YAML would not read it as this text. */
function scalar(text: string): string {
  return /[\p{Cc}\u2028\u2029]/u.test(text) ? JSON.stringify(text) : formatGoYaml(text).slice(0, -1)
}

function inFlow(text: string): string {
  return /[,[\]{}]/.test(text) ? JSON.stringify(text) : scalar(text)
}
