import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import { wrapWords } from '../../report/wrap-words.ts'
import type { ContainersResult } from '../../pipeline/commands/containers.ts'
import type { TextReport } from '../command.ts'

type Image = ContainersResult['images'][number]
type User = Image['users'][number]

/** Characters of a digest that people compare. */
const DIGEST = 'sha256:'.length + 12
/** Clusters that are named where not all have an image. */
const NAMED = 3
/** Containers of an object that are named. */
const PLACES = 3

/** The images for people: those that run, then those that are mentioned, each with its users. */
export function containersText(result: ContainersResult, _: ShortenPath, width = 120): TextReport {
  const { images, clusters, kubernetesVersions } = result
  const [run, mentioned] = (['run', 'mentioned'] as const).map((use) => images.filter((image) => image.use === use))
  const lines = [
    ...section('RUN', run ?? [], { clusters, width }),
    ...section('MENTIONED, and perhaps run by a program in the cluster', mentioned ?? [], { clusters, width }),
    `${plural(run?.length ?? 0, 'image')} run${mentioned?.length === 0 ? '' : `, ${String(mentioned?.length)} mentioned`}, of ${plural(clusters.length, 'cluster')}.`,
    ...(kubernetesVersions.length === 0
      ? []
      : wrapWords(`Not listed: what kubeadm pulls for Kubernetes ${kubernetesVersions.join(', ')}.`, {
          width,
          indent: '  ',
        }).split('\n')),
  ]
  return { output: printableLines(lines), isUnbroken: true }
}

interface Shown {
  readonly clusters: readonly string[]
  readonly width: number
}

function section(title: string, images: readonly Image[], shown: Shown): readonly string[] {
  return images.length === 0 ? [] : [title, ...images.flatMap((image) => imageLines(image, shown)), '']
}

function imageLines(image: Image, { clusters, width }: Shown): readonly string[] {
  const wrap = (line: string): readonly string[] => wrapWords(`  ${line}`, { width, indent: '      ' }).split('\n')
  return [
    shortImage(image),
    ...(image.clusters.length === clusters.length || image.clusters.length === 0
      ? []
      : wrap(`only ${nameClusters(image.clusters)}`)),
    ...usersOf(image).flatMap(({ text, of }) =>
      wrap(of.length === image.clusters.length || of.length === 0 ? text : `${text} (${nameClusters(of)})`),
    ),
  ]
}

function shortImage({ image, reference: { digest } }: Image): string {
  return digest === undefined || digest.length <= DIGEST ? image : image.replace(digest, `${digest.slice(0, DIGEST)}…`)
}

/** Objects with the containers in them that have the image; those of the same clusters together. */
function usersOf({ users }: Image): readonly { readonly text: string; readonly of: readonly string[] }[] {
  const objects = new Map<string, { readonly user: User; readonly places: string[] }>()
  for (const user of users) {
    const key = JSON.stringify([
      user.addon,
      user.release,
      user.apiVersion,
      user.kind,
      user.namespace,
      user.name,
      user.clusters,
    ])
    const same = objects.get(key) ?? { user, places: [] }
    objects.set(key, same)
    same.places.push(placeOf(user))
  }
  return [...objects.values()].map(({ user, places }) => ({
    text: `${ownerOf(user)}${objectOf(user)}: ${nameSome([...new Set(places)], PLACES)}`,
    of: user.clusters,
  }))
}

function placeOf({ container, part, field }: User): string {
  return container === undefined || part === undefined
    ? field
    : part === 'container'
      ? container
      : `${container} (${labels[part]})`
}

const labels = {
  container: '',
  'init-container': 'init',
  'ephemeral-container': 'ephemeral',
  volume: 'volume',
} as const

function ownerOf({ addon, release }: User): string {
  const owner = addon ?? release
  return owner === undefined ? '' : `${owner}: `
}

function objectOf({ kind, namespace, name }: User): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

function nameClusters(of: readonly string[]): string {
  return nameSome(of, NAMED)
}

function nameSome(names: readonly string[], most: number): string {
  const rest = names.length - most
  return rest > 0 ? `${names.slice(0, most).join(', ')} and ${String(rest)} more` : names.join(', ')
}
