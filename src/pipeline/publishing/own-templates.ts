import { joinPath } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Fleet } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import { judgeTemplate } from '../../report/pull-request/render-template.ts'
import { readOwnTemplate } from '../deliver/own-template.ts'

/** The names of templates of what is published, which a fleet may replace. */
const NAMES = ['pull-request', 'commit'] as const

/** The path of a template of what is published, in the fleet and in the package. */
export function templatePath(name: (typeof NAMES)[number]): string {
  return `templates/publish/${name}.hbs`
}

/** The template of titles that a fleet has in stackmason.yaml. */
export function titleTemplate({ publish }: Fleet): Source | undefined {
  const { title } = publish.pullRequest
  return title === undefined ? undefined : { name: 'spec.publish.pullRequest.title', text: title }
}

/** Finds what is wrong with the fleet's own templates of pull requests and commits, before anything is published. */
export async function judgeOwnTemplates(
  fleet: Fleet,
  { files }: Pick<Ports, 'files'>,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  const title = titleTemplate(fleet)
  const own: Source[] = title === undefined ? [] : [title]
  for (const path of NAMES.map(templatePath))
    if ((await files.stat(joinPath(fleet.root, path))) !== undefined)
      own.push(await readOwnTemplate(path, fleet.root, { files }))
  return { findings: own.flatMap(judgeTemplate) }
}
