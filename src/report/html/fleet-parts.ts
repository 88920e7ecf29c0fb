import type {
  CascadeKey,
  CascadePlace,
  ClusterOverview,
  FleetOverview,
  ImageOverview,
  ValuesCascade,
} from '../../model/fleet-overview.ts'
import { formatChangePath } from '../../model/change-path.ts'
import { objectPath } from '../../model/object-name.ts'
import { fleetFacts, releaseText } from '../overview/fleet-facts.ts'
import { plural } from '../plural.ts'
import { createClusterNames } from '../tree-change/name-clusters.ts'
import type { ClusterNumbers } from './cluster-ranges.ts'
import { type Html, html } from './html.ts'
import type { PagePart } from './page.ts'

/** Columns of addons, versions of an image, cascades, and keys of one. */
const most = { addons: 30, versions: 20, cascades: 1000, keys: 300 } as const

/** The fleet at a glance. */
export function glancePart(overview: FleetOverview): PagePart {
  const rows = fleetFacts(overview, 'short').map(
    ([what, text]) => html`<li>${factHead(what)} <span>${text}</span></li> `,
  )
  return {
    id: 'glance',
    title: 'At a glance',
    content: html`<ul class="card facts">
      ${rows}
    </ul>`,
  }
}

function factHead(what: string): Html {
  if (what === 'newer release') return html`<span class="badge warning">${what}</span>`
  if (what === 'later Kubernetes' || what === 'wanted' || what === 'next render')
    return html`<span class="badge notice">${what}</span>`
  return html`<b>${what}</b>`
}

/** Every cluster, with its versions in columns. */
export function clusterPart({ clusters }: FleetOverview, numbers: ClusterNumbers): PagePart {
  const addons = addonColumns(clusters)
  const shown = addons.slice(0, most.addons)
  const left = addons.length - shown.length
  return {
    id: 'clusters',
    title: 'Clusters',
    count: String(clusters.length),
    content: html`<div class="card frame" role="region" aria-label="Table of clusters" tabindex="0">
        <table>
          <thead>
            <tr>
              <th scope="col">Cluster</th>
              <th scope="col">Kubernetes</th>
              <th scope="col">Release</th>
              <th scope="col">State</th>
              ${shown.map(({ name }) => html`<th scope="col">${name}</th> `)}
              <th scope="col" class="number">Images</th>
            </tr>
          </thead>
          <tbody>
            ${clusters.map((cluster) => clusterRow(cluster, shown, numbers))}
          </tbody>
        </table>
      </div>
      ${left > 0 ? html`<p class="more">&hellip; and ${plural(left, 'more addon')} that fewer clusters have</p>` : undefined}`,
  }
}

interface AddonColumn {
  readonly name: string
  /** The version that more than half of them have: others are marked. */
  readonly common: string | undefined
}

/** Addons, those first that most clusters have. */
function addonColumns(clusters: readonly ClusterOverview[]): readonly AddonColumn[] {
  const columns = new Map<string, Map<string, number>>()
  for (const { addons } of clusters) {
    for (const { name, version = '' } of addons) {
      const versions = columns.get(name) ?? new Map<string, number>()
      columns.set(name, versions.set(version, (versions.get(version) ?? 0) + 1))
    }
  }
  const total = (versions: ReadonlyMap<string, number>): number => [...versions.values()].reduce((a, b) => a + b, 0)
  return [...columns]
    .toSorted(([, a], [, b]) => total(b) - total(a))
    .map(([name, versions]) => ({
      name,
      common: [...versions].find(([, count]) => 2 * count > total(versions))?.[0],
    }))
}

function clusterRow(overview: ClusterOverview, columns: readonly AddonColumn[], numbers: ClusterNumbers): Html {
  const { cluster, kubernetesVersion, addons, images } = overview
  const versions = new Map(addons.map(({ name, version = '' }) => [name, version]))
  const cells = columns.map(({ name, common }) => {
    const version = versions.get(name)
    if (version === undefined) return html`<td class="none">none</td> `
    const text = version === '' ? 'templates' : version
    return common === undefined || version === common
      ? html`<td>${text}</td> `
      : html`<td><em class="odd">${text}</em></td> `
  })
  return html`<tr data-entry data-clusters="${numbers.ranges([cluster])}">
    <th scope="row">${objectPath(cluster)}</th>
    <td>${kubernetesVersion}</td>
    <td>${releaseText(overview)}</td>
    <td>${stateOf(overview)}</td>
    ${cells}
    <td class="number">${images}</td>
  </tr> `
}

