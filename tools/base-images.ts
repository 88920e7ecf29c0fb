/**
 * Pins the base images of the Containerfile: `tsx tools/base-images.ts` asks their registries what each tag is now, and
 * writes that digest behind it. A release needs them pinned: from equal commits come equal images then.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openRegistry } from '../src/network/registry/open-registry.ts'
import { createSourceContext } from '../src/pipeline/resolve/open-source.ts'
import { createNodePorts } from '../src/system/node-ports.ts'

/** An image that a stage begins with, by its tag. */
export interface BaseImage {
  /** `gcr.io` */
  readonly host: string
  /** `distroless/nodejs22-debian12` */
  readonly repository: string
  readonly tag: string
}

const LINE = /^(ARG \w+_IMAGE=)([^/\s]+)\/([^:@\s]+):([^@\s]+)(?:@(sha256:[0-9a-f]{64}))?$/gm

/** The base images of a Containerfile that are named by their tag alone. */
export function unpinnedImages(text: string): readonly string[] {
  return [...text.matchAll(LINE)].flatMap(([, , host = '', repository = '', tag = '', digest]) =>
    digest === undefined ? [`${host}/${repository}:${tag}`] : [],
  )
}

/** A Containerfile with the digest that each tag has now. @throws what `find` throws */
export async function pinImages(text: string, find: (image: BaseImage) => Promise<string>): Promise<string> {
  const lines: string[] = []
  for (const [, start = '', host = '', repository = '', tag = ''] of text.matchAll(LINE))
    lines.push(`${start}${host}/${repository}:${tag}@${await find({ host, repository, tag })}`)
  return text.replaceAll(LINE, () => lines.shift() ?? '')
}

/** Asks a registry; of an image for several platforms it is the digest of the list of them. @throws StackmasonError FETCH_* */
export async function findDigest(
  { host, repository, tag }: BaseImage,
  { plainHttp = false }: { readonly plainHttp?: boolean } = {},
): Promise<string> {
  const registry = await openRegistry({ host, repository, plainHttp }, createSourceContext(createNodePorts(), 'online'))
  const digest = await registry.findDigest(tag)
  if (digest === undefined) throw new Error(`${host}/${repository} has no tag ${tag}`)
  return digest
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = join(import.meta.dirname, '../Containerfile')
  writeFileSync(file, await pinImages(readFileSync(file, 'utf8'), findDigest))
}
