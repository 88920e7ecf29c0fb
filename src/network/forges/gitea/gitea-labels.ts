import { readPages, refusalOf } from '../forge-client.ts'
import { countAt, mapOf, textAt } from '../forge-shape.ts'
import { writeOnce } from '../write-once.ts'
import type { GiteaRepository } from './gitea-repository.ts'

interface Label {
  readonly id: number
  readonly name: string
}

/** Grey, as GitHub makes those that it creates. */
const COLOR = '#ededed'

/** Adds labels by name: those of the repository, else of its organization, else new ones. */
export async function addGiteaLabels(
  repository: GiteaRepository,
  number: number,
  names: readonly string[],
): Promise<void> {
  const { client, shown, root } = repository
  const own = await labelsBelow(repository, root)
  const isMissing = names.some((name) => !own.some((label) => label.name === name))
  const known = isMissing ? [...own, ...(await labelsOfOwner(repository))] : own
  const labels: number[] = []
  for (const name of new Set(names)) {
    const found = known.find((label) => label.name === name)
    labels.push(found?.id ?? (await create(repository, name)))
  }
  await client.send({
    method: 'POST',
    path: `${root}/issues/${number}/labels`,
    purpose: `the labels of pull request ${number} of ${shown}`,
    operation: 'addLabels',
    body: { labels },
    repeatable: true,
  })
}

function labelsBelow({ client, shown }: GiteaRepository, root: string): Promise<readonly Label[]> {
  return readPages(client, {
    purpose: `the labels of ${shown}`,
    operation: 'addLabels',
    path: (page) => `${root}/labels?limit=50&page=${page}`,
    parse: parseLabel,
    accept: 'not-found',
  })
}

/** A user who owns a repository has none; a token may be one that does not see organizations. */
async function labelsOfOwner(repository: GiteaRepository): Promise<readonly Label[]> {
  try {
    return await labelsBelow(repository, `/orgs/${encodeURIComponent(repository.shown.split('/')[0] ?? '')}`)
  } catch (error) {
    if (refusalOf(error)?.status === 403) return []
    throw error
  }
}

/** Gitea takes a second label of the same name, too. */
async function create(repository: GiteaRepository, name: string): Promise<number> {
  const { client, shown, root } = repository
  const purpose = `the label ${name} of ${shown}`
  const { item } = await writeOnce(
    {
      write: async () => {
        const { value } = await client.send({
          method: 'POST',
          path: `${root}/labels`,
          purpose,
          operation: 'addLabels',
          body: { name, color: COLOR },
        })
        return client.read(purpose, () => parseLabel(value))
      },
      look: async () => (await labelsBelow(repository, root)).find((label) => label.name === name),
    },
    client.ports,
  )
  return item.id
}

function parseLabel(value: unknown): Label {
  const map = mapOf(value, 'a label')
  return { id: countAt(map, 'id'), name: textAt(map, 'name') }
}