function stateOf({ newer, wanted, step }: ClusterOverview): Html {
  return html`${wanted === undefined ? undefined : html`<span class="badge notice">wanted</span> ${wanted} `}${step === undefined ? undefined : html`<span class="badge notice">next render</span> ${step} `}${
    newer.ofMinor === undefined ? undefined : html`<span class="badge warning">newer release</span> ${newer.ofMinor} `
  }${newer.ofLaterMinor === undefined ? undefined : html`<span class="meta">later Kubernetes: ${newer.ofLaterMinor}</span>`}`
}

/** Images with their versions: those of several versions open, the others folded. */
export function imagePart({ images }: FleetOverview, numbers: ClusterNumbers): readonly PagePart[] {
  if (images.length === 0) return []
  const several = images.filter(({ versions }) => versions.length > 1)
  const single = images.filter(({ versions }) => versions.length === 1)
  const list = (some: readonly ImageOverview[]): Html =>
    html`<ul class="facts images">
      ${some.map((image) => imageRow(image, numbers))}
    </ul>`
  return [
    {
      id: 'images',
      title: 'Images',
      count: String(images.length),
      content: html`${several.length === 0 ? undefined : html`<div class="card stack">${list(several)}</div>`}
      ${
        single.length === 0
          ? undefined
          : html`<details class="entry" data-part>
              <summary>
                <h3>In one version</h3>
                <span class="meta">${plural(single.length, 'image')}</span>
              </summary>
              ${list(single)}
            </details>`
      }`,
    },
  ]
}

function imageRow({ name, versions }: ImageOverview, numbers: ClusterNumbers): Html {
  const names = createClusterNames('short')
  const ranges = numbers.ranges(versions.flatMap(({ clusters }) => clusters))
  const shown = versions.slice(0, most.versions)
  const left = versions.length - shown.length
  return html`<li class="wide" data-entry ${ranges === undefined ? undefined : html`data-clusters="${ranges}"`}>
    <code>${name}</code>
    <ul class="plain">
      ${shown.map(
        ({ version, clusters }) =>
          html`<li>
            <b>${version === '' ? 'no tag' : version}</b> ${
              clusters.length === 0 ? 'management cluster' : names(clusters)
            }
          </li> `,
      )}
      ${left > 0 ? html`<li class="more">&hellip; and ${plural(left, 'more version')}</li>` : undefined}
    </ul>
  </li> `
}

/** Where the values of addons are set. */
export function cascadePart(
  { cascades }: FleetOverview,
  { numbers, shorten }: { readonly numbers: ClusterNumbers; readonly shorten: (path: string) => string },
): readonly PagePart[] {
  if (cascades.length === 0) return []
  const shown = cascades.slice(0, most.cascades)
  const left = cascades.length - shown.length
  return [
    {
      id: 'values',
      title: 'Values of addons',
      count: String(cascades.length),
      content: html`<p class="meta">
          Which file sets each key, and whose value it takes the place of. Texts are not shown: any of them may be a
          secret.
        </p>
        ${shown.map((cascade) => cascadeEntry(cascade, numbers, shorten))}${
          left > 0
            ? html`<p class="more">
                &hellip; and ${plural(left, 'more list')}: <code>stackmason explain</code> tells of one file
              </p>`
            : undefined
        }`,
    },
  ]
}

function cascadeEntry(
  { addon, clusters, keys }: ValuesCascade,
  numbers: ClusterNumbers,
  shorten: (path: string) => string,
): Html {
  const shown = keys.slice(0, most.keys)
  const left = keys.length - shown.length
  const who = createClusterNames('short')(clusters)
  const everybody = createClusterNames('all')(clusters)
  return html`<details class="entry" data-entry data-clusters="${numbers.ranges(clusters)}">
    <summary>
      <h3>addon ${addon}: ${who}</h3>
      <span class="meta">${plural(keys.length, 'key')}</span>
    </summary>
    <div class="body">
      ${everybody === who ? undefined : html`<p class="names">${everybody}</p>`}
      <ul class="keys">
        ${shown.map((key) => keyItem(key, shorten))}
      </ul>
      ${left > 0 ? html`<p class="more">&hellip; and ${plural(left, 'more key')}</p>` : undefined}
    </div>
  </details> `
}

function keyItem({ path, shown, at, over }: CascadeKey, shorten: (path: string) => string): Html {
  return html`<li>
    <code class="key">${formatChangePath(path)}${shown === undefined ? undefined : html`: <b>${shown}</b>`}</code>
    <span class="set">set in ${place(at, shorten)}</span>
    ${over.map((one) => html`<span class="over">instead of ${place(one, shorten)}</span> `)}
  </li> `
}

function place({ file, line, isOfFleet }: CascadePlace, shorten: (path: string) => string): Html {
  const text = html`<code>${shorten(file)}:${line}</code>`
  return isOfFleet ? html`<b>${text}</b>` : text
}
