import { joinPath } from '../../codec/path.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Fleet } from '../../model/fleet.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { Ports } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import { listOwnTemplates, readOwnTemplate } from './own-template.ts'

/** The sources of a GitOps tool's objects. */
export interface HandoffSources {
  /** By path below `templates/handoff/`; those of the fleet in place of ours. */
  readonly templates: ReadonlyMap<string, Source>
  /** The Lua files of Argo CD's health checks. */
  readonly healthScripts: readonly Source[]
}

/**
 * Reads the templates of the fleet's tool from the package, and in their place those that the fleet has under the
 * same path in `templates/handoff/`.
 * @throws StackmasonError CONFIG_UNKNOWN_FILE for a template of the fleet that is none of the tool's, or none of what
 * is published; FILE_UNREADABLE, FILE_OUTSIDE
 */
export async function readHandoffSources(fleet: Fleet, ports: Ports): Promise<HandoffSources> {
  const tool = fleet.handoff?.tool
  const unread = await unreadPublishTemplates(fleet, ports)
  if (tool === undefined) {
    if (unread.length > 0) throw new StackmasonError(unread)
    return { templates: new Map(), healthScripts: [] }
  }
  const folder = `templates/handoff/${tool}`
  const templates = new Map<string, Source>()
  for (const name of await ports.packageFiles.names(folder)) {
    if (!name.endsWith('.hbs')) continue
    const text = decodeUtf8(await ports.packageFiles.read(joinPath(folder, name)))
    templates.set(`${tool}/${name}`, { name: joinPath(folder, name), text })
  }
  const problems: Diagnostic[] = []
  for (const name of await listOwnTemplates(folder, fleet.root, ports)) {
    if (tool === 'argocd' && name === HEALTH) continue
    const path = `${tool}/${name}`
    const known = templates.get(path)
    if (known === undefined) problems.push(unknownTemplate(joinPath(folder, name), [...templates.keys()], fleet))
    else {
      templates.set(path, await readOwnTemplate(joinPath(folder, name), fleet.root, ports))
    }
  }
  const health = tool === 'argocd' ? await readHealthScripts(fleet, joinPath(folder, HEALTH), ports) : undefined
  problems.push(...(health?.problems ?? []), ...(await misplaced(fleet, ports)), ...unread)
  if (problems.length > 0) throw new StackmasonError(problems)
  return { templates, healthScripts: health?.scripts ?? [] }
}

const HEALTH = 'health'

/** The package's Lua files, and in their place those that the fleet has under the same name. */
async function readHealthScripts(
  fleet: Fleet,
  folder: string,
  ports: Ports,
): Promise<{ readonly scripts: readonly Source[]; readonly problems: readonly Diagnostic[] }> {
  const names = await ports.packageFiles.names(folder)
  const own = await listOwnTemplates(folder, fleet.root, ports)
  const scripts: Source[] = []
  for (const name of names) {
    const path = joinPath(folder, name)
    scripts.push(
      own.includes(name)
        ? await readOwnTemplate(path, fleet.root, ports)
        : { name: path, text: decodeUtf8(await ports.packageFiles.read(path)) },
    )
  }
  const known = names.map((name) => joinPath(folder, name).replace('templates/handoff/', ''))
  const unknown = own.filter((name) => !names.includes(name))
  return { scripts, problems: unknown.map((name) => unknownTemplate(joinPath(folder, name), known, fleet)) }
}

const TOOLS = ['flux', 'argocd']
/** Below `templates/publish/`. */
const PUBLISHED = ['pull-request.hbs', 'commit.hbs']

/**
 * Folders that look like those of templates but that nothing reads; whatever else lies in `templates/` may be the
 * fleet's own.
 */
async function misplaced({ root }: Fleet, ports: Ports): Promise<readonly Diagnostic[]> {
  const unknown = (file: string, nearest: string | undefined): Diagnostic => ({
    code: 'CONFIG_UNKNOWN_FILE',
    severity: 'error',
    message: `${file} takes the place of no template`,
    file: joinPath(root, file),
    hint: `${nearest === undefined ? '' : `Did you mean ${nearest}? `}Templates lie in ${TOOLS.map((tool) => `templates/handoff/${tool}`).join(' and ')}.`,
  })
  const beside = (await listOwnTemplates('templates', root, ports)).flatMap((name) => {
    const nearest = name === 'handoff' ? undefined : nearestName(name, ['handoff', ...TOOLS])
    if (nearest === undefined) return []
    return [unknown(`templates/${name}`, `templates/${nearest === 'handoff' ? nearest : `handoff/${nearest}`}`)]
  })
  const within = (await listOwnTemplates('templates/handoff', root, ports)).flatMap((name) => {
    if (TOOLS.includes(name)) return []
    const nearest = nearestName(name, TOOLS)
    return [unknown(`templates/handoff/${name}`, nearest === undefined ? undefined : `templates/handoff/${nearest}`)]
  })
  return [...beside, ...within]
}

/** Files that publishing would pass over without a word. */
async function unreadPublishTemplates({ root }: Fleet, ports: Ports): Promise<readonly Diagnostic[]> {
  const names = await listOwnTemplates('templates/publish', root, ports)
  return names
    .filter((name) => !PUBLISHED.includes(name))
    .map((name): Diagnostic => {
      const file = `templates/publish/${name}`
      const nearest = nearestName(name, PUBLISHED)
      return {
        code: 'CONFIG_UNKNOWN_FILE',
        severity: 'error',
        message: `${file} takes the place of no template`,
        file: joinPath(root, file),
        hint: `${nearest === undefined ? '' : `Did you mean templates/publish/${nearest}? `}There are: ${PUBLISHED.map((path) => `templates/publish/${path}`).join(', ')}.`,
      }
    })
}

function unknownTemplate(file: string, known: readonly string[], { root }: Fleet): Diagnostic {
  const nearest = nearestName(file.replace('templates/handoff/', ''), known)
  return {
    code: 'CONFIG_UNKNOWN_FILE',
    severity: 'error',
    message: `${file} takes the place of no template`,
    file: joinPath(root, file),
    hint: `${nearest === undefined ? '' : `Did you mean templates/handoff/${nearest}? `}There are: ${known.map((path) => `templates/handoff/${path}`).join(', ')}.`,
  }
}
