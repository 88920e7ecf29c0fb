import { objectPath, parseObjectPath } from '../model/object-name.ts'
import type { AddonChange, FieldChange, ImageChange } from '../model/tree-change.ts'
import type { IndexedChange } from './fold-changes.ts'

interface Versions {
  readonly before?: string
  readonly after?: string
}

/** Collects which clusters have a change of versions. */
class Collector<Subject extends object> {
  readonly #found = new Map<string, { readonly subject: Subject & Versions; readonly clusters: Set<string> }>()

  note(subject: Subject & Versions, indexed: IndexedChange): void {
    const key = JSON.stringify(subject)
    const same = this.#found.get(key) ?? { subject, clusters: new Set<string>() }
    this.#found.set(key, same)
    if (indexed.cluster !== undefined) same.clusters.add(objectPath(indexed.cluster))
  }

  all(): readonly (Subject & Versions & Pick<ImageChange, 'clusters'>)[] {
    return [...this.#found.values()]
      .map(({ subject, clusters }) => ({ ...subject, clusters: [...clusters].sort().map(parseObjectPath) }))
      .toSorted((a, b) => b.clusters.length - a.clusters.length)
  }
}

/** Container images: fields named `image` of objects that stay. */
export function findImages(indexed: readonly IndexedChange[]): readonly ImageChange[] {
  const images = new Collector<Pick<ImageChange, 'image'>>()
  for (const one of indexed) for (const image of imagesIn(one.change.fields)) images.note(image, one)
  return images.all()
}

type ImageVersions = Versions & Pick<ImageChange, 'image'>

function imagesIn(fields: readonly FieldChange[]): readonly ImageVersions[] {
  return fields.flatMap(({ path, before, after }): readonly ImageVersions[] => {
    if (path.at(-1) !== 'image' || typeof after !== 'string' || typeof before !== 'string') return []
    const [old, now] = [splitImage(before), splitImage(after)]
    return [
      old.image === now.image
        ? { image: now.image, before: old.version, after: now.version }
        : { image: now.image, before, after: now.version },
    ]
  })
}

/** The name of an image, and its tag and digest. */
function splitImage(reference: string): { readonly image: string; readonly version: string } {
  const [name = '', digest] = reference.split('@')
  const slash = name.lastIndexOf('/')
  const colon = name.indexOf(':', slash + 1)
  const image = colon === -1 ? name : name.slice(0, colon)
  const tag = colon === -1 ? '' : name.slice(colon + 1)
  const short = digest?.slice(0, 'sha256:'.length + 12)
  // where a reference has neither, a runtime takes this tag
  return { image, version: [tag, short].filter((part) => part !== undefined && part !== '').join('@') || 'latest' }
}

/** A name and a version, as the label `helm.sh/chart` has them. */
const CHART = /^(.{1,200}?)-(v?\d+\.\d+.{0,100})$/

/**
 * Versions of the charts of addons. The tree says them in the labels that charts give their objects, `helm.sh/chart` or
 * else `app.kubernetes.io/version`; an addon without them is known by the one version that all of its images that
 * change have in common.
 */
export function findAddonVersions(indexed: readonly IndexedChange[]): readonly AddonChange[] {
  const addons = new Collector<Pick<AddonChange, 'addon' | 'chart'>>()
  const byAddon = new Map<string, IndexedChange[]>()
  for (const one of indexed) {
    if (one.part.kind !== 'addon' || one.cluster === undefined) continue
    const key = `${one.part.owner} ${one.part.addon} ${objectPath(one.cluster)}`
    byAddon
      .set(key, byAddon.get(key) ?? [])
      .get(key)
      ?.push(one)
  }
  for (const own of byAddon.values()) {
    const [first] = own
    if (first?.part.kind !== 'addon') continue
    const { addon } = first.part
    const fields = own.flatMap(({ change }) => change.fields)
    const found = [chartsIn, appVersionsIn, imageVersionsIn]
      .map((find) => find(fields, addon))
      .find((some) => some.length > 0)
    for (const version of found ?? []) addons.note({ addon, ...version }, first)
  }
  return addons.all()
}

type ChartVersions = Versions & Pick<AddonChange, 'chart'>

function chartsIn(fields: readonly FieldChange[]): readonly ChartVersions[] {
  const found = fields.flatMap(({ path, before, after }): readonly ChartVersions[] => {
    if (path.at(-1) !== 'helm.sh/chart' || typeof before !== 'string' || typeof after !== 'string') return []
    const [old, now] = [CHART.exec(before), CHART.exec(after)]
    if (old?.[2] === undefined || now?.[2] === undefined) return []
    return [{ chart: now[1] ?? '', before: old[2], after: now[2] }]
  })
  return distinct(found)
}

function appVersionsIn(fields: readonly FieldChange[], addon: string): readonly ChartVersions[] {
  const found = fields.flatMap(({ path, before, after }): readonly ChartVersions[] => {
    const isVersion = path.at(-1) === 'app.kubernetes.io/version' && path[0] === 'metadata'
    return isVersion && typeof before === 'string' && typeof after === 'string' ? [{ chart: addon, before, after }] : []
  })
  return distinct(found)
}

function imageVersionsIn(fields: readonly FieldChange[], addon: string): readonly ChartVersions[] {
  // the tag of another image is no other version
  const tags = imagesIn(fields.filter(isOfOneImage)).map(({ before = '', after = '' }) => ({
    chart: addon,
    before: before.replace(/@.*$/, ''),
    after: after.replace(/@.*$/, ''),
  }))
  // another digest of the same tag is no other version
  const found = distinct(tags.filter(({ before, after }) => before !== after))
  return found.length === 1 ? found : []
}

function isOfOneImage({ before, after }: FieldChange): boolean {
  if (typeof before !== 'string' || typeof after !== 'string') return false
  return splitImage(before).image === splitImage(after).image
}

function distinct<Item extends object>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
}
